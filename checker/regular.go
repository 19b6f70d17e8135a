package checker

import (
	"errors"
	"io"
	"os"
)

// ErrNotRegular is why what a directory of a run has under the name of a file is neither read nor written.
var ErrNotRegular = errors.New("it is a link, a pipe or a device, and no file; take it out")

// checkedRegular returns the open file, or closes what is none.
func checkedRegular(f *os.File) (*os.File, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &os.PathError{Op: "open", Path: f.Name(), Err: ErrNotRegular}
	}
	if err != nil {
		_ = f.Close() // the first error counts
		return nil, err
	}
	return f, nil
}

// ReadRegular reads a file; a link, a pipe or a device is an ErrNotRegular.
func ReadRegular(path string) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Lock takes the lock on an open file, and is false if somebody else has it. Closing the file gives it back, and so
// does the end of the process.
func Lock(f *os.File) (bool, error) { return lockFile(f) }

// RemoveAbandoned removes a file that nobody has locked: whoever wrote it was ended.
func RemoveAbandoned(path string) error {
	if !haveLocks {
		return nil // nobody can know
	}
	f, err := openRegular(path, os.O_RDWR)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if free, err := lockFile(f); err != nil || !free {
		return nil // it is being written, or nobody can know here
	}
	if err := os.Remove(path); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

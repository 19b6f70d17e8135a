//go:build !unix

package checker

import (
	"errors"
	"io/fs"
	"os"
)

// openRegular opens a file that is neither a link nor anything but a file.
func openRegular(path string, flags int) (*os.File, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, &os.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	f, err := os.OpenFile(path, flags, 0o666)
	if err != nil {
		return nil, err
	}
	return checkedRegular(f)
}

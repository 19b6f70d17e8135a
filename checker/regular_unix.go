//go:build unix

package checker

import (
	"errors"
	"os"
	"syscall"
)

// openRegular opens a file that is neither a link nor anything but a file: who may write into a directory would
// otherwise have another file read or written over, or a run wait for ever.
func openRegular(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o666)
	if errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.ENXIO) {
		return nil, &os.PathError{Op: "open", Path: path, Err: ErrNotRegular}
	}
	if err != nil {
		return nil, err
	}
	return checkedRegular(f)
}

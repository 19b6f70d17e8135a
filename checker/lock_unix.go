//go:build unix && !aix && !solaris

package checker

import (
	"errors"
	"os"
	"syscall"
)

// haveLocks: a lock that is free says that nobody uses the file.
const haveLocks = true

// lockFile takes the lock on an open file, and is false if somebody else has it. The system gives it back when the
// file is closed, also when the process is killed.
func lockFile(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

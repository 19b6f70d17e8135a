//go:build unix

package checker

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestRegular: a link is not followed, and a pipe keeps nobody waiting.
func TestRegular(t *testing.T) {
	dir := t.TempDir()
	file, link, pipe := filepath.Join(dir, "file"), filepath.Join(dir, "link"), filepath.Join(dir, "pipe")
	if err := errors.Join(os.WriteFile(file, []byte("secret"), 0o600), os.Symlink(file, link),
		syscall.Mkfifo(pipe, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, pipe} {
		if data, err := ReadRegular(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s is read: %q, %v", path, data, err)
		}
		if f, err := openFile(path); !errors.Is(err, ErrNotRegular) || f != nil {
			t.Errorf("%s is opened for writing: %v", path, err)
		}
		if err := RemoveAbandoned(path); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s is removed: %v", path, err)
		}
	}
	if data, err := ReadRegular(file); string(data) != "secret" || err != nil {
		t.Errorf("the file has %q, %v", data, err)
	}
}

// TestRemoveAbandoned: what is being written stays, what was left goes.
func TestRemoveAbandoned(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "x.part"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Lock(f); !got || err != nil {
		t.Fatalf("locked %v, %v", got, err)
	}
	if err := RemoveAbandoned(f.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.Name()); err != nil {
		t.Errorf("it was being written: %v", err)
	}
	f.Close()
	if err := RemoveAbandoned(f.Name()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(f.Name()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestCheckpointRefusesLinks: nothing in the directory of a checkpoint leads out of it, and an unfinished manifest
// goes.
func TestCheckpointRefusesLinks(t *testing.T) {
	for _, name := range []string{manifestName, lockName} {
		dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
		if err := errors.Join(os.WriteFile(elsewhere, []byte("mine"), 0o600),
			os.Symlink(elsewhere, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		_, _, err := openStore(Checkpoint{Dir: dir, Resume: true}, 4)
		var refused *CheckpointError
		if !errors.As(err, &refused) {
			t.Errorf("%s is a link, and the error is %v", name, err)
		}
		if data, _ := os.ReadFile(elsewhere); string(data) != "mine" {
			t.Errorf("%s led elsewhere: %q", name, data)
		}
	}
	dir := t.TempDir()
	part := filepath.Join(dir, manifestName+unfinished)
	if err := os.WriteFile(part, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s, _, err := openStore(Checkpoint{Dir: dir}, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	if _, err := os.Stat(part); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

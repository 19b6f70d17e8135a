package checker

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// file is what a recordFile needs of an *os.File.
type file interface {
	io.ReaderAt
	io.WriterAt
	Sync() error
	Close() error
}

// opener opens a file for reading and writing, and makes it if it is missing. It is openFile, except in tests of a
// full disk.
type opener func(path string) (file, error)

func openFile(path string) (file, error) {
	f, err := openRegular(path, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err // not f, which would be no nil file
	}
	return f, nil
}

// recordFile is a file of records of one width, to which records are appended. What is in the file beyond count is
// what a run that was ended left there: it is written over.
type recordFile struct {
	path  string
	open  opener
	file  file // nil until something is written or read
	width int
	count int64
	// sum is the SHA-256 of the records; nil if nobody asks for it.
	sum   digester
	dirty bool
}

// digester is what a recordFile needs of a hash.Hash.
type digester interface {
	io.Writer
	Sum(b []byte) []byte
	Reset()
}

func newRecordFile(path string, width int, open opener) *recordFile {
	return &recordFile{path: path, open: open, width: width, sum: sha256.New()}
}

func (f *recordFile) opened() error {
	if f.file != nil {
		return nil
	}
	opened, err := f.open(f.path)
	if err != nil {
		return err
	}
	f.file = opened
	return nil
}

// append writes whole records. If it fails, the file has as many records as before.
func (f *recordFile) append(records []byte) error {
	if len(records) == 0 {
		return nil
	}
	if err := f.opened(); err != nil {
		return err
	}
	if _, err := f.file.WriteAt(records, f.count*int64(f.width)); err != nil {
		return err
	}
	if f.sum != nil {
		f.sum.Write(records)
	}
	f.count += int64(len(records) / f.width)
	f.dirty = true
	return nil
}

// read returns n records, in buffer if it is large enough. They must be there.
func (f *recordFile) read(from int64, n int, buffer []byte) ([]byte, error) {
	if err := f.opened(); err != nil {
		return nil, err
	}
	if size := n * f.width; cap(buffer) < size {
		buffer = make([]byte, size)
	} else {
		buffer = buffer[:size]
	}
	if read, err := f.file.ReadAt(buffer, from*int64(f.width)); read < len(buffer) {
		return nil, fmt.Errorf("%s: reading record %d of %d: %w", f.path, from, f.count, err)
	}
	return buffer, nil
}

// blockBytes is how much of a file is read at a time.
const blockBytes = 1 << 16

// each calls do with every record from the given one on, in their order.
func (f *recordFile) each(from int64, do func(record []byte) error) error {
	block := max(1, blockBytes/f.width)
	buffer := make([]byte, 0, block*f.width)
	for ; from < f.count; from += int64(block) {
		records, err := f.read(from, int(min(int64(block), f.count-from)), buffer)
		if err != nil {
			return err
		}
		for ; len(records) > 0; records = records[f.width:] {
			if err := do(records[:f.width:f.width]); err != nil {
				return err
			}
		}
	}
	return nil
}

// adopt takes the first count records of the file, which were appended before by another process; do gets each of
// them. It fails with a CheckpointError if they are not those whose digest is given.
func (f *recordFile) adopt(count int64, digest string, do func(record []byte) error) error {
	f.count = count
	f.sum.Reset()
	err := f.each(0, func(record []byte) error {
		f.sum.Write(record)
		return nil
	})
	if err != nil {
		return &CheckpointError{Path: f.path,
			Problem: fmt.Sprintf("it is damaged: %d records are not all there (%v)", count, err)}
	}
	if f.digest() != digest {
		return &CheckpointError{Path: f.path, Problem: "it is damaged: its records are not those that were written"}
	}
	return f.each(0, do)
}

// bytes is the size of the records.
func (f *recordFile) bytes() int64 { return f.count * int64(f.width) }

// digest is the digest of the records, in hexadecimal.
func (f *recordFile) digest() string { return hex.EncodeToString(f.sum.Sum(nil)) }

// sync sees to it that what was appended survives a failure of the machine.
func (f *recordFile) sync() error {
	if !f.dirty {
		return nil
	}
	if err := f.file.Sync(); err != nil {
		return err
	}
	f.dirty = false
	return nil
}

func (f *recordFile) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}

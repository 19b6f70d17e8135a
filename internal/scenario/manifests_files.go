package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
)

// open reads every file that the input names, and gives their documents.
func (r *reading) open() []document {
	if !r.Given() {
		r.refuse(Source{}, "", "", errors.New("no manifests: name a file, a directory, or - for standard input"))
	}
	var documents []document
	if r.Served != nil {
		documents = r.served()
	}
	documents = append(documents, r.openPaths(r.Paths)...)
	if r.Kustomization != "" {
		documents = append(documents, r.build(r.Kustomization)...)
	}
	return documents
}

// openPaths reads every file that the paths name.
func (r *reading) openPaths(paths []string) []document {
	var files []string
	for _, path := range paths {
		files = append(files, r.filesAt(path)...)
	}
	var documents []document
	for _, file := range files {
		if r.patches[file] {
			r.aside = append(r.aside, file)
			continue
		}
		data, err := r.readFile(file)
		if err != nil {
			r.failFile(file, err)
			if errors.As(err, new(tooLargeError)) {
				break // so is whatever follows
			}
			continue
		}
		if r.found[file] {
			if !mayHoldObjects(data) {
				r.withoutObject(file)
				continue
			}
			r.templates[file] = isTemplate(data)
		}
		documents = append(documents, r.documentsOf(file, data)...)
	}
	return documents
}

// mayHoldObjects tells from afar: an object states its kind and its apiVersion.
func mayHoldObjects(data []byte) bool {
	return bytes.Contains(data, []byte("apiVersion")) && bytes.Contains(data, []byte("kind")) || notText(data) != nil
}

// isTemplate reports whether text has placeholders in it, such as those of Helm charts, envsubst, ERB, or <your-name>.
func isTemplate(data []byte) bool {
	return placeholder.Match(data)
}

var placeholder = regexp.MustCompile(`\{\{|\$\{|\$\(|<%|<[A-Za-z_-]+>`)

// documentsOf splits a file.
func (r *reading) documentsOf(file string, data []byte) []document {
	if wrong := notText(data); wrong != nil {
		r.fail(Source{File: file}, "", "", wrong)
		return nil
	}
	documents, errs := split(file, data)
	if len(documents)+len(errs) == 0 {
		if r.found[file] {
			r.withoutObject(file)
		} else {
			r.fail(Source{File: file}, "", "", errors.New("it is empty: give it an object, or leave it out"))
		}
	}
	for _, err := range errs {
		r.fail(err.Source, err.Object, err.Field, err.Err)
	}
	return documents
}

// notText says why data cannot be manifests, from how it begins.
func notText(data []byte) error {
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}), bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		return errors.New("it is in UTF-16, as Windows PowerShell writes: write it anew in UTF-8, such as with " +
			"| Out-File -Encoding utf8")
	case bytes.IndexByte(data[:min(len(data), sniffed)], 0) >= 0:
		return errors.New("it is not text (it has a byte 0): name a file in YAML or JSON")
	}
	return nil
}

// sniffed is how many bytes of a file tell whether it is text.
const sniffed = 64 << 10

// filesAt returns the files that a path stands for.
func (r *reading) filesAt(path string) []string {
	info, err := os.Stat(path)
	if path == "-" || err != nil || !info.IsDir() {
		if !r.add(path) {
			delete(r.found, path) // named, whatever directory has it too
			return nil
		}
		return []string{path} // if there is none, reading it says so
	}
	var files []string
	at := r.walk(path, &files)
	if len(files) == 0 && at == 0 {
		r.add(path)
		hint := "the directory has no files *.json, *.yaml or *.yml (subdirectories are read with -R): name the files " +
			"or the directory that has them"
		if r.Recursive {
			hint = "neither the directory nor its subdirectories have files *.json, *.yaml or *.yml: name the files " +
				"or the directory that has them"
		}
		r.refuse(Source{File: path}, "", "", errors.New(hint))
	}
	return files
}

// walk finds the files of a directory in the order of their names, and returns how many of them cannot be read.
func (r *reading) walk(root string, files *[]string) (failed int) {
	root += string(filepath.Separator) // follows a link
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			r.add(path)
			r.found[path] = true
			r.failFile(path, err)
			failed++
		case entry.IsDir() && path != root && !r.Recursive:
			return fs.SkipDir
		case entry.IsDir():
			r.findPatches(path)
		case dangling(path, entry):
			r.withoutObject(path)
		case slices.Contains([]string{".json", ".yaml", ".yml"}, filepath.Ext(path)) && r.add(path):
			r.found[path] = true
			*files = append(*files, path)
		}
		return nil // no file stops the rest
	})
	return failed
}

// dangling reports whether the entry is a link to nothing, or to a directory, which could lead back here.
func dangling(path string, entry fs.DirEntry) bool {
	if entry.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := os.Stat(path)
	return err != nil || info.IsDir()
}

// readFile reads a file, as far as the input may go on.
func (r *reading) readFile(file string) ([]byte, error) {
	from := r.Stdin
	if file == "-" && from == nil {
		return nil, errors.New("there is none")
	}
	if file != "-" {
		// A device or a pipe that a directory holds could keep the run waiting for ever.
		if info, err := os.Stat(file); err == nil && r.found[file] && !info.Mode().IsRegular() {
			return nil, errors.New("it is a device, a pipe or a socket")
		}
		opened, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		defer opened.Close()
		from = opened
	}
	var data bytes.Buffer
	if _, err := io.CopyN(&data, from, sniffed); err == io.EOF || notText(data.Bytes()) != nil {
		r.left -= int64(data.Len())
		return data.Bytes(), r.enough()
	} else if err != nil {
		return nil, err
	}
	rest, err := readParts(io.LimitReader(from, max(0, r.left-int64(data.Len()))+1))
	size := 0
	for _, part := range rest {
		size += len(part)
	}
	r.left -= int64(data.Len() + size)
	if err == nil {
		err = r.enough()
	}
	if err != nil {
		return nil, err
	}
	data.Grow(size)
	for _, part := range rest {
		data.Write(part)
	}
	return data.Bytes(), nil
}

// readParts reads all there is, in parts: a buffer that grows takes twice as much as it holds, and that for nothing
// where the input turns out to be too large.
func readParts(from io.Reader) (parts [][]byte, err error) {
	const size = 16 << 20
	for {
		var part bytes.Buffer
		n, err := io.CopyN(&part, from, size)
		parts = append(parts, part.Bytes())
		if err == io.EOF || err == nil && n < size {
			return parts, nil
		}
		if err != nil {
			return parts, err
		}
	}
}

// tooLargeError says that the input is larger than it may be.
type tooLargeError struct{ most int64 }

func (e tooLargeError) Error() string {
	return fmt.Sprintf("the input has more than %s in all: give less, or raise --max-input",
		resource.NewQuantity(e.most, resource.BinarySI))
}

// enough tells that the input is too large.
func (r *reading) enough() error {
	if r.left < 0 {
		return tooLargeError{r.MaxBytes}
	}
	return nil
}

func (r *reading) failFile(file string, err error) {
	source := Source{File: file}
	if errors.As(err, new(tooLargeError)) {
		r.refuse(source, "", "", err)
		return
	}
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the path is said already
	}
	r.fail(source, "", "",
		fmt.Errorf("cannot read it: %w; name a readable file, a directory, or - for standard input", err))
}

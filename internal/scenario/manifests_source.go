package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Source is a place in the input.
type Source struct {
	// File is the path as it was given, or that of a file in a directory that was given; "-" is standard input.
	File string
	// Document counts the documents of the file that are not empty, from 1; 0 is the file as a whole.
	Document int
	// Line is the line of the file on which the document begins, from 1.
	Line int
	// Item counts the items of the list that the document is, from 1; 0 if it is no list.
	Item int
	// FieldLine is the line of the file on which the field is that is wrong, from 1; 0 if it is not known. Column
	// is the column, from 1, likewise.
	FieldLine, Column int
}

// String returns the place in words: "cluster.yaml: document 2 (line 14): items[3]", or "scenario.yaml:14:7" where
// the line of the field is known.
func (s Source) String() string {
	file := s.File
	if file == "-" {
		file = "standard input"
	}
	switch {
	case s.Document == 0:
		return file
	case s.Column > 0:
		return fmt.Sprintf("%s:%d:%d", file, s.FieldLine, s.Column)
	case s.FieldLine > 0:
		return fmt.Sprintf("%s:%d", file, s.FieldLine)
	}
	text := fmt.Sprintf("%s: document %d (line %d)", file, s.Document, s.Line)
	if s.Item > 0 {
		text += fmt.Sprintf(": items[%d]", s.Item-1)
	}
	return text
}

// Error is one thing that is wrong with the input.
type Error struct {
	Source Source
	// Object is the kind and the name of the object, such as "Pod default/web"; empty if there is none.
	Object string
	// Field is the path of the field, such as "spec.nodeName"; empty if it is the whole that is wrong.
	Field string
	// Err is what is wrong, and what to do about it.
	Err error
}

// Error returns the place, the object, the field, and what is wrong with it.
func (e *Error) Error() string {
	var parts []string
	for _, part := range []string{e.Source.String(), e.Object, e.Field, e.Err.Error()} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns what is wrong, such as fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.Err }

// reading is a Read in progress.
type reading struct {
	files  []string
	errs   []*Error
	notes  []note
	config *document
	// scenario is nil if there is none.
	scenario *written
	// unreadKinds are the kinds of object that were not read.
	unreadKinds []unreadKind
}

type note struct {
	source Source
	text   string
}

// fail records that something is wrong.
func (r *reading) fail(source Source, object, field string, err error) {
	r.errs = append(r.errs, &Error{Source: source, Object: object, Field: field, Err: err})
}

// note records something that the user should know of an object.
func (r *reading) note(o object, format string, args ...any) {
	if o.quiet {
		return
	}
	r.notes = append(r.notes, note{o.source, o.String() + ": " + fmt.Sprintf(format, args...)})
}

// err joins what is wrong so far, in the order of reading.
func (r *reading) err() error {
	slices.SortStableFunc(r.errs, func(a, b *Error) int { return r.compare(a.Source, b.Source) })
	errs := make([]error, len(r.errs))
	for i, err := range r.errs {
		errs[i] = err
	}
	return errors.Join(errs...)
}

// compare orders places as they were read.
func (r *reading) compare(a, b Source) int {
	return cmp.Or(
		cmp.Compare(slices.Index(r.files, a.File), slices.Index(r.files, b.File)),
		cmp.Compare(a.Document, b.Document),
		cmp.Compare(a.Item, b.Item),
		cmp.Compare(a.FieldLine, b.FieldLine),
		cmp.Compare(a.Column, b.Column))
}

package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// Source is a place in the input.
type Source struct {
	// File is the path as it was given, or that of a file in a directory that was given; "-" is standard input. Of a
	// running cluster it is the name.
	File string
	// Document counts the documents of the file that are not empty, from 1; 0 is the file as a whole.
	Document int
	// Line is the line of the file on which the document begins, from 1; 0 if no file has it.
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
	case s.Line == 0: // of an API server
		return file
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
	return printable.Text(strings.Join(parts, ": "))
}

// Unwrap returns what is wrong, such as fs.ErrNotExist.
func (e *Error) Unwrap() error { return e.Err }

// reading is a Read in progress.
type reading struct {
	Input
	// left is how many bytes may still be read.
	left int64
	// rank is the place of each file in the order of reading.
	rank map[string]int
	// found are the files that nobody named: a directory has them. What is wrong with them stops nothing.
	found map[string]bool
	// templates are those of the found files that look like templates of text, such as those of Helm charts.
	templates map[string]bool
	// patches are files that a kustomization applies to objects, and aside are those that were met.
	patches map[string]bool
	aside   []string
	// objectless are found files that hold no object.
	objectless []string

	errs []*Error
	// notRead are errors that stop nothing.
	notRead []*Error
	// objects is the number of objects that were met, and leftObjects are those that are not read though their kind is.
	objects     int
	leftObjects map[Source]bool
	notes       []note
	config      *document
	// scenario is nil if there is none.
	scenario *written
	// unreadKinds are the kinds of object that were not read, and unreadAt their places among them.
	unreadKinds []unreadKind
	unreadAt    map[schema.GroupKind]int
	// plain is how many nodes stand in.
	plain int
}

func newReading(in Input) *reading {
	in.MaxBytes = cmp.Or(in.MaxBytes, DefaultMaxBytes)
	in.PlainNodes = cmp.Or(in.PlainNodes, DefaultPlainNodes)
	return &reading{Input: in, left: in.MaxBytes, rank: map[string]int{}, found: map[string]bool{},
		templates: map[string]bool{}, patches: map[string]bool{}, unreadAt: map[schema.GroupKind]int{},
		leftObjects: map[Source]bool{}}
}

// add gives a file its place in the order of reading; it is false for one that has its place.
func (r *reading) add(file string) bool {
	if _, twice := r.rank[file]; twice {
		return false
	}
	r.rank[file] = len(r.rank)
	return true
}

type note struct {
	source Source
	// object is what the text is about; empty if it says so itself.
	object, text string
}

// fail records that something is wrong. In a file that was found in a directory it stops nothing.
func (r *reading) fail(source Source, object, field string, err error) {
	if r.found[source.File] {
		r.leave(source, object, field, err)
		return
	}
	r.refuse(source, object, field, err)
}

// refuse records that something is wrong, wherever it is.
func (r *reading) refuse(source Source, object, field string, err error) {
	r.errs = append(r.errs, &Error{Source: source, Object: object, Field: field, Err: err})
}

// ErrTemplate is why a file is not read that has text to be filled in.
var ErrTemplate = errors.New("a template (with {{ }} or the like): give what is made of it, as by helm template")

// leave records that something is not read, and why.
func (r *reading) leave(source Source, object, field string, err error) {
	if object != "" {
		r.leftObjects[source] = true
	}
	if r.templates[source.File] && (object == "" || isTemplate([]byte(object+err.Error()))) {
		source, object, field, err = Source{File: source.File}, "", "", ErrTemplate
		if slices.ContainsFunc(r.notRead, func(e *Error) bool { return e.Source == source }) {
			return
		}
	}
	r.notRead = append(r.notRead, &Error{Source: source, Object: object, Field: field, Err: err})
}

// note records something that the user should know of an object.
func (r *reading) note(o object, format string, args ...any) {
	if o.quiet {
		return
	}
	r.notes = append(r.notes, note{o.source, o.String(), fmt.Sprintf(format, args...)})
}

// err joins what is wrong so far, in the order of reading.
func (r *reading) err() error {
	r.sort(r.errs)
	errs := make([]error, len(r.errs))
	for i, err := range r.errs {
		errs[i] = err
	}
	return errors.Join(errs...)
}

// sort puts errors in the order of reading.
func (r *reading) sort(errs []*Error) {
	slices.SortStableFunc(errs, func(a, b *Error) int { return r.compare(a.Source, b.Source) })
}

// compare orders places as they were read.
func (r *reading) compare(a, b Source) int {
	return cmp.Or(
		cmp.Compare(r.rankOf(a), r.rankOf(b)),
		cmp.Compare(a.Document, b.Document),
		cmp.Compare(a.Item, b.Item),
		cmp.Compare(a.FieldLine, b.FieldLine),
		cmp.Compare(a.Column, b.Column))
}

// rankOf returns the place of a file in the order of reading; what is in none comes first.
func (r *reading) rankOf(source Source) int {
	if rank, ok := r.rank[source.File]; ok {
		return rank
	}
	return -1
}

// mostAlike is how many notes that say the same of different objects stand each on its own line.
const mostAlike = 5

// noteLines returns the notes in the order of reading. Where many say the same, they share a line.
func (r *reading) noteLines() []string {
	slices.SortStableFunc(r.notes, func(a, b note) int { return r.compare(a.source, b.source) })
	alike := map[string]int{}
	for _, n := range r.notes {
		alike[n.text]++
	}
	var lines []string
	for _, n := range r.notes {
		number, object := alike[n.text], n.object
		switch {
		case object == "":
		case number < 0:
			continue // said
		case number > mostAlike:
			object += fmt.Sprintf(" and %d more objects: ", number-1)
			alike[n.text] = -1
		default:
			object += ": "
		}
		line := object + n.text
		if n.source != (Source{}) {
			line = n.source.String() + ": " + line
		}
		lines = append(lines, printable.Text(line))
	}
	return lines
}

package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Counts says how much there was in the input, and how much of it was read.
type Counts struct {
	// Files is the number of files. Of them WithoutObject hold no object, Patches are parts of kustomizations, and
	// Templates hold text that is to become objects.
	Files         int `json:"files"`
	WithoutObject int `json:"withoutObject"`
	Patches       int `json:"patches"`
	Templates     int `json:"templates"`
	// Read is the number of objects that were read, each counted as often as it is given; OtherKinds that of objects
	// of kinds that are not read.
	Read       int `json:"read"`
	OtherKinds int `json:"otherKinds"`
	// Left is the number of objects, and of documents that may be some, that could not be read.
	Left int `json:"left"`
}

// Objects is the number of objects in the input, as far as that can be told.
func (c Counts) Objects() int { return c.Read + c.OtherKinds + c.Left }

// Plus returns the sums.
func (c Counts) Plus(other Counts) Counts {
	return Counts{c.Files + other.Files, c.WithoutObject + other.WithoutObject, c.Patches + other.Patches,
		c.Templates + other.Templates, c.Read + other.Read, c.OtherKinds + other.OtherKinds, c.Left + other.Left}
}

// String says what there was, apart from the objects that were read.
func (c Counts) String() string {
	var parts []string
	for _, part := range []struct {
		number int
		what   string
	}{{c.WithoutObject, "without an object"}, {c.Patches, "that are parts of kustomizations"},
		{c.Templates, "that are templates"}} {
		if part.number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.number, part.what))
		}
	}
	text := plural(c.Files, "file")
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text + " with " + plural(c.OtherKinds, "object") + " of other kinds"
}

func plural(number int, what string) string {
	if number == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", number, what)
}

// counts counts what was read.
func (r *reading) counts() Counts {
	c := Counts{Files: len(r.rank), WithoutObject: len(r.objectless), Patches: len(r.aside)}
	for _, k := range r.unreadKinds {
		c.OtherKinds += k.number
	}
	left := map[Source]bool{}
	for _, err := range r.notRead {
		if errors.Is(err, ErrTemplate) {
			c.Templates++ // one for each file
			continue
		}
		left[err.Source] = true
	}
	c.Left = len(left)
	c.Read = r.objects - c.OtherKinds - len(r.leftObjects)
	return c
}

// NoPodsError says that the input could be read, and has nothing in it that a scheduler would be asked about.
type NoPodsError struct {
	// Counts says what there was instead, and Kinds the most frequent kinds of it.
	Counts Counts
	Kinds  []string
	// NotRead is what could not be read.
	NotRead []*Error
}

// Error says what there is, and what to do about it.
func (e *NoPodsError) Error() string {
	text := "there is no Node, no Pod, and no workload that makes pods; give at least one. The input has " +
		e.Counts.String()
	if len(e.Kinds) > 0 {
		text += ": " + strings.Join(e.Kinds, ", ")
	}
	if e.Counts.Templates > 0 {
		text += "; give what helm template makes of the templates"
	}
	return text
}

// noPods returns the error that says what there is.
func (r *reading) noPods() *NoPodsError {
	e := &NoPodsError{Counts: r.counts(), NotRead: slices.Clone(r.notRead)}
	kinds := slices.Clone(r.unreadKinds)
	slices.SortStableFunc(kinds, func(a, b unreadKind) int { return cmp.Compare(b.number, a.number) })
	for i, k := range kinds {
		if i == mostKinds {
			e.Kinds = append(e.Kinds, plural(len(kinds)-mostKinds, "more kind"))
			break
		}
		e.Kinds = append(e.Kinds, fmt.Sprintf("%s (%d)", k.kind, k.number))
	}
	return e
}

// mostKinds is how many kinds an error names.
const mostKinds = 5

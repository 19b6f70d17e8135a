package fields

import "strings"

// Field is a field that somebody reads, with what was seen of it.
type Field struct {
	Path string
	Seen
}

// List returns every field that somebody reads, in the order of their paths.
func List(seen map[string]Seen) []Field {
	var all []Field
	for _, path := range Paths() {
		all = append(all, Field{path, seen[path]})
	}
	return all
}

// Group is fields of one parent, by their names below it.
type Group struct {
	Parent string
	Names  []string
}

// NeverVaried returns the fields that did not vary, those of one parent together: as name=value if they had one
// value. What is below a field that was never set is left out.
func NeverVaried(all []Field) []Group {
	var groups []Group
	never := "\x00"
	for i, f := range all {
		hasFields := i+1 < len(all) && below(all[i+1].Path, f.Path)
		if below(f.Path, never) || f.Varied() || f.Set && hasFields {
			continue
		}
		at := strings.LastIndexByte(f.Path, '.')
		parent, name := f.Path[:at], f.Path[at+1:]
		if !f.Set {
			never = f.Path
		} else if len(f.Values) == 1 {
			name += "=" + f.Values[0]
		}
		if len(groups) == 0 || groups[len(groups)-1].Parent != parent {
			groups = append(groups, Group{Parent: parent})
		}
		last := &groups[len(groups)-1]
		last.Names = append(last.Names, name)
	}
	return groups
}

// below reports whether a path leads on from another one.
func below(path, from string) bool {
	rest, is := strings.CutPrefix(path, from)
	return is && rest != "" && (rest[0] == '.' || rest[0] == '[')
}

package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Lists of a large cluster have hundreds of megabytes. They are cut into their items by what JSON's brackets and the
// indents of YAML say, so that items can be decoded several at a time and nothing holds the whole a second time. What
// does not look as kubectl prints it is left to the parsers, which also say what is wrong with it.

// jsonEnd returns where the JSON value that begins at i ends; -1 if it does not end. It looks at brackets and strings
// only: what is between them is for a parser to judge.
func jsonEnd(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = stringEnd(data, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 {
				return i // of a number or a word before it
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return -1
}

// stringEnd returns where the string that begins at i ends; -1 if it does not.
func stringEnd(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func skipBlanks(data []byte, i int) int {
	for i < len(data) && strings.IndexByte(" \t\r\n", data[i]) >= 0 {
		i++
	}
	return i
}

// span is where something is in a text: from its first byte to the one after its last.
type span struct{ from, to int }

func (s span) of(data []byte) []byte { return data[s.from:s.to] }

// jsonFields returns where the values of the fields of the JSON object that begins at i are. It is false for what is
// no object, has fields twice, or is cut off.
func jsonFields(data []byte, i int) (map[string]span, bool) {
	if i = skipBlanks(data, i); i >= len(data) || data[i] != '{' {
		return nil, false
	}
	fields := map[string]span{}
	for i = skipBlanks(data, i+1); i < len(data) && data[i] == '"'; {
		end := stringEnd(data, i)
		if end < 0 {
			return nil, false
		}
		key := string(data[i+1 : end-1])
		if i = skipBlanks(data, end); i >= len(data) || data[i] != ':' {
			return nil, false
		}
		i = skipBlanks(data, i+1)
		end = jsonEnd(data, i)
		if _, twice := fields[key]; end < 0 || twice || strings.Contains(key, `\`) {
			return nil, false
		}
		fields[key] = span{i, end}
		if i = skipBlanks(data, end); i < len(data) && data[i] == ',' {
			i = skipBlanks(data, i+1)
		}
	}
	return fields, i < len(data) && data[i] == '}'
}

// jsonItems returns the values of the JSON list that data is.
func jsonItems(data []byte) ([]json.RawMessage, bool) {
	if len(data) == 0 || data[0] != '[' {
		return nil, false
	}
	items := []json.RawMessage{}
	i := skipBlanks(data, 1)
	for i < len(data) && data[i] != ']' {
		end := jsonEnd(data, i)
		if end <= i {
			return nil, false
		}
		items = append(items, data[i:end:end])
		if i = skipBlanks(data, end); i < len(data) && data[i] == ',' {
			i = skipBlanks(data, i+1)
		}
	}
	return items, i == len(data)-1
}

// cutJSON returns the list that a file in JSON is, without its items, and the items; it is false if it is none.
func cutJSON(data []byte) (wrapper []byte, items []json.RawMessage, ok bool) {
	start := skipBlanks(data, 0)
	end := jsonEnd(data, start)
	fields, ok := jsonFields(data, start)
	if !ok || end < 0 || skipBlanks(data, end) != len(data) ||
		!bytes.HasSuffix(fields["kind"].of(data), []byte(`List"`)) {
		return nil, nil, false
	}
	at := fields["items"]
	items, ok = jsonItems(at.of(data))
	return slices.Concat(data[start:at.from], []byte("[]"), data[at.to:end]), items, ok
}

// withoutManagedFields takes metadata.managedFields out of an object in JSON, which is often half of it and not read.
func withoutManagedFields(data []byte) []byte {
	if !bytes.Contains(data, []byte(`"managedFields"`)) {
		return data
	}
	top, ok := jsonFields(data, 0)
	metadata, has := top["metadata"]
	if !ok || !has {
		return data
	}
	fields, ok := jsonFields(data, metadata.from)
	managed, has := fields["managedFields"]
	if !ok || !has {
		return data
	}
	return slices.Concat(data[:managed.from], []byte("[]"), data[managed.to:])
}

// beginning returns what every object begins with: its kind, apiVersion and metadata, without what is large. Where data
// is not laid out as an object it returns all of it, for a parser to say what is wrong.
func beginning(data []byte) []byte {
	fields, ok := jsonFields(data, 0)
	if !ok {
		return data
	}
	begin := []byte("{")
	for _, key := range []string{"apiVersion", "kind", "metadata"} {
		if at, has := fields[key]; has {
			begin = fmt.Appendf(begin, "%q: %s,", key, at.of(data))
		}
	}
	return append(bytes.TrimSuffix(begin, []byte(",")), '}')
}

// cutYAML returns the list that a document in YAML is, without its items, and where the items are; it is false if it is
// none, or not laid out line by line.
func cutYAML(document []byte) (wrapper []byte, items []span, ok bool) {
	before, after, found := bytes.Cut(document, []byte("\nitems:\n"))
	if !found || !bytes.HasPrefix(bytes.TrimLeft(after, " "), []byte("- ")) {
		return nil, nil, false
	}
	indent := len(after) - len(bytes.TrimLeft(after, " "))
	first, inside := append(bytes.Repeat([]byte(" "), indent), '-', ' '), bytes.Repeat([]byte(" "), indent+2)
	start, at, offset := 0, 0, len(document)-len(after)
	for at < len(after) {
		line := after[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		text := bytes.TrimSpace(line)
		if bytes.HasPrefix(line, first) {
			if at > start {
				items = append(items, span{offset + start, offset + at})
			}
			start = at
		} else if !bytes.HasPrefix(line, inside) && len(text) > 0 && text[0] != '#' {
			break
		}
		at += len(line)
	}
	items = append(items, span{offset + start, offset + at})
	return slices.Concat(before, []byte("\nitems: []\n"), after[at:]), items, true
}

// item returns an item of a list as a document of its own, indented as it was, without metadata.managedFields.
func item(text []byte) []byte {
	text = bytes.Clone(text)
	indent := bytes.IndexByte(text, '-')
	text[indent] = ' '
	metadata := append(bytes.Repeat([]byte(" "), indent+2), "metadata:\n"...)
	managed := append(bytes.Repeat([]byte(" "), indent+4), "managedFields:\n"...)
	within := bytes.Index(text, metadata)
	if within < 0 || within > 0 && text[within-1] != '\n' {
		return text
	}
	from := bytes.Index(text[within:], managed)
	if from < 0 || text[within+from-1] != '\n' {
		return text
	}
	from += within
	for at := within + len(metadata); at < from; {
		if !bytes.HasPrefix(text[at:], managed[:indent+4]) {
			return text // it is not that of metadata
		}
		at += bytes.IndexByte(text[at:], '\n') + 1
	}
	to := from + len(managed)
	for to < len(text) {
		rest := bytes.TrimPrefix(text[to:], managed[:indent+4])
		if len(rest) == len(text[to:]) || rest[0] != ' ' && !bytes.HasPrefix(rest, []byte("- ")) {
			break
		}
		end := bytes.IndexByte(text[to:], '\n')
		if end < 0 {
			to = len(text)
			break
		}
		to += end + 1
	}
	return append(text[:from], text[to:]...)
}

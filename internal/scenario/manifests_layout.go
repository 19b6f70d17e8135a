package scenario

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// A layout converts objects in YAML to JSON that are laid out as kubectl prints them, line by line. The lines of a
// large cluster say the same things over and over, so it cuts an object by its indents into fields, has the YAML parser
// convert each distinct one once, and puts the pieces together.
//
// What it returns is what the parser makes of the whole. An indent says less than a parser knows, hence the rules that
// make a cut safe: what is cut out must be, to the parser and by itself, exactly one field or one item. So a string or
// a bracket that goes on elsewhere is an error there, an alias has no anchor, and text that is no field gives none. A
// value that begins on the line of its key is never cut. Comments, line breaks other than \n, keys that are repeated,
// and all that is not laid out like this are left to the parser.
type layout struct {
	// known are the pieces that were converted, by their text, and size is the sum of their lengths.
	known map[string]piece
	size  int
	// missing are the texts that are met and not known.
	missing []string

	text   []byte
	lines  []line
	out    []byte
	fields []laidOut
	spare  []byte
	// managed: the fields metadata.managedFields are left out.
	managed bool
}

// line is a line of the text. One without any text has an indent beyond all others: it belongs to what is before it.
type line struct {
	indent    int
	from, end int
}

// piece is a field or an item, in JSON.
type piece struct {
	// key is that of the field; json is the field without braces, or the item.
	key, json string
	// empty: the field has the value null.
	empty bool
}

// laidOut is a field, and where it is in the output.
type laidOut struct {
	key string
	at  span
}

// mostKnown bounds the text that a layout keeps, and mostNested how deep it goes.
const (
	mostKnown  = 16 << 20
	mostNested = 50
)

// toJSON converts an object. With managed, it leaves out its managed fields. It is false for what is not laid out as
// it must be.
func (l *layout) toJSON(text []byte, managed bool) ([]byte, bool) {
	if l.known == nil || l.size > mostKnown {
		l.known, l.size = map[string]piece{}, 0
	}
	l.text, l.managed = text, managed
	l.split()
	for {
		l.out, l.fields, l.missing = l.out[:0], l.fields[:0], l.missing[:0]
		if len(l.lines) == 0 {
			return nil, false
		}
		if end, ok := l.mapping(0, l.lines[0].indent, 0, false); !ok || end < len(l.lines) {
			return nil, false
		}
		if len(l.missing) == 0 {
			return bytes.Clone(l.out), true
		}
		if !l.learn() {
			return nil, false
		}
	}
}

// split finds the lines of the text. The dash before the first one, if it is an item of a list, counts as indent.
func (l *layout) split() {
	l.lines = l.lines[:0]
	for from := 0; from < len(l.text); {
		end := bytes.IndexByte(l.text[from:], '\n')
		if end += from; end < from {
			end = len(l.text)
		}
		at := from
		for at < end && l.text[at] == ' ' {
			at++
		}
		indent := at - from
		if at == end {
			indent = math.MaxInt
		}
		l.lines = append(l.lines, line{indent, at, end})
		from = end + 1
	}
	if len(l.lines) > 0 && l.isItem(0) {
		l.lines[0].indent += 2
		l.lines[0].from += 2
	}
}

func (l *layout) of(i int) []byte { return l.text[l.lines[i].from:l.lines[i].end] }

func (l *layout) isItem(i int) bool { return bytes.HasPrefix(l.of(i), []byte("- ")) }

// deeper returns the first line after i that is not indented more than it says.
func (l *layout) deeper(i, indent int) int {
	for i++; i < len(l.lines) && l.lines[i].indent > indent; i++ {
	}
	return i
}

// mapping puts out the mapping that begins at line i and returns the line after it.
func (l *layout) mapping(i, indent, depth int, inMetadata bool) (end int, ok bool) {
	start, first, sorted := len(l.out), len(l.fields), true
	l.out = append(l.out, '{')
	for i < len(l.lines) && l.lines[i].indent == indent {
		text := l.of(i)
		if !beginsField(text) || depth > mostNested {
			return 0, false
		}
		if inMetadata && string(text) == "managedFields:" {
			i = l.deeper(i, indent)
			for i < len(l.lines) && l.lines[i].indent == indent && l.isItem(i) {
				i = l.deeper(i, indent)
			}
			continue
		}
		if len(l.out) > start+1 {
			l.out = append(l.out, ',')
		}
		from := len(l.out)
		key, next, ok := l.field(i, indent, depth)
		if !ok {
			return 0, false
		}
		if len(l.fields) > first && l.fields[len(l.fields)-1].key >= key {
			sorted = false
		}
		l.fields = append(l.fields, laidOut{key, span{from, len(l.out)}})
		i = next
	}
	l.out = append(l.out, '}')
	if !sorted && len(l.missing) == 0 && !l.sort(start+1, l.fields[first:]) {
		return 0, false
	}
	l.fields = l.fields[:first]
	return i, true
}

// beginsField reports whether a line can begin a field, and nothing else that has a meaning in YAML.
func beginsField(text []byte) bool {
	if len(text) == 0 {
		return false
	}
	c := text[0]
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '"' || c == '\''
}

// sort puts the fields, which were put out from start on, in the order of their keys. It is false if one is repeated.
func (l *layout) sort(start int, fields []laidOut) bool {
	slices.SortFunc(fields, func(a, b laidOut) int { return strings.Compare(a.key, b.key) })
	l.spare = l.spare[:0]
	for i, f := range fields {
		if i > 0 && fields[i-1].key == f.key {
			return false
		}
		l.spare = append(append(l.spare, f.at.of(l.out)...), ',')
	}
	copy(l.out[start:], l.spare[:len(l.spare)-1])
	return true
}

// field puts out the field that begins at line i, and returns its key and the line after it.
func (l *layout) field(i, indent, depth int) (key string, end int, ok bool) {
	text, next := l.of(i), i+1
	opens := text[len(text)-1] == ':' && bytes.IndexByte(text, ' ') < 0
	below := next < len(l.lines) && l.lines[next].indent > indent
	items := next < len(l.lines) && l.lines[next].indent == indent && l.isItem(next)
	if !opens || !below && !items {
		end = l.deeper(i, indent)
		return l.leaf(i, end), end, true
	}
	opening, known := l.piece(string(text))
	if known && !opening.empty {
		return "", 0, false
	}
	l.out = append(l.out, strings.TrimSuffix(opening.json, "null")...)
	if l.isItem(next) {
		end, ok = l.list(next, l.lines[next].indent, depth+1)
	} else {
		inMetadata := l.managed && depth == 0 && string(text) == "metadata:"
		end, ok = l.mapping(next, l.lines[next].indent, depth+1, inMetadata)
	}
	return opening.key, end, ok && (end == len(l.lines) || l.lines[end].indent <= indent)
}

// list puts out the list that begins at line i and returns the line after it.
func (l *layout) list(i, indent, depth int) (end int, ok bool) {
	l.out = append(l.out, '[')
	for from := i; i < len(l.lines) && l.lines[i].indent == indent && l.isItem(i); {
		if i > from {
			l.out = append(l.out, ',')
		}
		end = l.deeper(i, indent)
		inside := l.of(i)[2:]
		if end == i+1 || !beginsField(inside) || inside[0] == '"' || inside[0] == '\'' ||
			inside[len(inside)-1] != ':' && !bytes.Contains(inside, []byte(": ")) {
			l.leaf(i, end)
			i = end
			continue
		}
		whole := l.lines[i]
		l.lines[i].indent, l.lines[i].from = indent+2, whole.from+2
		next, ok := l.mapping(i, indent+2, depth+1, false)
		l.lines[i] = whole
		if !ok || next != end {
			return 0, false
		}
		i = end
	}
	l.out = append(l.out, ']')
	return i, true
}

// leaf puts out the field or item of the lines from i to end, which is not cut any further, and returns its key.
func (l *layout) leaf(i, end int) (key string) {
	first := l.of(i)
	if end == i+1 {
		if p, known := l.known[string(first)]; known {
			l.out = append(l.out, p.json...)
			return p.key
		}
	}
	text := string(first)
	if end > i+1 {
		last := min(l.lines[end-1].end+1, len(l.text))
		text = strings.Repeat(" ", l.lines[i].indent) + string(l.text[l.lines[i].from:last])
	}
	p, _ := l.piece(text)
	l.out = append(l.out, p.json...)
	return p.key
}

// piece returns what is known of a text, which is missing otherwise.
func (l *layout) piece(text string) (piece, bool) {
	p, known := l.known[text]
	if !known {
		l.missing = append(l.missing, text)
	}
	return p, known
}

// learn converts what is missing. It is false if any of it is no field or item by itself.
func (l *layout) learn() bool {
	var together []string
	var document []byte
	slices.Sort(l.missing)
	l.missing = slices.Compact(l.missing)
	for _, text := range l.missing {
		if strings.ContainsAny(text, "\r\u0085\u2028\u2029\ufeff") {
			return false
		}
		// Those of a line go to the parser as one list, unless they could refer to each other.
		if !strings.ContainsAny(text, "\n*") {
			together = append(together, text)
			document = append(append(append(document, "- "...), text...), '\n')
			continue
		}
		converted, err := yaml.YAMLToJSONStrict([]byte(text))
		if err != nil || !l.keep(text, converted) {
			return false
		}
	}
	if len(together) == 0 {
		return true
	}
	converted, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return false
	}
	items, ok := jsonItems(converted)
	if !ok || len(items) != len(together) {
		return false
	}
	for i, text := range together {
		if !l.keep(text, items[i]) {
			return false
		}
	}
	return true
}

// keep keeps what a text was converted to: an item as a list of one, a field as an object of one.
func (l *layout) keep(text string, converted json.RawMessage) bool {
	var p piece
	if strings.HasPrefix(strings.TrimLeft(text, " "), "- ") {
		items, ok := jsonItems(converted)
		if !ok || len(items) != 1 {
			return false
		}
		p.json = string(items[0])
	} else {
		fields, ok := jsonFields(converted, 0)
		if !ok || len(fields) != 1 {
			return false
		}
		for key, value := range fields {
			p.key, p.empty = key, string(value.of(converted)) == "null"
		}
		p.json = string(converted[1 : len(converted)-1])
	}
	l.known[text] = p
	l.size += len(text) + len(p.json)
	return true
}

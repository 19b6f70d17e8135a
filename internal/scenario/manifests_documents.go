package scenario

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	goyaml "go.yaml.in/yaml/v2"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/yaml"
)

// document is one document of a file.
type document struct {
	source Source
	// raw is the document as it was written, json the same in JSON.
	raw, json []byte
	// items are those of a list, in JSON, which json leaves out; nil if json has all there is.
	items []json.RawMessage
}

// split returns the documents of a file. A file that begins with a brace is JSON, one value after another, or else YAML
// like the rest.
func split(file string, data []byte) ([]document, []*Error) {
	if !utilyaml.IsJSONBuffer(data) {
		return splitYAML(file, data)
	}
	documents, err := splitJSON(file, data)
	if err == nil {
		return documents, nil
	}
	documents, errs := splitYAML(file, data)
	if len(errs) > 0 && filepath.Ext(file) == ".json" {
		return nil, []*Error{err} // it was meant to be JSON
	}
	return documents, errs
}

func splitJSON(file string, data []byte) ([]document, *Error) {
	if wrapper, items, ok := cutJSON(data); ok && allOf(items, json.Valid) {
		line := lineAt(data, int64(skipBlanks(data, 0)))
		return []document{{source: Source{File: file, Document: 1, Line: line}, raw: wrapper, json: wrapper,
			items: items}}, nil
	}
	var documents []document
	decoder := json.NewDecoder(bytes.NewReader(data))
	for before, line := 0, 1; ; {
		start := skipBlanks(data, int(decoder.InputOffset()))
		line += bytes.Count(data[before:start], []byte("\n"))
		before = start
		source := Source{File: file, Document: len(documents) + 1, Line: line}
		var raw json.RawMessage
		if err := decoder.Decode(&raw); err == io.EOF {
			return documents, nil
		} else if err != nil {
			at := decoder.InputOffset()
			if syntax := (*json.SyntaxError)(nil); errors.As(err, &syntax) {
				at = syntax.Offset - 1 // the offset counts the character that is wrong
			}
			return nil, &Error{Source: source,
				Err: fmt.Errorf("line %d: it is not JSON: %w; correct that line or the one before", lineAt(data, at),
					err)}
		}
		documents = append(documents, document{source: source, raw: raw, json: raw})
	}
}

func splitYAML(file string, data []byte) ([]document, []*Error) {
	cut, separators := cutDocuments(data)
	converted := make([]document, len(cut))
	errs := make([]error, len(cut))
	layouts := newLayouts()
	workqueue.ParallelizeUntil(context.Background(), runtime.GOMAXPROCS(0), len(cut), func(i int) {
		if errs[i] = separators[i]; errs[i] == nil {
			converted[i], errs[i] = convertYAML(cut[i], layouts)
		}
	}, workqueue.WithChunkSize(64))
	var documents []document
	var wrong []*Error
	for i, d := range converted {
		d.source = Source{File: file, Document: len(documents) + len(wrong) + 1, Line: cut[i].line}
		switch {
		case errs[i] != nil:
			wrong = append(wrong, &Error{Source: d.source, Err: plainYAML(errs[i])})
		case d.items != nil || string(d.json) != "null":
			documents = append(documents, d)
		}
	}
	return documents, wrong
}

// text is a document as it was written, and the line of the file on which it begins to say something.
type text struct {
	raw  []byte
	line int
}

// cutDocuments returns the documents of a file, and for each what is wrong with the separator after it.
func cutDocuments(data []byte) ([]text, []error) {
	if documents, ok := cutPlain(data); ok {
		return documents, make([]error, len(documents))
	}
	var documents []text
	var errs []error
	rest := bytes.NewReader(data)
	buffered := bufio.NewReader(rest)
	reader := utilyaml.NewYAMLReader(buffered)
	for start, line := 0, 1; ; {
		raw, err := reader.Read()
		if err == io.EOF {
			return documents, errs
		}
		end := len(data) - rest.Len() - buffered.Buffered()
		documents = append(documents, text{raw, line + leadingLines(data[start:end])})
		errs = append(errs, err)
		line += bytes.Count(data[start:end], []byte("\n"))
		start = end
	}
}

// cutPlain is cutDocuments of a file whose separators and ends of lines are plain, and without a copy of it. It is
// false for others.
func cutPlain(data []byte) (documents []text, ok bool) {
	if bytes.IndexByte(data, '\r') >= 0 || len(data) > 0 && data[len(data)-1] != '\n' {
		return nil, false
	}
	start, line := 0, 1
	add := func(to, end int) {
		documents = append(documents, text{data[start:to:to], line + leadingLines(data[start:end])})
		line += bytes.Count(data[start:end], []byte("\n"))
		start = end
	}
	for at := 0; at < len(data); {
		if bytes.HasPrefix(data[at:], []byte("---")) {
			end := at + bytes.IndexByte(data[at:], '\n') + 1
			if len(bytes.TrimSpace(data[at+3:end])) > 0 {
				return nil, false
			}
			if at > start { // else it is part of the document that follows
				add(at, end)
			}
		}
		next := bytes.Index(data[at:], []byte("\n---"))
		if next < 0 {
			break
		}
		at += next + 1
	}
	if start < len(data) {
		add(len(data), len(data))
	}
	return documents, true
}

// convertYAML converts one document.
func convertYAML(t text, layouts *sync.Pool) (document, error) {
	if d, ok := listYAML(t.raw, layouts); ok {
		return d, nil
	}
	body := dropLines(t.raw, leadingLines(t.raw))
	layout := layouts.Get().(*layout)
	defer layouts.Put(layout)
	if converted, ok := layout.toJSON(body, false); ok {
		return document{raw: t.raw, json: converted}, nil
	}
	converted, err := toJSON(body)
	if err != nil {
		// The parser counts lines, so those before the document are replaced by empty ones.
		converted, err = toJSON(append(bytes.Repeat([]byte("\n"), t.line-1), body...))
	}
	return document{raw: t.raw, json: converted}, err
}

func newLayouts() *sync.Pool { return &sync.Pool{New: func() any { return new(layout) }} }

// listYAML reads a document that is a list item by item, several at a time. It is false where the document is none, or
// where something is wrong with it, which is said when it is read as a whole.
func listYAML(raw []byte, layouts *sync.Pool) (document, bool) {
	text, items, ok := cutYAML(raw)
	if !ok {
		return document{}, false
	}
	wrapper, err := toJSON(text)
	var head header
	if err != nil || json.Unmarshal(wrapper, &head) != nil || !strings.HasSuffix(head.Kind, "List") {
		return document{}, false
	}
	d := document{raw: wrapper, json: wrapper, items: make([]json.RawMessage, len(items))}
	failed := make([]bool, len(items))
	workqueue.ParallelizeUntil(context.Background(), runtime.GOMAXPROCS(0), len(items), func(i int) {
		layout := layouts.Get().(*layout)
		defer layouts.Put(layout)
		converted, ok := layout.toJSON(items[i].of(raw), true)
		if !ok {
			var err error
			converted, err = yaml.YAMLToJSONStrict(item(items[i].of(raw)))
			failed[i] = err != nil
		}
		d.items[i] = converted
	}, workqueue.WithChunkSize(64))
	return d, !slices.Contains(failed, true)
}

// allOf reports whether all items are as wanted; it looks at several at a time.
func allOf(items []json.RawMessage, wanted func([]byte) bool) bool {
	as := make([]bool, len(items))
	workqueue.ParallelizeUntil(context.Background(), runtime.GOMAXPROCS(0), len(items), func(i int) {
		as[i] = wanted(items[i])
	}, workqueue.WithChunkSize(64))
	return !slices.Contains(as, false)
}

// dropLines takes the first n lines off the text.
func dropLines(text []byte, n int) []byte {
	for range n {
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	return text
}

// leadingLines counts the lines before the first that says something; 0 if none does.
func leadingLines(text []byte) (n int) {
	for line := range bytes.Lines(text) {
		if !blank(line) {
			return n
		}
		n++
	}
	return 0
}

// blank tells that a line of YAML is empty, a comment, or a separator.
func blank(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) == 0 || line[0] == '#' || bytes.HasPrefix(line, []byte("---"))
}

// toJSON converts one document of YAML. A key that is repeated is an error, and so is text after the document's
// end, which the YAML parser would leave unread.
func toJSON(document []byte) ([]byte, error) {
	converted, err := yaml.YAMLToJSONStrict(document)
	if err != nil {
		return nil, err
	}
	decoder := goyaml.NewDecoder(bytes.NewReader(document))
	for range 2 {
		var ignored any
		if err := decoder.Decode(&ignored); err == io.EOF {
			return converted, nil
		} else if err != nil {
			return nil, err
		}
	}
	return nil, errors.New("there is more after its end: put --- between documents")
}

// plainYAML puts an error of the YAML parser on one line, without the parser's name, and says what to do.
func plainYAML(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if repeated, ok := strings.CutPrefix(text, "unmarshal errors:\n  "); ok {
		return errors.New(strings.ReplaceAll(repeated, "\n  ", "; ") + "; keep one")
	}
	return fmt.Errorf("it is not YAML: %s; correct that line or one beside it", text)
}

// lineAt returns the line, from 1, of a position in the data.
func lineAt(data []byte, at int64) int {
	at = max(0, min(at, int64(len(data))))
	return 1 + bytes.Count(data[:at], []byte("\n"))
}

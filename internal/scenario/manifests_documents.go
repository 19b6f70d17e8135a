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
	for {
		start := decoder.InputOffset()
		start += int64(len(data[start:]) - len(bytes.TrimLeft(data[start:], " \t\r\n")))
		source := Source{File: file, Document: len(documents) + 1, Line: lineAt(data, start)}
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
	var documents []document
	var errs []*Error
	rest := bytes.NewReader(data)
	buffered := bufio.NewReader(rest)
	reader := utilyaml.NewYAMLReader(buffered)
	for start := 0; ; {
		raw, err := reader.Read()
		end := len(data) - rest.Len() - buffered.Buffered()
		source := Source{File: file, Document: len(documents) + len(errs) + 1}
		source.Line = lineAt(data, int64(start)) + leadingLines(string(data[start:end]))
		if err == io.EOF {
			return documents, errs
		}
		if err == nil {
			if d, ok := listYAML(raw, source); ok {
				documents = append(documents, d)
				start = end
				continue
			}
			var converted []byte
			// The parser counts lines, so those before the document are replaced by empty ones.
			body := dropLines(raw, leadingLines(string(raw)))
			converted, err = toJSON(append(bytes.Repeat([]byte("\n"), source.Line-1), body...))
			if err == nil && string(converted) != "null" {
				documents = append(documents, document{source: source, raw: raw, json: converted})
			}
		}
		if err != nil {
			errs = append(errs, &Error{Source: source, Err: plainYAML(err)})
		}
		start = end
	}
}

// listYAML reads a document that is a list item by item, several at a time. It is false where the document is none, or
// where something is wrong with it, which is said when it is read as a whole.
func listYAML(raw []byte, source Source) (document, bool) {
	text, items, ok := cutYAML(raw)
	if !ok {
		return document{}, false
	}
	wrapper, err := toJSON(text)
	var head header
	if err != nil || json.Unmarshal(wrapper, &head) != nil || !strings.HasSuffix(head.Kind, "List") {
		return document{}, false
	}
	d := document{source: source, raw: wrapper, json: wrapper, items: make([]json.RawMessage, len(items))}
	failed := make([]bool, len(items))
	workqueue.ParallelizeUntil(context.Background(), runtime.GOMAXPROCS(0), len(items), func(i int) {
		converted, err := yaml.YAMLToJSONStrict(items[i])
		d.items[i], failed[i] = converted, err != nil
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

// leadingLines counts the lines before the first that says something.
func leadingLines(text string) int {
	return max(0, slices.IndexFunc(strings.Split(text, "\n"), func(line string) bool { return !blank(line) }))
}

// blank tells that a line of YAML is empty, a comment, or a separator.
func blank(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "---")
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

package scenario

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	goyaml "go.yaml.in/yaml/v2"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// document is one document of a file.
type document struct {
	source Source
	// raw is the document as it was written, json the same in JSON.
	raw, json []byte
}

// open reads every file that the paths name, and gives their documents.
func (r *reading) open(paths []string, stdin io.Reader) []document {
	if len(paths) == 0 {
		r.fail(Source{}, "", "", errors.New("no manifests: name a file, a directory, or - for standard input"))
	}
	var documents []document
	for _, path := range paths {
		for _, file := range r.filesAt(path) {
			r.files = append(r.files, file)
			data, err := readFile(file, stdin)
			if err != nil {
				r.failFile(file, err)
				continue
			}
			if isUTF16(data) {
				r.fail(Source{File: file}, "", "", errors.New("it is in UTF-16, as Windows PowerShell writes: write "+
					"it anew in UTF-8, such as with | "+"Out-File -Encoding utf8"))
				continue
			}
			found, errs := split(file, data)
			if len(found)+len(errs) == 0 {
				r.fail(Source{File: file}, "", "", errors.New("it is empty: give it an object, or leave it out"))
			}
			documents = append(documents, found...)
			r.errs = append(r.errs, errs...)
		}
	}
	return documents
}

// filesAt returns the files that a path stands for.
func (r *reading) filesAt(path string) []string {
	if path == "-" {
		return []string{path}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return []string{path} // not a directory; if it is no file either, reading it says so
	}
	var files []string
	for _, entry := range entries {
		switch filepath.Ext(entry.Name()) {
		case ".json", ".yaml", ".yml":
			if !entry.IsDir() {
				files = append(files, filepath.Join(path, entry.Name()))
			}
		}
	}
	if len(files) == 0 {
		r.files = append(r.files, path)
		r.fail(Source{File: path}, "", "", errors.New("the directory has no files *.json, *.yaml or *.yml "+
			"(subdirectories are not read): name the files or "+"the directory that has them"))
	}
	return files
}

// isUTF16 tells by the byte order mark.
func isUTF16(data []byte) bool {
	return bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff})
}

func readFile(file string, stdin io.Reader) ([]byte, error) {
	if file != "-" {
		return os.ReadFile(file)
	}
	if stdin == nil {
		return nil, errors.New("there is none")
	}
	return io.ReadAll(stdin)
}

func (r *reading) failFile(file string, err error) {
	if path := (*fs.PathError)(nil); errors.As(err, &path) {
		err = path.Err // the path is said already
	}
	r.fail(Source{File: file}, "", "",
		fmt.Errorf("cannot read it: %w; name a readable file, a directory, or - for standard input", err))
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

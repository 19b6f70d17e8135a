package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	strictjson "sigs.k8s.io/json"
)

// A theme is one file, called after it. It begins with an object that says what the theme is about, where it comes in
// the order of exploration, and its bounds; the manifests after that are the templates from which clusters are drawn.
// So a theme is added by adding a file. docs/themes.md lists the fields.

// themeSection is such an object, with the manifests that follow it.
type themeSection[S any] struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        ObjectMeta `json:"metadata"`
	Spec            S          `json:"spec"`

	source    Source
	at        *positions
	manifests []document
}

// fail returns what is wrong with a field.
func (s *themeSection[S]) fail(field, format string, args ...any) error {
	source := s.source
	source.FieldLine = s.at.at(field)
	return &Error{Source: source, Object: describe(s.Kind, "", s.Metadata.Name), Field: field,
		Err: fmt.Errorf(format, args...)}
}

// read reads the manifests, and those of further sections, and tells what the release of Kubernetes does not admit.
func (s *themeSection[S]) read(admit Admission, more ...*themeSection[S]) (*Manifests, []string, error) {
	documents, strength := slices.Clone(s.manifests), pairs
	for _, other := range more {
		documents, strength = append(documents, other.manifests...), triples
	}
	documents, err := combined(documents, strength)
	if err != nil {
		return nil, nil, err
	}
	return readAdmitted(s.source.File, documents, admit)
}

// readTheme takes the file of a theme apart into its sections, each of which begins with an object of the kind.
func readTheme[S any](file string, data []byte, kind string) ([]*themeSection[S], error) {
	documents, wrong := split(file, data)
	var errs []error
	for _, err := range wrong {
		errs = append(errs, err)
	}
	var sections []*themeSection[S]
	for _, d := range documents {
		var head header
		// what is no object is said when the manifests are read
		_ = json.Unmarshal(d.json, &head)
		switch {
		case head.Kind == kind:
			section, err := decodeSection[S](d)
			errs = append(errs, err)
			sections = append(sections, section)
		case len(sections) == 0:
			return nil, errors.Join(append(errs, &Error{Source: d.source, Object: head.name(),
				Err: fmt.Errorf("a theme begins with an object of kind %s: put it before", kind)})...)
		default:
			last := sections[len(sections)-1]
			last.manifests = append(last.manifests, d)
		}
	}
	if len(documents)+len(errs) == 0 {
		errs = append(errs, &Error{Source: Source{File: file}, Err: errors.New("it is empty: give it a theme")})
	}
	return sections, errors.Join(errs...)
}

// decodeSection decodes the object that a section begins with, which is called after the file.
func decodeSection[S any](d document) (*themeSection[S], error) {
	s, err := decodeObject[S](d)
	name := strings.TrimSuffix(path.Base(d.source.File), ".yaml")
	if err == nil && s.Metadata.Name != name {
		err = s.fail("metadata.name", "it is %q: use %s, as the file is called", s.Metadata.Name, name)
	}
	return s, err
}

// decodeObject decodes an object of a theme's own kinds.
func decodeObject[S any](d document) (*themeSection[S], error) {
	s := &themeSection[S]{source: d.source, at: positionsOf(d)}
	strict, err := strictjson.UnmarshalStrict(d.json, s)
	var errs []error
	for _, err := range strict {
		wrong := plainStrict(err)
		errs = append(errs, s.fail(wrong.path, "%w", wrong.err))
	}
	switch {
	case err != nil:
		decode := func(data []byte) ([]error, error) { return strictjson.UnmarshalStrict(data, &themeSection[S]{}) }
		var whole map[string]any
		_ = json.Unmarshal(d.json, &whole) // it was read as one before
		for _, wrong := range blameBy(whole, decode) {
			errs = append(errs, s.fail(wrong.path, "%w", wrong.err))
		}
	case s.APIVersion != scenarioVersion:
		errs = append(errs, s.fail("apiVersion", "%q of this kind is not read: use %s", s.APIVersion, scenarioVersion))
	}
	return s, errors.Join(errs...)
}

// readThemes reads every theme of a directory, and sorts them by their place in the order of exploration, which no two
// of them share.
func readThemes[T any](dir fs.FS, read func(file string, data []byte) (T, error), order func(T) (int, string)) ([]T,
	error) {
	files, err := fs.Glob(dir, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("the files of the themes: %w", err)
	}
	var all []T
	var errs []error
	for _, file := range files {
		data, err := fs.ReadFile(dir, file)
		if err == nil {
			var theme T
			theme, err = read(file, data)
			all = append(all, theme)
		}
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b T) int {
		x, first := order(a)
		y, second := order(b)
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		if first != second {
			errs = append(errs, fmt.Errorf("themes %s and %s both have order %d: give each its own",
				min(first, second), max(first, second), x))
		}
		return cmp.Compare(first, second)
	})
	return all, errors.Join(errs...)
}

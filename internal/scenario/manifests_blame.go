package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// fieldError is what is wrong with a field.
type fieldError struct {
	path string
	err  error
}

// decodeStrict decodes an object. It returns what strictness has against its fields, and what is wrong with each
// field that cannot be decoded; then there is no object.
func decodeStrict(data []byte, is metav1.TypeMeta) (decoded runtime.Object, strict, errs []fieldError) {
	decoded, against, err := decodeJSON(data, is)
	for _, err := range against {
		strict = append(strict, plainStrict(err))
	}
	if err == nil {
		return decoded, strict, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var whole map[string]any
	if decodeErr := decoder.Decode(&whole); decodeErr != nil {
		return nil, strict, []fieldError{{"", plainJSON(err)}}
	}
	if errs = blame(whole, is); len(errs) == 0 {
		errs = []fieldError{{"", plainJSON(err)}}
	}
	return nil, strict, errs
}

// blame finds the fields of an object that cannot be decoded, each on its own. Kubernetes' decoders stop at the first,
// and name neither the field nor the value where it is a quantity or a time.
func blame(whole map[string]any, is metav1.TypeMeta) []fieldError {
	return blameBy(whole, func(data []byte) ([]error, error) {
		_, strict, err := decodeJSON(data, is)
		return strict, err
	})
}

// blameBy is blame, with the decoder.
func blameBy(whole map[string]any, decode func([]byte) ([]error, error)) []fieldError {
	alone := func(key string, value any) any {
		return map[string]any{"apiVersion": whole["apiVersion"], "kind": whole["kind"], key: value}
	}
	var errs []fieldError
	for _, key := range slices.Sorted(maps.Keys(whole)) {
		errs = append(
			errs,
			blameWithin(whole[key], field.NewPath(key), decode, func(value any) any { return alone(key, value) })...)
	}
	return errs
}

// blameWithin finds the fields within a value that cannot be decoded. Object gives an
// object that has nothing but the value, in its place.
func blameWithin(value any, path *field.Path, decode func([]byte) ([]error, error), object func(any) any) []fieldError {
	err := decodeAlone(object(value), decode)
	if err == nil {
		return nil
	}
	takes := func(value any) bool { return decodeAlone(object(value), decode) == nil }
	var errs []fieldError
	switch value := value.(type) {
	case map[string]any:
		if !takes(map[string]any{}) {
			break // no object belongs here, whatever is in it
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			errs = append(errs, blameWithin(value[key], child(path, key), decode,
				func(v any) any { return object(map[string]any{key: v}) })...)
		}
	case []any:
		if !takes([]any{}) {
			break
		}
		for i := range value {
			errs = append(errs, blameWithin(value[i], path.Index(i), decode,
				func(v any) any { return object([]any{v}) })...)
		}
	}
	if len(errs) > 0 {
		return errs
	}
	return []fieldError{{path.String(), unreadable(value, err, takes)}}
}

func decodeAlone(object any, decode func([]byte) ([]error, error)) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = decode(data)
	return err
}

// child returns the path of a field, or of an entry of a map whose key would not pass for a field.
func child(path *field.Path, key string) *field.Path {
	if strings.ContainsAny(key, "./-") {
		return path.Key(key)
	}
	return path.Child(key)
}

// unreadable says what is wrong with the value of a field, which takes some values and not this one.
func unreadable(value any, err error, takes func(any) bool) error {
	text := plainJSON(err).Error()
	quoted, marshalErr := json.Marshal(value)
	if marshalErr != nil {
		return errors.New(text)
	}
	for _, wrong := range []error{resource.ErrFormatWrong, resource.ErrNumeric, resource.ErrSuffix} {
		if strings.Contains(text, wrong.Error()) {
			return fmt.Errorf("%s is not a quantity; write one such as 2, 500m or 1Gi", quoted)
		}
	}
	if types := wrongType().FindStringSubmatch(text); types != nil {
		return fmt.Errorf("it is of type %s; give it one of type %s%s", types[1], typeInWords(types[2], takes),
			unquoted(types[1], types[2]))
	}
	return fmt.Errorf("%s cannot be read: %s", quoted, text)
}

// typeInWords returns the type of a field as a reader of YAML would call it: types of Go that have names of their
// own mean nothing to them.
func typeInWords(goType string, takes func(any) bool) string {
	switch {
	case goType == "int32" && takes("25%"):
		return "int32, or a string such as \"25%\""
	case goType == "int32":
		return fmt.Sprintf("int32, a whole number from %d to %d", math.MinInt32, math.MaxInt32)
	case goType == "int64":
		return "int64, a whole number"
	}
	if !strings.ContainsAny(goType, ".[") {
		return goType
	}
	for _, is := range []struct {
		value any
		name  string
	}{{map[string]any{}, "object"}, {[]any{}, "list"}, {"", "string"}} {
		if takes(is.value) {
			return is.name
		}
	}
	return goType
}

// unquoted hints at what YAML makes of words that look like truth values or numbers.
func unquoted(is, wanted string) string {
	switch {
	case wanted == "string" && is == "bool":
		return `, such as "yes": without quotes, YAML takes y, n, yes, no, on, off, true and false for truth values`
	case wanted == "string" && is == "number":
		return ": put it in quotes"
	}
	return ""
}

// wrongType matches how a JSON decoder puts that a value has the wrong type.
func wrongType() *regexp.Regexp {
	return regexp.MustCompile(`^cannot unmarshal (\S+).* into Go .*?(?:of type )(\S+)$`)
}

// plainJSON takes the decoder's name off its error.
func plainJSON(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "json: "))
}

// plainStrict says what a strict decoder has against a field, and what to do about it.
func plainStrict(err error) fieldError {
	for _, wrong := range []struct{ says, advice string }{
		{"unknown field", "unknown field; correct its name or its place, or take it out"},
		{"duplicate field", "repeated field; keep one"},
	} {
		if quoted, ok := strings.CutPrefix(err.Error(), wrong.says+" "); ok {
			if path, unquoteErr := strconv.Unquote(quoted); unquoteErr == nil {
				return fieldError{path, errors.New(wrong.advice)}
			}
		}
	}
	return fieldError{"", plainJSON(err)}
}

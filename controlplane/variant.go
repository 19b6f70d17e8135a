package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// variants are what testdata/confirmations has of a deviation besides its smallest cluster.
type variants struct {
	// Conclusive makes the smallest cluster one in which kube-scheduler cannot but tell by what it does; nil if it is
	// one.
	Conclusive *variant `json:"conclusive"`
	// Control makes of that the cluster beside it, in which nothing is wrong.
	Control *variant `json:"control"`
	// doc are the lines of the comment of the smallest cluster.
	doc []string
}

// variant is a cluster that differs from another in some objects.
type variant struct {
	// Says is what differs.
	Says string `json:"says"`
	// Objects are merged into those of the same kind, namespace and name, as a JSON merge patch is, or added. One with
	// "$patch: delete" is taken out.
	Objects []map[string]any `json:"objects"`
}

// variantsFile is the path, from the root of the repository.
func variantsFile(deviation string) string {
	return filepath.Join("testdata/confirmations", deviation+".yaml")
}

// variantsOf reads the variants of a deviation; none if it has no file.
func variantsOf(sources, deviation string) (*variants, error) {
	v := &variants{}
	text, err := os.ReadFile(filepath.Join(sources, variantsFile(deviation)))
	if errors.Is(err, fs.ErrNotExist) {
		return v, nil
	}
	if err == nil {
		err = yaml.UnmarshalStrict(text, v)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", variantsFile(deviation), err)
	}
	return v, nil
}

// of returns the manifests with the variant's changes; v may be nil.
func (v *variant) of(manifests []byte) ([]byte, error) {
	if v == nil {
		return manifests, nil
	}
	objects, err := documents(manifests)
	if err != nil {
		return nil, err
	}
	for _, change := range v.Objects {
		at := -1
		for i, object := range objects {
			if identity(object) == identity(change) {
				at = i
			}
		}
		gone := change["$patch"] == "delete"
		switch {
		case gone && at < 0:
			return nil, fmt.Errorf("there is no %s that could be taken out", identity(change))
		case gone:
			objects = append(objects[:at:at], objects[at+1:]...)
		case at < 0:
			objects = append(objects, change)
		default:
			objects[at] = merged(objects[at], change)
		}
	}
	var text bytes.Buffer
	for _, object := range objects {
		document, err := yaml.Marshal(object)
		if err != nil {
			return nil, err
		}
		text.WriteString("---\n")
		text.Write(document)
	}
	return text.Bytes(), nil
}

// documents decodes manifests.
func documents(manifests []byte) ([]map[string]any, error) {
	var objects []map[string]any
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(manifests)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		var object map[string]any
		if err := yaml.Unmarshal(document, &object); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// identity is the kind, namespace and name of an object.
func identity(object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any) // a configuration has none
	namespace, named := metadata["namespace"]
	if !named {
		namespace = ""
	}
	return fmt.Sprint(object["kind"], " ", namespace, "/", metadata["name"])
}

// merged is a JSON merge patch (RFC 7386): maps are merged, null takes a field out, all else takes the place of what
// was there.
func merged(object, change map[string]any) map[string]any {
	result := map[string]any{}
	for field, value := range object {
		result[field] = value
	}
	for field, value := range change {
		was, isMap := result[field].(map[string]any)
		into, mapped := value.(map[string]any)
		switch {
		case value == nil:
			delete(result, field)
		case mapped && isMap:
			result[field] = merged(was, into)
		case mapped:
			result[field] = merged(nil, into)
		default:
			result[field] = value
		}
	}
	return result
}

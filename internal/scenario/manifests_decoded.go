package scenario

import (
	"bytes"
	"context"
	goruntime "runtime"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/util/workqueue"
	strictjson "sigs.k8s.io/json"
)

// decoded is a document with the object that it is.
type decoded struct {
	document
	head header
	// headErr: it is no object at all.
	headErr error
	kind    manifestKind
	kindErr error
	object  runtime.Object
	// strict is what strictness has against the object, and errs what keeps it from being decoded.
	strict, errs []fieldError
}

// configures reports whether it is the scheduler's configuration, which is kept for others to decode.
func (d *decoded) configures() bool {
	version, err := schema.ParseGroupVersion(d.head.APIVersion)
	return err == nil && d.head.Kind == schedulerConfiguration && version.Group == "kubescheduler.config.k8s.io"
}

// decodeAll decodes documents, several at a time.
func decodeAll(documents []document) []decoded {
	all := make([]decoded, len(documents))
	workqueue.ParallelizeUntil(context.Background(), goruntime.GOMAXPROCS(0), len(documents), func(i int) {
		all[i] = decodeOne(documents[i])
	}, workqueue.WithChunkSize(64))
	return all
}

// decodeOne decodes one document as far as it is of a kind that is read.
func decodeOne(d document) decoded {
	result := decoded{document: d}
	data := withoutManagedFields(d.json)
	if plain, ok := decodePlain(data); ok {
		plain.document = document{source: d.source} // the text is large, and not needed any more
		return plain
	}
	err := strictjson.UnmarshalCaseSensitivePreserveInts(beginning(data), &result.head)
	if err != nil && result.head.Kind == "" {
		result.headErr = err
		return result
	}
	result.kind, result.kindErr = kindOf(result.head)
	if result.kind.kind != "" && result.kindErr == nil {
		result.object, result.strict, result.errs = decodeStrict(data, result.head.typeMeta())
	}
	if result.object != nil {
		result.json, result.raw = nil, nil
	}
	return result
}

// decodePlain decodes an object in one go if nothing keeps it from being decoded; then its metadata say what its header
// would.
func decodePlain(data []byte) (result decoded, ok bool) {
	fields, ok := jsonFields(data, 0)
	if !ok {
		return result, false
	}
	var known [2]bool
	result.head.APIVersion, known[0] = plainString(fields["apiVersion"].of(data))
	result.head.Kind, known[1] = plainString(fields["kind"].of(data))
	if result.kind, result.kindErr = kindOf(result.head); result.kindErr != nil || result.kind.kind == "" ||
		known != [2]bool{true, true} {
		return result, false
	}
	object, against, err := decodeJSON(data, result.head.typeMeta())
	if err != nil {
		return result, false
	}
	for _, err := range against {
		result.strict = append(result.strict, plainStrict(err))
	}
	result.object = object
	metadata := object.(metav1.Object)
	head := &result.head.Metadata
	head.Name, head.GenerateName = metadata.GetName(), metadata.GetGenerateName()
	head.Namespace, head.UID = metadata.GetNamespace(), string(metadata.GetUID())
	head.ResourceVersion = metadata.GetResourceVersion()
	if created := metadata.GetCreationTimestamp(); !created.IsZero() {
		head.CreationTimestamp = created.String()
	}
	return result, true
}

// plainString returns what a string in JSON says that has nothing escaped.
func plainString(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' || bytes.IndexByte(value, '\\') >= 0 {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

// decodeJSON decodes an object of a kind that is read. It returns what strictness has against it apart from
// what keeps it from being decoded.
func decodeJSON(data []byte, is metav1.TypeMeta) (decoded runtime.Object, strict []error, err error) {
	decoded, err = scheme.Scheme.New(is.GroupVersionKind())
	if err != nil {
		return nil, nil, err
	}
	if strict, err = strictjson.UnmarshalStrict(data, decoded); err != nil {
		return nil, strict, err
	}
	return decoded, strict, nil
}

package scenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
	strictjson "sigs.k8s.io/json"
)

// object is an object that was read, with its place.
type object struct {
	metav1.Object
	kind   string
	source Source
	// stored: it has been in a cluster, which gave it a uid.
	stored bool
	// madeOf is the workload whose controller would have made it; nil if it was read.
	madeOf *object
	// like: it is not there, but is what a further pod of its workload would be like.
	like bool
	// field is where the template is that it was made of; empty if it was read.
	field string
	// number is the index of the source among the pods of a Scenario.
	number int
	// quiet: others like it were noted already.
	quiet bool
}

// root is the object that was read: itself, or the workload that it was made of.
func (o object) root() object {
	for o.madeOf != nil {
		o = *o.madeOf
	}
	return o
}

// String names the object in messages.
func (o object) String() string { return describe(o.kind, o.GetNamespace(), o.GetName()) }

func describe(kind, namespace, name string) string {
	switch {
	case name == "":
		return kind + " without a name"
	case namespace == "":
		return kind + " " + name
	}
	return kind + " " + namespace + "/" + name
}

// manifestKind is a kind of object that is read.
type manifestKind struct {
	kind, apiVersion string
	namespaced       bool
}

func manifestKinds() []manifestKind {
	return []manifestKind{
		{"CSINode", "storage.k8s.io/v1", false},
		{"CronJob", "batch/v1", true},
		{"DaemonSet", "apps/v1", true},
		{"Deployment", "apps/v1", true},
		{"Job", "batch/v1", true},
		{"Namespace", "v1", false},
		{"Node", "v1", false},
		{"PersistentVolume", "v1", false},
		{"PersistentVolumeClaim", "v1", true},
		{"Pod", "v1", true},
		{"PodDisruptionBudget", "policy/v1", true},
		{"PriorityClass", "scheduling.k8s.io/v1", false},
		{"ReplicaSet", "apps/v1", true},
		{"ReplicationController", "v1", true},
		{"Service", "v1", true},
		{"StatefulSet", "apps/v1", true},
		{"StorageClass", "storage.k8s.io/v1", false},
		{"VolumeAttachment", "storage.k8s.io/v1", false},
	}
}

const schedulerConfiguration = "KubeSchedulerConfiguration"

// Kinds names the kinds of object that Read reads, sorted.
func Kinds() []string {
	names := []string{schedulerConfiguration, scenarioKind}
	for _, k := range manifestKinds() {
		names = append(names, k.kind)
	}
	slices.Sort(names)
	return names
}

// header is what every object begins with.
type header struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
}

// name names the object in messages, as far as its header goes.
func (h header) name() string {
	if h.Kind == "" || h.Kind == schedulerConfiguration {
		return h.Kind
	}
	return describe(h.Kind, h.Metadata.Namespace, h.Metadata.Name)
}

// decode returns the objects of the documents, and checks that each is there once.
func (r *reading) decode(documents []document) []object {
	var objects []object
	decode := func(documents []document) {
		for _, item := range r.items(documents) {
			if o, ok := r.decodeItem(item); ok {
				objects = append(objects, o)
			}
		}
	}
	decode(documents)
	if w := r.scenario; w != nil {
		decode(w.documents(r))
		objects = append(objects, w.objects()...)
	}
	r.checkDuplicates(objects)
	return objects
}

// items takes lists apart, such as kubectl get prints: a List, whose items state their kinds, or a
// list of one kind, whose items need not.
func (r *reading) items(documents []document) []document {
	var items []document
	for _, d := range documents {
		var head header
		// a document that is no object is said when it is decoded
		_ = strictjson.UnmarshalCaseSensitivePreserveInts(d.json, &head)
		kind, isList := strings.CutSuffix(head.Kind, "List")
		if !isList || (kind != "" && !slices.Contains(Kinds(), kind)) {
			items = append(items, d)
			continue
		}
		var list struct {
			metav1.TypeMeta `json:",inline"`
			metav1.ListMeta `json:"metadata"`
			Items           []json.RawMessage `json:"items"`
		}
		strict, err := strictjson.UnmarshalStrict(d.json, &list)
		for _, err := range strict {
			wrong := plainStrict(err)
			r.fail(d.source, head.Kind, wrong.path, wrong.err)
		}
		if err != nil {
			r.fail(d.source, head.Kind, "",
				fmt.Errorf("%w; a list has metadata, an object, and items, a list of objects", plainJSON(err)))
		}
		for i, raw := range list.Items {
			source := d.source
			source.Item = i + 1
			if kind != "" {
				raw = withKind(raw, head.APIVersion, kind)
			}
			items = append(items, document{source: source, raw: raw, json: raw})
		}
	}
	return items
}

// withKind states the kind of an item that leaves it to its list. It goes in as text: taking the item apart would lose
// fields that are repeated, which are to be found later.
func withKind(raw json.RawMessage, apiVersion, kind string) json.RawMessage {
	var item map[string]json.RawMessage
	if json.Unmarshal(raw, &item) != nil || item == nil || item["kind"] != nil || item["apiVersion"] != nil {
		return raw
	}
	stated, err := json.Marshal(metav1.TypeMeta{APIVersion: apiVersion, Kind: kind})
	if err != nil {
		panic(fmt.Sprintf("two strings are not JSON: %v", err))
	}
	if len(item) == 0 {
		return stated
	}
	stated = append(bytes.TrimSuffix(stated, []byte("}")), ',')
	return append(stated, bytes.TrimPrefix(bytes.TrimSpace(raw), []byte("{"))...)
}

// decodeItem decodes one object, or keeps the scheduler's configuration for others to decode.
func (r *reading) decodeItem(d document) (object, bool) {
	var head header
	if err := strictjson.UnmarshalCaseSensitivePreserveInts(d.json, &head); err != nil && head.Kind == "" {
		r.fail(d.source, "", "",
			errors.New("it is not an object: an object has the fields apiVersion, kind and metadata"))
		return object{}, false
	}
	if head.Kind == scenarioKind && strings.HasPrefix(head.APIVersion, scenarioGroup+"/") {
		r.scenarioOf(d, head)
		return object{}, false
	}
	if r.unread(d, head) {
		return object{}, false
	}
	kind, err := kindOf(head)
	if kind.namespaced && head.Metadata.Namespace == "" {
		head.Metadata.Namespace = metav1.NamespaceDefault
	}
	name := head.name()
	if err != nil {
		r.fail(d.source, name, "", err)
		return object{}, false
	}
	if head.Kind == schedulerConfiguration {
		if r.config != nil {
			r.fail(d.source, name, "", fmt.Errorf("there is one already in %s; give one", r.config.source))
		}
		r.config = &d
		return object{}, false
	}
	decoded, errs := decodeStrict(d.json)
	if len(errs) == 0 && head.Metadata.Name == "" {
		errs = append(errs, fieldError{"metadata.name",
			errors.New("it is required: give the object a name (none is generated)")})
	}
	for _, err := range errs {
		r.fail(d.source, name, err.path, err.err)
	}
	if len(errs) > 0 {
		return object{}, false
	}
	decoded.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	o := object{Object: decoded.(metav1.Object), kind: head.Kind, source: d.source}
	o.stored = o.GetUID() != ""
	o.SetNamespace(head.Metadata.Namespace)
	o.SetManagedFields(nil)
	return o, true
}

// kindOf finds the kind that an object states.
func kindOf(head header) (manifestKind, error) {
	if head.Kind == "" || head.APIVersion == "" {
		return manifestKind{},
			fmt.Errorf("kind and apiVersion are required: state them, such as kind: Node, apiVersion: v1")
	}
	version, err := schema.ParseGroupVersion(head.APIVersion)
	if err == nil && head.Kind == schedulerConfiguration && version.Group == "kubescheduler.config.k8s.io" {
		return manifestKind{}, nil
	}
	for _, k := range manifestKinds() {
		if k.kind == head.Kind && k.apiVersion == head.APIVersion {
			return k, nil
		}
		if k.kind == head.Kind {
			return manifestKind{}, fmt.Errorf("apiVersion %q of this kind is not read: use %s", head.APIVersion,
				k.apiVersion)
		}
	}
	return manifestKind{}, misspelt(head)
}

// checkDuplicates finds objects that are the same by their names or by their uids.
func (r *reading) checkDuplicates(objects []object) {
	named := map[string]object{}
	uids := map[string]object{}
	for _, o := range objects {
		if first, twice := named[o.String()]; twice {
			r.fail(o.source, o.String(), "metadata.name", fmt.Errorf("the same object is in %s; keep one or rename one",
				first.source))
			continue
		}
		named[o.String()] = o
		uid := string(o.GetUID())
		if first, twice := uids[uid]; twice && uid != "" {
			r.fail(o.source, o.String(), "metadata.uid",
				fmt.Errorf("%q is also that of %s in %s; take it out of the one that is a copy", uid, first,
					first.source))
		}
		uids[uid] = o
	}
}

// decodeJSON decodes an object of a kind that is read. It returns what strictness has against it apart from
// what keeps it from being decoded.
func decodeJSON(data []byte) (decoded runtime.Object, strict []error, err error) {
	decoder := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
		serializer.SerializerOptions{Strict: true})
	decoded, _, err = decoder.Decode(data, nil, nil)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		return decoded, strict.Errors(), nil
	}
	return decoded, nil, err
}

package scenario

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// object is an object that was read, with its place.
type object struct {
	metav1.Object
	kind   string
	source Source
	// stored: it has been in a cluster, which gave it a uid.
	stored bool
	// live: an API server has admitted it, as it is.
	live bool
	// madeOf is the workload whose controller would have made it; nil if it was read.
	madeOf *object
	// like: it is not there, but is what a further pod of its workload would be like.
	like bool
	// field is where the template is that it was made of; empty if it was read.
	field string
	// number is the index of the source among the pods of a Scenario.
	number int
	// standIn: it is made, as others name it and it is not given.
	standIn bool
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

// key tells the object from all others.
func (o object) key() [3]string { return [3]string{o.kind, o.GetNamespace(), o.GetName()} }

func describe(kind, namespace, name string) string {
	kind, namespace, name = printable.Name(kind), printable.Name(namespace), printable.Name(name)
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
		{"CSIDriver", "storage.k8s.io/v1", false},
		{"CSINode", "storage.k8s.io/v1", false},
		{"CSIStorageCapacity", "storage.k8s.io/v1", true},
		{"CronJob", "batch/v1", true},
		{"DaemonSet", "apps/v1", true},
		{"Deployment", "apps/v1", true},
		{"DeviceClass", "resource.k8s.io/v1", false},
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
		{"ResourceClaim", "resource.k8s.io/v1", true},
		{"ResourceClaimTemplate", "resource.k8s.io/v1", true},
		{"ResourceSlice", "resource.k8s.io/v1", false},
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
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Items      json.RawMessage `json:"items"`
	Metadata   struct {
		Name              string `json:"name"`
		GenerateName      string `json:"generateName"`
		Namespace         string `json:"namespace"`
		UID               string `json:"uid"`
		ResourceVersion   string `json:"resourceVersion"`
		CreationTimestamp string `json:"creationTimestamp"`
	} `json:"metadata"`
}

// name names the object in messages, as far as its header goes.
func (h header) name() string {
	if h.Kind == "" || h.Kind == schedulerConfiguration {
		return h.Kind
	}
	return describe(h.Kind, h.Metadata.Namespace, cmp.Or(h.Metadata.Name, h.Metadata.GenerateName))
}

// live: an API server has admitted the object.
func (h header) live() bool {
	return h.Metadata.UID != "" && (h.Metadata.ResourceVersion != "" || h.Metadata.CreationTimestamp != "")
}

// typeMeta is what the header says of the kind.
func (h header) typeMeta() metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: h.APIVersion, Kind: h.Kind}
}

// decode returns the objects of the documents, each once.
func (r *reading) decode(documents []document) []object {
	var objects []object
	var configurations, scenarios []decoded
	decode := func(documents []document) {
		for _, d := range decodeAll(r.items(documents)) {
			if d.headErr == nil && d.head.Kind != "" {
				r.objects++
			}
			switch {
			case d.head.Kind == scenarioKind && strings.HasPrefix(d.head.APIVersion, scenarioGroup+"/"):
				scenarios = append(scenarios, d)
			case d.configures():
				configurations = append(configurations, d)
			default:
				if o, ok := r.object(d); ok {
					objects = append(objects, o)
				}
			}
		}
	}
	decode(documents)
	for _, d := range r.chosen(scenarios, "Scenario") {
		r.scenarioOf(d.document, d.head)
	}
	if w := r.scenario; w != nil {
		scenarios = nil
		decode(w.documents(r))
		for _, d := range scenarios {
			r.scenarioOf(d.document, d.head) // there is one already
		}
		objects = append(objects, w.objects()...)
	}
	for _, d := range r.chosen(configurations, schedulerConfiguration) {
		if r.config != nil {
			r.fail(d.source, d.head.name(), "", fmt.Errorf("there is one already in %s; give one", r.config.source))
			continue
		}
		r.config = &d.document
	}
	return r.once(objects)
}

// chosen returns those of the objects that settle something for the whole run which are meant: those whose files are
// named. Of those that were found in directories one alone is meant.
func (r *reading) chosen(all []decoded, kind string) []decoded {
	named := slices.DeleteFunc(slices.Clone(all), func(d decoded) bool { return r.found[d.source.File] })
	if len(named) == len(all) || len(all) == 1 {
		return all
	}
	for _, d := range all {
		switch {
		case !r.found[d.source.File]:
		case len(named) > 0:
			r.notes = append(r.notes, note{d.source, d.head.name(), "not used: another one is named"})
		default:
			r.leave(d.source, d.head.name(), "", fmt.Errorf("the directory has several of the kind %s, and one is "+
				"used: name its file with -f", kind))
		}
	}
	return named
}

// object returns the object of a document; it is false if there is none that is read.
func (r *reading) object(d decoded) (object, bool) {
	if r.found[d.source.File] && (d.headErr != nil || d.head.Kind == "" ||
		d.head.APIVersion == "" && !slices.Contains(Kinds(), d.head.Kind)) {
		r.withoutObject(d.source.File)
		return object{}, false
	}
	if d.headErr != nil {
		r.fail(d.source, "", "",
			errors.New("it is not an object: an object has the fields apiVersion, kind and metadata"))
		return object{}, false
	}
	if r.unread(d.document, d.head) {
		return object{}, false
	}
	head := d.head
	if d.kind.namespaced && head.Metadata.Namespace == "" {
		head.Metadata.Namespace = metav1.NamespaceDefault
	}
	name := head.name()
	if d.kindErr != nil {
		r.fail(d.source, name, "", d.kindErr)
		return object{}, false
	}
	errs := d.errs
	if !head.live() {
		errs = append(slices.Clone(d.strict), errs...)
	}
	if len(errs) == 0 && head.Metadata.Name == "" && head.Metadata.GenerateName == "" {
		errs = append(errs, fieldError{"metadata.name", errors.New("it is required: give the object a name")})
	}
	for _, err := range errs {
		if head.live() {
			r.leave(d.source, name, err.path, err.err)
			continue
		}
		r.fail(d.source, name, err.path, err.err)
	}
	if len(errs) > 0 {
		return object{}, false
	}
	d.object.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	o := object{Object: d.object.(metav1.Object), kind: head.Kind, source: d.source, live: head.live()}
	o.stored = o.GetUID() != ""
	if d.kind.namespaced {
		o.SetNamespace(head.Metadata.Namespace)
	} else {
		o.SetNamespace("")
	}
	o.SetManagedFields(nil)
	for _, err := range d.strict {
		if head.live() {
			r.note(o, "%s: %v; it is passed over, as an API server has admitted the object", indexes().ReplaceAllString(
				err.path, "[*]"), err.err)
		}
	}
	if d.kind.apiVersion != head.APIVersion {
		r.note(o, "apiVersion %s: read as %s; API servers no longer serve every version of old", head.APIVersion,
			d.kind.apiVersion)
	}
	return o, true
}

// indexes matches the indexes of lists in the path of a field.
func indexes() *regexp.Regexp { return anIndex }

var anIndex = regexp.MustCompile(`\[\d+\]`)

// kindOf finds the kind that an object states. A kind of nobody knows which group is none, and no error.
func kindOf(head header) (manifestKind, error) {
	if head.Kind == "" || head.APIVersion == "" {
		return manifestKind{},
			fmt.Errorf("kind and apiVersion are required: state them, such as kind: Node, apiVersion: v1")
	}
	version, err := schema.ParseGroupVersion(head.APIVersion)
	if err != nil {
		return manifestKind{}, fmt.Errorf("apiVersion %s is none: write GROUP/VERSION, such as apps/v1",
			printable.Value(head.APIVersion))
	}
	for _, k := range manifestKinds() {
		if k.kind != head.Kind {
			continue
		}
		if k.apiVersion == head.APIVersion {
			return k, nil
		}
		group, _ := schema.ParseGroupVersion(k.apiVersion)
		if group.Group != version.Group && version.Group != "extensions" {
			continue
		}
		if scheme.Scheme.Recognizes(version.WithKind(head.Kind)) {
			return k, nil // which converts it
		}
		return manifestKind{}, fmt.Errorf("apiVersion %q of this kind is not read: use %s", head.APIVersion,
			k.apiVersion)
	}
	return manifestKind{}, misspelt(head)
}

package scenario

import (
	"io"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Manifests are the objects of a cluster, read from the manifests a user has. They are complete as
// spec.Snapshot wants them: each is defaulted and admitted, is in a namespace if its kind
// has one, and has a uid; each bound pod has a start time.
//
// Within a kind, objects are in the order in which they were read.
type Manifests struct {
	Nodes []*v1.Node
	// Pods leaves out the pods that have finished (phase Succeeded or Failed): they hold nothing, and
	// schedulers do not see them. Notes tells of each.
	Pods []*v1.Pod
	// Namespaces has one for each namespace in which an object lives, given or not. The latter
	// come last, sorted by name.
	Namespaces             []*v1.Namespace
	PriorityClasses        []*schedulingv1.PriorityClass
	PodDisruptionBudgets   []*policyv1.PodDisruptionBudget
	PersistentVolumes      []*v1.PersistentVolume
	PersistentVolumeClaims []*v1.PersistentVolumeClaim
	StorageClasses         []*storagev1.StorageClass
	CSINodes               []*storagev1.CSINode
	VolumeAttachments      []*storagev1.VolumeAttachment
	Services               []*v1.Service
	ReplicationControllers []*v1.ReplicationController
	ReplicaSets            []*appsv1.ReplicaSet
	StatefulSets           []*appsv1.StatefulSet
	// Scenario says what is explored; nil if there is none.
	Scenario *Checked

	// Workloads are those of which further pods could be made, in the order in which they were read. The pods that
	// new ones want are among Pods.
	Workloads []Workload

	// SchedulerConfiguration is the KubeSchedulerConfiguration as it was written, in YAML or JSON,
	// neither decoded nor checked; nil if there is none.
	SchedulerConfiguration       []byte
	SchedulerConfigurationSource Source

	// Notes tell of what was read and will not matter, or matters in a way that its author may not
	// expect. One line each, in the order of reading.
	Notes []string

	sources map[metav1.Object]Source
}

// Admission does to the objects of one cluster what an API server does on their way in: it returns
// the admitted objects, of the same types and in the same order, and the errors of each.
// The package production/admission has one made of Kubernetes' own code.
type Admission func(objects []runtime.Object) ([]runtime.Object, []field.ErrorList)

// StartTime is the status.startTime of a bound pod that states none. The kubelet
// would state it; in its absence a scheduler that compares victims takes the time at which it is asked, which
// would make its decisions depend on the clock.
func StartTime() metav1.Time {
	return metav1.NewTime(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC))
}

// Read reads the manifests at the paths, in order. A path is a file, a directory, of which the files
// *.json, *.yaml and *.yml are read in the order of their names (not those of its subdirectories, as
// kubectl does it), or "-" for stdin.
//
// A file holds documents in YAML or JSON: objects of the kinds that Kinds names, or lists of them as
// kubectl get prints them. Objects that a live cluster holds, with status, uid and managed fields, are as
// welcome as those about to be created. Decoding is strict: unknown and repeated fields are errors.
//
// New workloads come with the pods that they want, as their controllers would make them. Objects of kinds that are
// not read are no error: Notes tells of each kind.
//
// The error joins one *Error per thing that is wrong, in the order of reading. First come those that keep
// objects from being read at all; only if there are none are the objects admitted and their references to each other
// checked, as otherwise one slip would be reported many times. On error there are no manifests.
//
// Without an admission (nil) objects are taken as they are written, neither defaulted nor validated.
func Read(paths []string, stdin io.Reader, admit Admission) (*Manifests, error) {
	r := &reading{}
	return r.read(r.open(paths, stdin), admit)
}

// Decode reads manifests that are at hand already, as Read does. Name stands for the file in messages.
func Decode(name string, data []byte, admit Admission) (*Manifests, error) {
	r := &reading{files: []string{name}}
	documents, errs := split(name, data)
	r.errs = errs
	return r.read(documents, admit)
}

// read goes on from the documents.
func (r *reading) read(documents []document, admit Admission) (*Manifests, error) {
	objects := r.decode(documents)
	if err := r.err(); err != nil {
		return nil, err
	}
	objects = r.admit(admit, r.withNamespaces(r.withoutFinished(objects)))
	objects = r.expand(admit, objects)
	if r.scenario != nil && len(r.errs) == 0 {
		objects = append(objects, r.scenario.refer(objects)...)
	}
	complete(objects)
	r.checkReferences(objects)
	if err := r.err(); err != nil {
		return nil, err
	}
	return r.manifests(objects), nil
}

// Snapshot returns the objects as a scheduler sees them. It shares them with the manifests.
func (m *Manifests) Snapshot() *spec.Snapshot {
	return &spec.Snapshot{
		Nodes:                  m.Nodes,
		Pods:                   m.Pods,
		Namespaces:             m.Namespaces,
		PodDisruptionBudgets:   m.PodDisruptionBudgets,
		PersistentVolumes:      m.PersistentVolumes,
		PersistentVolumeClaims: m.PersistentVolumeClaims,
		StorageClasses:         m.StorageClasses,
		CSINodes:               m.CSINodes,
		VolumeAttachments:      m.VolumeAttachments,
		Services:               m.Services,
		ReplicationControllers: m.ReplicationControllers,
		ReplicaSets:            m.ReplicaSets,
		StatefulSets:           m.StatefulSets,
	}
}

// Where tells where an object of the manifests was read. It is false for objects that were not read, such as a
// namespace that exists only because a pod lives in it.
func (m *Manifests) Where(object metav1.Object) (Source, bool) {
	source, ok := m.sources[object]
	return source, ok
}

package scenario

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
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
// Within a kind, objects are in the order in which they were first read.
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
	CSIDrivers             []*storagev1.CSIDriver
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity
	ResourceClaims         []*resourcev1.ResourceClaim
	ResourceClaimTemplates []*resourcev1.ResourceClaimTemplate
	ResourceSlices         []*resourcev1.ResourceSlice
	DeviceClasses          []*resourcev1.DeviceClass
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
	// SchedulerConfigurationFound: it was found in a directory, and nobody named its file.
	SchedulerConfigurationFound bool

	// PlainNodes is how many of the nodes stand in, as no Node was given.
	PlainNodes int

	// Notes tell of what was read and will not matter, or matters in a way that its author may not
	// expect. One line each, in the order of reading.
	Notes []string
	// NotRead are what could not be read and may matter, and why: with it, the cluster is not the whole one. They are in
	// the order of reading.
	NotRead []*Error
	// Counts says how much there was, and how much of it was read.
	Counts Counts

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

// read goes on from the documents.
func (r *reading) read(documents []document) (*Manifests, error) {
	objects := r.decode(documents)
	if err := r.err(); err != nil {
		return nil, err
	}
	objects = r.withPlainNodes(r.withoutFinished(objects))
	objects = r.admit(r.withPriorityClasses(r.withNamespaces(objects)))
	objects = r.expand(objects)
	if r.scenario != nil && len(r.errs) == 0 {
		objects = append(objects, r.scenario.refer(objects)...)
	}
	r.complete(objects)
	objects = r.checkReferences(objects)
	r.checkRead(objects)
	if err := r.err(); err != nil {
		return nil, err
	}
	return r.manifests(objects), nil
}

// Snapshot returns the objects as a scheduler sees them, at the latest moment that they tell of. It shares them with
// the manifests.
func (m *Manifests) Snapshot() *spec.Snapshot {
	s := &spec.Snapshot{
		Nodes:                  m.Nodes,
		Pods:                   m.Pods,
		Namespaces:             m.Namespaces,
		PodDisruptionBudgets:   m.PodDisruptionBudgets,
		PersistentVolumes:      m.PersistentVolumes,
		PersistentVolumeClaims: m.PersistentVolumeClaims,
		StorageClasses:         m.StorageClasses,
		CSINodes:               m.CSINodes,
		VolumeAttachments:      m.VolumeAttachments,
		CSIDrivers:             m.CSIDrivers,
		CSIStorageCapacities:   m.CSIStorageCapacities,
		ResourceClaims:         m.ResourceClaims,
		ResourceClaimTemplates: m.ResourceClaimTemplates,
		ResourceSlices:         m.ResourceSlices,
		DeviceClasses:          m.DeviceClasses,
		Services:               m.Services,
		ReplicationControllers: m.ReplicationControllers,
		ReplicaSets:            m.ReplicaSets,
		StatefulSets:           m.StatefulSets,
	}
	s.Now = spec.Moment(s)
	return s
}

// Where tells where an object of the manifests was read. It is false for objects that were not read, such as a
// namespace that exists only because a pod lives in it.
func (m *Manifests) Where(object metav1.Object) (Source, bool) {
	source, ok := m.sources[object]
	return source, ok
}

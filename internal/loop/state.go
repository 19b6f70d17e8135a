package loop

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// System is a scheduler that can be stepped. Between two actions it is idle: nothing of it runs.
type System interface {
	// Do takes one action, and returns when the system is idle again. The error says that the action is not possible in
	// this state, or that the system did something it cannot vouch for.
	Do(Action) (Step, error)
	// State returns the state the system is in.
	State() *State
	// Close ends what the system holds.
	Close()
}

// ErrPanicked is why a system that has panicked takes no action any more.
var ErrPanicked = errors.New("kube-scheduler has panicked")

// Step is what an action led to, besides the state after it.
type Step struct {
	// Popped is the pod that Schedule took off the queue, "ns/name"; empty for other actions.
	Popped string
	// Between is the state between a cycle and what happens meanwhile; nil if nothing does. Afterwards: the cycle was over
	// before it asked a plugin, and what was to happen meanwhile did after it.
	Between    *State
	Afterwards bool
	// PreBound is the pod of which the last plugin at PreBind was asked, "ns/name"; it is asked if it is to fail.
	PreBound string
	// Untold are the pods that the scheduler bound and told PostBind plugins nothing of, and those of which it told them
	// and which it did not bind, in order; nil if there is no such plugin.
	Untold []string
	// Errors are the errors that the scheduler reported on the way, in order.
	Errors []string
	// Backoffs is what is wrong with how long pods back off.
	Backoffs []string
	// Unheeded are events that would have had a pod tried again, by a hint, and which pod sleeps all the same.
	Unheeded []string
	// Oversleeps: the scheduler waits for a pod that it may take, and was not told that there is one.
	Oversleeps bool
	// Restless: the scheduler, which is about to end, does not wait for a pod although it has none to take.
	Restless bool
	// Tardy: the timers of the scheduler, which is about to end, did not move who had waited for long enough.
	Tardy bool
	// Unawaited are the kinds of object that the scheduler did not wait for as it began: pods are taken before all its
	// handlers know what there is.
	Unawaited []string
	// Remembered is how many events the queue keeps for pods in flight while there are none.
	Remembered int
	// Batched: the pod was put on a node that an equal pod left for it.
	Batched bool
	// Looks are the nodes that the search for feasible ones looked at, in that order; nil unless the scope is Sampled, or
	// if the node that was tried first is taken.
	Looks []Look
	// Panics are the panics of the scheduler on the way.
	Panics []string
	// Hints is what came of queueing hints, by their numbers, in that order.
	Hints []HintUse
}

// QueueName is a part of the scheduling queue.
type QueueName uint8

const (
	Active QueueName = iota
	BackingOff
	Unschedulable
	Gated
	InFlight
	// Binding: the pod's volumes are being bound, or its devices made ready. The queue is done with it, but for a failure.
	Binding
)

// String returns the words used in reports.
func (p QueueName) String() string {
	return [...]string{"active", "backoff", "unschedulable", "gated", "in flight", "binding"}[p]
}

// Beginning is the status of a pod as its cycle has it from when it began.
type Beginning struct {
	Pod string
	// Nominated is the node that the pod was nominated to; Otherwise: now it is another, or none.
	Nominated string
	Otherwise bool
	// Told is what the condition PodScheduled said; empty if there was none.
	Told string
}

// Queued is what the scheduler knows of a pod of its queue.
type Queued struct {
	Pod string
	// Queues are the parts of the queue in which the pod is; exactly one if all is well.
	Queues []QueueName
	// Rejectors are the plugins that rejected the pod; only events they registered for can wake it up.
	Rejectors []string
	// GatedBy is the plugin that keeps the pod out of the queue; only about its events is it asked again.
	GatedBy string
	// Penalty: the backoff of the pod would not be over yet.
	Penalty bool
	// Erred: the last attempt ended in an error, not in a rejection.
	Erred bool
	// Waits is set while the pod waits, on permit or (Volumes, Devices, Binds) for its volumes to be bound, its devices
	// to be ready, or its binding, which is under way to the API server, or, by its Fault, in a pre-bind plugin. Since
	// has the actions since it was taken of which the queue remembers events, for the case that the pod comes back.
	Waits   bool
	Volumes bool
	Devices bool
	Binds   bool
	Since   []string
	// Fault is what is still to go wrong with the binding of a pod that waits.
	Fault Fault
}

// In reports whether the pod is in that part of the queue.
func (q Queued) In(name QueueName) bool { return slices.Contains(q.Queues, name) }

// asleep reports whether nothing but an event or the flush brings the pod back to be tried: it was rejected, or kept
// out of the queue for want of a claim. Scheduling gates are another matter.
func (s *State) asleep(q Queued) bool {
	pod := s.heard(q.Pod)
	return q.In(Unschedulable) || q.In(Gated) && pod != nil && !spec.Gated(pod)
}

// Pair is a pod with a node.
type Pair struct{ Pod, Node string }

// Uses is a pod with a claim that it uses, "ns/name" each.
type Uses struct{ Pod, Claim string }

// Batch is what a cycle leaves for an equal pod in the next one (KEP-5598).
type Batch struct {
	// Signature is that of the pods that are equal, Chosen the node of the last of them, and Nodes the others that were
	// feasible, the best first.
	Signature, Chosen string
	Nodes             []string
	// Changed: others have changed the cluster since then, or a pod that waited on permit has given up its node.
	Changed bool
	// Scores says what is kept of the nodes besides their order; empty if nothing is.
	Scores string
}

// Reservation is an object as it was reserved. Under is the scheduler name of the profile that alone knows of that;
// empty if all do.
type Reservation struct {
	runtime.Object
	Under string
}

// ImageCount is what the next cycle has of an image of a node.
type ImageCount struct {
	spec.ImageCount
	// Kept: the cycle before had it so, and nothing has changed on the node since.
	Kept bool
}

// State is all that can be seen of an idle system.
type State struct {
	// API is what the API server has, each kind sorted by namespace and name.
	API *spec.Snapshot
	// Queue has the pods of the scheduling queue, in the order in which they would be retried if they were all of
	// one priority.
	Queue []Queued
	// Assumed are the pods that the cache has as assumed, with their nodes, and Nominated the nominations of the queue.
	Assumed, Nominated []Pair
	// Nowhere are pods that the queue has nominations of, to a node without name, which nobody asks for.
	Nowhere []string
	// AssumedAs are the assumed pods that the cache has otherwise than the API, as it has them.
	AssumedAs []*v1.Pod
	// Began is what was known of the status of pods when their cycles began, where a failure goes by that.
	Began []Beginning
	// Reserved are volumes, and claims of volumes and devices, as the scheduler has reserved them for pods whose binding
	// is under way, where the API has them otherwise.
	Reserved []Reservation
	// CountedTwice are the claims of devices, "ns/name", of which the plugin counts the capacity that they consume twice.
	CountedTwice []string
	// Cache is the scheduler's cache and Expected the cache it would have if it were built from the API and
	// Assumed, both in lines.
	Cache, Expected []string
	// Classes are the device classes that the scheduler has for extended resources; nil if none stands for any, as the
	// feature is off.
	Classes Classes
	// Batch is what the last cycle leaves for an equal pod in the next; nil if nothing.
	Batch *Batch
	// Signed are the signatures of queued pods that have one, by pod: by those they are taken for equal.
	Signed map[string]string
	// Images is what the next cycle has of images, by node and image, where it takes that over from the cycle before, or
	// where it is not what the node reports.
	Images []ImageCount
	// Miscounted are claims that the next cycle takes to be used by another number of pods than use them.
	Miscounted []ClaimCount
	// ListsAnew: nodes came or went since the last cycle, so that the next one lists anew which nodes there are and which
	// have pods with affinity, of which it otherwise notes what has changed.
	ListsAnew bool
	// InTurn are the nodes in the order in which searches looked at them for the last time, the oldest first, without
	// those that none has looked at; nil unless the scope is Sampled.
	InTurn []string
	// Kept are pods, "ns/name", of which the scheduler has one that is gone, beside or in the place of another one of that
	// name which it was told of, or in flight, or about to be bound if it was deleted while it was being tried; and such
	// as are in the queue for an earlier one of the name.
	Kept []string
	// LeftWaiting are the pods, "ns/name", that kube-scheduler has among those that wait on permit, although no cycle of
	// theirs does, with TakenFromWait if they were taken from that since.
	LeftWaiting []string
	// TakenForReserved are the claims for devices that binding cycles under way take for reserved for their pods, and the
	// API server had not any more as they began.
	TakenForReserved []Uses
	// Unheard are the writes that the scheduler has not heard of, the oldest first, and Told is what it has been told;
	// nil if that is all.
	Unheard []Unheard
	Told    *spec.Snapshot
	// Evictions are the preemptions whose evictions are under way, by their preemptors.
	Evictions []Eviction
	// Unwritten are statuses of pods that are under way to the API server, the oldest first.
	Unwritten []Unwritten
	// Panicked: the scheduler has panicked with this and cannot go on. Then only API is known.
	Panicked string
	// Texts are those of objects that the states of one system have in common; nil if nobody keeps them.
	Texts *Texts

	hash  hash   // zero until it is asked for
	tried string // see trying
}

// View returns the snapshot that the scheduler should decide by: the API's objects as it has been told of them, but
// assumed pods, and those that it has bound, are on their nodes, nominations that it has written are as it has them,
// and volumes and claims are as they are reserved.
func (s *State) View() *spec.Snapshot {
	told := s.told()
	view := *told
	view.Pods = nil
	for _, pod := range told.Pods {
		if pod.Spec.NodeName == "" {
			pod = s.known(pod)
		}
		view.Pods = append(view.Pods, pod)
	}
	view.PersistentVolumes = instead(told.PersistentVolumes, s.Reserved)
	view.PersistentVolumeClaims = instead(told.PersistentVolumeClaims, s.Reserved)
	view.ResourceClaims = instead(told.ResourceClaims, s.Reserved)
	return &view
}

// instead returns the objects, with those that are reserved in the place of the API's, and those that it does not have
// yet.
func instead[T interface {
	comparable
	runtime.Object
}](objects []T, reserved []Reservation) []T {
	objects = slices.Clone(objects)
	for _, r := range reserved {
		object, is := r.Object.(T)
		switch i := slices.IndexFunc(objects, func(o T) bool { return RefOf(o) == RefOf(r.Object) }); {
		case i >= 0:
			objects[i] = object
		case is:
			objects = append(objects, object)
		}
	}
	return objects
}

// AssumedOn returns the node on which the pod is assumed to be; empty if it is not assumed.
func (s *State) AssumedOn(pod string) string {
	for _, pair := range s.Assumed {
		if pair.Pod == pod {
			return pair.Node
		}
	}
	return ""
}

// Pod returns the pod of that key, as the API has it; nil if there is none.
func (s *State) Pod(key string) *v1.Pod { return in(s.API, key) }

// Queued returns what the queue knows of the pod; false if it does not know it.
func (s *State) Queued(key string) (Queued, bool) {
	for _, q := range s.Queue {
		if q.Pod == key {
			return q, true
		}
	}
	return Queued{}, false
}

// Poppable reports whether the queue has a pod to hand out: an active one, or else one that is backing off after a
// rejection.
func (s *State) Poppable() bool {
	return slices.ContainsFunc(
		s.Queue,
		func(q Queued) bool { return q.In(Active) || q.In(BackingOff) && len(q.Rejectors) > 0 },
	)
}

// Key returns "ns/name", or "name" for what is in no namespace.
func Key(object metav1.Object) string {
	return Ref{Namespace: object.GetNamespace(), Name: object.GetName()}.Key()
}

// Canonical returns the state as text, without what cannot matter to what happens next: versions and uids of
// objects, conditions that only people read. Two states of equal text are taken for the same.
func (s *State) Canonical() string {
	var text strings.Builder
	for _, object := range Objects(s.API) {
		text.WriteString(s.kept(object))
		text.WriteByte('\n')
	}
	for _, object := range s.Reserved {
		fmt.Fprintf(&text, "reserved %s%s\n", s.canonical(object.Object), object.Under)
	}
	for _, q := range s.Queue {
		fmt.Fprintf(&text, "queued %+v\n", q)
	}
	fmt.Fprintf(&text, "assumed %v nominated %v\n", s.Assumed, s.Nominated)
	for _, pod := range s.AssumedAs {
		fmt.Fprintf(&text, "assumed as %s\n", s.canonical(pod))
	}
	if len(s.Began) > 0 {
		fmt.Fprintf(&text, "cycles began with %+v\n", s.Began)
	}
	if s.Batch != nil {
		fmt.Fprintf(&text, "batch {Signature:%s Chosen:%s Nodes:%v Changed:%t}\n", s.Batch.Signature, s.Batch.Chosen,
			s.Batch.Nodes, s.Batch.Changed)
		if s.Batch.Scores != "" {
			fmt.Fprintf(&text, "kept scores %s\n", s.Batch.Scores)
		}
	}
	if len(s.Images) > 0 {
		fmt.Fprintf(&text, "images counted %v\n", s.Images)
	}
	if len(s.Miscounted) > 0 {
		fmt.Fprintf(&text, "claims counted %v\n", s.Miscounted)
	}
	if s.ListsAnew {
		text.WriteString("nodes are listed anew\n")
	}
	if len(s.InTurn) > 0 {
		fmt.Fprintf(&text, "in turn %v\n", s.InTurn)
	}
	if len(s.Kept) > 0 {
		fmt.Fprintf(&text, "of an earlier uid %v\n", s.Kept)
	}
	if len(s.LeftWaiting) > 0 {
		fmt.Fprintf(&text, "left waiting %v\n", s.LeftWaiting)
	}
	if len(s.TakenForReserved) > 0 {
		fmt.Fprintf(&text, "taken for reserved %v\n", s.TakenForReserved)
	}
	s.canonicalEvictions(&text)
	s.canonicalUnwritten(&text)
	s.canonicalUnheard(&text)
	if s.Panicked != "" {
		fmt.Fprintf(&text, "panicked %s\n", s.Panicked)
	}
	if !slices.Equal(s.Cache, s.Expected) {
		fmt.Fprintf(&text, "cache %q\n", s.Cache)
	}
	if len(s.CountedTwice) > 0 {
		fmt.Fprintf(&text, "counted twice %v\n", s.CountedTwice)
	}
	if s.forgetsClasses() {
		fmt.Fprintf(&text, "%d extended resources have classes\n", len(s.Classes))
		for _, name := range slices.Sorted(maps.Keys(s.Classes)) {
			fmt.Fprintf(&text, "class for %s: %s\n", name, s.canonical(s.Classes[name]))
		}
	}
	return text.String()
}

// Hash returns the hash of the canonical text.
func (s *State) Hash() [sha256.Size]byte {
	if s.hash == (hash{}) {
		s.hash = sha256.Sum256([]byte(s.Canonical()))
	}
	return s.hash
}

// Texts are canonical texts of objects that nobody changes.
type Texts struct{ of sync.Map }

// kept is canonical, from the texts where it is among them.
func (s *State) kept(object runtime.Object) string {
	if s.Texts == nil || dependsOnOthers(object) {
		return s.canonical(object)
	}
	if text, ok := s.Texts.of.Load(object); ok {
		return text.(string)
	}
	text := s.canonical(object)
	s.Texts.of.Store(object, text)
	return text
}

// dependsOnOthers reports whether the canonical text of the object does: it says whose the object is.
func dependsOnOthers(object runtime.Object) bool {
	switch object := object.(type) {
	case *v1.PersistentVolume, *resourcev1.ResourceClaim:
		return true
	case *v1.PersistentVolumeClaim:
		return len(object.OwnerReferences) > 0
	}
	return false
}

// canonical returns an object of the state. A volume's reference to a claim says whether that is the claim of that
// name, not its uid.
func (s *State) canonical(object runtime.Object) string {
	object = object.DeepCopyObject()
	if meta, ok := object.(metav1.Object); ok {
		meta.SetResourceVersion("")
		meta.SetGeneration(0)
		meta.SetUID("")
	}
	if pod, ok := object.(*v1.Pod); ok {
		pod.Status.Conditions = slices.DeleteFunc(pod.Status.Conditions, func(c v1.PodCondition) bool {
			return c.Type == v1.PodScheduled
		})
	}
	if volume, ok := object.(*v1.PersistentVolume); ok && volume.Spec.ClaimRef != nil {
		ref := volume.Spec.ClaimRef
		same := slices.ContainsFunc(s.API.PersistentVolumeClaims, func(claim *v1.PersistentVolumeClaim) bool {
			return claim.Namespace == ref.Namespace && claim.Name == ref.Name && claim.UID == ref.UID
		})
		ref.ResourceVersion, ref.UID = "", map[bool]types.UID{true: "", false: "that of another claim"}[same]
	}
	if claim, ok := object.(*v1.PersistentVolumeClaim); ok {
		s.withoutOwnerIDs(claim)
	}
	if claim, ok := object.(*resourcev1.ResourceClaim); ok {
		s.withoutIDs(claim)
	}
	data, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("an API object that is no JSON: %v", err)) // cannot be: it came from JSON
	}
	return fmt.Sprintf("%T %s", object, data)
}

// Objects returns the objects of a snapshot, nodes and what pods need first.
func Objects(s *spec.Snapshot) []runtime.Object {
	var objects []runtime.Object
	objects = append(objects, list(s.Namespaces)...)
	objects = append(objects, list(s.Nodes)...)
	objects = append(objects, list(s.StorageClasses)...)
	objects = append(objects, list(s.CSIDrivers)...)
	objects = append(objects, list(s.CSIStorageCapacities)...)
	objects = append(objects, list(s.CSINodes)...)
	objects = append(objects, list(s.PersistentVolumes)...)
	objects = append(objects, list(s.PersistentVolumeClaims)...)
	objects = append(objects, list(s.VolumeAttachments)...)
	objects = append(objects, list(s.DeviceClasses)...)
	objects = append(objects, list(s.ResourceSlices)...)
	objects = append(objects, list(s.ResourceClaimTemplates)...)
	objects = append(objects, list(s.ResourceClaims)...)
	objects = append(objects, list(s.PodDisruptionBudgets)...)
	objects = append(objects, list(s.Services)...)
	objects = append(objects, list(s.ReplicationControllers)...)
	objects = append(objects, list(s.ReplicaSets)...)
	objects = append(objects, list(s.StatefulSets)...)
	return append(objects, list(s.Pods)...)
}

func list[T runtime.Object](objects []T) []runtime.Object {
	var out []runtime.Object
	for _, object := range objects {
		out = append(out, object)
	}
	return out
}

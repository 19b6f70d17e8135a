package stepped

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/lru"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// epoch is when every run begins.
var epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)

// began is the epoch as it comes back from JSON.
func began() *metav1.Time { return &metav1.Time{Time: epoch.Local()} }

// api is the API server as far as a scheduler sees it: objects with versions, and a log of what changed that waits
// to be delivered. It stands behind a fake client, all of whose writes end here; one that it does not know is an
// error of the run, not a silent success.
type api struct {
	client *fake.Clientset

	mu      sync.Mutex
	version int64
	created map[loop.Ref]int
	// initial: the objects that are created are those to begin with.
	initial bool
	objects map[loop.Ref]runtime.Object
	log     []change
	// nodes are the names of all nodes that there ever were, or that pods were nominated to.
	nodes map[string]bool
	// resources are the extended resources that there ever was a device class for.
	resources map[v1.ResourceName]bool
	// fault is what is to go wrong with one of the next writes; NoFault if nothing is.
	fault loop.Fault
	// refusing: what is written of claims for devices is refused.
	refusing bool
	// refuseEviction makes the next deletion of a pod fail. patchFailed: a patch has failed.
	refuseEviction, patchFailed bool
	// puttingOff is the uid of the pod of which the next status is under way until an action, and underWay are these.
	puttingOff types.UID
	underWay   []underWay
	// late are the claims whose devices are not ready in time, by UID, with when they would have been allocated.
	late map[types.UID]metav1.Time
	// comesBack reports whether the scheduler writes the status of a pod whose cycle has failed.
	comesBack func(*v1.Pod) bool
	// tell has the scheduler hear of a change at once, out of turn.
	tell func(change) error
	// unknown are the calls that it has no answer to.
	unknown []string
	// bound are the pods that the scheduler has bound, "ns/name", since it was last asked about.
	bound []string
	// dead: the scheduler is, so none of its calls arrives.
	dead bool
}

// change is one entry of the log: old is nil for an addition, new for a removal.
type change struct {
	ref      loop.Ref
	old, new runtime.Object
	// nominates is the nomination with which a pod comes back from its cycle; nil if the change is another one.
	nominates *string
	// missed: the object was removed, or made anew, while the watch was broken.
	missed bool
}

func newAPI() *api {
	a := &api{client: &fake.Clientset{}, created: map[loop.Ref]int{}, objects: map[loop.Ref]runtime.Object{},
		nodes: map[string]bool{}, resources: map[v1.ResourceName]bool{}, late: map[types.UID]metav1.Time{}}
	a.client.AddReactor("create", "pods", a.reactTo(a.bindPod))
	a.client.AddReactor("patch", "pods", a.reactTo(a.patchPod))
	a.client.AddReactor("delete", "pods", a.reactTo(a.deletePod))
	a.client.AddReactor("update", "persistentvolumes", a.reactTo(a.updateVolume))
	a.client.AddReactor("update", "persistentvolumeclaims", a.reactTo(a.updateVolume))
	a.client.AddReactor("update", "resourceclaims", a.reactTo(a.updateClaim))
	a.client.AddReactor("patch", "resourceclaims", a.reactTo(a.patchClaim))
	a.client.AddReactor("get", "resourceclaims", a.reactTo(a.getClaim))
	a.client.AddReactor("create", "resourceclaims", a.reactTo(a.createClaim))
	a.client.AddReactor("delete", "resourceclaims", a.reactTo(a.deleteClaim))
	a.client.AddReactor("*", "*", a.reactTo(func(action clienttesting.Action) (runtime.Object, error) {
		call := strings.Trim(action.GetVerb()+" "+action.GetResource().Resource+"/"+action.GetSubresource(), "/")
		a.unknown = append(a.unknown, call)
		return nil, fmt.Errorf("the in-memory API has no answer to %s", call)
	}))
	return a
}

func (a *api) reactTo(react func(clienttesting.Action) (runtime.Object, error)) clienttesting.ReactionFunc {
	return func(action clienttesting.Action) (bool, runtime.Object, error) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.dead { // what may pass by itself would be tried again
			return true, nil, apierrors.NewForbidden(action.GetResource().GroupResource(), "", errOver)
		}
		object, err := react(action)
		return true, object, err
	}
}

// die has no call of the scheduler arrive any more.
func (a *api) die() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.dead = true
}

// bindPod answers to the creation of pods/binding. The kubelet is taken to note the start of the pod at once:
// without it the scheduler would take the present for it whenever it compares victims.
func (a *api) bindPod(action clienttesting.Action) (runtime.Object, error) {
	create, _ := action.(clienttesting.CreateAction)
	binding, ok := create.GetObject().(*v1.Binding)
	if !ok {
		return nil, fmt.Errorf("the in-memory API creates no %T for the scheduler", create.GetObject())
	}
	ref := loop.Ref{Kind: "Pod", Namespace: binding.Namespace, Name: binding.Name}
	pod, err := a.pod(ref)
	if err != nil {
		return nil, err
	}
	switch {
	case a.fault == loop.FailBind, a.fault == loop.LateStatus, a.fault == loop.FailRollBack:
		if a.fault == loop.LateStatus {
			a.puttingOff = pod.UID
		}
		a.refusing = a.fault == loop.FailRollBack
		a.fault = loop.NoFault
		// forbidden, as by a webhook: what may pass by itself is tried again in v1.37, in the same cycle
		return nil, refused(pods, ref)
	case pod.UID != binding.UID && binding.UID != "":
		return nil, apierrors.NewConflict(pods, binding.Name, fmt.Errorf("the pod has another uid"))
	case pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil:
		return nil, apierrors.NewConflict(pods, binding.Name, fmt.Errorf("the pod is bound already, or being deleted"))
	case spec.Gated(pod):
		return nil, apierrors.NewConflict(pods, binding.Name, fmt.Errorf("the pod has scheduling gates"))
	}
	bound := pod.DeepCopy()
	bound.Spec.NodeName = binding.Target.Name
	bound.Status.NominatedNodeName = ""
	bound.Status.StartTime = began()
	bound.Status.Conditions = []v1.PodCondition{{Type: v1.PodScheduled, Status: v1.ConditionTrue}}
	if err := a.store(ref, bound); err != nil {
		return nil, err
	}
	a.bound = append(a.bound, ref.Key())
	return binding, nil
}

// takeBound returns the pods that the scheduler has bound since it was last asked.
func (a *api) takeBound() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	bound := a.bound
	a.bound = nil
	return bound
}

func (a *api) patchPod(action clienttesting.Action) (runtime.Object, error) {
	patch, _ := action.(clienttesting.PatchAction)
	if patch.GetPatchType() != types.StrategicMergePatchType || patch.GetSubresource() != "status" {
		return nil, fmt.Errorf("the in-memory API knows no patch of pods/%s of type %s", patch.GetSubresource(),
			patch.GetPatchType())
	}
	ref := loop.Ref{Kind: "Pod", Namespace: patch.GetNamespace(), Name: patch.GetName()}
	pod, err := a.pod(ref)
	if err != nil {
		a.patchFailed = true
		return nil, err
	}
	if a.fault == loop.Busy {
		a.fault = loop.NoFault
		return nil, apierrors.NewServiceUnavailable("it is busy, as the action asks")
	}
	if a.puttingOff == pod.UID && pod.UID != "" {
		a.putOff(ref, pod.UID, patch.GetPatch())
		return pod.DeepCopy(), nil
	}
	return a.patchStatus(ref, pod, patch.GetPatch())
}

// patchStatus patches the status of the pod.
func (a *api) patchStatus(ref loop.Ref, pod *v1.Pod, patch []byte) (runtime.Object, error) {
	before, err := json.Marshal(&v1.Pod{Status: pod.Status}) // the subresource keeps the rest as it is
	if err != nil {
		return nil, err
	}
	after, err := strategicpatch.StrategicMergePatch(before, patch, v1.Pod{})
	if err != nil {
		return nil, err
	}
	status := &v1.Pod{}
	if err := json.Unmarshal(after, status); err != nil {
		return nil, err
	}
	for i := range status.Status.Conditions {
		condition := &status.Status.Conditions[i]
		condition.LastTransitionTime, condition.LastProbeTime = metav1.Time{}, metav1.Time{} // of the wall clock
		// Else whether the next one is written would hang on the words of the last.
		condition.Message = ""
	}
	if equality.Semantic.DeepEqual(pod.Status, status.Status) { // as the API server, which tells of no such write
		return pod.DeepCopy(), nil
	}
	patched := pod.DeepCopy()
	patched.Status = status.Status
	if err := a.store(ref, patched); err != nil {
		return nil, err
	}
	if a.comesBack(pod) {
		a.log[len(a.log)-1].nominates = nominates(patch)
	}
	return patched.DeepCopy(), nil
}

func (a *api) deletePod(action clienttesting.Action) (runtime.Object, error) {
	remove, _ := action.(clienttesting.DeleteAction)
	ref := loop.Ref{Kind: "Pod", Namespace: remove.GetNamespace(), Name: remove.GetName()}
	if a.refuseEviction {
		return nil, refused(pods, ref)
	}
	return nil, a.delete(ref)
}

// trouble is what goes wrong, once, with what the scheduler writes of a volume or claim before it binds a pod.
func (a *api) trouble(resource schema.GroupResource, ref loop.Ref) error {
	switch a.fault {
	case loop.RefuseWrite:
		a.fault = loop.NoFault
		return refused(resource, ref)
	case loop.Outrun:
		a.fault = loop.NoFault
		if object, exists := a.objects[ref]; exists {
			return a.store(ref, object.DeepCopyObject())
		}
	}
	return nil
}

// rollBack is what goes wrong with what the scheduler writes of a claim for devices after a pod could not be bound.
func (a *api) rollBack(claim loop.Ref) error {
	if a.refusing {
		return refused(resourceClaims, claim)
	}
	return nil
}

func refused(resource schema.GroupResource, ref loop.Ref) error {
	return apierrors.NewForbidden(resource, ref.Name, errors.New("it is refused, as the action asks"))
}

var pods = schema.GroupResource{Resource: "pods"}

func (a *api) pod(ref loop.Ref) (*v1.Pod, error) {
	pod, ok := a.objects[ref].(*v1.Pod)
	if !ok {
		return nil, apierrors.NewNotFound(pods, ref.Name)
	}
	return pod, nil
}

// create adds an object, with a uid of its own. Of the initial ones each has the uid it comes with, which others name.
func (a *api) create(ref loop.Ref, object runtime.Object) error {
	if _, exists := a.objects[ref]; exists {
		return fmt.Errorf("%s exists already", ref)
	}
	object = object.DeepCopyObject()
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	a.created[ref]++ // not of all objects: runs that lead to one state are to have one uid, as actions are taken in either
	if !a.initial || accessor.GetUID() == "" {
		accessor.SetUID(types.UID(ref.String() + " " + strconv.Itoa(a.created[ref])))
	}
	if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName != "" && pod.Status.StartTime == nil {
		pod.Status.StartTime = began()
	}
	return a.put(ref, object)
}

// update replaces an object, keeping its uid. As on an API server, a pod that is bound stays so: the event may come of
// another run, in which it was not.
func (a *api) update(ref loop.Ref, object runtime.Object) error {
	old, exists := a.objects[ref]
	if !exists {
		return fmt.Errorf("%s does not exist", ref)
	}
	if was, is := asPod(old), asPod(object); was != nil && is != nil && was.Spec.NodeName != "" &&
		was.Spec.NodeName != is.Spec.NodeName {
		return fmt.Errorf("%s: spec.nodeName is %q, and is not changed any more", ref, was.Spec.NodeName)
	}
	object = object.DeepCopyObject()
	oldMeta, err := meta.Accessor(old)
	if err != nil {
		return err
	}
	newMeta, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	newMeta.SetUID(oldMeta.GetUID())
	if claim, ok := object.(*resourcev1.ResourceClaim); ok {
		ofThisRun(claim, old.(*resourcev1.ResourceClaim))
	}
	return a.put(ref, object)
}

// ofThisRun gives consumers of a claim the UIDs that they have here: the write may be that of another run, which led to
// the same state.
func ofThisRun(claim, stored *resourcev1.ResourceClaim) {
	for i := range claim.Status.ReservedFor {
		for _, consumer := range stored.Status.ReservedFor {
			if consumer.Resource == claim.Status.ReservedFor[i].Resource && consumer.Name == claim.Status.ReservedFor[i].Name {
				claim.Status.ReservedFor[i].UID = consumer.UID
			}
		}
	}
}

// delete removes an object; a pod that is bound, or has finalizers, only begins to terminate.
func (a *api) delete(ref loop.Ref) error {
	if pod, ok := a.objects[ref].(*v1.Pod); ok && (pod.Spec.NodeName != "" || len(pod.Finalizers) > 0) {
		if pod.DeletionTimestamp != nil {
			return nil
		}
		terminating := pod.DeepCopy()
		seconds := int64(0) // nothing runs that would need time to stop
		if pod.Spec.NodeName != "" {
			seconds = v1.DefaultTerminationGracePeriodSeconds
		}
		terminating.DeletionTimestamp, terminating.DeletionGracePeriodSeconds = began(), &seconds
		return a.store(ref, terminating)
	}
	return a.remove(ref)
}

// remove removes an object at once.
func (a *api) remove(ref loop.Ref) error {
	old, exists := a.objects[ref]
	if !exists {
		return apierrors.NewNotFound(schema.GroupResource{Resource: strings.ToLower(ref.Kind) + "s"}, ref.Name)
	}
	delete(a.objects, ref)
	a.log = append(a.log, change{ref: ref, old: old})
	return nil
}

// recreate removes an object and creates another one of its name, of which informers tell as one change.
func (a *api) recreate(ref loop.Ref, object runtime.Object) error {
	old := a.objects[ref]
	if err := a.remove(ref); err != nil {
		return err
	}
	if err := a.create(ref, object); err != nil {
		return err
	}
	created := a.log[len(a.log)-1]
	created.old = old
	a.log = append(a.log[:len(a.log)-2], created)
	return nil
}

// put stores an object as it comes back from JSON, as every object of a real API server does.
func (a *api) put(ref loop.Ref, object runtime.Object) error {
	data, err := json.Marshal(object)
	if err != nil {
		return err
	}
	stored, err := decode(reflect.TypeOf(object), data)
	if err != nil {
		return err
	}
	return a.store(ref, stored)
}

// decoded are objects by their JSON: every scheduler of a search begins with the same, and decoding them took most of
// the time that its API server takes.
var decoded = lru.New(1 << 12)

// decode returns the object of that type of the JSON, one that nobody else has.
func decode(kind reflect.Type, data []byte) (runtime.Object, error) {
	type key struct {
		kind reflect.Type
		data string
	}
	if known, ok := decoded.Get(key{kind, string(data)}); ok {
		object, _ := known.(runtime.Object)
		return object.DeepCopyObject(), nil
	}
	object, _ := reflect.New(kind.Elem()).Interface().(runtime.Object)
	if err := json.Unmarshal(data, object); err != nil {
		return nil, err
	}
	decoded.Add(key{kind, string(data)}, object.DeepCopyObject())
	return object, nil
}

// store stores an object with a new version. Nobody may change it any more.
func (a *api) store(ref loop.Ref, object runtime.Object) error {
	accessor, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	switch object := object.(type) {
	case *v1.Node:
		a.nodes[object.Name] = true
	case *resourcev1.DeviceClass:
		a.resources[v1.ResourceName(resourcev1.ResourceDeviceClassPrefix+object.Name)] = true
		if name := object.Spec.ExtendedResourceName; name != nil {
			a.resources[v1.ResourceName(*name)] = true
		}
	case *v1.Pod:
		if node := object.Status.NominatedNodeName; node != "" {
			a.nodes[node] = true
		}
	}
	a.version++
	accessor.SetResourceVersion(strconv.FormatInt(a.version, 10))
	a.log = append(a.log, change{ref: ref, old: a.objects[ref], new: object})
	a.objects[ref] = object
	return nil
}

// takePatchFailed reports whether a patch has failed since it was asked last.
func (a *api) takePatchFailed() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	failed := a.patchFailed
	a.patchFailed = false
	return failed
}

// locked runs a write of somebody who is not the scheduler.
func (a *api) locked(write func() error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return write()
}

// sortLog returns writes that were made at the same time one order: by object, each object's in their own.
func (a *api) sortLog() {
	a.mu.Lock()
	defer a.mu.Unlock()
	slices.SortStableFunc(a.log, func(x, y change) int { return strings.Compare(x.ref.String(), y.ref.String()) })
}

// next takes the oldest change off the log.
func (a *api) next() (change, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.log) == 0 {
		return change{}, false
	}
	next := a.log[0]
	a.log = a.log[1:]
	return next, true
}

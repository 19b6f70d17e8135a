package stepped

import (
	"cmp"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// State implements loop.System.
func (s *Scheduler) State() *loop.State {
	if s.panicked != "" {
		return &loop.State{API: s.snapshot(), Panicked: s.panicked}
	}
	state := &loop.State{API: s.snapshot(), Texts: &s.texts}
	state.Queue, state.Signed = s.signedQueue()
	told := s.told()
	if len(s.unheard) > 0 {
		state.Told = snapshotOf(told)
	}
	state.Evictions, state.Unwritten = s.underWay(), append(s.api.unwritten(), s.bindsReplaced()...)
	for _, u := range s.unheard {
		state.Unheard = append(state.Unheard, loop.Unheard{
			Action: u.action, Was: u.old, Is: u.new, Own: u.own, Nominates: u.nominates,
		})
	}
	state.Reserved = append(s.reservedVolumes(told), s.reservedDevices(told)...)
	state.CountedTwice = s.countedTwice(told)
	for _, b := range s.cycles.all() {
		state.TakenForReserved = append(state.TakenForReserved, b.taken...)
	}
	slices.SortFunc(state.TakenForReserved, func(x, y loop.Uses) int {
		return cmp.Or(strings.Compare(x.Pod, y.Pod), strings.Compare(x.Claim, y.Claim))
	})
	state.Batch = s.left()
	dump := s.sched.Cache.Dump()
	onNode := map[string][]string{}
	for name, info := range dump.Nodes {
		for _, pod := range info.GetPods() {
			assumed := dump.AssumedPods.Has(string(pod.GetPod().UID))
			if assumed {
				state.Assumed = append(state.Assumed, loop.Pair{Pod: loop.Key(pod.GetPod()), Node: name})
				if as := otherwise(pod.GetPod(), told); as != nil {
					state.AssumedAs = append(state.AssumedAs, as)
				}
			}
		}
	}
	slices.SortFunc(state.Assumed, func(x, y loop.Pair) int { return cmp.Compare(x.Pod, y.Pod) })
	slices.SortFunc(state.AssumedAs, func(x, y *v1.Pod) int { return cmp.Compare(loop.Key(x), loop.Key(y)) })
	state.Began = s.began()
	held := held{assumed: dump.AssumedPods, api: told}
	for name, info := range dump.Nodes {
		onNode[name] = held.lines(name, info)
	}
	for name := range s.api.nodes { // also of nodes that are gone, and may come back
		for _, pod := range s.sched.SchedulingQueue.NominatedPodsForNode(name) {
			state.Nominated = append(state.Nominated, loop.Pair{Pod: loop.Key(pod.GetPod()), Node: name})
		}
	}
	slices.SortFunc(
		state.Nominated,
		func(x, y loop.Pair) int { return cmp.Or(cmp.Compare(x.Pod, y.Pod), cmp.Compare(x.Node, y.Node)) },
	)
	for _, pod := range s.sched.SchedulingQueue.NominatedPodsForNode("") {
		state.Nowhere = append(state.Nowhere, loop.Key(pod.GetPod()))
	}
	slices.Sort(state.Nowhere)
	state.Images = s.images(dump.Nodes, of[*v1.Node](told))
	state.Miscounted = s.miscounted(dump.Nodes)
	state.Kept = s.kept(dump.Nodes, told)
	state.LeftWaiting = s.leftWaiting(told)
	state.ListsAnew = s.listsAnew(dump.Nodes)
	if s.cycles.looks != nil {
		state.InTurn = slices.Clone(s.cycles.looks.inTurn)
	}
	state.Classes = s.classes()
	images, reported := s.onNodes(of[*v1.Node](told))
	state.Cache = append(inOrder(onNode), images...)
	state.Expected = append(held.expected(state.View()), reported...)
	return state
}

// otherwise returns an assumed pod as the cache has it, if the scheduler was told of it otherwise but for its node; nil
// if not. What the scheduler heard of its status is not kept.
func otherwise(assumed *v1.Pod, told map[loop.Ref]runtime.Object) *v1.Pod {
	pod, ok := told[loop.RefOf(assumed)].(*v1.Pod)
	if !ok {
		return nil
	}
	as := pod.DeepCopy()
	as.Labels, as.Annotations, as.Spec = assumed.Labels, assumed.Annotations, *assumed.Spec.DeepCopy()
	as.Spec.NodeName = pod.Spec.NodeName
	if equality.Semantic.DeepEqual(pod, as) {
		return nil
	}
	as.Spec.NodeName = assumed.Spec.NodeName
	return as
}

// poppable reports whether the queue has a pod to hand out, as State.Poppable does.
func (s *Scheduler) poppable() bool {
	q := s.sched.SchedulingQueue
	return len(q.PodsInActiveQ()) > 0 || slices.ContainsFunc(q.PodsInBackoffQ(), func(pod *v1.Pod) bool {
		info, ok := queuedPod(q, pod)
		return ok && len(info.UnschedulablePlugins)+len(info.PendingPlugins) > 0
	})
}

// signedQueue returns the pods of the scheduling queue, and the signatures of those that wait and have one.
func (s *Scheduler) signedQueue() ([]loop.Queued, map[string]string) {
	q := s.sched.SchedulingQueue
	places := map[string][]loop.QueueName{}
	var queued []*v1.Pod
	note := func(place loop.QueueName, pods []*v1.Pod) {
		for _, pod := range pods {
			if places[loop.Key(pod)] == nil {
				queued = append(queued, pod)
			}
			places[loop.Key(pod)] = append(places[loop.Key(pod)], place)
		}
	}
	note(loop.Active, q.PodsInActiveQ())
	note(loop.BackingOff, q.PodsInBackoffQ())
	var gated, unschedulable []*v1.Pod
	for _, pod := range q.UnschedulablePods() {
		if info, ok := queuedPod(q, pod); ok && info.Gated() {
			gated = append(gated, pod)
		} else {
			unschedulable = append(unschedulable, pod)
		}
	}
	note(loop.Unschedulable, unschedulable)
	note(loop.Gated, gated)
	note(loop.InFlight, q.InFlightPods())

	var out []loop.Queued
	known, signed := map[string]bool{}, map[string]string{}
	for _, info := range s.infos(queued) {
		key := loop.Key(info.Pod)
		known[key] = true
		if is := signature(info); is != "" {
			signed[key] = is
		}
		out = append(out, loop.Queued{
			Pod: key, Queues: places[key], Rejectors: sets.List(info.UnschedulablePlugins.Union(info.PendingPlugins)),
			Penalty: info.UnschedulableCount+info.ConsecutiveErrorsCount > 0 &&
				info.Timestamp.Add(backoff).After(s.clock.Now()),
			Erred: info.ConsecutiveErrorsCount > 0, GatedBy: info.GatingPlugin,
		})
	}
	var inFlight []loop.Queued
	for _, pod := range queued {
		key := loop.Key(pod)
		if known[key] {
			continue
		}
		entry := loop.Queued{Pod: key, Queues: places[key]}
		if b := s.cycles.binding(pod.UID); b != nil {
			entry.Waits, entry.Since, entry.Fault = true, slices.Clone(b.since), b.fault
		}
		inFlight = append(inFlight, entry)
	}
	for _, b := range s.cycles.all() {
		waits := b.bound != nil || b.ready != nil || b.binds && !s.replaced(b.pod)
		if key := loop.Key(b.pod); waits && places[key] == nil { // production calls Done before pre-bind
			inFlight = append(
				inFlight,
				loop.Queued{
					Pod:     key,
					Queues:  []loop.QueueName{loop.Binding},
					Waits:   true,
					Volumes: b.bound != nil,
					Devices: b.ready != nil,
					Binds:   b.binds,
					Fault:   b.fault,
				},
			)
		}
	}
	slices.SortFunc(inFlight, func(x, y loop.Queued) int { return strings.Compare(x.Pod, y.Pod) })
	return append(out, inFlight...), signed
}

// infos returns what the queue knows of pods, in the order in which they came back to it.
func (s *Scheduler) infos(pods []*v1.Pod) []*framework.QueuedPodInfo {
	var infos []*framework.QueuedPodInfo
	for _, pod := range pods {
		if info, ok := queuedPod(s.sched.SchedulingQueue, pod); ok {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(x, y *framework.QueuedPodInfo) int { return x.Timestamp.Compare(y.Timestamp) })
	return infos
}

// snapshot returns what the API has.
func (s *Scheduler) snapshot() *spec.Snapshot { return snapshotOf(s.api.objects) }

func snapshotOf(objects map[loop.Ref]runtime.Object) *spec.Snapshot {
	return &spec.Snapshot{
		Nodes: of[*v1.Node](objects), Pods: of[*v1.Pod](objects), Namespaces: of[*v1.Namespace](objects),
		PodDisruptionBudgets:   of[*policyv1.PodDisruptionBudget](objects),
		PersistentVolumes:      of[*v1.PersistentVolume](objects),
		PersistentVolumeClaims: of[*v1.PersistentVolumeClaim](objects),
		StorageClasses:         of[*storagev1.StorageClass](objects),
		CSINodes:               of[*storagev1.CSINode](objects),
		VolumeAttachments:      of[*storagev1.VolumeAttachment](objects),
		CSIDrivers:             of[*storagev1.CSIDriver](objects),
		CSIStorageCapacities:   of[*storagev1.CSIStorageCapacity](objects),
		DeviceClasses:          of[*resourcev1.DeviceClass](objects),
		ResourceSlices:         of[*resourcev1.ResourceSlice](objects),
		ResourceClaims:         of[*resourcev1.ResourceClaim](objects),
		ResourceClaimTemplates: of[*resourcev1.ResourceClaimTemplate](objects),
		Services:               of[*v1.Service](objects),
		ReplicationControllers: of[*v1.ReplicationController](objects),
		ReplicaSets:            of[*appsv1.ReplicaSet](objects),
		StatefulSets:           of[*appsv1.StatefulSet](objects),
		Now:                    *began(),
	}
}

// of returns the objects of one type, by namespace and name.
func of[T interface {
	runtime.Object
	metav1.Object
}](objects map[loop.Ref]runtime.Object) []T {
	var found []T
	for _, object := range objects {
		if t, ok := object.(T); ok {
			found = append(found, t)
		}
	}
	slices.SortFunc(found, func(x, y T) int {
		return cmp.Or(strings.Compare(x.GetNamespace(), y.GetNamespace()), strings.Compare(x.GetName(), y.GetName()))
	})
	return found
}

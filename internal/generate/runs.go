package generate

import (
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Bounds of the runs that are drawn, unless somebody asks for others.
const (
	runNodes  = 3
	runPods   = 3
	runEvents = 8
	runFaults = 1
	// besidesTheOne are the pods of a drawn cluster besides the one that is pending.
	besidesTheOne = 3
)

// RunScope is what all drawn runs of kube-scheduler as a whole have in common.
func RunScope() *loop.Scope {
	return &loop.Scope{
		Name: "random", Doc: "clusters drawn at random", Nodes: runNodes, Arrivals: runPods, Events: runEvents,
		Faults: runFaults, Happens: happens(), Templates: &spec.Snapshot{},
	}
}

// mostDraws is how many clusters are drawn for one in which the pod that is pending has a node.
const mostDraws = 4

// Run returns the scope of the drawn run of that number: all with a cluster that is drawn, and another one that
// objects become like, whose pods ask for the profiles of the model by turns. In three of four runs the cluster was
// disturbed by an event that leaves its pending pod without a node, so that another one can help it. nil if chance
// decides among its volumes, kube-scheduler would change what a pod requests, or the release does not admit the pod.
// Others that it does not admit are left out.
func Run(all *loop.Scope, m *spec.Scheduler, seed, number int64, admit Admission) *loop.Scope {
	draw := rand.New(rand.NewPCG(uint64(seed), uint64(number)))
	names := []string{m.Profile.SchedulerName}
	for _, other := range m.Profile.Others {
		names = append(names, other.SchedulerName)
	}
	questions := DrawQuestion(Scope{Nodes: all.Nodes, Pods: besidesTheOne})
	refused, sizes := 0, map[string]bool{}
	another := func() *spec.Question {
		q := questions.Example(int(draw.Uint64()))
		for i, pod := range q.Snapshot.Pods {
			pod.Spec.SchedulerName = names[i%len(names)]
		}
		admitted, left := admittedOf(q, admit)
		if admitted != nil {
			sizeApart(admitted.Snapshot, sizes)
		}
		if admitted == nil || slices.ContainsFunc(admitted.Snapshot.Pods, func(pod *v1.Pod) bool {
			return grows(pod) || LeftToChance(spec.Question{Pod: pod, Snapshot: admitted.Snapshot})
		}) {
			return nil
		}
		refused += len(left)
		allocateOnce(admitted.Snapshot)
		return admitted
	}
	first := another()
	if first == nil {
		return nil
	}
	second := another()
	if second == nil {
		return nil
	}
	scope := *all
	scope.Admitted = func(s *spec.Snapshot) *spec.Snapshot { return admittedAgain(s, admit) }
	scope.Initial, scope.Templates = []*spec.Snapshot{first.Snapshot}, second.Snapshot
	if draw.IntN(4) > 0 {
		for range mostDraws {
			disturbed := loop.Disturb(m, &scope, first.Snapshot, first.Pod.Namespace+"/"+first.Pod.Name, draw)
			if disturbed != nil {
				scope.Initial, scope.Templates = []*spec.Snapshot{disturbed}, both(first.Snapshot, second.Snapshot)
				break
			}
			if first = another(); first == nil {
				return nil
			}
			scope.Initial = []*spec.Snapshot{first.Snapshot}
		}
	}
	attachAsItIs(&scope)
	gate(scope.Templates.Pods, draw.Uint64())
	scope.Refused = refused
	return &scope
}

// configurations is how many configurations the drawn runs of a seed have, besides the default one.
const configurations = 8

// Configuration returns the KubeSchedulerConfiguration of the drawn run of that number, of a profile of that name, or,
// two of the eight, of a second one, too. Of two runs one has the default: nil.
func Configuration(schedulerName string, seed, number int64) []byte {
	which := Mixed(seed, number) % (2 * configurations)
	if which >= configurations {
		return nil
	}
	names := []string{schedulerName}
	if which < 2 {
		names = append(names, "second-scheduler")
	}
	return Arguments(names...).Example(int(Mixed(seed, -1-int64(which)) >> 1))
}

// FaultsFirst reports whether the plugin by which cycles of the drawn run of that number fail is asked before all
// others, as it is in one run of two.
func FaultsFirst(seed, number int64) bool { return Mixed(seed, number)>>32%2 == 0 }

// sizeApart makes volumes larger by as few bytes as it takes that no two have one size, also of those whose sizes are
// taken: of one size kube-scheduler takes any, and the run would go on from there as chance has it.
func sizeApart(s *spec.Snapshot, taken map[string]bool) {
	for i, volume := range s.PersistentVolumes {
		size := volume.Spec.Capacity.Storage().DeepCopy()
		for taken[size.String()] {
			size.Add(*resource.NewQuantity(1, resource.BinarySI))
		}
		taken[size.String()] = true
		if size.Cmp(*volume.Spec.Capacity.Storage()) != 0 {
			s.PersistentVolumes[i] = volume.DeepCopy()
			s.PersistentVolumes[i].Spec.Capacity[v1.ResourceStorage] = size
		}
	}
}

// allocateOnce takes the allocation of each claim away that has a device which another one has: no run of
// kube-scheduler begins like that, and it takes the devices of a claim for free that it deallocates.
func allocateOnce(s *spec.Snapshot) {
	taken := map[spec.DeviceID]bool{}
	for i, claim := range s.ResourceClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		again := false
		for _, result := range claim.Status.Allocation.Devices.Results {
			id := spec.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
			again = again || taken[id] && result.ShareID == nil && !ptr.Deref(result.AdminAccess, false)
			taken[id] = true
		}
		if again {
			s.ResourceClaims[i] = claim.DeepCopy()
			s.ResourceClaims[i].Status = resourcev1.ResourceClaimStatus{}
		}
	}
}

// attachAsItIs takes from what objects become like the attachments by another driver than their volume's in the
// cluster, and the volumes of another driver than those that are attached there: nobody attaches one by a driver that
// is not its.
func attachAsItIs(scope *loop.Scope) {
	wrong := func(a *storagev1.VolumeAttachment, v *v1.PersistentVolume) bool {
		return v.Spec.CSI != nil && v.Spec.CSI.Driver != a.Spec.Attacher &&
			v.Name == ptr.Deref(a.Spec.Source.PersistentVolumeName, "")
	}
	templates, cluster := *scope.Templates, scope.Initial[0]
	templates.VolumeAttachments = slices.DeleteFunc(slices.Clone(templates.VolumeAttachments),
		func(a *storagev1.VolumeAttachment) bool {
			return slices.ContainsFunc(cluster.PersistentVolumes,
				func(v *v1.PersistentVolume) bool { return wrong(a, v) })
		})
	templates.PersistentVolumes = slices.DeleteFunc(slices.Clone(templates.PersistentVolumes),
		func(v *v1.PersistentVolume) bool {
			return slices.ContainsFunc(slices.Concat(cluster.VolumeAttachments, templates.VolumeAttachments),
				func(a *storagev1.VolumeAttachment) bool { return wrong(a, v) })
		})
	scope.Templates = &templates
}

// both returns the objects of the first snapshot, and those of the second that have no namesake there. Nodes and pods
// of the second are there too, under other names: what is made from them has a name of its own.
func both(first, second *spec.Snapshot) *spec.Snapshot {
	all := &spec.Snapshot{}
	there := map[loop.Ref]bool{}
	for _, object := range objectsOf(first) {
		there[loop.RefOf(object)] = true
		put(all, object)
	}
	for _, object := range objectsOf(second) {
		switch o := object.(type) {
		case *v1.Node:
			node := *o
			node.Name = "other-" + o.Name
			object = &node
		case *v1.Pod:
			pod := *o
			pod.Name = "other-" + o.Name
			object = &pod
		}
		if !there[loop.RefOf(object)] {
			put(all, object)
		}
	}
	return all
}

// Mixed makes one number of two, so that what is drawn with near seeds has nothing in common.
func Mixed(seed, n int64) uint64 {
	x := uint64(seed)*0x9e3779b97f4a7c15 + uint64(n)
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// gate gives some of the pods a scheduling gate, as the number says.
func gate(pods []*v1.Pod, number uint64) {
	for i, pod := range pods {
		if (number>>i)%4 == 0 && pod.Spec.NodeName == "" {
			pod.Spec.SchedulingGates = []v1.PodSchedulingGate{{Name: "example.com/gate"}}
		}
	}
}

// grows reports whether kube-scheduler adds the overhead of the pod to its own requests in every cycle, as it
// does to those of the pod as a whole that are too long to be read as numbers.
func grows(pod *v1.Pod) bool {
	for name := range pod.Spec.Overhead {
		if pod.Spec.Resources == nil {
			return false
		}
		requested := pod.Spec.Resources.Requests[name]
		parsed, err := resource.ParseQuantity(requested.String())
		if _, short := parsed.AsInt64(); err == nil && !short {
			return true
		}
	}
	return false
}

// happens are the events of drawn runs: of all, but not that pods are made anew unseen, with which most runs would end
// (replaced-pod-kept).
func happens() []loop.EventType {
	return slices.DeleteFunc(loop.EventTypes(), func(e loop.EventType) bool { return e == loop.PodReplaced })
}

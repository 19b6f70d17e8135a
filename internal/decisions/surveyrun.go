package decisions

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// surveyRun is one way in which things may go on from a cluster: kube-scheduler takes the pods in the order of its
// queue, and where more than one thing may follow, chance decides.
//
// The queue is taken to have the pods that were not tried yet first, the highest priority first and, of those, the
// oldest. A pod for which there was no room is tried again when the cluster has changed since, at a time left to
// chance, as its backoff is. Victims leave when chance has it, and at the latest when nobody else can be asked about.
//
// Source: https://kubernetes.io/docs/concepts/scheduling-eviction/scheduling-framework/#queue-sort and
// https://kubernetes.io/docs/concepts/scheduling-eviction/pod-scheduling-readiness/ on what the queue holds back.
type surveyRun struct {
	actions model.Actions
	chance  *rand.Rand
	// now is the cluster. Its slice of pods is the run's own, what is in it is shared.
	now *spec.Snapshot
	// fresh are the pods that were not tried yet; failed are those that were, and stale of these those for which
	// nothing has changed since. All are in the order of the queue.
	fresh, failed []*v1.Pod
	stale         map[*v1.Pod]bool
	// asks is the pod that is asked about; nil if the run is over.
	asks *v1.Pod
	// of is which pod of the given cluster a pod is; one that was recreated counts as the one that it replaces.
	of map[*v1.Pod]int
	// owed are pods to be created in the place of evicted ones, left is how many decisions may follow.
	recreated, left int
}

// decisionsPerPod bounds a run: so often each pod may be asked about on the average. A cluster in which pods evict each
// other for ever comes to an end there.
const decisionsPerPod = 8

// newSurveyRun begins a run with the cluster.
func newSurveyRun(cluster *spec.Snapshot, actions model.Actions, seed uint64) *surveyRun {
	now := *cluster
	now.Pods = slices.Clone(cluster.Pods)
	r := &surveyRun{
		actions: actions, chance: rand.New(rand.NewPCG(seed, 0)), now: &now, stale: map[*v1.Pod]bool{},
		of: map[*v1.Pod]int{},
	}
	for i, pod := range now.Pods {
		r.of[pod] = i
	}
	r.fresh = inQueueOrder(waiting(&now))
	r.left = decisionsPerPod * (len(r.fresh) + 1)
	r.next()
	return r
}

// waiting returns the pods that ask for a node.
func waiting(s *spec.Snapshot) []*v1.Pod {
	nodes := make(map[string]bool, len(s.Nodes))
	for _, node := range s.Nodes {
		nodes[node.Name] = true
	}
	return slices.DeleteFunc(slices.Clone(s.Pods), func(pod *v1.Pod) bool {
		return nodes[pod.Spec.NodeName] || pod.Spec.NodeName != "" || pod.DeletionTimestamp != nil || spec.Gated(pod)
	})
}

// inQueueOrder sorts pods as the queue does: the highest priority first, then the oldest, then as they were given.
func inQueueOrder(pods []*v1.Pod) []*v1.Pod {
	slices.SortStableFunc(pods, func(a, b *v1.Pod) int {
		return cmp.Or(cmp.Compare(spec.Priority(b), spec.Priority(a)),
			a.CreationTimestamp.Compare(b.CreationTimestamp.Time))
	})
	return pods
}

// question is what is asked next; nil if the run is over.
func (r *surveyRun) question() *spec.Question {
	if r.asks == nil {
		return nil
	}
	return &spec.Question{Pod: r.asks, Snapshot: r.now}
}

// follow goes on with one of the outcomes of the decision, the wait if there is none.
func (r *surveyRun) follow(d *spec.Decision) {
	pod := r.take()
	if d == nil || len(d.Outcomes) == 0 {
		r.put(pod)
		r.next()
		return
	}
	switch o := d.Outcomes[r.chance.IntN(len(d.Outcomes))]; o.Type {
	case spec.Bind:
		r.changed()
		r.replace(pod, func(p *v1.Pod) { model.SetBound(p, r.now.Nodes[o.Node], model.Running, 0) })
	case spec.Preempt:
		r.put(pod)
		if r.actions.Preempt {
			r.preempt(pod, o)
		}
	default:
		nominated := pod.Status.NominatedNodeName != "" && !o.KeepsNomination
		r.put(pod)
		if nominated {
			r.replace(pod, func(p *v1.Pod) { p.Status.NominatedNodeName = "" })
		}
	}
	if r.actions.VictimGone && r.chance.IntN(2) == 0 {
		r.leave()
	}
	r.next()
}

// next finds who is asked about next.
func (r *surveyRun) next() {
	r.asks = nil
	if r.left--; r.left <= 0 {
		return
	}
	again := r.again()
	if len(r.fresh) == 0 && again == nil && r.actions.VictimGone && r.leave() {
		again = r.again()
	}
	switch {
	case len(r.fresh) == 0:
		r.asks = again
	case again == nil || r.chance.IntN(2) == 0:
		r.asks = r.fresh[0]
	default:
		r.asks = again
	}
}

// again returns the pod that is tried again first; nil if there is none.
func (r *surveyRun) again() *v1.Pod {
	for _, pod := range r.failed {
		if !r.stale[pod] {
			return pod
		}
	}
	return nil
}

// take takes the pod that was asked about out of the queue.
func (r *surveyRun) take() *v1.Pod {
	is := func(pod *v1.Pod) bool { return pod == r.asks }
	r.fresh, r.failed = slices.DeleteFunc(r.fresh, is), slices.DeleteFunc(r.failed, is)
	return r.asks
}

// put puts a pod back that there was no room for.
func (r *surveyRun) put(pod *v1.Pod) {
	r.failed = inQueueOrder(append(r.failed, pod))
	r.stale[pod] = true
}

// changed tells that the cluster is another one, so that pods are tried again.
func (r *surveyRun) changed() { clear(r.stale) }

// preempt evicts the victims and nominates the pod. Nominations of lower priority on the node go.
func (r *surveyRun) preempt(pod *v1.Pod, o spec.Outcome) {
	node := r.now.Nodes[o.Node]
	r.changed()
	for _, victim := range o.Victims {
		if victim.DeletionTimestamp != nil {
			continue
		}
		r.replace(victim, func(p *v1.Pod) { model.SetBound(p, node, model.Preempted, 0) })
		r.recreate(victim)
	}
	for _, other := range spec.NominatedTo(node, r.now) {
		if other != pod && spec.Priority(other) < spec.Priority(pod) {
			r.replace(other, func(p *v1.Pod) { p.Status.NominatedNodeName = "" })
		}
	}
	nominee := r.replace(pod, func(p *v1.Pod) { p.Status.NominatedNodeName = node.Name })
	r.stale[nominee] = len(o.Victims) > 0
}

// recreate lets the controller of an evicted pod create another one.
func (r *surveyRun) recreate(victim *v1.Pod) {
	if metav1.GetControllerOf(victim) == nil || r.recreated >= r.actions.Recreations {
		return
	}
	r.recreated++
	pod := victim.DeepCopy()
	pod.Name = fmt.Sprintf("%s-again-%d", victim.Name, r.recreated)
	pod.UID = types.UID(pod.Namespace + "/" + pod.Name)
	pod.Spec.NodeName, pod.Status = "", v1.PodStatus{Phase: v1.PodPending}
	r.of[pod] = r.of[victim]
	r.now.Pods = append(r.now.Pods, pod)
	r.fresh = inQueueOrder(append(r.fresh, pod))
}

// leave lets terminating pods go, and reports whether there were some.
func (r *surveyRun) leave() bool {
	before := len(r.now.Pods)
	snapshot := *r.now
	snapshot.Pods = slices.DeleteFunc(slices.Clone(r.now.Pods), func(pod *v1.Pod) bool {
		return pod.DeletionTimestamp != nil && pod.Spec.NodeName != ""
	})
	r.now = &snapshot
	if len(r.now.Pods) == before {
		return false
	}
	r.changed()
	return true
}

// replace puts a copy of the pod in its place, with a change. Snapshots that were asked about stay as they are.
func (r *surveyRun) replace(pod *v1.Pod, change func(*v1.Pod)) *v1.Pod {
	i := slices.Index(r.now.Pods, pod)
	if i < 0 {
		return pod
	}
	changed := pod.DeepCopy()
	change(changed)
	snapshot := *r.now
	snapshot.Pods = slices.Clone(r.now.Pods)
	snapshot.Pods[i] = changed
	r.now = &snapshot
	r.of[changed] = r.of[pod]
	for _, queue := range [][]*v1.Pod{r.fresh, r.failed} {
		if k := slices.Index(queue, pod); k >= 0 {
			queue[k] = changed
		}
	}
	if r.stale[pod] {
		delete(r.stale, pod)
		r.stale[changed] = true
	}
	return changed
}

// placed calls each with every pod of the given cluster that is on a node now.
func (r *surveyRun) placed(each func(pod int)) {
	for _, pod := range r.now.Pods {
		if pod.Spec.NodeName != "" && pod.DeletionTimestamp == nil {
			each(r.of[pod])
		}
	}
}

package loop

import (
	"fmt"
	"iter"
	"slices"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Scope says which runs are explored.
type Scope struct {
	// Name and Doc are those of the theme or cluster.
	Name, Doc string
	// Initial are the clusters to begin with.
	Initial []*spec.Snapshot
	// Templates has the nodes and pods that others may become like, and of which more may arrive; and the other
	// objects.
	Templates *spec.Snapshot
	// Nodes is the number of nodes that there may be at a time: no more are added. 0 is no bound.
	Nodes int
	// Arrivals is the number of pods that may arrive, Events the number of events of the kinds in Happens, and
	// Faults the number of cycles that fail or wait.
	Arrivals, Events, Faults int
	// FaultsFirst: the plugin by which they do is asked before all others, not after them.
	FaultsFirst bool
	// Configuration is the KubeSchedulerConfiguration that it is for, and ConfigurationAt where that stands; the default
	// one if there is none.
	Configuration   []byte
	ConfigurationAt string
	// Subject is what is run in a drawn scope; nil: what is run in the others.
	Subject *Subject
	// Less gives the scope with something less in its configuration, in each way; nil: all of it stays.
	Less func(*Scope) iter.Seq[*Scope]
	// LeftOut says which templates were left out, as the release of Kubernetes does not admit them, and why.
	LeftOut []string
	// Refused is how many objects were left out of a drawn cluster for that.
	Refused int
	// Happens are the kinds of event that may happen; Event, if it is not nil, is the only one.
	Happens []EventType
	Event   *Action
	// Liveness asks for what goes on for ever too.
	Liveness bool
	// Late is how many changes of each kind of object that MayLag the scheduler may not have heard of yet, besides those
	// that its last cycle made.
	Late int
	// Evictions lets every eviction be an action of its own: they are under way when the cycle ends that begins them.
	Evictions bool
	// Meanwhile lets events happen while a pod is being tried, too.
	Meanwhile bool
	// Sampled: as many nodes are looked at as the configuration says, in its order; otherwise all are.
	Sampled bool
	// Calm: others act only when no pod is active. It leaves out what depends on several pods being active at once.
	Calm bool
	// Pinned are the names of nodes of Templates that its other objects have, for Waking.
	Pinned map[string]bool
	// Admitted returns the objects, some of which were changed since they were admitted, as the API server has them then;
	// nil if it refuses one. nil: no fields of objects are left out of runs.
	Admitted func(*spec.Snapshot) *spec.Snapshot
}

// Bound lets the scope begin with every cluster of least to most nodes like those of its kinds, and have no more at
// any time.
func (s *Scope) Bound(least, most int) {
	s.Nodes, s.Initial = most, Clusters(s.Templates, least, most)
}

// Used is how much of a scope a run has used up.
type Used struct{ Arrivals, Events, Faults int }

// After returns what is used up after the action.
func (u Used) After(a Action) Used {
	switch {
	case a.Heard:
	case a.Meanwhile != nil:
		return u.After(*a.Meanwhile)
	case a.Fault != NoFault, a.Volumes:
		u.Faults++
	case a.Controller:
	case a.Verb == Create && a.Ref.Kind == "Pod":
		u.Arrivals++
	case a.Verb.Event() && (a.Verb != Gone || a.Missed) || a.Verb == Restart || a.EndsTimeOfDrivers():
		u.Events++
	}
	return u
}

// Clusters returns every cluster of least to most nodes that are each like one of the snapshot's, without pods and
// otherwise as it is, the smallest first. The nodes of a kind are numbered.
func Clusters(kinds *spec.Snapshot, least, most int) []*spec.Snapshot {
	var clusters []*spec.Snapshot
	var extend func(from int, chosen []*v1.Node)
	extend = func(from int, chosen []*v1.Node) {
		if from == len(kinds.Nodes) {
			if len(chosen) >= max(1, least) {
				cluster := *kinds
				cluster.Pods, cluster.Nodes = nil, chosen
				clusters = append(clusters, &cluster)
			}
			return
		}
		all := slices.Clone(chosen)
		for n := len(chosen); n < most; n++ {
			all = append(all, named(kinds.Nodes[from], fmt.Sprintf("%s-%d", kinds.Nodes[from].Name, n-len(chosen)+1)))
		}
		for n := most; n >= len(chosen); n-- {
			extend(from+1, slices.Clip(all[:n]))
		}
	}
	extend(0, nil)
	slices.SortStableFunc(clusters, func(x, y *spec.Snapshot) int { return len(x.Nodes) - len(y.Nodes) })
	return clusters
}

// like reports whether a name is that of the kind, numbered.
func like(name, kind string) bool {
	var n int
	_, err := fmt.Sscanf(name, kind+"-%d", &n)
	return err == nil && name == fmt.Sprintf("%s-%d", kind, n)
}

// named returns a node like the given one of another name.
func named(node *v1.Node, name string) *v1.Node {
	node = node.DeepCopy()
	if _, labelled := node.Labels[v1.LabelHostname]; labelled {
		node.Labels[v1.LabelHostname] = name
	}
	node.Name = name
	return node
}

// over reports whether nothing is asked of what follows: after a panic, once the scheduler goes on with a pod that is
// gone, and, where informers lag, once two claims have a device, which kube-scheduler takes for free when one of them
// gives it back.
func (s *Scope) over(state *State) bool {
	return state.Panicked != "" || len(state.Kept) > 0 || s.Late > 0 && state.allocatesTwice()
}

// Actions returns what may happen in the state, in a fixed order, the scheduler's own steps first; nothing if it is
// over.
func (s *Scope) Actions(state *State, used Used) []Action {
	return s.actionsOf(state, used, state.API.Nodes, state.API.Pods)
}

// actionsOf returns the actions, of the events of nodes and pods only those of the given ones.
func (s *Scope) actionsOf(state *State, used Used, nodes []*v1.Node, pods []*v1.Pod) []Action {
	if s.over(state) {
		return nil
	}
	return s.alsoMissed(state, used, s.watched(state, used, nodes, pods))
}

// watched returns the actions of which the scheduler hears as they come.
func (s *Scope) watched(state *State, used Used, nodes []*v1.Node, pods []*v1.Pod) []Action {
	var actions []Action
	if state.Poppable() && s.mayTakeNext(state) {
		actions = append(actions, Action{Verb: Schedule})
		if used.Faults < s.Faults {
			for _, fault := range s.faults() {
				actions = append(actions, Action{Verb: Schedule, Fault: fault})
			}
		}
		if s.Meanwhile {
			actions = append(actions, s.meanwhile(state, used, nodes, pods)...)
		}
	}
	actions = append(actions, endsOfWaits(state, used.Faults < s.Faults)...)
	actions = append(actions, evictionSteps(state, used.Faults < s.Faults)...)
	actions = append(actions, writes(state)...)
	if backoffMatters(state) {
		actions = append(actions, Action{Verb: Backoff})
	}
	actions = append(actions, hears(state)...)
	actions = append(actions, s.inTime(state, terminations(state))...)
	actions = append(actions, s.inTime(state, volumeController(state))...)
	actions = append(actions, s.inTime(state, claimController(state))...)
	actions = append(actions, s.inTime(state, templateController(state))...)
	actions = append(actions, s.inTime(state, ephemeralController(state))...)
	actions = append(actions, s.inTime(state, provisioner(state, used.Faults < s.Faults))...)
	actions = append(actions, s.inTime(state, drivers(state, false))...)
	if s.Calm && slices.ContainsFunc(state.Queue, func(q Queued) bool { return q.In(Active) }) {
		return actions
	}
	if used.Arrivals < s.Arrivals {
		actions = append(actions, s.inTime(state, s.arrivals(state))...)
	}
	if used.Events < s.Events {
		actions = append(actions, s.inTime(state, s.eventsOf(state, nodes, pods))...)
	}
	return actions
}

// faults returns what may go wrong in a cycle: of writes to the API, each where it is tried with the least of the rest.
// While informers lag no status is under way, too: kube-scheduler makes the next one from what it has heard of the pod.
func (s *Scope) faults() []Fault {
	volumes := len(s.Templates.PersistentVolumeClaims) > 0
	claims := len(s.Templates.ResourceClaims)+len(s.Templates.ResourceClaimTemplates)+len(s.Templates.DeviceClasses) > 0
	return slices.DeleteFunc(Faults(), func(f Fault) bool {
		return f == RefuseWrite && !volumes && !claims || (f == Outrun || f == FailRollBack) && !claims ||
			(f == Busy || f == LateStatus || f == FailPreFlight || f == SlowBind && !s.Evictions) && (volumes || claims) ||
			f == LateStatus && s.Late > 0 || (f == SlowPreBind || slices.Contains(ofOthers, f)) && !s.preempts()
	})
}

// preempts reports whether some pods are more important than others.
func (s *Scope) preempts() bool {
	return slices.ContainsFunc(s.Templates.Pods, func(pod *v1.Pod) bool {
		return spec.Priority(pod) != spec.Priority(s.Templates.Pods[0])
	})
}

// endsOfWaits returns how the waits of pods may end; those for volumes too if they may run out.
func endsOfWaits(state *State, volumes bool) []Action {
	var actions []Action
	for _, q := range state.Queue {
		switch ref := refOfPod(q.Pod); {
		case !q.Waits, q.Devices, q.Binds:
		case !q.Volumes:
			actions = append(actions, Action{Verb: Allow, Ref: ref}, Action{Verb: Reject, Ref: ref},
				Action{Verb: Expire, Ref: ref})
		case volumes:
			actions = append(actions, Action{Verb: Expire, Ref: ref, Volumes: true})
		}
	}
	return actions
}

// terminations returns the end of each terminating pod.
func terminations(state *State) []Action {
	var actions []Action
	for _, pod := range state.API.Pods {
		if pod.DeletionTimestamp != nil {
			actions = append(actions, Action{Verb: Gone, Ref: RefOf(pod)})
		}
	}
	return actions
}

// backoffMatters reports whether the end of the backoff changes who is next. If nobody is active, those who are
// backing off after a rejection are handed out anyway, in the order in which their backoff ends.
func backoffMatters(state *State) bool {
	has := func(test func(Queued) bool) bool { return slices.ContainsFunc(state.Queue, test) }
	return has(func(q Queued) bool { return q.In(BackingOff) && len(q.Rejectors) == 0 }) ||
		has(func(q Queued) bool { return q.In(BackingOff) }) && has(func(q Queued) bool { return q.In(Active) })
}

func refOfPod(key string) Ref {
	pod := &metav1.ObjectMeta{}
	for i := range key {
		if key[i] == '/' {
			pod.Namespace, pod.Name = key[:i], key[i+1:]
		}
	}
	return Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}
}

// arrivals returns the pods that may arrive: one like each kind, with the lowest number that is free.
func (s *Scope) arrivals(state *State) []Action {
	var actions []Action
	taken := map[Ref]bool{}
	for _, pod := range slices.Concat(state.API.Pods, state.told().Pods) {
		taken[RefOf(pod)] = true
	}
	for _, kind := range s.Templates.Pods {
		if s.awaitsNamespace(kind, state) {
			continue
		}
		pod := arriving(kind, "")
		for n := 1; ; n++ {
			if pod.Name = fmt.Sprintf("%s-%d", kind.Name, n); !taken[RefOf(pod)] {
				break
			}
		}
		actions = append(actions, Action{Verb: Create, Ref: RefOf(pod), Object: pod})
	}
	return actions
}

package loop

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Bounds of what Waking looks for, for each pod.
const (
	// mostClusters is in how many clusters the pods of a theme are looked at, all in all, leastClusters and enoughClusters
	// in how many each is at least and at most; half of these are single nodes. besides is how many pods there are at
	// most besides it.
	mostClusters   = 1600
	leastClusters  = 16
	enoughClusters = 64
	besides        = 2
	// visitors are how many kinds of pod are drawn that may come besides, or be what another becomes like.
	visitors = 8
	// mostAlike is how many events of a class that help it are enough.
	mostAlike = 4
	// vainTries is in how many clusters an event of a node or pod is looked at in vain before it is taken for one that
	// does not help, and those from one source before none is looked for there any more; vainOthers those of other
	// objects.
	vainTries  = 8
	vainOthers = 2
)

// WakingSteps bounds the runs of Waking: the pod is tried, the event happens, the pod is tried again and bound.
const WakingSteps = 8

// Waking returns a scope for each event that lets a pod be placed which was not: for each pod of the templates, in
// clusters of one or two of their nodes with up to two other pods, the events that can happen there, and those that
// undo one. Each has the cluster before, with the pod pending, and that event alone. Of events that are alike for the
// pod a few are enough. They come in a fixed order.
// Nodes are named as in single decisions, by their kind and a number: so what else the templates have names them. Of
// those that are pinned, whose own names something has, there is one at most, of that name.
func Waking(m *spec.Scheduler, templates *spec.Snapshot, pinned map[string]bool) []*Scope {
	w := &waking{model: m, templates: templates, pinned: pinned, changes: map[runtime.Object][]Action{}}
	for _, kind := range templates.Nodes {
		if !pinned[kind.Name] {
			kind = named(kind, kind.Name+firstOfKind)
		}
		w.nodes = append(w.nodes, kind)
	}
	for i, kind := range templates.Pods {
		if kind.Spec.NodeName == "" && m.Profile.Runs(kind.Spec.SchedulerName) {
			w.pod(i, kind)
		}
	}
	return w.found
}

// waking is one call of Waking.
type waking struct {
	model     *spec.Scheduler
	templates *spec.Snapshot
	pinned    map[string]bool
	// nodes are the first ones of their kinds.
	nodes []*v1.Node
	found []*Scope
	// changes are those of likeOthers, by object.
	changes map[runtime.Object][]Action
}

// pod looks for the events that help a pod like the kind, which has this index: on nodes alone, and in clusters that
// are drawn.
func (w *waking) pod(index int, kind *v1.Pod) {
	pending := *kind // nobody changes what both have
	pending.Status.NominatedNodeName = ""
	s := &sleeper{
		waking: w, pod: &pending, tries: map[string]int{}, alike: map[string]int{}, vain: map[string]int{},
	}
	nodes, pods := w.nodes, slices.Clone(w.templates.Pods)
	draw := rand.New(rand.NewPCG(1, 1)) // the same for every pod
	half := min(max(mostClusters/len(pods), leastClusters), enoughClusters) / 2
	for n := range min(len(nodes), half) + half {
		draw.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
		around := pods[:min(len(pods), visitors)]
		if n < min(len(nodes), half) {
			s.in([]*v1.Node{nodes[(n+index)%len(nodes)]}, nil, around)
			continue
		}
		some := []*v1.Node{nodes[draw.IntN(len(nodes))], nodes[draw.IntN(len(nodes))]}[draw.IntN(2):]
		switch {
		case len(some) < 2 || some[0] != some[1]:
		case w.pinned[some[0].Name]:
			some = some[:1]
		default:
			some[1] = named(some[1], strings.TrimSuffix(some[1].Name, firstOfKind)+"-2")
		}
		var others []*v1.Pod
		for n := range draw.IntN(besides + 1) {
			if kind := around[draw.IntN(len(around))]; ready(kind, w.templates) {
				others = append(others, boundTo(kind, some[draw.IntN(len(some))], fmt.Sprintf("-%d", n+1)))
			}
		}
		s.in(some, others, around)
	}
}

// firstOfKind ends the name of the first node of a kind.
const firstOfKind = "-1"

// boundTo returns a pod like the kind on the node, whose name ends so.
func boundTo(kind *v1.Pod, node *v1.Node, suffix string) *v1.Pod {
	pod := *kind // nobody changes what both have
	pod.Name += suffix
	pod.UID, pod.ResourceVersion = types.UID("pod/"+pod.Name), ""
	pod.Spec.NodeName, pod.Status.NominatedNodeName, pod.Spec.SchedulingGates = node.Name, "", nil
	return &pod
}

// ready reports whether a pod like the kind can have been bound: its claims for volumes are bound, and it has none that
// are made for it, nor claims for devices.
func ready(kind *v1.Pod, s *spec.Snapshot) bool {
	return len(kind.Spec.ResourceClaims) == 0 &&
		!slices.ContainsFunc(kind.Spec.Volumes, func(volume v1.Volume) bool {
			return volume.Ephemeral != nil || volume.PersistentVolumeClaim != nil &&
				!slices.ContainsFunc(s.PersistentVolumeClaims, func(claim *v1.PersistentVolumeClaim) bool {
					return claim.Namespace == kind.Namespace && claim.Name == volume.PersistentVolumeClaim.ClaimName &&
						claim.Spec.VolumeName != ""
				})
		})
}

// sleeper is a pod for which events that help are looked for.
type sleeper struct {
	*waking
	pod *v1.Pod
	// tries is how often events were looked at that are told alike, alike how many of a class were found, and vain how
	// often a source had none in a row that was worth a look.
	tries, alike, vain map[string]int
}

// in looks for events in the cluster with these nodes and pods, and kinds of pod around: those that help the pod, if it
// has no node there, or else those that undo one which leaves it without.
func (s *sleeper) in(nodes []*v1.Node, others, around []*v1.Pod) {
	templates := needed(s.templates, nodes, append(compatible(around, s.pod, s.templates), s.pod))
	cluster := *templates
	cluster.Nodes, cluster.Pods = slices.Clone(nodes), append(others, s.pod)
	cluster.Now = spec.Moment(&cluster)
	if heldTwice(cluster.ResourceClaims) { // no run of kube-scheduler begins like that
		return
	}
	helped := feasible(s.model, Key(s.pod), &cluster)
	if !helped && mayPreempt(s.model, Key(s.pod), &cluster) {
		return
	}
	for _, source := range s.sources(templates, helped) {
		name := fmt.Sprint(helped, source.name)
		if s.vain[name] >= vainTries {
			continue
		}
		s.vain[name]++
		for _, event := range source.of(&State{API: &cluster}) {
			if s.worth(event, helped) {
				s.vain[name] = 0
				s.look(&cluster, templates, event, helped)
			}
		}
	}
}

// likeness says for which events one is taken for another, and what class it is of. Labels that nodes get, that change
// and that go are of several.
func likeness(event Action, undone bool) (alike, class string) {
	class = fmt.Sprint(undone, event.Class(), strings.HasSuffix(event.Doc, replaced),
		strings.HasPrefix(event.Doc, "labels: it loses"))
	if event.Verb == Update && (event.Ref.Kind == "Node" || event.Ref.Kind == "Pod") {
		return class + event.Doc, class
	}
	return class + event.Doc + event.Ref.Key(), class
}

// worth reports whether the event is worth a look: not enough were found, and it was not looked at often.
func (s *sleeper) worth(event Action, undo bool) bool {
	alike, class := likeness(event, undo)
	most := vainOthers
	if event.Ref.Kind == "Node" || event.Ref.Kind == "Pod" {
		most = vainTries
	}
	return s.tries[alike] < most && s.alike[class] < mostAlike
}

// look adds the event, or the one that undoes it, if it helps the pod.
func (s *sleeper) look(cluster, templates *spec.Snapshot, event Action, undo bool) {
	alike, class := likeness(event, undo)
	s.tries[alike]++
	before, after := cluster, afterEvent(cluster, event)
	if undo {
		back, ok := undone(cluster, event)
		if !ok {
			return
		}
		before, after, event = after, cluster, back
	}
	key := Key(s.pod)
	if protected(before, event) || in(before, key) == nil || feasible(s.model, key, before) ||
		mayPreempt(s.model, key, before) || !feasible(s.model, key, after) {
		return
	}
	s.tries[alike] = vainTries
	s.alike[class]++
	s.found = append(s.found, &Scope{
		Name: "waking", Doc: key + ": " + event.String(), Templates: templates, Initial: []*spec.Snapshot{before},
		Events: 1, Event: &event,
	})
}

// waken takes the run of a scope of Waking: the pod is tried whenever it can be, then the event happens, and then
// what else can.
func waken(scope *Scope) func(*State, Used) (Action, bool) {
	return func(state *State, used Used) (Action, bool) {
		actions := scope.Actions(state, used)
		for _, action := range actions {
			if action.Verb == Schedule || action.String() == scope.Event.String() {
				return action, true
			}
		}
		if len(actions) == 0 {
			return Action{}, false
		}
		return actions[0], true
	}
}

package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// expectation is what comes of a pod by kube-scheduler in process, and by the documents.
type expectation struct {
	question spec.Question
	// production and documented are the outcomes, each in a sentence: see ending. More than one is chance.
	production, documented []string
	// message is what kube-scheduler in process says why no node fits; empty if one does.
	message string
	// quirks are the deviations that explain what differs, each once; new reports whether something is left.
	quirks []string
	new    bool
}

// conclusive reports whether nothing that kube-scheduler may do is documented, so that it tells by what it does.
func (e *expectation) conclusive() bool {
	return !slices.ContainsFunc(e.production, func(ending string) bool { return slices.Contains(e.documented, ending) })
}

// conforms reports whether kube-scheduler does what is documented, and the same thing always.
func (e *expectation) conforms() bool {
	return len(e.production) == 1 && slices.Equal(e.production, e.documented)
}

// inProcess asks kube-scheduler in process, and the model.
type inProcess struct {
	session *decisions.Session
	decider decisions.Decider
	names   []string // of its profiles
}

// newInProcess starts kube-scheduler in process with the configuration, or the default one for nil.
func newInProcess(ctx context.Context, configuration []byte) (*inProcess, error) {
	config, err := production.DefaultConfig()
	if configuration != nil {
		config, err = production.LoadConfig("the scheduler's configuration", configuration)
	}
	if err != nil {
		return nil, err
	}
	names := config.Profiles()
	profile, err := config.Spec(names[0])
	if err != nil {
		return nil, err
	}
	decider, err := production.NewProfiles(ctx, config, names[0], production.Options{Messages: true})
	if err != nil {
		return nil, err
	}
	return &inProcess{decisions.NewSession(spec.New(profile), invariants.All(), decider), decider, names}, nil
}

func (a *inProcess) close() { _ = a.decider.Close() } // it changes no answer any more

// expect asks about a pod of the snapshot.
func (a *inProcess) expect(pod *v1.Pod, s *spec.Snapshot) *expectation {
	asked, findings := a.session.Ask(spec.Question{Pod: pod, Snapshot: s})
	e := &expectation{question: asked.Question, message: asked.Decision.Message}
	switch failure := asked.Decision.Failure; {
	case strings.Contains(failure, "panic"):
		e.production = []string{crashes(pod)}
	case failure != "":
		e.production = []string{fails(pod)}
	}
	for _, o := range asked.Decision.Outcomes {
		cleared := asked.Spec.Cleared(pod, o, s)
		if asked.Decision.Writes != nil && len(asked.Decision.Outcomes) == 1 {
			cleared = clearedBy(asked.Decision.Writes)
		}
		if o.Type == spec.Bind && reservationRefused(pod, s) {
			e.production = append(e.production, fails(pod))
			continue
		}
		e.production = append(e.production, ending(asked.Question, o, cleared))
	}
	if asked.Expected.NoDecision {
		e.documented = []string{fails(pod)}
	}
	for _, o := range asked.Expected.Outcomes {
		e.documented = append(e.documented, ending(asked.Question, o, asked.Spec.Cleared(pod, o, s)))
	}
	for _, finding := range findings {
		for _, quirk := range finding.Quirks {
			if !slices.Contains(e.quirks, quirk.Name) {
				e.quirks = append(e.quirks, quirk.Name)
			}
		}
		e.new = e.new || finding.Class == decisions.New
	}
	return e
}

// reservationRefused reports whether the API server refuses what comes before the binding: a claim is reserved for as
// many pods as can be.
func reservationRefused(pod *v1.Pod, s *spec.Snapshot) bool {
	return slices.ContainsFunc(spec.ResourceClaims(pod, s), func(claim *resourcev1.ResourceClaim) bool {
		return len(claim.Status.ReservedFor) >= resourcev1.ResourceClaimReservedForMaxSize &&
			!slices.ContainsFunc(claim.Status.ReservedFor, func(by resourcev1.ResourceClaimConsumerReference) bool {
				return by.UID == pod.UID
			})
	})
}

// clearedBy returns the pods whose nominations are cleared.
func clearedBy(writes []spec.Write) []*v1.Pod {
	var pods []*v1.Pod
	for _, w := range writes {
		if w.Pod != nil && slices.Equal(w.Fields, []string{"nominatedNodeName"}) {
			pods = append(pods, w.Pod)
		}
	}
	return pods
}

// before reports what would happen before the turn of the pod, if that changes anything: what comes of one that is as
// important and waits too. It is empty if nothing does.
func (a *inProcess) before(pod *v1.Pod, s *spec.Snapshot) string {
	for _, other := range spec.Unbound(s) {
		if other == pod || spec.Priority(other) < spec.Priority(pod) || other.DeletionTimestamp != nil ||
			spec.Gated(other) || !spec.ResourceClaimsThere(other, s) ||
			!slices.Contains(a.names, other.Spec.SchedulerName) {
			continue
		}
		stays := spec.Outcome{Type: spec.Wait, Node: -1, KeepsNomination: other.Status.NominatedNodeName != ""}
		waits := ending(spec.Question{Pod: other, Snapshot: s}, stays, nil)
		for _, happens := range a.expect(other, s).production {
			if happens != waits {
				return happens
			}
		}
	}
	return ""
}

// ending says in a sentence what comes of the pod, and whose nominations are cleared.
func ending(q spec.Question, o spec.Outcome, cleared []*v1.Pod) string {
	switch o.Type {
	case spec.Bind:
		return binds(q.Pod, q.Snapshot.Nodes[o.Node].Name)
	case spec.Preempt:
		var victims []string
		for _, victim := range o.Victims {
			if victim.DeletionTimestamp == nil {
				victims = append(victims, key(victim))
			}
		}
		var rooms []string
		for _, other := range cleared {
			rooms = append(rooms, key(other))
		}
		return preempts(q.Pod, q.Snapshot.Nodes[o.Node].Name, victims, rooms)
	}
	if o.KeepsNomination {
		return waits(q.Pod, q.Pod.Status.NominatedNodeName)
	}
	return waits(q.Pod, "")
}

func binds(pod *v1.Pod, node string) string { return fmt.Sprintf("%s is bound to %s", key(pod), node) }

func preempts(pod *v1.Pod, node string, victims, cleared []string) string {
	slices.Sort(victims)
	slices.Sort(cleared)
	text := "nobody"
	if len(victims) > 0 {
		text = strings.Join(victims, ", ")
	}
	text = fmt.Sprintf("%s is evicted and %s nominated to %s", text, key(pod), node)
	if len(cleared) > 0 {
		text += ", where " + strings.Join(cleared, ", ") + " is nominated no longer"
	}
	return text
}

// waits says that the pod stays pending, with its nomination to a node, or without one.
func waits(pod *v1.Pod, nominated string) string {
	text := key(pod) + " stays pending"
	switch {
	case nominated != "":
		text += " and nominated to " + nominated
	case pod.Status.NominatedNodeName != "":
		text += " and is nominated no longer"
	}
	return text
}

func fails(pod *v1.Pod) string { return "the cycle of " + key(pod) + " ends in an error" }

// crashes says that kube-scheduler itself ends, by a panic.
func crashes(pod *v1.Pod) string { return "kube-scheduler panics over " + key(pod) }

// endsOver says that kube-scheduler is there no longer, however that came.
func endsOver(pod *v1.Pod) string { return "kube-scheduler ends over " + key(pod) }

func key(pod *v1.Pod) string { return pod.Namespace + "/" + pod.Name }

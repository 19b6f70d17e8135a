package loop

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Transition is one step of a run, with the states around it.
type Transition struct {
	// Model is that of the first profile, with those of the others.
	Model *spec.Scheduler
	// Ask is that of the Subject; may be nil.
	Ask    func(spec.Question) *spec.Decision
	Before *State
	Action Action
	Step   Step
	After  *State
	// Began is the state in which the cycle of the step began, if something has happened since, of which some plugins know
	// and others do not; else nil.
	Began *State
}

// model is the model under the profile of the pod.
func (t *Transition) model(pod *v1.Pod) *spec.Scheduler { return t.Model.For(pod) }

// runs reports whether the profile of the pod filters with the plugin.
func (t *Transition) runs(plugin string, pod *v1.Pod) bool {
	return slices.Contains(t.model(pod).Profile.Filters, plugin)
}

// Violation is how a step breaks a property.
type Violation struct {
	// About groups violations that look alike: plugins, kind of event.
	About string
	// Pod is the pod it is about, "ns/name"; may be empty.
	Pod string
	// But says what is wrong.
	But string
	// Known names the known defect that explains it, "" if none does.
	Known string
}

// Property is what every step must have, or every behaviour.
type Property struct {
	Name string
	// Doc says it in a sentence.
	Doc string
	// Broken returns how the step breaks it, in a fixed order; nil for a property of behaviours.
	Broken func(t *Transition) []Violation
}

// Properties returns every property of steps.
func Properties() []Property {
	return []Property{wakeUp(), wakeUpToPreempt(), woken(), awaits(), keptOut(), sleeps(), retried(), heeds(),
		keepsPlace(), forgets(), onTime(), backsOff(), progress(), refinement(), levelsAgree(), conservation(), assumed(),
		cacheAgrees(), rollBack(), aborted(), inTurn(), boundStays(), exclusive(), volumesBound(),
		devicesReady(), signatures(), notWhileEvicting(), evictsVictims(), sparesWaiting(),
		nominationsCleared(), nominates(), devicesOnce(), allocationsValid(), claimsWritten(), volumesWritten(),
		reserves(), volumesSuffice(), volumesReached(), permitted(), postBound(), conditionTold(), batches(),
		failedGivenBack(), noVainWait(), noErrors(), handles(), noPanics(), repeatable()}
}

// Breach is a violation of a property.
type Breach struct {
	Property Property
	Violation
}

// Key names what the breach is grouped by.
func (b Breach) Key() string { return key(b.Property.Name, b.Known, b.About) }

// Broken returns how the step breaks the properties, in their order. A step that ends in a panic leaves a state of
// which little is known: it breaks no-panics, and nothing else is asked of it.
func (t *Transition) Broken() []Breach {
	if t.Action.Meanwhile != nil {
		return t.brokenMeanwhile()
	}
	return t.broken(Properties())
}

// broken returns how the step breaks the properties.
func (t *Transition) broken(properties []Property) []Breach {
	var all []Breach
	for _, property := range properties {
		if t.After.Panicked != "" && property.Name != noPanics().Name {
			continue
		}
		for _, v := range property.Broken(t) {
			if v.Known == "" {
				v.Known = t.keeps()
			}
			all = append(all, Breach{property, v})
		}
	}
	return all
}

// conservation returns the property that the scheduling queue loses no pod and holds none twice.
func conservation() Property {
	return Property{
		Name: "conservation",
		Doc: "Every pending pod is in exactly one of activeQ, backoffQ, unschedulablePods, gated, in flight and " +
			"binding (one that is being deleted in at most one), and no other pod is; between steps only pods that " +
			"wait on permit are in flight, and only pods that wait for their volumes or devices, or " +
			"of which the binding is under way, are binding.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			blame := func(pod, format string, args ...any) {
				broken = append(broken, Violation{Pod: pod, But: pod + " " + fmt.Sprintf(format, args...)})
			}
			for _, pod := range t.After.told().Pods {
				q, queued := t.After.Queued(Key(pod))
				switch pending := pod.Spec.NodeName == "" && t.After.boundUnheard(pod) == "" &&
					t.Model.Profile.Runs(pod.Spec.SchedulerName); {
				case pending && !queued && deleting(pod):
				case pending && !queued:
					blame(Key(pod), "is pending and in no part of the queue")
				case pending && len(q.Queues) != 1:
					blame(Key(pod), "is in several parts of the queue: %v", q.Queues)
				case pending && (q.In(InFlight) || q.In(Binding)) != q.Waits:
					blame(Key(pod), "is %v, and nothing is under way for it", q.Queues)
				case !pending && queued && !q.Waits: // else somebody else bound it, and its cycle is yet to end
					blame(Key(pod), "is not to be scheduled, but %v", q.Queues)
				}
			}
			for _, q := range t.After.Queue {
				if t.After.heard(q.Pod) == nil && !q.Devices && !q.Binds { // that goes on, as far as the time for it goes
					blame(q.Pod, "does not exist, but is %v", q.Queues)
				}
			}
			return broken
		},
	}
}

// assumed returns the property that an assumed pod is bound or forgotten. That one which is being deleted is forgotten
// at once is stated in code, from v1.35 on (comment of handleAssumedPodDeletion: it is rejected if it waits on permit,
// else "We must explicitly remove it from the cache here to free up its assumed resources").
func assumed() Property {
	return Property{
		Name: "assumed-bound-or-forgotten",
		Doc: "A pod is assumed on a node only while its binding cycle is under way, after which it is forgotten, or the " +
			"scheduler hears that it is bound; the same holds of volumes and claims that are reserved for it, until what " +
			"is written of them is heard. A pod without a node that is being deleted is not assumed, from v1.35 on.",
		Broken: func(t *Transition) []Violation {
			var broken []Violation
			forgets := (Known{Since: "v1.35"}).In(t.Model.Profile.Release)
			for _, pair := range t.After.Assumed {
				pod := t.After.heard(pair.Pod)
				if q, _ := t.After.Queued(pair.Pod); !q.Waits && (pod == nil || t.After.boundUnheard(pod) != pair.Node) {
					broken = append(
						broken,
						Violation{
							Pod: pair.Pod,
							But: fmt.Sprintf("%s is assumed on %s, and no binding is under way", pair.Pod, pair.Node),
						},
					)
				} else if forgets && pod != nil && deleting(pod) && pod.Spec.NodeName == "" {
					broken = append(broken, Violation{Pod: pair.Pod, About: "deleted", But: fmt.Sprintf(
						"%s, which is being deleted, is assumed on %s", pair.Pod, pair.Node)})
				}
			}
			for _, reserved := range t.After.Reserved {
				object := reserved.Object
				if !t.After.written(object) && !slices.ContainsFunc(
					t.After.Queue,
					func(q Queued) bool { return q.Waits && uses(t.After.heard(q.Pod), object, t.After.told()) },
				) {
					v := Violation{About: RefOf(object).Kind, But: fmt.Sprintf(
						"%s is reserved, and no binding of a pod that uses it is under way", RefOf(object))}
					if slices.ContainsFunc(t.After.told().ResourceClaims, func(told *resourcev1.ResourceClaim) bool {
						return RefOf(told) == RefOf(object) && t.After.restored(told)
					}) {
						v.Known = claimRestoredOutdated
					}
					broken = append(broken, v)
				}
			}
			return broken
		},
	}
}

// uses reports whether the pod uses the claim, or the claim that the volume is reserved for.
func uses(pod *v1.Pod, object runtime.Object, s *spec.Snapshot) bool {
	claim := RefOf(object)
	if claim.Kind == "ResourceClaim" {
		if claim.Name == Unmade { // nobody knows whose it is to be: any pod's may be, also of one that is gone meanwhile
			return true
		}
		if pod == nil {
			return false
		}
		if made := spec.EarlierClaim(pod, s); made != nil && RefOf(made) == claim {
			return true
		}
		return slices.ContainsFunc(spec.ResourceClaims(pod, s),
			func(used *resourcev1.ResourceClaim) bool { return RefOf(used) == claim })
	}
	if volume, ok := object.(*v1.PersistentVolume); ok && volume.Spec.ClaimRef != nil {
		claim.Namespace, claim.Name = volume.Spec.ClaimRef.Namespace, volume.Spec.ClaimRef.Name
	}
	return pod != nil && pod.Namespace == claim.Namespace &&
		slices.ContainsFunc(pod.Spec.Volumes, func(v v1.Volume) bool { return spec.ClaimName(pod, v) == claim.Name })
}

// cacheAgrees returns the property that the scheduler sees the cluster as it is.
func cacheAgrees() Property {
	return Property{
		Name: "cache-agrees",
		Doc: "Between steps the scheduler's cache and its nominated pods are what the API server's objects and the " +
			"assumed pods make; so are the device classes that stand for extended resources, how many pods use a claim, " +
			"and which nodes an image is on.",
		Broken: func(t *Transition) []Violation {
			if !slices.Equal(t.After.Cache, t.After.Expected) {
				v := Violation{About: "nodes", But: fmt.Sprintf("the cache has %s; the API server has %s",
					listed(without(t.After.Cache, t.After.Expected)), listed(without(t.After.Expected, t.After.Cache)))}
				switch {
				case t.forgetsPorts():
					v.Known = hostPortForgotten
				case t.After.resizedUnheard():
					v.Known = assumedChangesUnheard().Name
				}
				return []Violation{v}
			}
			var nominated []Pair
			for _, pod := range t.After.View().Pods {
				nomination := Pair{Key(pod), pod.Status.NominatedNodeName}
				if written := t.nomination(pod); written != nil {
					nomination.Node = *written
				} else if t.nominationStays(pod) {
					nomination.Node = t.Before.nominatedTo(pod)
				}
				pending := pod.Spec.NodeName == "" && t.Model.Profile.Runs(pod.Spec.SchedulerName)
				if nomination.Node != "" && pending &&
					(!deleting(pod) || slices.Contains(t.After.Nominated, nomination)) { // see readings
					nominated = append(nominated, nomination)
				}
			}
			var broken []Violation
			if len(t.After.Nowhere) > 0 {
				broken = append(broken, Violation{About: "nowhere", Pod: t.After.Nowhere[0], Known: t.has(nominatedNowhere),
					But: fmt.Sprintf("the queue has nominations of %v, to a node without name", t.After.Nowhere)})
			}
			if !slices.Equal(nominated, t.After.Nominated) {
				v := Violation{
					About: "nominations",
					But: fmt.Sprintf("the queue has the nominations %v, the API server %v", t.After.Nominated,
						nominated),
				}
				if only := without(nominated, t.After.Nominated); len(only) > 0 {
					v.Pod = only[0].Pod
				}
				broken = append(broken, v.explained(t))
			}
			return slices.Concat(broken, t.classesAgree(), t.claimsCounted())
		},
	}
}

// listed joins the lines that one has and the other has not.
func listed(lines []string) string {
	if len(lines) == 0 {
		return "nothing besides"
	}
	return strings.Join(lines, "; ")
}

func hasNode(s *State, name string) bool { return nodeOf(s, name) != nil }

// nodeOf returns the node of that name, as the scheduler has been told of it; nil if there is none.
func nodeOf(s *State, name string) *v1.Node {
	for _, node := range s.told().Nodes {
		if node.Name == name {
			return node
		}
	}
	return nil
}

// without returns the elements of a that are not in b.
func without[T comparable](a, b []T) []T {
	return slices.DeleteFunc(slices.Clone(a), func(x T) bool { return slices.Contains(b, x) })
}

// noErrors returns the property that what is not made to fail does not fail.
func noErrors() Property {
	return Property{
		Name: "no-errors",
		Doc: "A scheduling and binding cycle in which nothing is made to fail, and of whose pod nothing is unheard that " +
			"the API server refuses it for, reports no error about it.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Verb != Schedule || t.Action.Fault == WaitPermit ||
				t.madeToFail() && !slices.Contains(rejecting, t.Action.Fault) {
				return nil
			}
			errors := t.errors()
			if len(errors) == 0 {
				return nil
			}
			v := Violation{Pod: t.Step.Popped, But: "it reports " + strings.Join(errors, "; ")}
			view := t.Before.trying(t.Step.Popped).View()
			if pod := in(view, t.Step.Popped); pod != nil {
				if t.refused(pod) || spec.Gated(pod) { // the latter is told by kept-out
					return nil
				}
				v.Known = t.whyErrors(errors, pod, view)
			}
			return []Violation{v}
		},
	}
}

// whyErrors returns the known defects by which the cycle reports the errors about its pod; "" if there are none.
func (t *Transition) whyErrors(errors []string, pod *v1.Pod, view *spec.Snapshot) string {
	dryRun, first := postFilterFails(errors[:1]), t.triedFirst(pod)
	switch {
	case t.model(pod).Profile.VolumesTurnAway(pod, view) && dryRun:
		// By the same defect that keeps the nomination of such a pod, nobody is asked whether an eviction helps.
		return spec.TurnedAwayKeepsNomination().Name
	case first != "" && !hasNode(t.Before, first) &&
		strings.HasPrefix(errors[0], "Evaluation failed on nominated node"):
		if len(errors) == 1 {
			return nominatedNodeGone
		}
		if others := t.whyErrors(errors[1:], pod, view); others != "" {
			return nominatedNodeGone + "+" + others
		}
		return ""
	case t.bindsTwice(pod):
		return claimBoundTwice
	case t.bindsUnconverted(pod):
		return spec.UnboundUnconverted().Name
	case t.claimsUnbound():
		return t.unboundBy(pod, view)
	case slices.ContainsFunc(t.Before.told().ResourceClaims, func(claim *resourcev1.ResourceClaim) bool {
		return t.Before.restored(claim) && uses(pod, claim, t.Before.told())
	}):
		return claimRestoredOutdated
	case dryRun:
		return t.explanation(Key(pod), t.Before, dryRunFails)
	case t.failed():
		return t.explanation(Key(pod), t.Before, t.allowedBy)
	}
	return ""
}

// dryRunFails reports whether by the model, which only a quirk does, a filter ends the dry run of a preemption in an
// error.
func dryRunFails(m *spec.Scheduler, pod *v1.Pod, view *spec.Snapshot) bool {
	return slices.ContainsFunc(view.Nodes, func(node *v1.Node) bool {
		victims := spec.Jeopardy(pod, node, view)
		return len(victims) > 0 && m.FailsOn(pod, node, view.Without(victims...))
	})
}

// noPanics returns the property that the scheduler does not panic.
func noPanics() Property {
	return Property{
		Name: "no-panics",
		Doc:  "The scheduler does not panic.",
		Broken: func(t *Transition) []Violation {
			if len(t.Step.Panics) == 0 {
				return nil
			}
			v := Violation{
				Pod: t.Step.Popped, About: t.Action.Class(), But: "it panics: " + strings.Join(t.Step.Panics, "; "),
			}
			if t.Action.Verb == Schedule {
				v.Known = t.explanation(v.Pod, t.Before, (*spec.Scheduler).Panics)
			}
			return []Violation{v}
		},
	}
}

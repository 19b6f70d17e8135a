package loop

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Verb is what an action does.
type Verb uint8

const (
	// Create, Update and Delete are writes of somebody else to the API. Deleting a bound pod lets it terminate.
	Create Verb = iota
	Update
	Delete
	// Replace: an object is deleted and created anew while the watch of its kind is broken. An informer tells objects by
	// their names, so that the scheduler, which lists them anew, hears of one change.
	//
	// Source: comments of ResourceEventHandler.OnUpdate and SharedInformer in k8s.io/client-go/tools/cache.
	Replace
	// Complete: all containers of a bound pod have ended. It stays in the API with the phase Succeeded or Failed, where
	// the scheduler does not see it any more: it watches pods that have not completed, so this is a removal to it.
	Complete
	// Gone: the kubelet has stopped a terminating pod, and the API server removes it.
	Gone
	// Schedule: the scheduler takes the next pod off its queue and runs its scheduling cycle and its binding cycle,
	// until the pod is bound, is back in the queue, or waits on permit.
	Schedule
	// Allow, Reject and Expire end the wait of a pod on permit; Expire also that for its volumes, and the time in which
	// devices of a claim are to become ready.
	Allow
	Reject
	Expire
	// Restart: the scheduler ends and begins anew with what the API server has.
	Restart
	// Backoff: time passes until no pod is backing off, and the queue moves the pods whose backoff is over.
	Backoff
	// Flush: the time passes after which the queue retries pods in unschedulablePods whatever happened.
	Flush
	// Evict: a preemption goes on that is under way.
	Evict
	// Write: the API server has what kube-scheduler wrote of a pod that came back, or its binding.
	Write

	verbs = int(Write) + 1
)

// String returns the words used in reports.
func (v Verb) String() string {
	return [...]string{"create", "update", "delete", "replace", "complete", "gone", "schedule", "allow", "reject",
		"expire", "restart", "backoff", "flush", "evict", "write"}[v]
}

// Event reports whether the action is something that happens to the cluster, not a step of the scheduler or of its
// clock.
func (v Verb) Event() bool { return v <= Gone }

// Fault is what goes wrong in a scheduling or binding cycle.
type Fault uint8

const (
	NoFault Fault = iota
	// FailPreFilter, FailFilter, FailPreScore, FailScore, FailNormalize: a plugin of that extension point ends in an
	// error, for each node it is asked about. Where it is not asked, as another one rejects the pod or a node first, or no
	// node is scored, this is not a failure.
	FailPreFilter
	FailFilter
	FailPreScore
	FailScore
	FailNormalize
	// ExceedScore: a score plugin gives each node one more than the highest score there is.
	ExceedScore
	// FailAddPod, FailRemovePod: a plugin ends in an error as it is told that a pod is on a node that is not, or that one
	// is not that is: for nominated pods, and in the dry run of a preemption. Where there is neither, it is not asked.
	FailAddPod
	FailRemovePod
	// RejectPreFilter: a pre-filter plugin rejects the pod, and does not say that evictions cannot help.
	RejectPreFilter
	// FailReserve: a reserve plugin fails.
	FailReserve
	// RejectReserve: a reserve plugin rejects the pod.
	RejectReserve
	// RejectPermit: a permit plugin rejects the pod at once.
	RejectPermit
	// WaitPermit: a permit plugin lets the pod wait. This is not a failure.
	WaitPermit
	// FailPreFlight: a permit plugin lets the pod wait, and a pre-bind plugin fails before that, as it is asked whether
	// there will be anything for it to do (PreBindPreFlight).
	FailPreFlight
	// FailPreBind: a pre-bind plugin fails.
	FailPreBind
	// RejectPreBind: a pre-bind plugin rejects the pod, which backs off as if the plugin had failed.
	RejectPreBind
	// FailBind: the API server refuses the binding.
	FailBind
	// RefuseWrite: the API server refuses what is written of a volume or claim before the binding.
	RefuseWrite
	// Outrun: somebody else writes that volume or claim first, and changes nothing.
	Outrun
	// Busy: the API server is too busy to write the status of a pod, and is not when it is asked again. This is not a
	// failure.
	Busy
	// LateStatus: the API server refuses the binding, and what is then written of the pod is under way until Write.
	LateStatus
	// FailRollBack: the API server refuses the binding, and what is then written of claims for devices.
	FailRollBack
	// SlowBind: the binding is under way until Write. This is not a failure.
	SlowBind
	// SlowPreBind: a pre-bind plugin is not done until Write, and does not heed that it is cancelled. This is not a
	// failure.
	SlowPreBind
	// Cancelled: a pre-bind plugin is not done until Write, and the pod was preempted meanwhile. It is no fault of an
	// action; a pod that waits may have it.
	Cancelled
	// FailEvict: the API server refuses an eviction. It is a fault of Evict.
	FailEvict
)

// atPlugin is the faults of the extension points before Reserve at which a plugin fails; whileScoring are those of them
// that come up only where nodes are scored, and ofOthers those that come up only where there are other pods. rejecting
// is those by which a plugin rejects the pod in its scheduling cycle, and does not fail. beforeBind is the faults that
// are not atPlugin by which a pod is not bound; who is rejected on permit is asked about by permitted.
var (
	whileScoring = []Fault{FailPreScore, FailScore, FailNormalize, ExceedScore}
	ofOthers     = []Fault{FailAddPod, FailRemovePod}
	atPlugin     = slices.Concat([]Fault{FailPreFilter, FailFilter}, whileScoring, ofOthers)
	rejecting    = []Fault{RejectPreFilter, RejectReserve, RejectPermit}
	beforeBind   = []Fault{RejectPreFilter, FailReserve, RejectReserve, FailPreFlight, FailPreBind, RejectPreBind}
)

// FaultPlugin is the name of the plugin that rejects pods with a fault.
const FaultPlugin = "Faults"

// Faults returns every fault of Schedule.
func Faults() []Fault {
	return slices.Concat([]Fault{FailReserve, RejectPermit, WaitPermit, FailPreBind, FailBind, RefuseWrite, Outrun, Busy,
		LateStatus}, atPlugin, slowBind, preFlight, []Fault{RejectPreFilter, RejectReserve, RejectPreBind},
		slowPreBind, []Fault{FailRollBack})
}

// String returns the words used in reports.
func (f Fault) String() string {
	return [...]string{"", "pre-filter fails", "filter fails", "pre-score fails", "score fails", "normalize fails",
		"a score is too high", "a pod cannot be added", "a pod cannot be removed", "pre-filter rejects", "reserve fails",
		"reserve rejects", "permit rejects", "permit lets it wait", "permit lets it wait, and pre-flight fails",
		"pre-bind fails", "pre-bind rejects", "bind fails", "what it writes is refused", "somebody else writes first",
		"the API server is busy", "bind fails, and the status is under way", "bind fails, and what is given back is refused",
		"the binding is under way", "pre-bind is under way", "pre-bind is cancelled", "the API server refuses it"}[f]
}

// Ref names an object of the API.
type Ref struct{ Kind, Namespace, Name string }

// RefOf names an object of the API.
func RefOf(object runtime.Object) Ref {
	ref := Ref{Kind: reflect.TypeOf(object).Elem().Name()}
	if named, ok := object.(metav1.Object); ok {
		ref.Namespace, ref.Name = named.GetNamespace(), named.GetName()
	}
	return ref
}

// String returns "Pod ns/name", or "Node name" for what is in no namespace.
func (r Ref) String() string { return r.Kind + " " + r.Key() }

// Key returns "ns/name", or "name" for what is in no namespace.
func (r Ref) Key() string {
	if r.Namespace == "" {
		return r.Name
	}
	return r.Namespace + "/" + r.Name
}

// Action is one step of a run. A run is a function of its actions.
type Action struct {
	Verb Verb
	// Ref is the object that a write, Complete, Gone, Allow, Reject or Expire is about, or the pod that Evict or Write is
	// for.
	Ref Ref
	// Object is the object as it is to be, for Create, Update and Replace. It is not changed.
	Object runtime.Object
	// Doc says in words what an Update changes, as what a Replace makes it anew, who creates what a controller does, or
	// how far Evict is.
	Doc string
	// Fault is what goes wrong, for Schedule and Evict.
	Fault Fault
	// Volumes: Expire ends the wait for volumes, or a provisioner gives up, which counts as a cycle that fails.
	Volumes bool
	// Controller: the write is that of a controller that does its work, not an event of the scope.
	Controller bool
	// Heard: the write was made before, and kube-scheduler hears of it now.
	Heard bool
	// Meanwhile, for Schedule, is an event that comes while the pod is being tried: the scheduler has taken its snapshot
	// of the cluster, and asked no plugin yet. Filtered: it has filtered and scored, and is about to reserve what the pod
	// needs, or to preempt.
	Meanwhile *Action
	Filtered  bool
	// Missed: what is removed is so while the watch of its kind is broken. kube-scheduler finds out as it lists the
	// objects anew, and is told of the last that was known of it (cache.DeletedFinalStateUnknown).
	Missed bool
}

// likeAnother is how a change is said that makes the fields of an object those of another one.
const likeAnother = "fields: they are those of "

// LikeAnother reports whether the action makes the fields of an object those of another one, whatever they are.
func (a Action) LikeAnother() bool { return a.Verb == Update && strings.HasPrefix(a.Doc, likeAnother) }

// String says the action in words.
func (a Action) String() string {
	if a.Heard {
		a.Heard = false
		return "the scheduler hears of it: " + a.String()
	}
	if a.Missed {
		a.Missed = false
		return a.String() + ", which the scheduler, whose watch had broken, finds out as it lists anew"
	}
	switch a.Verb {
	case Create:
		if a.Controller {
			return a.Ref.String() + ": " + a.Doc
		}
		return a.Ref.String() + " is created"
	case Update:
		return a.Ref.String() + ": " + a.Doc
	case Delete:
		return a.Ref.String() + " is deleted"
	case Replace:
		return a.Ref.String() + " is deleted and created anew" + a.Doc +
			", and the scheduler, whose watch had broken, hears of one change"
	case Complete:
		return a.Ref.String() + " completes"
	case Gone:
		return a.Ref.String() + " has terminated and is gone"
	case Schedule:
		if a.Meanwhile != nil {
			point := "while that is being tried "
			if a.Filtered {
				point = "once that is filtered "
			}
			return "the scheduler takes the next pod; " + point + a.Meanwhile.String()
		}
		return strings.TrimSuffix("the scheduler takes the next pod; "+a.Fault.String(), "; ")
	case Allow:
		return a.Ref.String() + " is allowed by permit"
	case Reject:
		return a.Ref.String() + " is rejected by permit"
	case Expire:
		if a.EndsTimeOfDrivers() {
			return a.Ref.String() + ": the time is over in which its devices are to become ready"
		}
		return a.Ref.String() + " has waited too long"
	case Restart:
		return "the scheduler restarts"
	case Backoff:
		return "backoff is over"
	case Flush:
		return "the queue is flushed"
	case Evict:
		return strings.TrimSuffix("the evictions for "+a.Ref.String()+" "+a.Doc+"; "+a.Fault.String(), "; ")
	case Write:
		return "the API server has what was under way of " + a.Ref.String()
	}
	return fmt.Sprintf("action %d", a.Verb)
}

package scenario

import (
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// A workload is an object whose controller makes pods of a template. No controller runs here: of a new workload
// (one without metadata.uid, as people write it) the pods that it still wants are made at once, and wait. A stored
// one (with a uid, as kubectl get prints it) has the pods that were given with it, for its controller has acted
// already.

// Workload is a workload that was read, or made of one that was.
type Workload struct {
	Kind, Namespace, Name string
	// Like is a pod that the controller would make next, beyond those it wants; nil if there is none to be had: a
	// DaemonSet has one pod for each node, and further pods of a StatefulSet may need claims that are not there.
	Like *v1.Pod
}

// String names the workload, such as "Deployment shop/web".
func (w Workload) String() string { return describe(w.Kind, w.Namespace, w.Name) }

// mostReplicas is how many pods one workload may want: as many as Kubernetes supports in a cluster.
//
// Source: https://kubernetes.io/docs/setup/best-practices/cluster-large/
const mostReplicas = 150_000

// mostPods is the largest bound of an action of a Scenario.
const mostPods = 250

// expand adds what the controllers of new workloads would make, all of it admitted. It takes two rounds: a
// Deployment makes a ReplicaSet, and that makes pods.
func (r *reading) expand(objects []object) []object {
	if r.Admit == nil || len(r.errs) > 0 {
		return objects
	}
	around := surround(objects)
	for round := range 2 {
		var more []object
		for _, o := range objects {
			if (round == 0) == makesWorkloads(o) {
				more = append(more, r.made(o, around)...)
			}
		}
		if len(more) > 0 {
			objects = r.withoutTaken(append(objects, r.admitMade(objects, more)...))
			around = surround(objects)
		}
		if len(r.errs) > 0 {
			break
		}
	}
	return objects
}

// withoutTaken leaves out objects that were made if their names are taken: their controllers could not make them
// either.
func (r *reading) withoutTaken(objects []object) []object {
	named := map[[3]string]object{}
	return slices.DeleteFunc(objects, func(o object) bool {
		first, twice := named[o.key()]
		if !twice {
			named[o.key()] = o
			return false
		}
		r.note(o.root(), "%s would be made of it, and is in %s already: it is not made", o, first.source)
		return true
	})
}

func makesWorkloads(o object) bool {
	switch o.Object.(type) {
	case *appsv1.Deployment, *batchv1.CronJob:
		return true
	}
	return false
}

// made returns what the controller of a new workload would make, not yet admitted.
func (r *reading) made(o object, around *surroundings) []object {
	m := &maker{reading: r, owner: o, around: around}
	switch workload := o.Object.(type) {
	case *appsv1.Deployment:
		if len(m.controlled()) == 0 &&
			m.isNew("its ReplicaSets are those given", *workload.Spec.Replicas > 0) {
			m.add(replicaSetOf(workload), "ReplicaSet")
		}
	case *batchv1.CronJob:
		switch {
		case ptr.Deref(workload.Spec.Suspend, false):
			r.note(o, "spec.suspend: no Job is made of it")
		case len(m.controlled()) == 0 && m.isNew("its Jobs are those given", false):
			m.add(jobOf(workload), "Job")
			r.note(o, "one run of it is checked, a Job made of its template; its schedule is not read, nor are runs "+
				"that overlap")
		}
	case *appsv1.ReplicaSet:
		m.pods(&workload.Spec.Template, workload.Spec.Selector, *workload.Spec.Replicas, "spec.replicas")
	case *v1.ReplicationController:
		if workload.Spec.Template != nil {
			m.pods(workload.Spec.Template, metav1.SetAsLabelSelector(workload.Spec.Selector), *workload.Spec.Replicas,
				"spec.replicas")
		}
	case *batchv1.Job:
		m.jobPods(workload)
	case *appsv1.StatefulSet:
		m.statefulPods(workload)
	case *appsv1.DaemonSet:
		m.daemonPods(workload)
	}
	return m.made
}

// isNew reports whether the controller is still to act. That of a stored workload has acted; it is said if it wants
// more pods than there are.
func (m *maker) isNew(instead string, wants bool) bool {
	if !m.owner.stored {
		return true
	}
	if wants {
		m.note(m.owner, "it is from a cluster (it has a metadata.uid), so no pods are made of it: %s", instead)
	}
	return false
}

// existing returns the pods that the controller counts as its own: of those that its selector matches, those it
// controls, and those without a controller, which it would adopt.
func (m *maker) existing(selector *metav1.LabelSelector) []object {
	matches, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return nil // validation refused it
	}
	var pods []object
	for _, other := range slices.Concat(m.controlled(), m.around.loose[m.owner.GetNamespace()]) {
		pod, isPod := other.Object.(*v1.Pod)
		if isPod && pod.DeletionTimestamp == nil && !matches.Empty() && matches.Matches(labels.Set(pod.Labels)) {
			pods = append(pods, other)
		}
	}
	return pods
}

// admitMade admits what was made, into the cluster of the other objects. What is wrong with it is said of the
// workload, once.
func (r *reading) admitMade(objects, made []object) []object {
	more := r.missingClasses(made, objects)
	var bare []runtime.Object
	for _, o := range slices.Concat(objects, more) {
		switch class := o.Object.(type) {
		case *schedulingv1.PriorityClass:
			bare = append(bare, class)
		case *storagev1.StorageClass:
			bare = append(bare, class)
		}
	}
	classes := len(bare)
	for _, o := range made {
		bare = append(bare, o.Object.(runtime.Object))
	}
	admitted, errs := r.Admit(bare)
	said := map[string]bool{}
	kept := more
	for i, o := range made {
		for _, err := range errs[classes+i] {
			text := fmt.Sprintf("%s: %s", err.Field, err.ErrorBody())
			if workload := o.root().String(); !said[workload+text] {
				said[workload+text] = true
				r.fail(o.source, workload, "spec.template."+err.Field,
					fmt.Errorf("the %s made of it is refused: %s", o.kind, err.ErrorBody()))
			}
		}
		r.noteRuntimeClass(o)
		o.Object = admitted[classes+i].(metav1.Object)
		if len(errs[classes+i]) == 0 || !r.found[o.source.File] {
			kept = append(kept, o)
		}
	}
	return kept
}

// Workload finds a workload.
func (m *Manifests) Workload(kind, namespace, name string) (Workload, bool) {
	i := slices.IndexFunc(
		m.Workloads,
		func(w Workload) bool { return w.Kind == kind && w.Namespace == namespace && w.Name == name },
	)
	if i < 0 {
		return Workload{}, false
	}
	return m.Workloads[i], true
}

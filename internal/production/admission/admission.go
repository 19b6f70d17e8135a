// Package admission does to objects what the API server does to them on their way in: it
// gives them their defaults, runs the admission plugins that placement depends on, and validates them, by
// Kubernetes' own code wherever that can be called.
//
// It tells two sorts of object apart by metadata.uid, which only an API server gives out.
//
// A new object (no uid) is treated as on creation:
//   - it is defaulted, and loses fields of features that an older release has off: see Drop;
//   - the plugin Priority turns a pod's priorityClassName into its priority and preemption policy. A
//     class may be the default, two system classes are built in; an unknown class, or a stated value
//     that contradicts the class, is an error;
//   - the plugin DefaultTolerationSeconds lets a pod tolerate the NoExecute taints
//     node.kubernetes.io/not-ready and node.kubernetes.io/unreachable for 300 s unless the pod says
//     otherwise. The filter TaintToleration reads these tolerations;
//   - a claim without a class gets the default StorageClass, and a pod's matchLabelKeys are merged
//     into its label selectors; a Job gets a uid, and the selector and labels that are made of it;
//   - it is validated as for creation. Creation would wipe the status; it is kept here, as it is how a scenario says
//     what has happened already.
//
// A stored object (with a uid, as kubectl get prints it) went through all this before, in a cluster whose
// classes may be gone since. It is defaulted, a pod's priority is taken as it stands, and it is
// validated as for an update that changes nothing: Kubernetes tolerates in an update what an
// earlier release let in.
//
// The status of both is validated as for a status update that changes nothing.
//
// Left out on purpose are the plugins that need objects this project does not read (LimitRanger,
// RuntimeClass, ResourceQuota, webhooks), that guard who may do what, that act once a pod is placed
// (PodTopologyLabels), or that stand in for a controller (TaintNodesByCondition: a node has the
// taints it states, no others).
package admission

import (
	"context"
	"fmt"
	"reflect"
	goruntime "runtime"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/capabilities"

	// Each registers its group's types, defaults and conversions with legacyscheme.
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/extensions/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// Admit admits the objects into one cluster, in the order given, but priority and storage classes before
// the rest. It returns, in the order given, the admitted copies (without apiVersion and kind, as clients
// hold them) and the errors of each object; an object without errors has been admitted. The
// arguments are not changed. Privileged containers are let in, as they are in clusters: what else could run there is
// up to policies, which are not read.
//
// An object in a version that API servers served once, such as a Deployment of extensions/v1beta1, is admitted as the
// version is converted by Kubernetes itself. An object of a kind that is not among Kinds is an error of that object.
func Admit(objects []runtime.Object) ([]runtime.Object, []field.ErrorList) {
	capabilities.Setup(true, 0) // once for the process; further calls change nothing
	admitted := make([]runtime.Object, len(objects))
	errs := make([]field.ErrorList, len(objects))
	c := newCluster(objects)
	for i, object := range objects {
		if isClass(object) {
			admitted[i], errs[i] = c.admit(object)
		}
	}
	// Other objects are looked up by nobody, so that their order does not matter.
	workqueue.ParallelizeUntil(context.Background(), goruntime.GOMAXPROCS(0), len(objects), func(i int) {
		if !isClass(objects[i]) {
			admitted[i], errs[i] = c.admit(objects[i])
		}
	}, workqueue.WithChunkSize(64))
	return admitted, errs
}

// isClass reports whether other objects name objects of the kind, in any of its versions.
func isClass(object runtime.Object) bool {
	switch reflect.TypeOf(object).Elem().Name() {
	case "PriorityClass", "StorageClass":
		return true
	}
	return false
}

// admit takes one object through defaulting, admission and validation.
func (c *cluster) admit(object runtime.Object) (admitted runtime.Object, errs field.ErrorList) {
	defer func() {
		if wrong := recover(); wrong != nil { // an API server, too, answers that it failed and goes on
			admitted, errs = object, field.ErrorList{field.InternalError(nil, fmt.Errorf("%v", wrong))}
		}
	}()
	external, k, ok := current(object)
	if !ok {
		return object, field.ErrorList{field.NotSupported(field.NewPath("kind"), fmt.Sprintf("%T", object), Kinds())}
	}
	isNew := !stored(external)
	legacyscheme.Scheme.Default(external)
	if isNew {
		Drop(external)
		c.mutate(external)
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(external, schema.GroupVersion{Group: k.version.Group,
		Version: runtime.APIVersionInternal})
	if err != nil {
		return object, field.ErrorList{field.InternalError(nil, err)}
	}

	if isNew {
		errs = c.plug(k, internal)
	}
	errs = append(errs, k.validate(external, internal, isNew, &c.alike)...)

	admitted = k.empty()
	if err := legacyscheme.Scheme.Convert(internal, admitted, nil); err != nil {
		return object, append(errs, field.InternalError(nil, err))
	}
	c.hold(admitted) // though it may be wrong: objects that name it are not
	return admitted, tidy(errs)
}

// stored reports whether the object has been through admission before. A stored pod without a priority
// comes from a cluster without the plugin Priority, and is treated as new.
func stored(object runtime.Object) bool {
	accessor, err := meta.Accessor(object)
	if err != nil || accessor.GetUID() == "" {
		return false
	}
	pod, isPod := object.(*v1.Pod)
	return !isPod || pod.Spec.Priority != nil
}

// tidy says each error once: validation of an object and of its status overlap. Kubernetes reports
// a node's taints under metadata; they are in the spec.
func tidy(errs field.ErrorList) field.ErrorList {
	var tidied field.ErrorList
	said := map[string]bool{}
	for _, err := range errs {
		if rest, ok := strings.CutPrefix(err.Field, "metadata.taints"); ok {
			err.Field = "spec.taints" + rest
		}
		if !said[err.Error()] {
			said[err.Error()] = true
			tidied = append(tidied, err)
		}
	}
	return tidied
}

package admission

import (
	"context"
	"fmt"
	"strings"

	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingdefaults "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"
)

// cluster is what admission looks up: the classes admitted so far, and Kubernetes' own plugins that see them.
type cluster struct {
	priority        *priority.Plugin
	tolerations     *defaulttolerationseconds.Plugin
	priorityClasses cache.Indexer
	storageClasses  []*storagev1.StorageClass
	alike           alike
}

// newCluster returns a cluster that holds the built-in priority classes, save those among the objects.
func newCluster(objects []runtime.Object) *cluster {
	// The informers never run: their stores are filled by hand, so nothing is asked of a client.
	factory := informers.NewSharedInformerFactory(nil, 0)
	c := &cluster{
		priority:        priority.NewPlugin(),
		tolerations:     defaulttolerationseconds.NewDefaultTolerationSeconds(),
		priorityClasses: factory.Scheduling().V1().PriorityClasses().Informer().GetIndexer(),
	}
	c.priority.SetExternalKubeInformerFactory(factory)
	inspectGates(c.tolerations)

	given := map[string]bool{}
	for _, object := range objects {
		if class, ok := object.(*schedulingv1.PriorityClass); ok {
			given[class.Name] = true
		}
	}
	for _, class := range schedulingdefaults.SystemPriorityClasses() {
		if !given[class.Name] {
			c.hold(class)
		}
	}
	return c
}

// hold keeps an admitted class for the objects that name it. Other objects are looked up by nobody.
func (c *cluster) hold(object runtime.Object) {
	switch class := object.(type) {
	case *schedulingv1.PriorityClass:
		if err := c.priorityClasses.Add(class); err != nil {
			panic(fmt.Sprintf("admitted class has no key: %v", err))
		}
	case *storagev1.StorageClass:
		c.storageClasses = append(c.storageClasses, class)
	}
}

// plug runs Kubernetes' plugins on a new object of the internal version, which they change.
func (c *cluster) plug(k kind, internal runtime.Object) field.ErrorList {
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	attributes := admission.NewAttributesRecord(internal, nil, k.version.WithKind(k.name), accessor.GetNamespace(),
		accessor.GetName(), k.version.WithResource(k.resource), "", admission.Create, nil, false, nil)
	ctx := context.Background()
	var errs field.ErrorList
	for _, step := range []func() error{
		func() error { return c.priority.Admit(ctx, attributes, nil) },
		func() error { return c.tolerations.Admit(ctx, attributes, nil) },
		func() error { return c.priority.Validate(ctx, attributes, nil) },
	} {
		if err := step(); err != nil {
			reason := strings.TrimPrefix(err.Error(), fmt.Sprintf("%s.%s %q is forbidden: ", k.resource,
				k.version.Group, accessor.GetName()))
			reason = strings.TrimPrefix(reason, fmt.Sprintf("%s %q is forbidden: ", k.resource, accessor.GetName()))
			errs = append(errs, c.refusal(internal, reason))
		}
	}
	return errs
}

// refusal names the field that the plugin Priority refused, which the plugin itself does not.
func (c *cluster) refusal(internal runtime.Object, reason string) *field.Error {
	switch object := internal.(type) {
	case *core.Pod:
		class := object.Spec.PriorityClassName
		if _, known, _ := c.priorityClasses.GetByKey(class); class != "" && !known {
			return field.Invalid(field.NewPath("spec", "priorityClassName"), class,
				reason+"; give the PriorityClass too, or take the name out")
		}
		// The plugin sets the priority before it looks at the policy.
		if strings.Contains(reason, "value of priority") {
			return field.Invalid(field.NewPath("spec", "priority"), *object.Spec.Priority,
				reason+"; take it out, and name a PriorityClass of the value that is wanted")
		}
		return field.Invalid(field.NewPath("spec", "preemptionPolicy"), *object.Spec.PreemptionPolicy,
			reason+"; take it out, and name a PriorityClass of the policy that is wanted")
	case *scheduling.PriorityClass:
		return field.Forbidden(field.NewPath("globalDefault"), reason)
	}
	return field.Forbidden(nil, reason)
}

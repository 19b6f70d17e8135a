package objects

import (
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withClasses returns the cluster in which every pod names a PriorityClass that gives it the priority and the
// preemption policy that it has, and a RuntimeClass that gives it its overhead: an API server takes them from nowhere
// else. Pods that have no priority get 0 there.
func withClasses(c Cluster) Cluster {
	snapshot := *c.Snapshot
	snapshot.Pods = nil
	classes := slices.Clone(c.PriorityClasses)
	var runtimes []*nodev1.RuntimeClass
	for _, pod := range c.Pods {
		name := classOf(pod, classes)
		if name == "" && !plain(pod, classes) {
			class := classFor(pod)
			if name = class.Name; !slices.ContainsFunc(classes, named(name)) {
				classes = append(classes, class)
			}
		}
		pod = pod.DeepCopy()
		pod.Spec.PriorityClassName = name
		if len(pod.Spec.Overhead) > 0 {
			runtime := &nodev1.RuntimeClass{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("overhead-%d", len(runtimes))}, Handler: "plain",
				Overhead: &nodev1.Overhead{PodFixed: pod.Spec.Overhead},
			}
			runtimes = append(runtimes, runtime)
			pod.Spec.RuntimeClassName, pod.Spec.Overhead = &runtime.Name, nil
		}
		snapshot.Pods = append(snapshot.Pods, pod)
	}
	return Cluster{&snapshot, classes, runtimes}
}

func named(name string) func(*schedulingv1.PriorityClass) bool {
	return func(c *schedulingv1.PriorityClass) bool { return c.Name == name }
}

// systemClasses are those that the API server has by itself. No other may give as much.
var systemClasses = map[string]int32{"system-cluster-critical": 2_000_000_000, "system-node-critical": 2_000_001_000}

// classOf returns the class that the pod names, if it gives the pod what it has; "" if not.
func classOf(pod *v1.Pod, classes []*schedulingv1.PriorityClass) string {
	name := pod.Spec.PriorityClassName
	for system, value := range systemClasses {
		if priority(pod) == value && !neverPreempts(pod.Spec.PreemptionPolicy) {
			return system
		}
	}
	i := slices.IndexFunc(classes, named(name))
	if i < 0 || classes[i].Value != priority(pod) || neverPreempts(classes[i].PreemptionPolicy) !=
		neverPreempts(pod.Spec.PreemptionPolicy) {
		return ""
	}
	return name
}

// plain reports whether a pod without a class gets what the pod has.
func plain(pod *v1.Pod, classes []*schedulingv1.PriorityClass) bool {
	return priority(pod) == 0 && !neverPreempts(pod.Spec.PreemptionPolicy) &&
		!slices.ContainsFunc(classes, func(c *schedulingv1.PriorityClass) bool { return c.GlobalDefault })
}

// classFor returns a class of its own for pods like this one.
func classFor(pod *v1.Pod) *schedulingv1.PriorityClass {
	name := strings.Replace(fmt.Sprintf("priority-%d", priority(pod)), "--", "-minus-", 1)
	if neverPreempts(pod.Spec.PreemptionPolicy) {
		name += "-never"
	}
	return &schedulingv1.PriorityClass{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Value: priority(pod), PreemptionPolicy: pod.Spec.PreemptionPolicy,
	}
}

func priority(pod *v1.Pod) int32 {
	if pod.Spec.Priority == nil {
		return 0
	}
	return *pod.Spec.Priority
}

func neverPreempts(policy *v1.PreemptionPolicy) bool {
	return policy != nil && *policy == v1.PreemptNever
}

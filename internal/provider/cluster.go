package provider

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// New returns the cluster of the options, with the pending pods Fits (not if it is dense), Preempts and Never; where
// nodes have GPUs, with those of claims that have got none.
func New(o Options) *Cluster {
	b := &builder{Cluster: &Cluster{}, Rand: rand.New(rand.NewPCG(o.Seed, 1)), options: o, named: map[string]bool{}}
	b.namespaces()
	b.priorityClasses()
	if o.Dense {
		b.dense()
		return b.Cluster
	}
	if o.GPUs > 0 {
		b.gpuNodes()
		return b.Cluster
	}
	b.storageClass()
	b.nodes()
	b.daemonSets()
	b.staticPods()
	b.workloads()
	b.pending()
	return b.Cluster
}

// builder fills a cluster.
type builder struct {
	*Cluster
	*rand.Rand
	options Options
	free    []*capacity
	// next is where the search for a node goes on, so that pods are spread as a scheduler would.
	next int
	uids uint64
	// named are the names that hash gave.
	named map[string]bool
}

// capacity is a node with what is still free on it.
type capacity struct {
	node        *v1.Node
	pool        pool
	cpu, memory int64 // in millicores and MiB
	pods        int
}

// epoch is when the cluster was made.
var epoch = time.Date(2026, time.January, 5, 8, 0, 0, 0, time.UTC)

// meta returns the metadata of an object, created so long after the epoch.
func (b *builder) meta(namespace, name string, age time.Duration, labels map[string]string) metav1.ObjectMeta {
	b.uids++
	return metav1.ObjectMeta{
		Namespace: namespace, Name: name, Labels: labels, Generation: 1,
		UID:               types.UID(fmt.Sprintf("%08x-6d63-4000-8000-%012x", b.options.Seed&0xffffffff, b.uids)),
		ResourceVersion:   fmt.Sprint(100000 + b.uids),
		CreationTimestamp: metav1.NewTime(epoch.Add(age).Truncate(time.Second)),
	}
}

// later draws a time after the epoch, in whole seconds.
func (b *builder) later() time.Duration { return time.Duration(b.IntN(200*24*3600)) * time.Second }

// hash adds letters and digits to a name as they end those of generated objects; none twice.
func (b *builder) hash(name string, n int) string {
	const letters = "bcdfghjklmnpqrstvwxz2456789"
	for {
		hashed := []byte(name)
		for range n {
			hashed = append(hashed, letters[b.IntN(len(letters))])
		}
		if !b.named[string(hashed)] {
			b.named[string(hashed)] = true
			return string(hashed)
		}
	}
}

func (b *builder) namespaces() {
	for _, name := range []string{"default", "kube-system", "monitoring", Namespace, "payments", "data", "batch"} {
		b.Namespaces = append(b.Namespaces, &v1.Namespace{
			ObjectMeta: b.meta("", name, 0, map[string]string{v1.LabelMetadataName: name}),
			Status:     v1.NamespaceStatus{Phase: v1.NamespaceActive},
		})
	}
}

// priorities are the values of the priority classes.
var priorities = map[string]int32{
	"system-node-critical": 2000001000, "system-cluster-critical": 2000000000,
	"critical": 1000000, "production": 100000, "standard": 1000, "batch": -10,
}

func (b *builder) priorityClasses() {
	for _, name := range []string{"critical", "production", "standard", "batch"} {
		policy := v1.PreemptLowerPriority
		if name == "batch" {
			policy = v1.PreemptNever
		}
		b.PriorityClasses = append(b.PriorityClasses, &schedulingv1.PriorityClass{
			ObjectMeta: b.meta("", name, 0, nil), Value: priorities[name], GlobalDefault: name == "standard",
			PreemptionPolicy: &policy, Description: "Pods that are " + name + ".",
		})
	}
}

// amount is what a pod asks for, in millicores and MiB.
type amount struct{ cpu, memory int64 }

func (a amount) list() v1.ResourceList {
	return v1.ResourceList{
		v1.ResourceCPU:    *resource.NewMilliQuantity(a.cpu, resource.DecimalSI),
		v1.ResourceMemory: *resource.NewQuantity(a.memory<<20, resource.BinarySI),
	}
}

// place binds the pod to the next node that has room for it and is wanted; it reports whether there is one.
func (b *builder) place(pod *v1.Pod, wants func(*capacity) bool) bool {
	asks := amountOf(pod)
	for range b.free {
		r := b.free[b.next]
		b.next = (b.next + 1) % len(b.free)
		if r.cpu < asks.cpu || r.memory < asks.memory || r.pods < 1 || !tolerates(pod, r.node) || !wants(r) {
			continue
		}
		b.bind(pod, r)
		return true
	}
	return false
}

// bind binds the pod to the node, where it runs.
func (b *builder) bind(pod *v1.Pod, r *capacity) {
	asks := amountOf(pod)
	r.cpu, r.memory, r.pods = r.cpu-asks.cpu, r.memory-asks.memory, r.pods-1
	start := metav1.NewTime(pod.CreationTimestamp.Add(3 * time.Second))
	pod.Spec.NodeName = r.node.Name
	pod.Status.Phase, pod.Status.StartTime = v1.PodRunning, &start
	for _, condition := range []v1.PodConditionType{v1.PodScheduled, v1.PodInitialized, v1.ContainersReady, v1.PodReady} {
		pod.Status.Conditions = append(pod.Status.Conditions,
			v1.PodCondition{Type: condition, Status: v1.ConditionTrue, LastTransitionTime: start})
	}
	b.Pods = append(b.Pods, pod)
}

func amountOf(pod *v1.Pod) amount {
	requests := pod.Spec.Containers[0].Resources.Requests
	return amount{requests.Cpu().MilliValue(), requests.Memory().Value() >> 20}
}

func tolerates(pod *v1.Pod, node *v1.Node) bool {
	return !slices.ContainsFunc(node.Spec.Taints, func(taint v1.Taint) bool {
		return !slices.ContainsFunc(pod.Spec.Tolerations, func(t v1.Toleration) bool {
			return (t.Key == "" || t.Key == taint.Key) && (t.Effect == "" || t.Effect == taint.Effect) &&
				(t.Operator == v1.TolerationOpExists || t.Value == taint.Value)
		})
	})
}

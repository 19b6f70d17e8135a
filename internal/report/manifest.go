package report

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// List is a cluster as Kubernetes objects, as kubectl get -o json prints it and kubectl apply and modelcheck -f
// read it. What the API server fills in by itself is left out. A kubectl apply does not set status and
// deletionTimestamp; modelcheck -f reads them.
type List struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Items      []any  `json:"items"`
}

// manifests writes a snapshot as objects to be created anew. Priorities are given by PriorityClasses, as anything
// else would be refused.
func manifests(s *spec.Snapshot) List {
	list := List{APIVersion: "v1", Kind: "List"}
	add := func(apiVersion, kind string, object any) {
		list.Items = append(list.Items, manifest(apiVersion, kind, object))
	}
	for _, namespace := range s.Namespaces {
		if namespace.Name != metav1.NamespaceDefault {
			add("v1", "Namespace", &v1.Namespace{ObjectMeta: bare(namespace)})
		}
	}
	classes := &priorityClasses{}
	var pods []*v1.Pod
	for _, pod := range s.Pods {
		pods = append(pods, newPod(pod, classes.of(pod)))
	}
	for _, class := range classes.all {
		add("scheduling.k8s.io/v1", "PriorityClass", class)
	}
	for _, object := range s.StorageClasses {
		add("storage.k8s.io/v1", "StorageClass", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.CSIDrivers {
		add("storage.k8s.io/v1", "CSIDriver", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.CSIStorageCapacities {
		add("storage.k8s.io/v1", "CSIStorageCapacity", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.PersistentVolumes {
		add("v1", "PersistentVolume", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.PersistentVolumeClaims {
		add("v1", "PersistentVolumeClaim", ownedAnew(withMeta(object.DeepCopy(), bare(object)), s))
	}
	for _, node := range s.Nodes {
		add("v1", "Node", newNode(node))
	}
	for _, object := range s.CSINodes {
		add("storage.k8s.io/v1", "CSINode", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.VolumeAttachments {
		add("storage.k8s.io/v1", "VolumeAttachment", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.DeviceClasses {
		add("resource.k8s.io/v1", "DeviceClass", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.ResourceSlices {
		add("resource.k8s.io/v1", "ResourceSlice", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.ResourceClaimTemplates {
		add("resource.k8s.io/v1", "ResourceClaimTemplate", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.ResourceClaims {
		add("resource.k8s.io/v1", "ResourceClaim", devicesOwnedAnew(withMeta(object.DeepCopy(), bare(object)), s))
	}
	for _, object := range s.PodDisruptionBudgets {
		add("policy/v1", "PodDisruptionBudget", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.Services {
		add("v1", "Service", withMeta(object.DeepCopy(), bare(object)))
	}
	for _, object := range s.ReplicationControllers {
		object = withMeta(object.DeepCopy(), bare(object))
		object.Spec.Replicas = ptr.To[int32](0) // the pods are those below: no more are to be made of it
		add("v1", "ReplicationController", object)
	}
	for _, object := range s.ReplicaSets {
		object = withMeta(object.DeepCopy(), bare(object))
		object.Spec.Replicas = ptr.To[int32](0)
		add("apps/v1", "ReplicaSet", object)
	}
	for _, object := range s.StatefulSets {
		object = withMeta(object.DeepCopy(), bare(object))
		object.Spec.Replicas = ptr.To[int32](0)
		add("apps/v1", "StatefulSet", object)
	}
	for _, pod := range pods {
		add("v1", "Pod", pod)
	}
	return list
}

// bare keeps of an object's metadata what its author would write.
func bare(object metav1.Object) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Namespace: object.GetNamespace(), Name: object.GetName(), Labels: object.GetLabels(),
		Annotations: object.GetAnnotations(),
	}
}

// withMeta returns the object this metadata. The object is a copy.
func withMeta[T metav1.Object](object T, meta metav1.ObjectMeta) T {
	object.SetUID("")
	object.SetResourceVersion("")
	object.SetGeneration(0)
	object.SetCreationTimestamp(metav1.Time{})
	object.SetManagedFields(nil)
	object.SetLabels(meta.Labels)
	object.SetAnnotations(meta.Annotations)
	return object
}

// ownedAnew returns the claim the uids that its owners have when the manifests are read: pods that state none are
// known by their names.
func ownedAnew(claim *v1.PersistentVolumeClaim, s *spec.Snapshot) *v1.PersistentVolumeClaim {
	for i := range claim.OwnerReferences {
		owner := &claim.OwnerReferences[i]
		if p := slices.IndexFunc(s.Pods, func(pod *v1.Pod) bool { return pod.UID == owner.UID }); p >= 0 {
			owner.UID = model.PodUID(s.Pods[p].Namespace, s.Pods[p].Name)
		}
	}
	return claim
}

// devicesOwnedAnew names the pods that a claim of devices is made and reserved for by the UIDs that these will have.
func devicesOwnedAnew(claim *resourcev1.ResourceClaim, s *spec.Snapshot) *resourcev1.ResourceClaim {
	for _, pod := range s.Pods {
		uid := model.PodUID(pod.Namespace, pod.Name)
		for i, owner := range claim.OwnerReferences {
			if owner.UID == pod.UID {
				claim.OwnerReferences[i].UID = uid
			}
		}
		for i, consumer := range claim.Status.ReservedFor {
			if consumer.UID == pod.UID {
				claim.Status.ReservedFor[i].UID = uid
			}
		}
	}
	return claim
}

func newNode(node *v1.Node) *v1.Node {
	fresh := &v1.Node{ObjectMeta: bare(node), Spec: node.Spec}
	fresh.Status = v1.NodeStatus{
		Capacity: node.Status.Capacity, Allocatable: node.Status.Allocatable, Images: node.Status.Images,
		Phase: node.Status.Phase,
	}
	spec.SetDeclaredFeatures(fresh, spec.DeclaredFeatures(node))
	return fresh
}

// newPod returns the pod as its author would write it, in the priority class.
func newPod(pod *v1.Pod, class string) *v1.Pod {
	fresh := pod.DeepCopy()
	fresh.ObjectMeta = bare(pod)
	fresh.DeletionTimestamp, fresh.DeletionGracePeriodSeconds = pod.DeletionTimestamp, pod.DeletionGracePeriodSeconds
	if owner := metav1.GetControllerOf(pod); owner != nil {
		if owner.UID == "" {
			owner.UID = "owner" // any will do, but one must be stated
		}
		fresh.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	if fresh.Status.QOSClass = ""; fresh.Status.Phase == v1.PodPending {
		fresh.Status.Phase = ""
	}
	s := &fresh.Spec
	s.PriorityClassName, s.Priority, s.PreemptionPolicy = class, nil, nil
	s.Tolerations = slices.DeleteFunc(s.Tolerations, fromAdmission)
	s.SecurityContext, s.EnableServiceLinks, s.DNSPolicy, s.TerminationGracePeriodSeconds = nil, nil, "", nil
	if s.RestartPolicy == v1.RestartPolicyAlways {
		s.RestartPolicy = ""
	}
	if s.SchedulerName == v1.DefaultSchedulerName {
		s.SchedulerName = ""
	}
	for _, containers := range [][]v1.Container{s.InitContainers, s.Containers} {
		for i := range containers {
			c := &containers[i]
			c.TerminationMessagePath, c.TerminationMessagePolicy, c.ImagePullPolicy = "", "", ""
		}
	}
	return fresh
}

// priorityClasses are those that the pods of a snapshot need.
type priorityClasses struct{ all []*schedulingv1.PriorityClass }

// of names the class that gives a pod its priority and preemption policy: its own, or one made for it. It is empty
// if the pod needs none.
func (p *priorityClasses) of(pod *v1.Pod) string {
	priority, name := spec.Priority(pod), pod.Spec.PriorityClassName
	if strings.HasPrefix(name, "system-") {
		return name
	}
	switch {
	case name == "" && priority == 0 && spec.Preempts(pod):
		return ""
	case priority == 2_000_000_000: // the built-in classes of such priorities, which no other class may have
		return "system-cluster-critical"
	case priority == 2_000_001_000:
		return "system-node-critical"
	}
	policy := v1.PreemptLowerPriority
	if !spec.Preempts(pod) {
		policy = v1.PreemptNever
	}
	made := strings.ToLower(fmt.Sprintf("priority-%d-%s", priority, policy))
	made = strings.Replace(made, "--", "-minus-", 1)
	for _, candidate := range []string{name, made} {
		if candidate == "" {
			continue
		}
		known := p.find(candidate)
		if known == nil {
			p.all = append(p.all, &schedulingv1.PriorityClass{
				ObjectMeta: metav1.ObjectMeta{Name: candidate}, Value: priority, PreemptionPolicy: &policy,
			})
			return candidate
		}
		if known.Value == priority && *known.PreemptionPolicy == policy {
			return candidate
		}
	}
	return made
}

func (p *priorityClasses) find(name string) *schedulingv1.PriorityClass {
	for _, class := range p.all {
		if class.Name == name {
			return class
		}
	}
	return nil
}

// manifest returns an object with its kind, without the fields that are empty and that Kubernetes writes nevertheless.
func manifest(apiVersion, kind string, object any) map[string]any {
	raw, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("report: %s cannot be written: %v", kind, err)) // API objects always can
	}
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		panic(fmt.Sprintf("report: %s cannot be read back: %v", kind, err))
	}
	fields["apiVersion"], fields["kind"] = apiVersion, kind
	drop(fields, "metadata", "creationTimestamp")
	drop(fields, "status", "nodeInfo")
	drop(fields, "status", "daemonEndpoints")
	if spec, ok := fields["spec"].(map[string]any); ok {
		for _, key := range []string{"initContainers", "containers"} {
			containers, _ := spec[key].([]any)
			for _, c := range containers {
				if resources, ok := c.(map[string]any)["resources"].(map[string]any); ok && len(resources) == 0 {
					delete(c.(map[string]any), "resources")
				}
			}
		}
	}
	for _, key := range []string{"spec", "status"} {
		if part, ok := fields[key].(map[string]any); ok && len(part) == 0 {
			delete(fields, key)
		}
	}
	return fields
}

// drop takes a field of a field away.
func drop(fields map[string]any, in, key string) {
	if part, ok := fields[in].(map[string]any); ok {
		delete(part, key)
	}
}

package audit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Changes are what would be otherwise, besides objects that Options.Cluster has more. They are made in the order of the
// fields, and then kube-scheduler takes its queue.
type Changes struct {
	// Scale are the workloads that have another number of pods.
	Scale []Scale
	// AddNodes is how many nodes like the one of the name Like there are more.
	AddNodes int
	Like     string
	// Drain names nodes from which all pods are evicted that can be.
	Drain []string
	// Fill is a pod of which there are as many copies, one after the other, as nodes take; nil for none.
	Fill *v1.Pod
	// Recreate: controllers create pods in the place of those that are evicted.
	Recreate bool
}

// Scale is a workload with the number of pods that it is to have.
type Scale struct {
	Kind, Namespace, Name string
	Replicas              int
	// Like is a pod that its controller would make next; nil if one of its pods is to be taken for that.
	Like *v1.Pod
}

// String names the workload, as in "Deployment shop/web".
func (s Scale) String() string { return s.Kind + " " + s.Namespace + "/" + s.Name }

// change makes the changes, but for draining and filling. An error is the user's, who named what is not there.
func (r *run) change(c *Changes) error {
	for _, scale := range c.Scale {
		if err := r.scale(scale); err != nil {
			return err
		}
	}
	if c.AddNodes > 0 {
		if err := r.addNodes(c.AddNodes, c.Like); err != nil {
			return err
		}
	}
	return r.cordon(c.Drain)
}

// scale gives a workload the number of pods.
func (r *run) scale(to Scale) error {
	var pods []*v1.Pod
	for _, pod := range r.cluster.Now.Pods {
		if Owner(pod) == to.String() && pod.DeletionTimestamp == nil {
			pods = append(pods, pod)
		}
	}
	if less := len(pods) - to.Replicas; less > 0 {
		gone := scaledDown(pods, to.Kind)[:less]
		r.cluster.Remove(func(pod *v1.Pod) bool { return slices.Contains(gone, pod) })
		r.result.Removed = append(r.result.Removed, gone...)
		return nil
	}
	like := to.Like
	if len(pods) > 0 {
		like = pods[len(pods)-1]
	}
	if like == nil && to.Replicas > 0 {
		return fmt.Errorf("%s has no pod that further ones could be like: add one, or its manifest as it was applied",
			to)
	}
	for n := len(pods); n < to.Replicas; n++ {
		name := fmt.Sprintf("%s-new-%d", to.Name, n+1)
		if to.Kind == "StatefulSet" {
			name = fmt.Sprintf("%s-%d", to.Name, n)
		}
		r.claims(like, r.cluster.Copy(like, name))
	}
	return nil
}

// scaledDown orders the pods of a workload: those go first that their controller deletes first.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset/#scaling-a-replicaset (pending pods, then
// by controller.kubernetes.io/pod-deletion-cost, then those on nodes with more replicas, then the newest), and for
// StatefulSets https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#deployment-and-scaling-guarantees
// (in reverse order).
func scaledDown(pods []*v1.Pod, kind string) []*v1.Pod {
	on := map[string]int{}
	for _, pod := range pods {
		on[pod.Spec.NodeName]++
	}
	bound := func(pod *v1.Pod) int { return min(1, len(pod.Spec.NodeName)) }
	ordered := slices.Clone(pods)
	slices.SortStableFunc(ordered, func(a, b *v1.Pod) int {
		if kind == "StatefulSet" {
			return cmp.Compare(ordinal(b), ordinal(a))
		}
		return cmp.Or(
			cmp.Compare(bound(a), bound(b)), cmp.Compare(deletionCost(a), deletionCost(b)),
			cmp.Compare(on[b.Spec.NodeName], on[a.Spec.NodeName]),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
		)
	})
	return ordered
}

func deletionCost(pod *v1.Pod) int {
	cost, _ := strconv.Atoi(pod.Annotations["controller.kubernetes.io/pod-deletion-cost"]) // 0 if it states none
	return cost
}

// ordinal is the number at the end of the name of a pod of a StatefulSet.
func ordinal(pod *v1.Pod) int {
	n, _ := strconv.Atoi(pod.Name[strings.LastIndex(pod.Name, "-")+1:])
	return n
}

// claims gives a new pod of a StatefulSet claims of its own, like those of another one, that are still to be bound. Of
// a class that binds at once the volume is left aside: a volume will be there before the pod is scheduled.
func (r *run) claims(like, pod *v1.Pod) {
	now := *r.cluster.Now
	var volumes []v1.Volume
	for _, volume := range pod.Spec.Volumes {
		name := spec.ClaimName(pod, volume)
		template, own := strings.CutSuffix(name, "-"+like.Name)
		claim := claimNamed(now.PersistentVolumeClaims, pod.Namespace, name)
		if !own || claim == nil || volume.PersistentVolumeClaim == nil {
			volumes = append(volumes, volume)
			continue
		}
		if !waits(claim, now.StorageClasses) {
			continue
		}
		another := claim.DeepCopy()
		another.Name = template + "-" + pod.Name
		another.UID, another.Annotations = types.UID(another.Namespace+"/"+another.Name), nil
		another.Spec.VolumeName, another.Status = "", v1.PersistentVolumeClaimStatus{Phase: v1.ClaimPending}
		if claimNamed(now.PersistentVolumeClaims, pod.Namespace, another.Name) == nil {
			now.PersistentVolumeClaims = append(slices.Clone(now.PersistentVolumeClaims), another)
		}
		volume.VolumeSource = v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: another.Name}}
		volumes = append(volumes, volume)
	}
	r.cluster.Now = &now
	if len(volumes) > 0 || len(pod.Spec.Volumes) > 0 {
		r.cluster.Replace(pod, func(p *v1.Pod) { p.Spec.Volumes = volumes })
	}
}

func claimNamed(claims []*v1.PersistentVolumeClaim, namespace, name string) *v1.PersistentVolumeClaim {
	i := slices.IndexFunc(claims, func(c *v1.PersistentVolumeClaim) bool {
		return c.Namespace == namespace && c.Name == name
	})
	if i < 0 || name == "" {
		return nil
	}
	return claims[i]
}

// waits reports whether volumes of the claim's class are bound when a pod is there that uses them.
func waits(claim *v1.PersistentVolumeClaim, classes []*storagev1.StorageClass) bool {
	return slices.ContainsFunc(classes, func(class *storagev1.StorageClass) bool {
		return claim.Spec.StorageClassName != nil && *claim.Spec.StorageClassName == class.Name &&
			class.VolumeBindingMode != nil && *class.VolumeBindingMode == storagev1.VolumeBindingWaitForFirstConsumer
	})
}

// addNodes adds nodes like one that is there, each with what DaemonSets have on that one.
func (r *run) addNodes(n int, like string) error {
	now := *r.cluster.Now
	i := slices.IndexFunc(now.Nodes, func(node *v1.Node) bool { return node.Name == like })
	if i < 0 {
		return fmt.Errorf("there is no node %q that nodes could be added like", like)
	}
	template := now.Nodes[i]
	taken := map[string]bool{}
	for _, node := range now.Nodes {
		taken[node.Name] = true
	}
	now.Nodes, now.CSINodes = slices.Clone(now.Nodes), slices.Clone(now.CSINodes)
	var daemons []*v1.Pod
	for added, number := 0, 1; added < n; number++ {
		name := fmt.Sprintf("%s-new-%d", like, number)
		if taken[name] {
			continue
		}
		added++
		node := template.DeepCopy()
		node.Name, node.UID = name, types.UID(name)
		if node.Labels[v1.LabelHostname] != "" {
			node.Labels[v1.LabelHostname] = name
		}
		node.Status.VolumesAttached, node.Status.VolumesInUse = nil, nil
		now.Nodes = append(now.Nodes, node)
		r.result.Added = append(r.result.Added, name)
		for _, csi := range r.cluster.Now.CSINodes {
			if csi.Name == like {
				more := csi.DeepCopy()
				more.Name, more.UID = name, types.UID(name)
				now.CSINodes = append(now.CSINodes, more)
			}
		}
		for _, pod := range spec.PodsOn(template, r.cluster.Now) {
			if daemon := daemonPod(pod, name); daemon != nil {
				daemons = append(daemons, daemon)
			}
		}
	}
	r.cluster.Now = &now
	for _, daemon := range daemons {
		r.cluster.Add(daemon)
	}
	return nil
}

// daemonPod returns the pod that a DaemonSet has on another node; nil if the pod is not one of a DaemonSet.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled (by a node
// affinity for metadata.name).
func daemonPod(pod *v1.Pod, node string) *v1.Pod {
	if !ofDaemonSet(pod) {
		return nil
	}
	owner := metav1.GetControllerOf(pod)
	daemon := pod.DeepCopy()
	daemon.Name = fmt.Sprintf("%s-%s", owner.Name, node)
	daemon.UID = types.UID(daemon.Namespace + "/" + daemon.Name)
	daemon.Spec.NodeName, daemon.Status = "", v1.PodStatus{Phase: v1.PodPending}
	if affinity := daemon.Spec.Affinity; affinity != nil && affinity.NodeAffinity != nil &&
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for i := range term.MatchFields {
				if term.MatchFields[i].Key == metav1.ObjectNameField {
					term.MatchFields[i].Values = []string{node}
				}
			}
		}
	}
	return daemon
}

func ofDaemonSet(pod *v1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}

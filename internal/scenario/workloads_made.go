package scenario

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// maker makes what the controller of one workload makes. Labels and owners are those that Kubernetes documents, as
// they decide placement; names that controllers draw at random are numbered instead, and hashes are of the template
// but not Kubernetes' own.
type maker struct {
	*reading
	owner  object
	around *surroundings
	made   []object
}

// controlled returns the objects that the workload controls.
func (m *maker) controlled() []object {
	return m.around.controlled[[3]string{m.owner.kind, m.owner.GetNamespace(), m.owner.GetName()}]
}

// add adds an object that the workload controls.
func (m *maker) add(o metav1.Object, kind string) {
	o.SetNamespace(m.owner.GetNamespace())
	m.made = append(m.made, object{Object: o, kind: kind, source: m.owner.source, madeOf: &m.owner})
}

// addPod adds a pod; like tells that it is only what a further pod would be like.
func (m *maker) addPod(pod *v1.Pod, like bool) {
	first := !slices.ContainsFunc(m.made, func(o object) bool { return o.kind == "Pod" })
	m.add(pod, "Pod")
	o := &m.made[len(m.made)-1]
	o.like, o.quiet = like, !first || like
}

// newPod makes a pod of the template, controlled by the workload.
func (m *maker) newPod(template *v1.PodTemplateSpec, apiVersion, name string) *v1.Pod {
	template = template.DeepCopy()
	pod := &v1.Pod{ObjectMeta: template.ObjectMeta, Spec: template.Spec}
	pod.Name = name
	pod.OwnerReferences = []metav1.OwnerReference{controllerRef(m.owner, apiVersion)}
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	return pod
}

func controllerRef(owner object, apiVersion string) metav1.OwnerReference {
	uid := owner.GetUID()
	if uid == "" {
		uid = deterministicUID(owner)
	}
	return metav1.OwnerReference{
		APIVersion: apiVersion, Kind: owner.kind, Name: owner.GetName(), UID: uid, Controller: ptr.To(true),
		BlockOwnerDeletion: ptr.To(true),
	}
}

// missing tells how many of the wanted pods are not there, and says what becomes of them.
func (m *maker) missing(selector *metav1.LabelSelector, wanted int32, field string) (missing int, ok bool) {
	if wanted > mostReplicas {
		m.fail(m.owner.source, m.owner.root().String(), field,
			fmt.Errorf("it asks for %d pods: a cluster has at most %d; ask for fewer", wanted, mostReplicas))
		return 0, false
	}
	missing = int(wanted) - len(m.existing(selector))
	if !m.isNew("its pods are those given", missing > 0) {
		return 0, true
	}
	missing = max(0, missing)
	switch what := "are made of its template, as its controller would, and wait to be scheduled"; {
	case missing == 1:
		m.note(m.owner.root(), "1 pod is made of its template, as its controller would, and waits to be scheduled")
	case missing > 1:
		m.note(m.owner.root(), "%d pods %s", missing, what)
	}
	return missing, true
}

// pods makes the pods of a ReplicaSet or a ReplicationController.
func (m *maker) pods(template *v1.PodTemplateSpec, selector *metav1.LabelSelector, wanted int32, field string) {
	missing, ok := m.missing(selector, wanted, field)
	if !ok {
		return
	}
	apiVersion := map[string]string{"ReplicaSet": "apps/v1", "ReplicationController": "v1"}[m.owner.kind]
	names := m.freeNames(m.owner.GetName())
	for i := range missing + 1 {
		m.addPod(m.newPod(template, apiVersion, names()), i == missing)
	}
}

// freeNames numbers names that no pod of the namespace has.
func (m *maker) freeNames(base string) func() string {
	next := 0
	return func() string {
		for {
			next++
			if name := fmt.Sprintf("%s-%d", base, next); !m.around.has("Pod", m.owner.GetNamespace(), name) {
				return name
			}
		}
	}
}

// hash tells templates apart, in the letters that Kubernetes uses for it.
func hash(template *v1.PodTemplateSpec) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(fmt.Sprintf("scenario: a pod template is not JSON: %v", err))
	}
	sum := fnv.New32a()
	sum.Write(text)
	return rand.SafeEncodeString(strconv.FormatUint(uint64(sum.Sum32()), 10))
}

// replicaSetOf makes the ReplicaSet of a Deployment.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pod-template-hash-label.
func replicaSetOf(d *appsv1.Deployment) *appsv1.ReplicaSet {
	template, selector := d.Spec.Template.DeepCopy(), d.Spec.Selector.DeepCopy()
	sum := hash(template)
	template.Labels = with(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey, sum)
	selector.MatchLabels = with(selector.MatchLabels, appsv1.DefaultDeploymentUniqueLabelKey, sum)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{
			Name: d.Name + "-" + sum, Labels: maps.Clone(template.Labels),
			OwnerReferences: []metav1.OwnerReference{controllerRef(object{Object: d, kind: "Deployment"}, "apps/v1")},
		},
		Spec: appsv1.ReplicaSetSpec{Replicas: ptr.To(*d.Spec.Replicas), Selector: selector, Template: *template},
	}
}

// jobOf makes a Job of a CronJob.
func jobOf(c *batchv1.CronJob) *batchv1.Job {
	template := c.Spec.JobTemplate.DeepCopy()
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: c.Name + "-run", Labels: template.Labels, Annotations: template.Annotations,
			OwnerReferences: []metav1.OwnerReference{controllerRef(object{Object: c, kind: "CronJob"}, "batch/v1")},
		},
		Spec: template.Spec,
	}
}

// jobPods makes the pods of a Job that run at the same time: those that follow when these complete are not made.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#parallel-jobs, #completion-mode and
// #specifying-your-own-pod-selector.
func (m *maker) jobPods(job *batchv1.Job) {
	wanted := ptr.Deref(job.Spec.Parallelism, 1)
	if job.Spec.Completions != nil {
		wanted = min(wanted, *job.Spec.Completions)
	}
	if ptr.Deref(job.Spec.Suspend, false) {
		m.note(m.owner.root(), "spec.suspend: it wants no pods")
		wanted = 0
	}
	missing, ok := m.missing(job.Spec.Selector, wanted, "spec.parallelism")
	if !ok {
		return
	}
	if all := ptr.Deref(job.Spec.Completions, 0); missing > 0 && all > wanted {
		m.note(m.owner.root(), "spec.completions: of its %d pods, the %d that run at the same time are made; no pod "+
			"follows one that "+"completes", all, wanted)
	}
	names := m.freeNames(job.Name)
	for i := range missing + 1 {
		pod := m.newPod(&job.Spec.Template, "batch/v1", names())
		if ptr.Deref(job.Spec.CompletionMode, "") == batchv1.IndexedCompletion {
			pod.Labels[batchv1.JobCompletionIndexAnnotation] = strconv.Itoa(i)
			pod.Annotations = with(pod.Annotations, batchv1.JobCompletionIndexAnnotation, strconv.Itoa(i))
		}
		m.addPod(pod, i == missing)
	}
}

// statefulPods makes the pods of a StatefulSet, all at once: those that come one after the other, as each is ready,
// do so in one of the orders that are explored. Their claims are made too.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity and
// #volume-claim-templates.
func (m *maker) statefulPods(set *appsv1.StatefulSet) {
	missing, ok := m.missing(set.Spec.Selector, *set.Spec.Replicas, "spec.replicas")
	if !ok || m.owner.stored {
		return
	}
	has := func(kind, name string) bool { return m.around.has(kind, set.Namespace, name) }
	start := 0
	if set.Spec.Ordinals != nil {
		start = int(set.Spec.Ordinals.Start)
	}
	for i := start; ; i++ {
		name := fmt.Sprintf("%s-%d", set.Name, i)
		if has("Pod", name) {
			continue
		}
		like := missing == 0
		if like && len(set.Spec.VolumeClaimTemplates) > 0 {
			return
		}
		pod := m.newPod(&set.Spec.Template, "apps/v1", name)
		pod.Labels[appsv1.StatefulSetPodNameLabel] = name
		pod.Labels[appsv1.PodIndexLabel] = strconv.Itoa(i)
		pod.Labels[appsv1.ControllerRevisionHashLabelKey] = set.Name + "-" + hash(&set.Spec.Template)
		pod.Spec.Hostname, pod.Spec.Subdomain = name, set.Spec.ServiceName
		for _, template := range set.Spec.VolumeClaimTemplates {
			claim := claimOf(set, &template, name)
			if !has("PersistentVolumeClaim", claim.Name) {
				m.add(claim, "PersistentVolumeClaim")
			}
			pod.Spec.Volumes = slices.DeleteFunc(
				pod.Spec.Volumes,
				func(v v1.Volume) bool { return v.Name == template.Name },
			)
			pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: template.Name, VolumeSource: v1.VolumeSource{
				PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
			}})
		}
		m.addPod(pod, like)
		if like {
			return
		}
		missing--
	}
}

// claimOf makes the claim of a pod of a StatefulSet.
func claimOf(set *appsv1.StatefulSet, template *v1.PersistentVolumeClaim, pod string) *v1.PersistentVolumeClaim {
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{
			Name:        template.Name + "-" + pod,
			Labels:      maps.Clone(template.Labels),
			Annotations: maps.Clone(template.Annotations),
		},
		Spec: *template.Spec.DeepCopy(),
	}
	for key, value := range set.Spec.Selector.MatchLabels {
		claim.Labels = with(claim.Labels, key, value)
	}
	return claim
}

// daemonPods makes a pod for each node on which a DaemonSet runs: those that the template's node affinity and node
// selector want, and whose taints the pod tolerates. Each goes to its node alone.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled and
// #taints-and-tolerations.
func (m *maker) daemonPods(set *appsv1.DaemonSet) {
	if !m.isNew("its pods are those given", len(m.existing(set.Spec.Selector)) == 0) {
		return
	}
	eligible, made := 0, 0
	existing := m.existing(set.Spec.Selector)
	for _, node := range m.around.nodes {
		pod := m.daemonPod(set, node)
		profile := &spec.Profile{}
		if named := pod.Spec.NodeName; named != "" && named != node.Name ||
			!spec.NodeAffinity().Holds(profile, pod, node, nil) ||
			!spec.TaintToleration().Holds(profile, pod, node, nil) {
			continue
		}
		eligible++
		if slices.ContainsFunc(
			existing,
			func(o object) bool { return goesTo(o.Object.(*v1.Pod), node.Name) },
		) {
			continue
		}
		made++
		m.addPod(pod, false)
	}
	m.note(m.owner, "it runs on %d of the nodes; %d pods are made of its template, as its controller would, and wait "+
		"for their nodes", eligible, made)
}

// goesTo reports whether the pod is on the node, or is a daemon pod that waits for it.
func goesTo(pod *v1.Pod, node string) bool {
	if pod.Spec.NodeName != "" || pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil ||
		pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return pod.Spec.NodeName == node
	}
	terms := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	return slices.ContainsFunc(terms, func(t v1.NodeSelectorTerm) bool {
		return slices.ContainsFunc(
			t.MatchFields,
			func(r v1.NodeSelectorRequirement) bool { return slices.Equal(r.Values, []string{node}) },
		)
	})
}

func (m *maker) daemonPod(set *appsv1.DaemonSet, node *v1.Node) *v1.Pod {
	pod := m.newPod(&set.Spec.Template, "apps/v1", set.Name+"-"+node.Name)
	pod.Labels[appsv1.ControllerRevisionHashLabelKey] = hash(&set.Spec.Template)
	for _, tolerated := range []v1.Taint{
		{Key: v1.TaintNodeNotReady, Effect: v1.TaintEffectNoExecute},
		{Key: v1.TaintNodeUnreachable, Effect: v1.TaintEffectNoExecute},
		{Key: v1.TaintNodeDiskPressure, Effect: v1.TaintEffectNoSchedule},
		{Key: v1.TaintNodeMemoryPressure, Effect: v1.TaintEffectNoSchedule},
		{Key: v1.TaintNodePIDPressure, Effect: v1.TaintEffectNoSchedule},
		{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule},
		{Key: v1.TaintNodeNetworkUnavailable, Effect: v1.TaintEffectNoSchedule},
	} {
		if tolerated.Key != v1.TaintNodeNetworkUnavailable || pod.Spec.HostNetwork {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations,
				v1.Toleration{Key: tolerated.Key, Operator: v1.TolerationOpExists, Effect: tolerated.Effect})
		}
	}
	// The controller puts the node in place of the terms that are there: they were looked at already.
	terms := []v1.NodeSelectorTerm{{}}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &v1.Affinity{}
	}
	if pod.Spec.Affinity.NodeAffinity == nil {
		pod.Spec.Affinity.NodeAffinity = &v1.NodeAffinity{}
	}
	affinity := pod.Spec.Affinity.NodeAffinity
	if required := affinity.RequiredDuringSchedulingIgnoredDuringExecution; required != nil &&
		len(required.NodeSelectorTerms) > 0 {
		terms = required.NodeSelectorTerms
	}
	for i := range terms {
		terms[i].MatchFields = []v1.NodeSelectorRequirement{
			{Key: metav1.ObjectNameField, Operator: v1.NodeSelectorOpIn, Values: []string{node.Name}},
		}
	}
	affinity.RequiredDuringSchedulingIgnoredDuringExecution = &v1.NodeSelector{NodeSelectorTerms: terms}
	return pod
}

// with returns the map with one more entry.
func with(labels map[string]string, key, value string) map[string]string {
	more := maps.Clone(labels)
	if more == nil {
		more = map[string]string{}
	}
	more[key] = value
	return more
}

package provider

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// What stands around the pods of a workload: services, budgets, volumes.

func (b *builder) service(a *app, age time.Duration) {
	service := &v1.Service{ObjectMeta: b.meta(a.namespace, a.name, age, a.labels)}
	service.Spec = v1.ServiceSpec{Selector: map[string]string{"app.kubernetes.io/name": a.name},
		Type: v1.ServiceTypeClusterIP, SessionAffinity: v1.ServiceAffinityNone,
		ClusterIP: fmt.Sprintf("10.9.%d.%d", len(b.Services)/250, 1+len(b.Services)%250),
		Ports:     []v1.ServicePort{{Name: "http", Port: 80, TargetPort: intstr.FromInt32(8080), Protocol: v1.ProtocolTCP}}}
	service.Spec.ClusterIPs = []string{service.Spec.ClusterIP}
	b.Services = append(b.Services, service)
}

// budget gives most workloads of some priority a disruption budget, every fifth of which allows nothing now. Some are
// covered by a second one, of their team.
func (b *builder) budget(a *app, age time.Duration, pods int32) {
	if a.class == "batch" || b.IntN(10) < 4 {
		return
	}
	allowed := int32(0)
	if b.IntN(5) > 0 {
		allowed = 1 + pods/4
	}
	b.addBudget(a.namespace, a.name, age, map[string]string{"app.kubernetes.io/name": a.name}, pods, allowed)
	if b.IntN(20) == 0 {
		team := a.labels["team"]
		b.addBudget(a.namespace, a.name+"-"+team, age, map[string]string{"team": team}, 2*pods, 1)
	}
}

func (b *builder) addBudget(namespace, name string, age time.Duration, covers map[string]string, pods, allowed int32) {
	most := intstr.FromInt32(max(1, allowed))
	budget := &policyv1.PodDisruptionBudget{ObjectMeta: b.meta(namespace, name, age, nil)}
	budget.Spec = policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &most,
		Selector: &metav1.LabelSelector{MatchLabels: covers}}
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: allowed,
		CurrentHealthy: pods, DesiredHealthy: max(0, pods-allowed), ExpectedPods: pods}
	b.PodDisruptionBudgets = append(b.PodDisruptionBudgets, budget)
}

const class = "premium-rwo"

func (b *builder) storageClass() {
	late, reclaim := storagev1.VolumeBindingWaitForFirstConsumer, v1.PersistentVolumeReclaimDelete
	b.StorageClasses = append(b.StorageClasses, &storagev1.StorageClass{ObjectMeta: b.meta("", class, 0, nil),
		Provisioner: driver, VolumeBindingMode: &late, ReclaimPolicy: &reclaim})
}

// volume gives the pod of a StatefulSet its claim, bound to a volume of the zone.
func (b *builder) volume(pod *v1.Pod, zone string) {
	size := v1.ResourceList{v1.ResourceStorage: resource.MustParse("100Gi")}
	modes, name := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}, class
	file := v1.PersistentVolumeFilesystem
	claim := &v1.PersistentVolumeClaim{ObjectMeta: b.meta(pod.Namespace, "data-"+pod.Name, 0, nil)}
	volume := &v1.PersistentVolume{ObjectMeta: b.meta("", "pvc-"+string(claim.UID), 0, nil)}
	claim.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes",
		"pv.kubernetes.io/bound-by-controller": "yes", "volume.kubernetes.io/storage-provisioner": driver}
	claim.Spec = v1.PersistentVolumeClaimSpec{AccessModes: modes, StorageClassName: &name, VolumeMode: &file,
		VolumeName: volume.Name, Resources: v1.VolumeResourceRequirements{Requests: size}}
	claim.Status = v1.PersistentVolumeClaimStatus{Phase: v1.ClaimBound, AccessModes: modes, Capacity: size}
	volume.Annotations = map[string]string{"pv.kubernetes.io/provisioned-by": driver}
	volume.Spec = v1.PersistentVolumeSpec{AccessModes: modes, Capacity: size, StorageClassName: class,
		PersistentVolumeReclaimPolicy: v1.PersistentVolumeReclaimDelete, VolumeMode: &file,
		ClaimRef: &v1.ObjectReference{APIVersion: "v1", Kind: "PersistentVolumeClaim", Namespace: claim.Namespace,
			Name: claim.Name, UID: claim.UID},
		PersistentVolumeSource: v1.PersistentVolumeSource{CSI: &v1.CSIPersistentVolumeSource{Driver: driver,
			VolumeHandle: "projects/prod/zones/" + zone + "/disks/" + volume.Name}},
		NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{NodeSelectorTerms: []v1.NodeSelectorTerm{{
			MatchExpressions: []v1.NodeSelectorRequirement{
				{Key: zoneOfDriver, Operator: v1.NodeSelectorOpIn, Values: []string{zone}}}}}}}}
	volume.Status.Phase = v1.VolumeBound
	b.PersistentVolumes = append(b.PersistentVolumes, volume)
	b.PersistentVolumeClaims = append(b.PersistentVolumeClaims, claim)
	pod.Spec.Volumes = append(pod.Spec.Volumes, v1.Volume{Name: "data", VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name}}})
	pod.Spec.Containers[0].VolumeMounts = []v1.VolumeMount{{Name: "data", MountPath: "/data"}}
}

// withoutVolume takes the last volume back: its pod found no node.
func (b *builder) withoutVolume() {
	b.PersistentVolumes = b.PersistentVolumes[:len(b.PersistentVolumes)-1]
	b.PersistentVolumeClaims = b.PersistentVolumeClaims[:len(b.PersistentVolumeClaims)-1]
}

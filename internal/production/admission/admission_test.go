package admission_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
)

func pod(change ...func(*v1.Pod)) *v1.Pod {
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec:       v1.PodSpec{Containers: []v1.Container{{Name: "c", Image: "registry.example/c:1"}}},
	}
	for _, change := range change {
		change(pod)
	}
	return pod
}

func class(name string, value int32, change ...func(*schedulingv1.PriorityClass)) *schedulingv1.PriorityClass {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	for _, change := range change {
		change(class)
	}
	return class
}

func isGlobalDefault(class *schedulingv1.PriorityClass) { class.GlobalDefault = true }

func neverPreempts(class *schedulingv1.PriorityClass) {
	never := v1.PreemptNever
	class.PreemptionPolicy = &never
}

func inClass(name string) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.PriorityClassName = name }
}

func withPriority(priority int32) func(*v1.Pod) {
	return func(pod *v1.Pod) { pod.Spec.Priority = &priority }
}

func fromCluster(pod *v1.Pod) { pod.UID = "5f3c" }

func TestPriority(t *testing.T) {
	tests := []struct {
		reason  string
		classes []*schedulingv1.PriorityClass
		pod     *v1.Pod
		want    string // priority, policy, class; or the error
	}{
		{"no class is priority 0", nil, pod(), "0 PreemptLowerPriority "},
		{
			"a class gives its value",
			[]*schedulingv1.PriorityClass{class("high", 1000)},
			pod(inClass("high")),
			"1000 PreemptLowerPriority high",
		},
		{
			"a class gives its policy",
			[]*schedulingv1.PriorityClass{class("meek", 1, neverPreempts)},
			pod(inClass("meek")),
			"1 Never meek",
		},
		{
			"the default class is for pods that name none",
			[]*schedulingv1.PriorityClass{class("normal", 50, isGlobalDefault)},
			pod(),
			"50 PreemptLowerPriority normal",
		},
		{"the system classes are built in", nil, pod(inClass("system-node-critical")),
			"2000001000 PreemptLowerPriority system-node-critical"},
		{
			"a stated priority may agree with the class",
			[]*schedulingv1.PriorityClass{class("high", 1000)},
			pod(inClass("high"), withPriority(1000)),
			"1000 PreemptLowerPriority high",
		},
		{
			"a new pod may not contradict its class",
			[]*schedulingv1.PriorityClass{class("high", 1000)},
			pod(inClass("high"), withPriority(1)),
			"spec.priority",
		},
		{"a new pod may not state a priority without a class", nil, pod(withPriority(1)), "spec.priority"},
		{"a new pod may not name an unknown class", nil, pod(inClass("high")), "spec.priorityClassName"},
		{
			"a pod of a cluster keeps the priority of a class that is gone",
			nil,
			pod(inClass("high"), withPriority(1000), fromCluster),
			"1000 PreemptLowerPriority high",
		},
		{
			"a pod of a cluster keeps the priority that its class had",
			[]*schedulingv1.PriorityClass{class("high", 5)},
			pod(inClass("high"), withPriority(1000), fromCluster),
			"1000 PreemptLowerPriority high",
		},
		{
			"a pod of a cluster without the plugin is given a priority",
			[]*schedulingv1.PriorityClass{class("high", 5)},
			pod(inClass("high"), fromCluster),
			"5 PreemptLowerPriority high",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			objects := []runtime.Object{test.pod} // before its class: order does not matter
			for _, class := range test.classes {
				objects = append(objects, class)
			}
			admitted, errs := admission.Admit(objects)
			if len(errs[0]) > 0 {
				if len(errs[0]) != 1 || errs[0][0].Field != test.want {
					t.Fatalf("errors %v, want %s", errs[0], test.want)
				}
				return
			}
			got := admitted[0].(*v1.Pod)
			policy := v1.PreemptLowerPriority // what a nil policy means
			if got.Spec.PreemptionPolicy != nil {
				policy = *got.Spec.PreemptionPolicy
			}
			said := fmt.Sprintf("%d %s %s", *got.Spec.Priority, policy, got.Spec.PriorityClassName)
			if said != test.want {
				t.Errorf("got %q, want %q", said, test.want)
			}
		})
	}
}

func TestTolerations(t *testing.T) {
	own := v1.Toleration{Key: v1.TaintNodeNotReady, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute}
	tests := []struct {
		reason string
		pod    *v1.Pod
		want   []string
	}{
		{
			"a new pod tolerates a node's absence for five minutes",
			pod(),
			[]string{"node.kubernetes.io/not-ready 300", "node.kubernetes.io/unreachable 300"},
		},
		{
			"what the pod says itself stands",
			pod(func(pod *v1.Pod) { pod.Spec.Tolerations = []v1.Toleration{own} }),
			[]string{"node.kubernetes.io/not-ready forever", "node.kubernetes.io/unreachable 300"},
		},
		{"a pod of a cluster has what its cluster gave it", pod(fromCluster, withPriority(0)), nil},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var got []string
			for _, toleration := range mustAdmit(t, test.pod)[0].(*v1.Pod).Spec.Tolerations {
				seconds := "forever"
				if toleration.TolerationSeconds != nil {
					seconds = fmt.Sprint(*toleration.TolerationSeconds)
				}
				got = append(got, toleration.Key+" "+seconds)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("tolerations (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDefaults checks a default of each kind that placement reads.
func TestDefaults(t *testing.T) {
	limited := pod(func(pod *v1.Pod) {
		pod.Spec.Containers[0].Resources.Limits = v1.ResourceList{v1.ResourceCPU: resource.MustParse("2")}
		pod.Status.NominatedNodeName = "n1"
	})
	node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"},
		Status: v1.NodeStatus{Capacity: v1.ResourceList{v1.ResourceCPU: resource.MustParse("4")}}}
	class := &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: "disk"}, Provisioner: "disk.example"}
	namespace := &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}
	before := limited.DeepCopy()
	admitted := mustAdmit(t, limited, node, class, namespace)

	got := admitted[0].(*v1.Pod)
	if cpu := got.Spec.Containers[0].Resources.Requests.Cpu(); cpu.String() != "2" {
		t.Errorf("cpu request is %v, want that of the limit, 2", cpu)
	}
	if got.Spec.SchedulerName != v1.DefaultSchedulerName || got.Status.Phase != v1.PodPending ||
		got.Status.NominatedNodeName != "n1" {
		t.Errorf("scheduler %q, phase %q, nominated to %q", got.Spec.SchedulerName, got.Status.Phase,
			got.Status.NominatedNodeName)
	}
	if cpu := admitted[1].(*v1.Node).Status.Allocatable.Cpu(); cpu.String() != "4" {
		t.Errorf("allocatable cpu is %v, want the capacity, 4", cpu)
	}
	if mode := admitted[2].(*storagev1.StorageClass).VolumeBindingMode; mode == nil ||
		*mode != storagev1.VolumeBindingImmediate {
		t.Errorf("volume binding mode is %v, want Immediate", mode)
	}
	if labels := admitted[3].(*v1.Namespace).Labels; labels[v1.LabelMetadataName] != "shop" {
		t.Errorf("labels of the namespace are %v", labels)
	}
	if diff := cmp.Diff(before, limited); diff != "" {
		t.Errorf("the argument was changed:\n%s", diff)
	}
}

func TestDefaultStorageClass(t *testing.T) {
	storageClass := func(name string, created int64, isDefault string) *storagev1.StorageClass {
		return &storagev1.StorageClass{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(time.Unix(created, 0)),
				Annotations: map[string]string{"storageclass.kubernetes.io/is-default-class": isDefault}},
			Provisioner: "disk.example",
		}
	}
	claim := func(class *string) *v1.PersistentVolumeClaim {
		return &v1.PersistentVolumeClaim{
			ObjectMeta: metav1.ObjectMeta{Name: "disk", Namespace: "default"},
			Spec: v1.PersistentVolumeClaimSpec{
				AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce},
				Resources: v1.VolumeResourceRequirements{
					Requests: v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")},
				},
				StorageClassName: class,
			},
		}
	}
	none := ""
	tests := []struct {
		reason  string
		classes []*storagev1.StorageClass
		claim   *v1.PersistentVolumeClaim
		want    string
	}{
		{
			"without a default the claim stays without a class",
			[]*storagev1.StorageClass{storageClass("a", 1, "false")},
			claim(nil),
			"nil",
		},
		{
			"a claim without a class gets the default",
			[]*storagev1.StorageClass{storageClass("a", 1, "false"), storageClass("b", 1, "true")},
			claim(nil),
			"b",
		},
		{"the empty name is a choice", []*storagev1.StorageClass{storageClass("a", 1, "true")}, claim(&none), ""},
		{
			"of two defaults the later",
			[]*storagev1.StorageClass{storageClass("a", 1, "true"), storageClass("b", 2, "true")},
			claim(nil),
			"b",
		},
		{
			"of two of the same age the first by name",
			[]*storagev1.StorageClass{storageClass("b", 1, "true"), storageClass("a", 1, "true")},
			claim(nil),
			"a",
		},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			objects := []runtime.Object{test.claim}
			for _, class := range test.classes {
				objects = append(objects, class)
			}
			got := "nil"
			if name := mustAdmit(t, objects...)[0].(*v1.PersistentVolumeClaim).Spec.StorageClassName; name != nil {
				got = *name
			}
			if got != test.want {
				t.Errorf("class is %q, want %q", got, test.want)
			}
		})
	}
}

func TestMatchLabelKeys(t *testing.T) {
	selector := func() *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	}
	spread := pod(func(pod *v1.Pod) {
		pod.Labels = map[string]string{"app": "web", "version": "2"}
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: "zone", WhenUnsatisfiable: v1.DoNotSchedule,
			LabelSelector: selector(), MatchLabelKeys: []string{"version", "absent"},
		}}
		term := v1.PodAffinityTerm{
			TopologyKey:       "zone",
			LabelSelector:     selector(),
			MismatchLabelKeys: []string{"version"},
		}
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{term},
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
				{Weight: 1, PodAffinityTerm: *term.DeepCopy()},
			},
		}}
	})
	admitted := mustAdmit(t, spread)[0].(*v1.Pod)
	anti := admitted.Spec.Affinity.PodAntiAffinity
	got := []string{
		metav1.FormatLabelSelector(admitted.Spec.TopologySpreadConstraints[0].LabelSelector),
		metav1.FormatLabelSelector(anti.RequiredDuringSchedulingIgnoredDuringExecution[0].LabelSelector),
		metav1.FormatLabelSelector(
			anti.PreferredDuringSchedulingIgnoredDuringExecution[0].PodAffinityTerm.LabelSelector),
	}
	want := []string{"app=web,version in (2)", "app=web,version notin (2)", "app=web,version notin (2)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("selectors (-want +got):\n%s", diff)
	}

	// What a cluster holds has been merged already.
	admitted.UID = "5f3c"
	if diff := cmp.Diff(admitted, mustAdmit(t, admitted)[0]); diff != "" {
		t.Errorf("admitted once more (-once +twice):\n%s", diff)
	}
}

// TestValidation checks which objects are refused, and for which fields.
func TestValidation(t *testing.T) {
	tests := []struct {
		reason string
		object runtime.Object
		want   []string
	}{
		{
			"a pod without containers",
			&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}},
			[]string{"spec.containers"},
		},
		{"ephemeral containers are not for creation", pod(ephemeral), []string{"spec.ephemeralContainers"}},
		{"but a running pod may have them", pod(ephemeral, fromCluster, withPriority(0)), nil},
		{
			"an invalid pod is refused also from a cluster",
			pod(fromCluster, withPriority(0), func(pod *v1.Pod) { pod.Spec.Containers[0].Name = "" }),
			[]string{"spec.containers[0].name"},
		},
		{
			"a status that no pod can have",
			pod(func(pod *v1.Pod) { pod.Status.ObservedGeneration = -1 }),
			[]string{"status.observedGeneration"},
		},
		{"a pod without a namespace", pod(func(pod *v1.Pod) { pod.Namespace = "" }), []string{"metadata.namespace"}},
		{
			"a taint without an effect, under its right field",
			&v1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}, Spec: v1.NodeSpec{Taints: []v1.Taint{{Key: "a"}}}},
			[]string{"spec.taints[0].effect"},
		},
		{
			"a budget that allows less than nothing",
			&policyv1.PodDisruptionBudget{
				ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
				Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: -1},
			},
			[]string{"status.disruptionsAllowed"},
		},
		{"a second default class", class("two", 2, isGlobalDefault), []string{"globalDefault"}},
		{"a user's class above all users' classes", class("huge", 2000000000), []string{"value"}},
		{"a user's class with a system name", class("system-mine", 1), []string{"metadata.name"}},
		{"a kind that is not admitted", &v1.ConfigMap{}, []string{"kind"}},
		{
			"a service without a port",
			&v1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"}},
			[]string{"spec.ports"},
		},
		{"a template that its selector does not match", &appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
			Spec: appsv1.ReplicaSetSpec{
				Selector: &metav1.LabelSelector{
					MatchLabels: map[string]string{"app": "web"},
				}, Template: v1.PodTemplateSpec{Spec: pod().Spec},
			},
		}, []string{"spec.template.metadata.labels"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			_, errs := admission.Admit([]runtime.Object{class("one", 1, isGlobalDefault), test.object})
			var got []string
			for _, err := range errs[1] {
				if !slices.Contains(got, err.Field) {
					got = append(got, err.Field)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s\nerrors: %v", diff, errs[1])
			}
		})
	}
}

func ephemeral(pod *v1.Pod) {
	pod.Spec.EphemeralContainers = []v1.EphemeralContainer{{EphemeralContainerCommon: v1.EphemeralContainerCommon{
		Name: "debug", Image: "registry.example/debug:1", ImagePullPolicy: v1.PullAlways,
		TerminationMessagePolicy: v1.TerminationMessageReadFile,
	}}}
}

// TestKinds checks that the names are sorted and that an object of each is known, if only to be refused for what it
// lacks.
func TestKinds(t *testing.T) {
	kinds := admission.Kinds()
	if !slices.IsSorted(kinds) {
		t.Errorf("kinds are not sorted: %v", kinds)
	}
	empty := []runtime.Object{
		&storagev1.CSINode{}, &v1.Namespace{}, &v1.Node{}, &v1.PersistentVolume{}, &v1.PersistentVolumeClaim{},
		&v1.Pod{},
		&policyv1.PodDisruptionBudget{}, &schedulingv1.PriorityClass{}, &appsv1.ReplicaSet{},
		&appsv1.DaemonSet{}, &appsv1.Deployment{}, &batchv1.Job{}, &batchv1.CronJob{},
		&v1.ReplicationController{}, &v1.Service{}, &appsv1.StatefulSet{}, &storagev1.StorageClass{},
		&storagev1.VolumeAttachment{}, &storagev1.CSIDriver{}, &storagev1.CSIStorageCapacity{},
		&resourcev1.ResourceClaim{}, &resourcev1.ResourceClaimTemplate{}, &resourcev1.ResourceSlice{},
		&resourcev1.DeviceClass{},
	}
	_, errs := admission.Admit(empty)
	for i, object := range empty {
		name := strings.TrimPrefix(fmt.Sprintf("%T", object), "*")
		if _, name, _ = strings.Cut(name, "."); !slices.Contains(kinds, name) {
			t.Errorf("%s is not among the kinds", name)
		}
		if len(errs[i]) == 0 || !strings.HasPrefix(errs[i][0].Field, "metadata") {
			t.Errorf("%s without a name: errors %v", name, errs[i])
		}
	}
	if len(kinds) != len(empty) {
		t.Errorf("%d kinds, %d were tried", len(kinds), len(empty))
	}
}

func mustAdmit(t *testing.T, objects ...runtime.Object) []runtime.Object {
	t.Helper()
	admitted, errs := admission.Admit(objects)
	for _, err := range errs {
		if len(err) > 0 {
			t.Fatal(err.ToAggregate())
		}
	}
	return admitted
}

func ExampleAdmit() {
	objects := []runtime.Object{class("urgent", 1000), pod(inClass("urgent")), pod(inClass("urgnt"))}
	admitted, errs := admission.Admit(objects)
	fmt.Println(*admitted[1].(*v1.Pod).Spec.Priority)
	fmt.Println(errs[2].ToAggregate())
	// Output:
	// 1000
	// spec.priorityClassName: Invalid value: "urgnt": no PriorityClass with name urgnt was found; give the PriorityClass too, or take the name out
}

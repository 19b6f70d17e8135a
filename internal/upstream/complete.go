package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

func nodeNamed(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

// complete returns the question as a cluster would have it. Tests leave out what their plugin does not read, and API
// servers demand: names, namespaces, containers, a claim's size. That is filled in, with what says least, and objects
// of kinds that the model does not read are left out; whether it made a difference is seen when kube-scheduler is asked
// again. An error says what an API server would refuse.
func (q *question) complete() (spec.Question, error) {
	if err := q.rename(); err != nil {
		return spec.Question{}, err
	}
	var s spec.Snapshot
	text, err := json.Marshal(q.cluster) // a copy
	if err != nil {
		return spec.Question{}, err
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return spec.Question{}, err
	}
	pending := q.pod.DeepCopy()
	pending.Spec.SchedulerName, pending.Spec.NodeName = v1.DefaultSchedulerName, ""
	s.Pods = append([]*v1.Pod{pending}, s.Pods...)
	names := map[string]bool{}
	for i, pod := range s.Pods {
		pod.Name = cmp.Or(pod.Name, fmt.Sprintf("pod-%d", i))
		for names[pod.Namespace+"/"+pod.Name] {
			pod.Name += "-again"
		}
		names[pod.Namespace+"/"+pod.Name] = true
		completePod(pod)
	}
	for _, node := range s.Nodes {
		node.Name = cmp.Or(node.Name, "node")
	}
	for _, pod := range s.Pods[1:] {
		pod.Spec.NodeName = cmp.Or(pod.Spec.NodeName, "node")
	}
	completeVolumes(&s)
	completeOwners(&s)
	namespaces := map[string]bool{}
	s.Namespaces = deleted(s.Namespaces, func(n *v1.Namespace) bool { return n.Name == "" })
	for _, namespace := range s.Namespaces {
		namespaces[namespace.Name] = true
	}
	each(&s, func(object metav1.Object) {
		switch object.(type) {
		case *v1.Node, *v1.Namespace, *v1.PersistentVolume, *storagev1.StorageClass, *storagev1.CSINode,
			*storagev1.VolumeAttachment, *storagev1.CSIDriver:
			return
		}
		object.SetNamespace(cmp.Or(object.GetNamespace(), metav1.NamespaceDefault))
		if name := object.GetNamespace(); !namespaces[name] {
			namespaces[name] = true
			s.Namespaces = append(s.Namespaces, &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}})
		}
	})
	uids := map[types.UID]bool{}
	n := 0
	each(&s, func(object metav1.Object) { // a uid of a test is referred to, by a volume's claimRef or an owner
		for n++; object.GetUID() == "" || uids[object.GetUID()]; n++ {
			object.SetUID(types.UID(fmt.Sprintf("uid-%d", n)))
		}
		uids[object.GetUID()] = true
	})
	return q.admitted(spec.Question{Pod: pending, Snapshot: &s})
}

// admitted takes the question through admission: objects but pods as new ones, whose uids they are given back.
func (q *question) admitted(asked spec.Question) (spec.Question, error) {
	var uids []types.UID
	each(asked.Snapshot, func(object metav1.Object) {
		uids = append(uids, object.GetUID())
		if _, isPod := object.(*v1.Pod); !isPod {
			object.SetUID("")
			object.SetResourceVersion("")
		}
	})
	admitted, err := generate.Admitted(asked, admission.Admit)
	if err != nil {
		return admitted, err
	}
	each(admitted.Snapshot, func(object metav1.Object) {
		object.SetUID(uids[0])
		uids = uids[1:]
	})
	return admitted, nil
}

// each calls do with every object of the snapshot.
func each(s *spec.Snapshot, do func(metav1.Object)) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() || v.Field(i).Kind() != reflect.Slice {
			continue
		}
		for j := range v.Field(i).Len() {
			do(v.Field(i).Index(j).Interface().(metav1.Object))
		}
	}
}

func deleted[T any](all []T, unwanted func(T) bool) (left []T) {
	for _, object := range all {
		if !unwanted(object) {
			left = append(left, object)
		}
	}
	return left
}

// completePod fills in what every pod has.
func completePod(pod *v1.Pod) {
	if len(pod.Spec.Containers) == 0 {
		pod.Spec.Containers = []v1.Container{{}}
	}
	names := map[string]bool{}
	for _, containers := range [][]v1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			c := &containers[i]
			if c.Name == "" || names[c.Name] {
				c.Name = fmt.Sprintf("container-%d", len(names))
			}
			names[c.Name] = true
			c.Image = cmp.Or(c.Image, "image-of-no-node")
			completeResources(&c.Resources)
		}
	}
	if pod.Spec.Resources != nil {
		completeResources(pod.Spec.Resources)
	}
	for i := range pod.Spec.Volumes {
		pod.Spec.Volumes[i].Name = cmp.Or(pod.Spec.Volumes[i].Name, fmt.Sprintf("volume-%d", i))
	}
	if pod.Spec.Priority == nil {
		pod.Spec.Priority = new(int32)
	}
	if pod.Spec.NodeName != "" && pod.Status.StartTime == nil {
		start := scenario.StartTime()
		pod.Status.StartTime = &start
	}
}

// completeVolumes fills in what every volume, claim and class has.
func completeVolumes(s *spec.Snapshot) {
	modes := []v1.PersistentVolumeAccessMode{v1.ReadWriteOnce}
	size := v1.ResourceList{v1.ResourceStorage: resource.MustParse("1Gi")}
	for _, volume := range s.PersistentVolumes {
		if volume.Spec.PersistentVolumeSource == (v1.PersistentVolumeSource{}) {
			volume.Spec.HostPath = &v1.HostPathVolumeSource{Path: "/volume"}
		}
		if len(volume.Spec.AccessModes) == 0 {
			volume.Spec.AccessModes = modes
		}
		if len(volume.Spec.Capacity) == 0 {
			volume.Spec.Capacity = size
		}
	}
	for _, claim := range s.PersistentVolumeClaims {
		if len(claim.Spec.AccessModes) == 0 {
			claim.Spec.AccessModes = modes
		}
		if len(claim.Spec.Resources.Requests) == 0 {
			claim.Spec.Resources.Requests = size
		}
	}
	for _, class := range s.StorageClasses {
		class.Provisioner = cmp.Or(class.Provisioner, "kubernetes.io/no-provisioner")
	}
	for _, node := range s.CSINodes {
		for i := range node.Spec.Drivers {
			node.Spec.Drivers[i].NodeID = cmp.Or(node.Spec.Drivers[i].NodeID, node.Name)
		}
	}
}

// completeResources limits what must not be overcommitted to what is requested, and requests no 0 pods.
func completeResources(r *v1.ResourceRequirements) {
	if pods, is := r.Requests[v1.ResourcePods]; is && pods.IsZero() {
		delete(r.Requests, v1.ResourcePods)
	}
	for name, quantity := range r.Requests {
		_, limited := r.Limits[name]
		switch {
		case limited, name == v1.ResourceCPU, name == v1.ResourceMemory, name == v1.ResourceEphemeralStorage:
			continue
		case r.Limits == nil:
			r.Limits = v1.ResourceList{}
		}
		r.Limits[name] = quantity
	}
}

// completeOwners fills in what every service and budget has.
func completeOwners(s *spec.Snapshot) {
	for i, service := range s.Services {
		service.Name = cmp.Or(service.Name, fmt.Sprintf("service-%d", i))
		if len(service.Spec.Ports) == 0 {
			service.Spec.Ports = []v1.ServicePort{{Port: 80}}
		}
	}
	for i, budget := range s.PodDisruptionBudgets {
		budget.Name = cmp.Or(budget.Name, fmt.Sprintf("budget-%d", i))
		if least := budget.Spec.MinAvailable; least != nil && least.Type == intstr.String {
			budget.Spec.MinAvailable = nil // a percentage as a rule, and the plugin reads what the status allows
		}
	}
}

package scenario

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/seed-a3f26817/modelcheck/internal/printable"
)

// withoutFinished leaves out the pods that have finished.
func (r *reading) withoutFinished(objects []object) []object {
	return slices.DeleteFunc(objects, func(o object) bool {
		pod, isPod := o.Object.(*v1.Pod)
		finished := isPod && (pod.Status.Phase == v1.PodSucceeded || pod.Status.Phase == v1.PodFailed)
		if finished {
			r.note(o, "left out: it has finished (status.phase %s), so it holds nothing", pod.Status.Phase)
		}
		return finished
	})
}

// withNamespaces adds the namespaces in which objects live and that are not given. Every namespace has the label
// that the API server gives it.
func (r *reading) withNamespaces(objects []object) []object {
	missing := map[string]bool{}
	for _, o := range objects {
		if o.GetNamespace() != "" {
			missing[o.GetNamespace()] = true
		}
	}
	for _, o := range objects {
		if namespace, ok := o.Object.(*v1.Namespace); ok {
			delete(missing, namespace.Name)
			labels := maps.Clone(namespace.Labels)
			if labels == nil {
				labels = map[string]string{}
			}
			labels[v1.LabelMetadataName] = namespace.Name
			namespace.Labels = labels
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		namespace := &v1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{v1.LabelMetadataName: name}},
		}
		objects = append(objects, object{Object: namespace, kind: "Namespace", standIn: true})
	}
	return objects
}

// admit admits the objects. What is wrong with one that an API server has admitted is noted, and it stays; one that
// was found in a directory is left out. Others stay, so that references to them are not reported too.
func (r *reading) admit(objects []object) []object {
	for _, o := range objects {
		r.noteRuntimeClass(o)
	}
	if r.Admit == nil {
		return objects
	}
	bare := make([]runtime.Object, len(objects))
	for i, o := range objects {
		bare[i] = o.Object.(runtime.Object)
	}
	bare, errs := r.Admit(bare)
	var kept []object
	for i, o := range objects {
		refused := false
		for _, err := range errs[i] {
			refused = r.refusedField(o, err) || refused
		}
		o.Object = bare[i].(metav1.Object)
		// A namespace of no name that can be is one of objects that are refused.
		if refused && r.found[o.source.File] || o.standIn && o.kind == "Namespace" && len(errs[i]) > 0 {
			continue
		}
		kept = append(kept, o)
	}
	return kept
}

// refusedField says what admission has against a field, and reports whether that keeps the object from being read.
func (r *reading) refusedField(o object, err *field.Error) bool {
	body := errors.New(printable.Text(err.ErrorBody()))
	switch {
	case o.standIn:
		return false
	case o.live && err.Type != field.ErrorTypeNotSupported || o.live && err.Field != "kind":
		r.note(o, "%s: %v; it is taken as it is, as an API server has admitted it", indexes().ReplaceAllString(err.Field,
			"[*]"), body)
		return false
	case o.field == "":
		r.fail(o.source, o.String(), err.Field, body)
	case !o.quiet:
		r.scenario.failAt(o.field+"."+err.Field, r.scenario.at.at(o.field+"."+err.Field), 0, body)
	}
	return true
}

// noteRuntimeClass says that what a RuntimeClass adds to a new pod does not count.
func (r *reading) noteRuntimeClass(o object) {
	if pod, ok := o.Object.(*v1.Pod); ok && pod.Spec.RuntimeClassName != nil && pod.UID == "" {
		r.note(o, "spec.runtimeClassName: RuntimeClasses are not read; what %q adds to a pod (overhead, nodeSelector, "+
			"tolerations) counts only if the pod states it", *pod.Spec.RuntimeClassName)
	}
}

// complete returns objects what they would have in a cluster and a manifest need not state.
func (r *reading) complete(objects []object) {
	for _, o := range objects {
		r.canonical(o)
		if o.GetUID() == "" {
			o.SetUID(deterministicUID(o))
		}
		if pod, ok := o.Object.(*v1.Pod); ok && pod.Spec.NodeName != "" && pod.Status.StartTime == nil {
			start := StartTime()
			pod.Status.StartTime = &start
		}
	}
}

// deterministicUID returns the uid of an object that has none: its namespace and name, as namespace/name.
func deterministicUID(o object) types.UID {
	if o.GetNamespace() == "" {
		return types.UID(o.GetName())
	}
	return types.UID(o.GetNamespace() + "/" + o.GetName())
}

// manifests sorts the objects by kind.
func (r *reading) manifests(objects []object) *Manifests {
	m := &Manifests{sources: map[metav1.Object]Source{}, PlainNodes: r.plain}
	for _, o := range objects {
		if o.source != (Source{}) {
			m.sources[o.Object] = o.source
		}
		if o.like {
			root := o.root()
			if root.kind == scenarioKind {
				continue
			}
			m.Workloads = append(
				m.Workloads,
				Workload{
					Kind:      root.kind,
					Namespace: root.GetNamespace(),
					Name:      root.GetName(),
					Like:      o.Object.(*v1.Pod),
				},
			)
			continue
		}
		switch object := o.Object.(type) {
		case *v1.Node:
			m.Nodes = append(m.Nodes, object)
		case *v1.Pod:
			m.Pods = append(m.Pods, object)
		case *v1.Namespace:
			m.Namespaces = append(m.Namespaces, object)
		case *schedulingv1.PriorityClass:
			m.PriorityClasses = append(m.PriorityClasses, object)
		case *policyv1.PodDisruptionBudget:
			m.PodDisruptionBudgets = append(m.PodDisruptionBudgets, object)
		case *v1.PersistentVolume:
			m.PersistentVolumes = append(m.PersistentVolumes, object)
		case *v1.PersistentVolumeClaim:
			m.PersistentVolumeClaims = append(m.PersistentVolumeClaims, object)
		case *storagev1.StorageClass:
			m.StorageClasses = append(m.StorageClasses, object)
		case *storagev1.CSINode:
			m.CSINodes = append(m.CSINodes, object)
		case *storagev1.VolumeAttachment:
			m.VolumeAttachments = append(m.VolumeAttachments, object)
		case *storagev1.CSIDriver:
			m.CSIDrivers = append(m.CSIDrivers, object)
		case *storagev1.CSIStorageCapacity:
			m.CSIStorageCapacities = append(m.CSIStorageCapacities, object)
		case *resourcev1.ResourceClaim:
			m.ResourceClaims = append(m.ResourceClaims, object)
		case *resourcev1.ResourceClaimTemplate:
			m.ResourceClaimTemplates = append(m.ResourceClaimTemplates, object)
		case *resourcev1.ResourceSlice:
			m.ResourceSlices = append(m.ResourceSlices, object)
		case *resourcev1.DeviceClass:
			m.DeviceClasses = append(m.DeviceClasses, object)
		case *v1.Service:
			m.Services = append(m.Services, object)
		case *v1.ReplicationController:
			m.ReplicationControllers = append(m.ReplicationControllers, object)
		case *appsv1.ReplicaSet:
			m.ReplicaSets = append(m.ReplicaSets, object)
		case *appsv1.StatefulSet:
			m.StatefulSets = append(m.StatefulSets, object)
		case *appsv1.Deployment, *appsv1.DaemonSet, *batchv1.Job, *batchv1.CronJob:
			// Their pods are what counts.
		default:
			panic(fmt.Sprintf("kind %s is read but has no place in Manifests", o.kind))
		}
	}
	if r.scenario != nil {
		m.Scenario = &r.scenario.Checked
	}
	if r.config != nil {
		m.SchedulerConfiguration, m.SchedulerConfigurationSource = r.config.raw, r.config.source
		m.SchedulerConfigurationFound = r.found[r.config.source.File]
	}
	if r.plain > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("no Node is given: %d plain ones stand in (%s)", r.plain, PlainNode))
	}
	m.Notes = slices.Concat(m.Notes, r.unreadNotes(), r.noteLines())
	r.sort(r.notRead)
	m.NotRead, m.Counts = r.notRead, r.counts()
	return m
}

package admission

import (
	"reflect"
	"slices"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyvalidation "k8s.io/kubernetes/pkg/apis/policy/validation"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingvalidation "k8s.io/kubernetes/pkg/apis/scheduling/validation"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
	volumevalidation "k8s.io/kubernetes/pkg/volume/validation"
)

// kind is a kind of object that can be admitted, with Kubernetes' validation of it. The functions take
// objects of the internal version.
type kind struct {
	name     string
	version  schema.GroupVersion
	resource string
	// namespaced tells that objects of the kind live in a namespace.
	namespaced bool
	// external is an object of the kind.
	external runtime.Object

	validateNew    func(runtime.Object) field.ErrorList
	validateUpdate func(updated, old runtime.Object) field.ErrorList
	validateStatus func(updated, old runtime.Object) field.ErrorList
}

// statusMatters reports whether what is placed depends on the status of objects of the kind.
func (k kind) statusMatters() bool {
	switch k.name {
	case "Namespace", "Node", "PersistentVolume", "PersistentVolumeClaim", "Pod", "PodDisruptionBudget",
		"ResourceClaim":
		return true
	}
	return false
}

// Kinds names the kinds of object that can be admitted, sorted.
func Kinds() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// empty returns an object of the kind that states nothing.
func (k kind) empty() runtime.Object {
	return reflect.New(reflect.TypeOf(k.external).Elem()).Interface().(runtime.Object)
}

func kindOf(object runtime.Object) (kind, bool) {
	for _, k := range kinds() {
		if reflect.TypeOf(k.external) == reflect.TypeOf(object) {
			return k, true
		}
	}
	return kind{}, false
}

// validate is Kubernetes' validation of an object, of which it is given both versions: what goes for every kind, what
// goes for this kind, and its status.
func (k kind) validate(external, internal runtime.Object, isNew bool, pods *alike) field.ErrorList {
	accessor, err := meta.Accessor(internal)
	if err != nil {
		return field.ErrorList{field.InternalError(nil, err)}
	}
	var errs field.ErrorList
	same := unchanged(internal)
	var key podKey
	keyed := false
	if isNew {
		errs = k.validateNew(internal)
	} else {
		if key, keyed = keyOf(external); keyed && pods.has(key) {
			return k.validateStatus(same, same)
		}
		errs = k.validateUpdate(same, same)
	}
	errs = append(
		errs,
		validation.ValidateObjectMetaAccessor(accessor, k.namespaced, pathSegment, field.NewPath("metadata"))...)
	if keyed && len(errs) == 0 {
		pods.add(key)
	}
	if isNew && !k.statusMatters() {
		return errs // creation wipes it, and nobody reads it
	}
	if !isNew && k.name == "Node" {
		return errs // a node's update validates its status too
	}
	return append(errs, k.validateStatus(same, same)...)
}

// unchanged returns a copy of an object, which stands for the new and the old side of an update. An update must carry a
// resourceVersion, which people who keep manifests often strip.
func unchanged(internal runtime.Object) runtime.Object {
	same := internal.DeepCopyObject()
	if accessor, err := meta.Accessor(same); err == nil && accessor.GetResourceVersion() == "" {
		accessor.SetResourceVersion("1")
	}
	return same
}

// kinds are in a table that is made once: it is looked up for each object.
func kinds() []kind { return table() }

var table = sync.OnceValue(func() []kind {
	all := []kind{
		{"CSIDriver", storagev1.SchemeGroupVersion, "csidrivers", false, &storagev1.CSIDriver{},
			one(storagevalidation.ValidateCSIDriver), two(storagevalidation.ValidateCSIDriverUpdate),
			two(noStatus[storage.CSIDriver])},
		{"CSINode", storagev1.SchemeGroupVersion, "csinodes", false, &storagev1.CSINode{},
			one(newCSINode), two(updatedCSINode),
			two(noStatus[storage.CSINode])},
		{"CSIStorageCapacity", storagev1.SchemeGroupVersion, "csistoragecapacities", true,
			&storagev1.CSIStorageCapacity{}, one(newStorageCapacity),
			two(storagevalidation.ValidateCSIStorageCapacityUpdate), two(noStatus[storage.CSIStorageCapacity])},
		{"CronJob", batchv1.SchemeGroupVersion, "cronjobs", true, &batchv1.CronJob{},
			one(newCronJob), two(updatedCronJob), two(noStatus[batch.CronJob])},
		{"DaemonSet", appsv1.SchemeGroupVersion, "daemonsets", true, &appsv1.DaemonSet{},
			one(newDaemonSet), two(updatedDaemonSet), two(appsvalidation.ValidateDaemonSetStatusUpdate)},
		{"Deployment", appsv1.SchemeGroupVersion, "deployments", true, &appsv1.Deployment{},
			one(newDeployment), two(updatedDeployment), two(appsvalidation.ValidateDeploymentStatusUpdate)},
		{"Job", batchv1.SchemeGroupVersion, "jobs", true, &batchv1.Job{},
			one(newJob), two(updatedJob), two(noStatus[batch.Job])},
		{"Namespace", v1.SchemeGroupVersion, "namespaces", false, &v1.Namespace{},
			one(corevalidation.ValidateNamespace), two(corevalidation.ValidateNamespaceUpdate),
			two(corevalidation.ValidateNamespaceStatusUpdate)},
		{"Node", v1.SchemeGroupVersion, "nodes", false, &v1.Node{},
			one(corevalidation.ValidateNode), two(corevalidation.ValidateNodeUpdate),
			two(corevalidation.ValidateNodeUpdate)},
		{"PersistentVolume", v1.SchemeGroupVersion, "persistentvolumes", false, &v1.PersistentVolume{},
			one(newVolume), two(updatedVolume), two(corevalidation.ValidatePersistentVolumeStatusUpdate)},
		{"PersistentVolumeClaim", v1.SchemeGroupVersion, "persistentvolumeclaims", true, &v1.PersistentVolumeClaim{},
			one(newClaim), two(updatedClaim), two(claimStatus)},
		{"Pod", v1.SchemeGroupVersion, "pods", true, &v1.Pod{},
			one(newPod), two(updatedPod), two(podStatus)},
		{
			"PodDisruptionBudget",
			policyv1.SchemeGroupVersion,
			"poddisruptionbudgets",
			true,
			&policyv1.PodDisruptionBudget{},
			one(newBudget),
			two(updatedBudget),
			two(budgetStatus),
		},
		{"PriorityClass", schedulingv1.SchemeGroupVersion, "priorityclasses", false, &schedulingv1.PriorityClass{},
			one(schedulingvalidation.ValidatePriorityClass), two(schedulingvalidation.ValidatePriorityClassUpdate),
			two(noStatus[scheduling.PriorityClass])},
		{"ReplicaSet", appsv1.SchemeGroupVersion, "replicasets", true, &appsv1.ReplicaSet{},
			one(newReplicaSet), two(updatedReplicaSet), two(appsvalidation.ValidateReplicaSetStatusUpdate)},
		{"ReplicationController", v1.SchemeGroupVersion, "replicationcontrollers", true, &v1.ReplicationController{},
			one(newReplicationController), two(updatedReplicationController),
			two(corevalidation.ValidateReplicationControllerStatusUpdate)},
		{"Service", v1.SchemeGroupVersion, "services", true, &v1.Service{},
			one(newService), two(corevalidation.ValidateServiceUpdate),
			two(corevalidation.ValidateServiceStatusUpdate)},
		{"StatefulSet", appsv1.SchemeGroupVersion, "statefulsets", true, &appsv1.StatefulSet{},
			one(newStatefulSet), two(updatedStatefulSet), two(appsvalidation.ValidateStatefulSetStatusUpdate)},
		{"StorageClass", storagev1.SchemeGroupVersion, "storageclasses", false, &storagev1.StorageClass{},
			one(storagevalidation.ValidateStorageClass), two(storagevalidation.ValidateStorageClassUpdate),
			two(noStatus[storage.StorageClass])},
		// A new attachment's status is validated with the rest.
		{"VolumeAttachment", storagev1.SchemeGroupVersion, "volumeattachments", false, &storagev1.VolumeAttachment{},
			one(storagevalidation.ValidateVolumeAttachment), two(storagevalidation.ValidateVolumeAttachmentUpdate),
			two(noStatus[storage.VolumeAttachment])},
	}
	all = append(all, deviceKinds()...)
	slices.SortFunc(all, func(a, b kind) int { return strings.Compare(a.name, b.name) })
	return all
})

// one and two let a validation of a concrete type stand in a table of kinds.
func one[T any](validate func(*T) field.ErrorList) func(runtime.Object) field.ErrorList {
	return func(object runtime.Object) field.ErrorList { return validate(any(object).(*T)) }
}

func two[T any](validate func(updated, old *T) field.ErrorList) func(updated, old runtime.Object) field.ErrorList {
	return func(updated, old runtime.Object) field.ErrorList { return validate(any(updated).(*T), any(old).(*T)) }
}

func noStatus[T any](_, _ *T) field.ErrorList { return nil }

func newStorageCapacity(capacity *storage.CSIStorageCapacity) field.ErrorList {
	return storagevalidation.ValidateCSIStorageCapacity(capacity, storagevalidation.CSIStorageCapacityValidateOptions{})
}

func newPod(pod *core.Pod) field.ErrorList {
	options := podutil.GetValidationOptionsFromPodSpecAndMeta(&pod.Spec, nil, &pod.ObjectMeta, nil)
	options.ResourceIsPod = true
	served := *pod // an API server gives it a service account first, which placement does not read
	if served.Spec.ServiceAccountName == "" {
		setServiceAccount(&served.Spec, "default")
	}
	return corevalidation.ValidatePodCreate(&served, options)
}

func podOptions(updated, old *core.Pod) corevalidation.PodValidationOptions {
	options := podutil.GetValidationOptionsFromPodSpecAndMeta(&updated.Spec, &old.Spec, &updated.ObjectMeta,
		&old.ObjectMeta)
	options.ResourceIsPod = true
	return options
}

func updatedPod(updated, old *core.Pod) field.ErrorList {
	return corevalidation.ValidatePodUpdate(updated, old, podOptions(updated, old))
}

func podStatus(updated, old *core.Pod) field.ErrorList {
	return corevalidation.ValidatePodStatusUpdate(updated, old, podOptions(updated, old))
}

func newVolume(volume *core.PersistentVolume) field.ErrorList {
	errs := corevalidation.ValidatePersistentVolume(volume, corevalidation.ValidationOptionsForPersistentVolume(volume,
		nil))
	return append(errs, volumevalidation.ValidatePersistentVolume(volume)...)
}

func updatedVolume(updated, old *core.PersistentVolume) field.ErrorList {
	return corevalidation.ValidatePersistentVolumeUpdate(updated, old,
		corevalidation.ValidationOptionsForPersistentVolume(updated, old))
}

func newClaim(claim *core.PersistentVolumeClaim) field.ErrorList {
	return corevalidation.ValidatePersistentVolumeClaim(claim,
		corevalidation.ValidationOptionsForPersistentVolumeClaim(claim, nil))
}

func updatedClaim(updated, old *core.PersistentVolumeClaim) field.ErrorList {
	return corevalidation.ValidatePersistentVolumeClaimUpdate(updated, old,
		corevalidation.ValidationOptionsForPersistentVolumeClaim(updated, old))
}

func claimStatus(updated, old *core.PersistentVolumeClaim) field.ErrorList {
	return corevalidation.ValidatePersistentVolumeClaimStatusUpdate(updated, old,
		corevalidation.ValidationOptionsForPersistentVolumeClaim(updated, old))
}

func newBudget(budget *policy.PodDisruptionBudget) field.ErrorList {
	return policyvalidation.ValidatePodDisruptionBudget(budget, policyvalidation.PodDisruptionBudgetValidationOptions{})
}

func updatedBudget(updated, _ *policy.PodDisruptionBudget) field.ErrorList {
	return policyvalidation.ValidatePodDisruptionBudget(updated,
		policyvalidation.PodDisruptionBudgetValidationOptions{AllowInvalidLabelValueInSelector: true})
}

func budgetStatus(updated, old *policy.PodDisruptionBudget) field.ErrorList {
	return policyvalidation.ValidatePodDisruptionBudgetStatusUpdate(updated.Status, old.Status, field.NewPath("status"),
		policyv1.SchemeGroupVersion)
}

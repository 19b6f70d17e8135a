package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// Kubernetes' validation of objects with a template for pods, with the options that its API server passes.

func newReplicaSet(set *apps.ReplicaSet) field.ErrorList {
	return appsvalidation.ValidateReplicaSet(set, podutil.GetValidationOptionsFromPodTemplate(&set.Spec.Template, nil))
}

func updatedReplicaSet(updated, old *apps.ReplicaSet) field.ErrorList {
	return appsvalidation.ValidateReplicaSetUpdate(updated, old, podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

func newStatefulSet(set *apps.StatefulSet) field.ErrorList {
	return appsvalidation.ValidateStatefulSet(set, podutil.GetValidationOptionsFromPodTemplate(&set.Spec.Template, nil))
}

func updatedStatefulSet(updated, old *apps.StatefulSet) field.ErrorList {
	return appsvalidation.ValidateStatefulSetUpdate(updated, old, podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

func newReplicationController(controller *core.ReplicationController) field.ErrorList {
	return corevalidation.ValidateReplicationController(controller, podutil.GetValidationOptionsFromPodTemplate(controller.Spec.Template, nil))
}

func updatedReplicationController(updated, old *core.ReplicationController) field.ErrorList {
	return corevalidation.ValidateReplicationControllerUpdate(updated, old, podutil.GetValidationOptionsFromPodTemplate(updated.Spec.Template, old.Spec.Template))
}

//go:build before1.37

package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
)

// What is validated in the same way in v1.36 and earlier.

func newStatefulSet(set *apps.StatefulSet) field.ErrorList {
	return appsvalidation.ValidateStatefulSet(set, podutil.GetValidationOptionsFromPodTemplate(&set.Spec.Template, nil))
}

func updatedStatefulSet(updated, old *apps.StatefulSet) field.ErrorList {
	return appsvalidation.ValidateStatefulSetUpdate(updated, old,
		podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

var validateNewJob = batchvalidation.ValidateJob

func setServiceAccount(spec *core.PodSpec, name string) { spec.ServiceAccountName = name }

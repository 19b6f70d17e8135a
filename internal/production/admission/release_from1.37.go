//go:build !before1.37

package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/util/feature"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/features"
)

// What is validated in another way in other releases.

func newStatefulSet(set *apps.StatefulSet) field.ErrorList {
	return appsvalidation.ValidateStatefulSet(set, appsvalidation.StatefulSetValidationOptions{
		AllowStatefulSetRecreateStrategy: feature.DefaultFeatureGate.Enabled(features.StatefulSetRecreateStrategy),
	}, podutil.GetValidationOptionsFromPodTemplate(&set.Spec.Template, nil))
}

func updatedStatefulSet(updated, old *apps.StatefulSet) field.ErrorList {
	// What cannot be changed is not looked at again, and who has the strategy may keep it.
	return appsvalidation.ValidateStatefulSetUpdate(updated, old, appsvalidation.StatefulSetValidationOptions{
		AllowInvalidServiceName:          true,
		SkipValidateVolumeClaimTemplates: true,
		AllowStatefulSetRecreateStrategy: feature.DefaultFeatureGate.Enabled(features.StatefulSetRecreateStrategy) ||
			old.Spec.UpdateStrategy.Type == apps.RecreateStatefulSetStrategyType,
	}, podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

var validateNewJob = batchvalidation.ValidateJobCreate

// setServiceAccount sets the account also under its old name, which validation wants to be the same.
func setServiceAccount(spec *core.PodSpec, name string) {
	//lint:ignore SA1019 validation reads it
	spec.ServiceAccountName, spec.DeprecatedServiceAccount = name, name
}

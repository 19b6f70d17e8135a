package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// Kubernetes' validation of objects with a template for pods, with the options that its API server passes.

func newReplicaSet(set *apps.ReplicaSet) field.ErrorList {
	return appsvalidation.ValidateReplicaSet(set, podutil.GetValidationOptionsFromPodTemplate(&set.Spec.Template, nil))
}

func updatedReplicaSet(updated, old *apps.ReplicaSet) field.ErrorList {
	return appsvalidation.ValidateReplicaSetUpdate(updated, old,
		podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

func newReplicationController(controller *core.ReplicationController) field.ErrorList {
	return corevalidation.ValidateReplicationController(controller,
		podutil.GetValidationOptionsFromPodTemplate(controller.Spec.Template, nil))
}

func updatedReplicationController(updated, old *core.ReplicationController) field.ErrorList {
	return corevalidation.ValidateReplicationControllerUpdate(updated, old,
		podutil.GetValidationOptionsFromPodTemplate(updated.Spec.Template, old.Spec.Template))
}

func newDeployment(deployment *apps.Deployment) field.ErrorList {
	return appsvalidation.ValidateDeployment(deployment,
		podutil.GetValidationOptionsFromPodTemplate(&deployment.Spec.Template, nil))
}

func updatedDeployment(updated, old *apps.Deployment) field.ErrorList {
	return appsvalidation.ValidateDeploymentUpdate(updated, old,
		podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

func newDaemonSet(set *apps.DaemonSet) field.ErrorList {
	return appsvalidation.ValidateDaemonSet(set, podutil.GetValidationOptionsFromPodTemplate(&set.Spec.Template, nil))
}

func updatedDaemonSet(updated, old *apps.DaemonSet) field.ErrorList {
	return appsvalidation.ValidateDaemonSetUpdate(updated, old,
		podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template))
}

func newJob(job *batch.Job) field.ErrorList {
	return validateNewJob(job, batchvalidation.JobValidationOptions{
		PodValidationOptions:  podutil.GetValidationOptionsFromPodTemplate(&job.Spec.Template, nil),
		RequirePrefixedLabels: true,
	})
}

func updatedJob(updated, old *batch.Job) field.ErrorList {
	return batchvalidation.ValidateJobUpdate(updated, old, batchvalidation.JobValidationOptions{
		PodValidationOptions: podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.Template, &old.Spec.Template),
	})
}

func newCronJob(job *batch.CronJob) field.ErrorList {
	return batchvalidation.ValidateCronJobCreate(job,
		podutil.GetValidationOptionsFromPodTemplate(&job.Spec.JobTemplate.Spec.Template, nil))
}

func updatedCronJob(updated, old *batch.CronJob) field.ErrorList {
	return batchvalidation.ValidateCronJobUpdate(updated, old,
		podutil.GetValidationOptionsFromPodTemplate(&updated.Spec.JobTemplate.Spec.Template,
			&old.Spec.JobTemplate.Spec.Template))
}

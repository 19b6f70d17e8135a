// Package job gives the Kubernetes manifests by which the shards of a run are explored in a cluster: an Indexed
// Job, a volume claim for what they find, and a Job that puts it together.
//
// What becomes of a pod follows from the exit code of modelcheck and from nothing else:
//
//   - evicted, preempted or drained: started again, as often as that happens; it goes on with the chunks that are
//     missing
//   - 1, something is violated: the index has failed and is not started again, as it would find the same; other
//     indexes go on
//   - 2, wrong input: the Job has failed, as every other index would
//   - any other failure, also for want of memory: the index is started again, three times at most
package job

import (
	"fmt"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Options say what to run and with what.
type Options struct {
	// Name is that of the Job and the claim; other objects have it with a suffix.
	Name string
	// Image has the command modelcheck as its entry point.
	Image string
	// Scope are the flags of the run.
	Scope []string
	// Files are mounted at InputPath, by name.
	Files map[string]string
	// Shards is the number of shards, and Parallelism how many of them run at the same time.
	Shards, Parallelism int32
	// CPU and Memory are what a shard requests and is limited to.
	CPU, Memory resource.Quantity
	// Storage is the size of the claim, and StorageClass its class; empty for the cluster's default.
	Storage      resource.Quantity
	StorageClass string
	// KeySecret is the Secret with the key, under KeyName, that results are signed with; empty for none.
	KeySecret string
}

// Where the pods see files, and the volume with the directory of results in it: in the root of a volume there may
// be other things.
const (
	InputPath   = "/input"
	volumePath  = "/results"
	resultsPath = volumePath + "/run"
	keyPath     = "/key"
)

// KeyName is the name of the key in its Secret.
const KeyName = "key"

// ShardsVariable tells shards how many there are.
const ShardsVariable = "MODELCHECK_SHARDS"

// retries is how often an index is started again after a failure that may not come again.
const retries = 3

// nobody is the user and group of the pods.
const nobody = 65532

// Manifests returns the objects, in the order in which to create them.
func Manifests(o Options) []runtime.Object {
	var all []runtime.Object
	if len(o.Files) > 0 {
		all = append(all, &v1.ConfigMap{
			TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
			ObjectMeta: o.meta("-input"),
			Data:       o.Files,
		})
	}
	return append(all, o.claim(), o.shards(), o.merge())
}

func (o Options) meta(suffix string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:   o.Name + suffix,
		Labels: map[string]string{"app.kubernetes.io/name": "modelcheck", "app.kubernetes.io/instance": o.Name},
	}
}

// claim is written by pods on many nodes.
func (o Options) claim() *v1.PersistentVolumeClaim {
	claim := &v1.PersistentVolumeClaim{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "PersistentVolumeClaim"},
		ObjectMeta: o.meta(""),
		Spec: v1.PersistentVolumeClaimSpec{
			AccessModes: []v1.PersistentVolumeAccessMode{v1.ReadWriteMany},
			Resources:   v1.VolumeResourceRequirements{Requests: v1.ResourceList{v1.ResourceStorage: o.Storage}},
		},
	}
	if o.StorageClass != "" {
		claim.Spec.StorageClassName = &o.StorageClass
	}
	return claim
}

func (o Options) shards() *batchv1.Job {
	args := append([]string{"shard", "--results=" + resultsPath}, o.Scope...)
	job := o.job("", args, batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionFailIndex, OnExitCodes: exits(1),
	}, batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: exits(2),
	})
	job.Spec.CompletionMode = ptr(batchv1.IndexedCompletion)
	job.Spec.Completions, job.Spec.Parallelism = &o.Shards, &o.Parallelism
	job.Spec.BackoffLimitPerIndex = ptr[int32](retries)
	container := &job.Spec.Template.Spec.Containers[0]
	container.Env = []v1.EnvVar{{Name: ShardsVariable, Value: strconv.Itoa(int(o.Shards))}}
	return job
}

// merge waits until somebody resumes it: when the shards are done, be it that some have failed.
func (o Options) merge() *batchv1.Job {
	job := o.job("-merge", []string{"merge", resultsPath}, batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: exits(1, 2, 3),
	})
	job.Spec.Suspend = ptr(true)
	job.Spec.BackoffLimit = ptr[int32](retries)
	return job
}

// job returns a Job of modelcheck. Pods that are taken away are started again for free; the other rules are about
// exit codes.
func (o Options) job(suffix string, args []string, rules ...batchv1.PodFailurePolicyRule) *batchv1.Job {
	resources := v1.ResourceList{v1.ResourceCPU: o.CPU, v1.ResourceMemory: o.Memory}
	container := v1.Container{
		Name: "modelcheck", Image: o.Image, Args: args,
		Resources: v1.ResourceRequirements{Requests: resources, Limits: resources},
		SecurityContext: &v1.SecurityContext{
			AllowPrivilegeEscalation: ptr(false), ReadOnlyRootFilesystem: ptr(true),
			Capabilities: &v1.Capabilities{Drop: []v1.Capability{"ALL"}},
		},
		VolumeMounts: []v1.VolumeMount{{Name: "results", MountPath: volumePath}},
	}
	volumes := []v1.Volume{{Name: "results", VolumeSource: v1.VolumeSource{
		PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: o.Name},
	}}}
	if len(o.Files) > 0 {
		container.VolumeMounts = append(container.VolumeMounts, v1.VolumeMount{Name: "input", MountPath: InputPath,
			ReadOnly: true})
		volumes = append(volumes, v1.Volume{Name: "input", VolumeSource: v1.VolumeSource{
			ConfigMap: &v1.ConfigMapVolumeSource{
				LocalObjectReference: v1.LocalObjectReference{Name: o.Name + "-input"},
			},
		}})
	}
	if o.KeySecret != "" {
		container.Args = append(slices.Clone(container.Args), "--key-file="+keyPath+"/"+KeyName)
		container.VolumeMounts = append(container.VolumeMounts, v1.VolumeMount{Name: "key", MountPath: keyPath,
			ReadOnly: true})
		volumes = append(volumes, v1.Volume{Name: "key", VolumeSource: v1.VolumeSource{
			Secret: &v1.SecretVolumeSource{SecretName: o.KeySecret, DefaultMode: ptr[int32](0o440)},
		}})
	}
	taken := batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
			{Type: v1.DisruptionTarget, Status: v1.ConditionTrue},
		},
	}
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: o.meta(suffix),
		Spec: batchv1.JobSpec{
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: append([]batchv1.PodFailurePolicyRule{taken}, rules...)},
			Template: v1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: o.meta("").Labels},
				Spec: v1.PodSpec{
					RestartPolicy:                v1.RestartPolicyNever,
					AutomountServiceAccountToken: ptr(false),
					EnableServiceLinks:           ptr(false),
					SecurityContext: &v1.PodSecurityContext{
						RunAsNonRoot: ptr(true), RunAsUser: ptr[int64](nobody), RunAsGroup: ptr[int64](nobody),
						FSGroup:        ptr[int64](nobody),
						SeccompProfile: &v1.SeccompProfile{Type: v1.SeccompProfileTypeRuntimeDefault},
					},
					Containers: []v1.Container{container},
					Volumes:    volumes,
				},
			},
		},
	}
}

func exits(codes ...int32) *batchv1.PodFailurePolicyOnExitCodesRequirement {
	return &batchv1.PodFailurePolicyOnExitCodesRequirement{
		Operator: batchv1.PodFailurePolicyOnExitCodesOpIn,
		Values:   codes,
	}
}

func ptr[T any](value T) *T { return &value }

// Steps says, as comments of the manifests, how to use them.
func Steps(o Options) string {
	return fmt.Sprintf(`# Apply this. When the shards are done (kubectl get job %[1]s), put together what they found:
#   kubectl patch job %[1]s-merge --patch '{"spec":{"suspend":false}}'
#   kubectl logs --follow job/%[1]s-merge
# What was found stays in the claim %[1]s: if shards have failed, delete the two Jobs and apply this again.
# The claim is ReadWriteMany, as pods on several nodes write to it; a storage class must offer that.
`, o.Name)
}

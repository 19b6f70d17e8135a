package job_test

import (
	"slices"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/apis/batch"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/job"
)

func options() job.Options {
	return job.Options{
		Name: "modelcheck", Image: "registry.example/modelcheck:1",
		Scope: []string{"--nodes=3", "--filename=/input/config.yaml"},
		Files: map[string]string{"config.yaml": "kind: KubeSchedulerConfiguration\n"}, Shards: 1000, Parallelism: 50,
		CPU: resource.MustParse("2"), Memory: resource.MustParse("4Gi"), Storage: resource.MustParse("10Gi"),
		StorageClass: "shared",
	}
}

// admit does to an object what kube-apiserver does: decode strictly, default, validate.
func admit(t *testing.T, object runtime.Object) (runtime.Object, field.ErrorList) {
	t.Helper()
	text, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	scheme := legacyscheme.Scheme
	strict := jsonserializer.NewSerializerWithOptions(jsonserializer.DefaultMetaFactory, scheme, scheme,
		jsonserializer.SerializerOptions{Yaml: true, Strict: true})
	decoded, _, err := strict.Decode(text, nil, nil)
	if err != nil {
		t.Fatalf("decoding: %v\n%s", err, text)
	}
	scheme.Default(decoded)
	switch decoded := decoded.(type) {
	case *batchv1.Job:
		decoded.Namespace = "default"
		internal := &batch.Job{}
		if err := scheme.Convert(decoded, internal, nil); err != nil {
			t.Fatal(err)
		}
		// kube-apiserver gives a UID, and makes labels and the selector from it.
		internal.UID = "uid"
		for _, prefix := range []string{"", "batch.kubernetes.io/"} {
			internal.Spec.Template.Labels[prefix+"controller-uid"] = "uid"
			internal.Spec.Template.Labels[prefix+"job-name"] = internal.Name
		}
		internal.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batch.ControllerUidLabel: "uid"}}
		return decoded, batchvalidation.ValidateJobCreate(internal,
			batchvalidation.JobValidationOptions{RequirePrefixedLabels: true})
	case *v1.PersistentVolumeClaim:
		decoded.Namespace = "default"
		internal := &core.PersistentVolumeClaim{}
		if err := scheme.Convert(decoded, internal, nil); err != nil {
			t.Fatal(err)
		}
		return decoded, corevalidation.ValidatePersistentVolumeClaim(internal,
			corevalidation.PersistentVolumeClaimSpecValidationOptions{})
	case *v1.ConfigMap:
		decoded.Namespace = "default"
		internal := &core.ConfigMap{}
		if err := scheme.Convert(decoded, internal, nil); err != nil {
			t.Fatal(err)
		}
		return decoded, corevalidation.ValidateConfigMap(internal)
	}
	t.Fatalf("nobody validates a %T", decoded)
	return nil, nil
}

// TestManifests: kube-apiserver takes what is given, with and without what may be left out, and by default no two
// pods of an index run at once.
func TestManifests(t *testing.T) {
	least := options()
	least.Files, least.StorageClass, least.Shards, least.Parallelism = nil, "", 1, 1
	most := options()
	most.Shards, most.Parallelism = 100_000, 100_000
	for _, o := range []job.Options{options(), least, most} {
		for _, object := range job.Manifests(o) {
			admitted, errs := admit(t, object)
			for _, err := range errs {
				t.Errorf("%T: %v", object, err)
			}
			if j, ok := admitted.(*batchv1.Job); ok && *j.Spec.PodReplacementPolicy != batchv1.Failed {
				t.Errorf("two pods of an index may run at once: %v", *j.Spec.PodReplacementPolicy)
			}
		}
	}
}

// TestInvalid: what kube-apiserver would refuse is noticed by the test above.
func TestInvalid(t *testing.T) {
	for want, spoil := range map[string]func(*job.Options){
		"spec.completions":    func(o *job.Options) { o.Shards = -1 },
		"spec.parallelism":    func(o *job.Options) { o.Parallelism = 100_001 },
		"requests[memory]":    func(o *job.Options) { o.Memory = resource.MustParse("-1") },
		"resources[storage]":  func(o *job.Options) { o.Storage = resource.MustParse("0") },
		"metadata.name":       func(o *job.Options) { o.Name = "Model_Check" },
		"data[a/b]":           func(o *job.Options) { o.Files = map[string]string{"a/b": ""} },
		"containers[0].image": func(o *job.Options) { o.Image = "" },
	} {
		o := options()
		spoil(&o)
		var all []string
		for _, object := range job.Manifests(o) {
			_, errs := admit(t, object)
			for _, err := range errs {
				all = append(all, err.Error())
			}
		}
		if !slices.ContainsFunc(all, func(err string) bool { return strings.Contains(err, want) }) {
			t.Errorf("got %q, want an error about %s", all, want)
		}
	}
}

// TestPolicy: what becomes of a pod, by the first rule that its end matches.
func TestPolicy(t *testing.T) {
	manifests := job.Manifests(options())
	shards, merge := manifests[2].(*batchv1.Job), manifests[3].(*batchv1.Job)
	for _, row := range []struct {
		reason  string
		job     *batchv1.Job
		code    int32
		evicted bool
		want    batchv1.PodFailurePolicyAction
	}{
		{"evicted: for free, whatever it exits with", shards, 3, true, batchv1.PodFailurePolicyActionIgnore},
		{"violated: would be again", shards, 1, false, batchv1.PodFailurePolicyActionFailIndex},
		{"bad input: is so for all", shards, 2, false, batchv1.PodFailurePolicyActionFailJob},
		{"interrupted", shards, 3, false, batchv1.PodFailurePolicyActionCount},
		{"failed", shards, 4, false, batchv1.PodFailurePolicyActionCount},
		{"killed for want of memory", shards, 137, false, batchv1.PodFailurePolicyActionCount},
		{"the merge was evicted", merge, 3, true, batchv1.PodFailurePolicyActionIgnore},
		{"the merge says violated", merge, 1, false, batchv1.PodFailurePolicyActionFailJob},
		{"the merge misses something", merge, 3, false, batchv1.PodFailurePolicyActionFailJob},
		{"the merge failed", merge, 4, false, batchv1.PodFailurePolicyActionCount},
	} {
		got := batchv1.PodFailurePolicyActionCount
		for _, rule := range row.job.Spec.PodFailurePolicy.Rules {
			if rule.OnExitCodes != nil && slices.Contains(rule.OnExitCodes.Values, row.code) ||
				len(rule.OnPodConditions) > 0 && row.evicted {
				got = rule.Action
				break
			}
		}
		if got != row.want {
			t.Errorf("%s: %s, want %s", row.reason, got, row.want)
		}
	}
}

package production

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/apiserver/pkg/util/feature"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestFeatureGates: the model has what the gates turn on, and no other gates are taken.
func TestFeatureGates(t *testing.T) {
	if got, want := lacks(), spec.ChangesSince(KubernetesVersion); !slices.Equal(got, want) {
		t.Fatalf("by the gates that are on by default the model lacks %v, and by the documents of the release %v", got, want)
	}
	before := feature.DefaultMutableFeatureGate
	defer func() { feature.DefaultMutableFeatureGate, feature.DefaultFeatureGate = before, before }()
	copied := before.DeepCopy()
	feature.DefaultMutableFeatureGate, feature.DefaultFeatureGate = copied, copied

	for text, wrong := range map[string]string{
		"GangScheduling=true":                               `what feature gate "GangScheduling" changes`,
		"StorageCapacityScoring=true,SchedulerAsyncX=false": `"SchedulerAsyncX"`,
		"AllBeta=false":                                     `"AllBeta"`,
		"":                                                  `feature gate ""`,
		"StorageCapacityScoring=perhaps":                    "StorageCapacityScoring",
		"StorageCapacityScoring":                            "missing bool value",
	} {
		if err := SetFeatureGates(text); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: %v, want %q", text, err, wrong)
		}
	}
	for _, on := range []bool{false, true} {
		text := map[bool]string{true: "StorageCapacityScoring=true", false: "StorageCapacityScoring=false"}[on]
		if err := SetFeatureGates(text); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(lacks(), spec.StorageCapacityScored().Name) == on {
			t.Errorf("%s: the model lacks %v", text, lacks())
		}
	}
}

package live_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/live"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// TestKindsAreRead: what is listed is what bears on placement, which is what is read of a file, and no more.
func TestKindsAreRead(t *testing.T) {
	kinds := []string{"KubeSchedulerConfiguration", "Scenario"} // no API server has them
	for _, kind := range live.Kinds() {
		kinds = append(kinds, kind.Kind)
	}
	slices.Sort(kinds)
	if diff := cmp.Diff(scenario.Kinds(), kinds); diff != "" {
		t.Errorf("kinds (-read of files +listed):\n%s", diff)
	}
}

// TestKindsAreServed: Kubernetes has each kind in that version and under that name, and what lacks without it is said.
func TestKindsAreServed(t *testing.T) {
	for _, kind := range live.Kinds() {
		version, err := schema.ParseGroupVersion(kind.APIVersion)
		if err != nil {
			t.Fatal(err)
		}
		gvk := version.WithKind(kind.Kind)
		plural, _ := meta.UnsafeGuessKindToResource(gvk)
		if !scheme.Scheme.Recognizes(gvk) || plural.Resource != kind.Resource {
			t.Errorf("%v is served as %s, not %s", gvk, plural.Resource, kind.Resource)
		}
		if needed := kind.Kind == "Node" || kind.Kind == "Pod"; needed != (kind.Lacks == "") {
			t.Errorf("%s: an answer without them lacks %q", kind.Resource, kind.Lacks)
		}
	}
}

// TestClusterRole: it grants the lists of the kinds, and nothing else; least of all Secrets.
func TestClusterRole(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("../..", live.ClusterRole))
	if err != nil {
		t.Fatal(err)
	}
	var role rbacv1.ClusterRole
	if err := yaml.UnmarshalStrict(text, &role); err != nil {
		t.Fatal(err)
	}
	var granted, want []string
	for _, rule := range role.Rules {
		if diff := cmp.Diff([]string{"get", "list"}, rule.Verbs); diff != "" || len(rule.APIGroups) != 1 {
			t.Errorf("groups %q, verbs (-want +got):\n%s", rule.APIGroups, diff)
		}
		for _, resource := range rule.Resources {
			granted = append(granted, rule.APIGroups[0]+"/"+resource)
		}
	}
	for _, kind := range live.Kinds() {
		group, _, named := strings.Cut(kind.APIVersion, "/")
		if !named {
			group = ""
		}
		want = append(want, group+"/"+kind.Resource)
	}
	slices.Sort(granted)
	slices.Sort(want)
	if diff := cmp.Diff(want, granted); diff != "" {
		t.Errorf("resources (-listed +granted):\n%s", diff)
	}
}

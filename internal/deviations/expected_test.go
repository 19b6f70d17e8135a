package deviations_test

import (
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
)

func TestExpected(t *testing.T) {
	const quirk = "image-volumes-unscaled" // theme images, 2 nodes, 1 pod
	for _, tt := range []struct {
		reason string
		scope  deviations.Scope
		want   bool
	}{
		{"its smallest scope", deviations.Scope{Theme: "images", Nodes: 2, Pods: 1}, true},
		{"a larger one", deviations.Scope{Theme: "images", Nodes: 3, Pods: 5}, true},
		{"too few nodes", deviations.Scope{Theme: "images", Nodes: 1, Pods: 5}, false},
		{"no pods", deviations.Scope{Theme: "images", Nodes: 3}, false},
		{"another theme", deviations.Scope{Theme: "zones", Nodes: 3, Pods: 5}, false},
		{"other bounds", deviations.Scope{Theme: "images", Nodes: 3, Pods: 5, Thorough: true}, false},
		{"a release that has it no more", deviations.Scope{Release: "v1.37.2", Theme: "images", Nodes: 2, Pods: 1}, false},
	} {
		got := slices.ContainsFunc(deviations.Expected(tt.scope), func(e deviations.Entry) bool {
			return e.Quirk.Name == quirk
		})
		if got != tt.want {
			t.Errorf("%s: expected %v, want %v", tt.reason, got, tt.want)
		}
	}
	for _, e := range deviations.Expected(deviations.Scope{Theme: "services", Nodes: 9, Pods: 9}) {
		if e.Config != "" {
			t.Errorf("%s takes a configuration of its own", e.Quirk.Name)
		}
	}
}

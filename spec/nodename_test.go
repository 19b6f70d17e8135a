package spec

import "testing"

func TestNodeName(t *testing.T) {
	for _, row := range []struct {
		reason, wanted string
		want           bool
	}{
		{"no name means any node", "", true},
		{"the node's own name", "n", true},
		{"another node's name", "m", false},
	} {
		p := pod("p")
		p.Spec.NodeName = row.wanted
		if got := NodeName().Holds(&Profile{}, p, node("n"), &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

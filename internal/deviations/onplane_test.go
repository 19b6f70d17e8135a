package deviations

import (
	"slices"
	"testing"
)

// TestPlaneRecords: what was seen on control planes is of deviations that are known, by a verdict that there is, and
// the catalogue tells of it.
func TestPlaneRecords(t *testing.T) {
	records, err := planeRecords()
	if err != nil || len(records) < 2 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	var known []string
	for _, r := range slices.Concat(recordsOf(Entries()), loopRecords()) {
		known = append(known, r.name)
		if r.name == "spread-empty-selector" && !slices.Contains(r.items(""), item{"on a control plane",
			"confirmed with " + records[0].Release + " and " + records[1].Release}) {
			t.Errorf("the catalogue says of %s: %v", r.name, r.items(""))
		}
	}
	for _, r := range records {
		for _, e := range r.Entries {
			if !slices.Contains(known, e.Deviation) || !slices.Contains(PlaneVerdicts(), e.Verdict) {
				t.Errorf("%s: %q is %q", r.Release, e.Deviation, e.Verdict)
			}
		}
	}
	if said := OnPlane("no deviation"); said != "" {
		t.Errorf("of none is said %q", said)
	}
}

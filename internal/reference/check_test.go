package reference_test

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/reference"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// configured reads a configuration of testdata.
func configured(t testing.TB, name string, symmetry bool) *reference.Model {
	t.Helper()
	path := "../../testdata/configurations/" + name + ".json"
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	c, err := reference.ReadConfiguration(file, path)
	if err != nil {
		t.Fatal(err)
	}
	s, actions := c.Scenario()
	f, err := reference.New(s, spec.NewReference(), actions, symmetry)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestCheck: the counts on which TLC, Spin's exact modes, Rumur, Stateright and two programs of one purpose agree.
func TestCheck(t *testing.T) {
	for _, row := range []struct {
		name                string
		distinct, generated int64
		depth               int
		ends                int64
		canonical           int64
		group               float64
		large               bool
		findings            []string
	}{
		{name: "H2", distinct: 929, generated: 4_264, depth: 19, canonical: 929, group: 1},
		{name: "H3", distinct: 1_320, generated: 7_419, depth: 20, canonical: 1_320, group: 1},
		{name: "H4", distinct: 42_706, generated: 299_938, depth: 27, canonical: 42_706, group: 1},
		{name: "H6", distinct: 2_438_428, generated: 22_214_040, depth: 33, canonical: 2_438_428, group: 1,
			large: true},
		{name: "D3", distinct: 194, generated: 905, depth: 9, ends: 1, canonical: 69, group: 4,
			findings: []string{reference.Deadlock}},
		{name: "D4", distinct: 39_066, generated: 311_428, depth: 25, ends: 1, canonical: 39_066, group: 1},
		{name: "S1", distinct: 776, generated: 3_723, depth: 13, canonical: 80, group: 24},
		{name: "S2", distinct: 9_112, generated: 54_409, depth: 16, canonical: 164, group: 216},
		{name: "S3", distinct: 244_186, generated: 1_898_201, depth: 21, canonical: 619, group: 3_456},
		{name: "S5", distinct: 1_712_512, generated: 15_314_907, depth: 24, canonical: 3_393, group: 5_184,
			large: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.large && testing.Short() {
				t.Skip("takes seconds")
			}
			result, err := reference.Check(t.Context(), configured(t, row.name, false), checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			ends := int64(0)
			for _, end := range result.Ends {
				ends += end.Count
			}
			got := fmt.Sprint(result.Complete, result.Distinct, result.Generated, result.Depth, ends)
			if want := fmt.Sprint(true, row.distinct, row.generated, row.depth, row.ends); got != want {
				t.Errorf("without symmetry: complete, distinct, generated, depth, end states are\n%s, want\n%s", got,
					want)
			}
			var findings []string
			for _, f := range result.Findings {
				findings = append(findings, f.Key)
			}
			if !slices.Equal(findings, row.findings) {
				t.Errorf("findings are %v, want %v", findings, row.findings)
			}
			f := configured(t, row.name, true)
			result, err = reference.Check(t.Context(), f, checker.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if result.Distinct != row.canonical || result.Depth != row.depth || f.SymmetryGroup() != row.group {
				t.Errorf("with symmetry: %d distinct, depth %d, group %v; want %d, %d, %v",
					result.Distinct, result.Depth, f.SymmetryGroup(), row.canonical, row.depth, row.group)
			}
		})
	}
}

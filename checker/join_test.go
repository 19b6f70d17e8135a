package checker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// islands are graphs that no step joins. A state is an island, a place on it, and its size.
type islands struct {
	toyWithClasses
	ends func([]byte) string
}

func (islands) Size(state []byte) int          { return int(state[2]) }
func (i islands) End(state []byte) string      { return i.ends(state) }
func (i islands) part(initial ...[]byte) Model { i.initial = initial; return i }

func drawIslands(t *rapid.T) islands {
	const places = 7
	n := rapid.IntRange(1, 6).Draw(t, "islands")
	type edge struct {
		to, action byte
		key        string
	}
	type place struct {
		edges []edge
		key   string
		size  byte
	}
	keys := rapid.SampledFrom([]string{"", "", "", "x", "y", "z"})
	all := make([][places]place, n)
	for i := range all {
		for p := range all[i] {
			all[i][p].key, all[i][p].size = keys.Draw(t, "key"), rapid.Byte().Draw(t, "size")%3
			for range rapid.IntRange(0, 3).Draw(t, "steps") {
				all[i][p].edges = append(all[i][p].edges, edge{
					rapid.Byte().Draw(t, "to") % places, rapid.Byte().Draw(t, "action") % 2,
					keys.Draw(t, "key of step"),
				})
			}
		}
	}
	state := func(island, at byte) []byte {
		return []byte{island, at, all[island][at].size, 0, 0, 0, 0, 0, 0}[:8+n%2]
	}
	m := islands{
		toyWithClasses: toy{width: 8 + n%2}.classed("walk", "swim"),
		ends:           func(s []byte) string { return fmt.Sprint(s[1] % 2) },
	}
	for range rapid.IntRange(n, 3*n).Draw(t, "initial states") {
		m.initial = append(m.initial, state(rapid.Byte().Draw(t, "island")%byte(n),
			rapid.Byte().Draw(t, "place")%places))
	}
	m.expand = func(s []byte, out *Steps) {
		here := &all[s[0]][s[1]]
		if here.key != "" {
			out.Find(here.key, OnState)
		}
		out.Count(int(s[1]%3), 1)
		for _, e := range here.edges {
			step := out.Add(uint32(e.action), state(s[0], e.to))
			if e.key != "" {
				out.Find(e.key, step)
			}
		}
	}
	return m
}

// TestJoin: what is found on some islands, and on the others, is together what is found on all; which island is in
// which part, and which part comes first, makes no difference.
func TestJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawIslands(t)
		of := rapid.SliceOfN(rapid.IntRange(0, 2), 6, 6).Draw(t, "part of each island")
		initial := map[int][][]byte{}
		for _, state := range m.initial {
			initial[of[state[0]]] = append(initial[of[state[0]]], state)
		}
		o := Options{Workers: 1, MaxDepth: rapid.IntRange(0, 5).Draw(t, "depth")}
		result := func(m Model) *Result {
			r, err := Check(t.Context(), m, o)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		var parts []*Result
		for _, part := range rapid.Permutation([]int{0, 1, 2}).Draw(t, "order") {
			if len(initial[part]) > 0 {
				parts = append(parts, result(m.part(initial[part]...)))
			}
		}
		got, err := Join(m, parts)
		if diff := cmp.Diff(result(m), got, cmpopts.IgnoreFields(Result{}, "Bytes")); err != nil || diff != "" {
			t.Fatalf("error %v (-all +joined):\n%s", err, diff)
		}
	})
}

// TestJoinForeign: a trace from elsewhere is noticed.
func TestJoinForeign(t *testing.T) {
	part := &Result{Findings: []Finding{{Key: "x", Trace: Trace{Initial: []byte{9, 9}}}}}
	if _, err := Join(jugs(), []*Result{part}); err == nil ||
		!strings.Contains(err.Error(), `finding "x" begins in 0909`) {
		t.Errorf("got error %v", err)
	}
}

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/mutation/modules"
)

// TestHear: what the process says of each fault is what is learned of it, and a fault that it dies of is noticed.
func TestHear(t *testing.T) {
	w := &switched{
		trial: &trial{
			options: &options{}, workspace: &workspace{&modules.Copy{Dir: t.TempDir()}}, progress: io.Discard,
			records: []*record{
				{ID: "a", Stages: map[string]outcome{}}, {ID: "b", Stages: map[string]outcome{}},
				{ID: "c", Stages: map[string]outcome{}},
			},
		},
		stage: stages()[0], left: []int{0, 1, 2}, outcomes: map[int]outcome{},
		trying: filepath.Join(t.TempDir(), "trying"),
	}
	for _, line := range []string{"theme 7 ports", "came 1", "came 0", "noticed 0 outcome-conforms/new",
		"hidden 1 wake-up/hint-first-pod", "came 1"} {
		if done, err := w.hear(line); done || err != nil {
			t.Fatalf("%s: done is %v, the error %v", line, done, err)
		}
	}
	if w.theme != 7 {
		t.Errorf("theme %d is gone through, want 7", w.theme)
	}
	if diff := cmp.Diff(outcome{Reached: true, Hidden: "wake-up/hint-first-pod"}, w.outcomes[1]); diff != "" {
		t.Errorf("of a fault that something known may hide is learned (-want +got):\n%s", diff)
	}
	reason := errors.New("exit status 2")
	if err := w.died(reason); !errors.Is(err, reason) {
		t.Errorf("dying of no fault is %v, want that it died", err)
	}
	if err := os.WriteFile(w.trying, []byte("2       "), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.died(reason); err != nil {
		t.Errorf("dying of a fault is %v, want that it is noticed", err)
	}
	if done, err := w.hear("done"); !done || err != nil {
		t.Errorf("the end is %v, %v", done, err)
	}
	if _, err := w.hear("hello"); err == nil {
		t.Error("a line that means nothing is no error")
	}
	want := []map[string]outcome{
		{"small": {Noticed: true, By: "outcome-conforms/new", Reached: true}}, {},
		{"small": {Noticed: true, By: "the process dies", Reached: true}},
	}
	for i, r := range w.records {
		if diff := cmp.Diff(want[i], r.Stages); diff != "" {
			t.Errorf("fault %d (-want +got):\n%s", i, diff)
		}
	}
	if diff := cmp.Diff([]int{1}, w.left); diff != "" {
		t.Errorf("left (-want +got):\n%s", diff)
	}
}

// TestPlanted: the switch gives the wrong value of the fault that is on only, and notes those faults whose wrong value
// is another or cannot be worked out.
func TestPlanted(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	write("planted/planted.go", string(switchCode))
	write("main.go", `package main

import (
	"expvar"
	"fmt"

	"m/planted"
)

func main() {
	s := expvar.Get("modelcheck/planted").(interface{ Turn(int); Watch(); Noted() []int })
	var list []int
	ask := func() (all []any) {
		all = append(all, planted.If(0, func() bool { return len(list) == 0 }, func() bool { return len(list) != 0 }))
		all = append(all, planted.If(1, func() bool { return len(list) > 1 }, func() bool { return len(list) >= 1 }))
		all = append(all, planted.If(2, func() bool { return false }, func() bool { return list[0] == 0 }))
		return append(all, planted.Pick(3, 1, 2), planted.Pick(4, 5, 5), planted.On(5), planted.Not(6, true))
	}
	fmt.Println(ask())
	s.Watch()
	ask()
	fmt.Println(s.Noted(), s.Noted())
	for _, fault := range []int{0, 3, 5, 6, -1} {
		s.Turn(fault)
		fmt.Println(ask())
	}
}
`)
	run := exec.CommandContext(t.Context(), "go", "run", ".")
	run.Dir = dir
	got, err := run.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, got)
	}
	const want = `[true false false 1 5 false true]
[0 2 3 5 6] []
[false false false 1 5 false true]
[true false false 2 5 false true]
[true false false 1 5 true true]
[true false false 1 5 false false]
[true false false 1 5 false true]
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

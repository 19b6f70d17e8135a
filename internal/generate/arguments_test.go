package generate_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestArgumentsAreConfigurations: kube-scheduler takes every configuration that is drawn, and the model knows what it
// says.
func TestArgumentsAreConfigurations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"mine", "other"}[:rapid.IntRange(1, 2).Draw(t, "profiles")]
		text := generate.Arguments(names...).Draw(t, "configuration")
		cfg, err := production.LoadConfig("drawn", text)
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		if got := cfg.Profiles(); !slices.Equal(got, names) {
			t.Fatalf("the profiles are %q, want %q", got, names)
		}
		if _, err := cfg.Spec("mine"); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
	})
}

// TestArgumentsVary: each argument comes out otherwise than by default now and then.
func TestArgumentsVary(t *testing.T) {
	plain := spec.DefaultProfile()
	seen := map[string]bool{}
	for seed := range 60 {
		cfg, err := production.LoadConfig("drawn", generate.Arguments(plain.SchedulerName).Example(seed))
		if err != nil {
			t.Fatal(err)
		}
		p, err := cfg.Spec(plain.SchedulerName)
		if err != nil {
			t.Fatal(err)
		}
		see := func(what string, is bool) { seen[what] = seen[what] || is }
		if added := p.AddedAffinity; added != nil {
			see("required affinity", added.RequiredDuringSchedulingIgnoredDuringExecution != nil)
			see("preferred affinity", len(added.PreferredDuringSchedulingIgnoredDuringExecution) > 0)
		}
		see("ignored resources", len(p.Fit.IgnoredResources) > 0)
		see("ignored groups", len(p.Fit.IgnoredResourceGroups) > 0)
		see(string(p.Fit.Strategy), true)
		see("balanced", !cmp.Equal(p.Balanced, plain.Balanced))
		see("hard weight", p.PodAffinity.HardPodAffinityWeight != plain.PodAffinity.HardPodAffinityWeight)
		see("ignores preferred terms", p.PodAffinity.IgnorePreferredTermsOfExistingPods)
		see("no default constraints", p.Spread.Defaulting == "List" && len(p.Spread.DefaultConstraints) == 0)
		see("lacks a plugin", len(p.Filters) == len(plain.Filters)-1)
		see("lacks two plugins", len(p.Filters) == len(plain.Filters)-2)
		see("candidates", p.Limits.MinCandidateNodesAbsolute < plain.Limits.MinCandidateNodesAbsolute)
		see("weight", slices.ContainsFunc(p.ScorePlugins, func(w spec.Weighted) bool { return w.Weight > 3 }))
		for _, c := range p.Spread.DefaultConstraints {
			see(string(c.WhenUnsatisfiable), true)
		}
	}
	for _, what := range []string{"required affinity", "preferred affinity", "ignored resources", "ignored groups",
		"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio", "balanced", "hard weight",
		"ignores preferred terms", "no default constraints", "DoNotSchedule", "ScheduleAnyway", "lacks a plugin",
		"lacks two plugins", "candidates", "weight"} {
		if !seen[what] {
			t.Errorf("no profile of 60 has %s", what)
		}
	}
}

// TestProfiles: the default profile and those that are drawn are one configuration, each of the latter also one by
// itself; those of another seed are others.
func TestProfiles(t *testing.T) {
	all, each := generate.Profiles("mine", 7)
	cfg, err := production.LoadConfig("drawn", all)
	if err != nil {
		t.Fatalf("%v:\n%s", err, all)
	}
	names := append([]string{"mine"}, slices.Sorted(maps.Keys(each))...)
	if got := cfg.Profiles(); !slices.Equal(got, names) || len(names) < 5 {
		t.Errorf("the profiles are %q, and drawn are %q", got, names[1:])
	}
	if first, err := cfg.Spec("mine"); err != nil || !cmp.Equal(first.Fit, spec.DefaultProfile().Fit) {
		t.Errorf("the first is %v, %v, not the default one", first, err)
	}
	for name, text := range each {
		alone, err := production.LoadConfig(name, text)
		if err != nil || !slices.Equal(alone.Profiles(), []string{name}) {
			t.Errorf("by itself, %s is %v:\n%s", name, err, text)
		}
	}
	if other, _ := generate.Profiles("mine", 8); bytes.Equal(all, other) {
		t.Error("of two seeds the profiles are the same")
	}
}

// TestConfiguration: of the runs of a seed about half have a drawn configuration, one of a few, always the same one;
// those of another seed have others.
func TestConfiguration(t *testing.T) {
	const runs = 400
	all := func(seed int64) map[string]int {
		texts := map[string]int{}
		for n := range int64(runs) {
			text := generate.Configuration("mine", seed, n)
			if again := generate.Configuration("mine", seed, n); !bytes.Equal(text, again) {
				t.Fatalf("run %d has\n%s\nand then\n%s", n, text, again)
			}
			texts[string(text)]++
		}
		return texts
	}
	one, other := all(1), all(2)
	if n := one[""]; n < runs/3 || n > 2*runs/3 {
		t.Errorf("%d of %d runs have the default configuration", n, runs)
	}
	if len(one) < 5 || len(one) > 9 {
		t.Errorf("%d configurations", len(one))
	}
	texts := strings.Join(slices.Collect(maps.Keys(one)), "\n")
	if second := strings.Count(texts, "schedulerName: second-scheduler"); second != 2 {
		t.Errorf("%d configurations have a second profile, want 2", second)
	}
	for text := range one {
		if other[text] > 0 && text != "" {
			t.Errorf("two seeds have\n%s", text)
		}
	}
}

// TestLessArguments: what is left each time is smaller, and some of it is what kube-scheduler takes; in the end nothing
// more can be left out.
func TestLessArguments(t *testing.T) {
	valid := func(text []byte) bool {
		_, err := production.LoadConfig("less", text)
		return err == nil
	}
	for seed := range 20 {
		text := generate.Arguments([]string{"mine", "other"}[:1+seed%2]...).Example(seed)
		for steps := 0; ; steps++ {
			all := generate.LessArguments(text)
			for _, less := range all {
				if len(less) >= len(text) {
					t.Fatalf("less than\n%s\nis\n%s", text, less)
				}
			}
			all = slices.DeleteFunc(all, func(less []byte) bool { return !valid(less) })
			if len(all) == 0 {
				if steps == 0 || bytes.Contains(text, []byte("args")) {
					t.Errorf("of %d nothing valid is less than\n%s", seed, text)
				}
				break
			}
			text = all[len(all)-1] // an inner part
		}
	}
}

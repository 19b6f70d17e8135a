package loop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// punctual are the kinds that kube-scheduler itself writes. What it hears of them late is left out: it takes its own
// writes for done before it hears of them. And templates of claims, of which it does not hear at all.
var punctual = []string{"Pod", "PersistentVolume", "PersistentVolumeClaim", "ResourceClaim", "ResourceClaimTemplate"}

// MayLag reports whether kube-scheduler may hear late of objects of the kind.
func MayLag(kind string) bool { return !slices.Contains(punctual, kind) }

// told is what kube-scheduler has been told of what the API server has.
func (s *State) told() *spec.Snapshot {
	if s.Told != nil {
		return s.Told
	}
	return s.API
}

// hears returns, for each kind of object of which changes are unheard, that kube-scheduler hears of the oldest.
func hears(state *State) []Action {
	var actions []Action
	for _, a := range state.Unheard {
		if !slices.ContainsFunc(actions, func(earlier Action) bool { return earlier.Ref.Kind == a.Ref.Kind }) {
			a.Heard = true
			actions = append(actions, a)
		}
	}
	return actions
}

// inTime leaves out the events of kinds of which as many changes are unheard as may be.
func (s *Scope) inTime(state *State, events []Action) []Action {
	if s.Late == 0 {
		return events
	}
	return slices.DeleteFunc(events, func(a Action) bool {
		unheard := 0
		for _, u := range state.Unheard {
			if u.Ref.Kind == a.Ref.Kind {
				unheard++
			}
		}
		return unheard >= s.Late && a.Verb != Restart && MayLag(a.Ref.Kind)
	})
}

// canonicalUnheard says what kube-scheduler has not heard of yet; in which order changes of different kinds were made
// is nothing to it.
func (s *State) canonicalUnheard(text *strings.Builder) {
	unheard := slices.Clone(s.Unheard)
	slices.SortStableFunc(unheard, func(a, b Action) int { return cmp.Compare(a.Ref.Kind, b.Ref.Kind) })
	for _, a := range unheard {
		was := slices.IndexFunc(Objects(s.told()), func(o runtime.Object) bool { return RefOf(o) == a.Ref })
		fmt.Fprintf(text, "unheard %s", a)
		if was >= 0 {
			fmt.Fprintf(text, " of %s", s.canonical(Objects(s.told())[was]))
		}
		if a.Object != nil {
			fmt.Fprintf(text, " to %s", s.canonical(a.Object))
		}
		text.WriteByte('\n')
	}
}

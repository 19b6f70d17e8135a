package stepped_test

import (
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
)

// TestRestartWritesNothing: a scheduler that ends writes nothing any more, and the next one knows all that there is.
func TestRestartWritesNothing(t *testing.T) {
	p := pod("p").Obj()
	bound := p.DeepCopy()
	bound.Spec.NodeName = "n2"
	s := newScheduler(t, cluster(node("n1"), node("n2")), stepped.Options{Late: true, Faults: true})
	if broken := breaks(t, s, []loop.Action{create(p), hear(create(p)), failing(loop.WaitPermit),
		update("binding", bound), restart}); len(broken) > 0 {
		t.Errorf("a pod is bound by somebody else as it waits, and the scheduler restarts: it breaks %q", broken)
	}
	state := s.State()
	if conditions := state.Pod("default/p").Status.Conditions; len(conditions) > 0 {
		t.Errorf("the pod has the conditions %v", conditions)
	}
	if len(state.Unheard) > 0 {
		t.Errorf("it has not heard of %v", state.Unheard)
	}

	s = newScheduler(t, slowDevice(), stepped.Options{})
	breaks(t, s, []loop.Action{uses("p", "one"), schedule, restart})
	if users := s.State().API.ResourceClaims[0].Status.ReservedFor; len(users) != 1 {
		t.Errorf("the claim of a pod that waited for its device is reserved for %v, want as it was written", users)
	}
}

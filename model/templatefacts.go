package model

import (
	"sync"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// templateFacts are the spec's answers about the nodes of one template, for one template of pending pod in the same
// surroundings, as far as predicates go that read no pods: they are the same whatever is on the node. To look for
// devices takes longer than all else, and would be done again for each content.
type templateFacts struct {
	// statuses has one entry per filter of the profile; those of other filters say nothing.
	statuses []spec.AllowedStatuses

	around *spec.Snapshot // what the predicates read, without pods but the pending one
	// base are those of the tables' base; nil if nothing is taken over from it.
	base *templateFacts

	scored   sync.Once
	raw      []int64 // by score plugin of the profile
	abstains uint64  // as a set of indexes
}

// templateKey tells the facts about templates apart.
type templateKey struct{ pending, node, around int }

// readsNoPods reports whether a predicate reads the node and no pods.
func readsNoPods(f spec.Footprint) bool { return f == spec.ReadsNode || f == spec.ReadsNodeAndDevices }

// templateFactsOf returns the facts for a pod template and the template of the content's node. The objects are those of
// some content with that node.
func (t *Tables) templateFactsOf(pending int, content *Content, pod *v1.Pod, node *v1.Node,
	s *spec.Snapshot) *templateFacts {
	key := templateKey{pending, content.Template, content.around.number}
	t.mu.RLock()
	known := t.templates[key]
	t.mu.RUnlock()
	if known != nil {
		return known
	}
	f := &templateFacts{statuses: make([]spec.AllowedStatuses, len(t.filters))}
	if t.base != nil && !t.overlooks {
		f.base = t.base.templateFactsOf(pending, content, pod, node, s)
		f.around = f.base.around
	} else {
		f.around = bare(pod, node, s, content.around)
	}
	for i, filter := range t.filters {
		if readsNoPods(filter.Footprint) && !t.sharesFilter(i) {
			f.statuses[i] = t.spec.Allowed(filter, pod, node, f.around)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if known = t.templates[key]; known == nil { // another worker may have been faster
		known, t.templates[key] = f, f
	}
	return known
}

// bare returns what there is to read of the node in the snapshot for who reads no pods but the pending one.
func bare(pod *v1.Pod, node *v1.Node, s *spec.Snapshot, around *surroundings) *spec.Snapshot {
	bare := *s
	if len(s.ResourceSlices) > 0 {
		bare = *around.devices().Around(pod, node, s)
	}
	bare.Pods = []*v1.Pod{pod}
	return &bare
}

// score asks the score plugins that read no pods, once and where some node of the template is feasible.
func (f *templateFacts) score(t *Tables, pod *v1.Pod, node *v1.Node) {
	f.scored.Do(func() {
		if f.base != nil {
			f.base.score(t.base, pod, node)
		}
		f.raw = make([]int64, len(t.scorePlugins))
		for i, scorePlugin := range t.scorePlugins {
			switch {
			case !readsNoPods(scorePlugin.Footprint):
			case f.base != nil && t.changed.scorePlugins&(1<<i) == 0:
				f.raw[i] = f.base.raw[i]
				f.abstains |= f.base.abstains & (1 << i)
			default:
				raw, abstains := t.rawOf(scorePlugin, pod, node, f.around)
				f.raw[i] = raw
				if abstains {
					f.abstains |= 1 << i
				}
			}
		}
	})
}

// rawOf returns what a score plugin that looks at one node says of it, and whether it abstains.
func (t *Tables) rawOf(scorePlugin spec.ScorePlugin, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) (int64, bool) {
	raw := int64(0)
	if scorePlugin.Raw != nil {
		raw = scorePlugin.Raw(t.spec.Profile, pod, node, s)
	}
	return raw, scorePlugin.Abstains != nil && scorePlugin.Abstains(t.spec.Profile, pod, []*v1.Node{node}, s)
}

package report

import (
	"fmt"
	"time"
)

// randomSentence says which clusters were drawn.
func randomSentence(s Scope) string {
	text := fmt.Sprintf("clusters of 1 to %s and up to %s, one of them pending, drawn at random over all fields at "+
		"once with seed %d", plural(int64(s.Nodes), "node"), plural(int64(s.Pods), "pod"), s.Random.Seed)
	if s.Random.Questions > 0 {
		text += fmt.Sprintf(", until %s were asked about", plural(s.Random.Questions, "cluster"))
	}
	if s.Random.Seconds > 0 {
		text += fmt.Sprintf(", for %s: how many that are depends on the machine",
			time.Duration(s.Random.Seconds*float64(time.Second)))
	}
	return text
}

// drawn tells how many clusters were drawn, and what became of the pods that asked.
func (p *page) drawn(r *Run) {
	p.section("Asked about")
	p.drawnLines(r)
}

func (p *page) drawnLines(r *Run) {
	drawn := r.Result.Random
	left := "are left to chance by kube-scheduler"
	if drawn.Refused > 0 {
		left += ", or their pod is not admitted"
	}
	p.line("  drawn clusters: %s, of which %s had been drawn before and %s %s",
		count(drawn.Drawn), count(drawn.Repeated), count(drawn.LeftOut), left)
	p.line("  distinct decisions: %s; outcomes: %s", count(r.Result.Asked), outcomeCounts(r))
}

// randomNotCovered says what drawn clusters tell nothing about.
func randomNotCovered(r *Run) []string {
	texts := []string{
		fmt.Sprintf("Every other cluster: drawn ones are a sample. None has more than %s or more than %s.",
			plural(int64(r.Scope.Nodes), "node"), plural(int64(r.Scope.Pods), "pod")),
		"What follows a decision: no outcome is carried out.",
	}
	if refused := r.Result.Random.Refused; refused > 0 {
		texts = append(texts, notAdmitted(r.KubernetesVersion, refused))
	}
	return texts
}

// notAdmitted says how many drawn objects an older release refuses.
func notAdmitted(release string, refused int64) string {
	return fmt.Sprintf("%s of drawn clusters, which %s does not admit.", plural(refused, "object"), release)
}

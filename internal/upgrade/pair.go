package upgrade

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// pair is the decider of a worker: it asks both sides, and the exploration follows what the later release says.
type pair struct {
	Explorer
	from, to  Side
	explainer *explainer
	collector *collector
	// broken is called with what broke down, and ends the run.
	broken context.CancelCauseFunc
}

// Decide implements decisions.Decider.
func (p *pair) Decide(q spec.Question) *spec.Decision {
	asked := p.compare(q)
	if err := p.failed(); err != nil {
		p.broken(err)
	} else {
		p.collector.add(asked)
	}
	return asked.to
}

// failed returns what broke down on either side.
func (p *pair) failed() error { return cmp.Or(p.from.Err(), p.to.Err()) }

// compared is a question with both answers.
type compared struct {
	question    spec.Question
	from, to    *spec.Decision
	differences []Difference
	causes      []Cause
}

// otherwise reports whether the pod ends otherwise.
func (c *compared) otherwise() bool {
	return len(c.differences) > 0 && (c.differences[0].In == inOutcome || c.differences[0].In == inFailure)
}

// compare asks both sides.
func (p *pair) compare(q spec.Question) compared {
	from, to := p.from.Ask(q), p.to.Ask(q)
	asked := compared{question: q}
	asked.to = to() // in this process, most likely, while the other is at work
	asked.from = from()
	asked.differences = Differences(q, asked.from, asked.to)
	if len(asked.differences) > 0 {
		asked.causes = p.explainer.causes(q, asked.differences, p.from, p.to)
	}
	return asked
}

// Close implements decisions.Decider.
func (p *pair) Close() error {
	_ = p.from.Close() // what they were to say is said
	_ = p.to.Close()
	return p.Explorer.Close()
}

// Group is what one cause changes.
type Group struct {
	Cause
	// Questions is how many decisions it changes, Alone how many of these it changes alone, and Otherwise how many end
	// otherwise, which other causes may have a part in.
	Questions, Alone, Otherwise int64
	// Example is the smallest question with the cause, alone if there is one, with both answers.
	Example Example
}

// Example is a question that two releases answer otherwise.
type Example struct {
	Question    spec.Question
	From, To    *spec.Decision
	Differences []Difference
	Causes      []Cause
	// size and text order examples.
	size int
	text string
}

// less reports whether an example tells more: it has fewer causes, is smaller, or comes first.
func (e *Example) less(other *Example) bool {
	switch {
	case len(e.Causes) != len(other.Causes):
		return len(e.Causes) < len(other.Causes)
	case e.size != other.size:
		return e.size < other.size
	default:
		return e.words() < other.words()
	}
}

// words is the question in JSON.
func (e *Example) words() string {
	if e.text == "" {
		text, err := json.Marshal([]any{e.Question.Pod, e.Question.Snapshot})
		if err != nil {
			panic("upgrade: a question cannot be written: " + err.Error()) // API objects always can
		}
		e.text = string(text)
	}
	return e.text
}

// collector gathers what all workers find.
type collector struct {
	mu     sync.Mutex
	result Result
	groups map[Cause]*Group
}

func newCollector() *collector { return &collector{groups: map[Cause]*Group{}} }

// add counts a question.
func (c *collector) add(asked compared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.result.Asked++
	if len(asked.differences) == 0 {
		return
	}
	c.result.Differ++
	otherwise := asked.otherwise()
	if otherwise {
		c.result.Otherwise++
	}
	e := exampleOf(asked)
	for _, cause := range asked.causes {
		g := c.groups[cause]
		if g == nil {
			g = &Group{Cause: cause, Example: e}
			c.groups[cause] = g
		}
		g.Questions++
		if len(asked.causes) == 1 {
			g.Alone++
		}
		if otherwise {
			g.Otherwise++
		}
		if e.less(&g.Example) {
			g.Example = e
		}
	}
}

// exampleOf keeps a question, whose snapshot may be used again.
func exampleOf(asked compared) Example {
	s := *asked.question.Snapshot
	s.Nodes, s.Pods = slices.Clone(s.Nodes), slices.Clone(s.Pods)
	return Example{
		Question: spec.Question{Pod: asked.question.Pod, Snapshot: &s}, From: asked.from, To: asked.to,
		Differences: asked.differences, Causes: asked.causes, size: len(s.Nodes) + len(s.Pods),
	}
}

// conclude orders what was found, and makes examples smaller, as long as there is time: once the context has ended,
// nobody is asked any more, as they may be at work still.
func (c *collector) conclude(ctx context.Context, p *pair, valid func(runtime.Object) bool) []Group {
	c.mu.Lock()
	defer c.mu.Unlock()
	var groups []Group
	for _, g := range c.groups {
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b Group) int { return compareCauses(a.Cause, b.Cause) })
	for i := range groups {
		if ctx.Err() != nil {
			break
		}
		e := &groups[i].Example
		smaller := decisions.Smallest(e.Question, valid, func(q spec.Question) bool {
			return ctx.Err() == nil && slices.Contains(p.compare(q).causes, groups[i].Cause)
		})
		if asked := p.compare(smaller); len(asked.differences) > 0 {
			*e = exampleOf(asked)
		}
	}
	return groups
}

package upgrade

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/patience"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// ClusterResult is what changes for the pods of a cluster as it is.
type ClusterResult struct {
	// Pods is how many pods the cluster has, and Asked about how many of them both releases were asked.
	Pods, Asked int
	// Otherwise are those that would be placed otherwise, in the order of the questions.
	Otherwise []Moved
	// Stopped: it was interrupted, so that some were not asked about.
	Stopped bool
}

// Moved is some pods that nothing tells apart and that would be placed otherwise.
type Moved struct {
	Pods []*v1.Pod
	// From and To say what becomes of them in either release.
	From, To string
	Causes   []Cause
}

// Cluster asks both releases about pods of a cluster.
func Cluster(ctx context.Context, cluster *spec.Snapshot, asked []audit.About, o Options) (*Result, error) {
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := newCollector()
	var pairs []*pair
	defer func() {
		for _, p := range pairs {
			_ = p.Close() // what they were to say is said
		}
	}()
	for range max(1, min(o.Explore.Workers, len(asked))) {
		p, err := o.pair(c, cancel)
		if err != nil {
			return nil, err
		}
		pairs = append(pairs, p)
	}
	answers := make([]*compared, len(asked))
	var next atomic.Int64
	var workers sync.WaitGroup
	for _, p := range pairs {
		workers.Go(func() {
			for inner.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(asked) {
					return
				}
				var got compared
				if !patience.Do(inner, func() { got = p.compare(asked[i].Question) }) {
					return
				}
				if err := p.failed(); err != nil {
					cancel(err)
					return
				}
				answers[i] = &got
			}
		})
	}
	workers.Wait()
	if broken := context.Cause(inner); broken != nil && ctx.Err() == nil {
		return nil, broken
	}
	found := &ClusterResult{Pods: len(cluster.Pods)}
	for i, got := range answers {
		if got == nil {
			found.Stopped = true
			continue
		}
		c.add(*got)
		found.Asked += len(asked[i].Pods)
		if got.otherwise() {
			d := got.differences[0]
			found.Otherwise = append(found.Otherwise, Moved{asked[i].Pods, d.From, d.To, got.causes})
		}
	}
	result := o.result(c, pairs)
	result.Cluster = found
	result.Groups = c.conclude(inner, pairs[0], o.Valid)
	return result, pairs[0].failed()
}

// Sentence says what an upgrade changes for the pods of a cluster: how many would be placed otherwise, and why. names
// says what a cause is called.
func (r *ClusterResult) Sentence(names func(Cause) string) string {
	if len(r.Otherwise) == 0 {
		return fmt.Sprintf("None of %d pods would be placed otherwise.", r.Asked)
	}
	moved, by := 0, map[Cause]int{}
	var causes []Cause
	for _, m := range r.Otherwise {
		moved += len(m.Pods)
		cause := m.Causes[0] // the weightiest
		if by[cause] += len(m.Pods); !slices.Contains(causes, cause) {
			causes = append(causes, cause)
		}
	}
	slices.SortFunc(causes, compareCauses)
	text := fmt.Sprintf("%d of %d pods would be placed otherwise", moved, r.Asked)
	for i, cause := range causes {
		text += fmt.Sprintf("%s %d %s", map[bool]string{true: ":", false: ","}[i == 0], by[cause], names(cause))
	}
	return text + "."
}

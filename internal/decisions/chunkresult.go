package decisions

import (
	"bytes"
	"cmp"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/fields"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// ChunkResult is what the exploration of one chunk of a scenario found, and all of it: it depends on no other chunk.
// The result of a run is made from the results of its chunks alone, so it does not matter whether one was explored
// now or is from an earlier run. It can be written as JSON and read again.
type ChunkResult struct {
	Explored *checker.Result
	// Stats are those of the decisions, each distinct one once.
	Stats []Stats
	// Questions are the distinct questions, in the order of their digests: of each the digest, and after it the
	// index of its stats, little endian, questionSize bytes together.
	Questions []byte
	// Scores are the distinct weighted scores of each score plugin, in increasing order.
	Scores map[string][]int64
	// Fields has which values the fields of the objects took that questions were about, by path.
	Fields map[string]fields.Seen
	// Facts and Tried are those of a Result.
	Facts, Tried int64
}

const (
	digestSize   = len(model.Digest{})
	questionSize = digestSize + 4
)

// Distinct is the number of distinct questions.
func (c *ChunkResult) Distinct() int { return len(c.Questions) / questionSize }

// question returns the i-th question: its digest, and the index of its stats.
func (c *ChunkResult) question(i int) (digest []byte, stats int) {
	entry := c.Questions[i*questionSize : (i+1)*questionSize]
	return entry[:digestSize], int(binary.LittleEndian.Uint32(entry[digestSize:]))
}

// Kept reports whether the result can be kept. Where memory or time ended the exploration, another one would find
// something else.
func (c *ChunkResult) Kept() bool {
	return slices.Contains([]checker.Reason{checker.NotStopped, checker.StateLimit, checker.DepthLimit},
		c.Explored.Stopped)
}

// Validate returns what is wrong with a chunk result that was read.
func (c *ChunkResult) Validate() error {
	if c.Explored == nil {
		return errors.New("it does not say what was explored")
	}
	if len(c.Questions)%questionSize != 0 {
		return fmt.Errorf("its questions take %d bytes, no multiple of %d", len(c.Questions), questionSize)
	}
	var before []byte
	for i := range c.Distinct() {
		digest, stats := c.question(i)
		if stats >= len(c.Stats) {
			return fmt.Errorf("its question %d has stats %d, of %d", i, stats, len(c.Stats))
		}
		if bytes.Compare(before, digest) >= 0 {
			return fmt.Errorf("its question %d is not in order", i)
		}
		before = digest
	}
	return nil
}

// count adds the distinct questions of the chunks to the totals, each once, however many chunks have it.
func (t *totals) count(results []*ChunkResult) {
	counts := make([][]int64, len(results))
	var next nextQuestions
	for i, c := range results {
		counts[i] = make([]int64, len(c.Stats))
		if c.Distinct() > 0 {
			next = append(next, nextQuestion{c, i, 0})
		}
	}
	heap.Init(&next)
	var before []byte
	for len(next) > 0 {
		first := &next[0]
		digest, stats := first.in.question(first.at)
		if !bytes.Equal(digest, before) {
			counts[first.chunk][stats]++
		}
		before = digest
		if first.at++; first.at < first.in.Distinct() {
			heap.Fix(&next, 0)
		} else {
			heap.Pop(&next)
		}
	}
	for i, c := range results {
		for stats := range c.Stats {
			t.add(&c.Stats[stats], counts[i][stats])
		}
		for _, plugin := range slices.Sorted(maps.Keys(c.Scores)) {
			t.addScores(plugin, c.Scores[plugin])
		}
	}
}

// nextQuestion is the first question of a chunk that was not counted yet. nextQuestions is a heap of them: on top is
// the one that comes first in the order of digests, of equal ones that of the first chunk.
type (
	nextQuestion struct {
		in        *ChunkResult
		chunk, at int
	}
	nextQuestions []nextQuestion
)

// Len is part of heap.Interface.
func (n nextQuestions) Len() int { return len(n) }

// Less is part of heap.Interface.
func (n nextQuestions) Less(i, j int) bool {
	a, _ := n[i].in.question(n[i].at)
	b, _ := n[j].in.question(n[j].at)
	return cmp.Or(bytes.Compare(a, b), cmp.Compare(n[i].chunk, n[j].chunk)) < 0
}

// Swap is part of heap.Interface.
func (n nextQuestions) Swap(i, j int) { n[i], n[j] = n[j], n[i] }

// Push is part of heap.Interface.
func (n *nextQuestions) Push(x any) { *n = append(*n, x.(nextQuestion)) }

// Pop is part of heap.Interface.
func (n *nextQuestions) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}

// collector collects the stats of the decisions about distinct questions, as they come in.
type collector struct {
	index     map[string]int // by key
	stats     []Stats
	questions []counted
	plugins   plugins
	scores    []map[int64]bool // by the score plugins of plugins; nil for those never asked
	making    statsMaker
}

// counted is a question with the index of its stats in the list.
type counted struct {
	digest model.Digest
	stats  uint32
}

func (q counted) compare(other counted) int {
	if c := cmp.Compare(binary.BigEndian.Uint64(q.digest[:]), binary.BigEndian.Uint64(other.digest[:])); c != 0 {
		return c
	}
	return bytes.Compare(q.digest[:], other.digest[:])
}

func newCollector(all plugins) *collector {
	return &collector{index: map[string]int{}, plugins: all, scores: make([]map[int64]bool, len(all.scorePlugins))}
}

// enter enters the decision about a question.
func (l *collector) enter(digest model.Digest, c *invariants.Case, exercised []int, findings, breaks []string) {
	stats, scores := l.making.of(l.plugins, c, exercised, findings, breaks)
	l.making.key = stats.appendKey(l.making.key[:0])
	i, known := l.index[string(l.making.key)]
	if !known {
		i = len(l.stats)
		l.index[string(l.making.key)] = i
		l.stats = append(l.stats, stats.clone())
	}
	l.questions = append(l.questions, counted{digest, uint32(i)})
	for i, values := range scores {
		if values != nil && l.scores[i] == nil {
			l.scores[i] = map[int64]bool{}
		}
		for _, value := range values {
			if seen := l.scores[i]; !seen[value] {
				seen[value] = true
			}
		}
	}
}

// asked is the number of questions entered.
func (l *collector) asked() int64 { return int64(len(l.questions)) }

// fill fills in what a chunk result says of them. In which order decisions came in is forgotten.
func (l *collector) fill(c *ChunkResult) {
	keys := slices.Sorted(maps.Keys(l.index))
	sorted := make([]uint32, len(keys))
	for i, key := range keys {
		c.Stats = append(c.Stats, l.stats[l.index[key]])
		sorted[l.index[key]] = uint32(i)
	}
	slices.SortFunc(l.questions, counted.compare)
	c.Questions = make([]byte, 0, questionSize*len(l.questions))
	for _, question := range l.questions {
		c.Questions = append(c.Questions, question.digest[:]...)
		c.Questions = binary.LittleEndian.AppendUint32(c.Questions, sorted[question.stats])
	}
	c.Scores = map[string][]int64{}
	for i, values := range l.scores {
		if values != nil {
			c.Scores[l.plugins.scorePlugins[i]] = slices.Sorted(maps.Keys(values))
		}
	}
}

package decisions

import (
	"bytes"
	"cmp"
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

// ChunkResult is what the exploration of one part of a scenario found, and all of it: it depends on no other part.
// The result of a run is made from pieces alone, so it does not matter whether one was explored now or is from an
// earlier run. It can be written as JSON and read again.
type ChunkResult struct {
	Explored *checker.Result
	// Stats are what decisions count for, each distinct one once.
	Stats []Stats
	// Questions are the distinct questions, in the order of their digests: of each the digest, and after it the
	// index of its account, little endian, questionSize bytes together.
	Questions []byte
	// Scores are the distinct weighted scores of each score plugin, in increasing order.
	Scores map[string][]int64
	// Fields tells which values the fields of the objects took that questions were about, by path.
	Fields map[string]fields.Seen
	// Facts and Tried are those of a Result.
	Facts, Tried int64
}

const (
	digestSize   = len(model.Digest{})
	questionSize = digestSize + 4
)

// Distinct is the number of distinct questions.
func (p *ChunkResult) Distinct() int { return len(p.Questions) / questionSize }

// question returns the i-th question: its digest, and the index of its account.
func (p *ChunkResult) question(i int) (digest []byte, account int) {
	entry := p.Questions[i*questionSize : (i+1)*questionSize]
	return entry[:digestSize], int(binary.LittleEndian.Uint32(entry[digestSize:]))
}

// Kept reports whether the piece can be kept. Where memory or time ended the exploration, another one would find
// something else.
func (p *ChunkResult) Kept() bool {
	return slices.Contains([]checker.Reason{checker.NotStopped, checker.StateLimit, checker.DepthLimit},
		p.Explored.Stopped)
}

// Validate tells what is wrong with a piece that was read.
func (p *ChunkResult) Validate() error {
	if p.Explored == nil {
		return errors.New("it does not say what was explored")
	}
	if len(p.Questions)%questionSize != 0 {
		return fmt.Errorf("its questions take %d bytes, no multiple of %d", len(p.Questions), questionSize)
	}
	var before []byte
	for i := range p.Distinct() {
		digest, account := p.question(i)
		if account >= len(p.Stats) {
			return fmt.Errorf("its question %d has account %d, of %d", i, account, len(p.Stats))
		}
		if bytes.Compare(before, digest) >= 0 {
			return fmt.Errorf("its question %d is not in order", i)
		}
		before = digest
	}
	return nil
}

// count adds the distinct questions of the pieces to the tally, each once, however many pieces have it.
func (t *totals) count(results []*ChunkResult) {
	next := make([]int, len(results))
	counts := make([][]int64, len(results))
	for i, p := range results {
		counts[i] = make([]int64, len(p.Stats))
	}
	for {
		first := -1
		var least []byte
		for i, p := range results {
			if next[i] == p.Distinct() {
				continue
			}
			if digest, _ := p.question(next[i]); first < 0 || bytes.Compare(digest, least) < 0 {
				first, least = i, digest
			}
		}
		if first < 0 {
			break
		}
		_, account := results[first].question(next[first])
		counts[first][account]++
		for i, p := range results {
			if next[i] < p.Distinct() {
				if digest, _ := p.question(next[i]); bytes.Equal(digest, least) {
					next[i]++
				}
			}
		}
	}
	for i, p := range results {
		for account := range p.Stats {
			t.add(&p.Stats[account], counts[i][account])
		}
		for _, plugin := range slices.Sorted(maps.Keys(p.Scores)) {
			t.addScores(plugin, p.Scores[plugin])
		}
	}
}

// collector are what is known of the decisions about distinct questions, as they come in.
type collector struct {
	index     map[string]int // by key
	stats     []Stats
	questions []entry
	plugins   plugins
	scores    []map[int64]bool // by the score plugins of plugins; nil for those never asked
	making    statsOf
}

// entry is a question with the index of its account in the list.
type entry struct {
	digest model.Digest
	stats  uint32
}

func (e entry) compare(other entry) int {
	if c := cmp.Compare(binary.BigEndian.Uint64(e.digest[:]), binary.BigEndian.Uint64(other.digest[:])); c != 0 {
		return c
	}
	return bytes.Compare(e.digest[:], other.digest[:])
}

func newCollector(all plugins) *collector {
	return &collector{index: map[string]int{}, plugins: all, scores: make([]map[int64]bool, len(all.scorePlugins))}
}

// enter enters the decision about a question.
func (b *collector) enter(digest model.Digest, c *invariants.Case, exercised []int, findings, breaks []string) {
	account, scores := b.making.of(b.plugins, c, exercised, findings, breaks)
	b.making.key = account.appendKey(b.making.key[:0])
	i, known := b.index[string(b.making.key)]
	if !known {
		i = len(b.stats)
		b.index[string(b.making.key)] = i
		b.stats = append(b.stats, account.kept())
	}
	b.questions = append(b.questions, entry{digest, uint32(i)})
	for i, values := range scores {
		if values != nil && b.scores[i] == nil {
			b.scores[i] = map[int64]bool{}
		}
		for _, value := range values {
			if seen := b.scores[i]; !seen[value] {
				seen[value] = true
			}
		}
	}
}

// asked is the number of questions entered.
func (b *collector) asked() int64 { return int64(len(b.questions)) }

// close fills in the piece. In which order decisions came in is forgotten.
func (b *collector) close(p *ChunkResult) {
	keys := slices.Sorted(maps.Keys(b.index))
	sorted := make([]uint32, len(keys))
	for i, key := range keys {
		p.Stats = append(p.Stats, b.stats[b.index[key]])
		sorted[b.index[key]] = uint32(i)
	}
	slices.SortFunc(b.questions, entry.compare)
	p.Questions = make([]byte, 0, questionSize*len(b.questions))
	for _, question := range b.questions {
		p.Questions = append(p.Questions, question.digest[:]...)
		p.Questions = binary.LittleEndian.AppendUint32(p.Questions, sorted[question.stats])
	}
	p.Scores = map[string][]int64{}
	for i, values := range b.scores {
		if values != nil {
			p.Scores[b.plugins.scorePlugins[i]] = slices.Sorted(maps.Keys(values))
		}
	}
}

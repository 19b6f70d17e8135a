package explore

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/fields"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
)

// Piece is what the exploration of one part of a scenario found, and all of it: it depends on no other part. The result of a run is made from
// pieces alone, so it does not matter whether one was explored now or is from an earlier run. It can be written as JSON and read again.
type Piece struct {
	Explored *checker.Result
	// Accounts are what decisions count for, each distinct one once.
	Accounts []Account
	// Questions are the distinct questions, in the order of their digests: of each the digest, and after it the index of its account,
	// little endian, questionSize bytes together.
	Questions []byte
	// Ratings are the distinct weighted ratings of each score plugin, in increasing order.
	Ratings map[string][]int64
	// Fields tells which values the fields of the objects took that questions were about, by path.
	Fields map[string]fields.Seen
	// Facts and Tried are those of a Result.
	Facts, Tried int64
}

const (
	digestSize   = len(model.Digest{})
	questionSize = digestSize + 4
)

// Asked is the number of distinct questions.
func (p *Piece) Asked() int { return len(p.Questions) / questionSize }

// question gives the i-th question: its digest, and the index of its account.
func (p *Piece) question(i int) (digest []byte, account int) {
	entry := p.Questions[i*questionSize : (i+1)*questionSize]
	return entry[:digestSize], int(binary.LittleEndian.Uint32(entry[digestSize:]))
}

// Kept tells whether the piece can be kept. Where memory or time ended the exploration, another one would find something else.
func (p *Piece) Kept() bool {
	return slices.Contains([]checker.Reason{checker.NotStopped, checker.StateLimit, checker.DepthLimit}, p.Explored.Stopped)
}

// Validate tells what is wrong with a piece that was read.
func (p *Piece) Validate() error {
	if p.Explored == nil {
		return errors.New("it does not say what was explored")
	}
	if len(p.Questions)%questionSize != 0 {
		return fmt.Errorf("its questions take %d bytes, no multiple of %d", len(p.Questions), questionSize)
	}
	var before []byte
	for i := range p.Asked() {
		digest, account := p.question(i)
		if account >= len(p.Accounts) {
			return fmt.Errorf("its question %d has account %d, of %d", i, account, len(p.Accounts))
		}
		if bytes.Compare(before, digest) >= 0 {
			return fmt.Errorf("its question %d is not in order", i)
		}
		before = digest
	}
	return nil
}

// count adds the distinct questions of the pieces to the tally, each once, however many pieces have it.
func (t *tally) count(pieces []*Piece) {
	next := make([]int, len(pieces))
	counts := make([][]int64, len(pieces))
	for i, p := range pieces {
		counts[i] = make([]int64, len(p.Accounts))
	}
	for {
		first := -1
		var least []byte
		for i, p := range pieces {
			if next[i] == p.Asked() {
				continue
			}
			if digest, _ := p.question(next[i]); first < 0 || bytes.Compare(digest, least) < 0 {
				first, least = i, digest
			}
		}
		if first < 0 {
			break
		}
		_, account := pieces[first].question(next[first])
		counts[first][account]++
		for i, p := range pieces {
			if next[i] < p.Asked() {
				if digest, _ := p.question(next[i]); bytes.Equal(digest, least) {
					next[i]++
				}
			}
		}
	}
	for i, p := range pieces {
		for account := range p.Accounts {
			t.add(&p.Accounts[account], counts[i][account])
		}
		for _, plugin := range slices.Sorted(maps.Keys(p.Ratings)) {
			t.rated(plugin, p.Ratings[plugin])
		}
	}
}

// books are what is known of the decisions about distinct questions, as they come in.
type books struct {
	accounts  map[string]int // by key
	list      []Account
	questions []entry
	plugins   plugins
	ratings   []map[int64]bool // by the raters of plugins; nil for those never asked
	making    accountant
}

// entry is a question with the index of its account in the list.
type entry struct {
	digest  model.Digest
	account uint32
}

func (e entry) compare(other entry) int {
	if c := cmp.Compare(binary.BigEndian.Uint64(e.digest[:]), binary.BigEndian.Uint64(other.digest[:])); c != 0 {
		return c
	}
	return bytes.Compare(e.digest[:], other.digest[:])
}

func newBooks(all plugins) *books {
	return &books{accounts: map[string]int{}, plugins: all, ratings: make([]map[int64]bool, len(all.raters))}
}

// enter enters the decision about a question.
func (b *books) enter(digest model.Digest, c *invariants.Case, exercised []int, findings, breaks []string) {
	account, ratings := b.making.of(b.plugins, c, exercised, findings, breaks)
	b.making.key = account.appendKey(b.making.key[:0])
	i, known := b.accounts[string(b.making.key)]
	if !known {
		i = len(b.list)
		b.accounts[string(b.making.key)] = i
		b.list = append(b.list, account.kept())
	}
	b.questions = append(b.questions, entry{digest, uint32(i)})
	for i, values := range ratings {
		if values != nil && b.ratings[i] == nil {
			b.ratings[i] = map[int64]bool{}
		}
		for _, value := range values {
			if seen := b.ratings[i]; !seen[value] {
				seen[value] = true
			}
		}
	}
}

// asked is the number of questions entered.
func (b *books) asked() int64 { return int64(len(b.questions)) }

// close fills in the piece. In which order decisions came in is forgotten.
func (b *books) close(p *Piece) {
	keys := slices.Sorted(maps.Keys(b.accounts))
	sorted := make([]uint32, len(keys))
	for i, key := range keys {
		p.Accounts = append(p.Accounts, b.list[b.accounts[key]])
		sorted[b.accounts[key]] = uint32(i)
	}
	slices.SortFunc(b.questions, entry.compare)
	p.Questions = make([]byte, 0, questionSize*len(b.questions))
	for _, question := range b.questions {
		p.Questions = append(p.Questions, question.digest[:]...)
		p.Questions = binary.LittleEndian.AppendUint32(p.Questions, sorted[question.account])
	}
	p.Ratings = map[string][]int64{}
	for i, values := range b.ratings {
		if values != nil {
			p.Ratings[b.plugins.raters[i]] = slices.Sorted(maps.Keys(values))
		}
	}
}

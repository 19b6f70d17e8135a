package checker

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// OnState is the step to give to Find for what concerns the state and none of its steps.
const OnState = -1

// Steps takes what workers say of the states they expand. It is filled for one chunk of states of
// a level at a time, by one worker, and then either counted as a whole or dropped as a whole.
// Nothing in it is allocated for each step: its buffers are used again.
type Steps struct {
	width  int
	narrow bool
	label  func(state []byte) string
	class  func(action uint32) int
	size   func(state []byte) int

	// The state being expanded, and where its steps begin.
	state []byte
	from  stateID
	first int

	// steps and, in the same order, the states they lead to: words if they are narrow, else next.
	targets
	// sorted has them by shard, and within a shard in their order; those of a shard end where ends says. Whoever
	// inserts them goes through memory from front to back.
	sorted targets
	ends   [shardCount]int
	// spare is the state that target gives, if states are narrow.
	spare [narrowWidth]byte

	expanded    int64
	least, most int // out-degree
	generated   []int64
	counters    []int64
	endStates   map[string]int64
	found       []found
	foundBy     map[string]int
	complete    bool  // every state of the chunk was expanded
	brokenRule  error // the first rule of the package that the model broke
	err         error // reading the states of the chunk failed
	// ids and states are those of the chunk. block has the records of states that are on disk.
	ids    []stateID
	states [][]byte
	block  []byte

	_ [cacheLine]byte
}

// cacheLine is what cores hand one another of memory. What one worker writes all the time is that far away from
// what another one does.
const cacheLine = 64

// step is a step as it waits in a buffer.
type step struct {
	from   stateID
	action uint32
}

// targets are steps and the states they lead to, with their hashes. Sorted ones that are narrow go without: a word
// is hashed again in less time than a hash takes from one core to the other.
type targets struct {
	steps  []step
	hashes []uint64
	words  []uint64
	next   []byte
}

// grow makes room for n steps that are sorted, all of them to be set.
func (t *targets) grow(n, width int, narrow bool) {
	t.steps = slices.Grow(t.steps[:0], n)[:n]
	if narrow {
		t.words = slices.Grow(t.words[:0], n)[:n]
	} else {
		t.hashes = slices.Grow(t.hashes[:0], n)[:n]
		t.next = slices.Grow(t.next[:0], n*width)[:n*width]
	}
}

// empty keeps the memory.
func (t *targets) empty() {
	t.steps, t.hashes, t.words, t.next = t.steps[:0], t.hashes[:0], t.words[:0], t.next[:0]
}

// hashesOf returns the hashes of the steps from, ... to-1, which are sorted, at most ahead of them.
func (t *targets) hashesOf(from, to int, narrow bool, width int, room *[ahead]uint64) []uint64 {
	if !narrow {
		return t.hashes[from:to]
	}
	hashes := room[:to-from]
	for i, word := range t.words[from:to] {
		hashes[i] = hashWord(word, width)
	}
	return hashes
}

// at returns the i-th state, if states are not narrow.
func (t *targets) at(i, width int) []byte { return t.next[i*width:][:width:width] }

// found counts the reports under one key, and remembers the first.
type found struct {
	key   string
	count int64
	depth int // number of steps from an initial state, the step included if there is one
	state stateID
	size  int // of the state
	step  int // OnState, or a step of the state
}

func newSteps(width int, classes int, class func(uint32) int, label func([]byte) string, size func([]byte) int) *Steps {
	return &Steps{
		width: width, narrow: width <= narrowWidth, class: class, label: label, size: size,
		generated: make([]int64, classes, classes+cacheLine/8),
		endStates: make(map[string]int64),
		foundBy:   make(map[string]int),
	}
}

// Add adds a step: taking the action in the state leads to next, which is copied. It gives the
// step's number, for Find. A step to the state itself is a step too.
func (s *Steps) Add(action uint32, next []byte) int {
	if len(next) != s.width {
		// A copy, so that the compiler can keep the caller's next on the stack.
		s.broken("action %d from state %x leads to %x, which has %d bytes: want %d, as Width says",
			action, s.state, bytes.Clone(next), len(next), s.width)
		return OnState
	}
	if s.narrow {
		word := wordOf(next)
		s.hashes = append(s.hashes, hashWord(word, s.width))
		s.words = append(s.words, word)
	} else {
		s.hashes = append(s.hashes, hash(next))
		s.next = append(s.next, next...)
	}
	s.steps = append(s.steps, step{s.from, action})
	return len(s.steps) - 1 - s.first
}

// Find reports something under a key: on a step, given by its number, or in the state itself
// (OnState). For each key the engine counts the reports and keeps the first of those with
// the shortest trace.
func (s *Steps) Find(key string, step int) {
	if step < OnState || step >= len(s.steps)-s.first {
		s.broken("finding %q in state %x is on step %d: want a number that Add gave for this state, or OnState",
			key, s.state, step)
		return
	}
	size := 0
	if s.size != nil {
		size = s.size(s.state)
	}
	i, known := s.foundBy[key]
	if !known {
		s.foundBy[key] = len(s.found)
		s.found = append(s.found, found{key: key, count: 1, state: s.from, size: size, step: step})
		return
	}
	f := &s.found[i]
	f.count++
	shorter := f.step != OnState && step == OnState
	if asShort := (f.step == OnState) == (step == OnState); shorter || asShort && size < f.size {
		f.state, f.size, f.step = s.from, size, step
	}
}

// Count adds n to a counter. Counters are numbered from 0; they are summed over all states.
func (s *Steps) Count(counter int, n int64) {
	if counter < 0 {
		s.broken("counter %d in state %x: want a number from 0", counter, s.state)
		return
	}
	if more := counter + 1 - len(s.counters); more > 0 {
		s.counters = append(s.counters, make([]int64, more)...)
	}
	s.counters[counter] += n
}

func (s *Steps) broken(format string, args ...any) {
	if s.brokenRule == nil {
		s.brokenRule = fmt.Errorf(format, args...)
	}
}

// reset empties s for another chunk.
func (s *Steps) reset() {
	s.targets.empty()
	s.sorted.empty()
	s.found = s.found[:0]
	s.counters = s.counters[:0]
	s.expanded, s.least, s.most = 0, 0, 0
	clear(s.generated)
	clear(s.endStates)
	clear(s.foundBy)
	s.complete, s.brokenRule, s.err = false, nil, nil
}

// borrow lets s take its steps in memory of the worker's, until giveBack. Only the sorted ones outlast that.
func (s *Steps) borrow(scratch *targets) { s.targets = *scratch }

func (s *Steps) giveBack(scratch *targets) {
	s.targets.empty()
	*scratch, s.targets = s.targets, targets{}
}

// enter begins a state.
func (s *Steps) enter(id stateID, state []byte) {
	s.from, s.state, s.first = id, state, len(s.steps)
}

// leave ends the state, all of whose steps were added.
func (s *Steps) leave() {
	degree := len(s.steps) - s.first
	if s.expanded == 0 || degree < s.least {
		s.least = degree
	}
	s.most = max(s.most, degree)
	s.expanded++
	if s.atEnd() {
		s.endStates[s.label(s.state)]++
	}
}

// atEnd reports whether the state has no step, or none but to itself.
func (s *Steps) atEnd() bool {
	for i := s.first; i < len(s.steps); i++ {
		if !bytes.Equal(s.target(uint32(i)), s.state) {
			return false
		}
	}
	return true
}

// target is the state that the i-th step of the chunk leads to. It is valid until the next call.
func (s *Steps) target(i uint32) []byte {
	if !s.narrow {
		return s.at(int(i), s.width)
	}
	binary.LittleEndian.PutUint64(s.spare[:], s.words[i])
	return s.spare[:s.width:s.width]
}

// finish prepares the chunk for being counted and inserted: by a counting sort of its steps by shard.
func (s *Steps) finish() {
	s.complete = true
	s.countClasses()
	var begin [shardCount]int
	for _, h := range s.hashes {
		begin[shardOf(h)]++
	}
	sum := 0
	for shard, n := range begin {
		begin[shard] = sum
		sum += n
	}
	s.sorted.grow(sum, s.width, s.narrow)
	for i, h := range s.hashes {
		at := &begin[shardOf(h)]
		s.sorted.steps[*at] = s.steps[i]
		if s.narrow {
			s.sorted.words[*at] = s.words[i]
		} else {
			s.sorted.hashes[*at] = h
			copy(s.sorted.at(*at, s.width), s.at(i, s.width))
		}
		*at++
	}
	s.ends = begin
}

func (s *Steps) countClasses() {
	if s.class == nil {
		return
	}
	for i := range s.steps {
		action := s.steps[i].action
		class := s.class(action)
		if class < 0 || class >= len(s.generated) {
			s.broken("action %d is of class %d: want 0 to %d, an index of ActionClasses", action, class,
				len(s.generated)-1)
			return
		}
		s.generated[class]++
	}
}

// of returns the steps that lead to states of the shard, as a range of sorted.
func (s *Steps) of(shard int) (from, to int) {
	if shard == 0 {
		return 0, s.ends[0]
	}
	return s.ends[shard-1], s.ends[shard]
}

// bytes is the memory that the sorted steps of the chunk take.
func (s *Steps) bytes() int64 { return stepsBytes(int64(len(s.sorted.steps)), s.width) }

func stepsBytes(steps int64, width int) int64 {
	const stepBytes = 8
	if width <= narrowWidth {
		return steps * (stepBytes + 8) // a word
	}
	return steps * int64(stepBytes+8+width) // a hash
}

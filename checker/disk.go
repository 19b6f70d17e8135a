package checker

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
)

// Where memory ends, shards go to disk, one after the other: the table and the states of a shard are dropped, as
// its file has them. Whether a step leads to a new state of such a shard is found out at the end of the level
// (delayed duplicate detection), or when such steps take too much of the disk: they wait in memory, then in a file,
// in the order of the level. Then as many of them as memory allows are taken at a time, the file of known states is
// gone through once, or looked up in where they are few (index), and those that are not in it are appended. Every
// shard is dealt with on its own and in the order of the level, so a state gets the number and the parent that it
// would have got in memory: what is found does not depend on what was where.

// The parts of Options.Memory, once there are shards on disk: a quarter is shared by their buffers, a quarter is
// left for the ends of levels, and what remains for batches and for the shards that stay in memory.
const (
	delayedShare = 4
	settleShare  = 4
	// boundless stands for Options.Memory where there is no limit, and a checkpoint of a run that had one has
	// shards on disk.
	boundless = 1 << 30
)

// diskMemory is the memory of which these are parts.
func (e *explorer) diskMemory() int64 { return cmp.Or(e.options.Memory, boundless) }

// delayedBytes is the memory for the steps to states of one shard on disk that are not in its file yet, and for
// what spares it steps.
func (e *explorer) delayedBytes() int64 { return e.diskMemory() / delayedShare / shardCount }

// toDisk drops what the shard has in memory. All its states must be in its file.
func (s *shard) toDisk(delayed *recordFile) {
	s.onDisk, s.delayed = true, delayed
	s.pages, s.slots, s.table, s.smallTable = nil, nil, wordTable[uint64]{}, wordTable[uint32]{}
}

// evict makes room by bringing one more shard to disk. It is false if there is none left.
func (e *explorer) evict() (bool, error) {
	if e.store == nil {
		return false, nil
	}
	for i := shardCount - 1; i >= 0; i-- {
		s := e.shards[i]
		if s.onDisk {
			continue
		}
		if err := s.keep(); err != nil {
			return false, err
		}
		s.toDisk(e.store.delayed(i))
		e.result.DiskShards++
		return true, nil
	}
	return false, nil
}

// delay puts the steps of a chunk to states of a shard on disk into its file.
func (e *explorer) delay(s *shard, c *Steps, from, to int) error {
	// Half of the memory is for steps, half for the states that they lead to: no step is written whose state
	// another one led to lately.
	steps := int(e.delayedBytes()/2)/s.delayed.width + 1
	states := e.delayedBytes() / 2 / (3 * int64(e.width+16))
	var word [narrowWidth]byte
	for ; from < to; from++ {
		step := &c.sorted.steps[from]
		var state []byte
		if s.narrow {
			binary.LittleEndian.PutUint64(word[:], c.sorted.words[from])
			state = word[:e.width]
		} else {
			state = c.sorted.at(from, e.width)
		}
		if s.recent == nil || int64(s.recent.count) > states {
			s.recent = newShard(e.width, 0)
		}
		if !s.recent.add(hash(state), state, noParent) {
			continue
		}
		s.waiting = append(s.waiting, state...)
		s.waiting = binary.LittleEndian.AppendUint32(s.waiting, uint32(step.from))
		s.waiting = binary.LittleEndian.AppendUint32(s.waiting, step.action)
		if len(s.waiting) >= steps*s.delayed.width {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes the delayed steps that wait in memory.
func (s *shard) flush() error {
	err := s.delayed.append(s.waiting)
	s.waiting = s.waiting[:0]
	return err
}

// settle finds the new states among those that delayed steps lead to: at the end of a level, and before that if there
// are many of them.
func (e *explorer) settle() error {
	if e.result.DiskShards == 0 {
		return nil
	}
	errs := make([]error, shardCount)
	full := make([]bool, shardCount)
	parallel(len(e.workers), shardCount, func(_, i int) {
		if s := e.shards[i]; s.onDisk {
			full[i], errs[i] = e.settleShard(s)
		}
	})
	e.countKnown()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	settled := e.store.generation
	e.store.generation++
	for i, s := range e.shards {
		if !s.onDisk {
			continue
		}
		if err := e.store.discard(s.delayed, settled); err != nil {
			return err
		}
		s.delayed = e.store.delayed(i)
		if full[i] {
			e.result.Stopped = IndexLimit
		}
	}
	return nil
}

// crowded reports whether delayed steps take too much of the disk: half of what states take there, and more than
// memory may have.
func (e *explorer) crowded() bool {
	var states, steps int64
	for _, s := range e.shards {
		if s.onDisk {
			states += s.file.bytes()
			steps += s.delayed.bytes()
		}
	}
	return steps > max(states/2, e.diskMemory())
}

// settleBytes is the memory for the ends of levels, for each worker.
func (e *explorer) settleBytes() int64 { return e.diskMemory() / settleShare / int64(len(e.workers)) }

// settleShard appends the new states among those that the shard's delayed steps lead to. It is full if there are
// too many.
func (e *explorer) settleShard(s *shard) (full bool, err error) {
	s.recent = nil
	// Two sets of as many states are held by each worker.
	portion := e.settleBytes() / 2 / (3 * int64(e.width+16))
	for at := int64(0); at < s.delayedSteps(); {
		found, actions := newShard(e.width, 0), []uint32(nil)
		err := s.eachDelayed(at, func(record []byte) error {
			state, rest := record[:e.width:e.width], record[e.width:]
			if found.add(hash(state), state, stateID(binary.LittleEndian.Uint32(rest))) {
				actions = append(actions, binary.LittleEndian.Uint32(rest[4:]))
			}
			at++
			if int64(found.count) > portion {
				return errPortion
			}
			return nil
		})
		if err != nil && !errors.Is(err, errPortion) {
			return false, err
		}
		if full, err = e.appendNew(s, found, actions); full || err != nil {
			return full, err
		}
	}
	s.waiting = s.waiting[:0]
	return false, nil
}

// delayedSteps is the number of delayed steps, in the file and in memory.
func (s *shard) delayedSteps() int64 { return s.delayed.count + int64(len(s.waiting)/s.delayed.width) }

// eachDelayed calls do with every delayed step from the given one on: those in the file, then those that wait in
// memory.
func (s *shard) eachDelayed(from int64, do func(record []byte) error) error {
	if err := s.delayed.each(from, do); err != nil {
		return err
	}
	rest := s.waiting[max(0, from-s.delayed.count)*int64(s.delayed.width):]
	for record := range slices.Chunk(rest, s.delayed.width) {
		if err := do(record[:s.delayed.width:s.delayed.width]); err != nil {
			return err
		}
	}
	return nil
}

// errPortion tells that there are as many states as memory allows.
var errPortion = errors.New("enough")

// appendNew appends those of the found states that the shard's file does not have.
func (e *explorer) appendNew(s, found *shard, actions []uint32) (full bool, err error) {
	if found.count == 0 {
		return false, nil
	}
	known, err := e.known(s, found)
	if err != nil {
		return false, err
	}
	var records []byte
	added := uint32(0)
	write := func() error {
		err := s.file.append(records)
		if err == nil {
			s.count += added
		}
		records, added = records[:0], 0
		return err
	}
	for i := range found.count {
		record := found.record(i)
		state := record[:e.width:e.width]
		if known.has(hash(state), state) {
			continue
		}
		if int64(s.count+added) >= e.maxShard {
			return true, write()
		}
		if len(s.first) > 0 {
			s.first[e.class(actions[i])]++
		}
		added++
		records = append(records, record...)
		if len(records) >= blockBytes {
			if err := write(); err != nil {
				return false, err
			}
		}
	}
	return false, write()
}

package checker

import (
	"bytes"
	"encoding/binary"
)

// toy is a model made of functions; the ones that are nil are not implemented.
type toy struct {
	width   int
	initial [][]byte
	expand  func(state []byte, out *Steps)
}

func (t toy) Width() int { return t.width }
func (t toy) Initial(emit func([]byte)) {
	for _, state := range t.initial {
		emit(state)
	}
}
func (t toy) Worker() Worker                             { return t }
func (t toy) Expand(state []byte, out *Steps)            { t.expand(state, out) }
func (t toy) labelled(f func([]byte) string) toyWithEnds { return toyWithEnds{t, f} }
func (t toy) classed(names ...string) toyWithClasses     { return toyWithClasses{t, names} }

type toyWithEnds struct {
	toy
	end func([]byte) string
}

func (t toyWithEnds) End(state []byte) string { return t.end(state) }

// toyWithClasses has actions that are their own class.
type toyWithClasses struct {
	toy
	names []string
}

func (t toyWithClasses) ActionClass(action uint32) int { return int(action) }
func (t toyWithClasses) ActionClasses() []string       { return t.names }

// jugs is the puzzle of the film Die Hard 3: a jug for 3 gallons, a jug for 5, a tap. The state is what
// they hold.
func jugs() toyWithClasses {
	t := toy{width: 2, initial: [][]byte{{0, 0}}}
	t.expand = func(s []byte, out *Steps) {
		small, big := s[0], s[1]
		toBig, toSmall := min(small, 5-big), min(big, 3-small)
		for action, next := range [...][]byte{
			{3, big}, {small, 5}, {0, big}, {small, 0},
			{small - toBig, big + toBig}, {small + toSmall, big - toSmall},
		} {
			step := out.Add(uint32(action), next)
			if next[1] == 4 {
				out.Find("four gallons, step", step)
			}
		}
		if big == 4 {
			out.Find("four gallons, state", OnState)
		}
		out.Count(1, int64(small))
	}
	return t.classed("fill small", "fill big", "empty small", "empty big", "small to big", "big to small")
}

// hanoi is the tower of Hanoi; the state has the peg of each disc, the smallest first, as 2 bits in a word.
func hanoi(discs int) toy {
	t := toy{width: 8, initial: [][]byte{make([]byte, 8)}}
	t.expand = func(s []byte, out *Steps) {
		pegs := binary.LittleEndian.Uint64(s)
		top := [3]int{discs, discs, discs}
		for disc := discs - 1; disc >= 0; disc-- {
			top[pegs>>(2*disc)&3] = disc
		}
		var next [8]byte
		for from := range uint64(3) {
			for to := range uint64(3) {
				if top[from] < top[to] {
					binary.LittleEndian.PutUint64(next[:], pegs^(from^to)<<(2*top[from]))
					out.Add(uint32(from*3+to), next[:])
				}
			}
		}
	}
	return t
}

// slidingPuzzle is the 8-puzzle; the state has the tile of each of the nine squares, 0 for the gap.
func slidingPuzzle() toy {
	t := toy{width: 9, initial: [][]byte{{0, 1, 2, 3, 4, 5, 6, 7, 8}}}
	t.expand = func(s []byte, out *Steps) {
		gap := bytes.IndexByte(s, 0)
		move := func(tile int) {
			var next [9]byte
			copy(next[:], s)
			next[gap], next[tile] = next[tile], 0
			out.Add(uint32(tile), next[:])
		}
		if gap >= 3 {
			move(gap - 3)
		}
		if gap < 6 {
			move(gap + 3)
		}
		if gap%3 > 0 {
			move(gap - 1)
		}
		if gap%3 < 2 {
			move(gap + 1)
		}
	}
	return t
}

// philosophers dine at a round table: each thinks (0), holds the left fork (1), or eats with both (2). Fork i
// lies to the left of philosopher i.
func philosophers(n int) toyWithEnds {
	t := toy{width: n, initial: [][]byte{make([]byte, n)}}
	t.expand = func(s []byte, out *Steps) {
		for i := range s {
			left, right := s[(i+n-1)%n], s[(i+1)%n]
			can := [3]bool{left != 2, right == 0, true}[s[i]]
			if can {
				next := bytes.Clone(s)
				next[i] = (s[i] + 1) % 3
				out.Add(uint32(i), next)
			}
		}
	}
	return t.labelled(func(s []byte) string {
		if bytes.Count(s, []byte{1}) == n {
			return "deadlock"
		}
		return "rest"
	})
}

// counter counts from 0 to last, one step at a time; the state is the number.
func counter(last uint32) toy {
	t := toy{width: 4, initial: [][]byte{make([]byte, 4)}}
	t.expand = func(s []byte, out *Steps) {
		if n := binary.LittleEndian.Uint32(s); n < last {
			out.Add(0, binary.LittleEndian.AppendUint32(nil, n+1))
		}
	}
	return t
}

// binaryTree has 2^levels-1 states: node n leads to 2n and 2n+1.
func binaryTree(levels int) toy {
	t := toy{width: 4, initial: [][]byte{{1, 0, 0, 0}}}
	t.expand = func(s []byte, out *Steps) {
		n := binary.LittleEndian.Uint32(s)
		for _, next := range []uint32{2 * n, 2*n + 1} {
			if next < 1<<levels {
				out.Add(next%2, binary.LittleEndian.AppendUint32(nil, next))
			}
		}
	}
	return t
}

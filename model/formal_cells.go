package model

import (
	"fmt"
	"math/bits"
	"slices"
)

// formalCodes numbers what can be on a node of one template, so that a state has a small number for each node where
// a cell would be wide: pods that do not fit together take no room. The numbers ascend with the cells. A nil
// formalCodes leaves cells as they are.
type formalCodes struct {
	cells  []uint64
	number map[uint64]uint64
}

// formalMaxCells is the largest number of cells for which codes are made: each is asked about before the first
// state is explored.
const formalMaxCells = 1 << 13

// code returns the number of a cell.
func (c *formalCodes) code(cell uint64) uint64 {
	if c == nil {
		return cell
	}
	code, known := c.number[cell]
	if !known {
		panic(fmt.Sprintf("model: a step leads to cell %x of a node, which no sequence of feasible pods does", cell))
	}
	return code
}

// cell returns the cell of a number.
func (c *formalCodes) cell(code uint64) uint64 {
	if c == nil {
		return code
	}
	return c.cells[code]
}

// codesOf numbers the cells of a node template that steps can lead to: from those of the initial state on, a pod
// that the spec calls feasible may be added, and any pod may go. It is nil if there are too many, or if numbers are
// no shorter than cells.
func (f *Formal) codesOf(template int) *formalCodes {
	known := map[uint64]bool{}
	var all []uint64
	add := func(cell uint64) {
		if !known[cell] {
			known[cell] = true
			all = append(all, cell)
		}
	}
	for i, cell := range f.initial[1:] {
		if f.nodes[i].template == template {
			add(cell)
		}
	}
	for i := 0; i < len(all); i++ {
		if len(all) > formalMaxCells {
			return nil
		}
		cell := all[i]
		feasible := f.tables.of(template, cell).feasible
		for i := range f.pods {
			p := &f.pods[i]
			if p.count(cell) > 0 {
				add(cell - p.one)
			}
			if feasible>>i&1 != 0 && p.count(cell) < p.count(f.all) {
				add(cell + p.one)
			}
		}
	}
	if bits.Len(uint(len(all)-1)) >= f.cellBits {
		return nil
	}
	slices.Sort(all)
	c := &formalCodes{cells: all, number: make(map[uint64]uint64, len(all))}
	for code, cell := range all {
		c.number[cell] = uint64(code)
	}
	return c
}

// layOut numbers the cells of every node template, and decides where each is in a state.
func (f *Formal) layOut() {
	f.codes = make([]*formalCodes, len(f.Scenario.Nodes))
	for template := range f.codes {
		if slices.ContainsFunc(f.nodes, func(n formalNode) bool { return n.template == template }) {
			f.codes[template] = f.codesOf(template)
		}
	}
	f.widths = []int{f.cellBits}
	for _, n := range f.nodes {
		width := f.cellBits
		if c := f.codes[n.template]; c != nil {
			width = bits.Len(uint(len(c.cells) - 1))
		}
		f.widths = append(f.widths, width)
	}
}

// cellsOf returns the cells of a state.
func (f *Formal) cellsOf(state []byte) []uint64 {
	cells := make([]uint64, len(f.widths))
	f.unpack(state, cells)
	for i, n := range f.nodes {
		cells[i+1] = f.codes[n.template].cell(cells[i+1])
	}
	return cells
}

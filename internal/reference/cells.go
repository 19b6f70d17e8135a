package reference

import (
	"fmt"
	"math/bits"
	"slices"
)

// cellCodes numbers what can be on a node of one template, so that a state has a small number for each node where
// a cell would be wide: pods that do not fit together take no room. The numbers ascend with the cells. A nil
// cellCodes leaves cells as they are.
type cellCodes struct {
	cells  []uint64
	number map[uint64]uint64
}

// maxCells is the largest number of cells for which codes are made: each is asked about before the first
// state is explored.
const maxCells = 1 << 13

// code returns the number of a cell.
func (c *cellCodes) code(cell uint64) uint64 {
	if c == nil {
		return cell
	}
	code, known := c.number[cell]
	if !known {
		panic(fmt.Sprintf("reference: a step leads to cell %x of a node, which no sequence of feasible pods does", cell))
	}
	return code
}

// cell returns the cell of a number.
func (c *cellCodes) cell(code uint64) uint64 {
	if c == nil {
		return code
	}
	return c.cells[code]
}

// codesOf numbers the cells of a node template that steps can lead to: from those of the initial state on, a pod
// that the spec calls feasible may be added, and any pod may go. It is nil if there are too many, or if numbers are
// no shorter than cells.
func (m *Model) codesOf(template int) *cellCodes {
	known := map[uint64]bool{}
	var all []uint64
	add := func(cell uint64) {
		if !known[cell] {
			known[cell] = true
			all = append(all, cell)
		}
	}
	for i, cell := range m.initial[1:] {
		if m.nodes[i].template == template {
			add(cell)
		}
	}
	for i := 0; i < len(all); i++ {
		if len(all) > maxCells {
			return nil
		}
		cell := all[i]
		feasible := m.tables.of(template, cell).feasible
		for i := range m.pods {
			p := &m.pods[i]
			if p.count(cell) > 0 {
				add(cell - p.one)
			}
			if feasible>>i&1 != 0 && p.count(cell) < p.count(m.all) {
				add(cell + p.one)
			}
		}
	}
	if bits.Len(uint(len(all)-1)) >= m.cellBits {
		return nil
	}
	slices.Sort(all)
	c := &cellCodes{cells: all, number: make(map[uint64]uint64, len(all))}
	for code, cell := range all {
		c.number[cell] = uint64(code)
	}
	return c
}

// layOut numbers the cells of every node template, and decides where each is in a state.
func (m *Model) layOut() {
	m.codes = make([]*cellCodes, len(m.Scenario.Nodes))
	for template := range m.codes {
		if slices.ContainsFunc(m.nodes, func(n node) bool { return n.template == template }) {
			m.codes[template] = m.codesOf(template)
		}
	}
	m.widths = []int{m.cellBits}
	for _, n := range m.nodes {
		width := m.cellBits
		if c := m.codes[n.template]; c != nil {
			width = bits.Len(uint(len(c.cells) - 1))
		}
		m.widths = append(m.widths, width)
	}
}

// cellsOf returns the cells of a state.
func (m *Model) cellsOf(state []byte) []uint64 {
	cells := make([]uint64, len(m.widths))
	m.unpack(state, cells)
	for i, n := range m.nodes {
		cells[i+1] = m.codes[n.template].cell(cells[i+1])
	}
	return cells
}

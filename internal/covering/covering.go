// Package covering makes covering arrays: few rows, each a choice of one value of every field, in which any two (or any
// three) values of different fields meet in some row.
package covering

import "slices"

// Array returns rows for fields that have so many values each, numbered from 0: rows[i][f] is the value of field f.
// Whichever strength fields are taken, every combination of their values is in some row. The same arguments give the
// same rows; their number is near the least, not the least. The rows of a smaller strength come first. Strength is at
// least 1, and that of fewer fields is theirs.
func Array(values []int, strength int) [][]int {
	if len(values) == 0 || slices.Contains(values, 0) {
		return nil
	}
	var rows [][]int
	for s := 1; s <= min(strength, len(values)); s++ {
		open := slices.DeleteFunc(combinations(values, s), func(c combination) bool {
			return slices.ContainsFunc(rows, c.in)
		})
		for len(open) > 0 {
			row := grow(values, open)
			rows = append(rows, row)
			open = slices.DeleteFunc(open, func(c combination) bool { return c.in(row) })
		}
	}
	return rows
}

// combination is a value for each of some fields.
type combination struct{ fields, values []int }

// in reports whether the row has the combination.
func (c combination) in(row []int) bool {
	for i, f := range c.fields {
		if row[f] != c.values[i] {
			return false
		}
	}
	return true
}

// combinations lists all there are, in order.
func combinations(values []int, strength int) []combination {
	var all []combination
	var choose func(fields, chosen []int, from int)
	choose = func(fields, chosen []int, from int) {
		if len(fields) == strength {
			all = append(all, combination{slices.Clone(fields), slices.Clone(chosen)})
			return
		}
		for f := from; f < len(values); f++ {
			for v := range values[f] {
				choose(append(fields, f), append(chosen, v), f+1)
			}
		}
	}
	choose(nil, nil, 0)
	return all
}

// grow makes a row that has the first open combination and many others: of those that come of filling in the other
// fields in different orders, the best.
func grow(values []int, open []combination) []int {
	var best []int
	most := -1
	for first := range values {
		row := fill(values, open, first)
		covered := 0
		for _, c := range open {
			if c.in(row) {
				covered++
			}
		}
		if covered > most {
			best, most = row, covered
		}
	}
	return best
}

// fill makes a row of the first open combination, and fills in the other fields one at a time, from the given one on:
// each with the value that makes the most open combinations whole.
func fill(values []int, open []combination, first int) []int {
	row := slices.Repeat([]int{-1}, len(values))
	for i, f := range open[0].fields {
		row[f] = open[0].values[i]
	}
	for i := range values {
		f := (first + i) % len(values)
		if row[f] >= 0 {
			continue
		}
		best, most := 0, -1
		for v := range values[f] {
			row[f] = v
			whole := 0
			for _, c := range open {
				if slices.Contains(c.fields, f) && c.in(row) {
					whole++
				}
			}
			if whole > most {
				best, most = v, whole
			}
		}
		row[f] = best
	}
	return row
}

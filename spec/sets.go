package spec

import "slices"

// The quantifiers and comprehensions of the formal model.

// all is \A x \in set : holds(x).
func all[T any](set []T, holds func(T) bool) bool {
	for _, x := range set {
		if !holds(x) {
			return false
		}
	}
	return true
}

// exists is \E x \in set : holds(x).
func exists[T any](set []T, holds func(T) bool) bool { return slices.ContainsFunc(set, holds) }

// contains is x \in set.
func contains[T comparable](set []T, x T) bool { return slices.Contains(set, x) }

// within is contains of one set, for many x.
func within[T comparable](set []T) func(x T) bool {
	if len(set) <= 8 { // where looking is quicker than a map
		return func(x T) bool { return contains(set, x) }
	}
	in := make(map[T]bool, len(set))
	for _, x := range set {
		in[x] = true
	}
	return func(x T) bool { return in[x] }
}

// filter is {x \in set : holds(x)}, in the set's order.
func filter[T any](set []T, holds func(T) bool) []T {
	var some []T
	for i, x := range set {
		if holds(x) {
			if some == nil {
				some = make([]T, 0, len(set)-i)
			}
			some = append(some, x)
		}
	}
	return some
}

// count is Cardinality({x \in set : holds(x)}).
func count[T any](set []T, holds func(T) bool) int {
	some := 0
	for _, x := range set {
		if holds(x) {
			some++
		}
	}
	return some
}

// each is {image(x) : x \in set}, in the set's order; equal images stay apart.
func each[T, U any](set []T, image func(T) U) []U {
	images := make([]U, 0, len(set))
	for _, x := range set {
		images = append(images, image(x))
	}
	return images
}

// union is UNION {image(x) : x \in set}, in the set's order; equal elements stay apart.
func union[T, U any](set []T, image func(T) []U) []U { return slices.Concat(each(set, image)...) }

// minus is set \ others.
func minus[T comparable](set, others []T) []T {
	return filter(set, func(x T) bool { return !contains(others, x) })
}

// distinct returns one of each group of equal elements, the first.
func distinct[T any](set []T, equal func(a, b T) bool) []T {
	var some []T
	for _, x := range set {
		if !exists(some, func(y T) bool { return equal(x, y) }) {
			some = append(some, x)
		}
	}
	return some
}

// sum adds value(x) over the set.
func sum[T any](set []T, value func(T) int64) int64 {
	var total int64
	for _, x := range set {
		total += value(x)
	}
	return total
}

// subsets is SUBSET set, the empty set first, then by size: 2^len(set) of them.
func subsets[T any](set []T) [][]T {
	all := make([][]T, 0, 1<<len(set))
	for bits := range 1 << len(set) {
		var some []T
		for i, x := range set {
			if bits&(1<<i) != 0 {
				some = append(some, x)
			}
		}
		all = append(all, some)
	}
	slices.SortStableFunc(all, func(a, b []T) int { return len(a) - len(b) })
	return all
}

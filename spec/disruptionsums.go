package spec

import (
	"math"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
)

// disruptionCover says which budgets protect which pods: Budgets.Protects, asked once for all pods with the same
// namespace and labels.
type disruptionCover struct {
	rules   Budgets
	budgets []*policyv1.PodDisruptionBudget
	named   map[string]bool // pods that some budget has among its disruptedPods
	known   map[string][]int
	pods    map[*v1.Pod][]int // what is known, by pod
}

func newDisruptionCover(rules Budgets, s *Snapshot) *disruptionCover {
	c := &disruptionCover{rules: rules, budgets: s.PodDisruptionBudgets, named: map[string]bool{},
		known: map[string][]int{}, pods: map[*v1.Pod][]int{}}
	if rules.UpToFirst {
		c.budgets = slices.Clone(c.budgets)
		slices.SortStableFunc(c.budgets, func(a, b *policyv1.PodDisruptionBudget) int {
			return strings.Compare(a.Name, b.Name)
		})
	}
	for _, budget := range c.budgets {
		for name := range budget.Status.DisruptedPods {
			c.named[name] = true
		}
	}
	return c
}

// of returns the budgets that protect the pod, by index.
func (c *disruptionCover) of(pod *v1.Pod) []int {
	if len(c.budgets) == 0 {
		return nil
	}
	if cover, known := c.pods[pod]; known {
		return cover
	}
	var key strings.Builder
	key.WriteString(pod.Namespace)
	if c.named[pod.Name] {
		key.WriteString("\x00" + pod.Name)
	}
	for _, label := range sortedKeys(pod.Labels) {
		key.WriteString("\x01" + label + "\x02" + pod.Labels[label])
	}
	cover, known := c.known[key.String()]
	if !known {
		for i, budget := range c.budgets {
			if c.rules.Protects(budget, pod) {
				cover = append(cover, i)
			}
		}
		c.known[key.String()] = cover
	}
	c.pods[pod] = cover
	return cover
}

// disruptions are what budgets say of the pods in jeopardy on a node, and what it costs to evict them.
type disruptions struct {
	jeopardy    []*v1.Pod
	allowed     []int   // by budget
	cover       [][]int // by pod: the budgets that protect it
	isProtected []bool  // by pod: its eviction breaks a budget, as Budgets.Protected says
	// spent: budgets are spent on all pods in jeopardy, so that isProtected are the violations too.
	spent bool
	// upToFirst: a pod uses budgets up as far as the first that it finds used up.
	upToFirst bool
	// byImportance has the pods' indexes, the most important first; rank is the inverse.
	byImportance []int
	used         []int // scratch space, by budget
}

func (c *disruptionCover) on(jeopardy []*v1.Pod) disruptions {
	d := disruptions{jeopardy: jeopardy, spent: c.rules.SpentOnSpared, upToFirst: c.rules.UpToFirst,
		isProtected: make([]bool, len(jeopardy)), used: make([]int, len(c.budgets))}
	for _, budget := range c.budgets {
		d.allowed = append(d.allowed, int(max(budget.Status.DisruptionsAllowed, 0)))
	}
	all := make([]int, len(jeopardy))
	for i, pod := range jeopardy {
		all[i] = i
		d.cover = append(d.cover, c.of(pod))
		d.isProtected[i] = !d.spent && exists(d.cover[i], func(b int) bool { return d.allowed[b] == 0 })
	}
	d.byImportance = slices.Clone(all)
	slices.SortStableFunc(d.byImportance, func(i, j int) int { return compareImportance(jeopardy[i], jeopardy[j]) })
	if d.spent {
		d.exhausting(all, func(i int) { d.isProtected[i] = true })
	}
	return d
}

// exhausting calls broken for those of the pods that find a budget used up when they are evicted one after the
// other, the most important first. It is the predicate exhausting, with one sum for each budget.
func (d *disruptions) exhausting(pods []int, broken func(i int)) {
	if len(d.allowed) == 0 {
		return
	}
	clear(d.used)
	is := make([]bool, len(d.jeopardy))
	for _, i := range pods {
		is[i] = true
	}
	for _, i := range d.byImportance {
		if !is[i] {
			continue
		}
		exhausted := false
		for _, b := range d.cover[i] {
			d.used[b]++
			exhausted = exhausted || d.used[b] > d.allowed[b]
			if exhausted && d.upToFirst {
				break
			}
		}
		if exhausted {
			broken(i)
		}
	}
}

// damage is CasualtyOf pods in jeopardy, by ascending index.
func (d *disruptions) damage(pods []int) Casualty {
	c := Casualty{HighestPriority: math.MinInt32, Count: len(pods), EarliestStart: startTime(&v1.Pod{})}
	for _, i := range pods {
		priority := Priority(d.jeopardy[i])
		c.PrioritySum += int64(priority) - math.MinInt32
		c.HighestPriority = max(c.HighestPriority, priority)
	}
	for _, i := range pods {
		if Priority(d.jeopardy[i]) == c.HighestPriority {
			c.EarliestStart = slices.MinFunc([]time.Time{c.EarliestStart, startTime(d.jeopardy[i])}, time.Time.Compare)
		}
	}
	if d.spent {
		c.Violations = count(pods, func(i int) bool { return d.isProtected[i] })
	} else {
		d.exhausting(pods, func(int) { c.Violations++ })
	}
	return c
}

// runs numbers the pods so that those of one number, of equals, make the same casualty in each other's place: they
// are protected by the same budgets, and no equal stands between them in the snapshot that is protected by some of
// these and by others. For what a pod breaks depends on who uses the budgets up before it.
func (d *disruptions) runs() []int {
	numbers := make([]int, len(d.jeopardy))
	type run struct {
		cover  []int
		number int
		cut    bool // another stands behind it
	}
	next := 0
	var runs []*run
	for n, i := range d.byImportance {
		if n == 0 || compareImportance(d.jeopardy[d.byImportance[n-1]], d.jeopardy[i]) != 0 {
			runs = nil
		}
		var own *run
		for _, r := range runs {
			switch {
			case slices.Equal(r.cover, d.cover[i]):
				own = r
			case !d.spent && exists(r.cover, func(b int) bool { return contains(d.cover[i], b) }):
				r.cut = true
			}
		}
		if own == nil {
			own = &run{cover: d.cover[i], number: next}
			runs, next = append(runs, own), next+1
		}
		if own.cut {
			own.number, own.cut, next = next, false, next+1
		}
		numbers[i] = own.number
	}
	return numbers
}

package main

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// functions are what both templates ask about a configuration. Nodes are numbered from 1, pods from 0.
var functions = template.FuncMap{
	"gone":    func(c *reference.Configuration) int { return len(c.Nodes) + 1 },
	"cap":     func(c *reference.Configuration, n int) int64 { return c.Nodes[n-1].Cap },
	"unbinds": func(c *reference.Configuration) bool { return reference.Completions()[c.Complete].Unbind },
	"leaves":  func(c *reference.Configuration) bool { return reference.Completions()[c.Complete].Leave },
	"returns": func(c *reference.Configuration) bool { return reference.Completions()[c.Complete].Return },
	"nodes":   nodes, "allowed": allowed, "may": may, "total": total, "top": top, "worst": worst,
	"evictable": evictable,
	"node":      func(i int) int { return i + 1 }, "only": func(p int) int { return 1 << p },
	"allPods":     func(c *reference.Configuration) int { return 1<<len(c.Pods) - 1 },
	"priorities":  func(c *reference.Configuration) int64 { return prioritySum(c) + 1 },
	"numbers":     func(c *reference.Configuration) int { return len(c.Pods) + 1 },
	"prioritySum": prioritySum,
}

func nodes(c *reference.Configuration) []int {
	var all []int
	for n := range c.Nodes {
		all = append(all, n+1)
	}
	return all
}

// allowed returns the nodes whose taints the pod tolerates and that have the labels it wants.
func allowed(c *reference.Configuration, p int) []int {
	within := func(some, all []string) bool {
		return !slices.ContainsFunc(some, func(name string) bool { return !slices.Contains(all, name) })
	}
	return slices.DeleteFunc(nodes(c), func(n int) bool {
		node := c.Nodes[n-1]
		return !within(node.Taints, c.Pods[p].Tol) || !within(c.Pods[p].Sel, node.Labels)
	})
}

// may is allowed as a set of bits.
func may(c *reference.Configuration, p int) uint32 {
	bits := uint32(0)
	for _, n := range allowed(c, p) {
		bits |= 1 << n
	}
	return bits
}

func total(c *reference.Configuration) int64 {
	sum := int64(0)
	for _, pod := range c.Pods {
		sum += pod.Req
	}
	return sum
}

// top says in Murphi that no unbound pod has a higher priority than the pod.
func top(c *reference.Configuration, p int) string {
	words := []string{"true"}
	for q, other := range c.Pods {
		if other.Prio > c.Pods[p].Prio {
			words = append(words, fmt.Sprintf("p%d != NONE", q))
		}
	}
	return strings.Join(words, " & ")
}

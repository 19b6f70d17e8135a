package main

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// murphiTuned writes the reference model of the configuration for Rumur. Murphi has no sets to choose from, so
// every set of pods that can be evicted from a node at all is written out; what it costs is a number that is known
// beforehand.
func murphiTuned(c *reference.Configuration) (string, error) { return withChoices(murphiTunedText, c) }

var murphiTunedText = template.Must(template.New("murphituned").Funcs(functions).Funcs(choices(1)).Parse(`const
	NONE: 0;
	GONE: {{gone .}};
type
	place: 0..{{gone .}};
	amount: 0..{{total .}};
	damage: 0..{{worst .}};
var
{{- range $p, $_ := .Pods}}
	p{{$p}}: place;
{{- end}}

function used(n: place): amount;
var sum: amount;
begin
	sum := 0;
{{- range $p, $pod := .Pods}}
	if p{{$p}} = n then sum := sum + {{$pod.Req}}; end;
{{- end}}
	return sum;
end;
{{range $p, $pod := .Pods}}
function fits{{$p}}(n: place): boolean;
begin
{{- range $n := allowed $ $p}}
	if n = {{$n}} then return used({{$n}}) + {{$pod.Req}} <= {{cap $ $n}}; end;
{{- end}}
	return false;
end;

function score{{$p}}(n: place): 0..100;
begin
{{- range $n := allowed $ $p}}
	if n = {{$n}} then return ({{cap $ $n}} - used({{$n}}) - {{$pod.Req}}) * 100 / {{cap $ $n}}; end;
{{- end}}
	return 0;
end;

function fitsNowhere{{$p}}(): boolean;
begin
	return true{{range $n := allowed $ $p}} & !fits{{$p}}({{$n}}){{end}};
end;

-- The least damage of a set of pods whose eviction makes pod {{$p}} fit.
function least{{$p}}(): damage;
var least: damage;
begin
	least := {{worst $}};
{{- range $e := evictable $ $p}}
	if {{$e.Damage}} < least & {{$e.There}} & {{$e.Helps}} then least := {{$e.Damage}}; end;
{{- end}}
	return least;
end;

-- The number of sets that do the least damage.
function sets{{$p}}(): 0..{{choices}};
var least: damage; var count: 0..{{choices}};
begin
	least := least{{$p}}();
	count := 0;
{{- range $e := evictable $ $p}}
	if {{$e.Damage}} = least & {{$e.There}} & {{$e.Helps}} then count := count + 1; end;
{{- end}}
	return count;
end;

procedure evict{{$p}}(choice: 0..{{choices}});
var least: damage; var count: 0..{{choices}}; var done: boolean;
begin
	least := least{{$p}}();
	count := 0;
	done := false;
{{- range $e := evictable $ $p}}
	if !done & {{$e.Damage}} = least & {{$e.There}} & {{$e.Helps}} then
		if count = choice then {{range $e.Pods}}p{{.}} := NONE; {{end}}done := true; else count := count + 1; end;
	end;
{{- end}}
end;
{{end}}
startstate begin
{{- range $p, $_ := .Pods}}
	p{{$p}} := NONE;
{{- end}}
end;
{{range $p, $pod := .Pods}}{{range $n := allowed $ $p}}
rule p{{$p}} = NONE & {{top $ $p}} & fits{{$p}}({{$n}})
{{- range $m := allowed $ $p}}{{if ne $m $n}} & (!fits{{$p}}({{$m}}) | score{{$p}}({{$m}}) <= score{{$p}}({{$n}})){{end}}{{end}}
==> begin p{{$p}} := {{$n}}; end;
{{end}}
{{- if evictable $ $p}}
ruleset choice: 0..{{lastChoice}} do
	rule p{{$p}} = NONE & {{top $ $p}} & fitsNowhere{{$p}}() & sets{{$p}}() > choice
	==> begin evict{{$p}}(choice); end;
end;
{{end}}{{if unbinds $}}
rule p{{$p}} != NONE & p{{$p}} != GONE ==> begin p{{$p}} := NONE; end;
{{end}}{{if leaves $}}
rule p{{$p}} != NONE & p{{$p}} != GONE ==> begin p{{$p}} := GONE; end;
{{end}}{{if returns $}}
rule p{{$p}} = GONE ==> begin p{{$p}} := NONE; end;
{{end}}{{end}}`))

// eviction is a set of pods that one pod may evict from a node, if they are there.
type eviction struct {
	Pods   []int
	Damage int64
	// There says that the pods are on the node, and Helps that their eviction makes the pod fit.
	There, Helps string
}

// evictable returns the sets of pods that could ever be evicted for a pod: of lower priority, together on a node
// that they may use and that holds them.
func evictable(c *reference.Configuration, p int) []eviction {
	var all []eviction
	for _, n := range allowed(c, p) {
		capacity := c.Nodes[n-1].Cap
		var choose func(from int, pods []int, requested int64)
		choose = func(from int, pods []int, requested int64) {
			if len(pods) > 0 {
				all = append(all, newEviction(c, p, n, pods, requested))
			}
			for q := from; q < len(c.Pods); q++ {
				other := c.Pods[q]
				if other.Prio < c.Pods[p].Prio && slices.Contains(allowed(c, q), n) && requested+other.Req <= capacity {
					choose(q+1, append(slices.Clone(pods), q), requested+other.Req)
				}
			}
		}
		choose(0, nil, 0)
	}
	return all
}

func newEviction(c *reference.Configuration, p, n int, pods []int, requested int64) eviction {
	var there []string
	for _, q := range pods {
		there = append(there, fmt.Sprintf("p%d = %d", q, n))
	}
	return eviction{
		Pods: pods, Damage: damage(c, pods), There: strings.Join(there, " & "),
		Helps: fmt.Sprintf("used(%d) + %d <= %d", n, c.Pods[p].Req, c.Nodes[n-1].Cap+requested),
	}
}

// damage puts the casualty of the pods into one number of the same order.
func damage(c *reference.Configuration, pods []int) int64 {
	high, sum := int64(0), int64(0)
	for _, q := range pods {
		high, sum = max(high, int64(c.Pods[q].Prio)), sum+int64(c.Pods[q].Prio)
	}
	base := int64(len(c.Pods) + 1)
	return (high*(prioritySum(c)+1)+sum)*base + int64(len(pods))
}

// worst is more than any damage.
func worst(c *reference.Configuration) int64 {
	high := int64(0)
	for _, pod := range c.Pods {
		high = max(high, int64(pod.Prio))
	}
	return (high+1)*(prioritySum(c)+1)*int64(len(c.Pods)+1) + 1
}

func prioritySum(c *reference.Configuration) int64 {
	sum := int64(0)
	for _, pod := range c.Pods {
		sum += int64(pod.Prio)
	}
	return sum
}

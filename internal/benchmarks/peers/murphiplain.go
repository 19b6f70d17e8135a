package main

import (
	"text/template"

	"github.com/seed-a3f26817/modelcheck/internal/reference"
)

// murphiPlain writes the reference model of the configuration for Rumur as the TLA+ module is written: nothing is
// worked out beforehand, and every set of pods in jeopardy is weighed where a rule asks for it. What may be chosen
// is counted, as Murphi has no sets to choose from.
func murphiPlain(c *reference.Configuration) (string, error) { return withChoices(murphiPlainText, c) }

var murphiPlainText = template.Must(template.New("murphiplain").Funcs(functions).Funcs(choices(1)).Parse(`const
	NONE: 0;
	NODES: {{len .Nodes}};
	GONE: {{gone .}};
	PODS: {{len .Pods}};
	NOSET: {{worst .}};
type
	pod: 0..PODS-1;
	node: 1..NODES;
	place: NONE..GONE;
	amount: 0..{{total .}};
	lack: -{{total .}}..{{total .}};
	priority: 0..{{prioritySum .}};
	number: 0..PODS;
	damage: 0..NOSET;
	pods: 0..{{allPods .}};
	choice: 0..{{choices}};
var
	loc: array [pod] of place;

function cap(n: node): amount;
begin
	switch n
{{- range $i, $node := .Nodes}}
	case {{node $i}}: return {{$node.Cap}};
{{- end}}
	endswitch;
	return 0;
end;

function req(p: pod): amount;
begin
	switch p
{{- range $p, $pod := .Pods}}
	case {{$p}}: return {{$pod.Req}};
{{- end}}
	endswitch;
	return 0;
end;

function prio(p: pod): priority;
begin
	switch p
{{- range $p, $pod := .Pods}}
	case {{$p}}: return {{$pod.Prio}};
{{- end}}
	endswitch;
	return 0;
end;

-- The pod by itself, as a set.
function only(p: pod): pods;
begin
	switch p
{{- range $p, $_ := .Pods}}
	case {{$p}}: return {{only $p}};
{{- end}}
	endswitch;
	return 0;
end;

function allowed(p: pod; n: node): boolean;
begin
	switch p
{{- range $p, $_ := .Pods}}
	case {{$p}}: return false{{range $n := allowed $ $p}} | n = {{$n}}{{end}};
{{- end}}
	endswitch;
	return false;
end;

function used(n: node): amount;
var sum: amount;
begin
	sum := 0;
	for q: pod do if loc[q] = n then sum := sum + req(q); end; end;
	return sum;
end;

function feasible(p: pod; n: node): boolean;
begin
	return allowed(p, n) & used(n) + req(p) <= cap(n);
end;

function viability(p: pod; n: node): 0..100;
begin
	return (cap(n) - used(n) - req(p)) * 100 / cap(n);
end;

function highest(p: pod): boolean;
begin
	return forall q: pod do loc[q] = NONE -> prio(q) <= prio(p) end;
end;

function schedulable(p: pod): boolean;
begin
	return exists n: node do feasible(p, n) end;
end;

-- The highest priority of a victim, then the sum of priorities, then the number, as one number of the same order.
function casualty(high: priority; sum: priority; count: number): damage;
begin
	return (high * {{priorities .}} + sum) * {{numbers .}} + count;
end;

-- The least casualty of the victims so far together with any pods in jeopardy on the node, from one on.
function leastOn(p: pod; n: node; from: number; need: lack; high: priority; sum: priority; count: number): damage;
var lowest: damage; other: damage; most: priority;
begin
	lowest := NOSET;
	if need <= 0 then lowest := casualty(high, sum, count); end;
	for q: pod do
		if q >= from & loc[q] = n & prio(q) < prio(p) then
			most := high;
			if prio(q) > high then most := prio(q); end;
			other := leastOn(p, n, q + 1, need - req(q), most, sum + prio(q), count + 1);
			if other < lowest then lowest := other; end;
		end;
	end;
	return lowest;
end;

function least(p: pod): damage;
var lowest: damage; other: damage;
begin
	lowest := NOSET;
	for n: node do
		if allowed(p, n) then
			other := leastOn(p, n, 0, used(n) + req(p) - cap(n), 0, 0, 0);
			if other < lowest then lowest := other; end;
		end;
	end;
	return lowest;
end;

-- Likewise, the pods of a set of this casualty, of which left are passed over; 0 if there are not so many.
function victimsOn(p: pod; n: node; from: number; need: lack; high: priority; sum: priority; count: number; lowest: damage; chosen: pods; var left: choice): pods;
var found: pods; most: priority;
begin
	if need <= 0 & casualty(high, sum, count) = lowest then
		if left = 0 then return chosen; end;
		left := left - 1;
	end;
	for q: pod do
		if q >= from & loc[q] = n & prio(q) < prio(p) then
			most := high;
			if prio(q) > high then most := prio(q); end;
			found := victimsOn(p, n, q + 1, need - req(q), most, sum + prio(q), count + 1, lowest, chosen + only(q), left);
			if found != 0 then return found; end;
		end;
	end;
	return 0;
end;

function victims(p: pod; k: choice): pods;
var lowest: damage; left: choice; found: pods;
begin
	lowest := least(p);
	left := k;
	for n: node do
		if allowed(p, n) then
			found := victimsOn(p, n, 0, used(n) + req(p) - cap(n), 0, 0, 0, lowest, 0, left);
			if found != 0 then return found; end;
		end;
	end;
	return 0;
end;

startstate begin
	for p: pod do loc[p] := NONE; end;
end;

ruleset p: pod; n: node do
	rule loc[p] = NONE & highest(p) & feasible(p, n) & forall m: node do feasible(p, m) -> viability(p, m) <= viability(p, n) end
	==> begin loc[p] := n; end;
end;

ruleset p: pod; k: 0..{{lastChoice}} do
	rule loc[p] = NONE & highest(p) & !schedulable(p) & victims(p, k) != 0
	==>
	var evicted: pods;
	begin
		evicted := victims(p, k);
		for q: pod do
			if evicted / only(q) % 2 = 1 then loc[q] := NONE; end;
		end;
	end;
end;

ruleset p: pod do
{{- if unbinds .}}
	rule loc[p] != NONE & loc[p] != GONE ==> begin loc[p] := NONE; end;
{{- end}}{{if leaves .}}
	rule loc[p] != NONE & loc[p] != GONE ==> begin loc[p] := GONE; end;
{{- end}}{{if returns .}}
	rule loc[p] = GONE ==> begin loc[p] := NONE; end;
{{- end}}
end;
`))

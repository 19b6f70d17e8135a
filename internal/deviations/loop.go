package deviations

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// LoopEntry is a defect of kube-scheduler between decisions.
type LoopEntry struct {
	Defect loop.Known
	// Property is the property that it breaks.
	Property string
	// Theme is the theme of the loop, and Pods, Events, Faults and Happens are a small scope of it, in which the tool
	// finds the defect.
	Theme                string
	Pods, Events, Faults int
	// Late is how many changes of each kind may be unheard.
	Late    int
	Happens []loop.EventType
}

// Find is the command by which the tool finds the defect.
func (e LoopEntry) Find() string {
	command := fmt.Sprintf("%s loop --theme %s --pods %d --events %d", modelcheck(e.Defect.Mended), e.Theme, e.Pods,
		e.Events)
	if e.Faults > 0 {
		command += fmt.Sprintf(" --faults %d", e.Faults)
	}
	if e.Late > 0 {
		command += fmt.Sprintf(" --late %d", e.Late)
	}
	if len(e.Happens) > 0 {
		var kinds []string
		for _, kind := range e.Happens {
			kinds = append(kinds, string(kind))
		}
		command += " --happens " + strings.Join(kinds, ",")
	}
	return command
}

// Narrow returns the scope that the command explores.
func (e LoopEntry) Narrow(theme *loop.Scope) *loop.Scope {
	scope := *theme
	scope.Arrivals, scope.Events = e.Pods, e.Events
	scope.Faults, scope.Late = max(scope.Faults, e.Faults), max(scope.Late, e.Late)
	scope.Liveness = slices.ContainsFunc(loop.Liveness(), func(p loop.Property) bool { return p.Name == e.Property })
	if len(e.Happens) > 0 {
		scope.Happens = e.Happens
	}
	return &scope
}

// LoopEntries returns every known defect between decisions, in the order of loop.Defects. It is an error in this
// package if one has no entry here: then its theme is empty.
func LoopEntries() []LoopEntry {
	found := map[string]LoopEntry{
		"hint-first-pod": {
			Property: "wake-up",
			Theme:    "podaffinity",
			Pods:     2,
			Events:   2,
			Happens:  []loop.EventType{loop.NodeCordon, loop.PodDeleted},
		},
		"hint-anti-affinity-of-others": {
			Property: "wake-up",
			Theme:    "podaffinity",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.NodeAdded},
		},
		"hint-own-labels": {
			Property: "wake-up",
			Theme:    "podaffinity",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.PodLabels},
		},
		"hint-anti-affinity-of-gone": {
			Property: "wake-up",
			Theme:    "evictions",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.PodDeleted},
		},
		"failure-told-late":     {Property: "condition-told", Theme: "faults", Pods: 1, Faults: 1},
		"sent-back-unheard":     {Property: "wake-up", Theme: "preempting", Pods: 2, Faults: 1},
		"evictions-end-unheard": {Property: "wake-up", Theme: "preempting", Pods: 2, Events: 1},
		"namesake-evicted":      {Property: "evicts-victims", Theme: "preempting", Pods: 3, Events: 1},
		"second-preemption-unguarded": {
			Property: "not-while-evicting",
			Theme:    "preempting",
			Pods:     3,
			Faults:   1,
		},
		"last-victim-unguarded": {Property: "not-while-evicting", Theme: "preempting", Pods: 3, Events: 1},
		"gated-unflushed":       {Property: "bound-in-the-end", Theme: "preempting", Pods: 2, Events: 1},
		"hint-nominated-skipped": {
			Property: "wake-up",
			Theme:    "evictions",
			Pods:     2,
			Events:   1,
			Faults:   1,
			Happens:  []loop.EventType{loop.PodDeleted},
		},
		"claim-deletion-unheard": {
			Property: "wake-up",
			Theme:    "devices",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.ObjectRemoved},
		},
		"configuration-repeated":      {Property: "allocations-valid", Theme: "allocations", Pods: 1},
		"class-configuration-for-all": {Property: "allocations-valid", Theme: "allocations", Pods: 1},
		"nominated-nowhere":           {Property: "cache-agrees", Theme: "gates", Pods: 2},
		"earlier-failure-requeues": {Property: "assumed-bound-or-forgotten", Theme: "faults", Pods: 2, Events: 1,
			Faults: 2, Happens: []loop.EventType{loop.PodDeleted}},
		"preempted-unheard":   {Property: "wake-up", Theme: "patience", Pods: 2, Events: 1},
		"own-nomination-kept": {Property: "cache-agrees", Theme: "permit", Pods: 1, Events: 1, Faults: 2},
		"claim-bound-twice":   {Property: "no-errors", Theme: "conflicts", Pods: 1},
		"another-volume-bound": {Property: "volumes-reached", Theme: "reserved-twice", Pods: 2, Events: 1,
			Happens: []loop.EventType{loop.PodDeleted}},
		"driver-gone-unheard":          {Property: "wake-up", Theme: "storage-capacity", Pods: 1, Events: 2},
		"hint-driver-of-claims":        {Property: "wake-up", Theme: "storage-capacity", Pods: 1, Events: 2},
		"slice-gone-unheard":           {Property: "wake-up", Theme: "pool", Pods: 1, Events: 1},
		"volume-gone-unheard":          {Property: "wake-up", Theme: "reserved", Pods: 1, Events: 1},
		"hint-disk-other-namespace":    {Property: "wake-up", Theme: "conflicts", Pods: 2, Events: 1},
		"hint-anti-affinity-all-terms": {Property: "wake-up", Theme: "conflicts", Pods: 2, Events: 1},
		"host-port-forgotten": {
			Property: "cache-agrees",
			Theme:    "ports",
			Pods:     2,
			Events:   2,
			Happens:  []loop.EventType{loop.PodBound, loop.PodDeleted},
		},
		"hint-namespace-selector": {Property: "wake-up", Theme: "podaffinity", Pods: 2},
		"namespace-labels-unheard": {
			Property: "wake-up",
			Theme:    "podaffinity",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.NamespaceLabels},
		},
		"hint-spread-terminating": {
			Property: "wake-up",
			Theme:    "spread",
			Pods:     3,
			Events:   1,
			Happens:  []loop.EventType{loop.PodDeleted},
		},
		"hint-spread-eligibility": {
			Property: "wake-up",
			Theme:    "spread",
			Pods:     3,
			Events:   1,
			Happens:  []loop.EventType{loop.NodeLabels},
		},
		"nominated-bound-elsewhere": {
			Property: "wake-up",
			Theme:    "nominations",
			Pods:     3,
			Events:   1,
			Happens:  []loop.EventType{loop.PodBound},
		},
		"batch-outdated": {
			Property: "refinement",
			Theme:    "batches",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.NodeAdded},
		},
		"dry-run-rejection-forgotten": {
			Property: "wake-up-to-preempt",
			Theme:    "evictions",
			Pods:     3,
			Events:   1,
			Happens:  []loop.EventType{loop.NodeLabels},
		},
		"scale-down-overflows": {Property: "wake-up", Theme: "resizing-memory", Pods: 1, Events: 1},
		"image-count-outdated": {Property: "refinement", Theme: "images", Pods: 2, Events: 1},
		"assumed-changes-unheard": {
			Property: "refinement",
			Theme:    "evictions",
			Pods:     2,
			Events:   1,
			Faults:   1,
			Happens:  []loop.EventType{loop.PodLabels},
		},
		"nominated-changes-unheard": {
			Property: "wake-up",
			Theme:    "evictions",
			Pods:     2,
			Events:   1,
			Faults:   1,
			Happens:  []loop.EventType{loop.PodLabels},
		},
		"allocation-time-added": {Property: "no-errors", Theme: "devices", Pods: 1},
		"limits-node-unheard":   {Property: "wake-up", Theme: "limits", Pods: 1, Events: 1},
		"limits-pod-unheard": {
			Property: "wake-up",
			Theme:    "limits",
			Pods:     2,
			Events:   1,
			Happens:  []loop.EventType{loop.PodBound},
		},
		"hint-anti-affinity-term-left": {Property: "wake-up", Theme: "anti-affinity", Pods: 2, Events: 1},
		"hint-added-affinity":          {Property: "wake-up", Theme: "added-affinity", Pods: 1, Events: 1},
		"hint-ignored-resource":        {Property: "wake-up", Theme: "ignored-resources", Pods: 1, Events: 1},
		"default-spread-unheard":       {Property: "wake-up", Theme: "spread-default", Pods: 2, Events: 1},
		"hint-spread-labels":           {Property: "wake-up", Theme: "spread-default", Pods: 2, Events: 1},
		"class-gone-unheard":           {Property: "wake-up", Theme: "ignored-resources", Pods: 1, Events: 1},
		"limits-driver-unheard": {
			Property: "wake-up",
			Theme:    "drivers",
			Pods:     1,
			Events:   2,
			Happens:  []loop.EventType{loop.ObjectRemoved},
		},
		"hint-unlimited-driver": {
			Property: "wake-up",
			Theme:    "drivers",
			Pods:     1,
			Events:   2,
			Happens:  []loop.EventType{loop.ObjectChanged},
		},
		"hint-ephemeral-attachment": {
			Property: "wake-up",
			Theme:    "attachments",
			Pods:     1,
			Events:   1,
			Happens:  []loop.EventType{loop.ObjectRemoved},
		},
		"signature-ephemeral":   {Property: "signatures", Theme: "signed-claims", Pods: 2},
		"earlier-claim-unheard": {Property: "progress", Theme: "made-before", Pods: 1, Events: 1},
		"returned-claims-free": {Property: "exclusive", Theme: "claims-in-use", Pods: 2, Events: 2,
			Happens: []loop.EventType{loop.NodeLost, loop.NodeAdded}},
		"lost-node-unheard": {Property: "wake-up", Theme: "claims-in-use", Pods: 2, Events: 1,
			Happens: []loop.EventType{loop.NodeLost}},
		"replaced-pod-kept": {Property: "no-panics", Theme: "pods-anew", Pods: 1, Events: 1,
			Happens: []loop.EventType{loop.PodReplaced}},
		"deleted-while-tried": {Property: "cache-agrees", Theme: "device-conditions", Pods: 1, Events: 1,
			Happens: []loop.EventType{loop.PodDeleted}},
		"missed-assumed-deletion": {Property: "wake-up", Theme: "pods-anew", Pods: 2, Events: 1, Faults: 1,
			Happens: []loop.EventType{loop.PodDeleted, loop.Missed}},
		"bound-waits-on": {Property: "conservation", Theme: "pods-anew", Pods: 1, Events: 2, Faults: 1,
			Happens: []loop.EventType{loop.PodBound, loop.PodDeleted}},
		"remade-claim-unheard": {Property: "wake-up", Theme: "objects-anew", Pods: 1, Events: 1,
			Happens: []loop.EventType{loop.ObjectReplaced}},
		"remade-claim-written": {Property: "allocations-valid", Theme: "claim-remade", Pods: 1, Events: 1, Faults: 1,
			Happens: []loop.EventType{loop.ObjectReplaced}},
		"shared-reservation-freed":  {Property: "roll-back", Theme: "claim-shared", Pods: 2, Faults: 2},
		"pre-flight-leaves-waiting": {Property: "roll-back", Theme: "permit", Pods: 1, Faults: 1},
		"preemptor-circles":         {Property: "sleeps", Theme: "faults", Pods: 2, Faults: 1},
		"nomination-taken-for-written": {Property: "refinement", Theme: "bound-after-failing", Pods: 2, Events: 1, Faults: 1,
			Late: 1, Happens: []loop.EventType{loop.PodBound}},
		"reservation-taken-for-written": {Property: "devices-ready", Theme: "reservations", Pods: 1, Faults: 1, Late: 1},
		"remade-claim-awaited": {Property: "no-vain-wait", Theme: "objects-anew", Pods: 1, Events: 1,
			Happens: []loop.EventType{loop.ObjectReplaced}},
		"bound-told-failed": {Property: "condition-told", Theme: "binding", Pods: 1, Events: 1, Faults: 1,
			Happens: []loop.EventType{loop.PodBound}},
		"deleted-claim-named": {Property: "claims-written", Theme: "claim-dropped", Pods: 1, Events: 1, Faults: 1},
		"extended-resource-class-forgotten": {
			Property: "refinement",
			Theme:    "resource-classes",
			Pods:     1,
			Events:   1,
			Happens:  []loop.EventType{loop.ObjectRemoved},
		},
		"empty-claim-unbound": {Property: "no-errors", Theme: "device-resources", Pods: 1},
		"claim-restored-outdated": {
			Property: "assumed-bound-or-forgotten",
			Theme:    "device-conditions",
			Pods:     2,
			Events:   1,
			Late:     1,
			Happens:  []loop.EventType{loop.PodDeleted},
		},
		"post-filter-error-sleeps":    {Property: "retried", Theme: "giving-back", Pods: 1, Faults: 1},
		"capacity-counted-twice":      {Property: "progress", Theme: "device-fractions", Pods: 2},
		"device-reservation-freed":    {Property: "wake-up", Theme: "device-resources", Pods: 2, Faults: 1},
		"volume-reservation-freed":    {Property: "wake-up", Theme: "volumes", Pods: 2, Events: 0},
		"volume-reserved-per-profile": {Property: "refinement", Theme: "profiles-apart", Pods: 2, Faults: 1},
		"nominated-node-gone": {
			Property: "no-errors",
			Theme:    "nominations",
			Pods:     2,
			Events:   2,
			Happens:  []loop.EventType{loop.PodNominated, loop.NodeRemoved},
		},
		"never-keeps-nomination": {Property: "nominations-settle", Theme: "patience", Pods: 2, Events: 0},
		"gated-nomination": {
			Property: "refinement",
			Theme:    "gates",
			Pods:     2,
			Events:   2,
			Happens:  []loop.EventType{loop.PodNominated, loop.Restarted},
		},
	}
	var entries []LoopEntry
	for _, defect := range loop.Defects() {
		e := found[defect.Name]
		e.Defect = defect
		entries = append(entries, e)
	}
	return entries
}

package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// notCovered says, one sentence each, what the run tells nothing about.
func notCovered(r *Run) []string {
	var all []string
	all = append(all, unfinished(r)...)
	all = append(all, r.NotRead...)
	all = append(all, r.Notes...)
	all = append(all, unmodelled(r)...)
	if r.Scope.Random != nil {
		all = append(all, randomNotCovered(r)...)
	} else {
		all = append(all, unreadObjects(r)...)
		all = append(all, beyondScope(r)...)
	}
	return append(all, "What is around a single question: the order of the scheduling queue, backoff and wake-ups; "+
		"the binding "+"cycle (Permit, "+"PreBind, failed binds); hints that one cycle leaves for the next "+
		"(opportunistic batching).")
}

// unfinished tells which limits were reached.
func unfinished(r *Run) []string {
	var all []string
	for _, s := range r.Result.Scenarios {
		switch {
		case s.Complete:
		case s.Missing > 0 && s.Chunks > 1:
			all = append(all, fmt.Sprintf("%s: %d of the %d chunks it is cut into are missing.", s.Scenario.Name,
				s.Missing, s.Chunks))
		case s.Distinct == 0:
			all = append(all, fmt.Sprintf("%s: not begun.", s.Scenario.Name))
		default:
			all = append(all, fmt.Sprintf("%s: stopped (%s) with %s found and not explored; %s.",
				s.Scenario.Name, s.Stopped, plural(s.Queue, "state"), remedy(r, s.Stopped)))
		}
	}
	if n := r.Result.NotFollowed; n > 0 {
		all = append(all, fmt.Sprintf("Of %s the model allows more preemptions than were followed: there are too many.",
			plural(n, "distinct decision")))
	}
	if n := r.Result.Undecided; n > 0 {
		all = append(all, fmt.Sprintf("Of %s it is not known whether the preemption is allowed: there are too many sets of "+
			"pods to weigh.", plural(n, "distinct decision")))
	}
	if random := r.Result.Random; random != nil && !r.Result.Complete {
		all = append(all, fmt.Sprintf("Stopped after %s; it was interrupted.",
			plural(random.Drawn, "drawn cluster")))
	}
	for _, hang := range r.Result.Hanging {
		all = append(all, fmt.Sprintf("Interrupted while this was at work: %s.", hang))
	}
	for i := range r.Result.Untold {
		all = append(all, fmt.Sprintf("There was no time for the counterexample of %s, which was found too.",
			r.Result.Untold[i].ID))
	}
	return all
}

func remedy(r *Run, stopped checker.Reason) string {
	switch {
	case r.Result.Survey != nil && (stopped == checker.Cancelled || stopped == checker.StateLimit):
		return "raise --budget"
	}
	switch stopped {
	case checker.StateLimit:
		return "raise --max-states"
	case checker.DepthLimit:
		return "raise --max-depth"
	case checker.MemoryLimit:
		return "raise --memory, or take fewer nodes, pods or themes"
	case checker.Cancelled:
		return "it was interrupted"
	default:
		return "take fewer nodes, pods or themes"
	}
}

// unmodelled names the plugins that the model has no predicate for, and how often that mattered.
func unmodelled(r *Run) []string {
	filters, scorePlugins := r.Spec.Unmodelled()
	var words, all []string
	for _, plugin := range filters {
		role := "filter"
		if slices.Contains(scorePlugins, plugin) {
			role = "filter and score"
		}
		words = append(words, fmt.Sprintf("%s (%s)", plugin, role))
	}
	for _, plugin := range scorePlugins {
		if !slices.Contains(filters, plugin) {
			words = append(words, plugin+" (score)")
		}
	}
	if len(words) > 0 {
		all = append(all, fmt.Sprintf("Plugins that run in kube-scheduler and that the model has no predicate for: %s.",
			strings.Join(words, ", ")))
	}
	for _, plugin := range r.Result.Unmodelled {
		all = append(all, fmt.Sprintf("%s had a say in %s: there outcome and scores were not compared.",
			plugin.Plugin, plural(plugin.Count, "distinct decision")))
	}
	return all
}

// unreadObjects tells of objects that kube-scheduler sees and the model does not read, as it has no predicate for
// their plugin.
func unreadObjects(r *Run) []string {
	around := &r.Result.Scenarios[0].Scenario.Around
	filters, _ := r.Spec.Unmodelled()
	var words []string
	for _, objects := range []struct {
		kind, plugin string
		number       int
	}{
		{"PersistentVolume", "VolumeBinding", len(around.PersistentVolumes)},
		{"PersistentVolumeClaim", "VolumeBinding", len(around.PersistentVolumeClaims)},
		{"StorageClass", "VolumeBinding", len(around.StorageClasses)},
		{"CSINode", "NodeVolumeLimits", len(around.CSINodes)},
		{"VolumeAttachment", "NodeVolumeLimits", len(around.VolumeAttachments)},
		{"CSIDriver", "VolumeBinding", len(around.CSIDrivers)},
		{"CSIStorageCapacity", "VolumeBinding", len(around.CSIStorageCapacities)},
	} {
		if objects.number > 0 && slices.Contains(filters, objects.plugin) {
			words = append(words, fmt.Sprintf("%s (%d)", objects.kind, objects.number))
		}
	}
	if len(words) == 0 {
		return nil
	}
	return []string{"Objects that kube-scheduler sees and the model does not read: " + strings.Join(words, ", ") + "."}
}

// beyondScope tells where the scope ends.
func beyondScope(r *Run) []string {
	var all []string
	if len(r.Scope.Files) == 0 {
		all = append(all, fmt.Sprintf("Clusters of more than %s, more than %s, and node and pod templates that no "+
			"theme has.", plural(int64(r.Scope.Nodes), "node"), plural(int64(r.Scope.Pods), "pod")))
	} else {
		all = append(all, "Other clusters than the one given, and other pods than its own and those like them.")
	}
	return append(append(all, actionsOff(r)...), behavioursNotCovered(r)...)
}

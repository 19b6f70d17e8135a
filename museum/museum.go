// Package museum is the track record: the defects of kube-scheduler that were found, each with the smallest cluster that shows it,
// kept under testdata/museum, and the scope in which the tool finds it by itself.
package museum

import (
	"fmt"
	"path"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Exhibit is a defect of kube-scheduler.
type Exhibit struct {
	// Quirk reproduces it.
	Quirk spec.Quirk
	// Property is the first property that it breaks in its smallest cluster.
	Property string
	// Theme is the built-in theme, and Nodes and Pods are the smallest scope of it, in which the tool finds the defect. Config is the
	// configuration with which it does, in testdata/configs; empty for the default one.
	Theme       string
	Config      string
	Nodes, Pods int
	// Thorough: it takes the thorough kinds of the theme.
	Thorough bool
}

// File is the path of the smallest cluster's manifests, from the root of the repository.
func (e Exhibit) File() string { return path.Join("testdata/museum", e.Quirk.Name+".yaml") }

// ConfigFile is the path of the configuration, from the root of the repository.
func (e Exhibit) ConfigFile() string { return path.Join("testdata/configs", e.Config+".yaml") }

// Repeat is the command that shows the defect in its smallest cluster.
func (e Exhibit) Repeat() string { return "modelcheck -f " + e.File() }

// Find is the command by which the tool finds the defect in clusters that it makes itself.
func (e Exhibit) Find() string {
	command := "modelcheck"
	if e.Config != "" {
		command += " -f " + e.ConfigFile()
	}
	if e.Thorough {
		command += " --thorough"
	}
	return fmt.Sprintf("%s -theme %s -nodes %d -pods %d", command, e.Theme, e.Nodes, e.Pods)
}

// Exhibits gives every known defect, in the order of spec.Quirks. It is an error in this package if one has no entry here: then its
// property is empty.
func Exhibits() []Exhibit {
	var exhibits []Exhibit
	for _, quirk := range spec.Quirks() {
		e := found()[quirk.Name]
		e.Quirk = quirk
		exhibits = append(exhibits, e)
	}
	return exhibits
}

// found says of each defect what it breaks, and in which scope of which theme it is found. Tests hold it true.
func found() map[string]Exhibit {
	const (
		verdicts, ratings, outcome, answered = "verdicts-conform", "ratings-conform", "outcome-conforms", "answered"
	)
	return map[string]Exhibit{
		"empty-selector-protects-nobody":  {Property: outcome, Theme: "budgets", Nodes: 1, Pods: 3},
		"budget-spent-on-spared":          {Property: outcome, Theme: "budgets", Nodes: 1, Pods: 3},
		"shared-port-freed":               {Property: outcome, Theme: "ports", Nodes: 1, Pods: 3},
		"namespace-selector-absence":      {Property: verdicts, Theme: "podaffinity", Nodes: 1, Pods: 2},
		"terms-by-same-pod":               {Property: verdicts, Theme: "podterms", Nodes: 1, Pods: 3},
		"group-outside-topology":          {Property: verdicts, Theme: "podaffinity", Nodes: 2, Pods: 2},
		"nominated-repels":                {Property: verdicts, Theme: "podaffinity", Nodes: 1, Pods: 3},
		"weight-per-pod":                  {Property: ratings, Theme: "podaffinity", Nodes: 2, Pods: 3},
		"existing-terms-ignored":          {Property: ratings, Theme: "podterms", Config: "existing-terms", Nodes: 2, Pods: 3},
		"spread-empty-selector":           {Property: verdicts, Theme: "spread", Nodes: 2, Pods: 2},
		"spread-terminating":              {Property: outcome, Theme: "spread", Nodes: 2, Pods: 4},
		"built-in-spread-without-keys":    {Property: ratings, Theme: "services", Nodes: 2, Pods: 1},
		"external-name-serves":            {Property: ratings, Theme: "services", Nodes: 2, Pods: 1},
		"released-pod-spreads":            {Property: ratings, Theme: "services", Nodes: 2, Pods: 2},
		"excluded-host-counts":            {Property: ratings, Theme: "spread", Config: "plain", Thorough: true, Nodes: 2, Pods: 2},
		"image-volumes-unscaled":          {Property: ratings, Theme: "images", Nodes: 2, Pods: 1},
		"image-size-of-first-node":        {Property: ratings, Theme: "images", Nodes: 2, Pods: 1},
		"pod-requests-overlooked":         {Property: ratings, Theme: "resources", Nodes: 2, Pods: 1},
		"missing-requests-of-bound":       {Property: ratings, Theme: "resources", Nodes: 2, Pods: 2},
		"zero-score-left-out":             {Property: ratings, Theme: "resources", Config: "by-shape", Nodes: 2, Pods: 1},
		"requests-overflow":               {Property: verdicts, Theme: "resources", Thorough: true, Nodes: 1, Pods: 1},
		"turned-away-keeps-nomination":    {Property: outcome, Theme: "claims", Thorough: true, Nodes: 1, Pods: 1},
		"nominations-beside-terminating":  {Property: "preemption-writes", Theme: "priorities", Nodes: 1, Pods: 3},
		"foreign-nominations":             {Property: verdicts, Theme: "schedulers", Nodes: 1, Pods: 3},
		"rwop-nominated":                  {Property: verdicts, Theme: "exclusive", Nodes: 1, Pods: 3},
		"rwop-ephemeral":                  {Property: verdicts, Theme: "zones", Nodes: 1, Pods: 2},
		"rwop-namespace":                  {Property: outcome, Theme: "exclusive", Nodes: 1, Pods: 3},
		"rwop-counted":                    {Property: outcome, Theme: "exclusive", Nodes: 1, Pods: 3},
		"volume-attached-twice":           {Property: verdicts, Theme: "volumes", Nodes: 1, Pods: 1},
		"migrated-not-counted":            {Property: verdicts, Theme: "volumes", Nodes: 1, Pods: 1},
		"attachment-migrated-not-counted": {Property: verdicts, Theme: "volumes", Nodes: 1, Pods: 1},
		"unowned-claim-stops-all":         {Property: answered, Theme: "volumes", Nodes: 1, Pods: 2},
		"unreadable-disk-stops-all":       {Property: answered, Theme: "volumes", Nodes: 1, Pods: 1},
		"zone-ephemeral":                  {Property: verdicts, Theme: "zones", Nodes: 1, Pods: 1},
		"zone-older-name":                 {Property: verdicts, Theme: "zones", Nodes: 1, Pods: 1},
		"volume-match-fields":             {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"claim-used-twice":                {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"volumes-matched-greedily":        {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"reserved-access-modes":           {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"reserved-and-provisioned":        {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"selector-provisioned":            {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
	}
}

// Package deviations is the catalogue of deviations, the track record: the defects of kube-scheduler that were
// found, each with the smallest cluster that shows it, kept under testdata/deviations, and the scope in which the
// tool finds it by itself.
package deviations

import (
	"fmt"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/util/version"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Entry is a defect of kube-scheduler.
type Entry struct {
	// Quirk reproduces it.
	Quirk spec.Quirk
	// Property is the first property that it breaks in its smallest cluster.
	Property string
	// Theme is the built-in theme, and Nodes and Pods are the smallest scope of it, in which the tool finds the
	// defect. Config is the configuration with which it does, in testdata/configs; empty for the default one.
	Theme       string
	Config      string
	Nodes, Pods int
	// Thorough: it takes the thorough kinds of the theme.
	Thorough bool
}

// File is the path of the smallest cluster's manifests, from the root of the repository.
func (e Entry) File() string { return path.Join("testdata/deviations", e.Quirk.Name+".yaml") }

// ConfigFile is the path of the configuration, from the root of the repository.
func (e Entry) ConfigFile() string { return configFile(e.Config) }

func configFile(name string) string { return path.Join("testdata/configs", name+".yaml") }

// Repeat is the command that shows the defect in its smallest cluster.
func (e Entry) Repeat() string {
	return modelcheck(e.Quirk.Mended, e.Quirk.Backports...) + " -f " + e.File()
}

// modelcheck is how the program is started for the last release before that in which a defect is mended: the last minor
// one, or the patch release. Of a minor one that has it no more since a patch release, it is that before.
func modelcheck(mended string, backports ...string) string {
	if mended == "" {
		return "modelcheck"
	}
	in := version.MustParseGeneric(mended)
	if in.Patch() > 0 {
		return fmt.Sprintf("modelcheck --kubernetes 1.%d.%d", in.Minor(), in.Patch()-1)
	}
	for _, backport := range backports {
		if version.MustParseGeneric(backport).Minor() == in.Minor()-1 {
			return modelcheck(backport)
		}
	}
	return fmt.Sprintf("modelcheck --kubernetes 1.%d", in.Minor()-1)
}

// Find is the command by which the tool finds the defect in clusters that it makes itself.
func (e Entry) Find() string {
	command := modelcheck(e.Quirk.Mended, e.Quirk.Backports...)
	if e.Config != "" {
		command += " -f " + e.ConfigFile()
	}
	if e.Thorough {
		command += " --thorough"
	}
	return fmt.Sprintf("%s --theme %s --nodes %d --pods %d", command, e.Theme, e.Nodes, e.Pods)
}

// In returns the known defects of the release, such as "v1.36.3": see Entries.
func In(release string) []Entry {
	return slices.DeleteFunc(Entries(), func(e Entry) bool { return !e.Quirk.In(release) })
}

// Entries returns every known defect, in the order of spec.Quirks. It is an error in this package if one has no
// entry here: then its property is empty.
func Entries() []Entry {
	var entries []Entry
	for _, quirk := range spec.Quirks() {
		e := found()[quirk.Name]
		e.Quirk = quirk
		entries = append(entries, e)
	}
	return entries
}

// found says of each defect what it breaks, and in which scope of which theme it is found. Tests hold it true.
func found() map[string]Entry {
	const (
		verdicts, scores, outcome, answered = "statuses-conform", "scores-conform", "outcome-conforms", "answered"
		untouched                           = "objects-untouched"
	)
	return map[string]Entry{
		"empty-selector-protects-nobody": {Property: outcome, Theme: "budgets", Nodes: 1, Pods: 3},
		"budget-spent-on-spared":         {Property: outcome, Theme: "budgets", Nodes: 1, Pods: 3},
		"budgets-counted-to-first":       {Property: outcome, Theme: "two-victims", Nodes: 2, Pods: 4},
		"shared-port-freed":              {Property: outcome, Theme: "ports", Nodes: 1, Pods: 3},
		"sidecar-ports-overlooked":       {Property: verdicts, Theme: "lists", Nodes: 1, Pods: 2},
		"unreadable-preference-stops-pod": {
			Property: answered,
			Theme:    "affinity-pairs",
			Nodes:    2,
			Pods:     1,
		},
		"lookalike-domain": {
			Property: verdicts,
			Theme:    "resources",
			Config:   "ignored-resources",
			Thorough: true,
			Nodes:    1,
			Pods:     1,
		},
		"namespace-selector-absence": {Property: verdicts, Theme: "podaffinity", Nodes: 1, Pods: 2},
		"terms-by-same-pod":          {Property: verdicts, Theme: "podterms", Nodes: 1, Pods: 3},
		"group-outside-topology":     {Property: verdicts, Theme: "podaffinity", Nodes: 2, Pods: 2},
		"nominated-repels":           {Property: verdicts, Theme: "podaffinity", Nodes: 1, Pods: 3},
		"weight-per-pod":             {Property: scores, Theme: "podaffinity", Nodes: 2, Pods: 3},
		"existing-terms-ignored": {
			Property: scores,
			Theme:    "podterms",
			Config:   "existing-terms",
			Nodes:    2,
			Pods:     3,
		},
		"spread-empty-selector":        {Property: verdicts, Theme: "spread", Nodes: 2, Pods: 2},
		"spread-terminating":           {Property: outcome, Theme: "spread", Nodes: 2, Pods: 4},
		"built-in-spread-without-keys": {Property: scores, Theme: "services", Nodes: 2, Pods: 1},
		"external-name-serves":         {Property: scores, Theme: "services", Nodes: 2, Pods: 1},
		"released-pod-spreads":         {Property: scores, Theme: "services", Nodes: 2, Pods: 2},
		"excluded-host-counts": {
			Property: scores,
			Theme:    "spread",
			Config:   "plain",
			Thorough: true,
			Nodes:    2,
			Pods:     2,
		},
		"image-volumes-unscaled":    {Property: scores, Theme: "images", Nodes: 2, Pods: 1},
		"image-size-of-first-node":  {Property: scores, Theme: "images", Nodes: 2, Pods: 1},
		"pod-requests-overlooked":   {Property: scores, Theme: "resources", Nodes: 2, Pods: 1},
		"missing-requests-of-bound": {Property: scores, Theme: "resources", Nodes: 2, Pods: 2},
		"zero-score-left-out": {
			Property: scores,
			Theme:    "resources",
			Config:   "by-shape",
			Nodes:    2,
			Pods:     1,
		},
		"requests-overflow":               {Property: verdicts, Theme: "resources", Thorough: true, Nodes: 1, Pods: 1},
		"unknown-capacity-panics":         {Property: answered, Theme: "volume-choice", Nodes: 2, Pods: 1},
		"annotated-class-panics":          {Property: answered, Theme: "volume-choice", Nodes: 2, Pods: 1},
		"migrated-driver-not-missed":      {Property: verdicts, Theme: "limit-pairs", Nodes: 1, Pods: 1},
		"unreported-free":                 {Property: verdicts, Theme: "resize-pairs", Nodes: 1, Pods: 2},
		"whole-status-names":              {Property: verdicts, Theme: "resize-pairs", Nodes: 1, Pods: 2},
		"unstated-requests-panic":         {Property: answered, Theme: "resize-pairs", Nodes: 1, Pods: 2},
		"whole-status-instead":            {Property: verdicts, Theme: "resize-pairs", Nodes: 1, Pods: 2},
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
		"unbound-unconverted":             {Property: verdicts, Theme: "migrated", Nodes: 1, Pods: 1},
		"unreadable-volume-stops-pod":     {Property: answered, Theme: "migrated", Nodes: 1, Pods: 1},
		"claim-used-twice":                {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"volumes-matched-greedily":        {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"reserved-access-modes":           {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"reserved-and-provisioned":        {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"selector-provisioned":            {Property: verdicts, Theme: "claims", Nodes: 1, Pods: 1},
		"namesakes-elsewhere":             {Property: verdicts, Theme: "device-pools", Nodes: 1, Pods: 1},
		"outdated-slices":                 {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"capacity-names":                  {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"admin-access-occupies":           {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"admin-access-consumes":           {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"unreferenced-counters":           {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"share-forgotten":                 {Property: verdicts, Theme: "device-pairs", Nodes: 1, Pods: 1},
		"all-but-full":                    {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"shares-recounted":                {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"distinct-overwritten":            {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"updated-pool-stops-all":          {Property: answered, Theme: "devices", Nodes: 1, Pods: 1},
		"constraint-stops-all":            {Property: answered, Theme: "devices", Nodes: 1, Pods: 1},
		"missing-class-stops-pod":         {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"evicted-claim-reserved":          {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"full-claim-reserved":             {Property: verdicts, Theme: "devices", Nodes: 1, Pods: 1},
		"failure-behind-unready":          {Property: verdicts, Theme: "device-claims", Nodes: 1, Pods: 1},
		"limit-stops-all":                 {Property: answered, Theme: "device-pools", Nodes: 1, Pods: 1},
		"implicit-name-lost":              {Property: verdicts, Theme: "device-resources", Nodes: 1, Pods: 1},
		"ignored-resource-missed":         {Property: verdicts, Theme: "device-resources", Nodes: 1, Pods: 1},
		"earlier-claim-deleted":           {Property: verdicts, Theme: "device-resources", Nodes: 1, Pods: 1},
		"outdated-devices-scored":         {Property: scores, Theme: "device-scores", Nodes: 2, Pods: 1},
		"shared-devices-unscored":         {Property: scores, Theme: "device-scores", Nodes: 2, Pods: 1},
		"balanced-devices-panic":          {Property: answered, Theme: "device-scores", Nodes: 2, Pods: 1},
		"split-pool-unclear":              {Property: answered, Theme: "device-amounts", Nodes: 1, Pods: 1},
		"unsound-pool-stops-all":          {Property: answered, Theme: "device-pools", Nodes: 1, Pods: 1},
		"allocated-claim-unscored":        {Property: answered, Theme: "device-claims", Nodes: 2, Pods: 1},
		"all-counters-panic":              {Property: answered, Theme: "device-amounts", Nodes: 1, Pods: 1},
		"shares-uncounted":                {Property: verdicts, Theme: "device-amounts", Nodes: 1, Pods: 1},
		"namesakes-counted":               {Property: verdicts, Theme: "device-searches", Nodes: 1, Pods: 1},
		"counts-panic":                    {Property: answered, Theme: "device-searches", Nodes: 1, Pods: 1},
		"capacity-wraps":                  {Property: verdicts, Theme: "device-searches", Nodes: 1, Pods: 1},
		"unsaid-capacity-stops-all":       {Property: answered, Theme: "device-searches", Nodes: 1, Pods: 1},
		"later-all-lost":                  {Property: verdicts, Theme: "device-pools", Nodes: 1, Pods: 1},
		"uncontrolled-claim-panics":       {Property: answered, Theme: "device-resources", Nodes: 1, Pods: 1},
		"counters-changed":                {Property: untouched, Theme: "device-searches", Nodes: 1, Pods: 1},
		"capacity-changed":                {Property: untouched, Theme: "device-searches", Nodes: 1, Pods: 1},
		"counters-everywhere":             {Property: answered, Theme: "device-pools", Nodes: 1, Pods: 1},
		"counters-kept":                   {Property: verdicts, Theme: "device-searches", Nodes: 1, Pods: 1},
	}
}

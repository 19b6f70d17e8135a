package report

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
	"github.com/seed-a3f26817/modelcheck/model"
)

// The files of a saved counterexample.
const (
	ClusterFile       = "cluster.yaml"
	ConfigurationFile = "scheduler-config.yaml"
	TraceFile         = "trace.json"
	ITFFile           = "trace.itf.json"
	BugReportFile     = "report.md"
	GoTestFile        = "reproduce_test.go"
	ControlPlaneFile  = "controlplane.txt"
)

// File is a file of a saved counterexample.
type File struct {
	Name    string
	Content []byte
}

// longestFolder keeps names of folders below the 255 bytes that file systems take.
const longestFolder = 200

// Folder returns the name of the folder for a finding: its id, with what a file system may not like replaced. A
// long one is cut, and ends with a hash of the whole.
func Folder(f *decisions.Finding) string {
	folder := strings.Map(func(c rune) rune {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '+', c == '.':
			return c
		case c == '/':
			return '_'
		default:
			return '-'
		}
	}, f.ID)
	if len(folder) <= longestFolder {
		return folder
	}
	hash := fnv.New64a()
	hash.Write([]byte(f.ID))
	return fmt.Sprintf("%s-%016x", folder[:longestFolder-17], hash.Sum64())
}

// Files returns the files that a user needs to repeat a finding and to report it.
func (r *Run) Files(f *decisions.Finding) []File {
	files := []File{
		{ClusterFile, []byte(r.clusterYAML(f))},
		{TraceFile, indented(r.NewTrace(f))},
		{ITFFile, indented(itfTrace(r.KubernetesVersion, f))},
	}
	if configuration := r.configurationOf(f); len(configuration) > 0 {
		files = append(files, File{ConfigurationFile, configuration})
	}
	if test, ok := r.GoTest(f); ok {
		files = append(files, File{GoTestFile, test})
	}
	files = append(files, r.kubectl(f)...)
	if seen := transcripts(f); seen != "" {
		files = append(files, File{ControlPlaneFile, []byte(seen)})
	}
	return append(files, File{BugReportFile, []byte(r.bugReport(f))})
}

// transcripts returns what was to be seen, on control planes, of the deviations that explain a finding, each in its
// smallest cluster; "" if none was on one.
func transcripts(f *decisions.Finding) string {
	var all []string
	for _, quirk := range f.Quirks {
		if text := deviations.Transcripts(quirk.Name); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// configurationOf returns the configuration that matters to a finding; nil for the default one.
func (r *Run) configurationOf(f *decisions.Finding) []byte {
	if r.DrawnProfiles > 0 {
		return f.Configuration
	}
	asks := func(pod model.PodTemplate) bool { return r.Spec.For(pod.Pod) != r.Spec }
	of := func(s decisions.ScenarioResult) bool { return s.Scenario.Name == f.Example.Scenario }
	if i := slices.IndexFunc(r.Result.Scenarios, of); r.ThemeConfigured && i >= 0 &&
		!slices.ContainsFunc(r.Result.Scenarios[i].Scenario.Pods, asks) {
		return nil
	}
	return r.Configuration
}

// clusterYAML writes the cluster that the counterexample leads to, one document per object, and says what of it
// kubectl apply leaves out.
func (r *Run) clusterYAML(f *decisions.Finding) string {
	items := findingJSON(r.Spec, f).Example.Cluster.Items
	var text strings.Builder
	fmt.Fprintf(&text, "# The end of a shortest counterexample: %s, with kube-scheduler %s.\n", printable.Line(f.ID),
		r.KubernetesVersion)
	fmt.Fprintf(&text, "# modelcheck -f %s and modelcheck explain -f %s read all of it; kubectl apply -f %s creates "+
		"the objects.\n", ClusterFile, ClusterFile, ClusterFile)
	left, owned := map[string]bool{}, map[string]bool{}
	for _, item := range items {
		fields := item.(map[string]any)
		kind, metadata := fields["kind"].(string), fields["metadata"].(map[string]any)
		if fields["status"] != nil && kind != "Node" { // a node is created with its status
			left[kind+" status"] = true
		}
		if metadata["deletionTimestamp"] != nil {
			left[kind+" metadata.deletionTimestamp"] = true
		}
		if metadata["ownerReferences"] != nil {
			owned[kind] = true
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(&text, "# An API server does not take from a new object: %s. These are here for modelcheck.\n",
			strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	if len(owned) > 0 {
		fmt.Fprintf(&text, "# A garbage collector deletes what has an owner that is not there, by its uid; here each "+
			"%s with "+"ownerReferences.\n", strings.Join(slices.Sorted(maps.Keys(owned)), " and "))
	}
	var documents []string
	for _, item := range items {
		documents = append(documents, yamlOf(item))
	}
	return text.String() + strings.Join(documents, "---\n")
}

package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"unicode/utf8"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

//go:embed reproduce_test.go.tmpl
var goTestTemplate string

// manyTries is how often a decision is taken where kube-scheduler draws lots among equals: with two equals, one of
// which is wrong, all tries are right once in 2^50 runs.
const manyTries = 50

// goTest is what the template of the Go test is filled with.
type goTest struct {
	Title                  string
	What                   []string
	Func, Version          string
	Asks, Profile          string
	Configuration, Cluster string
	// Claims: there are claims of devices.
	Claims   bool
	Outcomes []string
	Tries    int
	// Writes are what the preemption must write besides the pod's own status, if it does not; nil if that is as wanted.
	Writes   []string
	Statuses []wantedStatus
	Scored   []string
	Scores   []wantedScore
}

type wantedStatus struct{ Plugin, Node, Want string }

type wantedScore struct {
	Plugin, Node string
	Want         int64
}

// GoTest writes a Go test that repeats the finding's decision with kube-scheduler itself and asks for what is
// wanted. There is none, and ok is false, if the finding is not about a decision, or nothing that kube-scheduler
// decided differs from what is wanted.
func (r *Run) GoTest(f *decisions.Finding) (text []byte, ok bool) {
	c := f.Example.Case
	if c == nil {
		return nil, false
	}
	test := goTest{
		Title: printable.Line(f.ID), Func: "Test" + camel(f.ID), Version: r.KubernetesVersion,
		Asks: name(c.Question.Pod), Profile: r.Spec.For(c.Question.Pod).Profile.SchedulerName,
		Configuration: goRaw(r.configurationText(f)), Cluster: goRaw(complete(c.Question.Snapshot)),
		Claims:   len(c.Question.Snapshot.ResourceClaims) > 0,
		Outcomes: wantedOutcomes(f), Tries: 1, Statuses: wantedStatuses(c),
	}
	what := &page{}
	what.wrapped("", "Wanted: "+f.Property.Doc)
	for _, reason := range reasons(f) {
		what.wrapped("", "But: "+reason)
	}
	test.What = strings.Split(strings.TrimSuffix(what.String(), "\n"), "\n")
	if len(c.Decision.Outcomes) > 1 {
		test.Tries = manyTries
	}
	test.Scored, test.Scores = wantedScores(c)
	if f.Property.Name == invariants.PreemptionWrites().Name {
		test.Writes = wantedWrites(c)
	}
	if len(test.Outcomes)+len(test.Statuses)+len(test.Scores)+len(test.Writes) == 0 {
		return nil, false
	}
	var source bytes.Buffer
	if err := texttemplate.Must(texttemplate.New("").Parse(goTestTemplate)).Execute(&source, test); err != nil {
		panic(fmt.Sprintf("report: the template of the Go test: %v", err)) // it is ours
	}
	text, err := format.Source(source.Bytes())
	if err != nil {
		panic(fmt.Sprintf("report: the Go test of %s is not Go: %v\n%s", f.ID, err, source.Bytes()))
	}
	return text, true
}

// configurationText returns the KubeSchedulerConfiguration of a finding.
func (r *Run) configurationText(f *decisions.Finding) string {
	if configuration := r.configurationOf(f); len(configuration) > 0 {
		return strings.TrimSpace(string(configuration)) + "\n"
	}
	return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
}

// wantedOutcomes returns what may become of the pod, in the words of the test, if kube-scheduler may do otherwise.
// What is wanted of a finding that is by design is the least damage.
func wantedOutcomes(f *decisions.Finding) []string {
	c := f.Example.Case
	wanted := c.Expected.Outcomes
	if f.Class == decisions.ByDesign {
		wanted = nil
		for _, ideal := range c.Expected.Ideal {
			wanted = append(wanted, spec.Outcome{Type: spec.Preempt, Node: ideal.Node, Victims: ideal.Victims})
		}
	}
	if len(c.Unmodelled) > 0 || len(wanted) == 0 || c.Expected.Unlisted != nil {
		return nil
	}
	allowed := func(o spec.Outcome) bool { return slices.ContainsFunc(wanted, o.Equal) }
	if c.Decision.Failure == "" &&
		!slices.ContainsFunc(c.Decision.Outcomes, func(o spec.Outcome) bool { return !allowed(o) }) {
		return nil
	}
	var words []string
	for _, o := range wanted {
		words = append(words, goOutcome(c.Question, o))
	}
	return words
}

// goOutcome puts an outcome in the words of the test.
func goOutcome(q spec.Question, o spec.Outcome) string {
	switch {
	case o.Type == spec.Bind:
		return "bind to " + q.Snapshot.Nodes[o.Node].Name
	case o.Type == spec.Preempt:
		var evicted []string
		for _, victim := range o.Victims {
			if victim.DeletionTimestamp == nil { // who terminates already is not deleted once more
				evicted = append(evicted, name(victim))
			}
		}
		if slices.Sort(evicted); len(evicted) == 0 {
			evicted = []string{"nobody"}
		}
		return "nominate to " + q.Snapshot.Nodes[o.Node].Name + ", evicting " + strings.Join(evicted, ", ")
	case q.Pod.Status.NominatedNodeName == "":
		return "wait"
	case o.KeepsNomination:
		return "wait and keep the nomination"
	default:
		return "wait and lose the nomination"
	}
}

// wantedWrites returns what a preemption is to write, in the words of the test: deletions, and nominations that are
// cleared.
func wantedWrites(c *invariants.Case) []string {
	writes := []string{}
	for _, w := range c.WantedWrites(c.Decision.Outcomes[0]) {
		switch {
		case w.Verb == "delete":
			writes = append(writes, "delete "+name(w.Pod))
		case slices.Contains(w.Fields, "nominatedNodeName"):
			writes = append(writes, "clear the nomination of "+name(w.Pod))
		}
	}
	slices.Sort(writes)
	return writes
}

// wantedVerdicts returns the verdicts that kube-scheduler does not give.
func wantedStatuses(c *invariants.Case) []wantedStatus {
	var wanted []wantedStatus
	for f, plugin := range c.Decision.Filters {
		for n, node := range c.Decision.Nodes {
			switch want := modelStatus(c, plugin, n, node.Statuses[f]); want {
			case "":
			case "unschedulable or unresolvable":
				wanted = append(wanted, wantedStatus{plugin, nodeNames(c)[n], "unschedulable or unresolvable"})
			default:
				wanted = append(wanted, wantedStatus{plugin, nodeNames(c)[n], want})
			}
		}
	}
	return wanted
}

// wantedScores returns the scores that kube-scheduler does not give, if it scores the nodes that it should.
func wantedScores(c *invariants.Case) (scored []string, wanted []wantedScore) {
	if len(c.Unmodelled) > 0 {
		return nil, nil
	}
	for n, node := range c.Decision.Nodes {
		if (node.Scores != nil) != (c.Expected.Nodes[n].Scores != nil) {
			return nil, nil
		}
		if node.Scores == nil {
			continue
		}
		scored = append(scored, nodeNames(c)[n])
		for r, plugin := range c.Expected.ScorePlugins {
			got, want := node.Scores[slices.Index(c.Decision.ScorePlugins, plugin)].Value,
				c.Expected.Nodes[n].Scores[r].Value
			if got != want {
				wanted = append(wanted, wantedScore{plugin, nodeNames(c)[n], want})
			}
		}
	}
	return scored, wanted
}

// complete returns the objects of the snapshot as the API server has them, one YAML document each: no admission is
// to follow. What makes no difference to a scheduler is left out.
func complete(s *spec.Snapshot) string {
	list := manifests(s)
	notReady := slices.ContainsFunc(s.Nodes, func(node *v1.Node) bool {
		return slices.ContainsFunc(
			node.Spec.Taints,
			func(t v1.Taint) bool { return t.Effect == v1.TaintEffectNoExecute },
		)
	})
	var documents []string
	for _, item := range list.Items {
		fields := item.(map[string]any)
		metadata := fields["metadata"].(map[string]any)
		switch fields["kind"] {
		case "PriorityClass", "Pod": // pods follow, with their priority in the spec
			continue
		case "PersistentVolumeClaim": // volumes that are reserved for it may say its uid
			i := slices.IndexFunc(s.PersistentVolumeClaims, func(c *v1.PersistentVolumeClaim) bool {
				return c.Namespace == metadata["namespace"] && c.Name == metadata["name"]
			})
			metadata["uid"] = string(s.PersistentVolumeClaims[i].UID)
		}
		documents = append(documents, yamlOf(fields))
	}
	for _, pod := range s.Pods {
		documents = append(documents, yamlOf(completePod(pod, notReady)))
	}
	return strings.Join(documents, "---\n")
}

// completePod returns the pod with its priority, and with the tolerations that every pod has if they can matter.
func completePod(pod *v1.Pod, notReady bool) map[string]any {
	short := newPod(pod, "")
	short.UID = model.PodUID(pod.Namespace, pod.Name)
	short.OwnerReferences = pod.OwnerReferences
	short.Spec.Priority, short.Spec.PreemptionPolicy, short.Spec.SchedulerName = pod.Spec.Priority,
		pod.Spec.PreemptionPolicy, pod.Spec.SchedulerName
	if notReady {
		short.Spec.Tolerations = pod.Spec.Tolerations
	}
	return manifest("v1", "Pod", short)
}

// yamlOf writes an object in YAML.
func yamlOf(fields any) string {
	var text strings.Builder
	if err := YAML(&text, fields); err != nil {
		panic(fmt.Sprintf("report: an object cannot be written: %v", err)) // it was read from JSON
	}
	return text.String()
}

// goRaw makes the text fit for a raw string of Go, which is interrupted for what no raw string can have.
func goRaw(text string) string {
	var raw strings.Builder
	for len(text) > 0 {
		_, size := utf8.DecodeRuneInString(text)
		if part := text[:size]; part == "\n" || strconv.CanBackquote(part) {
			raw.WriteString(part)
		} else {
			raw.WriteString("`+" + strconv.Quote(part) + "+`")
		}
		text = text[size:]
	}
	return raw.String()
}

// camel makes a Go name of an id: outcome-conforms/new becomes OutcomeConformsNew.
func camel(id string) string {
	var words strings.Builder
	for _, word := range strings.FieldsFunc(id,
		func(c rune) bool { return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') }) {
		words.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return words.String()
}

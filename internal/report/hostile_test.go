package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// hostile are strings that mean something to who reads an output, or break what holds them.
func hostile() []string {
	return []string{
		"\x00\x01\x08\x0b\x1f", "\x1b[2J\x1b]0;title\x07", "\x7f", "\u0085\u009b31m", "\xff\xc0\x80\xed\xa0\x80",
		"\u2028\u2029",
		"</script><script>alert(1)</script>", "<!-- ]]> <![CDATA[", `"`, "'", "`", "```\n# x", `\`, "&amp;", "%s%!d",
		"\nverdict: holds\n", "\r\n---\r\n", "\t", "\u202e\u2066", "\ufeff\ufffe\uffff", "\U000e0041\U0010ffff",
		"{{.}}", "${x}", ": # - [", "*/", "../../x", " ", strings.Repeat("long ", 200), strings.Repeat("x", 5000),
	}
}

// FuzzOutputs: whatever the strings of API objects are, every output is what it is to be, to a strict parser, and
// text has no control characters but the ends of lines.
func FuzzOutputs(f *testing.F) {
	for _, text := range hostile() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, of := range []struct {
			scenario *model.Scenario
			bug      func(q spec.Question, d *spec.Decision)
		}{
			{small(), blindFilter}, {full(), greedyPreemption},
			{full(), func(_ spec.Question, d *spec.Decision) { *d = spec.Decision{Failure: "panic: " + text} }},
		} {
			run := explored(t, t.Context(), of.bug, spoilt(t, crowded(of.scenario), text))
			run.Scope.Files, run.Scope.Scenario = []string{text}, text
			run.Notes, run.NotRead = []string{"note: " + text}, []string{"not read: " + text}
			run.Configuration = []byte("# " + text)
			for i := range run.Result.Findings {
				f := &run.Result.Findings[i]
				f.ID += text
				f.Property.Doc += text
				f.Example.Reasons = append(f.Example.Reasons, text)
			}
			for i := range run.Result.Properties {
				run.Result.Properties[i].Name += text
				run.Result.Properties[i].Doc += text
			}
			outputsOf(t, run)
			loopOutputsOf(t, run, text)
			for i := range run.Result.Findings {
				filesOf(t, run, &run.Result.Findings[i])
				explanationOf(t, run, &run.Result.Findings[i])
			}
		}
	})
}

// crowded adds to a scenario what reports tell of.
func crowded(s *model.Scenario) *model.Scenario {
	for i := range s.Nodes {
		node := s.Nodes[i].Node
		node.Labels["disk"] = "ssd"
		node.Annotations = map[string]string{"note": "n"}
		node.Spec.Taints = []v1.Taint{{Key: "soft", Value: "v", Effect: v1.TaintEffectPreferNoSchedule}}
		node.Status.Images = []v1.ContainerImage{{Names: []string{"image"}, SizeBytes: 1 << 30}}
		node.Status.DeclaredFeatures = []string{"Feature"}
	}
	for i := range s.Pods {
		pod := s.Pods[i].Pod
		pod.Labels, pod.Annotations = map[string]string{"app": "web"}, map[string]string{"note": "n"}
		pod.Spec.Containers[0].Image = "image"
		pod.Spec.NodeSelector = map[string]string{"disk": "ssd"}
		pod.Spec.Tolerations = []v1.Toleration{{Key: "soft", Value: "v", Operator: v1.TolerationOpEqual}}
		pod.Spec.Volumes = []v1.Volume{{Name: "data", VolumeSource: v1.VolumeSource{
			PersistentVolumeClaim: &v1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
		pod.Spec.Containers[0].Ports = []v1.ContainerPort{{HostPort: 80, ContainerPort: 80, HostIP: "127.0.0.1"}}
		pod.Spec.Containers[0].Env = []v1.EnvVar{{Name: "n", Value: "v"}}
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{{Weight: 1,
				PodAffinityTerm: v1.PodAffinityTerm{TopologyKey: "zone", Namespaces: []string{"default"},
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}}}}
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "zone",
			WhenUnsatisfiable: v1.ScheduleAnyway,
			LabelSelector:     &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}
	}
	return s
}

// spoilt appends a text to every string that has no type of its own, the same everywhere: so what refers to something
// still does.
func spoilt(t *testing.T, s *model.Scenario, text string) *model.Scenario {
	t.Helper()
	s.Name, s.Doc = s.Name+text, s.Doc+text
	changed := 0
	for i := range s.Nodes {
		s.Nodes[i].Name += text
		changed += spoil(reflect.ValueOf(s.Nodes[i].Node), text)
	}
	for i := range s.Pods {
		s.Pods[i].Name += text
		changed += spoil(reflect.ValueOf(s.Pods[i].Pod), text)
	}
	if changed < 40 {
		t.Fatalf("only %d strings were changed", changed)
	}
	return s
}

// spoil returns how many strings it changed.
func spoil(v reflect.Value, text string) (changed int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return spoil(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			// An empty one may say by that what it says: no node, the first profile.
			if field := v.Field(i); field.CanSet() && !(field.Kind() == reflect.String && field.Len() == 0) {
				changed += spoil(field, text)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			changed += spoil(v.Index(i), text)
		}
	case reflect.Map:
		if v.Type() != reflect.TypeFor[map[string]string]() {
			return 0
		}
		for _, key := range v.MapKeys() {
			value := v.MapIndex(key).String()
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(reflect.ValueOf(key.String()+text), reflect.ValueOf(value+text))
			changed += 2
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(v.String() + text)
			return 1
		}
	}
	return changed
}

// outputsOf writes a run in every way.
func outputsOf(t *testing.T, run *Run) {
	t.Helper()
	for _, verbose := range []bool{false, true} {
		run.Verbose = verbose
		harmless(t, "text", written(t, run, Text))
	}
	asJSON := written(t, run, JSON)
	strictJSON(t, "JSON", asJSON)
	strictYAML(t, "YAML", written(t, run, AsYAML(JSON)), asJSON)
	strictJSON(t, "SARIF", written(t, run, SARIF))
	strictXML(t, written(t, run, JUnit))
}

// loopOutputsOf writes what could have been found by stepping the scheduler as a whole.
func loopOutputsOf(t *testing.T, run *Run, text string) {
	t.Helper()
	steps := &LoopRun{KubernetesVersion: "v1", Spec: run.Spec, Notes: run.Notes, NotRead: run.NotRead}
	for i := range run.Result.Findings {
		example := &run.Result.Findings[i].Example
		if len(example.Stages) == 0 {
			continue
		}
		cluster := example.Stages[0].Cluster
		scope := &loop.Scope{Name: text, Initial: []*spec.Snapshot{cluster}, Configuration: []byte("# " + text)}
		steps.Results = append(steps.Results, &loop.Result{
			Scope: scope, Result: run.Result.Scenarios[0].Result,
			Untold: []loop.Finding{{Property: loop.Properties()[0], About: text}},
			Findings: []loop.Finding{{Property: loop.Properties()[0], About: text, But: text, Flushed: text,
				Scope: scope, Initial: cluster, Last: &loop.Transition{After: &loop.State{Queue: []loop.Queued{{
					Pod: text, Queues: []loop.QueueName{loop.Unschedulable}, Rejectors: []string{text}}}}}}},
		})
	}
	harmless(t, "text of the loop", written(t, steps, LoopText))
	asJSON := written(t, steps, LoopJSON)
	strictJSON(t, "JSON of the loop", asJSON)
	strictYAML(t, "YAML of the loop", written(t, steps, AsYAML(LoopJSON)), asJSON)
}

// explanationOf explains the decision of a finding.
func explanationOf(t *testing.T, run *Run, f *decisions.Finding) {
	t.Helper()
	if f.Example.Case == nil {
		return
	}
	e := &Explanation{Spec: run.Spec, Notes: run.Notes, NotRead: run.NotRead, Extenders: run.Notes,
		Cases: []*invariants.Case{f.Example.Case}, Findings: [][]decisions.Finding{{*f}}}
	for _, verbose := range []bool{false, true} {
		e.Verbose = verbose
		harmless(t, "explanation", written(t, e, ExplainText))
	}
	asJSON := written(t, e, ExplainJSON)
	strictJSON(t, "JSON of the explanation", asJSON)
	strictYAML(t, "YAML of the explanation", written(t, e, AsYAML(ExplainJSON)), asJSON)
}

// filesOf looks at each file that is saved of a finding.
func filesOf(t *testing.T, run *Run, f *decisions.Finding) {
	t.Helper()
	if folder := Folder(f); strings.ContainsAny(folder, "/\\\x00\n") || folder == "." || folder == ".." {
		t.Errorf("the folder is called %q", folder)
	}
	for _, file := range run.Files(f) {
		switch file.Name {
		case ConfigurationFile: // as the user wrote it
		case ClusterFile, kubectlObjects, kubectlPods, kubectlPod:
			for document := range strings.SplitSeq(string(file.Content), "\n---\n") {
				var object struct {
					Kind     string
					Metadata metav1.ObjectMeta
				}
				if err := yaml.UnmarshalStrict([]byte(document), &object); object.Kind == "" {
					t.Errorf("%s: a document is no object: %v\n%s", file.Name, err, document)
				}
			}
			noControl(t, file.Name, file.Content)
		case GoTestFile:
			if _, err := parser.ParseFile(token.NewFileSet(), file.Name, file.Content, parser.AllErrors); err != nil {
				t.Errorf("%s: %v\n%s", file.Name, err, file.Content)
			}
		case BugReportFile, KubectlScript:
			harmless(t, file.Name, file.Content)
		default:
			strictJSON(t, file.Name, file.Content)
		}
	}
}

func written[T any](t *testing.T, document T, write func(io.Writer, T) error) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text, document); err != nil {
		t.Errorf("it is not written: %v", err)
	}
	return text.Bytes()
}

// harmless holds that a terminal does nothing but show the text, and that no line of it is one of the input's.
func harmless(t *testing.T, what string, text []byte) {
	t.Helper()
	if !utf8.Valid(text) {
		t.Errorf("%s is not UTF-8: %q", what, text)
	}
	if i := bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%s has a control character: %q", what, text[max(0, i-40):min(len(text), i+40)])
	}
	if bytes.Contains(text, []byte("\nverdict: holds\n")) || bytes.Contains(text, []byte("\n# x")) {
		t.Errorf("%s has a line that the input made:\n%s", what, text)
	}
}

func strictJSON(t *testing.T, what string, text []byte) {
	t.Helper()
	noControl(t, what, text)
	if bytes.IndexFunc(text, func(r rune) bool { return r <= '\uffff' && r != '\n' && !unicode.IsPrint(r) }) >= 0 {
		t.Errorf("%s has a character that nobody sees", what)
	}
	if !json.Valid(text) {
		t.Errorf("%s is not JSON:\n%s", what, text)
	}
}

// strictYAML holds that the document is what it is in JSON.
func strictYAML(t *testing.T, what string, text, asJSON []byte) {
	t.Helper()
	noControl(t, what, text)
	var got, want any
	converted, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		t.Errorf("%s: %v", what, err)
		return
	}
	if err := errors.Join(json.Unmarshal(converted, &got), json.Unmarshal(asJSON, &want)); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s is another document than the JSON (-JSON +YAML):\n%s", what, diff)
	}
}

// noControl holds of YAML, whose unquoted strings have no escapes, that no character does anything.
func noControl(t *testing.T, what string, text []byte) {
	t.Helper()
	if i := bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }); i >= 0 ||
		!utf8.Valid(text) {
		t.Errorf("%s has a control character: %q", what, text[max(0, i-40):])
	}
}

func strictXML(t *testing.T, text []byte) {
	t.Helper()
	harmless(t, "JUnit", text)
	decoder := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := decoder.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("JUnit is not XML: %v\n%s", err, text)
			return
		}
	}
}

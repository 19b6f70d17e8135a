package deviations_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// classes are the classes that quirks and deviations between decisions have, by name.
func classes() map[string]spec.Class {
	all := map[string]spec.Class{}
	for _, q := range spec.Quirks() {
		all[q.Name] = q.Class
	}
	for _, e := range deviations.Between() {
		all[e.Defect.Name] = e.Defect.Class
	}
	return all
}

// TestEvidence: each deviation has its evidence with every field, no evidence is without a deviation, and both say the
// same class.
func TestEvidence(t *testing.T) {
	var want []string
	for _, name := range deviations.Names() {
		want = append(want, root(deviations.EvidenceFile(name)))
		e, known := deviations.EvidenceOf(name)
		if !known {
			t.Errorf("%s has no evidence: %s is missing", name, deviations.EvidenceFile(name))
			continue
		}
		if class := classes()[name]; class != e.Class {
			t.Errorf("%s is %q in the code and %q in its evidence", name, class, e.Class)
		}
	}
	got, err := filepath.Glob(root("testdata/deviations/evidence/*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-deviations +files):\n%s", diff)
	}
}

// TestMissingField: evidence without one of its fields, or with what nobody can check, is refused.
func TestMissingField(t *testing.T) {
	text, err := os.ReadFile(root(deviations.EvidenceFile("rwop-namespace")))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := deviations.ParseEvidence(text); err != nil {
		t.Fatalf("as it is: %v", err)
	}
	for _, row := range []struct{ reason, remove, put, want string }{
		{"no class", `(?m)^class: .*\n`, "", "class is"},
		{"a class that is none", `(?m)^class: .*`, "class: known", "class is"},
		{"no symptom", `(?m)^symptom: .*\n`, "", "symptom is missing"},
		{"no words", `(?m)^  words:\n  - .*\n`, "", "search.words is missing"},
		{"no basis", `(?m)^  basis: .*\n`, "", "norm.basis is"},
		{"no sentence", `(?m)^  text: .*\n`, "", "needs 1 to 25 words (it has 0)"},
		{"a long quotation", `text: claimName`, "text: " + strings.Repeat("word ", 25) + "claimName",
			"needs 1 to 25 words (it has 42)"},
		{"no place", `(?m)^  source: k8s.*\n`, "", "where and source"},
		{"no function", `(?m)^  function: .*\n`, "", "cause.function is missing"},
		{"no cost", `(?m)^  cost: (.|\n)*?reachable`, "reachable", "impact.cost is missing"},
		{"reported by nobody", `(?m)^class: .*\nsymptom: (.*)\nupstream:\n(- |  ).*\n  state.*\n  says.*\n`,
			"class: reported\nsymptom: $1\n", "upstream names no issue"},
		{"an issue without a number", `kubernetes/kubernetes#114051`, "kubernetes", "upstream[0] needs a number"},
		{"a field that there is not", `(?m)^class: `, "sort: a\nclass: ", "unknown field"},
	} {
		changed := regexp.MustCompile(row.remove).ReplaceAll(text, []byte(row.put))
		if string(changed) == string(text) {
			t.Errorf("%s: nothing was changed", row.reason)
		}
		if _, err := deviations.ParseEvidence(changed); err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v, want it to say %q", row.reason, err, row.want)
		}
	}
}

// TestQuotes: what is quoted of a Go file of the module graph stands there, word for word.
func TestQuotes(t *testing.T) {
	seen := 0
	for _, name := range deviations.Names() {
		e, _ := deviations.EvidenceOf(name)
		for _, q := range append(slices.Clone(e.Also), e.Norm.Quote) {
			module, file, isGo := cutModule(q.Source)
			if !isGo {
				if q.Source != "" && !strings.HasPrefix(q.Source, "https://") {
					t.Errorf("%s: the source %q is no URL and no Go file of Kubernetes", name, q.Source)
				}
				continue
			}
			seen++
			if !quoted(t, filepath.Join(directory(t, module), file), q.Text) {
				t.Errorf("%s: %s does not say %q", name, q.Source, q.Text)
			}
		}
	}
	if seen < 30 {
		t.Errorf("%d quotations of Go files were looked up", seen)
	}
	if quoted(t, filepath.Join(directory(t, "k8s.io/api"), "core/v1/types.go"), "claimName is what nobody wrote") {
		t.Error("a sentence that nobody wrote is found")
	}
}

func cutModule(source string) (module, file string, isGo bool) {
	parts := strings.SplitN(source, "/", 3)
	if len(parts) != 3 || parts[0] != "k8s.io" || !strings.HasSuffix(source, ".go") {
		return "", "", false
	}
	return parts[0] + "/" + parts[1], parts[2], true
}

var directories = map[string]string{}

func directory(t *testing.T, module string) string {
	t.Helper()
	if directories[module] == "" {
		dir, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", module).Output()
		if err != nil {
			t.Fatalf("looking up %s: %v", module, err)
		}
		directories[module] = strings.TrimSpace(string(dir))
	}
	return directories[module]
}

// quoted reports whether the comments of the file say the text, however it is broken into lines.
func quoted(t *testing.T, file, text string) bool {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	fold := func(text string) string {
		return strings.Join(strings.Fields(regexp.MustCompile(`(?m)^\s*//`).ReplaceAllString(text, " ")), " ")
	}
	return strings.Contains(fold(string(source)), fold(text))
}

// TestUpstream: where the code names an issue, it is the foremost of the evidence.
func TestUpstream(t *testing.T) {
	upstream := map[string]string{}
	for _, q := range spec.Quirks() {
		upstream[q.Name] = q.Upstream
	}
	for _, e := range deviations.Between() {
		upstream[e.Defect.Name] = e.Defect.Upstream
	}
	for _, name := range deviations.Names() {
		e, _ := deviations.EvidenceOf(name)
		switch said := upstream[name]; {
		case e.Class == spec.Unconfirmed && !strings.HasPrefix(said, "not reported"):
			t.Errorf("%s is unconfirmed, and yet %q", name, said)
		case e.Class == spec.Reported && !strings.Contains(said, e.Upstream[0].Number):
			t.Errorf("%s: %q does not name %s", name, said, e.Upstream[0].Number)
		}
	}
}

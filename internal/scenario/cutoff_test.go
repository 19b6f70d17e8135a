package scenario_test

import (
	"errors"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// TestCutOff: an input that ends anywhere, in the middle of a name, too, is read, or refused with file and line.
func TestCutOff(t *testing.T) {
	asJSON, err := yaml.YAMLToJSON([]byte(liveList))
	if err != nil {
		t.Fatal(err)
	}
	names := `%YAML 1.1
%TAG !e! tag:example.com,2026:
---
apiVersion: v1
kind: "Node" # a name
metadata: &anchor {name: !!str "nö\u00fcde\x41", 'label''s': {}}
"spec": !e!type
  ? unschedulable
  : !<tag:yaml.org,2002:bool> false
status:
  allocatable: &a {cpu: 1, <<: *a}
  x: *anchor
  y: |+2
    text
  z: >-
    text
`
	for name, input := range map[string]string{"JSON": string(asJSON), "YAML": liveList, "names": names} {
		refused := 0
		for n := range len(input) {
			_, err := scenario.Read([]string{"-"}, strings.NewReader(input[:n]), admission.Admit)
			if err == nil {
				continue
			}
			refused++
			var wrong *scenario.Error
			ofTheWhole := strings.Contains(err.Error(), "it is empty") || strings.Contains(err.Error(), "there is no Node")
			if !errors.As(err, &wrong) || wrong.Source.File != "-" || wrong.Source.Line == 0 && !ofTheWhole {
				t.Errorf("%s that ends with %q: %v", name, input[max(0, n-40):n], err)
			}
		}
		if refused < 10 {
			t.Errorf("%s: only %d were refused", name, refused)
		}
	}
}

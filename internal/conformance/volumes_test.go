package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestVolumes: production decides what the model allows on clusters full of volumes, whatever the state of claims
// and volumes, or quirks explain the whole decision. The log says how often each filter let a node pass and
// rejected one, and which quirks explained how many decisions.
func TestVolumes(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	questions := generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 3, Only: []generate.Group{generate.Volumes}})
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		q := drawn(t, questions.Draw(t, "question"))
		if generate.LeftToChance(q) {
			seen["left out, as production draws lots"]++
			return
		}
		seen["asked"]++
		answer := c.ask(q)
		overlookNotFound(withVolumes{t, q}, answer)
		everything := c.with(defects()...)
		if answer.Decision.InternalError != "" && !everything.model.KeepsNomination(q.Pod, q.Snapshot) {
			t.Fatalf("internal error: %s", answer.Decision.InternalError)
		}
		if len(breaches(answer)) > 0 {
			quirks := c.explain(q, answer.Decision)
			if quirks == nil {
				t.Log("all quirks together do not explain it:")
				check(withVolumes{t, q}, everything.compare(q, answer.Decision))
			}
			for _, quirk := range quirks {
				seen["explained by "+quirk.Name]++
			}
			seen[fmt.Sprintf("explained by %d quirks", len(quirks))]++
		}
		tally(seen, answer)
	})
	for _, what := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s", seen[what], what)
	}
}

// overlookNotFound takes away the error that production logs exactly when it turns a pod away before it looks at any
// node: DynamicResources then finds nothing of its own in PostFilter, and no plugin after it is asked. What comes of
// that is the defect turned-away-keeps-nomination.
func overlookNotFound(t fatal, c *invariants.Case) {
	t.Helper()
	turnedAway := c.Spec.Profile.VolumesTurnAway(c.Question.Pod, c.Question.Snapshot)
	if found := c.Decision.InternalError == "not found"; found != turnedAway {
		t.Fatalf("internal error %q, and turned away before any node: %t", c.Decision.InternalError, turnedAway)
	} else if found {
		c.Decision.InternalError = ""
	}
}

// tally counts the questions in which each filter lets some node pass and rejects some node, and what becomes of
// the pod.
func tally(seen map[string]int, c *invariants.Case) {
	for f, plugin := range c.Expected.Filters {
		says := map[bool]bool{}
		for _, n := range c.Expected.Nodes {
			says[n.Statuses[f].Holds] = true
		}
		for holds := range says {
			seen[fmt.Sprintf("%s: holds %t", plugin, holds)]++
		}
	}
	for _, claim := range waiting(c.Question) {
		for _, node := range c.Question.Snapshot.Nodes {
			seen[fmt.Sprintf("a claim waits, is matched on the node: %t",
				len(spec.Matching(claim, node, c.Question.Snapshot)) > 0)]++
			seen[fmt.Sprintf("a claim waits, is provisionable on the node: %t",
				spec.Provisionable(claim, node, c.Question.Snapshot))]++
		}
	}
	if c.Decision.Failure != "" {
		seen["no decision"]++
		return
	}
	seen["outcome: "+c.Decision.Outcomes[0].Type.String()]++
}

// withVolumes fails with the volume objects of the question besides.
type withVolumes struct {
	fatal
	q spec.Question
}

func (w withVolumes) Fatalf(format string, args ...any) {
	w.Helper()
	text := fmt.Sprintf(format, args...)
	for _, object := range volumeObjects(w.q.Snapshot) {
		line, err := json.Marshal(object)
		if err != nil {
			panic(err) // API objects can be marshalled
		}
		text += fmt.Sprintf("%T %s\n", object, line)
	}
	w.fatal.Fatalf("%s", text)
}

func volumeObjects(s *spec.Snapshot) []runtime.Object {
	var objects []runtime.Object
	for _, o := range s.StorageClasses {
		objects = append(objects, o)
	}
	for _, o := range s.PersistentVolumes {
		objects = append(objects, o)
	}
	for _, o := range s.PersistentVolumeClaims {
		objects = append(objects, o)
	}
	for _, o := range s.CSINodes {
		objects = append(objects, o)
	}
	for _, o := range s.VolumeAttachments {
		objects = append(objects, o)
	}
	return objects
}

// admittedVolumes takes the question's objects through the API server's defaulting, admission and validation,
// volumes included.
func admittedVolumes(t fatal, q spec.Question) spec.Question {
	t.Helper()
	drawn := volumeObjects(q.Snapshot)
	q = admitted(t, q)
	objects, errs := admission.Admit(drawn)
	s := *q.Snapshot
	s.StorageClasses, s.PersistentVolumes, s.PersistentVolumeClaims, s.CSINodes, s.VolumeAttachments = nil, nil, nil,
		nil, nil
	for i, object := range objects {
		if len(errs[i]) > 0 {
			t.Fatalf("the API server would refuse %T: %s", object, errs[i].ToAggregate())
		}
		switch o := object.(type) {
		case *storagev1.StorageClass:
			s.StorageClasses = append(s.StorageClasses, o)
		case *v1.PersistentVolume:
			s.PersistentVolumes = append(s.PersistentVolumes, o)
		case *v1.PersistentVolumeClaim:
			s.PersistentVolumeClaims = append(s.PersistentVolumeClaims, o)
		case *storagev1.CSINode:
			s.CSINodes = append(s.CSINodes, o)
		case *storagev1.VolumeAttachment:
			s.VolumeAttachments = append(s.VolumeAttachments, o)
		}
	}
	return spec.Question{Pod: q.Pod, Snapshot: &s}
}

package upgrade_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/internal/upgrade"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// earlier is the release that the programs of these tests say they are. They are this test, and decide as this
// kube-scheduler does, but for the planted bug.
const earlier = "v1.35.4"

// planted names what the program is to do otherwise.
const planted = "MODELCHECK_TEST_SERVES"

func TestMain(m *testing.M) {
	does, serves := os.LookupEnv(planted)
	if !serves {
		os.Exit(m.Run())
	}
	err := upgrade.Serve(os.Stdin, os.Stdout, map[bool]string{true: "v1.2.3", false: earlier}[does == "other release"],
		func(any) bool { return false }, func(upgrade.Configuration) (upgrade.Side, error) {
			k, err := scheduler()
			if err != nil {
				return nil, err
			}
			return upgrade.Local(earlier, liar{k, does}, newest(k)), nil
		})
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// liar decides otherwise than kube-scheduler.
type liar struct {
	*kube
	does string
}

// Decide implements decisions.Decider.
func (l liar) Decide(q spec.Question) *spec.Decision {
	switch l.does {
	case "dies":
		os.Exit(7)
	case "turns away":
		d := l.kube.Decide(q)
		if d.Outcomes[0].Type == spec.Bind && q.Pod.Labels["app"] != "" {
			d.Outcomes = []spec.Outcome{{Type: spec.Wait, Node: -1}}
		}
		return d
	}
	return l.kube.Decide(q)
}

// kube is kube-scheduler with the model of its profile.
type kube struct {
	*production.Profiles
	profile *spec.Profile
}

func scheduler() (*kube, error) {
	config, err := production.DefaultConfig()
	if err != nil {
		return nil, err
	}
	name := config.Profiles()[0]
	profile, err := config.Spec(name)
	if err != nil {
		return nil, err
	}
	profiles, err := production.NewProfiles(context.Background(), config, name, production.Options{})
	return &kube{profiles, profile}, err
}

func newest(k *kube) *spec.Scheduler { return spec.New(k.profile) }

// started starts a program that does something otherwise.
func started(t *testing.T, does string) (upgrade.Side, error) {
	t.Helper()
	return upgrade.Start(context.Background(), earlier, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, os.Args[0])
		cmd.Env = append(os.Environ(), planted+"="+does)
		return cmd
	}, upgrade.Configuration{}, io.Discard)
}

func options(t *testing.T, does string) upgrade.Options {
	t.Helper()
	k, err := scheduler()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = k.Close() }()
	return upgrade.Options{
		Spec: newest(k),
		New: func() (upgrade.Explorer, upgrade.Side, upgrade.Side, error) {
			k, err := scheduler()
			if err != nil {
				return nil, nil, nil, err
			}
			from, err := started(t, does)
			return k, from, upgrade.Local(production.KubernetesVersion, k, newest(k)), err
		},
		Explore: decisions.Options{Workers: 2},
	}
}

// TestRemote: over the pipe a decision is the same as in process, whatever is asked.
func TestRemote(t *testing.T) {
	k, err := scheduler()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = k.Close() }()
	remote, err := started(t, "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remote.Close() }()
	local := upgrade.Local(production.KubernetesVersion, k, newest(k))
	rapid.Check(t, func(t *rapid.T) {
		q, err := generate.Admitted(generate.DrawQuestion(generate.Scope{Nodes: 3, Pods: 5}).Draw(t, "question"),
			admission.Admit)
		if err != nil || generate.LeftToChance(q) {
			t.Skip("not comparable")
		}
		answer := remote.Ask(q)
		want, got := local.Ask(q)(), answer()
		if remote.Err() != nil {
			t.Fatal(remote.Err())
		}
		if d := upgrade.Differences(q, got, want); len(d) > 0 {
			t.Fatalf("%+v", d)
		}
		if len(remote.Unread()) > 0 {
			t.Fatalf("not read: %v", remote.Unread())
		}
		ids := func(found []upgrade.Finding) (all []string) {
			for _, f := range found {
				all = append(all, f.ID)
			}
			return all
		}
		if a, b := ids(remote.Explain()), ids(local.Explain()); !slices.Equal(a, b) {
			t.Fatalf("explained by %v over the pipe, by %v in process", a, b)
		}
	})
	m, err := scenario.Decode("urgent.yaml", []byte(urgent), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	q := audit.Questions(s, 0)[0].Question
	got := remote.Ask(q)()
	if o := got.Outcomes[0]; o.Type != spec.Preempt || len(o.Victims) != 1 || o.Victims[0].Name != "placed" {
		t.Errorf("the urgent pod preempts nobody: %+v", got.Outcomes)
	}
	if d := upgrade.Differences(q, got, local.Ask(q)()); len(d) > 0 {
		t.Errorf("%+v", d)
	}
}

const urgent = `
apiVersion: v1
kind: Node
metadata: {name: node}
status: {allocatable: {cpu: "1", pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: placed}
spec: {nodeName: node, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 10
---
apiVersion: v1
kind: Pod
metadata: {name: waits}
spec: {priorityClassName: high, containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
`

// TestRun: what one release decides otherwise is found, with the smallest cluster and its class, for any number of
// workers.
func TestRun(t *testing.T) {
	theme, err := scenario.Theme("resources", 2, model.Actions{Arrivals: 2, Preempt: true}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	for i := range theme.Pods {
		theme.Pods[i].Pod.Labels = map[string]string{"app": "web"}
	}
	same, err := upgrade.Run(context.Background(), []*model.Scenario{theme}, options(t, ""))
	if err != nil {
		t.Fatal(err)
	}
	if same.Asked == 0 || same.Differ > 0 || len(same.Groups) > 0 {
		t.Errorf("of %d decisions %d differ: %v", same.Asked, same.Differ, same.Groups)
	}
	var before *upgrade.Result
	for _, workers := range []int{1, 2} {
		o := options(t, "turns away")
		o.Explore.Workers = workers
		got, err := upgrade.Run(context.Background(), []*model.Scenario{theme}, o)
		if err != nil {
			t.Fatal(err)
		}
		if !got.Unexplained() || got.Otherwise == 0 || got.Otherwise != got.Differ || got.Asked != same.Asked {
			t.Errorf("of %d decisions %d differ, %d end otherwise: %v", got.Asked, got.Differ, got.Otherwise, got.Groups)
		}
		e := got.Groups[0].Example
		if n := len(e.Question.Snapshot.Nodes); n != 1 || len(e.Question.Snapshot.Pods) != 1 {
			t.Errorf("the smallest cluster has %d nodes and %d pods", n, len(e.Question.Snapshot.Pods))
		}
		if before != nil && (before.Differ != got.Differ || before.Groups[0].Cause != got.Groups[0].Cause ||
			before.Groups[0].Example.Question.Pod.Name != e.Question.Pod.Name) {
			t.Errorf("with %d workers another result", workers)
		}
		before = got
	}
}

// TestCluster: of a cluster the pods are named that would be placed otherwise.
func TestCluster(t *testing.T) {
	m, err := scenario.Decode("cluster.yaml", []byte(cluster), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Snapshot()
	got, err := upgrade.Cluster(context.Background(), s, audit.Questions(s, -1), options(t, "turns away"))
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Cluster; c.Pods != 3 || c.Asked != 3 || len(c.Otherwise) != 2 || len(c.Otherwise[0].Pods) != 1 {
		t.Errorf("got %+v", c)
	}
	want := "2 of 3 pods would be placed otherwise: 2 unexplained."
	if text := got.Cluster.Sentence(func(c upgrade.Cause) string { return string(c.Kind) }); text != want {
		t.Errorf("got %q, want %q", text, want)
	}
}

const cluster = `
apiVersion: v1
kind: Node
metadata: {name: node}
status: {allocatable: {cpu: "4", pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: waits, labels: {app: web}}
spec: {containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: placed, labels: {app: web}}
spec: {nodeName: node, containers: [{name: c, image: i}]}
---
apiVersion: v1
kind: Pod
metadata: {name: plain}
spec: {nodeName: node, containers: [{name: c, image: i}]}
`

// TestBroken: a program that cannot be asked, or dies, is an error, and no finding.
func TestBroken(t *testing.T) {
	if _, err := started(t, "other release"); err == nil || !strings.Contains(err.Error(), "v1.2.3 in it") {
		t.Errorf("another release: %v", err)
	}
	theme, err := scenario.Theme("resources", 1, model.Actions{Arrivals: 1}, admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = upgrade.Run(ctx, []*model.Scenario{theme}, options(t, "dies"))
	if err == nil || !strings.Contains(err.Error(), "asking the program for Kubernetes "+earlier+" about pod") {
		t.Errorf("it dies: %v", err)
	}
}

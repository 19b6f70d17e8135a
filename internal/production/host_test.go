package production

import (
	"context"
	"runtime"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodename"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

func TestRunGoesOnAfterAHang(t *testing.T) {
	release := make(chan struct{})
	deaf := plant(nodename.Name, planted{nodename.Name, func(context.Context) *fwk.Status { <-release; return nil }})
	s := newScheduler(t, Options{Registry: deaf, HangAfter: 50 * time.Millisecond})
	nodes := []*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}
	asked := 0
	s.Run(func() {
		for _, name := range []string{"p", "trigger", "p", "trigger", "p"} {
			d := s.Decide(ask(nodes, pod(name, 1).Obj()))
			if hung := strings.Contains(d.Failure, "hang"); hung != (name == "trigger") ||
				!hung && len(d.Outcomes) != 2 {
				t.Errorf("pod %s: %v, failure %q", name, outcomes(d), d.Failure)
			}
			asked++
		}
		close(release) // those left behind come to their end
		if d := s.Decide(ask(nodes, pod("p", 1).Obj())); len(d.Outcomes) != 2 {
			t.Errorf("in the end: %v, failure %q", outcomes(d), d.Failure)
		}
	})
	if asked != 5 {
		t.Errorf("the work ended after %d questions", asked)
	}
}

// TestRunGoesOnAfterAGoexit: a plugin that ends its goroutine, as t.Fatal does, costs its decision and no other.
func TestRunGoesOnAfterAGoexit(t *testing.T) {
	s := newScheduler(t, Options{Registry: plant(nodename.Name, planted{nodename.Name,
		func(context.Context) *fwk.Status { runtime.Goexit(); return nil }})})
	nodes, asked := []*v1.Node{node("a", 4).Obj(), node("b", 4).Obj()}, 0
	s.Run(func() {
		for _, name := range []string{"p", "trigger", "p", "trigger", "p"} {
			d := s.Decide(ask(nodes, pod(name, 1).Obj()))
			ended := strings.Contains(d.Failure, "runtime.Goexit, in ") && strings.Contains(d.Failure, "host_test.go")
			if ended != (name == "trigger") || !ended && len(d.Outcomes) != 2 {
				t.Errorf("pod %s: %v, failure %q", name, outcomes(d), d.Failure)
			}
			asked++
		}
	})
	if asked != 5 {
		t.Errorf("the work ended after %d questions", asked)
	}
}

func TestCancelledWhileItHangs(t *testing.T) {
	cfg, err := DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	never := make(chan struct{})
	deaf := plant(
		nodename.Name,
		planted{nodename.Name, func(context.Context) *fwk.Status { cancel(); <-never; return nil }},
	)
	s, err := New(ctx, cfg, v1.DefaultSchedulerName, Options{Registry: deaf})
	if err != nil {
		t.Fatal(err)
	}
	if d := s.Decide(ask([]*v1.Node{node("a", 4).Obj()}, pod("trigger", 1).Obj())); !strings.Contains(d.Failure,
		"closed") {
		t.Errorf("failure %q, want one that says it is closed", d.Failure)
	}
}

func TestRunEndsWithTheGoroutineOfItsWork(t *testing.T) {
	s := newScheduler(t, Options{})
	done := false
	s.Run(func() {
		defer func() { done = true }()
		s.Decide(ask([]*v1.Node{node("a", 4).Obj()}, pod("p", 1).Obj()))
		runtime.Goexit()
	})
	if !done {
		t.Error("Run returned before its work")
	}
}

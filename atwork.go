package modelcheck

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// atWork knows which code of the plugins is at work: it names what hangs. It is safe for concurrent use.
type atWork struct {
	mu sync.Mutex
	// calls counts the calls under way, by what is called.
	calls map[string]int
	// types has the plugins' names, by what the names of their methods begin with in a stack.
	types map[string]string
}

func newAtWork() *atWork { return &atWork{calls: map[string]int{}, types: map[string]string{}} }

// enter notes a call, until the function it gives is called.
func (a *atWork) enter(what string) (leave func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls[what]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.calls[what]--; a.calls[what] == 0 {
			delete(a.calls, what)
		}
	}
}

// made makes a plugin. One that ends its goroutine, as t.Fatal does, or panics is an error.
func (a *atWork) made(name string, plugin func() (fwk.Plugin, error)) (made fwk.Plugin, err error) {
	defer a.enter(fmt.Sprintf("New of plugin %s", name))()
	ended := make(chan any, 1)
	go func() {
		failed := any(fmt.Errorf("plugin %s: New ended its goroutine by runtime.Goexit; does it call t.FailNow or "+
			"t.Fatal?", name))
		defer func() {
			if r := recover(); r != nil {
				failed = panicOf{r, debug.Stack()}
			}
			ended <- failed
		}()
		made, err = plugin()
		failed = nil
	}()
	switch failed := (<-ended).(type) {
	case panicOf:
		return nil, fmt.Errorf("plugin %s: New, or Name of what it gives, panicked: %v\n\n%s", name, failed.value,
			failed.stack)
	case error:
		return nil, failed
	}
	return made, err
}

// learn learns what the plugin's methods are called in a stack.
func (a *atWork) learn(name string, plugin fwk.Plugin) {
	t := reflect.TypeOf(plugin)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.types[fmt.Sprintf("\n%s.(*%s).", t.PkgPath(), t.Name())] = name
	a.types[fmt.Sprintf("\n%s.%s.", t.PkgPath(), t.Name())] = name
}

// filter returns the filter whose predicates are noted.
func (a *atWork) filter(f *spec.Filter) *spec.Filter {
	meant := func(field string) string { return fmt.Sprintf("Filter.%s that is meant by plugin %s", field, f.Plugin) }
	holds, whatHolds := f.Holds, meant("Holds")
	f.Holds = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) bool {
		defer blames(whatHolds)
		defer a.enter(whatHolds)()
		return holds(p, pod, node, s)
	}
	if idle, what := f.Idle, meant("Idle"); idle != nil {
		f.Idle = func(p *spec.Profile, pod *v1.Pod, others []*v1.Pod, s *spec.Snapshot) bool {
			defer blames(what)
			defer a.enter(what)()
			return idle(p, pod, others, s)
		}
	}
	if monotone, what := f.Monotone, meant("Monotone"); monotone != nil {
		f.Monotone = func(p *spec.Profile, pod *v1.Pod, s *spec.Snapshot) bool {
			defer blames(what)
			defer a.enter(what)()
			return monotone(p, pod, s)
		}
	}
	if fails, what := f.Fails, meant("Fails"); fails != nil {
		f.Fails = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) bool {
			defer blames(what)
			defer a.enter(what)()
			return fails(p, pod, node, s)
		}
	}
	return f
}

// score returns the score plugin whose predicates are noted.
func (a *atWork) score(r *spec.ScorePlugin) *spec.ScorePlugin {
	meant := func(field string) string { return fmt.Sprintf("Score.%s that is meant by plugin %s", field, r.Plugin) }
	if raw, what := r.Raw, meant("Raw"); raw != nil {
		r.Raw = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) int64 {
			defer blames(what)
			defer a.enter(what)()
			return raw(p, pod, node, s)
		}
	}
	if normalize, what := r.Normalize, meant("Normalize"); normalize != nil {
		r.Normalize = func(raw []int64) []int64 {
			defer blames(what)
			defer a.enter(what)()
			return normalize(raw)
		}
	}
	if all, what := r.ScoreAll, meant("ScoreAll"); all != nil {
		r.ScoreAll = func(p *spec.Profile, pod *v1.Pod, nodes []*v1.Node, s *spec.Snapshot) (raw, normalized []int64) {
			defer blames(what)
			defer a.enter(what)()
			return all(p, pod, nodes, s)
		}
	}
	if abstains, what := r.Abstains, meant("Abstains"); abstains != nil {
		r.Abstains = func(p *spec.Profile, pod *v1.Pod, nodes []*v1.Node, s *spec.Snapshot) bool {
			defer blames(what)
			defer a.enter(what)()
			return abstains(p, pod, nodes, s)
		}
	}
	if idle, what := r.Idle, meant("Idle"); idle != nil {
		r.Idle = func(p *spec.Profile, pod *v1.Pod, others []*v1.Pod, s *spec.Snapshot) bool {
			defer blames(what)
			defer a.enter(what)()
			return idle(p, pod, others, s)
		}
	}
	return r
}

// named names what is under way: predicates and New, and the plugins' methods that are on the stack of a goroutine.
func (a *atWork) named() string {
	stacks := make([]byte, 1<<22)
	stack := "\n" + string(stacks[:runtime.Stack(stacks, true)])
	a.mu.Lock()
	defer a.mu.Unlock()
	var all []string
	for what := range a.calls {
		all = append(all, what)
	}
	for prefix, name := range a.types {
		for _, frame := range strings.Split(stack, prefix)[1:] {
			method, _, _ := strings.Cut(frame, "(")
			all = append(all, fmt.Sprintf("%s of plugin %s", method, name))
		}
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), ", ")
}

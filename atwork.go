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
		return nil, fmt.Errorf("plugin %s: New panicked: %v\n\n%s", name, failed.value, failed.stack)
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

// filter returns the filter whose predicate is noted.
func (a *atWork) filter(f *spec.Filter) *spec.Filter {
	holds, what := f.Holds, "Filter.Holds that is meant by plugin "+f.Plugin
	f.Holds = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) bool {
		defer blames(what)
		defer a.enter(what)()
		return holds(p, pod, node, s)
	}
	return f
}

// score returns the score plugin whose predicate is noted.
func (a *atWork) score(r *spec.ScorePlugin) *spec.ScorePlugin {
	what := "Score that is meant by plugin " + r.Plugin
	if raw := r.Raw; raw != nil {
		r.Raw = func(p *spec.Profile, pod *v1.Pod, node *v1.Node, s *spec.Snapshot) int64 {
			defer blames(what)
			defer a.enter(what)()
			return raw(p, pod, node, s)
		}
	}
	if all := r.ScoreAll; all != nil {
		r.ScoreAll = func(p *spec.Profile, pod *v1.Pod, nodes []*v1.Node, s *spec.Snapshot) (raw, normalized []int64) {
			defer blames(what)
			defer a.enter(what)()
			return all(p, pod, nodes, s)
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

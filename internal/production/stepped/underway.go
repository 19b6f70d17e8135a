package stepped

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// underWay is a patch of the status of a pod that failed to be bound. It is the last thing that production's goroutine
// does for the pod, and nobody waits for it: so it is answered at once, and comes into effect by an action.
type underWay struct {
	ref   loop.Ref
	uid   types.UID
	patch []byte
}

// putOff takes the patch, to be made later.
func (a *api) putOff(ref loop.Ref, uid types.UID, patch []byte) {
	a.puttingOff = ""
	a.underWay = append(a.underWay, underWay{ref, uid, slices.Clone(patch)})
}

// arrive makes the oldest patch of the pod that is under way. As the API server does, it takes another pod of that name
// for the same, and answers that there is none to nobody.
func (a *api) arrive(ref loop.Ref) error {
	i := slices.IndexFunc(a.underWay, func(w underWay) bool { return w.ref == ref })
	if i < 0 {
		return fmt.Errorf("no status of the pod is under way")
	}
	w := a.underWay[i]
	a.underWay = slices.Delete(a.underWay, i, i+1)
	pod, err := a.pod(ref)
	if err != nil {
		return nil
	}
	_, err = a.patchStatus(ref, pod, w.patch)
	return err
}

// takesLong has the binding of the pod be under way until an action, if the fault says that it is to be there. An error
// says that it is no more.
func (c *cycles) takesLong(pod *v1.Pod, fault loop.Fault) error {
	b := c.binding(pod.UID)
	if b == nil || c.armed() != fault {
		return nil
	}
	b.binds = true
	b.paused <- struct{}{}
	<-b.proceed
	b.binds = false
	return b.err
}

// arrive has the binding of the pod reach the API server, if it is under way.
func (c *cycles) arrive(ref loop.Ref) bool {
	for _, b := range c.all() {
		if b.binds && loop.Key(b.pod) == ref.Key() {
			c.decide(b.pod.UID)
			return true
		}
	}
	return false
}

// bindsReplaced returns the bindings under way for pods of which the scheduler was told another one of the name.
func (s *Scheduler) bindsReplaced() []loop.Unwritten {
	var all []loop.Unwritten
	for _, b := range s.cycles.all() {
		if b.binds && s.replaced(b.pod) {
			u := loop.Unwritten{Pod: loop.Key(b.pod), Binding: true}
			if b.fault != loop.SlowBind {
				u.Fault = b.fault
			}
			all = append(all, u)
		}
	}
	slices.SortStableFunc(all, func(x, y loop.Unwritten) int { return strings.Compare(x.Pod, y.Pod) })
	return all
}

// replaced reports whether the scheduler was told of another pod of the name.
func (s *Scheduler) replaced(pod *v1.Pod) bool {
	is, there := s.told()[loop.RefOf(pod)].(*v1.Pod)
	return there && is.UID != pod.UID
}

// unwritten returns what is under way to the API server.
func (a *api) unwritten() []loop.Unwritten {
	var all []loop.Unwritten
	for _, w := range a.underWay {
		u := loop.Unwritten{Pod: w.ref.Key(), Nominates: nominates(w.patch)}
		if pod, ok := a.objects[w.ref].(*v1.Pod); ok {
			u.Same = pod.UID == w.uid
		}
		all = append(all, u)
	}
	slices.SortStableFunc(all, func(x, y loop.Unwritten) int { return strings.Compare(x.Pod, y.Pod) })
	return all
}

// nominates returns the nomination that the patch of a pod's status gives it, "" if it takes that away; nil if it
// leaves the nomination as it is.
func nominates(patch []byte) *string {
	var written struct {
		Status map[string]any `json:"status"`
	}
	if err := json.Unmarshal(patch, &written); err != nil {
		panic(fmt.Sprintf("kube-scheduler's patch is no JSON: %v", err)) // cannot be: it is made from JSON
	}
	node, has := written.Status["nominatedNodeName"]
	if !has {
		return nil
	}
	name, _ := node.(string) // null takes it away
	return &name
}

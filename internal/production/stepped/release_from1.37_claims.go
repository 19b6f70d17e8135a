//go:build !before1.37

package stepped

import (
	"cmp"
	"reflect"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
)

// miscounted returns the claims that the next cycle takes to be used by another number of pods than use them on the
// nodes of the cache. kube-scheduler keeps these numbers from cycle to cycle, and adds what has changed, but for when
// nodes come or go, or a number would be negative: then it counts anew, and they are latent.
func (s *Scheduler) miscounted(nodes map[string]*framework.NodeInfo) []loop.ClaimCount {
	cache := reflect.ValueOf(s.sched.Cache)
	if cache.Kind() != reflect.Pointer { // a test has put something around it
		return nil
	}
	last := reflect.ValueOf(s.shared().SnapshotSharedLister()).Elem()
	known, there, anew := last.FieldByName("nodeInfoMap"), 0, false
	users := map[string]int{}
	for name, info := range nodes {
		if info.Node() == nil {
			continue
		}
		there++
		anew = anew || !known.MapIndex(reflect.ValueOf(name)).IsValid()
		for claim, n := range info.PVCRefCounts {
			users[claim] += n
		}
	}
	counted := map[string]int{}
	for _, counts := range []reflect.Value{last.FieldByName("usedPVCRefCounts"),
		cache.Elem().FieldByName("pvcRefCountsDelta")} {
		for entries := counts.MapRange(); entries.Next(); {
			counted[entries.Key().String()] += int(entries.Value().Int())
		}
	}
	for claim := range users {
		counted[claim] += 0 // an entry for those that nobody is counted of, too
	}
	anew = anew || known.Len() > there
	for _, n := range counted {
		anew = anew || n < 0
	}
	var wrong []loop.ClaimCount
	for claim, n := range counted {
		if n != users[claim] {
			wrong = append(wrong, loop.ClaimCount{Claim: claim, Counted: n, Users: users[claim], Latent: anew})
		}
	}
	slices.SortFunc(wrong, func(x, y loop.ClaimCount) int { return cmp.Compare(x.Claim, y.Claim) })
	return wrong
}

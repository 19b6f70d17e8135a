//go:build ignore

// This is kube-scheduler with a plugin more, Faults, made as authors of plugins make theirs (app.WithPlugin). It is
// built in the module of a release, for runs of pods that no plugin of kube-scheduler's own would treat so. What it
// does with a pod the pod's annotations say:
//
//	faults/pre-filter: "30s"      PreFilter takes so long, when the cycle has its snapshot
//	faults/permit: "30s"          it waits on permit, so long at most
//	faults/permit: 30s, allowed   it waits on permit, and is allowed after so long
//	faults/permit: reject         it is rejected on permit
//	faults/pre-flight: fail       PreBindPreFlight ends in an error
//	faults/pre-bind: "30s"        PreBind takes so long, and does not heed its context
//	faults/pre-bind: 30s, heeds   PreBind takes so long, and heeds it
//	faults/cycles: "1"            all this in so many cycles only
//
// It logs the number of each cycle, and whether the time on permit of a pod that is unreserved was over.
package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-base/cli"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
)

func main() {
	os.Exit(cli.Run(app.NewSchedulerCommand(app.WithPlugin(name, newFaults))))
}

const name = "Faults"

// faults is the plugin. It keeps what it knows of pods by their UID.
type faults struct {
	handle fwk.Handle
	mu     sync.Mutex
	cycles map[types.UID]int
	// until is when a pod's time on permit is over.
	until map[types.UID]time.Time
}

var (
	_ fwk.PreFilterPlugin = (*faults)(nil)
	_ fwk.ReservePlugin   = (*faults)(nil)
	_ fwk.PermitPlugin    = (*faults)(nil)
	_ fwk.PreBindPlugin   = (*faults)(nil)
)

func newFaults(_ context.Context, _ runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
	return &faults{handle: handle, cycles: map[types.UID]int{}, until: map[types.UID]time.Time{}}, nil
}

func (*faults) Name() string { return name }

// asked is what the annotation asks for in this cycle; "" if nothing.
func (f *faults) asked(pod *v1.Pod, annotation string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if most, err := strconv.Atoi(pod.Annotations["faults/cycles"]); err == nil && f.cycles[pod.UID] > most {
		return ""
	}
	return pod.Annotations["faults/"+annotation]
}

// begins counts a cycle of the pod, and returns which it is.
func (f *faults) begins(pod *v1.Pod) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cycles[pod.UID]++
	return f.cycles[pod.UID]
}

func (f *faults) PreFilter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult,
	*fwk.Status) {
	klog.InfoS("Faults: a cycle begins", "pod", klog.KObj(pod), "cycle", f.begins(pod))
	if asked := f.asked(pod, "pre-filter"); asked != "" {
		takes, err := time.ParseDuration(asked)
		if err != nil {
			return nil, fwk.AsStatus(err)
		}
		time.Sleep(takes)
	}
	return nil, fwk.NewStatus(fwk.Skip)
}

func (*faults) PreFilterExtensions() fwk.PreFilterExtensions { return nil }

func (*faults) Reserve(context.Context, fwk.CycleState, *v1.Pod, string) *fwk.Status { return nil }

func (f *faults) Unreserve(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	until, waited := f.until[pod.UID]
	delete(f.until, pod.UID)
	klog.InfoS("Faults: it is unreserved", "pod", klog.KObj(pod), "timeOver", waited && !time.Now().Before(until))
}

func (f *faults) Permit(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (*fwk.Status, time.Duration) {
	switch asked := f.asked(pod, "permit"); asked {
	case "":
		return nil, 0
	case "reject":
		return fwk.NewStatus(fwk.Unschedulable, "it is rejected, as its annotation asks"), 0
	default:
		text, allowed := strings.CutSuffix(asked, ", allowed")
		most, err := time.ParseDuration(text)
		if err != nil {
			return fwk.AsStatus(err), 0
		}
		if allowed {
			time.AfterFunc(most, func() {
				if waits := f.handle.GetWaitingPod(pod.UID); waits != nil {
					waits.Allow(name)
				}
			})
			return fwk.NewStatus(fwk.Wait), 2 * most
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		f.until[pod.UID] = time.Now().Add(most)
		return fwk.NewStatus(fwk.Wait), most
	}
}

func (f *faults) PreBindPreFlight(_ context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) (
	*fwk.PreBindPreFlightResult, *fwk.Status) {
	switch {
	case f.asked(pod, "pre-flight") != "":
		return nil, fwk.AsStatus(errors.New("it fails, as the pod's annotation asks"))
	case f.asked(pod, "pre-bind") != "":
		return nil, nil
	}
	return nil, fwk.NewStatus(fwk.Skip)
}

func (f *faults) PreBind(ctx context.Context, _ fwk.CycleState, pod *v1.Pod, _ string) *fwk.Status {
	text, heeds := strings.CutSuffix(f.asked(pod, "pre-bind"), ", heeds")
	takes, err := time.ParseDuration(text)
	if err != nil {
		return fwk.AsStatus(err)
	}
	if !heeds {
		ctx = context.WithoutCancel(ctx)
	}
	select {
	case <-time.After(takes):
		return nil
	case <-ctx.Done():
		return fwk.AsStatus(context.Cause(ctx))
	}
}

//go:build !before1.37

package decisions_test

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/preemption"
	"k8s.io/kubernetes/pkg/scheduler/util"
)

// moreImportant reports whether the first pod is more important than the second.
type moreImportant func(a, b *v1.Pod) bool

// rank has the plugin rank pods otherwise; less is given how it does.
func rank(p *defaultpreemption.DefaultPreemption, less func(important moreImportant, a, b *v1.Pod) bool) {
	p.MoreImportantVictim = func(a, b preemption.Victim) bool {
		return less(util.MoreImportantPod, a.Pods()[0].GetPod(), b.Pods()[0].GetPod())
	}
}

// protectAll has the plugin evict nobody.
func protectAll(p *defaultpreemption.DefaultPreemption) {
	p.IsEligiblePod = func(fwk.NodeInfo, preemption.Victim, *v1.Pod) bool { return false }
}

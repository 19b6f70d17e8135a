//go:build before1.37

package decisions_test

import (
	v1 "k8s.io/api/core/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
)

// moreImportant reports whether the first pod is more important than the second.
type moreImportant func(a, b *v1.Pod) bool

// rank has the plugin rank pods otherwise; less is given how it does.
func rank(p *defaultpreemption.DefaultPreemption, less func(important moreImportant, a, b *v1.Pod) bool) {
	important := p.MoreImportantPod
	p.MoreImportantPod = func(a, b *v1.Pod) bool { return less(moreImportant(important), a, b) }
}

// protectAll has the plugin evict nobody.
func protectAll(p *defaultpreemption.DefaultPreemption) {
	p.IsEligiblePod = func(fwk.NodeInfo, fwk.PodInfo, *v1.Pod) bool { return false }
}

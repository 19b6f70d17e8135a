package stepped

import (
	"context"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	fwk "k8s.io/kube-scheduler/framework"
	kubescheduler "k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// Poison makes a write that the in-memory API does not know.
func (s *Scheduler) Poison() {
	var client kubernetes.Interface = s.api.client
	_, err := client.CoreV1().Pods("default").UpdateStatus(context.Background(),
		&v1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p"}}, metav1.UpdateOptions{})
	if err == nil {
		panic("the in-memory API took a write that it does not know")
	}
}

// Below puts something between the control points and the frameworks of the scheduler.
func Below(s *kubescheduler.Scheduler, put func(framework.Framework) framework.Framework) {
	for _, profile := range s.Profiles {
		if c, ok := profile.(*controlled); ok {
			c.Framework = put(c.Framework)
		}
	}
}

// OutOfLine returns the number of parallelizers of the framework and its plugins, and of those that do not work in
// line.
func (s *Scheduler) OutOfLine() (all, outOfLine int) {
	for _, p := range parallelizers(s.framework.Framework) {
		all++
		if *p != fwk.Parallelizer(inLine{}) {
			outOfLine++
		}
	}
	return all, outOfLine
}

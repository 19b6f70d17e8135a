//go:build !before1.36

package production

import (
	"fmt"

	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// What is the same in v1.36 and later.

// byChance would be a filter that may say something else when it is asked again. There is none.
const byChance = ""

// poolsByName does nothing: the plugin for devices looks at pools by name itself.
func poolsByName(frameworkruntime.Registry) {}

// devicesByPool returns what the plugin for devices gets slices of, which it orders itself.
func devicesByPool(devices fwk.SharedDRAManager) fwk.SharedDRAManager { return devices }

// recorder is given to kube-scheduler as a whole; it has no channel, so throws events away.
func recorder(string) events.EventRecorderLogger { return &events.FakeRecorder{} }

// PodGroupStates implements fwk.SharedLister. A question has no pod groups.
func (s *snapshot) PodGroupStates() fwk.PodGroupStateLister { return noPodGroups{} }

// noPodGroups answers for pod groups, which a question does not have.
type noPodGroups struct{}

// PodGroupStates implements fwk.PodGroupManager.
func (noPodGroups) PodGroupStates() fwk.PodGroupStateLister { return noPodGroups{} }

// Get implements fwk.PodGroupStateLister.
func (noPodGroups) Get(namespace, name string) (fwk.PodGroupState, error) {
	return nil, noPodGroup(namespace, name)
}

func noPodGroup(namespace, name string) error {
	return fmt.Errorf("no pod group %s/%s: a snapshot has no pod groups", namespace, name)
}

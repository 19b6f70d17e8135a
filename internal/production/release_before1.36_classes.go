//go:build before1.36

package production

import (
	"sync"

	"k8s.io/client-go/informers"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"

	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// tellOfClasses has kube-scheduler know which extended resources stand for device classes, from v1.36 on.
func tellOfClasses(*dynamicresources.DefaultDRAManager, informers.SharedInformerFactory) error {
	return nil
}

// matchCaches returns where plugins remember which devices and nodes match what, from v1.36 on.
func matchCaches(map[string]frameworkapi.Plugin) []*sync.Map { return nil }

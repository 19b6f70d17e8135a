//go:build !before1.36

package production

import (
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/dynamic-resource-allocation/deviceclass/extendedresourcecache"
	"k8s.io/kubernetes/pkg/features"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/noderesources"

	"github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// tellOfClasses has kube-scheduler know which extended resources stand for device classes, as its event handlers do.
func tellOfClasses(devices *dynamicresources.DefaultDRAManager, factory informers.SharedInformerFactory) error {
	classes, known := devices.DeviceClassResolver().(*extendedresourcecache.ExtendedResourceCache)
	if !known || !feature.DefaultFeatureGate.Enabled(features.DRAExtendedResource) {
		return nil
	}
	_, err := factory.Resource().V1().DeviceClasses().Informer().AddEventHandler(classes)
	if err != nil {
		return fmt.Errorf("following device classes: %w", err)
	}
	return nil
}

// matchCaches returns where the plugins that score requests remember by name which devices match an expression, and
// which nodes a selector. In another cluster what is called the same is something else.
func matchCaches(plugins map[string]frameworkapi.Plugin) []*sync.Map {
	fit, isFit := plugins[noderesources.Name].(*noderesources.Fit)
	balance, isBalance := plugins[noderesources.BalancedAllocationName].(*noderesources.BalancedAllocation)
	var caches []*sync.Map
	add := func(plugin any) {
		for _, name := range []string{"deviceMatchCache", "nodeMatchCache"} {
			field := reflect.ValueOf(plugin).Elem().FieldByName(name)
			caches = append(caches, (*sync.Map)(field.Addr().UnsafePointer()))
		}
	}
	if isFit {
		add(fit)
	}
	if isBalance {
		add(balance)
	}
	return caches
}

//go:build !before1.34

package production

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// maxSelected is the number of answers that are kept.
const maxSelected = 1 << 16

// SelectsDevices returns the function that evaluates selectors of devices for the model, in Kubernetes' own environment
// for them, which is a library of the API server as well. It may be called at any time by anybody.
func SelectsDevices() func(expression string, device spec.PublishedDevice) (bool, error) {
	type asked struct {
		expression string
		device     any
		driver     string
	}
	type answer struct {
		holds bool
		err   error
	}
	compiled := cel.NewCache(256, celFeatures())
	var mu sync.Mutex
	known := map[asked]answer{}
	return func(expression string, device spec.PublishedDevice) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		key := asked{expression, device.Device, device.ID.Driver}
		if a, is := known[key]; is {
			return a.holds, a.err
		}
		if len(known) >= maxSelected {
			clear(known)
		}
		var a answer
		a.holds, a.err = selects(compiled, expression, device)
		known[key] = a
		return a.holds, a.err
	}
}

func selects(compiled *cel.Cache, expression string, device spec.PublishedDevice) (bool, error) {
	program := compiled.GetOrCompile(expression)
	if program.Error != nil {
		return false, fmt.Errorf("compiling %q: %w", expression, program.Error)
	}
	holds, _, err := program.DeviceMatches(context.Background(), cel.Device{
		Driver: device.ID.Driver, AllowMultipleAllocations: device.Device.AllowMultipleAllocations,
		Attributes: device.Device.Attributes, Capacity: device.Device.Capacity,
	})
	if err != nil {
		return false, fmt.Errorf("evaluating %q of %s: %w", expression, device.ID, err)
	}
	return holds, nil
}

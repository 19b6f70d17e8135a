package production

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
)

// captured returns a registry whose factories make the very same plugins as those of the given one, and
// note each plugin under its name, so that a plugin can be asked by itself.
func captured(registry frameworkruntime.Registry, plugins map[string]fwk.Plugin) frameworkruntime.Registry {
	out := frameworkruntime.Registry{}
	for name, factory := range registry {
		out[name] = func(ctx context.Context, args runtime.Object, h fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, handle{h})
			if err != nil {
				return nil, err
			}
			plugins[plugin.Name()] = plugin
			return plugin, nil
		}
	}
	return out
}

// handle is the framework as its plugins see it, except that their work on many nodes is done one
// node after the other, on the goroutine of the decision. Each piece of such work writes to a place of its
// own or adds to a sum, so the order changes no result; and a panic in it reaches the decision, where on
// a goroutine of its own it would end the process.
type handle struct{ fwk.Handle }

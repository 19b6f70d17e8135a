package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/spec"
)

var deviceWorlds = flag.Int("device-worlds", 2000, "how many worlds of devices the allocator is asked about")

// deviceWorld is a cluster with devices, and claims that want some.
type deviceWorld struct {
	*spec.Snapshot
	claims []*resourcev1.ResourceClaim
}

func drawDevices(seed uint64) deviceWorld {
	r := rand.New(rand.NewPCG(seed, 1))
	pick := func(_ string, n int) int { return r.IntN(n) }
	s := &spec.Snapshot{}
	for i := range 1 + r.IntN(2) {
		node := &v1.Node{}
		node.Name = fmt.Sprintf("node-%d", i)
		node.Labels = map[string]string{v1.LabelTopologyZone: []string{"a", "b"}[i]}
		s.Nodes = append(s.Nodes, node)
	}
	return deviceWorld{s, generate.Devices(s, 1+r.IntN(2), pick)}
}

// deviceOracle asks Kubernetes' allocator.
type deviceOracle struct {
	profile  *spec.Profile
	features structured.Features
	compiled *cel.Cache
}

func newDeviceOracle() *deviceOracle {
	fts := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	return &deviceOracle{
		&spec.Profile{Selects: production.SelectsDevices()}, dynamicresources.AllocatorFeatures(fts),
		cel.NewCache(64, cel.Features{EnableConsumableCapacity: true}),
	}
}

// classes is a lister of the device classes of a snapshot.
type classes []*resourcev1.DeviceClass

func (c classes) List() ([]*resourcev1.DeviceClass, error) { return c, nil }

func (c classes) Get(name string) (*resourcev1.DeviceClass, error) {
	for _, class := range c {
		if class.Name == name {
			return class, nil
		}
	}
	return nil, fmt.Errorf("no class %s", name)
}

// taken is what the scheduler counts as allocated.
func taken(s *spec.Snapshot) structured.AllocatedState {
	state := structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}
	for _, claim := range s.ResourceClaims {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			id := structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
			switch {
			case r.AdminAccess != nil && *r.AdminAccess:
			case r.ShareID != nil:
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, r.ShareID))
				if r.ConsumedCapacity != nil {
					state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, r.ConsumedCapacity))
				}
			default:
				state.AllocatedDevices.Insert(id)
			}
		}
	}
	return state
}

// ask returns the allocations for the node; none if there is no way.
func (o *deviceOracle) ask(w deviceWorld, node *v1.Node) ([]resourcev1.AllocationResult, error) {
	ctx := context.Background()
	allocator, err := structured.NewAllocator(ctx, o.features, taken(w.Snapshot), classes(w.DeviceClasses),
		w.ResourceSlices, o.compiled)
	if err != nil {
		return nil, err
	}
	return allocator.Allocate(ctx, node, w.claims)
}

// facts are the allocations in the terms of the model; nil if they are not in these terms.
func facts(r spec.DeviceRules, w deviceWorld, node *v1.Node,
	results []resourcev1.AllocationResult) ([]spec.Allotment, string) {
	all := []spec.Allotment{}
	for i, claim := range w.claims {
		for _, result := range results[i].Devices.Results {
			fact := spec.Allotment{Claim: claim, Request: -1}
			for j, request := range claim.Spec.Devices.Requests {
				for _, a := range spec.Alternatives(request) {
					if a.Name == result.Request {
						fact.Request, fact.Alternative = j, a
					}
				}
			}
			id := spec.DeviceID{Driver: result.Driver, Pool: result.Pool, Device: result.Device}
			for _, device := range r.DevicesOn(node, w.Snapshot) {
				if device.ID == id {
					fact.Device = device
				}
			}
			if fact.Device.Device == nil {
				return nil, "of a device that is not there"
			}
			if fact.Request < 0 {
				return nil, "for a request that is not there"
			}
			if fact.Device.Shareable() {
				want, _ := r.Consumes(fact.Alternative, fact.Device)
				for name, quantity := range want {
					if got := result.ConsumedCapacity[name]; got.Cmp(quantity) != 0 {
						return nil, "which consumes another amount"
					}
				}
			}
			all = append(all, fact)
		}
	}
	return all, ""
}

// differs says in what the allocator differs from the model; empty if it does not.
func (o *deviceOracle) differs(r spec.DeviceRules, w deviceWorld, node *v1.Node,
	results []resourcev1.AllocationResult, err error) string {
	allocatable := r.Allocatable(o.profile, w.claims, node, w.Snapshot)
	switch {
	case err != nil && !errors.Is(err, structured.ErrFailedAllocationOnNode):
		return fmt.Sprintf("error (allocatable: %v): %s", allocatable, kindOf(err.Error()))
	case len(results) == 0 && len(w.claims) > 0:
		if allocatable {
			return "finds no allocation"
		}
		return ""
	}
	made, strange := facts(r, w, node, results)
	switch {
	case strange != "":
		return "allocation " + strange
	case !r.ValidAllocation(o.profile, made, w.claims, node, w.Snapshot):
		return "allocation that is not valid"
	case !r.PreferredAllocation(o.profile, made, w.claims, node, w.Snapshot):
		return "allocation that is not preferred"
	case !allocatable:
		return "model finds none"
	default:
		return ""
	}
}

// kindOf is the message without what differs from world to world.
func kindOf(message string) string {
	for _, kind := range []string{"is currently being updated", "is currently invalid",
		"a claim constraint would not be satisfied", "exceeds the claim limit", "CEL"} {
		if strings.Contains(message, kind) {
			return kind
		}
	}
	return message
}

// explained says in what the allocator differs from the model, and which defects explain that; empty if it does not.
func (o *deviceOracle) explained(w deviceWorld, node *v1.Node) string {
	results, err := o.ask(w, node)
	documented := spec.DocumentedDevices()
	kind := o.differs(documented, w, node, results, err)
	if kind == "" {
		return ""
	}
	var quirks []spec.Quirk
	for _, q := range spec.Quirks() {
		if q.Devices != nil && q.In(production.KubernetesVersion) {
			quirks = append(quirks, q)
		}
	}
	subsets := make([]int, 1<<len(quirks))
	for i := range subsets {
		subsets[i] = i
	}
	slices.SortStableFunc(subsets, func(a, b int) int { return bits.OnesCount(uint(a)) - bits.OnesCount(uint(b)) })
	for _, some := range subsets {
		r, names := spec.DocumentedDevices(), []string{}
		for i, q := range quirks {
			if some>>i&1 == 1 {
				q.Devices(&r)
				names = append(names, q.Name)
			}
		}
		if o.differs(r, w, node, results, err) == "" {
			return "explained by " + strings.Join(names, ", ")
		}
	}
	return kind
}

// TestDevices: what Kubernetes' allocator says of small worlds is what the model says of them.
func TestDevices(t *testing.T) {
	o := newDeviceOracle()
	seen, smallest := map[string]int{}, map[string]string{}
	for seed := range uint64(*deviceWorlds) {
		w := drawDevices(seed)
		for _, node := range w.Nodes {
			kind := o.explained(w, node)
			if kind == "" {
				kind = "no difference"
				if spec.DocumentedDevices().Allocatable(o.profile, w.claims, node, w.Snapshot) {
					kind = "no difference, allocated"
				}
				seen[kind]++
				continue
			}
			seen[kind]++
			text := worldText(w, node)
			if old, is := smallest[kind]; !is || len(text) < len(old) {
				smallest[kind] = text
			}
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s\n%s", seen[kind], kind, smallest[kind])
	}
}

func worldText(w deviceWorld, node *v1.Node) string {
	text := "node: " + node.Name + "\n"
	for _, slice := range w.ResourceSlices {
		text += yamlOf(slice.Spec)
	}
	for _, claim := range w.ResourceClaims {
		text += "claim " + claim.Name + "\n" + yamlOf(claim.Spec) + yamlOf(claim.Status)
	}
	return text
}

func yamlOf(object any) string {
	text, err := yaml.Marshal(object)
	if err != nil {
		panic(err)
	}
	return string(text)
}

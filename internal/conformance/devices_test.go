package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
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
	// quirks are sets of the defects that this release has.
	quirks [][]spec.Quirk
}

func newDeviceOracle() *deviceOracle {
	fts := feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate)
	var quirks []spec.Quirk
	for _, q := range spec.Quirks() {
		if q.Devices != nil && q.In(production.KubernetesVersion) {
			quirks = append(quirks, q)
		}
	}
	return &deviceOracle{
		&spec.Profile{Selects: production.SelectsDevices()}, dynamicresources.AllocatorFeatures(fts),
		cel.NewCache(64, cel.Features{EnableConsumableCapacity: true}),
		few(quirks),
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
	aborts := r.Aborts(o.profile, w.claims, node, w.Snapshot)
	switch {
	case err != nil && aborts && strings.Contains(err.Error(), "CEL"):
		return ""
	case err != nil && !errors.Is(err, structured.ErrFailedAllocationOnNode):
		return fmt.Sprintf("error (allocatable: %v): %s", allocatable, kindOf(err.Error()))
	case aborts:
		return "does not abort"
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

// explained says in what the allocator, asked about a world, differs from the model, and which defects explain that;
// empty if it does not. New is set if none does.
func (o *deviceOracle) explained(w, asked deviceWorld, node *v1.Node) (kind string, new bool) {
	results, err := o.ask(asked, node)
	if kind = o.differs(spec.DocumentedDevices(), w, node, results, err); kind == "" {
		return "", false
	}
	for _, some := range o.quirks {
		r, names := spec.DocumentedDevices(), []string{}
		for _, q := range some {
			q.Devices(&r)
			names = append(names, q.Name)
		}
		if o.differs(r, w, node, results, err) == "" {
			return "explained by " + strings.Join(names, ", "), false
		}
	}
	return kind, !overlooked(w, kind)
}

// few returns the sets of at most two of the defects, and that of all.
func few(quirks []spec.Quirk) [][]spec.Quirk {
	var sets [][]spec.Quirk
	for i := range quirks {
		sets = append(sets, quirks[i:i+1])
	}
	for i := range quirks {
		for j := range i {
			sets = append(sets, []spec.Quirk{quirks[j], quirks[i]})
		}
	}
	return append(sets, quirks)
}

// overlooked reports whether a difference is one of those that depend on the order in which the allocator searches.
func overlooked(w deviceWorld, kind string) bool {
	wantsAll, constrained, several := false, false, false
	for _, claim := range w.claims {
		constrained = constrained || len(claim.Spec.Devices.Constraints) > 0
		for _, request := range claim.Spec.Devices.Requests {
			for _, a := range spec.Alternatives(request) {
				wantsAll = wantsAll || a.All
				several = several || a.All || a.Count > 2
			}
		}
	}
	switch {
	case strings.Contains(kind, "is currently"): // an error ends the cycle, where the node alone should be rejected
		return wantsAll
	case strings.Contains(kind, "a claim constraint would not be satisfied"):
		return wantsAll && constrained
	case strings.HasPrefix(kind, "error"):
		return false
	default: // before v1.37, pools with the same name share counters, and distinct attributes are forgotten
		return before137 && (constrained && several || samePoolNames(w))
	}
}

func samePoolNames(w deviceWorld) bool {
	drivers := map[string]string{}
	for _, slice := range w.ResourceSlices {
		driver, is := drivers[slice.Spec.Pool.Name]
		if is && driver != slice.Spec.Driver {
			return true
		}
		drivers[slice.Spec.Pool.Name] = slice.Spec.Driver
	}
	return false
}

// TestDevices: what Kubernetes' allocator says of small worlds is what the model says of them, or known defects explain
// it. The log says how often.
func TestDevices(t *testing.T) {
	o := newDeviceOracle()
	seen, smallest := map[string]int{}, map[string]string{}
	for seed := range uint64(*deviceWorlds) {
		w := drawDevices(seed)
		for _, node := range w.Nodes {
			kind, new := o.explained(w, w, node)
			switch {
			case new:
				if text := worldText(w, node); smallest[kind] == "" || len(text) < len(smallest[kind]) {
					smallest[kind] = text
				}
			case kind == "" && spec.DocumentedDevices().Allocatable(o.profile, w.claims, node, w.Snapshot):
				kind = "no difference, allocated"
			case kind == "":
				kind = "no difference"
			}
			seen[kind]++
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(seen)) {
		t.Logf("%7d %s", seen[kind], kind)
	}
	for kind, text := range smallest {
		t.Errorf("%s:\n%s", kind, text)
	}
}

// TestDevicesPlanted: if the allocator does not know of one thing in a world, that is noticed.
func TestDevicesPlanted(t *testing.T) {
	o := newDeviceOracle()
	eachDevice := func(change func(*resourcev1.Device)) func(deviceWorld) {
		return func(w deviceWorld) {
			for _, slice := range w.ResourceSlices {
				for i := range slice.Spec.Devices {
					change(&slice.Spec.Devices[i])
				}
			}
		}
	}
	eachSlice := func(change func(*resourcev1.ResourceSliceSpec)) func(deviceWorld) {
		return func(w deviceWorld) {
			for _, slice := range w.ResourceSlices {
				change(&slice.Spec)
			}
		}
	}
	eachExact := func(change func(*resourcev1.ExactDeviceRequest)) func(deviceWorld) {
		return func(w deviceWorld) {
			for _, claim := range w.claims {
				for _, request := range claim.Spec.Devices.Requests {
					if request.Exactly != nil {
						change(request.Exactly)
					}
				}
			}
		}
	}
	for _, row := range []struct {
		unknown string
		plant   func(deviceWorld)
	}{
		{"taints", eachDevice(func(d *resourcev1.Device) { d.Taints = nil })},
		{"tolerations", eachExact(func(r *resourcev1.ExactDeviceRequest) { r.Tolerations = nil })},
		{"attributes", eachDevice(func(d *resourcev1.Device) { d.Attributes = nil })},
		{"capacity", eachDevice(func(d *resourcev1.Device) { d.Capacity = nil })},
		{"request policies", eachDevice(func(d *resourcev1.Device) {
			for name, capacity := range d.Capacity {
				capacity.RequestPolicy = nil
				d.Capacity[name] = capacity
			}
		})},
		{"shareable devices", eachDevice(func(d *resourcev1.Device) { d.AllowMultipleAllocations = nil })},
		{"counters of devices", eachDevice(func(d *resourcev1.Device) { d.ConsumesCounters = nil })},
		{"amounts of counters", eachSlice(func(s *resourcev1.ResourceSliceSpec) {
			for i := range s.SharedCounters {
				s.SharedCounters[i].Counters["units"] = resourcev1.Counter{Value: resource.MustParse("9")}
			}
		})},
		{"generations", eachSlice(func(s *resourcev1.ResourceSliceSpec) { s.Pool.Generation = 1 })},
		{"counts of slices", eachSlice(func(s *resourcev1.ResourceSliceSpec) { s.Pool.ResourceSliceCount = 1 })},
		{"node names of slices", eachSlice(func(s *resourcev1.ResourceSliceSpec) {
			if s.NodeName != nil {
				s.NodeName, s.AllNodes = nil, new(true)
			}
		})},
		{"node selectors of slices", eachSlice(func(s *resourcev1.ResourceSliceSpec) {
			if s.NodeSelector != nil {
				s.NodeSelector, s.AllNodes = nil, new(true)
			}
		})},
		{"nodes of devices", eachSlice(func(s *resourcev1.ResourceSliceSpec) {
			if s.PerDeviceNodeSelection != nil {
				s.PerDeviceNodeSelection, s.AllNodes = nil, new(true)
			}
		})},
		{"selectors of classes", func(w deviceWorld) {
			for _, class := range w.DeviceClasses {
				class.Spec.Selectors = nil
			}
		}},
		{"selectors of requests", eachExact(func(r *resourcev1.ExactDeviceRequest) { r.Selectors = nil })},
		{"counts", eachExact(func(r *resourcev1.ExactDeviceRequest) { r.Count = min(r.Count, 1) })},
		{"all", eachExact(func(r *resourcev1.ExactDeviceRequest) {
			if r.AllocationMode == resourcev1.DeviceAllocationModeAll {
				r.AllocationMode, r.Count = resourcev1.DeviceAllocationModeExactCount, 1
			}
		})},
		{"administrative access", eachExact(func(r *resourcev1.ExactDeviceRequest) { r.AdminAccess = nil })},
		{"capacity that is requested", eachExact(func(r *resourcev1.ExactDeviceRequest) { r.Capacity = nil })},
		{"constraints", func(w deviceWorld) {
			for _, claim := range w.claims {
				claim.Spec.Devices.Constraints = nil
			}
		}},
		{"attributes that a selector asks for", eachDevice(func(d *resourcev1.Device) {
			d.Attributes = maps.Clone(d.Attributes)
			if _, there := d.Attributes["example.com/numa"]; !there {
				d.Attributes["example.com/numa"] = resourcev1.DeviceAttribute{IntValue: new(int64(7))}
			}
		})},
		{"the order of alternatives", func(w deviceWorld) {
			for _, claim := range w.claims {
				for _, request := range claim.Spec.Devices.Requests {
					slices.Reverse(request.FirstAvailable)
				}
			}
		}},
		{"allocated devices", func(w deviceWorld) {
			for _, claim := range w.ResourceClaims {
				claim.Status.Allocation = nil
			}
		}},
		{"what claims consume", func(w deviceWorld) {
			for _, claim := range w.ResourceClaims {
				if allocation := claim.Status.Allocation; allocation != nil {
					allocation.Devices.Results[0].ConsumedCapacity = nil
				}
			}
		}},
	} {
		noticed := 0
		for seed := range uint64(4000) {
			w, asked := drawDevices(seed), drawDevices(seed)
			row.plant(asked)
			for _, node := range w.Nodes {
				if _, new := o.explained(w, asked, node); new {
					noticed++
				}
			}
			if noticed > 0 {
				break
			}
		}
		if noticed == 0 {
			t.Errorf("nobody notices that %s are not known", row.unknown)
		}
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

// TestDeviceSearch: the search for an allocation finds one if and only if there is one, by what is documented and with
// all known defects, and it is valid and preferred.
func TestDeviceSearch(t *testing.T) {
	profile := &spec.Profile{Selects: production.SelectsDevices()}
	odd := spec.DocumentedDevices()
	ofSearch := []spec.Quirk{spec.ConstraintStopsAll(), spec.CountersKept(), spec.LaterAllLost(),
		spec.AllCountersPanic()} // they end a search, or overlook some
	for _, q := range spec.Quirks() {
		if q.Devices != nil && !slices.ContainsFunc(ofSearch, func(o spec.Quirk) bool { return o.Name == q.Name }) {
			q.Devices(&odd)
		}
	}
	seen := map[string]int{}
	for seed := range uint64(*deviceWorlds) {
		w := drawDevices(seed)
		for _, node := range w.Nodes {
			for _, r := range []spec.DeviceRules{spec.DocumentedDevices(), odd} {
				found, is := r.FindAllocation(profile, w.claims, node, w.Snapshot)
				switch {
				case is != r.Allocatable(profile, w.claims, node, w.Snapshot):
					t.Fatalf("found: %v, in world %d\n%s", is, seed, worldText(w, node))
				case is && !(r.ValidAllocation(profile, found, w.claims, node, w.Snapshot) &&
					r.PreferredAllocation(profile, found, w.claims, node, w.Snapshot)):
					t.Fatalf("found what is not valid or not preferred in world %d\n%s", seed, worldText(w, node))
				}
				seen[fmt.Sprintf("found: %v", is)]++
			}
		}
	}
	t.Logf("%v", seen)
}

package spec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	resourcev1 "k8s.io/api/resource/v1"
)

func TestAlternatives(t *testing.T) {
	tolerations := []resourcev1.DeviceToleration{{Key: "worn"}}
	all := resourcev1.DeviceAllocationModeAll
	selectors := []resourcev1.DeviceSelector{selector("x")}
	capacity := requiring("memory", "1")
	for _, row := range []struct {
		reason  string
		request resourcev1.DeviceRequest
		want    []DeviceAlternative
	}{
		{"exactly", exactly("r", several(2), watching, selecting("x"), amounting("1"),
			func(r *resourcev1.ExactDeviceRequest) { r.Tolerations = tolerations }), []DeviceAlternative{{
			Name: "r", Class: "any", Count: 2, Admin: true, Selectors: selectors, Tolerations: tolerations,
			Capacity: capacity.Requests,
		}}},
		{"without a count it is one", exactly("r", several(0)), []DeviceAlternative{{Name: "r", Class: "any", Count: 1}}},
		{"all", exactly("r", everyOne), []DeviceAlternative{{Name: "r", Class: "any", All: true, Count: 1}}},
		{"the first available", resourcev1.DeviceRequest{Name: "r", FirstAvailable: []resourcev1.DeviceSubRequest{
			{Name: "a", DeviceClassName: "any", Count: 2, Selectors: selectors, Tolerations: tolerations, Capacity: capacity},
			{Name: "b", DeviceClassName: "never", AllocationMode: all},
		}}, []DeviceAlternative{
			{Name: "r/a", Class: "any", Count: 2, Selectors: selectors, Tolerations: tolerations, Capacity: capacity.Requests},
			{Name: "r/b", Class: "never", All: true, Count: 1},
		}},
	} {
		if diff := cmp.Diff(row.want, Alternatives(row.request)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
}

func TestWants(t *testing.T) {
	n, s := deviceWorld(slice("p", device("x", offering("4", nil)), device("y")))
	picky := &resourcev1.DeviceClass{}
	picky.Name = "picky"
	picky.Spec.Selectors = []resourcev1.DeviceSelector{selector("x"), selector("x")}
	torn := &resourcev1.DeviceClass{}
	torn.Name = "torn"
	torn.Spec.Selectors = []resourcev1.DeviceSelector{selector("x"), selector("y")}
	s.DeviceClasses = append(s.DeviceClasses, picky, torn)
	class := func(name string) func(*resourcev1.ExactDeviceRequest) {
		return func(r *resourcev1.ExactDeviceRequest) { r.DeviceClassName = name }
	}
	unknown := func(r *resourcev1.ExactDeviceRequest) { r.Selectors = append(r.Selectors, resourcev1.DeviceSelector{}) }
	type changes = []func(*resourcev1.ExactDeviceRequest)
	for _, row := range []struct {
		reason string
		change changes
		want   []string
	}{
		{"a class that selects everything", nil, []string{"x", "y"}},
		{"a class that is not there", changes{class("gone")}, nil},
		{"a selector of the class", changes{class("picky")}, []string{"x"}},
		{"all selectors of the class", changes{class("torn")}, nil},
		{"a selector of the request", changes{selecting("y")}, []string{"y"}},
		{"all selectors of the request", changes{selecting("y"), selecting("x")}, nil},
		{"selectors of both", changes{class("picky"), selecting("y")}, nil},
		{"a selector that cannot be evaluated", changes{selecting("broken")}, nil},
		{"a selector of an unknown type", changes{unknown}, nil},
		{"a capacity that the device has", changes{amounting("3")}, []string{"x"}},
		{"... all of it", changes{amounting("4")}, []string{"x"}},
		{"... and not as much", changes{amounting("5")}, nil},
		{"one that no device has", changes{func(r *resourcev1.ExactDeviceRequest) {
			r.Capacity = requiring("cores", "1")
		}}, nil},
		{"one by its full name", changes{func(r *resourcev1.ExactDeviceRequest) {
			r.Capacity = requiring("d/memory", "1")
		}}, []string{"x"}},
	} {
		r := DocumentedDevices()
		a := Alternatives(exactly("r", row.change...))[0]
		wanted := filter(r.DevicesOn(n, s),
			func(d PublishedDevice) bool { return r.wants(&Profile{Selects: selects}, a, d, s) })
		got := each(wanted, func(d PublishedDevice) string { return d.ID.Device })
		if diff := cmp.Diff(row.want, got); diff != "" && len(got)+len(row.want) > 0 {
			t.Errorf("%s (-want +got):\n%s", row.reason, diff)
		}
	}
	if DocumentedDevices().wants(&Profile{}, Alternatives(exactly("r", selecting("x")))[0], PublishedDevice{
		Device: &s.ResourceSlices[0].Spec.Devices[0], Slice: s.ResourceSlices[0],
	}, s) {
		t.Error("a selector holds, and there is nobody who evaluates it")
	}
}

func TestTolerableFor(t *testing.T) {
	type tolerations = []resourcev1.DeviceToleration
	equal, there := resourcev1.DeviceTolerationOpEqual, resourcev1.DeviceTolerationOpExists
	noSchedule, noExecute := resourcev1.DeviceTaintEffectNoSchedule, resourcev1.DeviceTaintEffectNoExecute
	for _, row := range []struct {
		reason      string
		taints      []string
		tolerations tolerations
		want        bool
	}{
		{"no taint", nil, nil, true},
		{"NoSchedule", []string{"k=v:NoSchedule"}, nil, false},
		{"NoExecute", []string{"k=v:NoExecute"}, nil, false},
		{"None has no effect", []string{"k=v:None"}, nil, true},
		{"an effect that is not known has none", []string{"k=v:Slow"}, nil, true},
		{"key and value", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Operator: equal, Value: "v"}}, true},
		{"no operator is Equal", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Value: "v"}}, true},
		{"... of the value too", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Value: "w"}}, false},
		{"another value", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Operator: equal, Value: "w"}}, false},
		{"another key", []string{"k=v:NoSchedule"}, tolerations{{Key: "l", Operator: equal, Value: "v"}}, false},
		{"Exists, whatever the value", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Operator: there}}, true},
		{"Exists of another key", []string{"k=v:NoSchedule"}, tolerations{{Key: "l", Operator: there}}, false},
		{"Exists of every key", []string{"k=v:NoSchedule"}, tolerations{{Operator: there}}, true},
		{"an operator that is not known", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Operator: "In", Value: "v"}},
			false},
		{"the effect", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Operator: there, Effect: noSchedule}}, true},
		{"another effect", []string{"k=v:NoSchedule"}, tolerations{{Key: "k", Operator: there, Effect: noExecute}}, false},
		{"one of two taints", []string{"k=v:NoSchedule", "l=:NoSchedule"}, tolerations{{Key: "k", Operator: there}}, false},
		{"both, by two", []string{"k=v:NoSchedule", "l=:NoSchedule"},
			tolerations{{Key: "l", Operator: there}, {Key: "k", Operator: there}}, true},
	} {
		d := device("x")
		for _, taint := range row.taints {
			spoiled(taint)(&d)
		}
		a := DeviceAlternative{Tolerations: row.tolerations}
		if got := a.TolerableFor(PublishedDevice{Device: &d}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

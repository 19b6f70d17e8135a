package spec

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// values is the policy by which these amounts are valid.
func values(amounts ...string) *resourcev1.CapacityRequestPolicy {
	return &resourcev1.CapacityRequestPolicy{ValidValues: each(amounts, resource.MustParse)}
}

// between is the policy by which amounts are valid from the least to the most, in steps; each may be empty.
func between(least, most, step string) *resourcev1.CapacityRequestPolicy {
	parsed := func(text string) *resource.Quantity {
		if text == "" {
			return nil
		}
		return new(resource.MustParse(text))
	}
	return &resourcev1.CapacityRequestPolicy{
		ValidRange: &resourcev1.CapacityRequestPolicyRange{Min: parsed(least), Max: parsed(most), Step: parsed(step)},
	}
}

func byDefault(p *resourcev1.CapacityRequestPolicy, amount string) *resourcev1.CapacityRequestPolicy {
	p.Default = new(resource.MustParse(amount))
	return p
}

func TestConsumes(t *testing.T) {
	for _, row := range []struct {
		reason    string
		policy    *resourcev1.CapacityRequestPolicy
		requested string
		want      string // empty: not allowed
	}{
		{"what is requested", nil, "3", "3"},
		{"nothing requested: all", nil, "", "8"},
		{"... the default, if the policy has one", byDefault(values("2", "4"), "2"), "", "2"},
		{"... else all", between("1", "4", ""), "", "8"},
		{"a default is nothing to one who requests", byDefault(between("1", "", ""), "2"), "3", "3"},
		{"a policy without rules", &resourcev1.CapacityRequestPolicy{}, "3", "3"},
		{"a valid value", values("2", "4"), "4", "4"},
		{"the next valid value", values("2", "4"), "3", "4"},
		{"... of all that are enough the least", values("6", "2", "5", "4"), "3", "4"},
		{"above all valid values", values("2", "4"), "5", ""},
		{"within the range", between("2", "6", ""), "3", "3"},
		{"the least of the range", between("2", "6", ""), "1", "2"},
		{"the most of the range", between("2", "6", ""), "6", "6"},
		{"above the range", between("2", "6", ""), "7", ""},
		{"a range without end", between("2", "", ""), "7", "7"},
		{"a range without beginning", between("", "6", ""), "1", "1"},
		{"a step", between("2", "", "3"), "5", "5"},
		{"the next step", between("2", "", "3"), "6", "8"},
		{"the first step", between("2", "", "3"), "3", "5"},
		{"the next step is above the range", between("2", "7", "3"), "6", ""},
		{"a step of nothing", between("2", "", "0"), "6", "6"},
		{"fractions count as whole numbers", between("500m", "", "750m"), "1200m", "2"},
		{"... also the least", between("500m", "", "750m"), "500m", "1"},
		{"... but not what is less", between("500m", "", "750m"), "400m", "500m"},
		{"... nor where there is no step", between("500m", "", ""), "700m", "700m"},
	} {
		d := device("x", offering("8", row.policy))
		a := DeviceAlternative{}
		if row.requested != "" {
			a.Capacity = requiring("memory", row.requested).Requests
		}
		taken, allowed := DocumentedDevices().Consumes(a, PublishedDevice{DeviceID{"d", "p", "x"}, &d, nil})
		if got := taken["memory"]; allowed != (row.want != "") || allowed && got.Cmp(resource.MustParse(row.want)) != 0 {
			t.Errorf("%s: %s, allowed: %v", row.reason, got.String(), allowed)
		}
	}
	d, none := device("x", offering("8", nil)), device("y")
	other := DeviceAlternative{Capacity: requiring("cores", "1").Requests}
	taken, _ := DocumentedDevices().Consumes(other, PublishedDevice{DeviceID{"d", "p", "x"}, &d, nil})
	if got := taken["memory"]; got.Cmp(resource.MustParse("8")) != 0 || len(taken) != 1 {
		t.Errorf("another capacity is requested: all is taken of each that the device has, not %v", taken)
	}
	if taken, allowed := DocumentedDevices().Consumes(other, PublishedDevice{Device: &none}); !allowed || len(taken) > 0 {
		t.Errorf("a device without capacity: nothing is taken, not %v", taken)
	}
}

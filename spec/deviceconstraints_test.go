package spec

import (
	"testing"

	resourcev1 "k8s.io/api/resource/v1"
)

func TestMeetsConstraint(t *testing.T) {
	match := func(attribute string, requests ...string) resourcev1.DeviceConstraint {
		return resourcev1.DeviceConstraint{
			Requests: requests, MatchAttribute: new(resourcev1.FullyQualifiedName(attribute)),
		}
	}
	differ := func(attribute string, requests ...string) resourcev1.DeviceConstraint {
		return resourcev1.DeviceConstraint{
			Requests: requests, DistinctAttribute: new(resourcev1.FullyQualifiedName(attribute)),
		}
	}
	fact := func(request string, d resourcev1.Device) Allotment {
		return Allotment{
			Alternative: DeviceAlternative{Name: request},
			Device:      PublishedDevice{DeviceID{"d", "p", d.Name}, &d, nil},
		}
	}
	fast, quick, slow, bare := device("fast", like("speed", "fast")), device("quick", like("d/speed", "fast")),
		device("slow", like("speed", "slow")), device("bare", like("other.org/speed", "fast"))
	of := func(name string, value resourcev1.DeviceAttribute) resourcev1.Device {
		return device(name, func(d *resourcev1.Device) {
			d.Attributes = map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"speed": value}
		})
	}
	one := of("one", resourcev1.DeviceAttribute{IntValue: new(int64(1))})
	uno := of("uno", resourcev1.DeviceAttribute{IntValue: new(int64(1))})
	two := of("two", resourcev1.DeviceAttribute{IntValue: new(int64(2))})
	yes := of("yes", resourcev1.DeviceAttribute{BoolValue: new(true)})
	no := of("no", resourcev1.DeviceAttribute{BoolValue: new(false)})
	version := of("version", resourcev1.DeviceAttribute{VersionValue: new("1.0.0")})
	later := of("later", resourcev1.DeviceAttribute{VersionValue: new("2.0.0")})
	text := of("text", resourcev1.DeviceAttribute{StringValue: new("1.0.0")})
	type facts = []Allotment
	for _, row := range []struct {
		reason     string
		constraint resourcev1.DeviceConstraint
		facts      facts
		want       bool
	}{
		{"the same value", match("d/speed"), facts{fact("r", fast), fact("r", quick)}, true},
		{"another", match("d/speed"), facts{fact("r", fast), fact("r", slow)}, false},
		{"the third has another", match("d/speed"), facts{fact("r", fast), fact("r", quick), fact("r", slow)}, false},
		{"one device matches itself", match("d/speed"), facts{fact("r", fast)}, true},
		{"the attribute is missing", match("d/speed"), facts{fact("r", bare)}, false},
		{"... in the second device", match("d/speed"), facts{fact("r", fast), fact("r", bare)}, false},
		{"of another domain", match("other.org/speed"), facts{fact("r", bare)}, true},
		{"requests that are not named", match("d/speed", "r"), facts{fact("r", fast), fact("s", slow)}, true},
		{"... and that are", match("d/speed", "r", "s"), facts{fact("r", fast), fact("s", slow)}, false},
		{"all subrequests, by the request", match("d/speed", "r"), facts{fact("r/a", fast), fact("r/b", slow)}, false},
		{"one subrequest", match("d/speed", "r/a"), facts{fact("r/a", fast), fact("r/b", slow)}, true},
		{"... not one of that name elsewhere", match("d/speed", "r/a"), facts{fact("r/a", fast), fact("s/a", slow)}, true},
		{"the same whole number", match("d/speed"), facts{fact("r", one), fact("r", uno)}, true},
		{"another whole number", match("d/speed"), facts{fact("r", one), fact("r", two)}, false},
		{"another truth value", match("d/speed"), facts{fact("r", yes), fact("r", no)}, false},
		{"another version", match("d/speed"), facts{fact("r", version), fact("r", later)}, false},
		{"another type, though it reads the same", match("d/speed"), facts{fact("r", version), fact("r", text)}, false},
		{"a type that is not known", resourcev1.DeviceConstraint{}, facts{fact("r", fast)}, false},
		{"distinct", differ("d/speed"), facts{fact("r", fast), fact("r", slow)}, true},
		{"not distinct", differ("d/speed"), facts{fact("r", fast), fact("r", quick)}, false},
		{"the third is as the first", differ("d/speed"), facts{fact("r", fast), fact("r", slow), fact("r", quick)}, false},
		{"a device is not distinct from itself", differ("d/speed"), facts{fact("r", fast), fact("s", fast)}, false},
		{"distinct, and one has none", differ("d/speed"), facts{fact("r", fast), fact("r", bare)}, false},
		{"distinct among those named", differ("d/speed", "r"), facts{fact("r", fast), fact("s", quick)}, true},
	} {
		if got := DocumentedDevices().meetsConstraint(row.constraint, row.facts); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

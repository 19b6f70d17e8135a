package spec

import (
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
)

// meetsConstraint reports whether the devices that a claim gets meet a constraint of it:
//
//	matchAttribute     all devices in question have the attribute, with the same type and value
//	distinctAttribute  all have it, and no two the same type and value
//
// Source: field docs of DeviceConstraint. A device that is allocated for two requests is in question twice, so that it
// is not distinct from itself: the constraint "is used to avoid allocating multiple requests to the same device".
func (r DeviceRules) meetsConstraint(constraint resourcev1.DeviceConstraint, facts []Allotment) bool {
	concerned := filter(facts, func(f Allotment) bool {
		return len(constraint.Requests) == 0 || refersTo(constraint.Requests, f.Alternative.Name)
	})
	switch {
	case constraint.MatchAttribute != nil:
		return compared(concerned, *constraint.MatchAttribute, sameValue)
	case constraint.DistinctAttribute != nil:
		return r.distinct(concerned, *constraint.DistinctAttribute)
	default:
		return false // of a type that is not known
	}
}

// refersTo reports whether one of the references names the alternative, or the request that it is a subrequest of.
//
// Source: field doc of DeviceConstraint.requests ("If just the main request is given, the constraint applies to all
// subrequests").
func refersTo(references []string, alternative string) bool {
	request, _, _ := strings.Cut(alternative, "/")
	return contains(references, alternative) || contains(references, request)
}

// compared reports whether all facts are about devices that have the attribute, and any two have related values.
func compared(facts []Allotment, attribute resourcev1.FullyQualifiedName,
	related func(a, b resourcev1.DeviceAttribute) bool) bool {
	for i := range facts {
		value, there := facts[i].Device.attribute(attribute)
		if !there {
			return false
		}
		for j := range i {
			if other, _ := facts[j].Device.attribute(attribute); !related(value, other) {
				return false
			}
		}
	}
	return true
}

// sameValue reports whether two attributes have the same type and value.
func sameValue(a, b resourcev1.DeviceAttribute) bool {
	return same(a.StringValue, b.StringValue) && same(a.IntValue, b.IntValue) && same(a.BoolValue, b.BoolValue) &&
		same(a.VersionValue, b.VersionValue)
}

func same[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

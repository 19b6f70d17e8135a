package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
)

// Unmet is why a claim for devices keeps a pod from a node, for people to read. DynamicResources decides; see Unmets.
type Unmet struct {
	// Claim is the claim; nil if there is none for the entry of the pod. Without an entry it is about the pod's extended
	// resources that are devices on the node: a claim that was made for them before, or nil.
	Claim *resourcev1.ResourceClaim
	Entry v1.PodResourceClaim
	// Request is the name of the request that cannot be met; empty if it is about the claim.
	Request string
	Why     Obstacle
	// Classes, Devices and Constraints are what the obstacle is about: classes that are missing, devices that are
	// tainted, failed or late, or of which a selector cannot be evaluated, constraints that no devices meet.
	Classes     []string
	Devices     []DeviceID
	Constraints []resourcev1.DeviceConstraint
	// Fates are, of each alternative of the request, why the node's devices are not enough.
	Fates []AlternativeFates
}

// Obstacle is a kind of reason.
type Obstacle string

const (
	NotMade      Obstacle = "not made"             // from its template
	NoClaim      Obstacle = "not there"            // of the name that the entry has
	ClaimLeaves  Obstacle = "being deleted"        //
	ClaimOfOther Obstacle = "of somebody else"     // made for another pod
	NoClass      Obstacle = "no class"             // of any alternative
	AllReserved  Obstacle = "reserved to the full" //
	Elsewhere    Obstacle = "allocated elsewhere"  //
	OfNoUse      Obstacle = "not what is needed"   // for extended resources on the node
	Evicts       Obstacle = "tainted"              // so that pods that use it are evicted
	Failed       Obstacle = "failed to bind"       //
	IsLate       Obstacle = "late"                 // to become ready
	TooFew       Obstacle = "too few devices"      // for the request alone
	NotTogether  Obstacle = "not together"         // the requests of the claim
	Constrained  Obstacle = "constraint"           //
	NotBeside    Obstacle = "not beside others"    // the claims of the pod
	Unevaluable  Obstacle = "not to be evaluated"  // a selector of the request
)

// AlternativeFates are what becomes of the node's devices for an alternative of a request.
type AlternativeFates struct {
	DeviceAlternative
	// Unclear: it cannot be known which devices there are.
	Unclear bool
	Fates   []DeviceFate
}

// DeviceFate is why a device is not had for an alternative, or that it is.
type DeviceFate struct {
	Device PublishedDevice
	Fate   Fate
	// By are the claims that have it, or have used up what it takes.
	By []*resourcev1.ResourceClaim
}

// Fate is what may become of a device, in the order in which it is asked.
type Fate string

const (
	OfAnotherClass Fate = "of another class"
	NotSelected    Fate = "not selected"
	TooSmall       Fate = "too small" // it lacks a capacity, or so much of one
	Taken          Fate = "taken"
	Tainted        Fate = "tainted"
	UsedUp         Fate = "used up" // capacity or counters
	Free           Fate = "free"
)

// Unmets returns why claims for devices keep the pod from the node; none if and only if DynamicResources holds.
//
// Of claims that wait for an allocation the first reason of these is given: selectors that cannot be evaluated of some
// device, where this ends the allocation; a request that cannot be met if it were alone; the requests of a claim
// together; a constraint, if one of them is enough, or all; the claims of the pod together.
func Unmets(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) []Unmet {
	r := DocumentedDevices()
	var unmet []Unmet
	add := func(claim *resourcev1.ResourceClaim, u Unmet) {
		u.Entry = entryOf(claim, pod, s)
		if contains(s.ResourceClaims, claim) { // else it is yet to be made
			u.Claim = claim
		}
		unmet = append(unmet, u)
	}
	for _, entry := range pod.Spec.ResourceClaims {
		if !needless(entry, pod) && len(claimsFor(entry, pod, s)) == 0 {
			unmet = append(unmet, absent(entry, pod, s))
		}
	}
	claims, usable := r.claimsOn(p, pod, node, s)
	if !usable {
		add(EarlierClaim(pod, s), Unmet{Why: OfNoUse})
	}
	for _, claim := range filter(claims, func(c *resourcev1.ResourceClaim) bool { return !unallocated(c) }) {
		switch mine := reserved(claim, pod); {
		case !mine && !r.reservable(claim):
			add(claim, Unmet{Why: AllReserved})
		case !AllocationReaches(claim, node):
			add(claim, Unmet{Why: Elsewhere})
		case !mine && r.evicting(r, claim, node, s):
			add(claim, Unmet{Why: Evicts, Devices: devicesOf(claim)})
		case r.failed(claim):
			add(claim, Unmet{Why: Failed, Devices: devicesOf(claim)})
		case p.Late(claim, s):
			add(claim, Unmet{Why: IsLate, Devices: devicesOf(claim)})
		}
	}
	waiting := filter(claims, unallocated)
	for _, claim := range waiting {
		for _, request := range claim.Spec.Devices.Requests {
			if of := Alternatives(request); all(of, func(a DeviceAlternative) bool { return classNamed(a.Class, s) == nil }) {
				classes := each(of, func(a DeviceAlternative) string { return a.Class })
				add(claim, Unmet{Request: request.Name, Why: NoClass, Classes: classes})
			}
		}
	}
	if len(unmet) > 0 {
		return unmet
	}
	if r.Aborts(p, waiting, node, s) {
		for _, b := range r.newDeviceSearch(p, waiting, node, s).breaking(p, node) {
			add(b.claim, Unmet{Request: b.claim.Spec.Devices.Requests[b.request].Name, Why: Unevaluable, Devices: b.devices})
		}
		return unmet
	}
	allocatable := func(claims ...*resourcev1.ResourceClaim) bool {
		_, is := r.FindAllocation(p, claims, node, s)
		return is
	}
	if allocatable(waiting...) {
		return nil
	}
	for _, claim := range waiting {
		if u, is := r.unmetAlone(p, claim, node, s, allocatable); is {
			add(claim, u)
		}
	}
	if len(unmet) == 0 {
		for _, claim := range waiting {
			add(claim, Unmet{Why: NotBeside})
		}
	}
	return unmet
}

// unmetAlone returns why the claim cannot be met if it were alone; false if it can.
func (r DeviceRules) unmetAlone(p *Profile, claim *resourcev1.ResourceClaim, node *v1.Node, s *Snapshot,
	allocatable func(...*resourcev1.ResourceClaim) bool) (Unmet, bool) {
	with := func(requests []resourcev1.DeviceRequest,
		constraints []resourcev1.DeviceConstraint) *resourcev1.ResourceClaim {
		c := *claim
		c.Spec.Devices.Requests, c.Spec.Devices.Constraints = requests, constraints
		return &c
	}
	requests, constraints := claim.Spec.Devices.Requests, claim.Spec.Devices.Constraints
	for i, request := range requests {
		if !allocatable(with(requests[i:i+1], nil)) {
			at := r.deviceState(node, s)
			fates := each(Alternatives(request), func(a DeviceAlternative) AlternativeFates {
				return AlternativeFates{a, a.All && at.unclear, each(at.on, func(d PublishedDevice) DeviceFate {
					return r.fate(p, Allotment{Claim: claim, Request: i, Alternative: a, Device: d}, at)
				})}
			})
			return Unmet{Request: request.Name, Why: TooFew, Fates: fates}, true
		}
	}
	switch {
	case !allocatable(with(requests, nil)):
		return Unmet{Why: NotTogether}, true
	case !allocatable(claim):
		alone := filter(constraints, func(c resourcev1.DeviceConstraint) bool {
			return !allocatable(with(requests, []resourcev1.DeviceConstraint{c}))
		})
		if len(alone) == 0 {
			alone = constraints
		}
		return Unmet{Why: Constrained, Constraints: alone}, true
	}
	return Unmet{}, false
}

// fate says what becomes of a device for an alternative, if nothing else is allocated newly.
func (r DeviceRules) fate(p *Profile, f Allotment, at deviceState) DeviceFate {
	class, alone := classNamed(f.Alternative.Class, at.s), []Allotment{f}
	holds := func(selector resourcev1.DeviceSelector) bool { return holdsOf(p, selector, f.Device) }
	fate := DeviceFate{Device: f.Device, Fate: Free}
	switch {
	case class == nil || !all(class.Spec.Selectors, holds):
		fate.Fate = OfAnotherClass
	case !all(f.Alternative.Selectors, holds):
		fate.Fate = NotSelected
	case !r.provided(f.Alternative, f.Device):
		fate.Fate = TooSmall
	case !r.exclusive(alone, at):
		fate.Fate = Taken
		fate.By = holders(at, func(id DeviceID) bool { return id == f.Device.ID })
	case !f.Alternative.TolerableFor(f.Device):
		fate.Fate = Tainted
	case !r.withinCapacity(alone, at):
		fate.Fate = UsedUp
		fate.By = holders(at, func(id DeviceID) bool { return id == f.Device.ID })
	case !r.withinCounters(alone, at):
		fate.Fate = UsedUp
		fate.By = holders(at, func(id DeviceID) bool { return id.InPool() == f.Device.ID.InPool() })
	}
	return fate
}

// holders returns the claims that have devices of these.
func holders(at deviceState, of func(DeviceID) bool) []*resourcev1.ResourceClaim {
	held := filter(at.held, func(h holding) bool { return of(h.device) })
	return distinct(each(held, func(h holding) *resourcev1.ResourceClaim { return h.claim }),
		func(a, b *resourcev1.ResourceClaim) bool { return a == b })
}

// absent says why there is no claim for the entry.
func absent(entry v1.PodResourceClaim, pod *v1.Pod, s *Snapshot) Unmet {
	name := valueOr(entry.ResourceClaimName, "")
	for _, status := range pod.Status.ResourceClaimStatuses {
		if entry.ResourceClaimName == nil && status.Name == entry.Name {
			name = valueOr(status.ResourceClaimName, "")
		}
	}
	named := choose(s.ResourceClaims, func(c *resourcev1.ResourceClaim) bool {
		return c.Namespace == pod.Namespace && c.Name == name
	})
	switch {
	case name == "":
		return Unmet{Entry: entry, Why: NotMade}
	case named == nil:
		return Unmet{Entry: entry, Why: NoClaim}
	case named.DeletionTimestamp != nil:
		return Unmet{Claim: named, Entry: entry, Why: ClaimLeaves}
	default:
		return Unmet{Claim: named, Entry: entry, Why: ClaimOfOther}
	}
}

// entryOf returns the first entry of the pod that is about the claim; none if it is for extended resources.
func entryOf(claim *resourcev1.ResourceClaim, pod *v1.Pod, s *Snapshot) v1.PodResourceClaim {
	i := slices.IndexFunc(pod.Spec.ResourceClaims,
		func(entry v1.PodResourceClaim) bool { return contains(claimsFor(entry, pod, s), claim) })
	if i < 0 {
		return v1.PodResourceClaim{}
	}
	return pod.Spec.ResourceClaims[i]
}

func devicesOf(claim *resourcev1.ResourceClaim) []DeviceID {
	return each(claim.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) DeviceID {
		return DeviceID{r.Driver, r.Pool, r.Device}
	})
}

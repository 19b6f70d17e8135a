package spec

import (
	"math/big"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// AmountRules are of whatever adds requests up: the filter and the score of NodeResourcesFit, and
// NodeResourcesBalancedAllocation. What pods request together can be more than a quantity may be, 2^63-1.
type AmountRules struct {
	// amount returns a quantity as the whole number that is compared: cpu in thousandths, all else in units (bytes,
	// pieces), rounded up; 0 if the list does not name the resource.
	amount func(name v1.ResourceName, list v1.ResourceList) *big.Int
	// result is what becomes of the result of an addition, subtraction or multiplication: nothing.
	result func(*big.Int) *big.Int
	// classes returns the class of which the devices stand for an extended resource.
	classes classes
	// devices returns those of a node that may count, and seen how one of them looks to the selectors of a class.
	devices func(node *v1.Node, s *Snapshot) []PublishedDevice
	seen    func(d PublishedDevice) PublishedDevice
	// resize are the rules for pods that are being resized, those of the release aside.
	resize ResizeRules
	// wraps is set for rules that are not those which Kubernetes documents: quantities and results that are too large
	// come out as others.
	wraps bool
}

// DocumentedAmounts are the rules that Kubernetes documents: numbers are numbers.
func DocumentedAmounts() AmountRules {
	return AmountRules{
		amount: amount, result: func(n *big.Int) *big.Int { return n }, classes: ClassFor,
		devices: DocumentedDevices().DevicesOn,
		seen:    func(d PublishedDevice) PublishedDevice { return d },
	}
}

// amount returns a quantity as AmountRules.amount says.
//
// Source: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#meaning-of-cpu
// (nothing finer than 1m). The documents do not say that rounding is per pod, after adding up its containers.
func amount(name v1.ResourceName, list v1.ResourceList) *big.Int {
	quantity, named := list[name]
	switch {
	case !named:
		return new(big.Int)
	case name == v1.ResourceCPU && quantity.Sign() >= 0 && quantity.CmpInt64(mostCores) < 0:
		return big.NewInt(quantity.MilliValue())
	case name != v1.ResourceCPU:
		if whole, ok := quantity.AsInt64(); ok {
			return big.NewInt(whole)
		}
	}
	unit, digits := resource.Scale(0), int64(0)
	if name == v1.ResourceCPU {
		unit, digits = resource.Milli, 3
	}
	quantity = quantity.DeepCopy() // what follows changes it
	quantity.RoundUp(unit)
	decimal := quantity.AsDec() // a whole number, divided by ten to the power of its scale
	power := digits - int64(decimal.Scale())
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(max(power, -power)), nil)
	if power < 0 {
		return ten.Quo(decimal.UnscaledBig(), ten)
	}
	return ten.Mul(decimal.UnscaledBig(), ten)
}

// mostCores is beyond what is counted in thousandths without big numbers.
const mostCores = 1 << 52

// requests returns what the pod requests, by the documents of the profile's release.
func (r AmountRules) requests(p *Profile, pod *v1.Pod) v1.ResourceList {
	return r.resizing(p).requests(pod, nil)
}

// resizing returns the rules for pods that are being resized in the profile's release.
func (r AmountRules) resizing(p *Profile) ResizeRules {
	rules := r.resize
	rules.perContainer = !p.has(ResizeSummed())
	rules.wholeStated = !p.has(WholeResized())
	rules.wholeIgnored = !p.has(WholeRequested())
	return rules
}

// together adds the amounts of a resource up.
func (r AmountRules) together(name v1.ResourceName, lists []v1.ResourceList) *big.Int {
	total := new(big.Int)
	for _, list := range lists {
		total.Add(total, r.amount(name, list))
	}
	return r.result(total)
}

// none reports whether the amount is 0.
func none(amount *big.Int) bool { return amount.Sign() == 0 }

// atMost is <=.
func atMost(a, b *big.Int) bool { return a.Cmp(b) <= 0 }

package generate

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// Extended resources, huge pages and labels that nodes have and pods ask for.
const (
	gpu       v1.ResourceName = "example.com/gpu"
	hugePages v1.ResourceName = "hugepages-2Mi"

	zone  = "zone"
	cores = "cores"
)

// The values of the labels: cores are compared as integers, and some are none.
var (
	zones      = []string{"a", "b", ""}
	coreCounts = []string{"8", "16", "08", "many", "0x10", "9223372036854775808", ""}
)

// Node draws a node without a name.
func Node() *rapid.Generator[*v1.Node] {
	return rapid.Custom(func(t *rapid.T) *v1.Node {
		node := &v1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{}}}
		label := func(key string, values []string) {
			if rapid.IntRange(0, 2).Draw(t, "has "+key) > 0 {
				node.Labels[key] = rapid.SampledFrom(values).Draw(t, key)
			}
		}
		label(zone, zones)
		label(cores, coreCounts)
		node.Status.Allocatable = quantities(t, []amounts{
			{v1.ResourceCPU, []string{"4", "2", "8", "3", "4"}, []string{"1", "1500m", "1501m", "0", "64"}},
			{v1.ResourceMemory, []string{"8Gi", "4Gi", "16Gi", "6G"}, []string{"2Gi", "200Mi", "0", "1Ti"}},
			{v1.ResourcePods, []string{"110"}, []string{"3", "2", "1", "0"}},
			{v1.ResourceEphemeralStorage, []string{"10Gi"}, []string{"", "1Gi", "0"}},
			{gpu, []string{"", "1", "2"}, []string{"0"}},
			{hugePages, []string{"", "8Mi"}, []string{"0", "2Mi"}},
		})
		node.Status.Capacity = node.Status.Allocatable.DeepCopy()
		node.Spec.Taints = taints(t)
		switch rapid.IntRange(0, 15).Draw(t, "cordoned") {
		case 14:
			node.Spec.Unschedulable = true
		case 15: // as the node controller leaves it
			node.Spec.Unschedulable = true
			node.Spec.Taints = append(node.Spec.Taints, v1.Taint{Key: v1.TaintNodeUnschedulable,
				Effect: v1.TaintEffectNoSchedule})
		}
		return node
	})
}

// amounts are the quantities of a resource to draw from, the odd ones rarely; an empty one leaves it out.
type amounts struct {
	resource   v1.ResourceName
	usual, odd []string
}

func quantities(t *rapid.T, of []amounts) v1.ResourceList {
	list := v1.ResourceList{}
	for _, a := range of {
		from := a.usual
		if rapid.IntRange(0, 7).Draw(t, "odd "+string(a.resource)) == 7 {
			from = a.odd
		}
		if quantity := rapid.SampledFrom(from).Draw(t, string(a.resource)); quantity != "" {
			list[a.resource] = resource.MustParse(quantity)
		}
	}
	return list
}

var effects = []v1.TaintEffect{v1.TaintEffectNoSchedule, v1.TaintEffectPreferNoSchedule, v1.TaintEffectNoExecute}

// The keys and values of taints. Values may be integers, which the operators Lt and Gt of tolerations would compare.
var (
	taintKeys   = []string{"dedicated", "spot"}
	taintValues = []string{"", "infra", "5"}
)

// taints draws few taints, mostly none; of a key and an effect there can be one.
func taints(t *rapid.T) []v1.Taint {
	taint := rapid.Custom(func(t *rapid.T) v1.Taint {
		return v1.Taint{
			Key:    rapid.SampledFrom(taintKeys).Draw(t, "key"),
			Value:  rapid.SampledFrom(taintValues).Draw(t, "value"),
			Effect: rapid.SampledFrom(effects).Draw(t, "effect"),
		}
	})
	most := rapid.SampledFrom([]int{0, 0, 0, 1, 3}).Draw(t, "taints")
	return rapid.SliceOfNDistinct(taint, 0, most, func(t v1.Taint) [2]string {
		return [2]string{t.Key, string(t.Effect)}
	}).Draw(t, "taints")
}

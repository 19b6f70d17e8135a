package spec

import (
	"math/big"
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"pgregory.net/rapid"
)

func TestAmount(t *testing.T) {
	for _, row := range []struct {
		reason   string
		name     v1.ResourceName
		quantity string
		want     string
	}{
		{"cpu is in thousandths", v1.ResourceCPU, "2", "2000"},
		{"nothing finer than that", v1.ResourceCPU, "1500u", "2"},
		{"all else is whole", v1.ResourceMemory, "100m", "1"},
		{"in bytes", v1.ResourceMemory, "1Ki", "1024"},
		{"the most a quantity may be", v1.ResourceMemory, "9223372036854775807", "9223372036854775807"},
		{"its thousandths are no int64 any more", v1.ResourceCPU, "9223372036854775807", "9223372036854775807000"},
		{"rounded up where it is just not too large", v1.ResourceCPU, "4503599627370495999900001n", "4503599627370496000"},
		{"rounded up, in thousandths", v1.ResourceCPU, "4503599627370495999900001u", "4503599627370495999901"},
		{"the least", v1.ResourceCPU, "1n", "1"},
		{"nor are those of this", v1.ResourceCPU, "10P", "10000000000000000000"},
		{"none", v1.ResourceMemory, "0", "0"},
	} {
		list := v1.ResourceList{row.name: resource.MustParse(row.quantity)}
		if got := amount(row.name, list).String(); got != row.want {
			t.Errorf("%s: %s %s: got %s, want %s", row.reason, row.name, row.quantity, got, row.want)
		}
		left, before := list[row.name], resource.MustParse(row.quantity)
		if left.String() != before.String() {
			t.Errorf("%s: the quantity became %s", row.reason, left.String())
		}
	}
}

// Where nothing is too large, the defect of counting in int64 does not show.
func TestAmountsOfSmallQuantities(t *testing.T) {
	wrapping := DocumentedAmounts()
	overflowing(&wrapping)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]v1.ResourceName{v1.ResourceCPU, v1.ResourceMemory}).Draw(t, "name")
		milli := rapid.Int64Range(0, 1<<53).Draw(t, "milli")
		list := v1.ResourceList{name: *resource.NewMilliQuantity(milli, resource.DecimalSI)}
		exact, wrapped := amount(name, list), wrapping.amount(name, list)
		if exact.Cmp(wrapped) != 0 {
			t.Errorf("%d thousandths of %s: %s, and %s in int64", milli, name, exact, wrapped)
		}
	})
	for _, row := range []struct{ n, want string }{
		{"9223372036854775807", "9223372036854775807"}, {"9223372036854775808", "-9223372036854775808"},
		{"18446744073709551616", "0"}, {"-9223372036854775809", "9223372036854775807"},
	} {
		n, _ := new(big.Int).SetString(row.n, 10)
		if got := wrapping.result(n).String(); got != row.want {
			t.Errorf("%s in int64 is %s, want %s", row.n, got, row.want)
		}
	}
}

package decisions

import "testing"

func TestInBytes(t *testing.T) {
	tests := []struct {
		n    float64
		want string
	}{{0, "0"}, {1023, "1.02e+03"}, {1024, "1Ki"}, {64 << 20, "64Mi"}, {1.5 * (1 << 40), "1.5Ti"}}
	for _, tt := range tests {
		if got := inBytes(tt.n); got != tt.want {
			t.Errorf("inBytes(%g) = %s, want %s", tt.n, got, tt.want)
		}
	}
}

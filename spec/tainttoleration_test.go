package spec

import (
	"testing"

	v1 "k8s.io/api/core/v1"
)

func TestTolerates(t *testing.T) {
	taint := v1.Taint{Key: "k", Value: "5", Effect: v1.TaintEffectNoSchedule}
	for _, row := range []struct {
		reason     string
		toleration v1.Toleration
		want       bool
	}{
		{"Equal is the default operator", v1.Toleration{Key: "k", Value: "5"}, true},
		{"Equal wants the same value", v1.Toleration{Key: "k", Operator: v1.TolerationOpEqual, Value: "6"}, false},
		{"Equal without a value wants the empty one", v1.Toleration{Key: "k"}, false},
		{"Exists takes any value", v1.Toleration{Key: "k", Operator: v1.TolerationOpExists}, true},
		{"Exists wants the same key", v1.Toleration{Key: "l", Operator: v1.TolerationOpExists}, false},
		{"Exists without a key takes every taint", v1.Toleration{Operator: v1.TolerationOpExists}, true},
		{"... of the given effect", v1.Toleration{Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute},
			false},
		{"an effect that is given must be the taint's",
			v1.Toleration{Key: "k", Value: "5", Effect: v1.TaintEffectNoSchedule}, true},
		{"another effect does not match", v1.Toleration{Key: "k", Value: "5", Effect: v1.TaintEffectPreferNoSchedule},
			false},
		{"Lt needs a feature that is off", v1.Toleration{Key: "k", Operator: v1.TolerationOpLt, Value: "9"}, false},
		{"Gt needs a feature that is off", v1.Toleration{Key: "k", Operator: v1.TolerationOpGt, Value: "1"}, false},
		{"an operator nobody knows matches nothing", v1.Toleration{Key: "k", Operator: "Like", Value: "5"}, false},
	} {
		if got := Tolerates(row.toleration, taint); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

func TestTaintToleration(t *testing.T) {
	tolerateK := []v1.Toleration{{Key: "k", Operator: v1.TolerationOpExists}}
	taint := func(key string, effect v1.TaintEffect) v1.Taint { return v1.Taint{Key: key, Effect: effect} }
	for _, row := range []struct {
		reason      string
		taints      []v1.Taint
		tolerations []v1.Toleration
		want        bool
	}{
		{"no taint keeps nobody off", nil, nil, true},
		{"NoSchedule keeps off", []v1.Taint{taint("k", v1.TaintEffectNoSchedule)}, nil, false},
		{"NoExecute keeps off", []v1.Taint{taint("k", v1.TaintEffectNoExecute)}, nil, false},
		{"PreferNoSchedule does not", []v1.Taint{taint("k", v1.TaintEffectPreferNoSchedule)}, nil, true},
		{"one toleration covers taints of several effects", []v1.Taint{taint("k", v1.TaintEffectNoSchedule),
			taint("k", v1.TaintEffectNoExecute)}, tolerateK, true},
		{"every taint must be tolerated", []v1.Taint{taint("k", v1.TaintEffectNoSchedule),
			taint("l", v1.TaintEffectNoSchedule)}, tolerateK, false},
		{"tolerations without taints do no harm", nil, tolerateK, true},
	} {
		n, p := node("n"), pod("p")
		n.Spec.Taints, p.Spec.Tolerations = row.taints, row.tolerations
		if got := TaintToleration().Holds(&Profile{}, p, n, &Snapshot{}); got != row.want {
			t.Errorf("%s: got %v", row.reason, got)
		}
	}
}

package loop

import (
	"fmt"
	"slices"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// signatures returns the property that pods are taken for equal only if they are.
//
// Source: KEP-5598 and the doc comment of PodSignature and SignPlugin in k8s.io/kube-scheduler/framework: the signature
// says "whether it can use a cached scheduling result"; and that of PodTopologySpread.SignPod in
// k8s.io/kubernetes/pkg/scheduler/framework/plugins/podtopologyspread ("we cannot sign pods that have topology spread
// constraints, either explicit or defaulted", but for line breaks).
func signatures() Property {
	return Property{
		Name: "signatures",
		Doc: "Two pods of one signature, for which the nodes that one leaves are used for the other, or a pod before and " +
			"after it was changed, can be placed on the same nodes, which have the same scores for both; one that spreads, by " +
			"constraints of its own or of its profile, has no signature.",
		Broken: func(t *Transition) []Violation {
			if t.Action.Ref.Kind != "Pod" || t.Action.Verb != Create && t.Action.Verb != Update {
				return nil
			}
			view := t.After.View()
			pod := in(view, t.Action.Ref.Key())
			signature := t.After.Signed[t.Action.Ref.Key()]
			if pod == nil || signature == "" {
				return nil
			}
			var broken []Violation
			if t.spreads(pod) {
				broken = append(broken, Violation{Pod: Key(pod), About: "spreads", But: fmt.Sprintf(
					"%s spreads over topologies, and has a signature", Key(pod))})
			}
			if was := t.Before.heard(Key(pod)); was != nil && t.Before.Signed[Key(pod)] == signature {
				if differ := t.differ(pod, was, view); differ != "" {
					broken = append(broken, Violation{Pod: Key(pod), But: fmt.Sprintf(
						"%s has the signature that it had before it was changed, but %s", Key(pod), differ)})
				}
			}
			for _, other := range view.Pods {
				if other == pod || t.After.Signed[Key(other)] != signature ||
					other.Spec.SchedulerName != pod.Spec.SchedulerName {
					continue
				}
				if differ := t.differ(pod, other, view); differ != "" {
					v := Violation{Pod: Key(pod), But: fmt.Sprintf("%s and %s have the same signature, but %s", Key(pod),
						Key(other), differ)}
					if t.differ(withoutEphemeral(pod), withoutEphemeral(other), view) == "" {
						v.Known = signatureEphemeral
					}
					broken = append(broken, v)
				}
			}
			return broken
		},
	}
}

// spreads reports whether the pod has topology spread constraints, of its own or by default.
func (t *Transition) spreads(pod *v1.Pod) bool {
	args := t.model(pod).Profile.Spread
	return t.runs("PodTopologySpread", pod) && (len(pod.Spec.TopologySpreadConstraints) > 0 ||
		args.Defaulting != "List" || len(args.DefaultConstraints) > 0)
}

// differ says in what two pods are not equal: nominations, and priorities with them, are left aside, as pods with a
// nomination are not taken for equal. It is empty if they are.
func (t *Transition) differ(pod, other *v1.Pod, view *spec.Snapshot) string {
	model := t.model(pod) // the nodes that a cycle leaves are for pods of its own profile
	var both []*v1.Node
	for _, node := range view.Nodes {
		passes, otherPasses := model.Passes(pod, node, view), model.Passes(other, node, view)
		if passes != otherPasses {
			return fmt.Sprintf("only one of them can be on %s", node.Name)
		}
		if passes {
			both = append(both, node)
		}
	}
	scores, otherScores := model.Scores(pod, both, view), model.Scores(other, both, view)
	for i, node := range both {
		if one, another := spec.Total(scores[i]), spec.Total(otherScores[i]); one != another {
			return fmt.Sprintf("%s has a score of %d for one and %d for the other", node.Name, one, another)
		}
	}
	return ""
}

// signatureEphemeral is the name of the defect that claims which differ are not in a signature.
const signatureEphemeral = "signature-ephemeral"

func ephemeralSigned() Known {
	return Known{
		Name: signatureEphemeral, Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "Pods that are alike have one signature, also with ephemeral volumes, of which each has a claim of its own: " +
			"one may go to a node by the scores that volumes of another one have there.",
		Explains: func(t *Transition, pod *v1.Pod) bool {
			return t.takesLeft(pod) && t.Before.Signed[Key(pod)] == t.Before.Batch.Signature &&
				len(withoutEphemeral(pod).Spec.Volumes) < len(pod.Spec.Volumes)
		},
	}
}

// withoutEphemeral returns the pod without its ephemeral volumes.
func withoutEphemeral(pod *v1.Pod) *v1.Pod {
	without := *pod
	without.Spec.Volumes = slices.DeleteFunc(slices.Clone(pod.Spec.Volumes),
		func(v v1.Volume) bool { return v.Ephemeral != nil })
	return &without
}

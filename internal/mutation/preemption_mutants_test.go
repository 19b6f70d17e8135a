package mutation

import (
	"math"
	"slices"

	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// preemptionMutants have faults in who is evicted, and for whom.
func preemptionMutants() []mutant {
	evict := func(name, theme, what string, f preemptionFault) mutant {
		return mutant{name: name, plugin: names.DefaultPreemption, theme: theme, what: what, planted: inPreemption(f)}
	}
	return []mutant{
		evict(
			"never-overlooked",
			"priorities",
			"a pod that never preempts does",
			preemptionFault{eligible: func(_ *v1.Pod, _ bool) bool { return true }},
		),
		evict(
			"nobody-preempts-twice",
			"priorities",
			"a pod with a nomination may not preempt again",
			preemptionFault{eligible: func(p *v1.Pod, eligible bool) bool {
				return eligible && p.Status.NominatedNodeName == ""
			}},
		),
		evict(
			"important-first",
			"priorities",
			"who matters most is put back last",
			preemptionFault{plugin: func(p *defaultpreemption.DefaultPreemption) {
				important := p.MoreImportantPod
				p.MoreImportantPod = func(a, b *v1.Pod) bool { return important(b, a) }
			}},
		),
		evict(
			"negative-spared",
			"priorities",
			"pods of negative priority are not evicted",
			preemptionFault{plugin: func(p *defaultpreemption.DefaultPreemption) {
				p.IsEligiblePod = func(_ fwk.NodeInfo, victim fwk.PodInfo,
					_ *v1.Pod) bool {
					return spec.Priority(victim.GetPod()) >= 0
				}
			}},
		),
		evict(
			"zero-spared",
			"priorities",
			"pods without priority are not evicted",
			preemptionFault{plugin: func(p *defaultpreemption.DefaultPreemption) {
				p.IsEligiblePod = func(_ fwk.NodeInfo, victim fwk.PodInfo,
					_ *v1.Pod) bool {
					return spec.Priority(victim.GetPod()) != 0
				}
			}},
		),
		evict(
			"nobody-back",
			"priorities",
			"nobody is put back who could stay",
			preemptionFault{victims: func(node fwk.NodeInfo, victims []*v1.Pod, violations int) ([]*v1.Pod, int) {
				most := spec.Priority(victims[0])
				for _, p := range node.GetPods() {
					if pod := p.GetPod(); spec.Priority(pod) < most && !slices.Contains(victims, pod) {
						victims = append(victims, pod)
					}
				}
				return victims, violations
			}},
		),
		evict(
			"one-victim-lost",
			"priorities",
			"of several victims the first stays",
			preemptionFault{victims: func(_ fwk.NodeInfo, victims []*v1.Pod, violations int) ([]*v1.Pod, int) {
				return victims[min(1, len(victims)-1):], violations
			}},
		),
		evict(
			"budgets-overlooked",
			"budgets",
			"disruption budgets do not count",
			preemptionFault{
				budgets: func([]*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget { return nil },
			},
		),
		evict(
			"budget-of-one-more",
			"budgets",
			"a budget allows one disruption more than it states",
			preemptionFault{budgets: func(budgets []*policyv1.PodDisruptionBudget) []*policyv1.PodDisruptionBudget {
				var generous []*policyv1.PodDisruptionBudget
				for _, b := range budgets {
					b = b.DeepCopy()
					b.Status.DisruptionsAllowed++
					generous = append(generous, b)
				}
				return generous
			}},
		),
		evict(
			"violations-not-counted",
			"budgets",
			"among nodes, violations of budgets do not count",
			preemptionFault{victims: func(_ fwk.NodeInfo, victims []*v1.Pod, _ int) ([]*v1.Pod, int) {
				return victims, 0
			}},
		),
		evict("fewest-first", "priorities", "among nodes, the number of victims counts before their priority",
			preemptionFault{prefer: order{leastViolations, fewest, lowestHighest, lowestSum, latestStart}}),
		evict(
			"highest-first",
			"priorities",
			"among nodes, the one with the most important victim is taken",
			preemptionFault{
				prefer: order{
					leastViolations,
					func(v *extenderv1.Victims) int64 { return -lowestHighest(v) },
					lowestSum,
					fewest,
					latestStart,
				},
			},
		),
		evict("sum-before-highest", "priorities", "among nodes, the sum of priorities counts before the highest",
			preemptionFault{prefer: order{leastViolations, lowestSum, lowestHighest, fewest, latestStart}}),
		evict("sum-overlooked", "priorities",
			"among nodes, neither the sum of priorities counts nor the number of victims",
			preemptionFault{prefer: order{leastViolations, lowestHighest, latestStart}}),
		evict("start-overlooked", "priorities", "among nodes, it does not count since when the victims run",
			preemptionFault{prefer: order{leastViolations, lowestHighest, lowestSum, fewest}}),
	}
}

// order is an order of candidates: each rule decides among those that are equal by the ones before.
type order = []func(*extenderv1.Victims) int64

// documentedOrder is the one that Kubernetes documents.
func documentedOrder() order {
	return order{leastViolations, lowestHighest, lowestSum, fewest, latestStart}
}

func leastViolations(v *extenderv1.Victims) int64 { return -v.NumPDBViolations }

func fewest(v *extenderv1.Victims) int64 { return -int64(len(v.Pods)) }

func lowestHighest(v *extenderv1.Victims) int64 {
	highest := spec.Priority(v.Pods[0])
	for _, pod := range v.Pods {
		highest = max(highest, spec.Priority(pod))
	}
	return -int64(highest)
}

// latestStart goes by the longest-running of the victims of the highest priority.
func latestStart(v *extenderv1.Victims) int64 {
	earliest := int64(math.MaxInt64)
	for _, pod := range v.Pods {
		if int64(spec.Priority(pod)) == -lowestHighest(v) {
			earliest = min(earliest, pod.Status.StartTime.Unix())
		}
	}
	return earliest
}

// lowestSum counts priorities from the lowest there can be, as documented.
func lowestSum(v *extenderv1.Victims) int64 {
	sum := int64(0)
	for _, pod := range v.Pods {
		sum += int64(spec.Priority(pod)) + 1<<31
	}
	return -sum
}

// cycleMutants have faults in what the scheduler does around its plugins.
func cycleMutants() []mutant {
	cycle := func(name, theme, what string, f decisionFault) mutant {
		return mutant{name: name, plugin: "none", theme: theme, what: what, around: around(f)}
	}
	return []mutant{
		cycle(
			"nominations-overlooked",
			"priorities",
			"who is nominated does not count",
			decisionFault{pod: func(p *v1.Pod) { p.Status.NominatedNodeName = "" }},
		),
		cycle(
			"terminating-are-gone",
			"priorities",
			"pods that terminate hold nothing",
			decisionFault{pod: func(p *v1.Pod) {
				if p.DeletionTimestamp != nil {
					p.Spec.Containers, p.Spec.InitContainers, p.Spec.Overhead = nil, nil, nil
				}
			}},
		),
		cycle(
			"priority-overlooked",
			"priorities",
			"every pod has the same priority",
			decisionFault{pod: func(p *v1.Pod) {
				p.Spec.Priority = new(int32)
			}},
		),
		cycle("worst-node", "resources", "the node of the lowest score is taken", decisionFault{decision: takeWorst}),
		cycle(
			"first-node",
			"resources",
			"of several nodes the first is taken, whatever its score",
			decisionFault{decision: func(_ spec.Question, d *spec.Decision) {
				if d.Outcomes[0].Type == spec.Bind {
					d.Outcomes = []spec.Outcome{
						{
							Type: spec.Bind,
							Node: slices.IndexFunc(
								d.Nodes,
								func(n spec.NodeDecision) bool { return n.Scores != nil || n.Overall == spec.Fits },
							),
						},
					}
				}
			}},
		),
		cycle(
			"first-candidate",
			"budgets",
			"of several nodes to preempt on the first is taken",
			decisionFault{decision: func(_ spec.Question, d *spec.Decision) {
				if d.Outcomes[0].Type == spec.Preempt {
					first := d.Candidates[0]
					d.Outcomes = []spec.Outcome{{Type: spec.Preempt, Node: first.Node, Victims: first.Victims}}
				}
			}},
		),
		cycle(
			"nomination-not-cleared",
			"priorities",
			"a nomination that is of no use any more stays",
			decisionFault{decision: func(q spec.Question, d *spec.Decision) {
				for i := range d.Outcomes {
					d.Outcomes[i].KeepsNomination = d.Outcomes[i].Type == spec.Wait &&
						q.Pod.Status.NominatedNodeName != ""
				}
			}},
		),
		cycle(
			"nomination-forgotten",
			"priorities",
			"a pod that waits for its victims loses its nomination",
			decisionFault{decision: func(_ spec.Question, d *spec.Decision) {
				for i := range d.Outcomes {
					d.Outcomes[i].KeepsNomination = false
				}
			}},
		),
	}
}

// takeWorst binds the pod to the nodes of the lowest total.
func takeWorst(_ spec.Question, d *spec.Decision) {
	if d.Outcomes[0].Type != spec.Bind {
		return
	}
	var worst []spec.Outcome
	least := int64(0)
	for i, n := range d.Nodes {
		if n.Scores == nil {
			continue
		}
		if len(worst) > 0 && n.Total < least {
			worst = nil
		}
		if len(worst) == 0 || n.Total == least {
			worst, least = append(worst, spec.Outcome{Type: spec.Bind, Node: i}), n.Total
		}
	}
	if len(worst) > 0 {
		d.Outcomes = worst
	}
}

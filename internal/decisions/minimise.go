package decisions

import (
	"maps"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostTries bounds how often the trace of one finding is gone through again.
const mostTries = 1000

// minimiser makes the example of a finding smaller: it leaves out nodes of the first cluster, objects around it,
// and one by one what the node and pod templates say, as long as the same steps can be taken and lead to the same
// sort of finding, and to all else that is wrong with the decision: where it goes wrong in the end says more than a
// status that makes no difference. The steps stay: no fewer lead there. What comes out is a local minimum, the
// same one every time.
type minimiser struct {
	comparer *comparer
	// valid reports whether an object that says less can be in a cluster; nil means every one can.
	valid   func(runtime.Object) bool
	finding Finding
	// broken are the properties that the decision breaks.
	broken []string
	tries  int
}

// minimise returns a smaller example of a finding in the machine. Examples of steps, of whole states and of what goes
// on for ever stay as they are. valid reports whether an object that says less can be in a cluster; nil means every
// one can.
func minimise(f Finding, machine *model.Machine, c *comparer, valid func(runtime.Object) bool) Example {
	if f.Property.Decision == nil && f.Property.Node == nil || len(f.Example.Stages) == 0 {
		return f.Example
	}
	begin, err := machine.Begin(f.Example.Stages[0])
	if err != nil {
		return f.Example
	}
	smaller := &minimiser{comparer: c, valid: valid, finding: f}
	if f.Property.Decision != nil {
		smaller.broken = brokenBy(c.properties, f.Example.Case)
	}
	scenario := *machine.Scenario
	scenario.Initial = []model.Cluster{begin}
	example, ok := smaller.try(&scenario)
	if !ok {
		return f.Example // names make a difference, say
	}
	for again := true; again && smaller.tries < mostTries; {
		again = false
		for _, candidate := range []func(*model.Scenario) (*model.Scenario, Example, bool){smaller.withoutNodes,
			smaller.withoutSurroundings, smaller.simplerTemplates, smaller.smallerAmounts} {
			if less, found, better := candidate(&scenario); better {
				scenario, example, again = *less, found, true
			}
		}
	}
	return example
}

// try takes the steps of the finding's example in the scenario. It returns the example there, and
// whether it is of the same sort.
func (m *minimiser) try(s *model.Scenario) (Example, bool) {
	m.tries++
	machine, err := model.NewMachine(s, model.NewCatalog())
	if err != nil {
		return Example{}, false
	}
	walker := machine.NewWalker()
	example := Example{Scenario: m.finding.Example.Scenario}
	for _, stage := range m.finding.Example.Stages {
		here := walker.Stage()
		if stage.Step != nil {
			who, _, err := m.comparer.takers(walker, stage.Step)
			if err != nil || stage.Step.Class.Decided() && who == (StepTakers{}) {
				return example, false
			}
			if _, err := walker.Take(stage.Step); err != nil {
				return example, false
			}
			here.Step = stage.Step.In(here.Cluster, walker.Stage().Cluster)
			example.Takers = append(example.Takers, who)
		}
		example.Stages = append(example.Stages, here)
	}
	last := example.Stages[len(example.Stages)-1]
	if m.finding.Property.Node != nil {
		example.Reasons = nodeReasons(m.comparer.spec, m.finding, last, s)
		return example, len(example.Reasons) >= len(m.finding.Example.Reasons)
	}
	asked := m.finding.Example.Case.Question.Pod
	i := slices.IndexFunc(
		last.Cluster.Pods,
		func(p *v1.Pod) bool { return p.Namespace == asked.Namespace && p.Name == asked.Name },
	)
	if i < 0 {
		return example, false
	}
	q := spec.Question{Pod: last.Cluster.Pods[i], Snapshot: last.Cluster}
	if !m.comparer.shows(q, m.finding.key) {
		return example, false
	}
	example.Case = m.comparer.decide(q)
	_, breaches := m.finding.Property.Decision(example.Case)
	example.Reasons = reasons(m.finding, breaches)
	broken := brokenBy(m.comparer.properties, example.Case)
	same := !slices.ContainsFunc(m.broken, func(name string) bool { return !slices.Contains(broken, name) })
	return example, same && len(example.Reasons) >= len(m.finding.Example.Reasons)
}

// brokenBy names the properties that the decision breaks.
func brokenBy(properties []invariants.Property, c *invariants.Case) []string {
	var names []string
	_, all := checkAll(ofDecisions(properties), c)
	for _, b := range all {
		names = append(names, b.property.Name)
	}
	return names
}

// withoutNodes leaves out nodes of the first cluster, with the pods on them.
func (m *minimiser) withoutNodes(s *model.Scenario) (*model.Scenario, Example, bool) {
	return m.each(s, func(s *model.Scenario, i int) (*model.Scenario, bool) {
		nodeStates := s.Initial[0].Nodes
		if i >= len(nodeStates) || len(nodeStates) == 1 {
			return nil, false
		}
		less := *s
		less.Initial = []model.Cluster{
			{Nodes: slices.Delete(slices.Clone(nodeStates), i, i+1), Pending: s.Initial[0].Pending},
		}
		return &less, true
	})
}

// withoutSurroundings leaves out what is around nodes and pods, but for namespaces that something is in.
func (m *minimiser) withoutSurroundings(s *model.Scenario) (*model.Scenario, Example, bool) {
	return m.each(s, func(s *model.Scenario, i int) (*model.Scenario, bool) {
		around := slices.DeleteFunc(objects(&s.Around), func(o runtime.Object) bool {
			namespace, isNamespace := o.(*v1.Namespace)
			return isNamespace && (inUse(namespace.Name, &s.Around) ||
				slices.ContainsFunc(s.Pods,
					func(t model.PodTemplate) bool { return t.Pod.Namespace == namespace.Name }))
		})
		if i >= len(around) {
			return nil, false
		}
		less := *s
		less.Around = *rebuilt(spec.Question{Pod: &v1.Pod{}, Snapshot: &s.Around},
			func(o runtime.Object) runtime.Object {
				if o == around[i] {
					return nil
				}
				return o
			}).Snapshot
		less.Around.Now = momentOf(&less)
		return &less, true
	})
}

// momentOf returns when the scenario is, as whoever reads it has it.
func momentOf(s *model.Scenario) metav1.Time {
	all := spec.Snapshot{ResourceClaims: s.Around.ResourceClaims}
	for _, template := range s.Nodes {
		all.Nodes = append(all.Nodes, template.Node)
	}
	return spec.Moment(&all)
}

// simplerTemplates leaves out what templates say.
func (m *minimiser) simplerTemplates(s *model.Scenario) (*model.Scenario, Example, bool) {
	return m.templates(s, func(object runtime.Object, i int) (runtime.Object, bool) {
		cutter := &reducer{left: i}
		less := cutter.cut(object)
		if len(written(less)) >= len(written(object)) {
			return object, cutter.done
		}
		return less, cutter.done
	})
}

// smallerAmounts makes what templates have and request small.
func (m *minimiser) smallerAmounts(s *model.Scenario) (*model.Scenario, Example, bool) {
	return m.templates(s, lessAmount)
}

// lessAmount returns the object with the i-th of its amounts that are more than small made small; false if there is
// none.
func lessAmount(object runtime.Object, i int) (runtime.Object, bool) {
	less := object.DeepCopyObject()
	for _, list := range amounts(less) {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			small := resource.MustParse("1")
			if name == v1.ResourceMemory || name == v1.ResourceEphemeralStorage {
				small = resource.MustParse("1Gi")
			}
			if quantity := list[name]; quantity.Cmp(small) <= 0 {
				continue
			}
			if i == 0 {
				list[name] = small
				return less, true
			}
			i--
		}
	}
	return less, false
}

// amounts are the lists of resources of a node or pod.
func amounts(object runtime.Object) []v1.ResourceList {
	switch object := object.(type) {
	case *v1.Node:
		return []v1.ResourceList{object.Status.Allocatable, object.Status.Capacity}
	case *v1.Pod:
		all := []v1.ResourceList{object.Spec.Overhead}
		for _, c := range slices.Concat(object.Spec.InitContainers, object.Spec.Containers) {
			all = append(all, c.Resources.Requests, c.Resources.Limits)
		}
		if object.Spec.Resources != nil {
			all = append(all, object.Spec.Resources.Requests, object.Spec.Resources.Limits)
		}
		return all
	}
	return nil
}

// templates tries, for one template after the other, what change makes of it by number: the object itself where nothing
// smaller comes of a number, and false if there are no further ones.
func (m *minimiser) templates(s *model.Scenario,
	change func(runtime.Object, int) (runtime.Object, bool)) (*model.Scenario, Example, bool) {
	found, better := Example{}, false
	each := func(object func(*model.Scenario) runtime.Object, put func(*model.Scenario, runtime.Object)) {
		changed, example, ok := m.each(s, func(s *model.Scenario, i int) (*model.Scenario, bool) {
			less, more := change(object(s), i)
			if !more || less == object(s) {
				return s, more
			}
			with := *s
			with.Nodes, with.Pods = slices.Clone(s.Nodes), slices.Clone(s.Pods)
			put(&with, less)
			return &with, true
		})
		if ok {
			s, found, better = changed, example, true
		}
	}
	for k := range s.Nodes {
		each(
			func(s *model.Scenario) runtime.Object { return s.Nodes[k].Node },
			func(s *model.Scenario, o runtime.Object) { s.Nodes[k].Node = o.(*v1.Node) },
		)
	}
	for k := range s.Pods {
		each(
			func(s *model.Scenario) runtime.Object { return s.Pods[k].Pod },
			func(s *model.Scenario, o runtime.Object) { s.Pods[k].Pod = o.(*v1.Pod) },
		)
	}
	return s, found, better
}

// each tries the candidates by number, those that are left when one is taken under its number, until there is none.
func (m *minimiser) each(s *model.Scenario,
	candidate func(s *model.Scenario, i int) (*model.Scenario, bool)) (*model.Scenario, Example, bool) {
	found, better := Example{}, false
	for i := 0; m.tries < mostTries; {
		less, ok := candidate(s, i)
		if !ok {
			break
		}
		if less == s || !m.validTemplates(less, s) {
			i++
			continue
		}
		if example, same := m.try(less); same {
			s, found, better = less, example, true
		} else {
			i++
		}
	}
	return s, found, better
}

// validTemplates reports whether the templates that are new in the scenario can be in a cluster.
func (m *minimiser) validTemplates(less, s *model.Scenario) bool {
	fine := func(o runtime.Object, name string) bool {
		if m.valid == nil {
			return true
		}
		named := o.DeepCopyObject()
		switch named := named.(type) {
		case *v1.Node:
			named.Name = name
		case *v1.Pod:
			// admission takes a priority from stored pods only
			named.Name, named.UID = name, model.PodUID(named.Namespace, name)
		}
		return m.valid(named)
	}
	for i := range less.Nodes {
		if less.Nodes[i].Node != s.Nodes[i].Node && !fine(less.Nodes[i].Node, less.Nodes[i].Name) {
			return false
		}
	}
	for i := range less.Pods {
		if less.Pods[i].Pod != s.Pods[i].Pod && !fine(less.Pods[i].Pod, less.Pods[i].Name) {
			return false
		}
	}
	return true
}

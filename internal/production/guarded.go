package production

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Guarded is Profiles with plugins that may change what they are given: informers and snapshot have copies of the
// objects, which are compared after each decision. A change is the decision's Failure. It costs more than a decision
// does, so it is for plugins that are not Kubernetes' own.
type Guarded struct {
	*Profiles
	// plugins names those that may have done it, for messages.
	plugins string
	// handed has the copies by what they are copied from, and pods the way back.
	handed map[runtime.Object]runtime.Object
	pods   map[*v1.Pod]*v1.Pod
}

// maxHanded is the number of copies that are kept between questions.
const maxHanded = 1 << 14

// NewGuarded is NewProfiles for the plugins with the given names.
func NewGuarded(ctx context.Context, cfg *Config, schedulerName string, opts Options,
	plugins []string) (*Guarded, error) {
	profiles, err := NewProfiles(ctx, cfg, schedulerName, opts)
	if err != nil {
		return nil, err
	}
	g := &Guarded{Profiles: profiles, plugins: strings.Join(plugins, " or ")}
	g.forget()
	return g, nil
}

func (g *Guarded) forget() {
	g.handed, g.pods = map[runtime.Object]runtime.Object{}, map[*v1.Pod]*v1.Pod{}
}

// Decide asks where the pod should go, as Scheduler.Decide does.
func (g *Guarded) Decide(q spec.Question) *spec.Decision {
	asked := g.hand(q)
	decision := g.Profiles.Decide(asked)
	s := g.under(q.Pod)
	if s.worker == nil { // what was left behind may still change its copies
		g.forget()
		return decision
	}
	changed := firstChange(q, asked)
	if changed == "" {
		changed = s.worker.engine.snapshot.changed()
	}
	if changed != "" {
		s.retire()
		g.forget()
		return &spec.Decision{Failure: fmt.Sprintf("mutation: %s, which plugins only read; it was changed by %s",
			changed, g.plugins)}
	}
	for i := range decision.Outcomes {
		decision.Outcomes[i].Victims = g.given(decision.Outcomes[i].Victims)
	}
	for i := range decision.Candidates {
		decision.Candidates[i].Victims = g.given(decision.Candidates[i].Victims)
	}
	for i, write := range decision.Writes {
		if original := g.pods[write.Pod]; original != nil {
			decision.Writes[i].Pod = original
		}
	}
	return decision
}

// Increment asks the filters about a pod that comes or goes, as Scheduler.Increment does.
func (g *Guarded) Increment(q spec.Question, pod *v1.Pod) (*spec.Increment, error) {
	asked := g.hand(q)
	handed, is := g.handed[pod].(*v1.Pod)
	if !is {
		return g.Profiles.Increment(q, pod) // it is not in the question, which is an error
	}
	increment, err := g.Profiles.Increment(asked, handed)
	if changed := firstChange(q, asked); changed != "" {
		g.under(q.Pod).retire()
		g.forget()
		return nil, fmt.Errorf("counting %s/%s: mutation: %s, which plugins only read; it was changed by %s",
			pod.Namespace, pod.Name, changed, g.plugins)
	}
	if increment != nil {
		increment.Pod = pod
	}
	return increment, err
}

// hand returns the question with copies in the place of its objects.
func (g *Guarded) hand(q spec.Question) spec.Question {
	if len(g.handed) > maxHanded {
		g.forget()
	}
	from := q.Snapshot
	q.Pod, q.Snapshot = handed(g, q.Pod), from.Without()
	s := q.Snapshot
	s.Nodes, s.Pods = each(g, from.Nodes), each(g, from.Pods)
	s.Namespaces, s.PodDisruptionBudgets = each(g, from.Namespaces), each(g, from.PodDisruptionBudgets)
	s.PersistentVolumes = each(g, from.PersistentVolumes)
	s.PersistentVolumeClaims = each(g, from.PersistentVolumeClaims)
	s.StorageClasses, s.CSINodes = each(g, from.StorageClasses), each(g, from.CSINodes)
	s.CSIDrivers, s.CSIStorageCapacities = each(g, from.CSIDrivers), each(g, from.CSIStorageCapacities)
	s.ResourceClaims, s.ResourceClaimTemplates = each(g, from.ResourceClaims), each(g, from.ResourceClaimTemplates)
	s.ResourceSlices, s.DeviceClasses = each(g, from.ResourceSlices), each(g, from.DeviceClasses)
	s.VolumeAttachments, s.Services = each(g, from.VolumeAttachments), each(g, from.Services)
	s.ReplicationControllers = each(g, from.ReplicationControllers)
	s.ReplicaSets, s.StatefulSets = each(g, from.ReplicaSets), each(g, from.StatefulSets)
	return q
}

func each[T object](g *Guarded, from []T) []T {
	var all []T
	for _, o := range from {
		all = append(all, handed(g, o))
	}
	return all
}

func handed[T object](g *Guarded, from T) T {
	if known, is := g.handed[from].(T); is {
		return known
	}
	copied := from.DeepCopyObject().(T)
	g.handed[from] = copied
	if pod, is := any(copied).(*v1.Pod); is {
		g.pods[pod] = any(from).(*v1.Pod)
	}
	return copied
}

// given returns the pods that were copied.
func (g *Guarded) given(pods []*v1.Pod) []*v1.Pod {
	var all []*v1.Pod
	for _, pod := range pods {
		all = append(all, g.pods[pod])
	}
	return all
}

// firstChange tells of the first object of the question that is not as it was given; empty if all are.
func firstChange(q, asked spec.Question) string {
	before, after := objectsOf(q), objectsOf(asked)
	for i := range before {
		if !equality.Semantic.DeepEqual(before[i], after[i]) {
			return changeOf(before[i], after[i])
		}
	}
	return ""
}

// objectsOf lists the objects of the question.
func objectsOf(q spec.Question) []runtime.Object {
	all := []runtime.Object{q.Pod}
	lists := reflect.ValueOf(q.Snapshot).Elem()
	for i := range lists.NumField() {
		if !lists.Type().Field(i).IsExported() || lists.Field(i).Kind() != reflect.Slice {
			continue
		}
		for j := range lists.Field(i).Len() {
			all = append(all, lists.Field(i).Index(j).Interface().(runtime.Object))
		}
	}
	return all
}

// changed tells of the first node whose information is not what follows from its pods; empty if there is none.
func (s *snapshot) changed() string {
	for i, entry := range s.infos {
		got := any(entry).(*framework.NodeInfo)
		want := framework.NewNodeInfo()
		for _, pod := range s.bound[i] {
			want.AddPodInfo(s.known.pod(pod))
		}
		want.SetNode(got.Node())
		for _, field := range []struct {
			name      string
			got, want any
		}{
			{"Pods", len(got.Pods), len(want.Pods)},
			{"Requested", *got.Requested, *want.Requested},
			{"NonZeroRequested", *got.NonZeroRequested, *want.NonZeroRequested},
			{"Allocatable", *got.Allocatable, *want.Allocatable},
			{"UsedPorts", got.UsedPorts, want.UsedPorts},
			{"PVCRefCounts", got.PVCRefCounts, want.PVCRefCounts},
		} {
			if !equality.Semantic.DeepEqual(field.got, field.want) {
				return fmt.Sprintf("the NodeInfo of node %s: %s was %v and is %v", got.Node().Name, field.name,
					field.want, field.got)
			}
		}
	}
	return ""
}

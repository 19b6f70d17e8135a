package stepped

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// held says what a cache holds, one line for each thing and none for what is zero or empty: kube-scheduler keeps an
// entry of 0 for what nobody requests any more, which nothing of it tells from none. Versions are not in it, as states
// that are the same are reached by different numbers of writes. Images are left out: how many nodes have one is
// counted when a snapshot is taken.
type held struct {
	assumed sets.Set[string] // by uid
	api     map[loop.Ref]runtime.Object
}

// expected returns the lines of the cache that the objects would make.
func (h held) expected(view *spec.Snapshot) []string {
	infos := map[string]*framework.NodeInfo{}
	at := func(name string) *framework.NodeInfo {
		if infos[name] == nil {
			infos[name] = framework.NewNodeInfo()
		}
		return infos[name]
	}
	for _, pod := range view.Pods {
		if pod.Spec.NodeName != "" {
			at(pod.Spec.NodeName).AddPod(pod)
		}
	}
	for _, node := range view.Nodes {
		at(node.Name).SetNode(node)
	}
	onNode := map[string][]string{}
	for name, info := range infos {
		onNode[name] = h.lines(name, info)
	}
	return inOrder(onNode)
}

func inOrder(onNode map[string][]string) []string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(onNode)) {
		all = append(all, onNode[name]...)
	}
	return all
}

// lines says what the scheduler holds of a node.
func (h held) lines(name string, info *framework.NodeInfo) []string {
	out := []string{name + ": no node"}
	if node := info.Node(); node != nil {
		out[0] = name + ": node" + h.unlikeAPI(node)
	}
	out = append(out, amounts(name+": requested", info.Requested)...)
	if info.Node() != nil { // nothing reads what a node could hold that is gone
		out = append(out, amounts(name+": allocatable", info.Allocatable)...)
	}
	var used []string
	for ip, ports := range info.UsedPorts {
		for port := range ports {
			used = append(used, loop.HeldPort(name, ip, port.Protocol, port.Port))
		}
	}
	for claim, users := range info.PVCRefCounts {
		if users != 0 {
			used = append(used, fmt.Sprintf("%s: claim %s used by %d", name, claim, users))
		}
	}
	slices.Sort(used)
	var pods []string
	for _, p := range info.GetPods() {
		pod := p.GetPod()
		if h.assumed.Has(string(pod.UID)) {
			pods = append(pods, fmt.Sprintf("%s: pod %s, assumed", name, loop.Key(pod)))
		} else {
			pods = append(pods, fmt.Sprintf("%s: pod %s%s", name, loop.Key(pod), h.unlikeAPI(pod)))
		}
	}
	slices.Sort(pods)
	return slices.Concat(out, used, pods)
}

// amounts returns the resources that are not 0.
func amounts(of string, r fwk.Resource) []string {
	var lines []string
	note := func(name v1.ResourceName, amount int64) {
		if amount != 0 {
			lines = append(lines, of+" "+string(name)+" "+strconv.FormatInt(amount, 10))
		}
	}
	note(v1.ResourceCPU, r.GetMilliCPU())
	note(v1.ResourceEphemeralStorage, r.GetEphemeralStorage())
	note(v1.ResourceMemory, r.GetMemory())
	note(v1.ResourcePods, int64(r.GetAllowedPodNumber()))
	for name, amount := range r.GetScalarResources() {
		note(name, amount)
	}
	slices.Sort(lines)
	return lines
}

// unlikeAPI says what the object is like if it is not as the API server has it; "" if it is.
func (h held) unlikeAPI(object interface {
	runtime.Object
	metav1.Object
}) string {
	if has, ok := h.api[loop.RefOf(object)].(metav1.Object); ok &&
		has.GetResourceVersion() == object.GetResourceVersion() && has.GetUID() == object.GetUID() {
		return ""
	}
	old, _ := object.DeepCopyObject().(metav1.Object)
	old.SetResourceVersion("")
	old.SetGeneration(0)
	old.SetUID("")
	data, err := json.Marshal(old)
	if err != nil {
		panic(fmt.Sprintf("an API object that is no JSON: %v", err)) // cannot be: it came from JSON
	}
	return ", which the API server has otherwise: " + string(data)
}

// listsAnew reports whether the nodes of the cache are others than those that the last cycle had.
func (s *Scheduler) listsAnew(nodes map[string]*framework.NodeInfo) bool {
	last, err := s.shared().SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return true
	}
	there := 0
	for _, info := range nodes {
		if info.Node() != nil {
			there++
		}
	}
	return there != len(last) || slices.ContainsFunc(last, func(info fwk.NodeInfo) bool {
		is := nodes[info.Node().Name]
		return is == nil || is.Node() == nil
	})
}

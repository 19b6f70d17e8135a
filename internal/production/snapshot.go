package production

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// snapshot is the scheduler's own view of the question's snapshot, which it takes at the start of a
// scheduling cycle. It implements fwk.SharedLister.
type snapshot struct {
	known *nodeInfos

	cluster *cluster
	// infos has one entry per node, in the order of the question, and listed the same in production's.
	infos, listed []fwk.NodeInfo
	// affine and antiAffine are the nodes whose pods have affinity terms, and required anti-affinity terms.
	affine, antiAffine []fwk.NodeInfo
	// bound are the pods of each node, in the order of the question.
	bound [][]*v1.Pod
}

var _ fwk.SharedLister = (*snapshot)(nil)

// set makes the snapshot that of a question.
func (s *snapshot) set(from *spec.Snapshot) {
	s.known.trim(len(from.Nodes), len(from.Pods))
	s.cluster = s.known.cluster(from.Nodes)
	s.bind(from)
	s.infos, s.affine, s.antiAffine = s.infos[:0], s.affine[:0], s.antiAffine[:0]
	for i, node := range from.Nodes {
		info := s.known.get(s.cluster, i, node, s.bound[i])
		s.infos = append(s.infos, info)
	}
	s.listed = s.listed[:0]
	for _, i := range s.cluster.order {
		info := any(s.infos[i]).(*framework.NodeInfo)
		s.listed = append(s.listed, info)
		if len(info.PodsWithAffinity) > 0 {
			s.affine = append(s.affine, info)
		}
		if len(info.PodsWithRequiredAntiAffinity) > 0 {
			s.antiAffine = append(s.antiAffine, info)
		}
	}
}

// bind sorts the pods by the node they are bound to.
func (s *snapshot) bind(from *spec.Snapshot) {
	for i := range s.bound {
		s.bound[i] = s.bound[i][:0]
	}
	for len(s.bound) < len(from.Nodes) {
		s.bound = append(s.bound, nil)
	}
	for _, pod := range from.Pods {
		if pod.Spec.NodeName == "" {
			continue
		}
		if i, ok := s.cluster.index[pod.Spec.NodeName]; ok {
			s.bound[i] = append(s.bound[i], pod)
		}
	}
}

// NodeInfos implements fwk.SharedLister.
func (s *snapshot) NodeInfos() fwk.NodeInfoLister { return s }

// StorageInfos implements fwk.SharedLister.
func (s *snapshot) StorageInfos() fwk.StorageInfoLister { return s }

// List implements fwk.NodeInfoLister.
func (s *snapshot) List() ([]fwk.NodeInfo, error) { return s.listed, nil }

// HavePodsWithAffinityList implements fwk.NodeInfoLister.
func (s *snapshot) HavePodsWithAffinityList() ([]fwk.NodeInfo, error) { return s.affine, nil }

// HavePodsWithRequiredAntiAffinityList implements fwk.NodeInfoLister.
func (s *snapshot) HavePodsWithRequiredAntiAffinityList() ([]fwk.NodeInfo, error) {
	return s.antiAffine, nil
}

// Get implements fwk.NodeInfoLister.
func (s *snapshot) Get(name string) (fwk.NodeInfo, error) {
	if i, ok := s.cluster.index[name]; ok {
		return s.infos[i], nil
	}
	return nil, fmt.Errorf("no node %q in the snapshot", name)
}

// IsPVCUsedByPods implements fwk.StorageInfoLister: does a bound pod use the claim namespace/name?
func (s *snapshot) IsPVCUsedByPods(key string) bool {
	for _, info := range s.infos {
		if any(info).(*framework.NodeInfo).PVCRefCounts[key] > 0 {
			return true
		}
	}
	return false
}

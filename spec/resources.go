package spec

import (
	"math/big"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// NodeResourcesFit is the filter
//
//	Holds == /\ Cardinality(PodsOn(Node)) + 1 <= Node.Status.Allocatable["pods"]
//	         /\ \A R \in DOMAIN Requests(Pod) :
//	                \/ Ignored(R)
//	                \/ the node has R as devices of a class
//	                \/ Requests(Pod)[R] = 0
//	                \/ Requests(Pod)[R] <= Node.Status.Allocatable[R] - sum of Requests(Other)[R], Other \in PodsOn(Node)
//
// It answers for the filter of the plugin NodeResourcesFit, and reads the node's pods and the device classes.
//
// Source:
// https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#how-pods-with-resource-requests-are-scheduled,
// field doc of NodeStatus.allocatable, and https://kubernetes.io/docs/concepts/scheduling-eviction/. A resource
// that allocatable does not name is there in the amount 0. Whoever requests nothing of a resource fits even on a
// node that is overcommitted in it. A terminating pod counts until it is gone. Extended resources that the node has as
// devices are left to DynamicResources: KEP-5004, "Scheduling for Extended Resource backed by DRA".
func NodeResourcesFit() Filter { return nodeResourcesFit(DocumentedAmounts()).monotone(always) }

func nodeResourcesFit(r AmountRules) Filter {
	return Filter{
		Plugin:    "NodeResourcesFit",
		Footprint: ReadsNodePodsAndDevices,
		indexed:   r.indexedFit,
		Holds: func(p *Profile, pod *v1.Pod, node *v1.Node, s *Snapshot) bool {
			requests := func(pod *v1.Pod) v1.ResourceList { return r.requests(p, pod) }
			return fits(r, requests(pod), each(PodsOn(node, s), requests), node, func(name v1.ResourceName) bool {
				return ignored(p.Fit, name) || r.classes.on(p, name, node, s) != nil
			})
		},
	}
}

// fits reports whether the node has room for what is asked beside what the others request, but for resources that
// are exempt.
func fits(r AmountRules, asked v1.ResourceList, others []v1.ResourceList, node *v1.Node,
	exempt func(v1.ResourceName) bool) bool {
	allocatable := node.Status.Allocatable
	return atMost(big.NewInt(int64(len(others))+1), r.amount(v1.ResourcePods, allocatable)) &&
		allNamed(asked, func(name v1.ResourceName) bool {
			wanted := r.amount(name, asked)
			if none(wanted) || exempt(name) {
				return true
			}
			free := r.result(new(big.Int).Sub(r.amount(name, allocatable), r.together(name, others)))
			return atMost(wanted, free)
		})
}

// ignored reports whether the profile takes the resource out of the filter. Only extended resources can be.
//
// Source: field docs of NodeResourcesFitArgs.ignoredResources and ignoredResourceGroups; a group is the part
// of the name before the slash. The docs do not say what becomes of cpu in the list: it stays in the filter.
func ignored(args FitArgs, name v1.ResourceName) bool {
	group, _, _ := strings.Cut(string(name), "/")
	return Extended(name) &&
		(contains(args.IgnoredResources, string(name)) || contains(args.IgnoredResourceGroups, group))
}

// Extended reports whether the resource is an extended one: a fully qualified name outside the domain kubernetes.io.
// Subdomains are inside; a domain whose name only ends in the same letters, such as notkubernetes.io, is not.
//
// Source: https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#extended-resources. That a
// name with the prefix "requests.", which quotas have, is none is not documented there.
func Extended(name v1.ResourceName) bool {
	domain, _, qualified := strings.Cut(string(name), "/")
	return qualified && domain != kubernetesDomain && !strings.HasSuffix(domain, "."+kubernetesDomain) &&
		!strings.HasPrefix(string(name), v1.DefaultResourceRequestsPrefix)
}

// kubernetesDomain is the domain of Kubernetes' own resources.
const kubernetesDomain = "kubernetes.io"

package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/audit"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// changeFlags say what would be otherwise in a cluster.
type changeFlags struct {
	apply, scale, drain []string
	addNodes            int
	like, fill          string
	recreate            bool

	scales []audit.Scale
}

func (c *changeFlags) declare(f *pflag.FlagSet) {
	f.StringArrayVar(&c.apply, "apply", nil, "What if this `file` or directory were applied on top? May be repeated.")
	f.StringArrayVar(&c.scale, "scale", nil, "What if a workload were scaled? `KIND/NAME=N`, or NAMESPACE/KIND/NAME=N, "+
		"where KIND is deploy, sts, rs or rc. May be repeated.")
	f.IntVar(&c.addNodes, "add-nodes", 0, "What if there were `N` more nodes like the one that --like names?")
	f.StringVar(&c.like, "like", "", "The `node` that --add-nodes adds nodes like.")
	f.StringArrayVar(&c.drain, "drain", nil, "What if this `node` were drained? May be repeated.")
	f.StringVar(&c.fill, "fill", "", "How many more copies of the pod in this `file` fit, where, and what stops the "+
		"next?")
	f.BoolVar(&c.recreate, "recreate", true, "In a what-if, controllers recreate the pods that are evicted.")
}

// any reports whether something is to be otherwise.
func (c *changeFlags) any() bool {
	return len(c.apply)+len(c.scale)+len(c.drain)+c.addNodes > 0 || c.fill != ""
}

// files are the files to read besides those of the cluster.
func (c *changeFlags) files() []string {
	if c.fill == "" {
		return c.apply
	}
	return append(append([]string{}, c.apply...), c.fill)
}

// validate finds what is wrong whatever the cluster is.
func (c *changeFlags) validate(o *options) error {
	switch {
	case c.addNodes < 0:
		return usage("--add-nodes is %d: it must be a number of nodes", c.addNodes)
	case c.addNodes > 0 && c.like == "":
		return usage("--add-nodes needs --like NODE: the node of the cluster that the new ones are like")
	case c.addNodes == 0 && c.like != "":
		return usage("--like %s says what nodes are added like: say how many with --add-nodes N", c.like)
	case !c.any() && o.given("recreate"):
		return usage("--recreate goes with a what-if: --apply, --scale, --add-nodes, --drain or --fill")
	}
	for _, text := range c.scale {
		scale, err := parseScale(text)
		if err != nil {
			return err
		}
		c.scales = append(c.scales, scale)
	}
	return nil
}

// scalable are the kinds that --scale takes, by the names that kubectl has for them.
var scalable = map[string]string{
	"deploy": "Deployment", "deployment": "Deployment", "deployments": "Deployment",
	"sts": "StatefulSet", "statefulset": "StatefulSet", "statefulsets": "StatefulSet",
	"rs": "ReplicaSet", "replicaset": "ReplicaSet", "replicasets": "ReplicaSet",
	"rc": "ReplicationController", "replicationcontroller": "ReplicationController",
	"replicationcontrollers": "ReplicationController",
}

// mostReplicas is how many pods a workload may be scaled to: as many as Kubernetes supports in a cluster.
const mostReplicas = 150_000

func parseScale(text string) (audit.Scale, error) {
	what, number, _ := strings.Cut(text, "=")
	parts := strings.Split(what, "/")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > mostReplicas || len(parts) < 2 || len(parts) > 3 {
		return audit.Scale{}, usage("--scale is %q: it must be KIND/NAME=N or NAMESPACE/KIND/NAME=N, such as "+
			"deploy/web=30, with N from 0 to %d", text, mostReplicas)
	}
	scale := audit.Scale{Name: parts[len(parts)-1], Replicas: n}
	if len(parts) == 3 {
		scale.Namespace = parts[0]
	}
	if scale.Kind = scalable[strings.ToLower(parts[len(parts)-2])]; scale.Kind == "" {
		return scale, usage("--scale %s: %q cannot be scaled here; deploy, sts, rs and rc can", text, parts[len(parts)-2])
	}
	return scale, nil
}

// changes returns what would be otherwise; nil if nothing. The pods of --fill leave the snapshot. Workloads that are
// named without a namespace are of the one given, or of any if it is empty.
func (c *changeFlags) changes(manifests *scenario.Manifests, s *spec.Snapshot,
	namespace string) (*audit.Changes, error) {
	if !c.any() {
		return nil, nil
	}
	changes := &audit.Changes{
		AddNodes: c.addNodes, Like: c.like, Drain: c.drain, Recreate: c.recreate,
	}
	for _, scale := range c.scales {
		scale.Namespace = cmp.Or(scale.Namespace, namespace)
		if err := locate(&scale, manifests, s); err != nil {
			return nil, err
		}
		changes.Scale = append(changes.Scale, scale)
	}
	if c.fill != "" {
		pods := sourced(s.Pods, manifests, c.fill)
		if len(pods) == 0 {
			return nil, usage("--fill: there is no pod in %s that waits for a node; give one, or a workload that makes some",
				c.fill)
		}
		without(s, pods)
		changes.Fill = pods[0]
	}
	for _, name := range append(append([]string{}, c.drain...), c.like) {
		if name != "" && !hasNode(s, name) {
			return nil, usage("there is no node %q in the cluster; it has %s", name, nodeNames(s))
		}
	}
	return changes, nil
}

func hasNode(s *spec.Snapshot, name string) bool {
	for _, node := range s.Nodes {
		if node.Name == name {
			return true
		}
	}
	return false
}

// nodeNames names the first of the nodes.
func nodeNames(s *spec.Snapshot) string {
	const shown = 10
	var names []string
	for _, node := range s.Nodes[:min(len(s.Nodes), shown)] {
		names = append(names, node.Name)
	}
	if more := len(s.Nodes) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// locate finds the workload in the cluster, by its pods or by what was read, and a pod that further ones are like.
func locate(scale *audit.Scale, manifests *scenario.Manifests, s *spec.Snapshot) error {
	namespaces := map[string]bool{}
	for _, pod := range s.Pods {
		if owner := audit.Owner(pod); owner == scale.Kind+" "+pod.Namespace+"/"+scale.Name &&
			(scale.Namespace == "" || scale.Namespace == pod.Namespace) {
			namespaces[pod.Namespace] = true
		}
	}
	for _, w := range manifests.Workloads {
		if w.Kind == scale.Kind && w.Name == scale.Name && (scale.Namespace == "" || scale.Namespace == w.Namespace) {
			namespaces[w.Namespace] = true
			scale.Like = w.Like
		}
	}
	if len(namespaces) == 0 {
		if scale.Like = templatePod(scale, manifests); scale.Like != nil {
			scale.Namespace = scale.Like.Namespace
			return nil
		}
	}
	switch len(namespaces) {
	case 0:
		return usage("--scale: the cluster has no %s %s: neither a pod of one, nor its template (of a Deployment that of "+
			"its ReplicaSet)",
			scale.Kind, scale.Name)
	case 1:
		for namespace := range namespaces {
			scale.Namespace = namespace
		}
		return nil
	}
	return usage("--scale: there is a %s %s in %d namespaces: say NAMESPACE/KIND/NAME=N", scale.Kind, scale.Name,
		len(namespaces))
}

// words says what would be otherwise, for people.
func (c *changeFlags) words() []string {
	var words []string
	for _, file := range c.apply {
		words = append(words, file+" is applied")
	}
	for _, scale := range c.scale {
		what, n, _ := strings.Cut(scale, "=")
		words = append(words, fmt.Sprintf("%s is scaled to %s", what, n))
	}
	if c.addNodes > 0 {
		words = append(words, fmt.Sprintf("%d more nodes like %s", c.addNodes, c.like))
	}
	if len(c.drain) > 0 {
		words = append(words, strings.Join(c.drain, ", ")+" drained")
	}
	if c.fill != "" {
		words = append(words, "as many copies of the pod in "+c.fill+" as fit")
	}
	return words
}

// Package plugin is a scheduler plugin outside kube-scheduler's tree, with a test that checks it: an example of how
// to use modelcheck as a library. What the plugin is meant to do is written down once more in the test, as
// predicates; the code here knows nothing of them.
package plugin

import (
	"context"
	"strconv"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

const (
	// Name is the plugin's name in configurations.
	Name = "TeamNodes"
	// TeamLabel, on a node, reserves it for the pods that have the same value of the label. Other nodes are for
	// everybody.
	TeamLabel = "example.com/team"
	// RankLabel, on a node, is a whole number from 0 to 1000. Pods prefer nodes of a higher rank; anything else
	// counts as 0.
	RankLabel = "example.com/rank"

	mostRank = 1000
)

// TeamNodes keeps the nodes of teams for their pods, and prefers nodes by their rank. Of the nodes that a pod fits,
// the one of the highest rank gets the best score, and others in proportion, rounded down.
type TeamNodes struct{}

var (
	_ fwk.FilterPlugin    = TeamNodes{}
	_ fwk.ScorePlugin     = TeamNodes{}
	_ fwk.ScoreExtensions = TeamNodes{}
)

// New makes the plugin.
func New(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return TeamNodes{}, nil }

// Name is the plugin's name.
func (TeamNodes) Name() string { return Name }

// Filter rejects the nodes of other teams; no eviction changes that.
func (TeamNodes) Filter(_ context.Context, _ fwk.CycleState, pod *v1.Pod, info fwk.NodeInfo) *fwk.Status {
	team, reserved := info.Node().Labels[TeamLabel]
	own, states := pod.Labels[TeamLabel]
	if !reserved || states && own == team { // an empty value is a team as well, and no label is none
		return nil
	}
	return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, "the node is reserved for another team")
}

// Score returns the node's rank.
func (TeamNodes) Score(_ context.Context, _ fwk.CycleState, _ *v1.Pod, info fwk.NodeInfo) (int64, *fwk.Status) {
	rank, err := strconv.ParseInt(info.Node().Labels[RankLabel], 10, 64)
	if err != nil || rank < 0 || rank > mostRank {
		return 0, nil
	}
	return rank, nil
}

// ScoreExtensions says that scores are normalised.
func (p TeamNodes) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore returns the highest rank the best score.
func (TeamNodes) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *v1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	var highest int64
	for _, s := range scores {
		highest = max(highest, s.Score)
	}
	if highest == 0 {
		return nil
	}
	for i := range scores {
		scores[i].Score = scores[i].Score * fwk.MaxScore / highest
	}
	return nil
}

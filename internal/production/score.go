package production

import (
	fwk "github.com/seed-a3f26817/modelcheck/internal/production/frameworkapi"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// score compares the feasible nodes and sets the outcomes: the node, or each of the nodes of the highest
// total, among which production draws lots.
func (c *cycle) score(feasible []int) error {
	if len(feasible) == 1 {
		c.bind(feasible[0])
		return nil
	}
	if !c.framework.HasScorePlugins() {
		// Production stops at the first feasible node, beginning where the last search ended.
		for _, i := range feasible {
			c.bind(i)
		}
		return nil
	}
	infos := make([]fwk.NodeInfo, len(feasible))
	for k, i := range feasible {
		infos[k] = c.snapshot.infos[i]
	}
	if status := c.framework.RunPreScorePlugins(c.ctx, c.state, c.pod, infos); !status.IsSuccess() {
		return status.AsError()
	}
	raw := c.rehearse(infos)
	scores, status := c.framework.RunScorePlugins(c.ctx, c.state, c.pod, infos)
	if !status.IsSuccess() {
		return status.AsError()
	}
	best := scores[0].TotalScore
	for k, i := range feasible {
		c.decision.Nodes[i].Total = scores[k].TotalScore
		c.decision.Nodes[i].Scores = c.scoresInOrder(scores[k].Scores)
		for r := range raw {
			if raw[r] != nil {
				c.decision.Nodes[i].Scores[r].Raw = raw[r][k]
			}
		}
		best = max(best, scores[k].TotalScore)
	}
	for k, i := range feasible {
		if scores[k].TotalScore == best {
			c.bind(i)
		}
	}
	return nil
}

// scoresInOrder returns the scores of one node, which leave out plugins that abstain, in the order of the score
// plugins.
func (c *cycle) scoresInOrder(given []fwk.PluginScore) []spec.Score {
	scores := make([]spec.Score, len(c.scoreNames))
	for k, name := range c.scoreNames {
		if len(given) > 0 && given[0].Name == name {
			scores[k].Value = given[0].Score
			given = given[1:]
		} else {
			scores[k].Skipped = true
		}
	}
	return scores
}

// rehearse asks the score plugins on this goroutine, and gives their scores before normalisation, which the
// framework keeps to itself: per plugin those of the nodes, nil if it abstains. Besides, the framework asks on a
// goroutine of its own, where a panic ends the process; a plugin that panics does so here first, where it is
// caught. It costs a few microseconds.
func (c *cycle) rehearse(infos []fwk.NodeInfo) [][]int64 {
	skipped := skippedScores(c.state)
	list := make(fwk.NodeScoreList, len(infos))
	raw := make([][]int64, len(c.scores))
	for k, plugin := range c.scores {
		if skipped.Has(c.scoreNames[k]) {
			continue
		}
		for i, info := range infos {
			score, status := plugin.Score(c.ctx, c.state, c.pod, info)
			if !status.IsSuccess() {
				return nil // the framework will say so
			}
			raw[k] = append(raw[k], score)
			list[i] = fwk.NodeScore{Name: info.Node().Name, Score: score}
		}
		if extensions := plugin.ScoreExtensions(); extensions != nil {
			extensions.NormalizeScore(c.ctx, c.state, c.pod, list)
		}
	}
	return raw
}

package report

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// spreadWords puts a topology spread constraint in words. Policies that are as by default are left out.
func spreadWords(c v1.TopologySpreadConstraint) string {
	words := []string{string(c.WhenUnsatisfiable)}
	if c.MinDomains != nil {
		words = append(words, fmt.Sprintf("minDomains %d", *c.MinDomains))
	}
	if c.NodeAffinityPolicy != nil && *c.NodeAffinityPolicy != v1.NodeInclusionPolicyHonor {
		words = append(words, "nodeAffinityPolicy "+string(*c.NodeAffinityPolicy))
	}
	if c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy != v1.NodeInclusionPolicyIgnore {
		words = append(words, "nodeTaintsPolicy "+string(*c.NodeTaintsPolicy))
	}
	words = append(words, labelKeys("matchLabelKeys", c.MatchLabelKeys)...)
	return fmt.Sprintf("spread pods %s over %s with skew %d (%s)", labelSelector(c.LabelSelector), c.TopologyKey,
		c.MaxSkew, strings.Join(words, ", "))
}

// labelKeys names the keys of labels whose values a term or constraint compares; nothing if there are none.
func labelKeys(field string, keys []string) []string {
	if len(keys) == 0 {
		return nil
	}
	return []string{field + " " + strings.Join(keys, " ")}
}

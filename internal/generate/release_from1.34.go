//go:build !before1.34

package generate

import v1 "k8s.io/api/core/v1"

// restart gives the container a rule for the exit code 1.
func restart(c *v1.Container, action string) {
	never := v1.ContainerRestartPolicyNever
	c.RestartPolicy = &never
	c.RestartPolicyRules = []v1.ContainerRestartRule{{
		Action: v1.ContainerRestartRuleAction(action),
		ExitCodes: &v1.ContainerRestartRuleOnExitCodes{
			Operator: v1.ContainerRestartRuleOnExitCodesOpIn,
			Values:   []int32{1},
		},
	}}
}

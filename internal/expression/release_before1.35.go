//go:build before1.35

package expression

import celenvironment "k8s.io/apiserver/pkg/cel/environment"

// baseEnvironment is what Kubernetes gives all expressions, with strict estimates of their cost.
func baseEnvironment() *celenvironment.EnvSet {
	return celenvironment.MustBaseEnvSet(celVersion(), true)
}

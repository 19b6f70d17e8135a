package production

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// SetFeatureGates turns feature gates on and off, written as kube-scheduler's flag has them: "A=true,B=false". They are
// those of the process, so it is called before anything is read or asked. A gate of which the model does not know what
// it changes is an error.
func SetFeatureGates(text string) error {
	known := knownGates()
	for _, gate := range strings.Split(text, ",") {
		name, _, _ := strings.Cut(gate, "=")
		if name = strings.TrimSpace(name); !slices.Contains(known, name) {
			return fmt.Errorf("the model does not know what feature gate %q changes in Kubernetes %s: it knows %s", name,
				KubernetesVersion, strings.Join(known, ", "))
		}
	}
	return feature.DefaultMutableFeatureGate.Set(text)
}

// knownGates returns the feature gates of the release of which the model knows what they change, sorted.
func knownGates() (names []string) {
	gates := feature.DefaultMutableFeatureGate.GetAll()
	for _, change := range spec.Changes() {
		if _, has := gates[featuregate.Feature(change.Gate)]; change.Gate != "" && has {
			names = append(names, change.Gate)
		}
	}
	slices.Sort(names)
	return names
}

// lacks names the changes that kube-scheduler does not have: those that came later, and those whose feature gate is
// off.
func lacks() (names []string) {
	later, gates := spec.ChangesSince(KubernetesVersion), knownGates()
	for _, change := range spec.Changes() {
		off := slices.Contains(later, change.Name)
		if slices.Contains(gates, change.Gate) {
			off = !feature.DefaultFeatureGate.Enabled(featuregate.Feature(change.Gate))
		}
		if off {
			names = append(names, change.Name)
		}
	}
	return names
}

package production

import (
	"os"
	"regexp"
	"testing"
)

func TestKubernetesVersionIsThatOfGoMod(t *testing.T) {
	mod, err := os.ReadFile(goMod)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (?:=> k8s\.io/kubernetes )?(\S+)`).FindAllSubmatch(mod, -1)
	if len(found) == 0 || string(found[len(found)-1][1]) != KubernetesVersion { // what is replaced comes last
		t.Errorf("%s has k8s.io/kubernetes %s, KubernetesVersion is %s", goMod, found, KubernetesVersion)
	}
}

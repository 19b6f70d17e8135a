package production

import (
	"os"
	"regexp"
	"testing"
)

func TestKubernetesVersionIsThatOfGoMod(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^\s*k8s\.io/kubernetes (\S+)`).FindSubmatch(mod)
	if found == nil || string(found[1]) != KubernetesVersion {
		t.Errorf("go.mod requires k8s.io/kubernetes %s, KubernetesVersion is %s", found[1], KubernetesVersion)
	}
}

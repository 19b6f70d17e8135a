package scenario_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// The lists of a cluster of a node and two pods, as an API server sends them.
const (
	servedNodes = `{"kind": "NodeList", "apiVersion": "v1", "metadata": {"resourceVersion": "7"}, "items": [
		{"metadata": {"name": "n", ` + live + `, "managedFields": [{"manager": "kubelet"}]},
		"status": {"allocatable": {"cpu": "1", "memory": "1Gi", "pods": "9"}}}]}`
	servedPods = `{"kind": "PodList", "apiVersion": "v1", "metadata": {"continue": "x"}, "items": [
		{"metadata": {"name": "a", "namespace": "shop", "uid": "a", "resourceVersion": "1"}, "spec": {"nodeName": "gone",
		"containers": [{"name": "c", "image": "i"}]}},
		{"metadata": {"name": "b", "namespace": "shop", "uid": "b", "resourceVersion": "1"}, "spec": {
		"containers": [{"name": "c", "image": "i"}]}}]}`
)

// lists makes lists of pages.
func lists(t *testing.T, pages ...string) (lists []scenario.ServedList) {
	t.Helper()
	for i, kind := range []string{"Node", "Pod"}[:len(pages)] {
		list := scenario.ServedList{APIVersion: "v1", Kind: kind}
		if _, _, err := list.Add([]byte(pages[i])); err != nil {
			t.Fatal(err)
		}
		lists = append(lists, list)
	}
	return lists
}

// TestReadServed: a running cluster is read as the lists are, files add to it, and what could not be listed is said.
func TestReadServed(t *testing.T) {
	forbidden := scenario.ServedList{APIVersion: "v1", Kind: "Service", Err: errors.New("forbidden")}
	served := &scenario.Served{Name: "context prod", Notes: []string{"as of 7"},
		Lists: append(lists(t, servedNodes, servedPods), forbidden)}
	file := filepath.Join(t.TempDir(), "pod.yaml")
	pod := "apiVersion: v1\nkind: Pod\nmetadata: {name: c, namespace: shop}\nspec: {containers: [{name: c, image: i}]}\n"
	if err := os.WriteFile(file, []byte(pod), 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := scenario.Input{Served: served, Paths: []string{file}, Admit: admission.Admit}.Read()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, pod := range m.Pods {
		names = append(names, pod.Namespace+"/"+pod.Name)
	}
	if diff := cmp.Diff([]string{"shop/b", "shop/c"}, names); diff != "" || len(m.Nodes) != 1 {
		t.Errorf("%d nodes; pods (-want +got):\n%s", len(m.Nodes), diff)
	}
	if len(m.NotRead) != 1 || m.NotRead[0].Error() != "context prod: forbidden" {
		t.Errorf("not read: %v", m.NotRead)
	}
	if len(m.Notes) != 2 || m.Notes[0] != "context prod: as of 7" ||
		!strings.HasPrefix(m.Notes[1], "context prod: Pod shop/a: left out: spec.nodeName") {
		t.Errorf("notes: %q", m.Notes)
	}
	if source, ok := m.Where(m.Nodes[0]); !ok || source.String() != "context prod" {
		t.Errorf("the node is said to be in %q", source)
	}
}

// TestReadServedWithoutNodes: no Node stands in for those of a running cluster.
func TestReadServedWithoutNodes(t *testing.T) {
	served := &scenario.Served{Name: "context prod", Lists: lists(t,
		`{"kind": "NodeList", "apiVersion": "v1", "metadata": {}, "items": null}`, servedPods)}
	_, err := scenario.Input{Served: served}.Read()
	if err == nil || !strings.Contains(err.Error(), "there is no Node") {
		t.Errorf("error %v", err)
	}
}

// TestServedListAdd: pages add up, without managed fields, and what is no list is refused.
func TestServedListAdd(t *testing.T) {
	var list scenario.ServedList
	for range 2 {
		metadata, kept, err := list.Add([]byte(servedPods))
		if err != nil || metadata.Continue != "x" || kept != int64(len(list.Items[0])+len(list.Items[1])) {
			t.Errorf("metadata %v, %d bytes are kept, error %v", metadata, kept, err)
		}
	}
	if len(list.Items) != 4 {
		t.Errorf("%d items, want 4", len(list.Items))
	}
	if _, _, err := list.Add([]byte(servedNodes)); err != nil || strings.Contains(string(list.Items[4]), "kubelet") {
		t.Errorf("managed fields are kept: %s, error %v", list.Items[4], err)
	}
	for _, page := range []string{"", "<html>", "{}", `{"kind": "Pod"}`, `{"kind": "PodList", "items": {}}`, servedPods[1:]} {
		if _, _, err := list.Add([]byte(page)); err == nil {
			t.Errorf("%q is taken for a list", page)
		}
	}
}

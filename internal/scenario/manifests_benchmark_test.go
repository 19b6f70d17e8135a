package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/provider"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// BenchmarkRead reads clusters as kubectl get prints them, with defaulting and validation.
func BenchmarkRead(b *testing.B) {
	for _, size := range []provider.Options{
		{Seed: 1, Nodes: 300, Pods: 5_000},
		{Seed: 1, Nodes: 5_000, Pods: 50_000},
		{Seed: 1, Nodes: 1_000, Dense: true},
	} {
		for _, format := range []struct {
			name  string
			write func(b *testing.B, c *provider.Cluster) []byte
		}{
			{"List", func(b *testing.B, c *provider.Cluster) []byte { return written(b, c, false) }},
			{"documents", func(b *testing.B, c *provider.Cluster) []byte { return documents(written(b, c, false)) }},
			{"JSON", func(b *testing.B, c *provider.Cluster) []byte {
				var indented bytes.Buffer
				if err := json.Indent(&indented, written(b, c, true), "", "    "); err != nil {
					b.Fatal(err)
				}
				return indented.Bytes()
			}},
		} {
			b.Run(fmt.Sprintf("nodes=%d/pods=%d/%s", size.Nodes, size.Pods, format.name), func(b *testing.B) {
				data := format.write(b, provider.New(size))
				b.SetBytes(int64(len(data)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := scenario.Read([]string{"-"}, bytes.NewReader(data), admission.Admit); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func written(t testing.TB, c *provider.Cluster, asJSON bool) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := c.Write(&text, asJSON, false); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// documents makes each item of a list a document.
func documents(list []byte) []byte {
	var text bytes.Buffer
	_, items, _ := strings.Cut(string(list), "\nitems:\n")
	items, _, _ = strings.Cut(items, "\nkind: List\n")
	for line := range strings.Lines(items) {
		if strings.HasPrefix(line, "- ") {
			text.WriteString("---\n")
		}
		text.WriteString(line[2:])
	}
	return text.Bytes()
}

// TestReadFormats: a cluster is the same one however it is written.
func TestReadFormats(t *testing.T) {
	cluster := provider.New(provider.Options{Seed: 1, Nodes: 10, Pods: 160})
	list := written(t, cluster, false)
	want, err := scenario.Read([]string{"-"}, bytes.NewReader(list), admission.Admit)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{documents(list), written(t, cluster, true)} {
		got, err := scenario.Read([]string{"-"}, bytes.NewReader(data), admission.Admit)
		if err != nil {
			t.Fatal(err)
		}
		if !equality.Semantic.DeepEqual(want.Snapshot(), got.Snapshot()) || !slices.Equal(want.Notes, got.Notes) {
			t.Errorf("%.20s...: it is read as another cluster", data)
		}
	}
}

package production_test

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/seed-a3f26817/modelcheck/internal/production"
)

var updateConfigurations = flag.Bool("update-configurations", false, "write what is said of malformed configurations")

// TestMalformedConfigurations pins what is said of configurations that are refused.
func TestMalformedConfigurations(t *testing.T) {
	const file = "testdata/malformed-configurations.txtar"
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	last := len(archive.Files) - 1
	var got strings.Builder
	for _, f := range archive.Files[:last] {
		config, err := production.LoadConfig(f.Name, f.Data)
		if err == nil {
			_, err = config.Spec(config.Profiles()[0]) // plugins look at their arguments when they are built
		}
		if err == nil {
			t.Errorf("%s is not refused", f.Name)
			continue
		}
		got.WriteString(strings.ReplaceAll(err.Error(), production.KubernetesVersion, "VERSION") + "\n")
	}
	if *updateConfigurations {
		archive.Files[last].Data = []byte(got.String())
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(archive.Files[last].Data), got.String()); diff != "" {
		t.Errorf("said (-want +got, -update-configurations accepts it):\n%s", diff)
	}
}

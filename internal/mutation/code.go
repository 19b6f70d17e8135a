package main

import (
	"context"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// stratum is a part of production's code from which faults are drawn.
type stratum struct {
	name string
	// packages are import paths.
	packages []string
}

const (
	scheduler = "k8s.io/kubernetes/pkg/scheduler/"
	helpers   = "k8s.io/component-helpers/"
	allocator = "k8s.io/dynamic-resource-allocation"
	failures  = "errors"
	cycles    = "around decisions"
	hints     = "hints and events"
	whole     = "cycle and cache"
)

// strata are the packages that take part in decisions: those of the plugins of the default profile that the model
// has, what they share, and preemption. What is only done with an error, what is around decisions, and what says when a
// pod is tried again, are strata of their own, from all of them; another is what carries a pod through its cycles and
// keeps what is known of the cluster.
func strata() []stratum {
	var all []stratum
	for _, plugin := range []string{
		"defaultpreemption", "dynamicresources", "imagelocality", "interpodaffinity", "nodeaffinity",
		"nodedeclaredfeatures", "nodename",
		"nodeports", "noderesources", "nodeunschedulable", "nodevolumelimits", "podtopologyspread", "schedulinggates",
		"tainttoleration", "volumebinding", "volumerestrictions", "volumezone",
	} {
		packages := []string{scheduler + "framework/plugins/" + plugin}
		switch plugin {
		case "defaultpreemption":
			packages = append(packages, scheduler+"framework/preemption")
		case "dynamicresources":
			packages = append(packages, allocator+"/resourceclaim", allocator+"/structured/internal",
				allocator+"/structured/internal/incubating") // the one that the features want that are on
		case "nodeaffinity":
			packages = append(packages, helpers+"scheduling/corev1/nodeaffinity")
		case "noderesources":
			packages = append(packages, helpers+"resource")
		case "volumebinding":
			packages = append(packages, helpers+"storage/volume", helpers+"storage/ephemeral")
		}
		all = append(all, stratum{plugin, packages})
	}
	return append(all, stratum{"shared", []string{
		scheduler + "framework", scheduler + "framework/plugins/helper", scheduler + "util",
		"k8s.io/kube-scheduler/framework", helpers + "scheduling/corev1", helpers + "node/topology",
	}}, stratum{name: failures}, stratum{name: cycles}, stratum{hints, []string{scheduler + "backend/queue"}},
		stratum{whole, []string{
			strings.TrimSuffix(scheduler, "/"), scheduler + "framework/runtime", scheduler + "backend/cache",
			scheduler + "util/assumecache",
		}})
}

// isDecision reports whether the stratum is of what decisions are made of.
func isDecision(stratum string) bool {
	return stratum != failures && stratum != cycles && stratum != hints && stratum != whole
}

// source is a file of production's.
type source struct {
	path string // of the original
	// name is what reports call it: the package's last element and the file.
	name string
	text []byte
	pkg  *packages.Package
	tree *ast.File
	// stratum is that of the package.
	stratum string
	// gates say which code is never run.
	gates *gates
}

// Files for tests, files that are generated, constructors and metrics, what modelcheck refuses (extenders), and what is
// off: groups of pods, resources of nodes that devices have, and groups of devices that go together.
var notProduction = regexp.MustCompile(`^(testing|test_utils|fake_.*|zz_generated.*|podgroup.*|schedule_one_podgroup|` +
	`scheduler|extender|registry|instrumented_plugins|nodeallocatabledynamicresources|compatibility_groups)\.go$`)

// Packages for tests.
var forTests = regexp.MustCompile(`/(testing|test)(/|$)|/perf|_integration`)

// sources reads the code of the strata, with its types.
func sources(ctx context.Context, w *workspace) ([]*source, error) {
	of := map[string]string{}
	var patterns []string
	for _, s := range strata() {
		for _, path := range s.packages {
			of[path] = s.name
			patterns = append(patterns, path)
		}
	}
	config := &packages.Config{
		Context: ctx, Dir: w.Root,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedSyntax |
			packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedExportFile,
	}
	loaded, err := packages.Load(config, append(patterns, featureGates, scheduler+"...")...)
	if err != nil {
		return nil, err
	}
	for _, pkg := range loaded {
		for _, err := range pkg.Errors {
			return nil, fmt.Errorf("%s: %w", pkg.PkgPath, err)
		}
	}
	loaded = slices.DeleteFunc(loaded, func(pkg *packages.Package) bool { return forTests.MatchString(pkg.PkgPath) })
	known := newGates(loaded)
	var all []*source
	for _, pkg := range loaded {
		if of[pkg.PkgPath] == "" {
			continue
		}
		for i, tree := range pkg.Syntax {
			path := pkg.CompiledGoFiles[i]
			if notProduction.MatchString(filepath.Base(path)) {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			all = append(all, &source{
				path: path, name: filepath.Base(pkg.PkgPath) + "/" + filepath.Base(path), text: text, pkg: pkg, tree: tree,
				stratum: of[pkg.PkgPath], gates: known,
			})
		}
	}
	slices.SortFunc(all, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	return all, nil
}

// offset is where a node begins or ends in the text.
func (s *source) offset(n ast.Node) (from, to int) {
	file := s.pkg.Fset.File(s.tree.FileStart)
	return file.Offset(n.Pos()), file.Offset(n.End())
}

// of is the text of a node.
func (s *source) of(n ast.Node) string {
	from, to := s.offset(n)
	return string(s.text[from:to])
}

package scenario

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// build builds a kustomization by kustomize's own library, with its defaults: those of kubectl -k, which load no file
// from outside the directories and run no plugins. Nothing is fetched.
func (r *reading) build(dir string) []document {
	name := filepath.Join(dir, konfig.DefaultKustomizationFileName())
	if found := kustomizationIn(dir); found != "" {
		name = found
	}
	r.add(name)
	if wrong := r.remote(dir, map[string]bool{}); wrong != nil {
		r.refuse(Source{File: name}, "", "", wrong)
		return nil
	}
	built, err := runKustomize(dir)
	if err == nil {
		r.left -= int64(len(built))
		err = r.enough()
	}
	if err != nil {
		r.refuse(Source{File: name}, "", "", fmt.Errorf("kustomize cannot build it: %s", oneLine(err)))
		return nil
	}
	return r.documentsOf(name, built)
}

// runKustomize returns what is built, as YAML. Kustomize panics on some input that is wrong.
func runKustomize(dir string) (built []byte, err error) {
	defer func() {
		if wrong := recover(); wrong != nil {
			err = fmt.Errorf("it panics: %v", wrong)
		}
	}()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return nil, err
	}
	return resources.AsYaml()
}

// kustomizationIn returns the kustomization file of a directory; "" if it has none.
func kustomizationIn(dir string) string {
	for _, name := range konfig.RecognizedKustomizationFileNames() {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// kustomization reads the kustomization file of a directory, leniently: kustomize itself says what is wrong with it.
func kustomization(dir string) (k types.Kustomization, ok bool) {
	path := kustomizationIn(dir)
	if path == "" {
		return k, false
	}
	data, err := os.ReadFile(path)
	return k, err == nil && yaml.Unmarshal(data, &k) == nil
}

// remote finds what a kustomization, or one that it names, would have to fetch: kustomize would do so at once.
func (r *reading) remote(dir string, visited map[string]bool) error {
	k, ok := kustomization(dir)
	if !ok || visited[filepath.Clean(dir)] {
		return nil
	}
	visited[filepath.Clean(dir)] = true
	//lint:ignore SA1019 repositories have it still
	for _, entry := range slices.Concat(k.Resources, k.Bases, k.Components, k.Generators, k.Transformers, k.Validators,
		k.Configurations, k.Crds, patchFiles(k)) {
		path := filepath.Join(dir, entry)
		info, err := os.Stat(path)
		switch {
		case err != nil && strings.Contains(entry, "\n"): // it is written out here
		case err != nil && looksRemote(entry):
			return fmt.Errorf("%s names %q, which is somewhere else, and nothing is fetched: copy it here, or give "+
				"what kubectl kustomize prints", kustomizationIn(dir), entry)
		case err != nil:
			return fmt.Errorf("%s names %q, and there is none", kustomizationIn(dir), entry)
		case info.IsDir():
			if wrong := r.remote(path, visited); wrong != nil {
				return wrong
			}
		}
	}
	for _, source := range sources(k) {
		if strings.Contains(source, "://") {
			return fmt.Errorf("%s names %q, which is somewhere else, and nothing is fetched: copy it here",
				kustomizationIn(dir), source)
		}
	}
	if len(k.HelmCharts)+len(k.HelmChartInflationGenerator) > 0 {
		return fmt.Errorf("%s has a Helm chart, which is not run: give what kustomize build --enable-helm prints",
			kustomizationIn(dir))
	}
	return nil
}

// looksRemote tells an address from a path.
func looksRemote(entry string) bool {
	first, _, _ := strings.Cut(entry, "/")
	return strings.Contains(entry, "://") || strings.Contains(entry, "?ref=") || strings.Contains(entry, "@") ||
		strings.Contains(first, ".") && strings.Trim(first, ".") != "" && strings.Contains(entry, "/")
}

// sources returns the files that a kustomization reads for the contents of objects.
func sources(k types.Kustomization) []string {
	files := []string{k.OpenAPI["path"]}
	for _, pairs := range k.ConfigMapGenerator {
		files = append(append(files, pairs.FileSources...), append(pairs.EnvSources, pairs.EnvSource)...)
	}
	for _, pairs := range k.SecretGenerator {
		files = append(append(files, pairs.FileSources...), append(pairs.EnvSources, pairs.EnvSource)...)
	}
	return files
}

// patchFiles returns the files that a kustomization applies to objects.
func patchFiles(k types.Kustomization) []string {
	var files []string
	//lint:ignore SA1019 repositories have it still
	for _, patch := range slices.Concat(k.Patches, k.PatchesJson6902) {
		if patch.Path != "" {
			files = append(files, patch.Path)
		}
	}
	//lint:ignore SA1019 repositories have it still
	for _, patch := range k.PatchesStrategicMerge {
		files = append(files, string(patch))
	}
	for _, replacement := range k.Replacements {
		if replacement.Path != "" {
			files = append(files, replacement.Path)
		}
	}
	return files
}

// findPatches keeps which files are the kustomization of a directory, its patches and its settings: they are no
// objects of their own, though some look like it.
func (r *reading) findPatches(dir string) {
	if file := kustomizationIn(dir); file != "" {
		r.patches[file] = true
	}
	k, ok := kustomization(dir)
	if !ok {
		return
	}
	for _, file := range slices.Concat(patchFiles(k), k.Generators, k.Transformers, k.Validators, k.Configurations) {
		r.patches[filepath.Join(dir, file)] = true
	}
}

// oneLine puts an error on one line.
func oneLine(err error) error {
	return errors.New(strings.Join(strings.Fields(err.Error()), " "))
}

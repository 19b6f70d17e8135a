// Package releases knows the releases of Kubernetes besides the one that modelcheck is built with. A module can have
// one k8s.io/kubernetes only, so each other release has a go.mod of its own, in releases, and modelcheck is built once
// more for it, as a program that is kept and started where that release is asked for.
package releases

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// Release is a release of Kubernetes that modelcheck can be built for.
type Release struct {
	// Name is its minor version, such as "1.35", and Version the whole one, such as "v1.35.4".
	Name, Version string
	// Tags are the build tags: before1.NN for each later release that modelcheck knows, since it lacks what came with
	// that.
	Tags []string
	// Base is the release of the same minor version whose go.mod and files a patch release is built with; empty if it has
	// its own.
	Base string
	// Borrows is the release that lends it the Go types of resource.k8s.io/v1, which modelcheck is written in; empty if
	// it has them itself.
	Borrows string
}

// All returns the releases that have a go.mod of their own, newest first.
func All() []Release {
	return []Release{
		{Name: "1.36", Version: "v1.36.3", Tags: []string{"before1.37"}},
		{Name: "1.35", Version: "v1.35.4", Tags: []string{"before1.37", "before1.36"}},
		{Name: "1.34", Version: "v1.34.4", Tags: []string{"before1.37", "before1.36", "before1.35"}},
		{Name: "1.33", Version: "v1.33.13", Tags: []string{"before1.37", "before1.36", "before1.35", "before1.34"},
			Borrows: "1.34"},
	}
}

// Is reports whether somebody who says name means the release: "1.35", "v1.35", "1.35.4" or "v1.35.4".
func (r Release) Is(name string) bool {
	name = "v" + strings.TrimPrefix(name, "v")
	return name == "v"+r.Name || name == r.Version
}

// patch is the version of a patch release.
var patch = regexp.MustCompile(`^v(1\.\d+)\.(0|[1-9]\d{0,2})$`)

// Patch returns the patch release that somebody means who says name, such as "1.36.0", if it is one of the release's
// minor version: it has what the release has but for the version of Kubernetes.
func (r Release) Patch(name string) (Release, bool) {
	version := "v" + strings.TrimPrefix(name, "v")
	match := patch.FindStringSubmatch(version)
	if match == nil || match[1] != r.Name {
		return Release{}, false
	}
	return Release{Name: strings.TrimPrefix(version, "v"), Version: version, Tags: r.Tags, Base: r.Name,
		Borrows: r.Borrows}, true
}

// Patches returns the patch releases for which programs are kept, besides those that All has: of their minor versions,
// and of the newest one, which modelcheck is built with.
func Patches(newest Release) ([]Release, error) {
	dir, err := Directory()
	if err != nil {
		return nil, err
	}
	folders, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("looking for programs of other releases: %w", err)
	}
	var kept []Release
	for _, folder := range folders {
		for _, r := range append(All(), newest) {
			patch, is := r.Patch(folder.Name())
			if !is || patch.Version == r.Version {
				continue
			}
			if _, err := Installed(patch); !errors.Is(err, ErrNotInstalled) {
				kept = append(kept, patch)
			}
		}
	}
	return kept, nil
}

// Of returns the release of a version.
func Of(version string) Release {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	return Release{Name: strings.Join(parts[:min(2, len(parts))], "."), Version: version}
}

// Earlier reports whether one version is before another.
func Earlier(one, other string) bool {
	return version.MustParseSemantic(one).LessThan(version.MustParseSemantic(other))
}

// Between reports whether a version lies between two others, the further of which counts too.
func Between(one, from, to string) bool {
	if Earlier(to, from) {
		return !Earlier(one, to) && Earlier(one, from)
	}
	return Earlier(from, one) && !Earlier(to, one)
}

// Program is modelcheck, built for a release.
type Program struct {
	Release Release
	// Path is where it is kept.
	Path string
	// From is the version of modelcheck that it was built from.
	From string
}

// record is what is kept beside a program.
type record struct {
	KubernetesVersion string `json:"kubernetesVersion"`
	Modelcheck        string `json:"modelcheck"`
}

// ErrNotInstalled says that there is no program for the release.
var ErrNotInstalled = errors.New("is not installed")

// Directory is where programs are kept, each in a folder called after its release: MODELCHECK_RELEASES, or a folder of
// the user's cache.
func Directory() (string, error) {
	if dir := os.Getenv("MODELCHECK_RELEASES"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("where programs for other releases are kept: %w; set MODELCHECK_RELEASES", err)
	}
	return filepath.Join(cache, "modelcheck", "releases"), nil
}

// Installed returns the program for the release.
func Installed(r Release) (*Program, error) {
	dir, err := Directory()
	if err != nil {
		return nil, err
	}
	dir = filepath.Join(dir, r.Name)
	data, err := os.ReadFile(filepath.Join(dir, recordFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotInstalled
	}
	var kept record
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	if kept.KubernetesVersion != r.Version {
		return nil, fmt.Errorf("%s is for Kubernetes %s, and not %s", dir, kept.KubernetesVersion, r.Version)
	}
	return &Program{Release: r, Path: filepath.Join(dir, programFile), From: kept.Modelcheck}, nil
}

const recordFile, programFile = "release.json", "modelcheck"

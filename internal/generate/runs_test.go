package generate_test

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestRuns: in what a run is drawn from volumes are attached by their own driver only, also where it is of two
// clusters, no two have one size, and pods ask for all profiles.
func TestRuns(t *testing.T) {
	profile := spec.DefaultProfile()
	profile.Others = []*spec.Profile{{SchedulerName: "second"}}
	model, asks := spec.New(profile), map[string]int{}
	for n := range int64(300) {
		scope := generate.Run(generate.RunScope(), model, 8302, n, admission.AdmitAnew)
		if scope == nil {
			continue
		}
		cluster, templates := scope.Initial[0], scope.Templates
		drivers, sizes := map[string]map[string]bool{}, map[string]string{}
		for _, volumes := range [][]*v1.PersistentVolume{cluster.PersistentVolumes, templates.PersistentVolumes} {
			for _, volume := range volumes {
				size := volume.Spec.Capacity.Storage().String()
				if other, taken := sizes[size]; taken && other != volume.Name {
					t.Errorf("run %d: %s and %s have %s", n, other, volume.Name, size)
				}
				sizes[size] = volume.Name
				if volume.Spec.CSI != nil {
					if drivers[volume.Name] == nil {
						drivers[volume.Name] = map[string]bool{}
					}
					drivers[volume.Name][volume.Spec.CSI.Driver] = true
				}
			}
		}
		for _, a := range append(cluster.VolumeAttachments, templates.VolumeAttachments...) {
			of := drivers[ptr.Deref(a.Spec.Source.PersistentVolumeName, "")]
			if len(of) > 0 && (len(of) > 1 || !of[a.Spec.Attacher]) {
				t.Errorf("run %d: %s attaches a volume of %v by %s", n, a.Name, of, a.Spec.Attacher)
			}
		}
		for _, pod := range append(cluster.Pods, templates.Pods...) {
			asks[pod.Spec.SchedulerName]++
		}
	}
	if asks[profile.SchedulerName] == 0 || asks["second"] == 0 || len(asks) != 2 {
		t.Errorf("pods ask for %v", asks)
	}
}

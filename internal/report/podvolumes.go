package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// podVolumes puts in words the volumes of a pod that some plugin may look at, in the pod's order.
func podVolumes(pod *v1.Pod) []string {
	var words []string
	for _, volume := range pod.Spec.Volumes {
		switch {
		case volume.PersistentVolumeClaim != nil:
			words = append(words, "volume claim "+volume.PersistentVolumeClaim.ClaimName)
		case volume.Ephemeral != nil:
			words = append(words, fmt.Sprintf("ephemeral volume %s%s", volume.Name, template(volume.Ephemeral)))
		case volume.Image != nil:
			words = append(words, "volume image "+volume.Image.Reference)
		case !local(volume.VolumeSource):
			words = append(words, "volume "+source(volume.VolumeSource))
		}
	}
	return words
}

// template says what claim an ephemeral volume is to have.
func template(ephemeral *v1.EphemeralVolumeSource) string {
	if ephemeral.VolumeClaimTemplate == nil {
		return ""
	}
	claim := &v1.PersistentVolumeClaim{
		ObjectMeta: ephemeral.VolumeClaimTemplate.ObjectMeta,
		Spec:       ephemeral.VolumeClaimTemplate.Spec,
	}
	return " (" + strings.Join(wishes(claim), ", ") + ")"
}

// local reports whether the volume is made on whichever node the pod runs on, so that scheduling does not depend on it.
func local(v v1.VolumeSource) bool {
	return v == v1.VolumeSource{} || v.EmptyDir != nil || v.HostPath != nil || v.ConfigMap != nil || v.Secret != nil ||
		v.DownwardAPI != nil || v.Projected != nil || v.GitRepo != nil
}

// source names the kind of a volume source with its fields, as the API does: gcePersistentDisk {pdName: d1,
// readOnly: true}. It is a v1.VolumeSource or a v1.PersistentVolumeSource, and so covers kinds that are yet to
// come.
func source(volumeSource any) string {
	raw, err := json.Marshal(volumeSource)
	if err != nil {
		panic(fmt.Sprintf("report: %T cannot be written: %v", volumeSource, err)) // API objects always can
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var kinds map[string]any
	if err := decoder.Decode(&kinds); err != nil {
		panic(fmt.Sprintf("report: %T cannot be read back: %v", volumeSource, err))
	}
	var words []string
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		words = append(words, kind+" "+flow(kinds[kind]))
	}
	return strings.Join(words, ", ")
}

// flow writes a JSON value on one line, as YAML does: {lun: 0, monitors: [m1, m2]}.
func flow(value any) string {
	var words []string
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			words = append(words, key+": "+flow(value[key]))
		}
		return "{" + strings.Join(words, ", ") + "}"
	case []any:
		for _, element := range value {
			words = append(words, flow(element))
		}
		return "[" + strings.Join(words, ", ") + "]"
	default:
		return fmt.Sprint(value)
	}
}

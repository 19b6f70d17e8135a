package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-a3f26817/modelcheck/internal/upstream/recorder"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// rename gives objects that have names which no API server takes other ones, wherever they are named.
func (q *question) rename() error {
	others := q.renamed()
	if len(others) == 0 {
		return nil
	}
	for _, part := range []any{&q.pod, &q.cluster} {
		text, err := json.Marshal(part)
		if err != nil {
			return err
		}
		var fields any
		if err := json.Unmarshal(text, &fields); err != nil {
			return err
		}
		if text, err = json.Marshal(replaced(fields, others)); err != nil {
			return err
		}
		switch part := part.(type) {
		case **v1.Pod:
			*part = &v1.Pod{}
			err = json.Unmarshal(text, *part)
		case *recorder.Cluster:
			*part = recorder.Cluster{}
			err = json.Unmarshal(text, part)
		}
		if err != nil {
			return err
		}
	}
	other := func(name string) string {
		if others[name] != "" {
			return others[name]
		}
		return name
	}
	for i := range q.answers {
		a := &q.answers[i]
		a.node = other(a.node)
		for j := range a.nodeNames {
			a.nodeNames[j] = other(a.nodeNames[j])
		}
		scores := map[string]int64{}
		for name, score := range a.scores {
			scores[other(name)] = score
		}
		a.scores = scores
		for j, victim := range a.victims {
			namespace, name, _ := strings.Cut(victim, "/")
			a.victims[j] = other(namespace) + "/" + other(name)
		}
	}
	return nil
}

var notInNames = regexp.MustCompile("[^a-z0-9]+")

// renamed returns other names for those that are not valid.
func (q *question) renamed() map[string]string {
	var wrong []string
	taken := map[string]bool{"": true}
	name := func(old string, reasons func(string) []string) {
		if !taken[old] && len(reasons(old)) > 0 {
			wrong = append(wrong, old)
		}
		taken[old] = true
	}
	ofPod := func(pod *v1.Pod) {
		for _, volume := range pod.Spec.Volumes {
			name(volume.Name, validation.IsDNS1123Label)
		}
		name(pod.Spec.NodeName, validation.IsDNS1123Subdomain)
		name(pod.Status.NominatedNodeName, validation.IsDNS1123Subdomain)
	}
	s := spec.Snapshot{
		Nodes: q.cluster.Nodes, Pods: append([]*v1.Pod{q.pod}, q.cluster.Pods...), Namespaces: q.cluster.Namespaces,
		PodDisruptionBudgets: q.cluster.PodDisruptionBudgets, PersistentVolumes: q.cluster.PersistentVolumes,
		PersistentVolumeClaims: q.cluster.PersistentVolumeClaims, StorageClasses: q.cluster.StorageClasses,
		CSINodes: q.cluster.CSINodes, VolumeAttachments: q.cluster.VolumeAttachments, Services: q.cluster.Services,
		ReplicationControllers: q.cluster.ReplicationControllers, ReplicaSets: q.cluster.ReplicaSets,
		StatefulSets: q.cluster.StatefulSets, CSIDrivers: q.cluster.CSIDrivers,
		CSIStorageCapacities: q.cluster.CSIStorageCapacities,
	}
	each(&s, func(object metav1.Object) {
		name(object.GetNamespace(), validation.IsDNS1123Label)
		switch object := object.(type) {
		case *v1.Namespace:
			name(object.Name, validation.IsDNS1123Label)
			return
		case *v1.Service:
			name(object.Name, validation.IsDNS1035Label)
			return
		case *v1.Pod:
			ofPod(object)
		}
		name(object.GetName(), validation.IsDNS1123Subdomain)
	})
	others := map[string]string{}
	for _, old := range wrong {
		other := strings.Trim(notInNames.ReplaceAllString(strings.ToLower(old), "-"), "-")
		for n := 0; taken[other]; n++ {
			other += fmt.Sprintf("x%d", n)
		}
		others[old], taken[other] = other, true
	}
	return others
}

// replaced returns the value with other strings in the place of those that have one.
func replaced(value any, others map[string]string) any {
	switch value := value.(type) {
	case string:
		if other := others[value]; other != "" {
			return other
		}
	case []any:
		for i := range value {
			value[i] = replaced(value[i], others)
		}
	case map[string]any:
		for key, field := range value {
			value[key] = replaced(field, others)
		}
	}
	return value
}

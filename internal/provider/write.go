package provider

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

// Objects returns all objects of the cluster, kind by kind.
func (c *Cluster) Objects() iter.Seq[runtime.Object] {
	return func(yield func(runtime.Object) bool) {
		_ = every(c.Namespaces, yield) && every(c.PriorityClasses, yield) && every(c.Nodes, yield) &&
			every(c.CSINodes, yield) && every(c.StorageClasses, yield) && every(c.PersistentVolumes, yield) &&
			every(c.PersistentVolumeClaims, yield) && every(c.DaemonSets, yield) && every(c.Deployments, yield) &&
			every(c.ReplicaSets, yield) && every(c.StatefulSets, yield) && every(c.Services, yield) &&
			every(c.PodDisruptionBudgets, yield) && every(c.DeviceClasses, yield) &&
			every(c.ResourceSlices, yield) && every(c.ResourceClaims, yield) && every(c.Pods, yield)
	}
}

func every[T runtime.Object](objects []T, yield func(runtime.Object) bool) bool {
	for _, o := range objects {
		if !yield(o) {
			return false
		}
	}
	return true
}

// Write writes the cluster as one List, as kubectl get -o yaml (or json) prints it, object by object. With
// managedFields, pods and nodes state theirs, as kubectl --show-managed-fields prints them.
func (c *Cluster) Write(w io.Writer, asJSON, managedFields bool) error {
	out := bufio.NewWriterSize(w, 1<<20)
	begin, between, end := "apiVersion: v1\nitems:\n", "", "kind: List\nmetadata:\n  resourceVersion: \"\"\n"
	if asJSON {
		begin, end = `{"apiVersion":"v1","kind":"List","metadata":{"resourceVersion":""},"items":[`+"\n", "]}\n"
	}
	fmt.Fprint(out, begin) // a bufio.Writer keeps its error for Flush
	for o := range c.Objects() {
		text, err := item(o, managedFields)
		if err != nil {
			return err
		}
		if asJSON {
			fmt.Fprint(out, between, string(text))
			between = ",\n"
			continue
		}
		if text, err = yaml.JSONToYAML(text); err != nil {
			return err
		}
		fmt.Fprint(out, "- ", strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  "), "\n")
	}
	fmt.Fprint(out, end)
	return out.Flush()
}

// item returns the object in JSON, with its kind and version.
func item(o runtime.Object, managedFields bool) ([]byte, error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return nil, err
	}
	o = o.DeepCopyObject()
	o.GetObjectKind().SetGroupVersionKind(kinds[0])
	switch o := o.(type) {
	case *v1.Pod:
		if managedFields {
			o.ManagedFields = managed(o.CreationTimestamp, podFields)
		}
	case *v1.Node:
		if managedFields {
			o.ManagedFields = managed(o.CreationTimestamp, nodeFields)
		}
	}
	return json.Marshal(o)
}

const (
	podFields = `{"f:metadata":{"f:generateName":{},"f:labels":{".":{},"f:app.kubernetes.io/name":{},` +
		`"f:pod-template-hash":{}},"f:ownerReferences":{".":{},"k:{\"uid\":\"5\"}":{}}},"f:spec":{"f:containers":` +
		`{"k:{\"name\":\"main\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:ports":{".":{},` +
		`"k:{\"containerPort\":8080,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{},"f:protocol":{}}},` +
		`"f:resources":{".":{},"f:requests":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},` +
		`"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:enableServiceLinks":{},"f:priorityClassName":{},` +
		`"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}`
	nodeFields = `{"f:metadata":{"f:annotations":{".":{},"f:csi.volume.kubernetes.io/nodeid":{}},"f:labels":{".":{},` +
		`"f:kubernetes.io/hostname":{},"f:topology.kubernetes.io/zone":{}}},"f:spec":{"f:podCIDR":{},"f:providerID":{}},` +
		`"f:status":{"f:allocatable":{".":{},"f:cpu":{},"f:memory":{},"f:pods":{}},"f:capacity":{".":{},"f:cpu":{}},` +
		`"f:conditions":{"k:{\"type\":\"Ready\"}":{".":{},"f:lastHeartbeatTime":{},"f:status":{}}},"f:images":{}}}`
)

func managed(since metav1.Time, fields string) []metav1.ManagedFieldsEntry {
	entry := func(manager, subresource string) metav1.ManagedFieldsEntry {
		return metav1.ManagedFieldsEntry{Manager: manager, Operation: metav1.ManagedFieldsOperationUpdate,
			APIVersion: "v1", FieldsType: "FieldsV1", Subresource: subresource, Time: &since,
			//lint:ignore SA1019 v1.33 has no other way
			FieldsV1: &metav1.FieldsV1{Raw: []byte(fields)}}
	}
	return []metav1.ManagedFieldsEntry{entry("kube-controller-manager", ""), entry("kubelet", "status")}
}

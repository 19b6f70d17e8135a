package objects

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// finalizer holds pods that terminate, in the place of a kubelet that is still ending them.
const finalizer = "modelcheck.example.com/terminating"

// RefusedError is of an object that the API server does not take.
type RefusedError struct {
	// Object names it, such as "Pod default/p".
	Object string
	Err    error
}

// Error says what was refused and why.
func (r *RefusedError) Error() string {
	return fmt.Sprintf("the API server refuses %s: %v", r.Object, r.Err)
}

// Unwrap returns why.
func (r *RefusedError) Unwrap() error { return r.Err }

// putter puts objects, and remembers the UIDs that the API server gave them in the place of their own.
type putter struct {
	client dynamic.Interface
	uids   map[types.UID]types.UID
}

// Put puts the cluster onto the API server, which has nothing yet but what it makes by itself. The error is a
// RefusedError if the API server does not take an object.
func Put(ctx context.Context, client dynamic.Interface, cluster Cluster) error {
	cluster = withClasses(cluster)
	p := &putter{client, map[types.UID]types.UID{}}
	for _, k := range kinds() {
		for _, object := range k.of(cluster) {
			if err := p.put(ctx, k, object); err != nil {
				return err
			}
		}
	}
	return nil
}

// put puts one object, then its status, and deletes it if it terminates.
func (p *putter) put(ctx context.Context, k kind, object runtime.Object) error {
	wanted, err := wantedOf(k, object)
	if err != nil {
		return err
	}
	refused := func(err error) error {
		return &RefusedError{k.name + " " + (types.NamespacedName{Namespace: wanted.object.GetNamespace(),
			Name: wanted.object.GetName()}).String(), err}
	}
	wanted.refer(k, p.uids)
	client := clientOf(p.client, k, wanted.object.GetNamespace())
	created, err := client.Create(ctx, wanted.object, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) && k.kept != nil {
		created, err = relabel(ctx, client, wanted.object)
	}
	if err != nil {
		return refused(err)
	}
	if wanted.uid != "" {
		p.uids[wanted.uid] = created.GetUID()
	}
	if len(wanted.status) > 0 {
		status, _, err := unstructured.NestedMap(created.Object, "status")
		if err != nil {
			return refused(err)
		}
		if status == nil {
			status = map[string]any{}
		}
		maps.Copy(status, wanted.status)
		created.Object["status"] = status
		if _, err = client.UpdateStatus(ctx, created, metav1.UpdateOptions{}); err != nil {
			return refused(fmt.Errorf("its status: %w", err))
		}
	}
	if wanted.terminates {
		if err := client.Delete(ctx, created.GetName(), metav1.DeleteOptions{}); err != nil {
			return refused(fmt.Errorf("deleting it: %w", err))
		}
	}
	return nil
}

// relabel gives an object that the API server made by itself the labels that are wanted besides.
func relabel(ctx context.Context, client dynamic.ResourceInterface, wanted *unstructured.Unstructured) (
	*unstructured.Unstructured, error) {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": wanted.GetLabels()}})
	if err != nil {
		return nil, err
	}
	return client.Patch(ctx, wanted.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
}

// wanted is how an object is to be.
type wanted struct {
	// object is what is created, without a status.
	object *unstructured.Unstructured
	status map[string]any
	// uid is the one by which other objects of the cluster know it.
	uid        types.UID
	terminates bool
}

// wantedOf takes the object apart. What an API server gives out is left out: it would refuse it, or overwrite it.
func wantedOf(k kind, object runtime.Object) (*wanted, error) {
	if pod, isPod := object.(*v1.Pod); isPod {
		object = withoutMergedKeys(pod)
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, fmt.Errorf("writing a %s: %w", k.name, err)
	}
	u := &unstructured.Unstructured{Object: fields}
	u.SetAPIVersion(k.resource.GroupVersion().String())
	u.SetKind(k.name)
	w := &wanted{object: u, uid: u.GetUID(), terminates: u.GetDeletionTimestamp() != nil}
	if k.status {
		w.status, _, _ = unstructured.NestedMap(fields, "status") // what was encoded is a map
	}
	delete(fields, "status")
	if pod, isPod := object.(*v1.Pod); isPod && pod.Spec.NodeName == "" {
		// What a scheduler said of the pod before is left out, so that what this one says shows.
		delete(w.status, "conditions")
	}
	for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields",
		"selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"} {
		unstructured.RemoveNestedField(fields, "metadata", field)
	}
	if k.name == "Pod" {
		// The plugin Priority gives them, by the class.
		unstructured.RemoveNestedField(fields, "spec", "priority")
		unstructured.RemoveNestedField(fields, "spec", "preemptionPolicy")
	}
	if k.name == "Namespace" {
		unstructured.RemoveNestedField(fields, "spec")
	}
	if w.terminates {
		u.SetFinalizers(append(u.GetFinalizers(), finalizer))
	}
	return w, nil
}

// refer changes the UIDs by which the object refers to others of the cluster to those that the API server gave these.
func (w *wanted) refer(k kind, uids map[types.UID]types.UID) {
	owners := w.object.GetOwnerReferences()
	for i := range owners {
		owners[i].UID = cmp.Or(uids[owners[i].UID], owners[i].UID)
	}
	if len(owners) > 0 {
		w.object.SetOwnerReferences(owners)
	}
	var referring []any // maps that have a uid
	switch k.name {
	case "PersistentVolume":
		if claim, found, _ := unstructured.NestedFieldNoCopy(w.object.Object, "spec", "claimRef"); found {
			referring = append(referring, claim)
		}
	case "ResourceClaim":
		referring, _ = w.status["reservedFor"].([]any)
	}
	for _, r := range referring {
		fields, _ := r.(map[string]any)
		uid, _ := fields["uid"].(string)
		if given, known := uids[types.UID(uid)]; known {
			fields["uid"] = string(given)
		}
	}
}

func clientOf(client dynamic.Interface, k kind, namespace string) dynamic.ResourceInterface {
	if k.namespaced {
		return client.Resource(k.resource).Namespace(namespace)
	}
	return client.Resource(k.resource)
}

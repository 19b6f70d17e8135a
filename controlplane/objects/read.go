package objects

import (
	"context"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Read returns what the API server has, as a scheduler sees it. Objects are in the order of their namespaces and names.
func Read(ctx context.Context, client dynamic.Interface) (*spec.Snapshot, error) {
	s := &spec.Snapshot{}
	for _, k := range kinds() {
		if k.to == nil {
			continue
		}
		list, err := client.Resource(k.resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, fmt.Errorf("listing objects of %s: %w", k.name, err)
		}
		for _, item := range list.Items {
			if err := k.to(s, item.Object); err != nil {
				return nil, fmt.Errorf("reading %s %s: %w", k.name, item.GetName(), err)
			}
		}
	}
	s.Now = spec.Moment(s)
	return s, nil
}

// Clear takes away all objects but those that the API server makes by itself, what holds them notwithstanding. No
// scheduler may run. It leaves events.
func Clear(ctx context.Context, client dynamic.Interface) error {
	all := kinds()
	slices.Reverse(all) // nothing can be changed in a namespace that is gone
	for _, k := range all {
		list, err := client.Resource(k.resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			return fmt.Errorf("listing objects of %s: %w", k.name, err)
		}
		for i := range list.Items {
			item := &list.Items[i]
			err := remove(ctx, clientOf(client, k, item.GetNamespace()), k, item)
			if err != nil && !apierrors.IsNotFound(err) {
				return fmt.Errorf("taking away %s %s: %w", k.name, item.GetName(), err)
			}
		}
	}
	return nil
}

// remove takes one object away. Not found is no failure.
func remove(ctx context.Context, client dynamic.ResourceInterface, k kind, item *unstructured.Unstructured) error {
	if k.kept != nil && k.kept(item.GetNamespace(), item.GetName()) {
		if k.name != "Namespace" {
			return nil
		}
		item.SetLabels(map[string]string{"kubernetes.io/metadata.name": item.GetName()})
		_, err := client.Update(ctx, item, metav1.UpdateOptions{})
		return err
	}
	if len(item.GetFinalizers()) > 0 {
		free := []byte(`{"metadata": {"finalizers": null}}`)
		if _, err := client.Patch(ctx, item.GetName(), types.MergePatchType, free, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	atOnce := int64(0)
	if err := client.Delete(ctx, item.GetName(), metav1.DeleteOptions{GracePeriodSeconds: &atOnce}); err != nil {
		return err
	}
	if k.name != "Namespace" {
		return nil
	}
	// What a controller would do once the namespace is empty.
	terminating, err := client.Get(ctx, item.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	unstructured.RemoveNestedField(terminating.Object, "spec", "finalizers")
	_, err = client.Update(ctx, terminating, metav1.UpdateOptions{}, "finalize")
	return err
}

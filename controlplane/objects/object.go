package objects

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// Object is an object as it is written in a manifest. Namespaced ones without a namespace are in "default".
type Object map[string]any

// Name is how the object is named, such as "Pod default/p" or "Node n1".
func (o Object) Name() string {
	u := &unstructured.Unstructured{Object: o}
	k, err := kindNamed(u.GetKind())
	if err != nil || !k.namespaced {
		return u.GetKind() + " " + u.GetName()
	}
	return u.GetKind() + " " + cmp.Or(u.GetNamespace(), metav1.NamespaceDefault) + "/" + u.GetName()
}

// Text is what the object says besides its name, as JSON.
func (o Object) Text() string {
	u := (&unstructured.Unstructured{Object: o}).DeepCopy()
	for _, path := range [][]string{{"apiVersion"}, {"kind"}, {"metadata", "name"}, {"metadata", "namespace"}} {
		unstructured.RemoveNestedField(u.Object, path...)
	}
	if metadata, isMap := u.Object["metadata"].(map[string]any); isMap && len(metadata) == 0 {
		delete(u.Object, "metadata")
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// at returns the kind of the object, and its client.
func (o Object) at(client dynamic.Interface) (kind, *unstructured.Unstructured, dynamic.ResourceInterface, error) {
	u := (&unstructured.Unstructured{Object: o}).DeepCopy() // what is written to it is no business of the caller's
	k, err := kindNamed(u.GetKind())
	if err != nil {
		return kind{}, nil, nil, err
	}
	if k.namespaced && u.GetNamespace() == "" {
		u.SetNamespace(metav1.NamespaceDefault)
	}
	return k, u, clientOf(client, k, u.GetNamespace()), nil
}

func kindNamed(name string) (kind, error) {
	all := kinds()
	i := slices.IndexFunc(all, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, fmt.Errorf("objects of kind %q are not put onto a control plane", name)
	}
	return all[i], nil
}

// Create creates the object, with its status. Pods that own it, by the uid "ns/name", are those of these names. A
// RefusedError tells that the API server does not take it.
func Create(ctx context.Context, client dynamic.Interface, o Object) error {
	k, u, _, err := o.at(client)
	if err != nil {
		return err
	}
	uids := map[types.UID]types.UID{}
	for _, owner := range u.GetOwnerReferences() {
		if owner.Kind != "Pod" || owner.UID != types.UID(u.GetNamespace()+"/"+owner.Name) {
			continue
		}
		pods, err := kindNamed("Pod")
		if err != nil {
			return err
		}
		pod, err := clientOf(client, pods, u.GetNamespace()).Get(ctx, owner.Name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("the owner of %s %s: %w", u.GetKind(), u.GetName(), err)
		}
		uids[owner.UID] = pod.GetUID()
	}
	return (&putter{client, uids}).put(ctx, k, u)
}

// Patch changes what the object says, as a JSON merge patch does: its status through the subresource.
func Patch(ctx context.Context, client dynamic.Interface, o Object) error {
	_, u, of, err := o.at(client)
	if err != nil {
		return err
	}
	rest, status := map[string]any{}, map[string]any{}
	for field, value := range u.Object {
		if field == "status" {
			status[field] = value
		} else {
			rest[field] = value
		}
	}
	if len(rest) > 0 {
		err = patch(ctx, of, u, rest)
	}
	if err == nil && len(status) > 0 {
		err = patch(ctx, of, u, status, "status")
	}
	return err
}

// Resize changes what a pod requests, as a JSON merge patch of its subresource "resize" does.
func Resize(ctx context.Context, client dynamic.Interface, o Object) error {
	_, u, of, err := o.at(client)
	if err != nil {
		return err
	}
	return patch(ctx, of, u, u.Object, "resize")
}

func patch(ctx context.Context, of dynamic.ResourceInterface, u *unstructured.Unstructured, with map[string]any,
	subresource ...string) error {
	text, err := json.Marshal(with)
	if err == nil {
		_, err = of.Patch(ctx, u.GetName(), types.MergePatchType, text, metav1.PatchOptions{}, subresource...)
	}
	if err != nil {
		return fmt.Errorf("changing %s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return nil
}

// Bind binds a pod to a node, as another scheduler would.
func Bind(ctx context.Context, client dynamic.Interface, pod, node string) error {
	namespace, name, _ := strings.Cut(pod, "/")
	k, err := kindNamed("Pod")
	if err != nil {
		return err
	}
	binding := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Binding", "metadata": map[string]any{"namespace": namespace, "name": name},
		"target": map[string]any{"kind": "Node", "name": node},
	}}
	if _, err := clientOf(client, k, namespace).Create(ctx, binding, metav1.CreateOptions{}, "binding"); err != nil {
		return fmt.Errorf("binding %s to %s: %w", pod, node, err)
	}
	return nil
}

// Delete deletes the object that is named, such as "Pod default/p" or "Node n1": at once, or as by a user, so that a
// bound pod goes on terminating.
func Delete(ctx context.Context, client dynamic.Interface, name string, atOnce bool) error {
	k, of, name, err := located(client, name)
	if err != nil {
		return err
	}
	if !atOnce {
		err = of.Delete(ctx, name, metav1.DeleteOptions{})
	} else {
		var item *unstructured.Unstructured
		if item, err = of.Get(ctx, name, metav1.GetOptions{}); err == nil {
			err = remove(ctx, of, k, item)
		}
	}
	if err != nil && !(atOnce && apierrors.IsNotFound(err)) {
		return fmt.Errorf("deleting %s %s: %w", k.name, name, err)
	}
	return nil
}

// Get returns the object that is named, as it would be created anew.
func Get(ctx context.Context, client dynamic.Interface, name string) (Object, error) {
	k, of, name, err := located(client, name)
	if err != nil {
		return nil, err
	}
	item, err := of.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("getting %s %s: %w", k.name, name, err)
	}
	w, err := wantedOf(k, item)
	if err != nil {
		return nil, err
	}
	w.object.SetFinalizers(nil)
	return w.object.Object, nil
}

// located returns the client for what a name such as "Pod default/p" means, and its name alone.
func located(client dynamic.Interface, text string) (kind, dynamic.ResourceInterface, string, error) {
	of, name, found := strings.Cut(text, " ")
	if !found {
		return kind{}, nil, "", errors.New(`name an object by its kind and its name, such as "Pod default/p"`)
	}
	k, err := kindNamed(of)
	if err != nil {
		return kind{}, nil, "", err
	}
	namespace, rest, found := strings.Cut(name, "/")
	if !found {
		namespace, rest = metav1.NamespaceDefault, name
	}
	return k, clientOf(client, k, namespace), rest, nil
}

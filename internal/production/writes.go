package production

import (
	"encoding/json"
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/testing"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// writes returns what production asked of the API server, in its order. Its informers read only, and are not asked
// for anything.
func writes(client *fake.Clientset, objects *objects) []spec.Write {
	writes := []spec.Write{}
	for _, action := range client.Actions() {
		w := spec.Write{Verb: action.GetVerb(), Resource: action.GetResource().Resource}
		if sub := action.GetSubresource(); sub != "" {
			w.Resource += "/" + sub
		}
		if named, ok := action.(interface{ GetName() string }); ok && action.GetResource().Resource == "pods" {
			key := action.GetNamespace() + "/" + named.GetName()
			if pod, ok, err := objects.pods.GetIndexer().GetByKey(key); ok && err == nil {
				w.Pod = pod.(*v1.Pod)
			}
		}
		if patch, ok := action.(testing.PatchAction); ok {
			w.Fields = patched(patch.GetPatch())
		}
		if update, ok := action.(testing.UpdateAction); ok {
			if claim, ok := update.GetObject().(*resourcev1.ResourceClaim); ok {
				w.Fields = fieldsOf(claim.Status)
				if action.GetSubresource() == "" && slices.Contains(claim.Finalizers, resourcev1.Finalizer) {
					w.Fields = append(w.Fields, spec.ProtectedFromDeletion)
				}
			}
		}
		writes = append(writes, w)
	}
	return writes
}

// fieldsOf returns the fields that the status of a claim has.
func fieldsOf(status resourcev1.ResourceClaimStatus) []string {
	var fields []string
	for _, field := range []struct {
		name string
		has  bool
	}{
		{"allocation", status.Allocation != nil}, {"devices", len(status.Devices) > 0},
		{"reservedFor", len(status.ReservedFor) > 0},
	} {
		if field.has {
			fields = append(fields, field.name)
		}
	}
	return fields
}

// patched returns the fields that a strategic merge patch changes. Keys that begin with $ say how, not what.
func patched(patch []byte) []string {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(patch, &object); err != nil {
		return []string{"unreadable patch: " + err.Error()}
	}
	var fields []string
	for key, value := range object {
		var status map[string]json.RawMessage
		if key != "status" || json.Unmarshal(value, &status) != nil {
			fields = append(fields, "."+key)
			continue
		}
		for field := range status {
			if !strings.HasPrefix(field, "$") {
				fields = append(fields, field)
			}
		}
	}
	slices.Sort(fields)
	return fields
}

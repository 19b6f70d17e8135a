//go:build before1.36

package admission

import (
	"k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagevalidation "k8s.io/kubernetes/pkg/apis/storage/validation"
)

// What is validated in another way in other releases.

// longNodeID is what the API server passes: long IDs are allowed in new nodes.
var longNodeID = storagevalidation.CSINodeValidationOptions{AllowLongNodeID: true}

func newCSINode(node *storage.CSINode) field.ErrorList {
	return storagevalidation.ValidateCSINode(node, longNodeID)
}

func updatedCSINode(updated, old *storage.CSINode) field.ErrorList {
	return storagevalidation.ValidateCSINodeUpdate(updated, old, longNodeID)
}

// pathSegment tells what keeps a name from being part of a URL, which the name of every object becomes.
func pathSegment(name string, prefix bool) []string {
	return path.ValidatePathSegmentName(name, prefix)
}

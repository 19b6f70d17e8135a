package scenario

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Served is what an API server gave of a running cluster, kind by kind. It is read as the same lists in a file are, but
// that no Node stands in.
type Served struct {
	// Name stands for the cluster in messages, such as "context prod".
	Name  string
	Lists []ServedList
	// Notes tell of the lists what a reader of the answer should know.
	Notes []string
}

// ServedList is the objects of one kind.
type ServedList struct {
	// APIVersion and Kind are those of the objects.
	APIVersion, Kind string
	// Items are the objects in JSON. They need not state their kind.
	Items []json.RawMessage
	// Err is why they could not be listed; NotRead tells it then.
	Err error
}

// errNoList says that an answer is none that an API server gives.
var errNoList = errors.New("the answer is not a list of Kubernetes objects in JSON")

// Add adds a page of the list, as the API server sent it, and returns the page's metadata and how many bytes of it are
// kept.
func (l *ServedList) Add(page []byte) (metadata metav1.ListMeta, kept int64, err error) {
	var list struct {
		Kind     string            `json:"kind"`
		Metadata metav1.ListMeta   `json:"metadata"`
		Items    []json.RawMessage `json:"items"`
	}
	if json.Unmarshal(page, &list) != nil || !strings.HasSuffix(list.Kind, "List") {
		return metav1.ListMeta{}, 0, errNoList
	}
	for _, item := range list.Items {
		item = withoutManagedFields(item)
		kept += int64(len(item))
		l.Items = append(l.Items, item)
	}
	return list.Metadata, kept, nil
}

// served returns the lists of the API server as documents.
func (r *reading) served() []document {
	r.add(r.Served.Name)
	for _, text := range r.Served.Notes {
		r.notes = append(r.notes, note{source: Source{File: r.Served.Name}, text: text})
	}
	var documents []document
	for i, list := range r.Served.Lists {
		// Without a line: nobody sees the lists.
		source := Source{File: r.Served.Name, Document: i + 1}
		if list.Err != nil {
			r.leave(source, "", "", list.Err)
			continue
		}
		for _, item := range list.Items {
			r.left -= int64(len(item))
		}
		wrapper, err := json.Marshal(map[string]any{
			"apiVersion": list.APIVersion, "kind": list.Kind + "List", "metadata": map[string]any{}, "items": []any{},
		})
		if err != nil {
			r.refuse(source, list.Kind, "", err)
			continue
		}
		documents = append(documents, document{source: source, raw: wrapper, json: wrapper,
			items: slices.Concat([]json.RawMessage{}, list.Items)}) // nil would leave it to the wrapper
	}
	return documents
}

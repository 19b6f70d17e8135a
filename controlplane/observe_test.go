package main

import (
	"testing"

	v1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
)

// TestFailedBefore: what a pod was told before it was bound is in an event about that very pod.
func TestFailedBefore(t *testing.T) {
	pod := &v1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "p", UID: "this"}}
	for _, row := range []struct {
		reason string
		about  types.UID
		event  string
		want   bool
	}{
		{"it failed", "this", "FailedScheduling", true},
		{"one of its name failed before", "earlier", "FailedScheduling", false},
		{"it was bound", "this", "Scheduled", false},
	} {
		client := fake.NewClientset(&eventsv1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "e"},
			Regarding:  v1.ObjectReference{Kind: "Pod", Name: "p", UID: row.about},
			Reason:     row.event, Note: "0/1 nodes are available",
		})
		got, err := failedBefore(t.Context(), client, pod)
		if err != nil {
			t.Fatal(err)
		}
		if (got != nil) != row.want || got != nil && (got.sort != waited || got.message == "") {
			t.Errorf("%s: %+v", row.reason, got)
		}
	}
}

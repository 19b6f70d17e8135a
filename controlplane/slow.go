package main

import (
	"context"
	"fmt"
	"net"
	"strings"

	"k8s.io/client-go/dynamic"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
)

// slow are requests of kube-scheduler that the API server does not answer for some seconds: it asks a webhook first,
// which says nothing, and goes on without it when its time is over. So something may happen in between.
type slow struct {
	// Operation and Resource are as in a rule of an admission webhook, such as DELETE and "pods"; Name is the object's.
	Operation string `json:"operation"`
	Resource  string `json:"resource"`
	Name      string `json:"name"`
	Seconds   int64  `json:"seconds"`
}

// String says what is slow.
func (s *slow) String() string {
	return fmt.Sprintf("a webhook, for which kube-scheduler's %s of %s %s takes %d s", strings.ToLower(s.Operation),
		s.Resource, s.Name, s.Seconds)
}

// begin has the requests take their time until end is called, and the objects are cleared.
func (s *slow) begin(ctx context.Context, client dynamic.Interface) (end func(), err error) {
	silent, err := net.Listen("tcp", "127.0.0.1:0") // who connects waits for an answer that nobody gives
	if err != nil {
		return nil, fmt.Errorf("listening as a webhook: %w", err)
	}
	err = objects.Create(ctx, client, objects.Object{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"metadata": map[string]any{"name": "slow"},
		"webhooks": []any{map[string]any{
			"name":         "slow.modelcheck.example.com",
			"clientConfig": map[string]any{"url": "https://" + silent.Addr().String() + "/"},
			"rules": []any{map[string]any{
				"operations": []any{s.Operation}, "apiGroups": []any{""}, "apiVersions": []any{"v1"},
				"resources": []any{s.Resource},
			}},
			"matchConditions": []any{map[string]any{
				"name": "of-the-scheduler", "expression": fmt.Sprintf(
					`request.userInfo.username == "system:kube-scheduler" && request.name == %q`, s.Name),
			}},
			"timeoutSeconds": s.Seconds, "failurePolicy": "Ignore", "sideEffects": "None",
			"admissionReviewVersions": []any{"v1"},
		}},
	})
	if err != nil {
		_ = silent.Close() // the other error says more
		return nil, err
	}
	return func() { _ = silent.Close() }, nil
}

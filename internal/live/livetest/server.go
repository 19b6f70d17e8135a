// Package livetest has an API server for tests: it answers lists as Kubernetes' own does, page by page, and keeps what
// it was asked for.
package livetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

// Server is an API server that holds a cluster.
type Server struct {
	*httptest.Server
	// Instead answers for a resource, such as "pods", in the place of its list. It is set before the first request.
	Instead map[string]http.HandlerFunc

	lists map[string]list // by path
	mu    sync.Mutex
	asked []string
}

// list is a list without its items, and these.
type list struct {
	apiVersion, kind string
	items            []json.RawMessage
}

// ResourceVersion is that of every list.
const ResourceVersion = "4711"

// New starts an API server that holds the objects of the manifests, in YAML, as it would have stored them. It stops
// with the test.
func New(t testing.TB, manifests []byte) *Server {
	t.Helper()
	s := &Server{Instead: map[string]http.HandlerFunc{}, lists: map[string]list{}}
	for kind := range scheme.Scheme.AllKnownTypes() {
		s.lists[path(kind)] = list{apiVersion: kind.GroupVersion().String(), kind: kind.Kind + "List"}
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), 4096)
	for number := 1; ; number++ {
		var object unstructured.Unstructured
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if object.Object == nil {
			continue
		}
		at := path(object.GroupVersionKind())
		l := s.lists[at]
		l.items = append(l.items, stored(t, object, number))
		s.lists[at] = l
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// path is where the objects of a kind are listed.
func path(kind schema.GroupVersionKind) string {
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	if kind.Group == "" {
		return "/api/" + kind.Version + "/" + plural.Resource
	}
	return "/apis/" + kind.Group + "/" + kind.Version + "/" + plural.Resource
}

// stored gives an object what storing gives it. Items of lists do not state their kind.
func stored(t testing.TB, object unstructured.Unstructured, number int) json.RawMessage {
	t.Helper()
	if object.GetNamespace() == "" && slices.Contains([]string{"Pod", "PodDisruptionBudget"}, object.GetKind()) {
		object.SetNamespace("default")
	}
	fields := map[string]any{
		"uid": fmt.Sprintf("uid-%d", number), "resourceVersion": strconv.Itoa(number),
		"creationTimestamp": "2026-01-05T07:00:00Z",
		"managedFields":     []any{map[string]any{"manager": "kubectl", "operation": "Update"}},
	}
	for name, value := range fields {
		if err := unstructured.SetNestedField(object.Object, value, "metadata", name); err != nil {
			t.Fatal(err)
		}
	}
	delete(object.Object, "kind")
	delete(object.Object, "apiVersion")
	data, err := json.Marshal(object.Object)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Asked returns the requests so far, such as "GET /api/v1/pods?limit=500".
func (s *Server) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	s.mu.Lock()
	s.asked = append(s.asked, request.Method+" "+request.URL.RequestURI())
	s.mu.Unlock()
	resource := request.URL.Path[strings.LastIndexByte(request.URL.Path, '/')+1:]
	if instead := s.Instead[resource]; instead != nil {
		instead(w, request)
		return
	}
	s.List(w, request)
}

// List answers with a page of the list that is asked for. A token to continue is the number of items before the page.
func (s *Server) List(w http.ResponseWriter, request *http.Request) {
	l, served := s.lists[request.URL.Path]
	if !served {
		http.NotFound(w, request)
		return
	}
	query := request.URL.Query()
	limit, _ := strconv.Atoi(query.Get("limit"))
	from, _ := strconv.Atoi(query.Get("continue"))
	metadata := map[string]any{"resourceVersion": ResourceVersion}
	to := min(len(l.items), from+cmp.Or(limit, len(l.items)))
	if to < len(l.items) {
		metadata["continue"], metadata["remainingItemCount"] = strconv.Itoa(to), len(l.items)-to
	}
	answer(w, http.StatusOK, map[string]any{"kind": l.kind, "apiVersion": l.apiVersion, "metadata": metadata,
		"items": append([]json.RawMessage{}, l.items[from:to]...)})
}

// Status answers with a failure as API servers state it, such as 403 Forbidden.
func Status(code int, reason, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		answer(w, code, map[string]any{"kind": "Status", "apiVersion": "v1", "metadata": map[string]any{},
			"status": "Failure", "message": message, "reason": reason, "code": code})
	}
}

// Forbidden answers that the user may not list a resource.
func Forbidden(resource string) http.HandlerFunc {
	return Status(http.StatusForbidden, "Forbidden", fmt.Sprintf("%s is forbidden: User \"jane\" cannot list resource %q "+
		"in API group \"\" at the cluster scope", resource, resource))
}

func answer(w http.ResponseWriter, code int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(body) // whoever asked may be gone
}

// Kubeconfig writes a kubeconfig whose current context, prod, is this server and the namespace shop, and returns its
// path.
func (s *Server) Kubeconfig(t testing.TB) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	text := fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: prod
contexts:
- {name: prod, context: {cluster: prod, user: jane, namespace: shop}}
- {name: gone, context: {cluster: gone, user: jane}}
clusters:
- {name: prod, cluster: {server: %q}}
- {name: gone, cluster: {server: "http://127.0.0.1:1"}}
users:
- {name: jane, user: {token: t}}
`, s.URL)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

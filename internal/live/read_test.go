package live_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/rest/fake"

	"github.com/seed-a3f26817/modelcheck/internal/live"
	"github.com/seed-a3f26817/modelcheck/internal/live/livetest"
)

// cluster is a cluster of one node and some pods.
func cluster(pods int) []byte {
	text := "apiVersion: v1\nkind: Node\nmetadata: {name: n}\n"
	for i := range pods {
		text += fmt.Sprintf("---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\n", i)
	}
	return []byte(text)
}

// reader reads from the server by client-go's fake.
func reader(server http.Handler) *live.Reader {
	return &live.Reader{Name: "context prod", Client: &fake.RESTClient{
		NegotiatedSerializer: scheme.Codecs.WithoutConversion(),
		Client: fake.CreateHTTPClient(func(request *http.Request) (*http.Response, error) {
			recorder := httptest.NewRecorder()
			server.ServeHTTP(recorder, request)
			return recorder.Result(), request.Context().Err()
		}),
	}}
}

// counted returns how many objects there are of each kind that has some.
func counted(t *testing.T, reader *live.Reader) (counts map[string]int, notes []string) {
	t.Helper()
	served, err := reader.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts = map[string]int{}
	for _, list := range served.Lists {
		if list.Err != nil {
			t.Errorf("%s: %v", list.Kind, list.Err)
		}
		if len(list.Items) > 0 {
			counts[list.Kind] = len(list.Items)
		}
		for _, item := range list.Items {
			if strings.Contains(string(item), "kubectl") {
				t.Errorf("%s: managed fields are kept: %s", list.Kind, item)
			}
		}
	}
	return counts, served.Notes
}

// TestPages: lists come in pages, each once, and nothing but lists of the kinds is asked for.
func TestPages(t *testing.T) {
	server := livetest.New(t, cluster(1001))
	r := reader(server)
	var said []string
	r.Progress = func(resource string, objects int) {
		if resource == "pods" {
			said = append(said, fmt.Sprint(objects))
		}
	}
	counts, notes := counted(t, r)
	if diff := cmp.Diff(map[string]int{"Node": 1, "Pod": 1001}, counts); diff != "" {
		t.Errorf("objects (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"listed at resourceVersion 4711"}, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0", "500", "1000", "1001"}, said); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	var want []string
	for _, kind := range live.Kinds() {
		path := "/apis/" + kind.APIVersion
		if kind.APIVersion == "v1" {
			path = "/api/v1"
		}
		want = append(want, "GET "+path+"/"+kind.Resource+"?limit=500")
		if kind.Kind == "Pod" {
			want = append(want, "GET /api/v1/pods?continue=500&limit=500", "GET /api/v1/pods?continue=1000&limit=500")
		}
	}
	if diff := cmp.Diff(want, server.Asked()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestExpired: a list whose pages expire is listed anew, in one piece, and no object twice.
func TestExpired(t *testing.T) {
	server := livetest.New(t, cluster(1200))
	expired := livetest.Status(http.StatusGone, "Expired", "The provided continue parameter is too old to display a "+
		"consistent list result.")
	server.Instead["pods"] = func(w http.ResponseWriter, request *http.Request) {
		if request.URL.Query().Get("continue") == "1000" {
			expired(w, request)
			return
		}
		server.List(w, request)
	}
	counts, _ := counted(t, reader(server))
	if counts["Pod"] != 1200 {
		t.Errorf("%d pods, want 1200", counts["Pod"])
	}
	asked := strings.Join(server.Asked(), "\n")
	if !strings.Contains(asked, "continue=1000&limit=500\nGET /api/v1/pods\n") {
		t.Errorf("the list is not asked for in one piece:\n%s", asked)
	}
}

// TestLacks: each kind but nodes and pods may be forbidden, and then it is said what is missing. It may not be served
// either; then there are none.
func TestLacks(t *testing.T) {
	for _, kind := range live.Kinds() {
		server := livetest.New(t, cluster(1))
		server.Instead[kind.Resource] = livetest.Forbidden(kind.Resource)
		served, err := reader(server).Read(t.Context())
		if kind.Lacks == "" {
			if err == nil || !strings.Contains(err.Error(), "the ClusterRole of "+live.ClusterRole) {
				t.Errorf("%s forbidden: %v", kind.Resource, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s forbidden: %v", kind.Resource, err)
			continue
		}
		for _, list := range served.Lists {
			switch {
			case list.Kind != kind.Kind && list.Err != nil:
				t.Errorf("%s forbidden: %s: %v", kind.Resource, list.Kind, list.Err)
			case list.Kind == kind.Kind && (list.Err == nil || !strings.Contains(list.Err.Error(), kind.Lacks)):
				t.Errorf("%s forbidden: %v", kind.Resource, list.Err)
			}
		}
		server.Instead[kind.Resource] = http.NotFound
		if _, notes := counted(t, reader(server)); !strings.Contains(notes[0], "does not serve "+kind.Resource) {
			t.Errorf("%s not served: %q", kind.Resource, notes)
		}
	}
}

// TestFailures: whatever else goes wrong is an error that says what to do.
func TestFailures(t *testing.T) {
	html := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>Log in</html>") }
	for _, row := range []struct {
		reason, resource string
		instead          http.HandlerFunc
		most             int64
		want             []string
	}{
		{"nobody is logged in", "nodes", livetest.Status(http.StatusUnauthorized, "Unauthorized", "Unauthorized"), 0,
			[]string{"context prod: nodes cannot be listed: Unauthorized", "log in anew"}},
		{"no API server", "nodes", http.NotFound, 0, []string{"there is no Kubernetes API server at this address"}},
		{"a page to log in", "nodes", html, 0,
			[]string{"not a list of Kubernetes objects in JSON", "kubectl get nodes -A"}},
		{"a server that is broken", "poddisruptionbudgets",
			livetest.Status(http.StatusInternalServerError, "InternalError", "etcdserver: leader changed"), 0,
			[]string{"poddisruptionbudgets cannot be listed", "leader changed", "try again"}},
		{"a larger cluster than may be read", "", nil, 10 << 10,
			[]string{"context prod: pods: the lists have more than 10Ki in all: raise --max-input"}},
	} {
		server := livetest.New(t, cluster(600))
		if row.instead != nil {
			server.Instead[row.resource] = row.instead
		}
		r := reader(server)
		r.MaxBytes = row.most
		_, err := r.Read(t.Context())
		for _, part := range row.want {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v, want %q in it", row.reason, err, part)
			}
		}
	}
	_, err := reader(livetest.New(t, nil)).Read(t.Context())
	if err == nil || !strings.Contains(err.Error(), "has no nodes") {
		t.Errorf("a cluster without nodes: %v", err)
	}
}

// TestMoments: it is said if the cluster went on between the lists.
func TestMoments(t *testing.T) {
	server := livetest.New(t, cluster(1))
	var number atomic.Int64
	for _, kind := range live.Kinds() {
		server.Instead[kind.Resource] = func(w http.ResponseWriter, request *http.Request) {
			recorder := httptest.NewRecorder()
			server.List(recorder, request)
			version := fmt.Sprint(4711 + number.Add(1))
			fmt.Fprint(w, strings.Replace(recorder.Body.String(), livetest.ResourceVersion, version, 1))
		}
	}
	_, notes := counted(t, reader(server))
	want := []string{"listed one kind after the other, from resourceVersion 4712 (nodes) to 4735 (cronjobs): what " +
		"changed in between may not fit together"}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}

// TestCancelled: a server that does not answer keeps nobody waiting.
func TestCancelled(t *testing.T) {
	server := livetest.New(t, cluster(1))
	ctx, cancel := context.WithCancel(t.Context())
	server.Instead["pods"] = func(_ http.ResponseWriter, request *http.Request) {
		cancel()
		<-request.Context().Done()
	}
	client, err := rest.UnversionedRESTClientFor(&rest.Config{Host: server.URL,
		ContentConfig: rest.ContentConfig{NegotiatedSerializer: scheme.Codecs.WithoutConversion()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&live.Reader{Client: client, Name: "prod"}).Read(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
}

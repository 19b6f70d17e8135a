package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/seed-a3f26817/modelcheck/internal/live"
	"github.com/seed-a3f26817/modelcheck/internal/live/livetest"
)

// small starts an API server with a small cluster, and returns it with a kubeconfig.
func small(t *testing.T) (server *livetest.Server, kubeconfig string) {
	t.Helper()
	manifests, err := os.ReadFile("../../testdata/clusters/small.yaml")
	if err != nil {
		t.Fatal(err)
	}
	server = livetest.New(t, manifests)
	return server, server.Kubeconfig(t)
}

// ran runs the command, and returns what it prints.
func ran(ctx context.Context, name string, args ...string) (code int, stdout, stderr string) {
	var out, err strings.Builder
	code = command{name: name, stdin: strings.NewReader(""), stdout: &out, stderr: &err}.run(ctx, args)
	return code, out.String(), err.String()
}

// TestLiveIsAsTheFile: a running cluster is explained as the same objects of a file are, by whatever name it is called.
func TestLiveIsAsTheFile(t *testing.T) {
	server, kubeconfig := small(t)
	_, want, _ := ran(t.Context(), "", "explain", "-f", "../../testdata/clusters/small.yaml")
	for _, flags := range [][]string{
		{"--live", "--kubeconfig", kubeconfig}, {"-live", "-kubeconfig=" + kubeconfig, "-context", "prod"},
		{"--live", "--kubeconfig", kubeconfig, "--context", "gone", "--cluster", "prod"},
		{"--live", "-s", server.URL},
	} {
		code, got, stderr := ran(t.Context(), "/usr/bin/kubectl-modelcheck", append([]string{"explain"}, flags...)...)
		if code != exitHolds || stderr != "" {
			t.Errorf("%q: exit code %d, stderr:\n%s", flags, code, stderr)
		}
		if answers(got) != answers(want) {
			t.Errorf("%q: not as of the file:\n%s\nwant:\n%s", flags, got, want)
		}
		if !strings.Contains(got, "listed at resourceVersion 4711") {
			t.Errorf("%q: nothing says when it was read:\n%s", flags, got)
		}
	}
	for _, asked := range server.Asked() {
		if !strings.HasPrefix(asked, "GET /api") || strings.Contains(asked, "secrets") ||
			strings.Contains(asked, "configmaps") || strings.Contains(asked, "namespaces/") {
			t.Errorf("it asks for more than lists of all namespaces: %s", asked)
		}
	}
}

// answers takes the notes out of an explanation.
func answers(report string) string {
	return regexp.MustCompile(`(?m)^ *(note|Note).*\n`).ReplaceAllString(report, "")
}

// TestLivePods: POD means that of the namespace of the context, or of -n, which alone means its pods.
func TestLivePods(t *testing.T) {
	_, kubeconfig := small(t)
	const front, report = "kube-scheduler binds shop/front-3", "kube-scheduler binds default/report-3"
	for _, row := range []struct {
		reason string
		args   []string
		code   int
		has    string
		hasNot string
	}{
		{"the namespace of the context", []string{"front-3"}, exitHolds, front, report},
		{"another one", []string{"-n", "default", "report-3"}, exitHolds, report, front},
		{"a pod with its namespace", []string{"-n", "default", "shop/front-3"}, exitHolds, front, report},
		{"all pods", nil, exitHolds, front, "\x00"},
		{"those of a namespace", []string{"--namespace=shop"}, exitHolds, front, report},
		{"a pod of another namespace", []string{"report-3"}, exitUsage, `no pending pod is named "shop/report-3"`, front},
		{"a namespace without a pending pod", []string{"-n", "kube-system"}, exitUsage,
			`no pod of the namespace "kube-system" is pending`, front},
		{"nodes of its own", []string{"--nodes", "3"}, exitUsage, "--nodes does not go with the cluster of context prod",
			front},
		{"a context that is not there", []string{"--context", "nope"}, exitUsage, `context "nope" does not exist`, front},
		{"nobody at the address", []string{"--context", "gone"}, exitUsage,
			"context gone: nodes cannot be listed: Get \"http://127.0.0.1:1", front},
		{"a pod that is about to be created", []string{"-f", "testdata/newpod.yaml", "shop/new"}, exitHolds,
			"kube-scheduler binds shop/new", front},
	} {
		code, stdout, stderr := ran(t.Context(), "", append([]string{"explain", "--live", "--kubeconfig", kubeconfig},
			row.args...)...)
		if printed := stdout + stderr; code != row.code || !strings.Contains(printed, row.has) ||
			strings.Contains(printed, row.hasNot) {
			t.Errorf("%s: exit code %d, want %d and %q, and not %q:\n%s", row.reason, code, row.code, row.has, row.hasNot,
				printed)
		}
	}
}

// TestLiveForbidden: the answer says what it lacks, and the exit code that it is not the whole one.
func TestLiveForbidden(t *testing.T) {
	server, kubeconfig := small(t)
	server.Instead["poddisruptionbudgets"] = livetest.Forbidden("poddisruptionbudgets")
	server.Instead["cronjobs"] = http.NotFound
	code, stdout, stderr := ran(t.Context(), "", "explain", "--live", "--kubeconfig", kubeconfig)
	if code != exitUnfinished || stderr != "" {
		t.Errorf("exit code %d, want %d; stderr:\n%s", code, exitUnfinished, stderr)
	}
	stdout = strings.Join(strings.Fields(stdout), " ") // lines are wrapped
	for _, part := range []string{
		"not read: context prod: poddisruptionbudgets: there is no permission to list them, so preemption is decided as " +
			"if no pod were protected", "User \"jane\" cannot list resource",
		"the API server does not serve cronjobs of batch/v1, so there are none",
	} {
		if !strings.Contains(stdout, part) {
			t.Errorf("%q is not said:\n%s", part, stdout)
		}
	}
	for _, kind := range live.Kinds() {
		if kind.Lacks != "" {
			server.Instead[kind.Resource] = livetest.Forbidden(kind.Resource)
		}
	}
	code, stdout, stderr = ran(t.Context(), "", "explain", "-v", "--live", "--kubeconfig", kubeconfig)
	if missing := strings.Count(stdout, "not read: context prod: "); code != exitUnfinished ||
		missing != len(live.Kinds())-2 || !strings.Contains(stdout, "kube-scheduler binds shop/front-3") {
		t.Errorf("with nodes and pods alone: exit code %d, %d kinds are missing\n%s%s", code, missing, stdout, stderr)
	}
	server.Instead["pods"] = livetest.Forbidden("pods")
	code, stdout, stderr = ran(t.Context(), "", "explain", "--live", "--kubeconfig", kubeconfig)
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "the ClusterRole of docs/live/clusterrole.yaml") {
		t.Errorf("without pods: exit code %d, want %d\n%s%s", code, exitUsage, stdout, stderr)
	}
}

// TestLiveInterrupted: an API server that does not answer keeps nobody waiting.
func TestLiveInterrupted(t *testing.T) {
	server, kubeconfig := small(t)
	ctx, interrupt := context.WithCancel(t.Context())
	server.Instead["pods"] = func(_ http.ResponseWriter, request *http.Request) {
		interrupt()
		<-request.Context().Done()
	}
	began := time.Now()
	code, stdout, stderr := ran(ctx, "", "explain", "--live", "--kubeconfig", kubeconfig)
	if code != exitUnfinished || stdout != "" ||
		!strings.Contains(stderr, "interrupted while reading context prod (pods: 0 so far): nothing was checked") {
		t.Errorf("exit code %d, want %d\n%s%s", code, exitUnfinished, stdout, stderr)
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it ends after %v", took)
	}
	server.Instead["pods"] = func(_ http.ResponseWriter, request *http.Request) { <-request.Context().Done() }
	code, _, stderr = ran(t.Context(), "", "explain", "--live", "--kubeconfig", kubeconfig, "--request-timeout", "50ms")
	if code != exitUsage || !strings.Contains(stderr, "context prod: pods cannot be listed") ||
		!strings.Contains(stderr, "imeout") {
		t.Errorf("with a timeout: exit code %d, want %d: %s", code, exitUsage, stderr)
	}
}

// TestLiveFlags: kubectl's flags mean nothing without --live, and the help has them apart.
func TestLiveFlags(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	for args, want := range map[string]string{
		"-f x.yaml --context prod": "--context goes with --live",
		"-f x.yaml -n shop":        "--namespace goes with --live",
		"--live":                   "there is no kubeconfig that says which cluster is meant",
		"--live --max-input none":  `--max-input is "none"`,
	} {
		code, _, stderr := ran(t.Context(), "", append([]string{"explain"}, strings.Fields(args)...)...)
		if code != exitUsage || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit code %d, stderr %q, want %q", args, code, stderr, want)
		}
	}
	_, help, _ := ran(t.Context(), "kubectl-modelcheck", "explain", "--help")
	_, after, grouped := strings.Cut(help, "\nFlags of kubectl that go with --live:\n")
	if !grouped || !strings.Contains(after, "--kubeconfig") || strings.Contains(after, "--strict") {
		t.Errorf("kubectl's flags are not apart:\n%s", help)
	}
	if !strings.Contains(help, "  kubectl modelcheck explain --live shop") ||
		!strings.Contains(help, "| kubectl modelcheck explain -f -") || strings.Contains(help, "  modelcheck explain") {
		t.Errorf("the help of a plugin of kubectl:\n%s", help)
	}
}

// TestLiveAudit: a running cluster is audited as the same objects of a file are, and what to type next reads it again.
func TestLiveAudit(t *testing.T) {
	_, kubeconfig := small(t)
	_, want, _ := ran(t.Context(), "", "audit", "-f", "../../testdata/clusters/small.yaml", "--drain", "node-a")
	code, got, stderr := ran(t.Context(), "", "audit", "--live", "--kubeconfig", kubeconfig, "--drain", "node-a")
	got = strings.ReplaceAll(got, "--live --kubeconfig="+kubeconfig, "-f ../../testdata/clusters/small.yaml")
	if code != exitHolds || stderr != "" || answers(got) != answers(want) {
		t.Errorf("exit code %d, not as of the file:\n%s%s\nwant:\n%s", code, got, stderr, want)
	}
	code, _, stderr = ran(t.Context(), "", "audit", "-f", "x.yaml", "--context", "prod")
	if code != exitUsage || !strings.Contains(stderr, "--context goes with --live") {
		t.Errorf("without --live: exit code %d: %s", code, stderr)
	}
	var l liveFlags
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	l.declareLive(flags)
	if err := flags.Parse([]string{"--live", "--token=x", "--context=a b", "--as-group=g", "--as-group=h"}); err != nil {
		t.Fatal(err)
	}
	if again := strings.Join(l.repeated(), " "); again != "--live --as-group=g --as-group=h '--context=a b'" {
		t.Errorf("the same cluster again: %s", again)
	}
}

// TestLiveAuditOfNamespace: with -n only pods of the namespace are told of.
func TestLiveAuditOfNamespace(t *testing.T) {
	_, kubeconfig := small(t)
	for namespace, want := range map[string]string{
		"shop": "Pending pods: 1;", "default": "Pending pods: 1;", "none": "Pending pods: 0;",
	} {
		code, got, stderr := ran(t.Context(), "", "audit", "--live", "--kubeconfig", kubeconfig, "-n", namespace)
		if code != exitHolds || !strings.Contains(got, want) {
			t.Errorf("-n %s: exit code %d, want %q in\n%s%s", namespace, code, want, got, stderr)
		}
	}
}

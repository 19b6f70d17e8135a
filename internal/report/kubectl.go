package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/printable"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// The files that build the cluster of a finding through an API server.
const (
	KubectlScript  = "kubectl/run.sh"
	kubectlObjects = "kubectl/objects.yaml"
	kubectlPods    = "kubectl/pods.yaml"
	kubectlPod     = "kubectl/pod.yaml"
)

// holds is the finalizer of pods that terminate, so that they do not go meanwhile.
const holds = "modelcheck.example.com/terminates"

// kubectlCluster is a cluster that is to be built through an API server.
type kubectlCluster struct {
	// objects come first, then pods, and last the pod that is asked about.
	objects, pods, pod []any
	// patches set what an API server takes from no new object, and deletions begin to terminate pods.
	objectPatches, podPatches, deletions []string
	nodes                                []string
	owned                                bool
}

// kubectl returns manifests and a script that build the question of a finding through an API server, on a cluster of
// KWOK, whose nodes are made up; nil if it is about no decision.
func (r *Run) kubectl(f *decisions.Finding) []File {
	c := f.Example.Case
	if c == nil {
		return nil
	}
	b := &kubectlCluster{}
	for _, item := range manifests(c.Question.Snapshot).Items {
		b.add(item.(map[string]any), name(c.Question.Pod))
	}
	files := []File{{KubectlScript, []byte(r.script(f, b))}, {kubectlPod, documents(b.pod)}}
	if len(b.objects) > 0 {
		files = append(files, File{kubectlObjects, documents(b.objects)})
	}
	if len(b.pods) > 0 {
		files = append(files, File{kubectlPods, documents(b.pods)})
	}
	return files
}

// add takes the status, the owners and the end off an object, which an API server does not take from a new one.
func (b *kubectlCluster) add(fields map[string]any, asked string) {
	kind, metadata := fields["kind"].(string), fields["metadata"].(map[string]any)
	object, _ := metadata["name"].(string)
	namespace, _ := metadata["namespace"].(string)
	target := strings.ToLower(kind) + " " + inQuotes(object)
	if namespace != "" {
		target += " -n " + inQuotes(namespace)
	}
	if _, is := metadata["ownerReferences"]; is {
		b.owned = true // its owner is not there, so a garbage collector would delete it
		delete(metadata, "ownerReferences")
	}
	patch := ""
	if status := fields["status"]; status != nil && kind != "Node" {
		delete(fields, "status")
		text, err := json.Marshal(map[string]any{"status": status})
		if err != nil {
			panic(fmt.Sprintf("report: a status cannot be written: %v", err)) // it was read from JSON
		}
		patch = fmt.Sprintf("kubectl patch %s --subresource=status --type=merge -p %s", target, inQuotes(string(text)))
	}
	switch {
	case kind == "Node":
		annotations, _ := metadata["annotations"].(map[string]any)
		if annotations == nil {
			annotations = map[string]any{}
		}
		annotations["kwok.x-k8s.io/node"] = "fake"
		metadata["annotations"] = annotations
		b.nodes, b.objects = append(b.nodes, object), append(b.objects, fields)
	case kind == "Pod":
		if metadata["deletionTimestamp"] != nil {
			delete(metadata, "deletionTimestamp")
			delete(metadata, "deletionGracePeriodSeconds")
			metadata["finalizers"] = []any{holds}
			b.deletions = append(b.deletions, "kubectl delete "+target+" --wait=false")
		}
		if key := namespace + "/" + object; key == asked || namespace == "" && asked == "default/"+object {
			b.pod = append(b.pod, fields)
		} else {
			b.pods = append(b.pods, fields)
		}
		if patch != "" {
			b.podPatches = append(b.podPatches, patch)
		}
		return
	default:
		b.objects = append(b.objects, fields)
	}
	if patch != "" {
		b.objectPatches = append(b.objectPatches, patch)
	}
}

// script builds the cluster, asks for the pod, and shows what becomes of it beside what is said here.
func (r *Run) script(f *decisions.Finding, b *kubectlCluster) string {
	var s strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&s, format+"\n", args...) }
	line("#!/bin/sh")
	line("# %s", printable.Line(bugTitle(f)))
	line("#")
	line("# For a cluster of KWOK (kwokctl create cluster), or of kind with KWOK in it, without pods in these namespaces:")
	line("# its nodes are made up, and nothing runs. Other nodes are cordoned. modelcheck has not run this script.")
	if b.owned {
		line("# Owners are left out: their controllers are not there.")
	}
	if len(r.configurationOf(f)) > 0 {
		line("# kube-scheduler takes the configuration of ../%s.", ConfigurationFile)
	}
	line("set -eu\ncd \"$(dirname \"$0\")\"\nkubectl version")
	if len(b.objects) > 0 {
		line("kubectl apply -f objects.yaml")
	}
	var ours []string
	for _, node := range b.nodes {
		ours = append(ours, "-e "+inQuotes("node/"+node))
	}
	if len(ours) > 0 {
		line("for node in $(kubectl get nodes -o name | grep -v -x -F %s); do kubectl cordon \"$node\"; done",
			strings.Join(ours, " "))
	}
	for _, patch := range b.objectPatches {
		line("%s", patch)
	}
	if len(b.pods) > 0 {
		line("kubectl apply -f pods.yaml")
	}
	var last []string
	for _, patch := range b.podPatches {
		if isAbout(patch, f) {
			last = append(last, patch)
			continue
		}
		line("%s", patch)
	}
	for _, deletion := range b.deletions {
		line("%s", deletion)
	}
	line("kubectl apply -f pod.yaml")
	for _, patch := range last {
		line("%s", patch)
	}
	line("sleep 10\nkubectl get pods --all-namespaces -o wide")
	line("kubectl get events --all-namespaces --sort-by=.lastTimestamp")
	c := f.Example.Case
	says := func(who string, outcomes []spec.Outcome) {
		for _, o := range distinct(outcomes, nil) {
			line("echo %s", inQuotes(printable.Line(who+" "+outcome(c.Question, o))))
		}
	}
	if c.Decision.Failure != "" {
		line("echo %s", inQuotes(printable.Line("seen in process: no decision: "+c.Decision.Failure)))
	}
	says("seen in process: kube-scheduler "+r.KubernetesVersion, c.Decision.Outcomes)
	says("expected: kube-scheduler", documentedOutcomes(c, nil))
	return s.String()
}

// isAbout reports whether the patch is of the pod that is asked about.
func isAbout(patch string, f *decisions.Finding) bool {
	pod := f.Example.Case.Question.Pod
	return strings.HasPrefix(patch, "kubectl patch pod "+inQuotes(pod.Name)+" ") &&
		(strings.Contains(patch, " -n "+inQuotes(pod.Namespace)+" ") || pod.Namespace == "default")
}

func documents(items []any) []byte {
	var all []string
	for _, item := range items {
		all = append(all, yamlOf(item))
	}
	return []byte(strings.Join(all, "---\n"))
}

// inQuotes puts a text into single quotes of a shell.
func inQuotes(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

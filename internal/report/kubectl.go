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
	objectPatches, podPatches, askedPatches, deletions []string
	nodes                                              []string
	owned                                              bool
}

// kubectl returns manifests and a script that build the question of a finding through an API server, on a cluster of
// KWOK, whose nodes are made up; nil if it is about no decision.
func (r *Run) kubectl(f *decisions.Finding) []File {
	c := f.Example.Case
	if c == nil {
		return nil
	}
	b := &kubectlCluster{}
	pods := 0
	for _, item := range manifests(c.Question.Snapshot).Items {
		fields := item.(map[string]any)
		asked := fields["kind"] == "Pod" && c.Question.Snapshot.Pods[pods] == c.Question.Pod
		if fields["kind"] == "Pod" {
			pods++
		}
		b.add(fields, asked)
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
func (b *kubectlCluster) add(fields map[string]any, asked bool) {
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
		patch = fmt.Sprintf("kubectl patch %s --subresource=status --type=merge -p %s", target,
			inQuotes(string(printable.JSON(text))))
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
		pods, patches := &b.pods, &b.podPatches
		if asked {
			pods, patches = &b.pod, &b.askedPatches
		}
		*pods = append(*pods, fields)
		if patch != "" {
			*patches = append(*patches, patch)
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
	for _, patch := range b.podPatches {
		line("%s", patch)
	}
	for _, deletion := range b.deletions {
		line("%s", deletion)
	}
	line("kubectl apply -f pod.yaml")
	for _, patch := range b.askedPatches {
		line("%s", patch)
	}
	line("sleep 10\nkubectl get pods --all-namespaces -o wide")
	line("kubectl get events --all-namespaces --sort-by=.lastTimestamp")
	c := f.Example.Case
	says := func(who string, outcomes []spec.Outcome) {
		for _, o := range distinct(outcomes, nil) {
			line("echo %s", inQuotes(who+" "+outcome(c.Question, o)))
		}
	}
	if c.Decision.Failure != "" {
		line("echo %s", inQuotes("seen in process: no decision: "+c.Decision.Failure))
	}
	says("seen in process: kube-scheduler "+r.KubernetesVersion, c.Decision.Outcomes)
	says("expected: kube-scheduler", documentedOutcomes(c, nil))
	return s.String()
}

func documents(items []any) []byte {
	var all []string
	for _, item := range items {
		all = append(all, yamlOf(item))
	}
	return []byte(strings.Join(all, "---\n"))
}

// inQuotes puts a text into single quotes of a shell, without control characters, which no name has that an API server
// takes.
func inQuotes(text string) string {
	return "'" + strings.ReplaceAll(printable.Line(text), "'", `'\''`) + "'"
}

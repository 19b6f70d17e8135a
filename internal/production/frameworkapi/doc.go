// Package frameworkapi has the interfaces of kube-scheduler's plugins, and what these give and are given, under one
// name for all releases: they were in k8s.io/kubernetes before v1.35, and are in k8s.io/kube-scheduler since.
package frameworkapi

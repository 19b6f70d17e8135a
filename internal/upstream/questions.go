package main

import (
	"encoding/json"
	"fmt"
	"reflect"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/upstream/recorder"
)

// question is what a test asked a plugin about one pod in one cluster, and what it got.
type question struct {
	test, plugin string
	subject      subject
	args         json.RawMessage
	// filters are those of the framework, of a preemption.
	filters []string
	pod     *v1.Pod
	cluster recorder.Cluster
	answers []answer

	podText string
	// texts are the objects of the cluster as JSON, by what they are called; a node's are its pods too.
	texts map[string]string
}

// subject is what a question is about.
type subject string

const (
	filtering  subject = "filter"
	scoring    subject = "score"
	preemption subject = "preemption"
)

// subjects are those of the methods.
var subjects = map[string]subject{
	"PreFilter": filtering, "Filter": filtering, "PreScore": scoring, "Score": scoring, "NormalizeScore": scoring,
	"SelectVictimsOnNode": preemption,
}

// answer is what a plugin said in one call, of one node if it names one.
type answer struct {
	point, node, code string
	reasons           []string
	nodeNames         []string // that PreFilter leaves; nil for all
	score             int64
	scores            map[string]int64
	victims           []string
}

// questions puts the records together: calls with one cycle state about one pod are one question, as long as the
// cluster is the same, or one call tells of nodes of which the other says nothing.
func questions(records []recorder.Record) []*question {
	var all []*question
	open := map[string]*question{}
	for i := range records {
		r := &records[i]
		key := fmt.Sprint(subjects[r.Point], r.Plugin, r.Instance, r.State)
		texts := textsOf(&r.Cluster)
		podText := written(r.Pod)
		q := open[key]
		if q == nil || r.State == 0 || q.podText != podText || q.conflicts(texts) {
			q = &question{
				test: r.Test, plugin: r.Plugin, subject: subjects[r.Point], args: r.Args, filters: r.Filters, pod: r.Pod,
				podText: podText, texts: map[string]string{},
			}
			open[key] = q
			all = append(all, q)
		}
		q.join(&r.Cluster, texts)
		q.answers = append(q.answers, answer{
			point: r.Point, node: r.Node, code: r.Code, reasons: r.Reasons, nodeNames: r.NodeNames, score: r.Score,
			scores: r.Scores, victims: r.Victims,
		})
	}
	return all
}

// conflicts reports whether an object is another one in the question.
func (q *question) conflicts(texts map[string]string) bool {
	for name, text := range texts {
		if known, is := q.texts[name]; is && known != text {
			return true
		}
	}
	return false
}

// join adds the objects that the question does not have.
func (q *question) join(c *recorder.Cluster, texts map[string]string) {
	from, to := reflect.ValueOf(c).Elem(), reflect.ValueOf(&q.cluster).Elem()
	fresh := map[string]bool{} // nodes
	for _, node := range c.Nodes {
		_, known := q.texts[nameOf(node)]
		fresh[node.Name] = !known
	}
	for i := range from.NumField() {
		if !from.Type().Field(i).IsExported() || from.Type().Field(i).Name == "Others" {
			continue
		}
		for j := range from.Field(i).Len() {
			object := from.Field(i).Index(j)
			if pod, is := object.Interface().(*v1.Pod); is {
				if !fresh[pod.Spec.NodeName] {
					continue
				}
			} else if _, known := q.texts[nameOf(object.Interface())]; known {
				continue
			}
			to.Field(i).Set(reflect.Append(to.Field(i), object))
		}
	}
	q.cluster.Others = c.Others
	for name, text := range texts {
		q.texts[name] = text
	}
}

// textsOf returns the objects of the cluster as JSON, by what they are called. The pods of a node go with it.
func textsOf(c *recorder.Cluster) map[string]string {
	texts := map[string]string{}
	v := reflect.ValueOf(c).Elem()
	for i := range v.NumField() {
		if !v.Type().Field(i).IsExported() || v.Type().Field(i).Name == "Others" || v.Type().Field(i).Name == "Pods" {
			continue
		}
		for j := range v.Field(i).Len() {
			object := v.Field(i).Index(j).Interface()
			texts[nameOf(object)] = written(object)
		}
	}
	for _, pod := range c.Pods {
		texts[nameOf(&v1.Node{ObjectMeta: nodeNamed(pod.Spec.NodeName)})] += written(pod)
	}
	return texts
}

// nameOf says what an object is called among all.
func nameOf(object any) string {
	named := object.(interface {
		GetNamespace() string
		GetName() string
	})
	return fmt.Sprintf("%T %s/%s", object, named.GetNamespace(), named.GetName())
}

// written returns an object as JSON.
func written(object any) string {
	text, err := json.Marshal(object)
	if err != nil {
		panic(fmt.Sprintf("upstream: a %T cannot be written: %v", object, err)) // it came from JSON
	}
	return string(text)
}

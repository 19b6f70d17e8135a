package scenario

import (
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The kind of object that says what is explored. Its schema is made of these types, and the tag doc is the
// description of each field; docs/scenarios.md is for people.
const (
	scenarioKind    = "Scenario"
	scenarioVersion = scenarioGroup + "/v1alpha1"
)

// Object is a Scenario as it is written.
type Object struct {
	metav1.TypeMeta `json:",inline"`
	Metadata        ObjectMeta `json:"metadata" doc:"The name of the scenario, by which output calls it."`
	Spec            Spec       `json:"spec" doc:"What is explored, and what is to hold."`
}

// ObjectMeta is the metadata of a Scenario. It lives in no cluster.
type ObjectMeta struct {
	Name        string            `json:"name" doc:"The name."`
	Labels      map[string]string `json:"labels,omitempty" doc:"Labels; they mean nothing here."`
	Annotations map[string]string `json:"annotations,omitempty" doc:"Annotations; they mean nothing here."`
}

// Spec is what is explored, and what is to hold.
type Spec struct {
	Description            string                `json:"description,omitempty" doc:"What the scenario is about, in a sentence."`
	Manifests              []string              `json:"manifests,omitempty" doc:"Files and directories of manifests that belong to it, relative to its own file; a KubeSchedulerConfiguration may be among them."`
	SchedulerConfiguration *runtime.RawExtension `json:"schedulerConfiguration,omitempty" doc:"A KubeSchedulerConfiguration; without one, and with none among the manifests, it is the default."`
	Profile                string                `json:"profile,omitempty" doc:"The schedulerName of the profile whose pods are asked about; by default those of all profiles are."`
	Nodes                  []NodeSource          `json:"nodes,omitempty" doc:"Nodes, beside those of the manifests."`
	Pods                   []PodSource           `json:"pods,omitempty" doc:"Pods that wait in the beginning or may arrive, beside those of the manifests."`
	Order                  string                `json:"order,omitempty" doc:"Which pending pod is scheduled next: queue, by default, for that which the scheduling queue has first, or any."`
	Actions                ActionsSpec           `json:"actions,omitempty" doc:"What may happen besides scheduling, and how often."`
	Bounds                 BoundsSpec            `json:"bounds,omitempty" doc:"Where to stop; a run that stops there has not finished."`
	Properties             PropertiesSpec        `json:"properties,omitempty" doc:"What is checked."`
	Expect                 *ExpectSpec           `json:"expect,omitempty" doc:"What is expected to come out; a run that gives something else fails."`
}

// NodeSource makes nodes of a template.
type NodeSource struct {
	Name     string       `json:"name" doc:"The name of the node; with a count, the base of the names: name-1, name-2."`
	Count    *int         `json:"count,omitempty" doc:"How many there are; 1 by default."`
	AtLeast  *int         `json:"atLeast,omitempty" doc:"The fewest there are: every number from it up to count is explored; by default count."`
	Template NodeTemplate `json:"template" doc:"What the nodes are like. The label kubernetes.io/hostname is their name unless it is stated."`
}

// NodeTemplate is a Node without its name.
type NodeTemplate struct {
	Metadata ObjectTemplateMeta `json:"metadata,omitempty" doc:"Labels and annotations."`
	Spec     v1.NodeSpec        `json:"spec,omitempty" doc:"The spec of a Node."`
	Status   v1.NodeStatus      `json:"status,omitempty" doc:"The status of a Node; allocatable counts."`
}

// ObjectTemplateMeta is metadata without a name.
type ObjectTemplateMeta struct {
	Labels      map[string]string `json:"labels,omitempty" doc:"Labels."`
	Annotations map[string]string `json:"annotations,omitempty" doc:"Annotations."`
}

// PodSource says which pods there are. Exactly one of Template, Workload and Pod is set.
type PodSource struct {
	Name      string              `json:"name,omitempty" doc:"With template: the base of the names, name-1, name-2."`
	Namespace string              `json:"namespace,omitempty" doc:"With template: the namespace; default by default."`
	Template  *v1.PodTemplateSpec `json:"template,omitempty" doc:"What the pods are like: the template of a workload."`
	Workload  *WorkloadReference  `json:"workload,omitempty" doc:"The pods are like those of this workload of the manifests."`
	Pod       *PodReference       `json:"pod,omitempty" doc:"The pods are like this one of the manifests."`
	Waiting   int                 `json:"waiting,omitempty" doc:"How many wait from the beginning, beside those of the manifests."`
	Arrivals  int                 `json:"arrivals,omitempty" doc:"How many may arrive, at any time."`
}

// WorkloadReference names a workload.
type WorkloadReference struct {
	Kind      string `json:"kind" doc:"Deployment, ReplicaSet, ReplicationController, StatefulSet, Job or CronJob."`
	Namespace string `json:"namespace,omitempty" doc:"Its namespace; default by default."`
	Name      string `json:"name" doc:"Its name."`
}

// PodReference names a pod.
type PodReference struct {
	Namespace string `json:"namespace,omitempty" doc:"Its namespace; default by default."`
	Name      string `json:"name" doc:"Its name."`
}

// ActionsSpec says what may happen besides scheduling.
type ActionsSpec struct {
	Arrivals    *int  `json:"arrivals,omitempty" doc:"How many pods may arrive in all; by default as many as the pods allow together."`
	Preempt     *bool `json:"preempt,omitempty" doc:"Preemptions are carried out; true by default. They are compared in any case."`
	VictimGone  *bool `json:"victimGone,omitempty" doc:"Terminating pods may be gone; true by default."`
	Completions int   `json:"completions,omitempty" doc:"How many running pods may complete."`
	Deletions   int   `json:"deletions,omitempty" doc:"How many running pods somebody may delete."`
	Placements  int   `json:"placements,omitempty" doc:"How many arriving pods somebody may put on a node past the scheduler."`
	Recreations int   `json:"recreations,omitempty" doc:"Controllers bring evicted pods back, while at most so many of those replaced terminate still."`
	// NodeChanges, RefreshBudgets and StartInOrder are named as in model.Actions.
	NodeChanges    int  `json:"nodeChanges,omitempty" doc:"How often a node may be cordoned, stop being ready, or the contrary."`
	RefreshBudgets bool `json:"refreshBudgets,omitempty" doc:"The disruption controller brings the status of budgets up to date, at once or late."`
	StartInOrder   bool `json:"startInOrder,omitempty" doc:"Bound pods start in the order in which they are bound; else when their kinds state, or at the same time."`
}

// BoundsSpec says where to stop.
type BoundsSpec struct {
	States int64 `json:"states,omitempty" doc:"About how many states; 0 is no bound."`
	Depth  int   `json:"depth,omitempty" doc:"How many levels of states; 0 is no bound."`
}

// PropertiesSpec says what is checked.
type PropertiesSpec struct {
	Disabled  []string   `json:"disabled,omitempty" doc:"Built-in properties that are not checked; [all] for none of them."`
	Enabled   []string   `json:"enabled,omitempty" doc:"Further built-in properties: those of --check, and liveness for those of what goes on for ever."`
	States    []RuleSpec `json:"states,omitempty" doc:"Expressions that must be true of every state. They can name pods, nodes, budgets, namespaces and end."`
	Steps     []RuleSpec `json:"steps,omitempty" doc:"Expressions that must be true of every step. They can name step, before and after."`
	Decisions []RuleSpec `json:"decisions,omitempty" doc:"Expressions that must be true of every decision. They can name pod, decision, pods, nodes, budgets and namespaces."`
	Reachable []RuleSpec `json:"reachable,omitempty" doc:"Expressions that must be true of some state that can be reached. They can name what those of states can."`
}

// RuleSpec is a property in CEL.
type RuleSpec struct {
	Name        string `json:"name" doc:"The name, of lower case letters, digits and dashes."`
	Description string `json:"description,omitempty" doc:"What must hold, in a sentence."`
	Expression  string `json:"expression" doc:"The expression, in CEL."`
}

// ExpectSpec is what is expected to come out.
type ExpectSpec struct {
	Verdict  string   `json:"verdict" doc:"holds or violated."`
	Findings []string `json:"findings,omitempty" doc:"The ids of findings that must be there, or what they begin with."`
}

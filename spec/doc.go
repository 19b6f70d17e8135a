// Package spec is the formal model of Kubernetes placement: which nodes are feasible for a pod, how
// they are scored, where the pod may go and whom it may evict. It gives the set of decisions that
// are allowed, for a scheduler's one decision to be looked up in.
//
// Every predicate is a formula over API objects, written from the documentation: API field docs,
// concept pages, KEPs, doc comments of exported names. Its comment gives the formula, the place it
// follows, the plugin it answers for, and what was chosen where the documents are silent. The code of
// the scheduler is not imported, nor are the libraries it is built from; a bug in them would
// otherwise be compared with itself.
//
// A reader finds the operators of the model in files of their names:
//
//	BoundTo, Bound, Unbound               snapshot.go
//	Feasibility                           feasibility.go, one file per filter:
//	    NodeUnschedulable                 unschedulable.go
//	    NodeName                          nodename.go
//	    TaintToleration                   tainttoleration.go
//	    NodeAffinity                      nodeaffinity.go
//	    NodePorts                         hostports.go
//	    NodeResourcesFit                  resources.go, and requests.go: what a pod requests
//	    VolumeRestrictions                volumerestrictions.go, and claims.go: which claims a pod uses
//	    NodeVolumeLimits                  volumelimits.go, and csivolumes.go: which drivers' volumes a pod uses
//	    VolumeBinding                     volumebinding.go, and volumematching.go: what a claim can be bound to
//	    VolumeZone                        volumezone.go
//	    NodeDeclaredFeatures              declaredfeatures.go
//	    DynamicResources                  dynamicresources.go, and allocations.go: which devices claims can get;
//	                                      devices.go, devicerequests.go, devicecapacity.go, deviceconstraints.go,
//	                                      deviceallocation.go, resourceclaims.go; devicesearch.go: the fast form
//	    PodTopologySpread                 podtopologyspread.go, and spreadconstraint.go: what a constraint counts;
//	                                      defaultspread.go: the constraints of pods that have none
//	    InterPodAffinity                  interpodaffinity.go, and podaffinityterm.go: whom a term is about
//	Viability                             viability.go, one file per score:
//	    TaintToleration                   prefernoschedule.go
//	    NodeAffinity                      preferredaffinity.go
//	    NodeResourcesFit                  allocation.go, and utilization.go: how full a node is
//	    NodeResourcesBalancedAllocation   balancedallocation.go
//	    VolumeBinding                     volumebinding.go
//	    PodTopologySpread                 preferredspread.go
//	    InterPodAffinity                  preferredpodaffinity.go
//	    DynamicResources                  preferredalternatives.go
//	    ImageLocality                     imagelocality.go
//	Gated, KeptOut                        preenqueue.go
//	SchedulingEnabled, Scheduling         scheduling.go
//	Jeopardy, Casualty                    jeopardy.go, casualty.go
//	PreemptionEnabled, Preemption         preemption.go, documentedpreemption.go
//	what is promised of scores            promises.go
//	what becomes of the pod               status.go, eligibility.go, outcomes.go
//	plugins that are not Kubernetes' own  plugin.go
//	the two readings                      reading.go, rules.go: what they have different rules for
//	the model as first written            literal.go, literal_*.go, and reference.go: cut down for other checkers
//	where it is not what is documented    errata.go, errata_*.go
//	known defects of kube-scheduler       quirks.go, quirk_*.go, volumerules.go and devicerules.go: what they change of the filters;
//	                                      answers.go: when there is no decision
package spec

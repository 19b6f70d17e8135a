package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// fault is a change of production's code at one place.
type fault struct {
	// id says where and what: nodeports/node_ports.go:161 Fits: deleted: x = y. No two have the same.
	id      string
	stratum string
	source  *source
	// from and to are the part of the text that is changed, what says how.
	from, to int
	what     string
	// planted returns the text with the switch of that number, where right is the text as it is.
	planted func(number int, right string) string
}

// faults lists every candidate in the sources, in the order of the text.
func faults(all []*source) []*fault {
	var found []*fault
	for _, s := range all {
		w := &walker{source: s}
		for _, decl := range s.tree.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil && !leftOut(f) {
				w.function = f
				w.walk(f.Body)
			}
		}
		found = append(found, w.found...)
	}
	slices.SortStableFunc(found, func(a, b *fault) int {
		if a.source != b.source {
			return strings.Compare(a.source.path, b.source.path)
		}
		return a.from - b.from
	})
	seen := map[string]int{}
	for _, f := range found {
		if seen[f.id]++; seen[f.id] > 1 {
			f.id += fmt.Sprintf(" (%d)", seen[f.id])
		}
	}
	return found
}

// Functions that decide nothing: names, constructors and what they check of the configuration, what is logged; what is
// off, which is the scheduling of groups of pods and their placements; what the queue shows to metrics and debuggers,
// options of its constructor, and its end; and extenders, which modelcheck refuses.
var decidesNothing = regexp.MustCompile(`^(Name|String|New.*|new.*|[vV]alidate.*|init|get.*Args|` +
	`MarshalLog|log[A-Z].*|listDevices|addDevicesInSlices|GetStats|formatBCStatusOneLine)$|PodGroup|` +
	`Extender|extender|GangSched|SchedulingGroup|NodeAllocatable|OptionalNodeOperations|MatchCacheKey|[pP]lacement|TestObject|ForGroup$|` +
	measures + `|^(With(Clock|Pod|PreEnqueue|Queueing|PluginMetrics|Metrics|API)[A-Za-z]*|[cC]lose|AllClusterEventLabels|` +
	`PendingPods|UnschedulablePods|InFlightPods|listInFlightEvents|Dump|PodCount|With[A-Z].*er|WithParallelism|` +
	`WithComponentConfigVersion|With(Kube|Snapshot|Event|Informer|Shared).*|WithWaitingPods|[gG]etAttemptsLabel|` +
	`truncateMessage|setInstrumentedPlugins|WaitFor(Shutdown|HandlersSync)|HasSynced|AdmissionCheck|ListPlugins|` +
	`BuildHierarchySnapshotFromPod|expandMultiPointPlugins|pluginsNeeded|updatePluginList|insert|fillEnqueueExtensions|` +
	`getValidScoreWeights)$`)

// measures is how functions are called that only keep metrics.
const measures = `Metrics?$|^updateMetrics|^log[A-Z]`

// Functions that are called like those, and decide.
var decidesThough = regexp.MustCompile(`^validateDevice`)

// Types of what is off, all methods of which decide nothing.
var decideNothing = regexp.MustCompile(`[pP]odGroup|workloadForest`)

// Methods that only groups of pods have called: a snapshot is changed for them.
var decidesForGroups = regexp.MustCompile(`^(Snapshot\.(StartMutations|EndMutations|AddPod|RemovePod|AssumePod|ForgetPod|` +
	`forgetAllAssumedPods)|snapshotBackupData\..*|\.removeAssumedNodeInfo|\.removeNodeInfoFromList)$`)

func leftOut(f *ast.FuncDecl) bool {
	return decidesForGroups.MatchString(receiver(f)+"."+f.Name.Name) ||
		decidesNothing.MatchString(f.Name.Name) && !decidesThough.MatchString(f.Name.Name) ||
		decideNothing.MatchString(receiver(f))
}

// receiver is the name of the type that a method is of; empty for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) == 0 {
		return ""
	}
	of := f.Recv.List[0].Type
	if pointer, is := of.(*ast.StarExpr); is {
		of = pointer.X
	}
	return nameOf(of)
}

// Functions about when a pod is tried again.
var aboutEvents = regexp.MustCompile(`^isSchedulableAfter|EventsToRegister|ClusterEvent|^(` +
	`isPodSchedulableAfter(Assigned)?PodDeletion|haveAnyRequestedResourcesIncreased|isFit|podLabelsMatchSpreadConstraints|` +
	`involvedInTopologySpreading|haveEnoughRelevantResourcesDecreased|podMatchesAnyAffinityTerms|UnrollPodEvent|` +
	`hasConstraintWithNodeTaintsPolicyHonor|checkTopologyKeyLabelsChanged|isPVCRequestedFromPod|matchEventResources|` +
	`SetPlugin|WithPlugin|preQueueingHint|podResourceClaimIndexFunc|Pod(Extended)?StatusEqual|UnrollWildCardResource|As|Gated|ClearRejectorPlugins|Label)$`)

// Functions that only the scheduler as a whole calls: before a pod is decided about, after it, and for pods that may be
// decided about together.
var aroundDecisions = regexp.MustCompile(`^(PreEnqueue|Reserve|Unreserve|Permit|PreBind.*|SignPod|.*Signer|` +
	`AssumePodVolumes|[rR]evertAssumed.*|BindPodVolumes|bindAPIUpdate|checkBindings|convertDynamicProvisionsToPVCs|` +
	`PatchPodStatus|Retriable(WithConflict)?|IsUnexpectedError|NodesForStatusCode|Set(Skip|Parallel)PreBindPlugins|` +
	`bindClaim|isPodReadyForBinding|hasBindingConditions|.*BindingConditionsStatus.*|` +
	`ConfigForResult|isMatch|IsSubRequestRef|GetPendingAllocation|allInFlightAllocationsRLocked|` +
	`SignalClaimPendingAllocation|MaybeRemoveClaimPendingAllocation|AssumeClaimAfterAPICall|AssumedClaimRestore|` +
	`onUpdate|onDelete|removeDevices|createNodeSelector|addNewNodeSelectorRequirements|containsNodeSelectorRequirement|getBinding|BindTo|` +
	`allUserClaims|set|updateExtendedResourceClaim|createExtendedResourceClaimInAPI|waitForExtendedClaimInAssumeCache|` +
	`patchPodExtendedResourceClaimStatus|unreserveExtendedResourceClaim|` +
	`GetBindVolumeToClaim|arePodVolumesBound|SetSkipAllPostFilterPlugins|SetRecordPluginMetrics|RemoveNode|WithError)$`)

// stratumOf is what a function of the source is part of.
func (s *source) stratumOf(f *ast.FuncDecl) string {
	switch {
	case s.stratum == whole:
		return whole
	case aboutEvents.MatchString(f.Name.Name) || s.name == "framework/events.go":
		return hints
	case aroundDecisions.MatchString(f.Name.Name), receiver(f) == "QueuedPodInfo",
		receiver(f) == "PodInfo" && f.Name.Name == "Update", // of a pod that is in the queue
		s.name == "preemption/executor.go", s.name == "framework/sorted_nodes.go",
		s.name == "volumebinding/passive_assume_cache.go", s.name == "framework/signers.go":
		return cycles
	}
	return s.stratum
}

// walker finds the candidates of a file.
type walker struct {
	*source
	function *ast.FuncDecl
	path     []ast.Node
	found    []*fault
}

func (w *walker) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if n == nil {
			w.path = w.path[:len(w.path)-1]
			return true
		}
		if w.tellsOnly(n) {
			return false
		}
		w.visit(n)
		w.path = append(w.path, n)
		return true
	})
}

// parent is the node around the one that is visited.
func (w *walker) parent() ast.Node {
	if len(w.path) == 0 {
		return nil
	}
	return w.path[len(w.path)-1]
}

// Features of DynamicResources that are off, or that the model does not have, by how its code names them.
var offInDevices = regexp.MustCompile(`NodeAllocatable|nodeAllocatable|WorkloadResourceClaims|PodVerticalScaling|` +
	`[cC]ompatibilityGroups|[fF]ractionalCapacityRange|useMilli|[dD]erivedAttributes|ListTypeAttributes|` +
	`OptionalNodeOperations|[pP]odGroup|SchedulingGroup|[pP]endingAlloc`)

// Features that are on, where the code asks whether one is off.
var onInDevices = regexp.MustCompile(`^!(alloc\.features|features|pl\.fts)\.\w+$|^!pl\.enabled$`)

// What is off in cycles: extenders, groups of pods, and pods told apart by the topology of their anti-affinity.
var offInCycle = regexp.MustCompile(`[eE]xtender|[pP]odGroup|[pP]lacement|genericWorkload|NonHostScoped`)

// off reports whether the node is never run as the feature gates are by default, or, of devices, is about such a
// feature, or done only where one is on, or one off that is on.
func (w *walker) off(n ast.Node) bool {
	if w.gates.off(w.pkg, slices.Concat([]ast.Node{w.function}, w.path, []ast.Node{n})) {
		return true
	}
	if w.source.stratum == whole && offInCycle.MatchString(w.of(n)) {
		return true
	}
	if w.source.stratum != "dynamicresources" {
		return false
	}
	if offInDevices.MatchString(w.of(n)) {
		return true
	}
	if both, is := w.parent().(*ast.BinaryExpr); is && both.Op == token.LAND && both.Y == n &&
		onInDevices.MatchString(w.of(both.X)) {
		return true
	}
	for i, around := range w.path {
		condition, is := around.(*ast.IfStmt)
		if !is || i+1 >= len(w.path) || w.path[i+1] != condition.Body {
			continue
		}
		for _, part := range strings.Split(w.of(condition.Cond), "&&") {
			part = strings.TrimSpace(part)
			about := offInDevices.MatchString(part)
			if about && !strings.HasPrefix(part, "!") && !strings.HasSuffix(part, "== nil") ||
				!about && onInDevices.MatchString(part) {
				return true
			}
		}
	}
	return false
}

// forLater reports whether the place is where the allocation is put together that PreBind writes.
func (w *walker) forLater() bool {
	return slices.ContainsFunc(w.path, func(around ast.Node) bool {
		loop, is := around.(*ast.RangeStmt)
		return is && w.of(loop.X) == "alloc.result"
	})
}

// add adds a candidate about the node.
func (w *walker) add(n ast.Node, what string, planted func(number int, right string) string) {
	if w.off(n) {
		return
	}
	from, to := w.offset(n)
	line := w.pkg.Fset.Position(n.Pos()).Line
	w.found = append(w.found, &fault{
		id:      fmt.Sprintf("%s:%d %s: %s", w.name, line, w.function.Name.Name, oneLine(what)),
		stratum: w.stratum(), source: w.source, from: from, to: to, what: what, planted: planted,
	})
}

// stratum is what the place is part of: that of the function, but for what is only done with an error.
func (w *walker) stratum() string {
	stratum := w.stratumOf(w.function)
	if stratum != whole && w.forLater() {
		return cycles
	}
	if isDecision(stratum) && w.onError() {
		return failures
	}
	return stratum
}

// onError reports whether the innermost condition around the place is that there is an error.
func (w *walker) onError() bool {
	for i := len(w.path) - 1; i > 0; i-- {
		around, is := w.path[i-1].(*ast.IfStmt)
		if !is || around.Body != w.path[i] {
			continue
		}
		cond, is := around.Cond.(*ast.BinaryExpr)
		if !is || cond.Op != token.NEQ || w.of(cond.Y) != "nil" {
			return false
		}
		left := w.pkg.TypesInfo.TypeOf(cond.X)
		return left != nil && types.Implements(left, types.Universe.Lookup("error").Type().Underlying().(*types.Interface))
	}
	return false
}

// condition adds a candidate that puts another condition in the place of one.
func (w *walker) condition(n ast.Expr, wrong string) {
	w.add(n, w.of(n)+" becomes "+wrong, func(number int, right string) string {
		if wrong == negated(w.of(n)) { // what it calls may do something, as yield of an iterator does, and once only
			return fmt.Sprintf("planted.Not(%d, %s)", number, right)
		}
		return fmt.Sprintf("planted.If(%d, func() bool { return %s }, func() bool { return %s })", number, right, wrong)
	})
}

// negated is the condition that holds where this one does not.
func negated(condition string) string { return "!(" + condition + ")" }

// value adds a candidate that puts another value in the place of one. The type must be a basic one, or be given.
func (w *walker) value(n ast.Expr, typeName, wrong string) {
	if typeName == "" {
		basic, ok := w.pkg.TypesInfo.TypeOf(n).(*types.Basic)
		if !ok || basic.Info()&types.IsUntyped != 0 {
			return
		}
		typeName = basic.Name()
	}
	w.add(n, w.of(n)+" becomes "+wrong, func(number int, right string) string {
		return fmt.Sprintf("planted.Pick[%s](%d, %s, %s)", typeName, number, right, wrong)
	})
}

// statement adds a candidate that puts another statement in the place of one; none to delete it.
func (w *walker) statement(n ast.Stmt, wrong string) {
	switch around := w.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause:
	case *ast.CommClause:
		if around.Comm == n {
			return
		}
	default:
		return
	}
	what := "deleted: " + w.of(n)
	if wrong != "" {
		what = w.of(n) + " becomes " + wrong
	}
	w.add(n, what, func(number int, right string) string {
		if _, returns := n.(*ast.ReturnStmt); returns { // the function is to end with a return
			return fmt.Sprintf("if planted.On(%d) { %s }\n%s", number, wrong, right)
		}
		return fmt.Sprintf("if planted.On(%d) { %s } else { %s }", number, wrong, right)
	})
}

// oneLine shortens a piece of code.
func oneLine(code string) string {
	const most = 90
	code = strings.Join(strings.Fields(code), " ")
	if runes := []rune(code); len(runes) > most {
		code = string(runes[:most]) + "..."
	}
	return code
}

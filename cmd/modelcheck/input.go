package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/generate"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/admission"
	"github.com/seed-a3f26817/modelcheck/internal/report"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
	"github.com/seed-a3f26817/modelcheck/model"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// input is what is to be explored, and under which configuration.
type input struct {
	config *production.Config
	// source is where the configuration was read, and raw what was read; empty for the default one.
	source string
	raw    []byte
	// themed: the configuration is that of a built-in theme, as the user gave none.
	themed bool
	// profile is the first of the profiles whose pods are asked about, and profiles are all of them.
	profile  string
	profiles []string
	// drawn has the configuration of each profile that was drawn, by name; nil if none was.
	drawn map[string][]byte
	// alone: the configuration's extenders are left out rather than refused; extenders are their URLs.
	alone     bool
	extenders []string
	scenarios []*model.Scenario
	scope     report.Scope
	notes     []string
	// notRead is what of the input was not read and may matter, one line each.
	notRead []string
	// given is the cluster of the files; nil if there is none.
	given *spec.Snapshot
	// scenario says what is explored, if the files hold a Scenario; nil otherwise.
	scenario *scenario.Checked
}

// input reads what the flags ask for. Every error is a usageError.
func (o *options) input(stdin io.Reader) (*input, error) {
	manifests, err := o.read(stdin, o.nodes)
	if err != nil {
		return nil, err
	}
	return o.inputOf(manifests)
}

// inputOf takes what the flags ask for from what was read. Every error is a usageError.
func (o *options) inputOf(manifests *scenario.Manifests) (*input, error) {
	in := &input{notes: manifests.Notes, notRead: notRead(manifests), scenario: manifests.Scenario}
	if in.scenario != nil {
		if err := o.follow(in.scenario); err != nil {
			return nil, err
		}
	}
	if len(manifests.Nodes) == 0 && manifests.SchedulerConfiguration == nil {
		if err := in.ofThemes(o, manifests); err != nil {
			return nil, err
		}
	}
	if err := in.configure(o, manifests); err != nil {
		return nil, err
	}
	in.scope = report.Scope{
		Nodes:     o.nodes,
		Pods:      o.pods,
		MaxStates: o.maxStates,
		MaxDepth:  o.maxDepth,
		Thorough:  o.thorough,
	}
	if len(manifests.Nodes) > 0 {
		return in, in.cluster(o, manifests)
	}
	return in, in.themes(o)
}

// randomInput reads the configuration for modelcheck random; there is no other input. Every error is a usageError.
func (o *options) randomInput(stdin io.Reader) (*input, error) {
	manifests, err := o.read(stdin, 0)
	if err != nil {
		return nil, err
	}
	if manifests.Scenario != nil {
		return nil, usage("modelcheck random draws its clusters: leave the Scenario out of %s, or leave out random",
			o.named())
	}
	if len(manifests.Nodes) > 0 {
		return nil, usage("modelcheck random draws its clusters: leave Nodes and Pods out of %s, or leave out random",
			o.named())
	}
	in := &input{notes: manifests.Notes, notRead: notRead(manifests)}
	if manifests.SchedulerConfiguration == nil && o.profile == "" {
		manifests.SchedulerConfiguration, in.drawn = generate.Profiles(v1.DefaultSchedulerName, o.seed)
	}
	in.scope = report.Scope{
		Nodes:  o.nodes,
		Pods:   o.pods,
		Random: &report.RandomScope{Seed: o.seed, Questions: o.questions, Seconds: o.duration.Seconds()},
	}
	return in, in.configure(o, manifests)
}

// configure finds the configuration and its profile.
func (in *input) configure(o *options, manifests *scenario.Manifests) (err error) {
	if in.raw = manifests.SchedulerConfiguration; in.raw != nil {
		in.source = manifests.SchedulerConfigurationSource.String()
	}
	switch {
	case in.raw == nil:
		in.config, err = production.DefaultConfig()
	case in.alone:
		in.config, in.extenders, err = production.LoadConfigAlone(in.source, in.raw)
	default:
		in.config, err = production.LoadConfig(in.source, in.raw)
	}
	if err != nil && manifests.SchedulerConfigurationFound {
		in.notRead = append(in.notRead, fmt.Sprintf("not read: %v; the default configuration is used", err))
		in.source, in.raw = "", nil
		in.config, err = production.DefaultConfig()
	}
	if err != nil {
		return usageError{err}
	}
	in.profiles = in.config.Profiles()
	if o.profile != "" {
		said := "--profile"
		if in.scenario != nil && !o.given("profile") {
			said = fmt.Sprintf("%s: %s: spec.profile", in.scenario.Source, in.scenario)
		}
		if !slices.Contains(in.profiles, o.profile) {
			return usage("%s: the configuration has no profile %q; it has %s", said, o.profile,
				strings.Join(in.profiles, ", "))
		}
		others := slices.DeleteFunc(in.profiles, func(name string) bool { return name == o.profile })
		if in.profiles = []string{o.profile}; len(others) > 0 {
			in.notes = append(in.notes, fmt.Sprintf("%s is %s: only its pods are asked about, not those of the other "+
				"profiles of the configuration: %s", said, o.profile, strings.Join(others, ", ")))
		}
	}
	in.profile = in.profiles[0]
	if !strings.HasPrefix(production.KubernetesVersion, spec.Documents+".") {
		in.notes = append(in.notes, fmt.Sprintf("The model is what the documents of Kubernetes %s say, and kube-scheduler "+
			"is %s: what is new may be a change between the two, and no defect.", spec.Documents,
			production.KubernetesVersion))
	}
	if o.featureGates != "" {
		in.notes = append(in.notes, fmt.Sprintf("Feature gates are turned: %s. Defects are known by release, so that one "+
			"of a feature that is on before its release is new.", o.featureGates))
	}
	if slices.Contains(spec.ChangesSince(production.KubernetesVersion), spec.DevicesShared().Name) {
		in.notes = append(in.notes, fmt.Sprintf("New objects lose the fields of features that %s has off, as its API "+
			"server drops them.", production.KubernetesVersion))
	}
	if slices.Contains(spec.ChangesSince(production.KubernetesVersion), spec.DevicesClaimed().Name) {
		in.notes = append(in.notes, fmt.Sprintf("Devices are not asked about: dynamic resource allocation is off in %s, "+
			"whose kube-scheduler reads no claims of them.", production.KubernetesVersion))
	}
	if !in.alone && len(manifests.Nodes) <= decisions.MaxNodes {
		in.sampled()
	}
	return nil
}

// sampled says that a sample of nodes is configured and cannot matter.
func (in *input) sampled() {
	for _, profile := range in.profiles {
		if percentage := in.config.PercentageOfNodesToScore(profile); percentage > 0 {
			in.notes = append(in.notes, fmt.Sprintf("percentageOfNodesToScore is %d: it cannot matter here, as "+
				"kube-scheduler looks at every node of clusters of fewer than %d.", percentage, decisions.MaxNodes+1))
			return
		}
	}
}

// ofThemes takes the configuration that one of the themes asks for, for those who give none.
func (in *input) ofThemes(o *options, manifests *scenario.Manifests) error {
	names, err := themeNames(o.themes)
	if err != nil {
		return err
	}
	configuration, at, err := scenario.ThemeConfiguration(names, admission.Admit)
	manifests.SchedulerConfiguration, manifests.SchedulerConfigurationSource = configuration, at
	in.themed = configuration != nil
	return err
}

// themes takes the clusters of themes.
func (in *input) themes(o *options) error {
	names, err := themeNames(o.themes)
	if err != nil {
		return err
	}
	if o.pods == 0 {
		return usage("--pods is 0: then no pod arrives, and nothing is asked; it must be at least 1")
	}
	asked := in.profiles
	if in.themed {
		asked = asked[:1]
	}
	if in.scenarios, err = themeScenarios(names, o.thorough, o.nodes, o.actions(), asked); err != nil {
		return err
	}
	for _, s := range in.scenarios {
		in.leaveOut(s.Name, s.LeftOut)
	}
	return nil
}

// leaveOut notes the templates of a theme that the release does not admit.
func (in *input) leaveOut(theme string, templates []string) {
	for _, wrong := range templates {
		in.notes = append(in.notes, fmt.Sprintf("theme %s: left out, as Kubernetes %s does not admit it: %s", theme,
			production.KubernetesVersion, wrong))
	}
}

// cluster takes the cluster of the manifests.
func (in *input) cluster(o *options, manifests *scenario.Manifests) error {
	if o.given("nodes") && manifests.PlainNodes == 0 || len(o.themes) > 0 || o.thorough {
		return usage("--nodes, --theme and --thorough do not go with the cluster of -f: it has its own nodes; leave " +
			"them out, " + "or leave the Nodes out of the files")
	}
	if !o.given("pods") {
		o.pods = 0
	}
	if o.order == "" {
		o.order = model.QueueOrder.String()
	}
	if in.scenario != nil {
		return in.ofScenario(o, manifests)
	}
	snapshot, err := in.snapshot(o, manifests)
	if err != nil {
		return err
	}
	if len(spec.Unbound(snapshot)) == 0 && o.pods == 0 {
		return usage("nothing would be asked of kube-scheduler: no pod of %s waits for it; let pods arrive with "+
			"--pods K%s", o.named(), listed(in.notes))
	}
	in.scope.Files, in.scope.Nodes, in.scope.Pods = o.names(), len(manifests.Nodes), o.pods
	s := scenario.OfCluster("the cluster", snapshot, o.actions())
	if s.Actions.Arrivals > 0 {
		if err := in.arrivals(s); err != nil {
			return err
		}
	}
	in.scenarios = []*model.Scenario{s}
	return nil
}

// snapshot returns the cluster of the manifests, as far as the scheduler of the profiles is concerned.
func (in *input) snapshot(o *options, manifests *scenario.Manifests) (*spec.Snapshot, error) {
	if manifests.PlainNodes > 0 {
		in.scope.PlainNodes = scenario.PlainNode
	}
	snapshot := manifests.Snapshot()
	var left []string
	snapshot.Pods, left = schedulable(snapshot.Pods, manifests, in)
	in.notes = append(in.notes, left...)
	in.given = snapshot
	return snapshot, nil
}

func listed(notes []string) string {
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// schedulable leaves out the pending pods that are not asked about, but for those that hold a nomination: they
// count for others, and so ask too. It says so of pods of another scheduler or profile; scenario.Read said it of
// those that are being deleted or wait for scheduling gates.
func schedulable(pods []*v1.Pod, manifests *scenario.Manifests, in *input) (kept []*v1.Pod, notes []string) {
	for _, pod := range pods {
		bound, asks := pod.Spec.NodeName != "", pod.Spec.SchedulerName
		switch {
		case !bound && (pod.DeletionTimestamp != nil || spec.Gated(pod)):
			continue
		case bound || slices.Contains(in.profiles, asks):
			kept = append(kept, pod)
			continue
		}
		where, _ := manifests.Where(pod)
		note := fmt.Sprintf("%s: Pod %s/%s: its spec.schedulerName is %q, and the %s checked %s: ", where,
			pod.Namespace, pod.Name, asks, map[bool]string{true: "profile", false: "profiles"}[len(in.profiles) == 1],
			quotedOr(in.profiles))
		switch nominated := pod.Status.NominatedNodeName != ""; {
		case nominated && slices.Contains(in.config.Profiles(), asks):
			note += "as it holds a nomination, it is asked about all the same"
		case nominated:
			note += fmt.Sprintf(
				"as it holds a nomination, it is taken to ask one more kube-scheduler with the profile %q", in.profile)
		default:
			note += "it is not scheduled"
		}
		notes = append(notes, note)
		if pod.Status.NominatedNodeName != "" {
			kept = append(kept, pod)
		}
	}
	return kept, notes
}

// quotedOr says which names there are: is "a", or are "a", "b".
func quotedOr(names []string) string {
	var quoted []string
	for _, name := range names {
		quoted = append(quoted, strconv.Quote(name))
	}
	return map[bool]string{true: "is ", false: "are "}[len(names) == 1] + strings.Join(quoted, ", ")
}

// arrivals sees to it that only pods arrive that ask under one of the profiles, and no second one of those that
// other objects name.
func (in *input) arrivals(s *model.Scenario) error {
	if len(s.Pods) == 0 {
		return usage("--pods is %d, but there is no pod in %s that the pods to arrive could be like; add one%s",
			s.Actions.Arrivals, strings.Join(in.scope.Files, ", "), listed(in.notes))
	}
	var others bool
	bounds := make([]int, len(s.Pods))
	for i := range s.Pods {
		if slices.Contains(in.profiles, s.Pods[i].Pod.Spec.SchedulerName) && !s.Pods[i].Only {
			bounds[i] = s.Actions.Arrivals
		} else {
			others = true
		}
	}
	if others {
		s.Actions.ArrivalsOfTemplate = bounds
	}
	if !slices.ContainsFunc(bounds, func(bound int) bool { return bound > 0 }) {
		return usage("--pods is %d, but no more pods can arrive like those in %s: each of them has another "+
			"spec.schedulerName "+"than %s, or is named by other objects, which name no second one; "+
			"add one, or leave out --pods", s.Actions.Arrivals, strings.Join(in.scope.Files, ", "),
			strings.Join(in.profiles, ", "))
	}
	return nil
}

package spec

import (
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Quirk is a known defect of kube-scheduler: a small override of one predicate that reproduces it exactly. The
// model with a quirk is wrong on purpose; it serves to report whether a difference is that defect and nothing else.
type Quirk struct {
	// Name is short and stable.
	Name string
	// Class says who holds that it is one.
	Class Class
	// Title says in a few words what goes wrong, in at most 66 columns.
	Title string
	// Plugin is the plugin that has the defect, or that the erratum is about; empty if it is about none in particular.
	Plugin string
	// Also are further plugins that have the defect.
	Also []string
	// Upstream is where the defect is known: an issue or pull request; or how it was found, if nobody reported it.
	Upstream string
	// Doc says in a sentence what kube-scheduler does instead of what is documented.
	Doc string
	// Since is the release that it came with, such as "v1.37" or "v1.36.2"; empty if all have it, as far as is known.
	Since string
	// Mended is the minor release that has it no more, such as "v1.37", or the patch release, such as "v1.36.2", if
	// earlier ones of that minor release have it; empty if all have it.
	Mended string
	// Backports are patch releases of earlier minor releases that have it no more either.
	Backports []string
	// Before are patch releases of earlier minor releases than Since that had it too, until it was taken back.
	Before []string

	// Needs reports whether something is there without which it makes no difference to the question, whatever other
	// quirks are put in; nil if nothing of the sort is known.
	Needs func(p *Profile, pod *v1.Pod, s *Snapshot) bool

	// Filter and Score take the place of those of the same plugin.
	Filter *Filter
	Score  *ScorePlugin
	// mends: Filter is the documented one but for the defect, so that in the text as first written it would mend what
	// errata do.
	mends bool
	// Budgets changes the rules for disruption budgets. Such quirks go together.
	Budgets func(*Budgets)
	// Volumes changes the rules of the volume filters, of which Plugin is the one that is wrong. Such quirks go
	// together.
	Volumes func(*VolumeRules)
	// Devices changes the rules for allocations of devices. Such quirks go together.
	Devices func(*DeviceRules)
	// Change changes a predicate of Plugin. Such quirks go together.
	Change func(*Predicates)
	// Amounts changes how what pods request is added up: of the filter and the score of NodeResourcesFit and of
	// NodeResourcesBalancedAllocation, and where a node is looked at as a whole. Such quirks go together.
	Amounts func(*AmountRules)
	// ScoringFails reports whether a plugin ends the cycle in an error if the node is scored, as by a score outside of
	// 0 to 100.
	ScoringFails func(m *Scheduler, pod *v1.Pod, node *v1.Node, s *Snapshot) bool
	// Crashes reports whether kube-scheduler panics, of what is there, before it asks any plugin.
	Crashes func(m *Scheduler, pod *v1.Pod, s *Snapshot) bool
	// Panics: where there is no decision, it is by a panic, which ends kube-scheduler.
	Panics bool
	// Changes reports whether kube-scheduler may change the object in its informer's cache while it decides.
	Changes func(pod *v1.Pod, s *Snapshot, object runtime.Object) bool
	// KeepsNomination reports whether a pod stays pending with its nomination, although that should be cleared.
	KeepsNomination func(p *Profile, pod *v1.Pod, s *Snapshot) bool
	// Overlooks reports whether a pod nominated to a node is not respected, although it should be. It changes
	// Feasibility.
	Overlooks func(p *Profile, pod, nominated *v1.Pod) bool
	// KeepsRoom reports whether a preemption clears no nomination, although it should.
	KeepsRoom func(o Outcome) bool
	// Erratum is set if this is no defect, but a place where the model as first written is not what Kubernetes
	// documents. It is mended.
	Erratum *Erratum
}

// Plugins returns those that have the defect, Plugin first.
func (q Quirk) Plugins() []string { return append([]string{q.Plugin}, q.Also...) }

// Idle reports whether it makes no difference to the question: what it needs is not there. If it changes neither
// filters nor scores, of which Filter.Idle and ScorePlugin.Idle tell more, it is also idle if it is about disruption
// budgets, and there are none, about other nominated pods, and there are none that it is about, or about a
// nomination that should not stay, and would not.
func (q Quirk) Idle(p *Profile, pod *v1.Pod, s *Snapshot) bool {
	nominated := filter(s.Pods, func(other *v1.Pod) bool { return nominatedBeside(pod, other) })
	switch {
	case q.Needs != nil && !q.Needs(p, pod, s):
		return true
	case q.Erratum != nil,
		q.Filter != nil,
		q.Score != nil,
		q.Change != nil,
		q.Volumes != nil,
		q.Devices != nil,
		q.Amounts != nil,
		q.ScoringFails != nil, q.Crashes != nil, q.Changes != nil:
		return false
	case q.Budgets != nil && len(s.PodDisruptionBudgets) > 0, q.KeepsRoom != nil && len(nominated) > 0:
		return false
	default:
		return !(q.KeepsNomination != nil && q.KeepsNomination(p, pod, s)) &&
			!(q.Overlooks != nil && exists(nominated, func(other *v1.Pod) bool { return q.Overlooks(p, pod, other) }))
	}
}

// OnlyScores reports whether it changes nothing but scores, so that it makes no difference where no node is scored.
func (q Quirk) OnlyScores() bool {
	return q.Filter == nil && q.Volumes == nil && q.Devices == nil && q.Budgets == nil && q.ScoringFails == nil &&
		q.Crashes == nil && q.Changes == nil && q.KeepsNomination == nil && q.Overlooks == nil &&
		q.KeepsRoom == nil && q.Erratum == nil &&
		!q.changesFilter(q.Plugin) && q.Amounts == nil
}

// changesFilter reports whether it puts something else in the place of the plugin's filter. Not every filter is
// made from predicates.
func (q Quirk) changesFilter(plugin string) bool {
	made := func(f Filter) bool { return f.Plugin == plugin }
	return q.Filter != nil && q.Filter.Plugin == plugin || q.Amounts != nil && plugin == fitPlugin ||
		q.changesPredicate(plugin) && exists(DocumentedPredicates().filters(), made)
}

// changesScore reports whether it puts something else in the place of the plugin's score.
func (q Quirk) changesScore(plugin string) bool {
	made := func(r ScorePlugin) bool { return r.Plugin == plugin }
	return q.Score != nil && q.Score.Plugin == plugin ||
		q.Amounts != nil && contains([]string{fitPlugin, balancePlugin}, plugin) ||
		q.changesPredicate(plugin) && exists(DocumentedPredicates().scorePlugins(), made)
}

// fitPlugin and balancePlugin are the plugins that add requests up.
const fitPlugin, balancePlugin = "NodeResourcesFit", "NodeResourcesBalancedAllocation"

// changesPreemption reports whether it may change which sets of victims there are, or what they cost.
func (q Quirk) changesPreemption() bool { return q.Budgets != nil || q.changesFeasibility() }

// changesFeasibility reports whether it may change which nodes are feasible.
func (q Quirk) changesFeasibility() bool {
	return q.Overlooks != nil || q.Amounts != nil || q.Erratum != nil || q.Filter != nil || q.changesFilter(q.Plugin)
}

func (q Quirk) changesPredicate(plugin string) bool {
	return (q.Change != nil || q.Volumes != nil || q.Devices != nil) && q.Plugin == plugin ||
		q.Amounts != nil && plugin == fitPlugin
}

// ChangesFilter reports whether a quirk puts something else in the place of the plugin's filter.
func (m *Scheduler) ChangesFilter(plugin string) bool {
	return exists(m.quirks, func(q Quirk) bool { return q.changesFilter(plugin) })
}

// ChangesScore reports whether a quirk puts something else in the place of the plugin's score.
func (m *Scheduler) ChangesScore(plugin string) bool {
	return exists(m.quirks, func(q Quirk) bool { return q.changesScore(plugin) })
}

// With returns the model with quirks, under m's profile alone. It changes nothing in m. Errata are mended first,
// then defects put in, in the order given.
func (m *Scheduler) With(quirks ...Quirk) *Scheduler {
	odd := *m
	odd.Others = nil
	odd.filters, odd.scorePlugins = slices.Clone(m.filters), slices.Clone(m.scorePlugins)
	odd.quirks = slices.Concat(m.quirks, quirks)
	if odd.plain == nil {
		odd.plain = m
	}
	if exists(quirks, func(q Quirk) bool { return q.Erratum != nil || q.Amounts != nil && m.text != nil }) {
		odd = *literally(m.Profile, odd.quirks)
		odd.Others, quirks = nil, odd.quirks
	}
	for _, quirk := range quirks {
		for i := range odd.filters {
			if quirk.Filter != nil && odd.takes(quirk) && odd.filters[i].Plugin == quirk.Filter.Plugin {
				odd.filters[i] = *quirk.Filter
			}
		}
		for i := range odd.scorePlugins {
			if quirk.Score != nil && odd.takes(quirk) && odd.scorePlugins[i].Plugin == quirk.Score.Plugin {
				odd.scorePlugins[i] = *quirk.Score
			}
		}
		if quirk.KeepsRoom != nil {
			odd.rules.keepsRoom = quirk.KeepsRoom
		}
		if quirk.Budgets != nil {
			quirk.Budgets(&odd.rules.budgets)
		}
		if quirk.Amounts != nil {
			odd.addUp(quirk)
		}
	}
	odd.overlook(quirks)
	odd.change()
	return &odd
}

// addUp has requests added up as the quirk has it, beside quirks before it.
func (m *Scheduler) addUp(quirk Quirk) {
	quirk.Amounts(&m.rules.amounts)
	if !m.takes(quirk) {
		return
	}
	fit, balance := nodeResourcesFit(m.rules.amounts), balancedAllocation(m.rules.amounts)
	for i := range m.filters {
		if m.filters[i].Plugin == fitPlugin {
			m.filters[i] = fit
		}
	}
	for i := range m.scorePlugins {
		if m.scorePlugins[i].Plugin == balancePlugin {
			m.scorePlugins[i] = balance
		}
	}
}

// takes reports whether the plugins of a quirk may be put in as they are. They are made from what is documented, so
// that one of what fits would mend the text as first written as well: there one which changes how requests add up
// changes the text's own filter, and scores only once all is mended.
func (m *Scheduler) takes(quirk Quirk) bool {
	fits := quirk.Amounts != nil || quirk.mends
	return !fits || m.text == nil || all(Errata(), func(e Erratum) bool {
		return exists(m.quirks, func(q Quirk) bool { return q.Erratum != nil && q.Erratum.ID == e.ID })
	})
}

// overlook leaves the pods out that the quirks overlook.
func (m *Scheduler) overlook(quirks []Quirk) {
	respected, profile := m.rules.respected, m.Profile
	m.rules.respected = func(pod *v1.Pod, node *v1.Node, s *Snapshot) []*v1.Pod {
		return filter(respected(pod, node, s), func(nominated *v1.Pod) bool {
			return !exists(
				quirks,
				func(q Quirk) bool { return q.Overlooks != nil && q.Overlooks(profile, pod, nominated) },
			)
		})
	}
}

// change makes those filters and score plugins anew of which quirks change predicates.
func (m *Scheduler) change() {
	predicates := m.predicates()
	changed := func(plugin string) bool {
		return exists(m.quirks, func(q Quirk) bool {
			return q.changesPredicate(plugin) && m.takes(q)
		})
	}
	for _, odd := range predicates.filters() {
		for i := range m.filters {
			if m.filters[i].Plugin == odd.Plugin && changed(odd.Plugin) {
				m.filters[i] = odd
			}
		}
	}
	for _, odd := range predicates.scorePlugins() {
		for i := range m.scorePlugins {
			if m.scorePlugins[i].Plugin == odd.Plugin && changed(odd.Plugin) {
				m.scorePlugins[i] = odd
			}
		}
	}
}

// predicates returns those that Kubernetes documents, as quirks change them.
func (m *Scheduler) predicates() Predicates {
	predicates := DocumentedPredicates()
	for _, quirk := range m.quirks {
		if quirk.Volumes != nil {
			quirk.Volumes(&predicates.Volumes)
		}
		if quirk.Devices != nil {
			quirk.Devices(&predicates.Devices)
		}
		if quirk.Amounts != nil {
			quirk.Amounts(&predicates.Allocation.amounts)
		}
		if quirk.Change != nil {
			quirk.Change(&predicates)
		}
	}
	return predicates
}

// Quirks returns the known defects of kube-scheduler, of all releases.
func Quirks() []Quirk {
	return []Quirk{EmptySelectorProtectsNobody(), BudgetSpentOnSpared(), CountedToFirst(), SharedPortFreed(),
		SidecarPortsOverlooked(),
		UnreadablePreferenceStopsPod(), LookalikeDomain(), NamespaceSelectorAbsence(),
		TermsBySamePod(), GroupOutsideTopology(), NominatedRepels(), WeightPerPod(), ExistingTermsIgnored(),
		SpreadEmptySelector(), SpreadTerminating(), BuiltInSpreadWithoutKeys(), ExternalNameServes(),
		ReleasedPodSpreads(), ExcludedHostCounts(), ImageVolumesUnscaled(), ImageSizeOfFirstNode(),
		PodRequestsOverlooked(), MissingRequestsOfBound(), ZeroScoreLeftOut(), RequestsOverflow(),
		UnreportedFree(), WholeNames(), WholeInstead(), UnstatedRequestsPanic(),
		TurnedAwayKeepsNomination(), ForeignNominations(), NominationsBesideTerminating(), SingleClaimNominated(),
		SingleClaimEphemeral(), SingleClaimNamespace(), SingleClaimCounted(), VolumeAttachedTwice(),
		MigratedNotCounted(), AttachmentMigratedNotCounted(), UnownedClaimStopsAll(), UnreadableDiskStopsAll(),
		MigratedDriverNotMissed(),
		ZoneEphemeral(), ZoneOlderName(), VolumeMatchFields(), UnboundUnconverted(),
		UnreadableVolumeStopsPod(), ClaimUsedTwice(),
		VolumesMatchedGreedily(),
		ReservedAccessModes(), ReservedAndProvisioned(), SelectorProvisioned(), UnknownCapacityPanics(),
		AnnotatedClassPanics(),
		OutdatedSlices(), NamesakesElsewhere(), CapacityNames(), AdminAccessOccupies(),
		AdminAccessConsumes(), UnreferencedCounters(), ShareForgotten(),
		AllButFull(), SharesRecounted(), DistinctOverwritten(),
		UpdatedPoolStopsAll(), ConstraintStopsAll(), MissingClassStopsPod(), EvictedClaimReserved(),
		FullClaimReserved(), FailureBehindUnready(), CountsPanic(), LimitStopsAll(), UnsaidCapacityStopsAll(),
		ImplicitNameLost(), IgnoredResourceMissed(), EarlierClaimDeleted(), OutdatedDevicesScored(),
		SharedDevicesUnscored(), BalancedDevicesPanic(),
		SplitPoolUnclear(), UnsoundPoolStopsAll(), AllocatedClaimUnscored(), AllCountersPanic(), SharesUncounted(),
		CountersKept(), CountersEverywhere(), NamesakesCounted(), CapacityWraps(), LaterAllLost(), CountersChanged(),
		CapacityChanged(),
		UncontrolledClaimPanics()}
}

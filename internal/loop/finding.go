package loop

import (
	"strings"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// Finding is a class of violations with the shortest run that shows it.
type Finding struct {
	Property Property
	About    string
	// Known is the name of the deviation that explains it; "" for news. What goes on for ever may need several,
	// joined by "+".
	Known string
	// But says what is wrong at the end of the run.
	But string
	// Count is the number of distinct steps that show it; in a simulation, of runs; of what goes on for ever, of
	// sets of states within which it does.
	Count int64
	// Scope is where it was found, Initial the cluster that the run begins with, Trace the run, and Last the step
	// that breaks the property. Of what goes on for ever the last Loop actions do; none if nothing can happen any
	// more. Then Last leads to where that begins.
	Scope   *Scope
	Initial *spec.Snapshot
	Trace   []Action
	Loop    int
	// Led says of each action what became of the pod that the scheduler took, "" of others. It may be shorter than the
	// run, as that is not repeated where there was no time.
	Led  []string
	Last *Transition
	// Number is that of the run it was shrunk from, in a simulation; nil if none was.
	Number *int64
	// Unshrunk: the run is as it was followed at random, or part of it, as there was no time to shrink it.
	Unshrunk bool
	// Flushed says of a pod that stays in unschedulablePods what becomes of it after the periodic flush.
	Flushed string

	// pod is the pod it is about.
	pod string
}

// Key names the finding in one word.
func (f *Finding) Key() string { return key(f.Property.Name, f.Known, f.About) }

func key(property, known, about string) string {
	if known != "" {
		return property + "/" + known
	}
	return strings.TrimSuffix(property+"/new/"+about, "/")
}

// explainedBy takes a key apart: the property, and what explains it. It is not explained if what comes then is "new".
func explainedBy(key string) (property, defects string, explained bool) {
	property, defects, _ = strings.Cut(key, "/")
	first, _, _ := strings.Cut(defects, "/")
	return property, defects, first != "new"
}

// untold returns what is known of a finding without its run.
func untold(f checker.Finding) Finding {
	name, known, explained := explainedBy(f.Key)
	finding := Finding{Count: f.Count}
	for _, p := range Properties() {
		if p.Name == name {
			finding.Property = p
		}
	}
	if explained {
		finding.Known = known
	} else {
		finding.About = strings.TrimPrefix(strings.TrimPrefix(known, "new"), "/")
	}
	return finding
}

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
	"github.com/seed-a3f26817/modelcheck/internal/deviations"
	"github.com/seed-a3f26817/modelcheck/internal/production"
)

const (
	confirmationsDir = "testdata/confirmations"
	recordFile       = "record.yaml"
	pageFile         = "docs/track-record.md"
)

// readRecord reads the record of a minor release; an empty one if there is none.
func readRecord(sources, release string) (*deviations.PlaneRecord, error) {
	return deviations.ReadPlaneRecord(os.DirFS(filepath.Join(sources, confirmationsDir)), release)
}

// keep writes the record and the transcripts of the release, and the page.
func (r *confirming) keep(release string, all []shown) error {
	dir := filepath.Join(r.sources, confirmationsDir, "v"+release)
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("removing the transcripts of before: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of the transcripts: %w", err)
	}
	kept := deviations.PlaneRecord{Release: production.KubernetesVersion, Date: time.Now().Format(time.DateOnly)}
	for _, s := range all {
		v, why := s.judged()
		if v == deviations.Confirmed {
			why = s.seen()
		}
		kept.Entries = append(kept.Entries, deviations.PlaneEntry{Deviation: s.title(), Verdict: v, Seen: why})
		if err := os.WriteFile(filepath.Join(dir, s.title()+".txt"), []byte(s.transcript()), 0o644); err != nil {
			return fmt.Errorf("writing a transcript: %w", err)
		}
	}
	text, err := yaml.Marshal(kept)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, recordFile), text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("writing the record: %w", err)
	}
	page, err := pageOf(r.sources)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.sources, pageFile), []byte(page), 0o644); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// pageOf returns docs/track-record.md, made of all records, the newest release first.
func pageOf(sources string) (string, error) {
	var b strings.Builder
	b.WriteString(pageText)
	names := programs.Releases(sources)
	slices.Reverse(names)
	for _, release := range names {
		r, err := readRecord(sources, release)
		if err != nil {
			return "", err
		}
		if len(r.Entries) == 0 {
			continue
		}
		confirmed := 0
		for _, e := range r.Entries {
			if e.Verdict == deviations.Confirmed {
				confirmed++
			}
		}
		fmt.Fprintf(&b, "\n## kube-scheduler %s\n\n%d of %d confirmed on %s.\n\n| deviation | | what was seen |\n"+
			"| --- | --- | --- |\n", r.Release, confirmed, len(r.Entries), r.Date)
		for _, e := range r.Entries {
			transcript := fmt.Sprintf("../%s/v%s/%s.txt", confirmationsDir, release, e.Deviation)
			fmt.Fprintf(&b, "| %s | [%s](%s) | %s |\n", e.Deviation, e.Verdict, transcript,
				strings.ReplaceAll(e.Seen, "|", `\|`))
		}
	}
	return b.String(), nil
}

const pageText = `# Track record

Each deviation of the [catalogue](reference/deviations.md) on a control plane: etcd, kube-apiserver and kube-scheduler of a release,
built from their Go modules and started on loopback.

` + "```sh" + `
go run ./controlplane confirm spread-empty-selector   # one; the first time it builds the programs, which takes some minutes
go run ./controlplane confirm                         # all, in about twenty minutes
go run ./controlplane confirm -f findings/FOLDER      # what modelcheck --save wrote
go run ./controlplane confirm --release 1.37          # by the kube-scheduler of another release
go run ./controlplane confirm --update                # writes this page, and the transcripts under testdata/confirmations
go run ./controlplane differ -n 200 --seed 1          # decisions about random clusters, beside those in process
go run ./controlplane up -f cluster.yaml              # a control plane with a cluster on it, for kubectl and modelcheck --live
` + "```" + `

The cluster of a deviation is put there through the API: statuses through their subresources, a terminating pod as one that was deleted
and is held by a finalizer, a nomination by writing it. Then kube-scheduler in process and the model, which is written from the documents, are asked about the
objects as the API server has them, and the scheduler is started. A deviation is **confirmed** if what happens is what kube-scheduler does in process and nothing that the
model says, and if in a control beside it, which differs in a word, they agree. It is *not conclusive* if what happens may be what the model says, and *not
reproducible* if an API server cannot have such a cluster; then it says why. Whether the model or kube-scheduler is right is no question to a control plane: the catalogue says what is documented.

A deviation **between decisions** is shown by a run (testdata/confirmations/runs): objects are created, changed and deleted in its order, each step once what is to be seen of
the one before is seen. What must not wake a pod leaves it pending for ten seconds; in process it is bound if it is asked about then, it is bound if it is created anew,
and in the control something else wakes it. Where none of kube-scheduler's own plugins leads to it, as none lets a pod wait on permit, kube-scheduler is built with one more, as authors
of plugins do it, which does with pods what their annotations say (controlplane/programs/faults); where something has to come while a request of kube-scheduler is under way, the API server asks a webhook
that does not answer before it takes the request. The transcript says so. What hangs on how late kube-scheduler hears of its own writes cannot be forced.

What is not there: a kubelet, a controller manager, and the admission plugins ServiceAccount and TaintNodesByCondition. So victims of a preemption
go on terminating, claims stay as they are, and no node gets a taint by itself. Where the smallest cluster of a deviation leaves kube-scheduler a choice,
or a pod that is nominated would be tried first, it is changed until it does not, as the transcript says (testdata/confirmations).
The programs are kept in the user's cache, or where MODELCHECK_CONTROLPLANE says.

## Random clusters

What became of pods of random clusters, one after the other, and what kube-scheduler says of those that were not bound, beside the decision in process about the objects
as they were the moment before:

| kube-scheduler | command, after ` + "`go run ./controlplane`" + ` | decisions | bound, preempted, waited, ended in an error | differences |
| --- | --- | --- | --- | --- |
| v1.36.3 | ` + "`differ -n 200 --seed 1`" + ` | 286 | 116, 8, 160, 2 | none |
| v1.36.3 | ` + "`differ -n 300 --seed 2 --nodes 5 --pods 10`" + ` | 510 | 188, 15, 301, 6 | none |
| v1.37.2 | ` + "`differ -n 200 --seed 1`" + `, with devices | 263 | 94, 1, 166, 2 | none |
`

// Package report says what a run found: as text that a person reads (Text), as JSON that a program reads (JSON),
// for CI systems (JUnit, SARIF), and as the files that it takes to act on a finding (Run.Files).
//
// All are functions of a Run alone: the same run gives the same bytes, but for what is named as a time. The schema
// of the JSON is described in docs/reference/json.md.
//
// A reader finds the parts in files of their names:
//
//	what a report is made from            run.go, notcovered.go
//	text, on one screen                   summary.go, verdict.go
//	text with all details                 text.go, coverage.go, finding.go
//	the parts of a counterexample         words.go: its steps; cluster.go: where they lead; decision.go, candidates.go
//	the parts of a cluster                blocks.go: pods as blocks; storage.go, storagewords.go; images.go
//	what there is to say of a pod         pods.go; requests.go, spread.go, podvolumes.go
//	the layout of text                    page.go
//	JSON                                  json.go, jsonfinding.go, manifest.go
//	what is saved of a finding            saved.go; trace.go, itf.go, bugreport.go with documents.go, gotest.go
//	what became of a saved trace          replay.go
//	CI                                    junit.go, sarif.go
package report

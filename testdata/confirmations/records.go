// Package confirmations holds what was seen of each deviation on a control plane: go run ./controlplane confirm --update
// writes it.
package confirmations

import "embed"

// Records are the files record.yaml of the releases, each in a folder such as v1.37, and the transcripts, by the names of
// the deviations.
//
//go:embed v*/record.yaml v*/*.txt
var Records embed.FS

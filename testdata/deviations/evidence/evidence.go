// Package evidence holds what is known of each deviation, one file each; internal/deviations reads and describes it.
package evidence

import "embed"

// Files are the files, by the names of the deviations.
//
//go:embed *.yaml
var Files embed.FS

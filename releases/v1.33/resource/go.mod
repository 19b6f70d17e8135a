// The API group resource.k8s.io/v1 came with v1.34. Its Go types, which modelcheck is written in, are laid over this
// folder when it is built for v1.33: see internal/releases.
module k8s.io/api/resource

go 1.26.0

require (
	k8s.io/api v0.33.13
	k8s.io/apimachinery v0.33.13
)

//go:build !before1.36

package scenario

// olderRelease says that this program is built for the release of Kubernetes that the themes are made for, or a later
// one.
const olderRelease = false

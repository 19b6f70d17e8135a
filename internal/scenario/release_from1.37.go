//go:build !before1.37

package scenario

// olderRelease says that this program is built for the release of Kubernetes that the themes are made for.
const olderRelease = false

//go:build before1.37

package scenario

// olderRelease says that this program is built for a release of Kubernetes before that of the themes.
const olderRelease = true

package production

// KubernetesVersion is the release of kube-scheduler that decides. A test holds it to go.mod.
const KubernetesVersion = "v1.36.3"

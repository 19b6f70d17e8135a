package spec

// Documents is the release of Kubernetes whose documents the model was written from.
const Documents = "v1.37"

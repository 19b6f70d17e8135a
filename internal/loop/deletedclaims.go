package loop

import "github.com/seed-a3f26817/modelcheck/spec"

// deletedClaimNamed is the name of a defect that claims-written tells by what the status of a pod names.
const deletedClaimNamed = "deleted-claim-named"

// statusKeepsClaim is the defect that nobody takes the name of a claim out of the status of its pod when it is deleted.
func statusKeepsClaim() Known {
	return Known{
		Name: deletedClaimNamed, Class: spec.Unconfirmed, Upstream: "not reported",
		Doc: "A claim that was made for extended resources of a pod is deleted as its cycle fails, and the status of the " +
			"pod names it still: where a later cycle needs no claim, the pod is bound with the name of a claim that is not " +
			"there, which a kubelet asks for before it starts the pod.",
	}
}

package stepped

import "k8s.io/client-go/util/retry"

// init lets no time pass between a write that the API server refuses for a conflict and the next try of it: nothing
// else happens meanwhile, so that each would be refused again. The number of tries stays.
func init() {
	retry.DefaultRetry.Duration = 0
	retry.DefaultBackoff.Duration = 0
}

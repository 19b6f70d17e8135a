package stepped

import "k8s.io/client-go/util/retry"

// init lets no time pass between a write that the API server refuses and the next try of it: nothing else happens
// meanwhile here, however long that is. How often it is tried stays.
func init() {
	retry.DefaultRetry.Duration = 0
	retry.DefaultBackoff.Duration = 0
}

package production

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// moments shows production, which looks at the wall clock, claims of devices as they are at the snapshot's Now: with a
// time of allocation that is as long ago. What is left of the time that drivers have is stretched, a second to nearly
// a day, so that nothing changes while a question is asked, nor in a run.
type moments struct {
	now     metav1.Time
	timeout time.Duration
	shown   map[*resourcev1.ResourceClaim]*resourcev1.ResourceClaim
}

// mostMoments bounds what is kept of claims, of which random clusters bring ever new ones.
const mostMoments = 1000

// show returns the claims of the snapshot as production is to see them.
func (m *moments) show(s *spec.Snapshot, timeout time.Duration) []*resourcev1.ResourceClaim {
	var shown []*resourcev1.ResourceClaim
	for i, claim := range s.ResourceClaims {
		if !spec.Timed(claim) {
			continue
		}
		if shown == nil {
			shown = append(shown, s.ResourceClaims...)
		}
		shown[i] = m.of(claim, s.Now, timeout)
	}
	if shown == nil {
		return s.ResourceClaims
	}
	return shown
}

func (m *moments) of(claim *resourcev1.ResourceClaim, now metav1.Time,
	timeout time.Duration) *resourcev1.ResourceClaim {
	if m.shown == nil || !m.now.Equal(&now) || m.timeout != timeout || len(m.shown) > mostMoments {
		*m = moments{now, timeout, map[*resourcev1.ResourceClaim]*resourcev1.ResourceClaim{}}
	}
	if m.shown[claim] == nil {
		m.shown[claim] = AtMoment(claim, now, timeout)
	}
	return m.shown[claim]
}

// AtMoment returns the claim, of which a device must become ready within the time after its allocation, as production
// is to see it at a moment; at none, if that is zero, so that no time is over.
func AtMoment(claim *resourcev1.ResourceClaim, now metav1.Time, timeout time.Duration) *resourcev1.ResourceClaim {
	const stretch, most = 1 << 16, 200 * 365 * 24 * time.Hour
	left := most
	if !now.IsZero() {
		left = claim.Status.Allocation.AllocationTimestamp.Add(timeout).Sub(now.Time)
		left = min(max(left, -most/stretch), most/stretch) * stretch
	}
	claim = claim.DeepCopy()
	claim.Status.Allocation.AllocationTimestamp = &metav1.Time{Time: time.Now().Add(left - timeout)}
	return claim
}

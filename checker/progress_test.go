package checker

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestProgress(t *testing.T) {
	for _, test := range []struct {
		reason string
		every  time.Duration
		want   int // calls within 10.5 seconds
	}{
		{"a second is the default", 0, 10},
		{"as often as wanted", 100 * time.Millisecond, 104},
		{"not within a run shorter than that", time.Minute, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 10500*time.Millisecond)
			defer cancel()
			var all []Progress
			begun := time.Now()
			var expanded atomic.Int64
			result := checkUntil(t, ctx, slow(&expanded), Options{
				Workers: 2, ProgressEvery: test.every,
				Progress: func(p Progress) {
					if p.Elapsed != time.Since(begun) {
						t.Errorf("elapsed is %v after %v", p.Elapsed, time.Since(begun))
					}
					all = append(all, p)
				},
			})
			calls := len(all)
			if calls < test.want || calls > test.want+1 {
				t.Errorf("%s: %d calls, want %d", test.reason, calls, test.want)
			}
			all = append(all, Progress{result.Depth, result.Distinct, result.Generated, result.Queue, 11 * time.Second})
			for i, p := range all[1:] {
				before := all[i]
				if p.Depth < before.Depth || p.Distinct < before.Distinct || p.Elapsed <= before.Elapsed {
					t.Errorf("%s: %+v comes after %+v", test.reason, p, before)
				}
				if p.Queue < 0 || p.Queue > p.Distinct || p.Generated < p.Distinct {
					t.Errorf("%s: %+v does not fit together", test.reason, p)
				}
			}
			time.Sleep(time.Minute)
			if len(all) != calls+1 {
				t.Errorf("%s: called after Check has returned", test.reason)
			}
		})
	}
}

// TestProgressEndsWithCheck has a call of Progress last longer than the run.
func TestProgressEndsWithCheck(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), 1500*time.Millisecond)
		defer cancel()
		var expanded atomic.Int64
		returned := false
		checkUntil(t, ctx, slow(&expanded), Options{Progress: func(Progress) {
			time.Sleep(time.Minute)
			returned = true
		}})
		if !returned {
			t.Error("Check returned while Progress was running")
		}
	})
}

package stepped_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/production/stepped"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// TestNothingInBackground: schedulers that are kept between two actions have no goroutines. What New starts ends as
// soon as it is scheduled.
func TestNothingInBackground(t *testing.T) {
	cfg, err := production.DefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.NumGoroutine()
	for range 50 {
		scheduler, err := stepped.New(t.Context(), cfg, &spec.Snapshot{}, stepped.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer scheduler.Close()
	}
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() >= before+
		50; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, and %d before there were 50 schedulers", runtime.NumGoroutine(), before)
		}
	}
}

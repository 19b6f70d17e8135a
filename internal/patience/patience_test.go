package patience

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"time"

	"github.com/seed-a3f26817/modelcheck/checker"
)

func TestDo(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range []struct {
		reason string
		ctx    context.Context
		work   func()
		want   bool
	}{
		{"it comes to its end", t.Context(), func() {}, true},
		{"it takes for ever", cancelled, func() { select {} }, false},
	} {
		if got := Do(tt.ctx, tt.work); got != tt.want {
			t.Errorf("%s: finished %v", tt.reason, got)
		}
	}
}

func TestDoPassesOn(t *testing.T) {
	wrong := errors.New("wrong")
	for _, tt := range []struct {
		reason string
		work   func()
		want   error
	}{
		{"a panic", func() { panic(wrong) }, wrong},
		{"a worker's panic, with its stack", func() { panic(&checker.Panic{Value: wrong}) }, wrong},
		{"the end of its goroutine", func() { runtime.Goexit() }, errGoexit},
	} {
		func() {
			defer func() {
				if p, is := recover().(*checker.Panic); !is || p.Value != tt.want {
					t.Errorf("%s: panics with %v, want %v", tt.reason, p, tt.want)
				}
			}()
			Do(t.Context(), tt.work)
		}()
	}
}

func TestCause(t *testing.T) {
	wrong := errors.New("wrong")
	for _, tt := range []struct {
		reason    string
		recovered any
	}{
		{"as it was", wrong},
		{"passed on", &checker.Panic{Value: wrong}},
		{"passed on twice", &checker.Panic{Value: &checker.Panic{Value: wrong}}},
	} {
		if value, _ := Cause(tt.recovered); value != wrong {
			t.Errorf("%s: %v, want %v", tt.reason, value, wrong)
		}
	}
}

func TestExtend(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	longer, end := Extend(ctx, 30*time.Millisecond)
	defer end()
	began := time.Now()
	cancel()
	<-longer.Done()
	if lasted := time.Since(began); lasted < 30*time.Millisecond {
		t.Errorf("it lasted %v longer", lasted)
	}
	longer, end = Extend(t.Context(), time.Hour)
	if end(); longer.Err() == nil {
		t.Error("cancel does not end it")
	}
}

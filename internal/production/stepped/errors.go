package stepped

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/klog/v2"
)

// noEvents is said now and then by what makes events about devices, as nothing of a scheduler runs in the background.
const noEvents = "Unable start event watcher (will not retry!)"

// errorSink is a log that keeps errors and drops the rest.
type errorSink struct {
	mu     sync.Mutex
	errors []string
}

var _ logr.LogSink = (*errorSink)(nil)

// Init implements logr.LogSink.
func (e *errorSink) Init(logr.RuntimeInfo) {}

// Enabled implements logr.LogSink.
func (e *errorSink) Enabled(int) bool { return false }

// Info implements logr.LogSink.
func (e *errorSink) Info(int, string, ...any) {}

// WithValues implements logr.LogSink.
func (e *errorSink) WithValues(...any) logr.LogSink { return e }

// WithName implements logr.LogSink.
func (e *errorSink) WithName(string) logr.LogSink { return e }

// uids are those that the API server gives; states that are one may have others.
var uids = regexp.MustCompile(`\b((?:Pod|PersistentVolume|PersistentVolumeClaim|ResourceClaim) \S+) \d+\b`)

// miscounted is how a claim is named that fewer pods than none use: of several the one that comes first in a map.
var miscounted = regexp.MustCompile(`PVC \S+ had negative ref count`)

// Error implements logr.LogSink.
func (e *errorSink) Error(err error, message string, details ...any) {
	if message == noEvents {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		message += ": " + err.Error()
	}
	for i := 0; i+1 < len(details); i += 2 {
		message += fmt.Sprintf(", %v=%v", details[i], details[i+1])
	}
	message = miscounted.ReplaceAllString(uids.ReplaceAllString(message, "$1"), "a PVC had negative ref count")
	e.errors = append(e.errors, message)
}

func (e *errorSink) take() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	taken := e.errors
	e.errors = nil
	return taken
}

// reportToSinks has what is reported of a scheduler's errors told to its log alone, and one that would end its process,
// as it does for a cache that it finds corrupted, panic instead. Kubernetes' own handlers sleep on
// each that comes within a millisecond of the last, too. What a failed call of a goroutine that evicts says, which has
// no log, is kept out of that of the process.
var reportToSinks = sync.OnceFunc(func() {
	klog.OsExit = exit
	handlers := runtime.ErrorHandlers
	runtime.ErrorHandlers = []runtime.ErrorHandler{
		func(ctx context.Context, err error, message string, details ...any) {
			if errors, ok := klog.FromContext(ctx).GetSink().(*errorSink); ok {
				errors.Error(err, message, details...)
				return
			}
			if strings.Contains(message, "async preemption") || strings.Contains(message, "NominatedNodeName") {
				return
			}
			for _, handle := range handlers {
				handle(ctx, err, message, details...)
			}
		},
	}
})

func exit(code int) { panic(fmt.Sprintf("kube-scheduler ends its process, with exit code %d", code)) }

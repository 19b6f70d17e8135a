package modelcheck

import (
	"fmt"
	"runtime/debug"

	"github.com/seed-a3f26817/modelcheck/internal/patience"
)

// panicOf is what New panicked with, and where.
type panicOf struct {
	value any
	stack []byte
}

// predicatePanic says which predicate panicked. Such a panic is no finding about the plugin.
type predicatePanic struct {
	what  string
	value any
	stack []byte
}

// blames passes a panic of a predicate on with its name. It is to be deferred.
func blames(what string) {
	if r := recover(); r != nil {
		panic(predicatePanic{what, r, debug.Stack()})
	}
}

// errorOf returns what a run panicked with as an error that says whose fault it is.
func errorOf(recovered any) error {
	recovered, stack := patience.Cause(recovered)
	if p, is := recovered.(predicatePanic); is {
		return fmt.Errorf("nothing was checked: %s panicked: %v; correct the predicate, which is no finding about the "+
			"plugin\n\n%s", p.what, p.value, p.stack)
	}
	return fmt.Errorf("nothing was checked, and this is no finding about a plugin: panic: %v\n\n%s", recovered, stack)
}

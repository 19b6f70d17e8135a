//go:build !before1.37

package expression

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/interpreter"
)

// interpretable is a part of a program, in the version of CEL that Kubernetes v1.37 has.
type interpretable = interpreter.InterpretableV2

// decorated lets a program put other parts in the place of its own.
var decorated = cel.CustomDecoratorV2

// Exec implements interpreter.InterpretableV2.
func (c *meteredConstructor) Exec(frame *interpreter.ExecutionFrame) ref.Val { return c.Eval(frame) }

// Exec implements interpreter.InterpretableV2.
func (c *meteredCall) Exec(frame *interpreter.ExecutionFrame) ref.Val { return c.Eval(frame) }

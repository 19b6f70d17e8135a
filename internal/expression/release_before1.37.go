//go:build before1.37

package expression

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/interpreter"
)

// interpretable is a part of a program, in the version of CEL that Kubernetes v1.36 and earlier have.
type interpretable = interpreter.Interpretable

// decorated lets a program put other parts in the place of its own.
var decorated = cel.CustomDecorator

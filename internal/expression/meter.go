package expression

import (
	"fmt"
	"regexp"

	"github.com/google/cel-go/cel"
	celfunctions "github.com/google/cel-go/common/functions"
	"github.com/google/cel-go/common/operators"
	celtypes "github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
)

// MaxBytes bounds what the values that one evaluation makes may take in all, in bytes, whether they are still needed or
// not: so it bounds what an expression holds.
const MaxBytes = 64 << 20

// meter counts what an evaluation spends. CEL counts what a call has cost when it is done; a single call may take all
// the memory there is, so what it is going to take is asked for before.
type meter struct{ cost, bytes uint64 }

// meterName is the variable that holds the meter of an evaluation. No expression can name it.
const meterName = "@meter"

// spend charges for a call, or ends the evaluation if that is too much.
func (m *meter) spend(function string, of charge) {
	if of.bytes > MaxBytes-m.bytes {
		panic(tooDear("%s makes values of %d bytes, after %d bytes: at most %d may be made", function, of.bytes, m.bytes,
			MaxBytes))
	}
	if of.cost > MaxCost-m.cost {
		panic(tooDear("%s costs %d units, after %d: at most %d may be spent", function, of.cost, m.cost, MaxCost))
	}
	m.bytes, m.cost = m.bytes+of.bytes, m.cost+of.cost
}

// left is what may still be spent.
func (m *meter) left() uint64 { return MaxCost - m.cost }

func tooDear(format string, args ...any) error {
	return interpreter.EvalCancelledError{Cause: interpreter.CostLimitExceeded, Message: fmt.Sprintf(format, args...)}
}

// meterOf returns the meter of an evaluation; a new one for constants, which are evaluated when a program is made.
func meterOf(vars interpreter.Activation) *meter {
	if v, ok := vars.ResolveName(meterName); ok {
		return v.(*meter)
	}
	return &meter{}
}

// metered has calls and constructors charged before they are evaluated.
func metered(env *cel.Env) (cel.ProgramOption, error) {
	bound := map[string]*celfunctions.Overload{}
	for _, f := range env.Functions() { // their order does not matter: overloads have names of their own
		overloads, err := f.Bindings()
		if err != nil {
			return nil, err
		}
		for _, o := range overloads {
			bound[o.Operator] = o
		}
	}
	return cel.CustomDecoratorV2(func(i interpreter.InterpretableV2) (interpreter.InterpretableV2, error) {
		switch part := i.(type) {
		case interpreter.InterpretableConstructor:
			if allConstant(part.InitVals()) {
				return i, nil
			}
			return &meteredConstructor{part}, nil
		case interpreter.InterpretableCall:
			return meteredCallOf(part, bound), nil
		}
		return i, nil
	}), nil
}

func allConstant(parts []interpreter.InterpretableV2) bool {
	for _, part := range parts {
		if _, constant := part.(interpreter.InterpretableConst); !constant {
			return false
		}
	}
	return true
}

// meteredConstructor makes a list or a map.
type meteredConstructor struct {
	interpreter.InterpretableConstructor
}

func (c *meteredConstructor) Eval(vars interpreter.Activation) ref.Val {
	n := uint64(len(c.InitVals()))
	meterOf(vars).spend("a list or map", charge{bytes: perValue + n*perElement})
	return c.InterpretableConstructor.Eval(vars)
}

// meteredCall is a call whose arguments are known before what it takes is spent.
type meteredCall struct {
	interpreter.InterpretableCall
	args   []interpreter.InterpretableV2
	charge func(args []ref.Val, left uint64) charge
	invoke func(args []ref.Val) ref.Val
}

// meteredCallOf returns the call with its charge; the call itself if it costs the same whatever its arguments are.
func meteredCallOf(call interpreter.InterpretableCall,
	bound map[string]*celfunctions.Overload) interpreter.InterpretableV2 {
	charge, charged := charges[call.Function()]
	args := call.Args()
	if !charged {
		return call
	}
	m := &meteredCall{InterpretableCall: call, args: args, charge: charge}
	switch call.Function() {
	case operators.Equals, operators.NotEquals, operators.In, operators.OldIn:
		// One that is compared with a constant costs no more than that one, or was made faster by CEL.
		if len(args) == 2 && (isConstant(args[0]) && call.Function() != operators.In || isConstant(args[1])) {
			return call
		}
	}
	switch call.Function() {
	case operators.Equals:
		m.invoke = func(args []ref.Val) ref.Val { return celtypes.Equal(args[0], args[1]) }
		return m
	case operators.NotEquals:
		m.invoke = func(args []ref.Val) ref.Val { return celtypes.Bool(celtypes.Equal(args[0], args[1]) != celtypes.True) }
		return m
	}
	o := bound[call.OverloadID()]
	if o == nil {
		o = bound[call.Function()]
	}
	if o == nil || o.NonStrict {
		return call
	}
	m.invoke = func(args []ref.Val) ref.Val { return invoke(call, o, args) }
	switch call.Function() {
	case "matches", "find", "findAll":
		return unseen(m)
	}
	return m
}

// unseen hides from CEL that a part is a call: it would put one that is not charged in the place of a regular
// expression that is constant. Instead, matches is given the expression as it is compiled once.
func unseen(m *meteredCall) interpreter.InterpretableV2 {
	if constant, ok := m.args[1].(interpreter.InterpretableConst); ok && m.Function() == "matches" {
		if text, ok := constant.Value().(celtypes.String); ok {
			if compiled, err := regexp.Compile(string(text)); err == nil { // else the function says what is wrong
				m.invoke = func(args []ref.Val) ref.Val {
					if s, ok := args[0].(celtypes.String); ok {
						return celtypes.Bool(compiled.MatchString(string(s)))
					}
					return celtypes.MaybeNoSuchOverloadErr(args[0])
				}
			}
		}
	}
	return struct{ interpreter.InterpretableV2 }{m}
}

func isConstant(i interpreter.InterpretableV2) bool {
	_, constant := i.(interpreter.InterpretableConst)
	return constant
}

// invoke calls a function as the interpreter of CEL does.
func invoke(call interpreter.InterpretableCall, o *celfunctions.Overload, args []ref.Val) ref.Val {
	if o.OperandTrait == 0 || len(args) > 0 && args[0].Type().HasTrait(o.OperandTrait) {
		switch {
		case len(args) == 1 && o.Unary != nil:
			return celtypes.LabelErrNode(call.ID(), o.Unary(args[0]))
		case len(args) == 2 && o.Binary != nil:
			return celtypes.LabelErrNode(call.ID(), o.Binary(args[0], args[1]))
		case o.Function != nil:
			return celtypes.LabelErrNode(call.ID(), o.Function(args...))
		}
	}
	if len(args) > 0 && args[0].Type().HasTrait(traits.ReceiverType) {
		return celtypes.LabelErrNode(call.ID(), args[0].(traits.Receiver).Receive(call.Function(), call.OverloadID(),
			args[1:]))
	}
	return celtypes.NewErrWithNodeID(call.ID(), "no such overload: %s", call.Function())
}

func (c *meteredCall) Eval(vars interpreter.Activation) ref.Val {
	args := make([]ref.Val, len(c.args))
	for i, arg := range c.args {
		if args[i] = arg.Eval(vars); celtypes.IsUnknownOrError(args[i]) {
			return args[i]
		}
	}
	m := meterOf(vars)
	m.spend(c.Function(), c.charge(args, m.left()))
	return c.invoke(args)
}

// Exec implements interpreter.InterpretableV2.
func (c *meteredConstructor) Exec(frame *interpreter.ExecutionFrame) ref.Val { return c.Eval(frame) }

// Exec implements interpreter.InterpretableV2.
func (c *meteredCall) Exec(frame *interpreter.ExecutionFrame) ref.Val { return c.Eval(frame) }

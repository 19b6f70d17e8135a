// Package expression makes properties of expressions in CEL, the Common Expression Language, as Kubernetes has it:
// with its types, its functions (quantities, lists, optional values) and its limits on cost. An expression is
// compiled and its types are checked before anything is explored.
//
// Objects are as the API writes them: a field that is empty is absent, and has() or .? tells. Quantities and times
// are strings; quantity() reads the former.
package expression

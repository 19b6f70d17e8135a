// Package conformance has the tests that join the formal model with production: random clusters, larger and
// stranger than those that are explored, at which both must agree. It has no code of its own.
package conformance

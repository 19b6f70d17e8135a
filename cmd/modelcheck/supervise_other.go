//go:build !unix

package main

// supervise is for systems that pass signals on.
func supervise(string, []string) (code int, done bool) { return 0, false }

func endWithParent() {}

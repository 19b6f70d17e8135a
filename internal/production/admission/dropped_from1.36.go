//go:build !before1.36

package admission

// Drop drops nothing: what is read of devices belongs to features that are on since v1.36.
func Drop(any) bool { return false }

// DropRefused drops nothing: see Drop.
func DropRefused(any) bool { return false }

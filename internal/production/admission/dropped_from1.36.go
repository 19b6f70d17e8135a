//go:build !before1.36

package admission

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Drop drops nothing: what is read of devices belongs to features that are on since v1.36.
func Drop(any) bool { return false }

// DropRefused drops nothing: see Drop.
func DropRefused(any) bool { return false }

// AdmitAnew is Admit: there is nothing to drop.
func AdmitAnew(objects []runtime.Object) ([]runtime.Object, []field.ErrorList) { return Admit(objects) }

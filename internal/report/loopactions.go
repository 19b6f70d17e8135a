package report

import (
	"slices"
	"strings"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/seed-a3f26817/modelcheck/internal/loop"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// created returns the objects of a kind that are created in a run, in order.
func created[T runtime.Object](run []loop.Action) (objects []T) {
	for _, action := range run {
		if object, ok := action.Object.(T); ok && action.Verb == loop.Create {
			objects = append(objects, object)
		}
	}
	return objects
}

// withCreated returns the cluster of a finding with what is created in its run that others may refer to.
func withCreated(f *loop.Finding) *spec.Snapshot {
	s := *f.Initial
	s.Pods = append(created[*v1.Pod](f.Trace), s.Pods...)
	s.Nodes = append(created[*v1.Node](f.Trace), s.Nodes...)
	s.PersistentVolumes = append(created[*v1.PersistentVolume](f.Trace), s.PersistentVolumes...)
	s.PersistentVolumeClaims = append(created[*v1.PersistentVolumeClaim](f.Trace), s.PersistentVolumeClaims...)
	s.StorageClasses = append(created[*storagev1.StorageClass](f.Trace), s.StorageClasses...)
	s.ResourceSlices = append(created[*resourcev1.ResourceSlice](f.Trace), s.ResourceSlices...)
	return &s
}

// actionsInWords says the actions of a finding's run. What is created is described, pods not again if they are like one
// before, what is created anew if it is otherwise than at first, and what changes in fields that the action does not
// name.
func actionsInWords(f *loop.Finding) (words []string) {
	all := withCreated(f)
	asked, images := askedLabels(all, storageOf(all)), reported(all.Nodes)
	var before []*v1.Pod
	for i, action := range f.Trace {
		text := action.String()
		if (action.Verb == loop.Create || action.LikeAnother()) && !action.Controller && !action.Heard {
			switch object := action.Object.(type) {
			case *v1.Pod:
				text = introduce(object, before, images) + " is created"
				before = append(before, object)
			case *v1.Node:
				text += ": " + nodeWords(object, &spec.Snapshot{}, all, asked)
			default:
				if of := objectWords(object, f.Initial); len(of) > 0 {
					text += ": " + strings.Join(of, ", ")
				}
			}
		}
		if of := anew(action, f.Initial); len(of) > 0 && !action.Heard {
			text += "; it is now " + strings.Join(of, ", ")
		}
		words = append(words, text+ledTo(f, i))
	}
	return words
}

// anew says what an object is like that is created anew under its name; nothing if it is as in the cluster.
func anew(action loop.Action, s *spec.Snapshot) []string {
	if action.Verb != loop.Replace {
		return nil
	}
	words := objectWords(action.Object, s)
	for _, object := range loop.Objects(s) {
		if loop.RefOf(object) == action.Ref && slices.Equal(objectWords(object, s), words) {
			return nil
		}
	}
	return words
}

// ledTo says what became of the pod that the scheduler took by that action.
func ledTo(f *loop.Finding, action int) string {
	if action >= len(f.Led) || f.Led[action] == "" {
		return ""
	}
	return ": " + f.Led[action]
}

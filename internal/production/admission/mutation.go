package admission

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/apis/core/v1/helper/qos"
)

// mutate does to a new, defaulted object what creation does by code that cannot be called from
// outside an API server; each rule is the documented one.
func (c *cluster) mutate(object runtime.Object) {
	switch object := object.(type) {
	case *v1.Pod:
		begin(object)
		mergeLabelKeys(object)
	case *v1.PersistentVolumeClaim:
		c.defaultStorageClass(object)
	case *batchv1.Job:
		generateSelector(object)
	}
}

// generateSelector returns a Job the selector and the labels by which its pods are found, unless it says that it
// brings its own. They hold the Job's uid, which an API server would draw at random; here it follows from its name.
//
// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#specifying-your-own-pod-selector, and the
// doc of JobSpec.manualSelector.
func generateSelector(job *batchv1.Job) {
	if job.Spec.ManualSelector != nil && *job.Spec.ManualSelector {
		return
	}
	name := fnv.New64a()
	name.Write([]byte(job.Namespace + "/" + job.Name))
	job.UID = types.UID(fmt.Sprintf("%016x", name.Sum64()))
	labels := maps.Clone(job.Spec.Template.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	for key, value := range map[string]string{
		"job-name": job.Name, batchv1.JobNameLabel: job.Name, "controller-uid": string(job.UID),
		batchv1.ControllerUidLabel: string(job.UID),
	} {
		if _, stated := labels[key]; !stated {
			labels[key] = value // what is stated and contradicts is refused by validation
		}
	}
	job.Spec.Template.Labels = labels
	if job.Spec.Selector == nil {
		job.Spec.Selector = &metav1.LabelSelector{}
	}
	selector := maps.Clone(job.Spec.Selector.MatchLabels)
	if selector == nil {
		selector = map[string]string{}
	}
	if _, stated := selector[batchv1.ControllerUidLabel]; !stated {
		selector[batchv1.ControllerUidLabel] = string(job.UID)
	}
	job.Spec.Selector.MatchLabels = selector
}

// begin returns a pod the status it is created with, where it states none of its own.
func begin(pod *v1.Pod) {
	if pod.Status.Phase == "" {
		pod.Status.Phase = v1.PodPending
	}
	if pod.Status.QOSClass == "" {
		pod.Status.QOSClass = qos.ComputePodQOS(pod)
	}
}

// mergeLabelKeys merges the pod's own labels under matchLabelKeys and mismatchLabelKeys into the
// label selectors beside them, which is all that the scheduler reads. A nil selector matches nothing and stays nil.
//
// Source: field docs of PodAffinityTerm.matchLabelKeys, PodAffinityTerm.mismatchLabelKeys and
// TopologySpreadConstraint.matchLabelKeys.
func mergeLabelKeys(pod *v1.Pod) {
	for _, term := range affinityTerms(pod) {
		merge(term.LabelSelector, term.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
		merge(term.LabelSelector, term.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, pod.Labels)
	}
	for _, constraint := range pod.Spec.TopologySpreadConstraints {
		merge(constraint.LabelSelector, constraint.MatchLabelKeys, metav1.LabelSelectorOpIn, pod.Labels)
	}
}

func merge(selector *metav1.LabelSelector, keys []string, operator metav1.LabelSelectorOperator,
	labels map[string]string) {
	if selector == nil {
		return
	}
	for _, key := range keys {
		if value, has := labels[key]; has {
			selector.MatchExpressions = append(selector.MatchExpressions,
				metav1.LabelSelectorRequirement{Key: key, Operator: operator, Values: []string{value}})
		}
	}
}

// affinityTerms returns every term of the pod's affinity and anti-affinity to pods, required and preferred.
func affinityTerms(pod *v1.Pod) []*v1.PodAffinityTerm {
	var terms []*v1.PodAffinityTerm
	gather := func(required []v1.PodAffinityTerm, preferred []v1.WeightedPodAffinityTerm) {
		for i := range required {
			terms = append(terms, &required[i])
		}
		for i := range preferred {
			terms = append(terms, &preferred[i].PodAffinityTerm)
		}
	}
	affinity := pod.Spec.Affinity
	if affinity != nil && affinity.PodAffinity != nil {
		gather(affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			affinity.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if affinity != nil && affinity.PodAntiAffinity != nil {
		gather(affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution,
			affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return terms
}

// defaultStorageClass returns a claim that names no class the default one: of several, the one created last,
// then the first by name.
//
// Source: https://kubernetes.io/docs/concepts/storage/storage-classes/#default-storageclass
func (c *cluster) defaultStorageClass(claim *v1.PersistentVolumeClaim) {
	if _, named := claim.Annotations[v1.BetaStorageClassAnnotation]; named || claim.Spec.StorageClassName != nil {
		return
	}
	defaults := slices.DeleteFunc(
		slices.Clone(c.storageClasses),
		func(class *storagev1.StorageClass) bool { return !isDefault(class) },
	)
	if len(defaults) == 0 {
		return
	}
	chosen := slices.MinFunc(defaults, func(a, b *storagev1.StorageClass) int {
		if latest := b.CreationTimestamp.Compare(a.CreationTimestamp.Time); latest != 0 {
			return latest
		}
		return strings.Compare(a.Name, b.Name)
	})
	claim.Spec.StorageClassName = &chosen.Name
}

func isDefault(class *storagev1.StorageClass) bool {
	return class.Annotations["storageclass.kubernetes.io/is-default-class"] == "true" ||
		class.Annotations["storageclass.beta.kubernetes.io/is-default-class"] == "true"
}

package loop

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestLessPart: each part of an object is taken away once, the outermost first; its name and node are none.
func TestLessPart(t *testing.T) {
	pod := &v1.PodTemplate{
		ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"a": "1", "b": "2"}},
		Template: v1.PodTemplateSpec{Spec: v1.PodSpec{
			NodeName: "n", RuntimeClassName: new("r"), Tolerations: []v1.Toleration{{Key: "x"}, {Key: "y", Value: "z"}},
		}},
	}
	before := pod.DeepCopy()
	var got []string
	for i := 0; ; i++ {
		less := lessPart(pod, i)
		if less == nil {
			break
		}
		pod := less.(*v1.PodTemplate)
		text, err := json.Marshal([]any{pod.Name, pod.Labels, pod.Template.Spec})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(text))
	}
	const labels, rest = `{"a":"1","b":"2"}`, `"containers":null,"nodeName":"n"`
	const all = `"tolerations":[{"key":"x"},{"key":"y","value":"z"}],"runtimeClassName":"r"}]`
	want := []string{
		`["p",{"b":"2"},{` + rest + `,` + all,
		`["p",{"a":"1"},{` + rest + `,` + all,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{"key":"x"}],"runtimeClassName":"r"}]`,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{"key":"x"},{"value":"z"}],"runtimeClassName":"r"}]`,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{"key":"x"},{"key":"y"}],"runtimeClassName":"r"}]`,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{"key":"y","value":"z"}],"runtimeClassName":"r"}]`,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{},{"key":"y","value":"z"}],"runtimeClassName":"r"}]`,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{"key":"x"},{"key":"y","value":"z"}]}]`,
		`["p",` + labels + `,{` + rest + `,"tolerations":[{"key":"x"},{"key":"y","value":"z"}],"runtimeClassName":""}]`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, pod); diff != "" {
		t.Error("the object itself was changed:", diff)
	}
}

package stepped

import (
	"slices"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// TestListsInOrder: what is listed comes in the order of the keys, by whichever way, also of what came in another.
func TestListsInOrder(t *testing.T) {
	indexers := cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	never := cache.NewSharedIndexInformer(&cache.ListWatch{}, &v1.Service{}, time.Hour, indexers)
	i := &informer{SharedIndexInformer: never}
	names := []string{"f", "b", "a", "e", "c", "d"}
	want := slices.Sorted(slices.Values(names))
	for _, name := range names {
		service := &v1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
		if err := i.GetIndexer().Add(service); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 { // the order of a map is another one each time
		byIndex, err := i.GetIndexer().ByIndex(cache.NamespaceIndex, "default")
		if err != nil {
			t.Fatal(err)
		}
		like, err := i.GetIndexer().Index(cache.NamespaceIndex, &metav1.ObjectMeta{Namespace: "default"})
		if err != nil {
			t.Fatal(err)
		}
		for n, list := range [][]any{i.GetIndexer().List(), byIndex, like} {
			var got []string
			for _, object := range list {
				got = append(got, object.(*v1.Service).Name)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("way %d: %v, want %v", n, got, want)
			}
		}
	}
}

package scenario

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/equality"
)

// once returns the objects, each once: of one that is given several times the last counts, in the place of the first,
// as kubectl apply would have it. Names are generated for those that want it, and a uid that another object has is
// taken from the copy.
func (r *reading) once(objects []object) []object {
	r.generateNames(objects)
	at := map[[3]string]int{}
	var kept []object
	for _, o := range objects {
		i, twice := at[o.key()]
		if !twice {
			at[o.key()] = len(kept)
			kept = append(kept, o)
			continue
		}
		first := kept[i]
		switch {
		case first.field != "" || o.field != "":
			r.refuse(o.source, o.String(), "metadata.name", fmt.Errorf("the same object is in %s; keep one or rename one",
				first.source))
		case equality.Semantic.DeepEqual(first.Object, o.Object):
			r.note(o, "it is also in %s, just the same", first.source)
		default:
			r.note(o, "it is also in %s, and not the same: the one read last counts, as with kubectl apply (kubectl "+
				"create would refuse it)", first.source)
		}
		kept[i] = o
	}
	uids := map[string]object{}
	for _, o := range kept {
		uid := string(o.GetUID())
		if first, twice := uids[uid]; twice && uid != "" {
			r.note(o, "metadata.uid: it is also that of %s in %s, so this one gets another", first, first.source)
			o.SetUID(deterministicUID(o))
			continue
		}
		uids[uid] = o
	}
	return kept
}

// generateNames gives objects with a generateName a name, which an API server would draw at random.
func (r *reading) generateNames(objects []object) {
	taken, next := map[[3]string]bool{}, map[[3]string]int{}
	for _, o := range objects {
		taken[o.key()] = true
	}
	for _, o := range objects {
		if o.GetName() != "" {
			continue
		}
		base := o.GetGenerateName()
		key := [3]string{o.kind, o.GetNamespace(), base}
		for o.GetName() == "" || taken[o.key()] {
			next[key]++
			o.SetName(fmt.Sprintf("%s%05d", base, next[key]))
		}
		taken[o.key()] = true
		r.note(o, "metadata.generateName: its name is made of it")
	}
}

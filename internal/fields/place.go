package fields

import (
	"fmt"
	"reflect"
	"strconv"
	"sync"
)

// place is a path with what its type says of the values there, which is found out once: a scope has thousands of
// objects of few types.
type place struct {
	path   string
	unread bool
	leaf   bool // its values have no fields that are looked at one by one
	plain  bool // a leaf of a basic type, which has no text of its own
	// fields are those of a struct, and element is what a list or a pointer has, which has the path of a pointer itself.
	fields  []fieldPlace
	element *place
	number  int
}

type fieldPlace struct {
	index int
	*place
}

// places are the places of objects, by their kinds, and placesMade counts all places.
var (
	placesMu   sync.Mutex
	places     = map[string]*place{}
	placesMade int
)

// placeOf returns the place of objects.
func placeOf(kind string, t reflect.Type) *place {
	placesMu.Lock()
	defer placesMu.Unlock()
	if places[kind] == nil {
		places[kind] = newPlace(kind, t)
	}
	return places[kind]
}

// newPlace makes a place with all below it. Its caller holds placesMu.
func newPlace(path string, t reflect.Type) *place {
	p := &place{path: path, unread: unread(path), number: placesMade}
	placesMade++
	if p.unread {
		return p
	}
	p.leaf = isLeaf(t)
	p.plain = p.leaf && t.Kind() != reflect.Struct && !t.Implements(reflect.TypeFor[fmt.Stringer]()) &&
		!t.Implements(reflect.TypeFor[error]())
	switch {
	case p.leaf:
	case t.Kind() == reflect.Pointer:
		p.element = newPlace(path, t.Elem())
	case t.Kind() == reflect.Slice && isLeaf(t.Elem()):
		p.element = newPlace(path, t.Elem())
	case t.Kind() == reflect.Slice:
		p.element = newPlace(path+"[]", t.Elem())
	case t.Kind() == reflect.Struct:
		for name, field := range fieldsOf(t) {
			p.fields = append(p.fields, fieldPlace{field.Index[0], newPlace(join(path, name), field.Type)})
		}
	}
	return p
}

func (p *place) at(c *Coverage) *sighting {
	if p.number >= len(c.places) {
		c.places = append(c.places, make([]*sighting, p.number+1-len(c.places))...)
	}
	if c.places[p.number] == nil {
		c.places[p.number] = c.at(p.path)
	}
	return c.places[p.number]
}

// text writes a value of a leaf.
func (p *place) text(v reflect.Value) string {
	switch {
	case p.plain && v.Kind() == reflect.String:
		return v.String()
	case p.plain && v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case p.plain && v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	}
	text, _ := leaf(v)
	return text
}

// value notes a value that is there.
func (p *place) value(c *Coverage, v reflect.Value) {
	if p.unread {
		return
	}
	if p.leaf {
		s := p.at(c)
		s.values[p.text(v)] = true
		s.set = true
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for _, f := range p.fields {
			f.field(c, v.Field(f.index))
		}
	case reflect.Slice:
		for i := range v.Len() {
			if p.element.leaf {
				p.at(c).values[p.element.text(v.Index(i))] = true
			} else {
				p.element.value(c, v.Index(i))
			}
		}
	case reflect.Map:
		s := p.at(c)
		for _, key := range v.MapKeys() {
			text, _ := leaf(v.MapIndex(key))
			s.values[fmt.Sprint(key)+"="+text] = true
		}
	}
}

// field notes a field, whether it is there or not.
func (p *place) field(c *Coverage, v reflect.Value) {
	if p.unread {
		return
	}
	pointer := v.Kind() == reflect.Pointer
	switch {
	case pointer && v.IsNil(),
		isContainer(v.Kind()) && v.IsNil(),
		p.leaf && v.IsZero():
		p.at(c).unset = true
		return
	case pointer:
		v = v.Elem()
		if (v.Kind() == reflect.Struct || v.Kind() == reflect.String) && v.IsZero() {
			p.at(c).empty = true
			return
		}
		if !p.element.leaf {
			p.at(c).set = true
		}
		p.element.value(c, v)
		return
	case isContainer(v.Kind()) && v.Len() == 0:
		p.at(c).empty = true
		return
	case isContainer(v.Kind()):
		p.at(c).set = true
	}
	p.value(c, v)
}

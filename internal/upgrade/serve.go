package upgrade

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"

	v1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"github.com/seed-a3f26817/modelcheck/spec"
)

// Serve answers the questions that Start's side sends, until there are no more. start gives the side in this process,
// which answers for the release. drop drops of an object what the release has off, and reports whether there was any.
func Serve(in io.Reader, out io.Writer, release string, drop func(object any) bool,
	start func(Configuration) (Side, error)) error {
	receive, buffered := gob.NewDecoder(bufio.NewReader(in)), bufio.NewWriter(out)
	send := gob.NewEncoder(buffered)
	say := func(what any) error {
		if err := send.Encode(what); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
		if err := buffered.Flush(); err != nil {
			return fmt.Errorf("answering: %w", err)
		}
		return nil
	}
	var c configuration
	if err := receive.Decode(&c); err != nil {
		return fmt.Errorf("reading the configuration: %w", err)
	}
	side, err := start(Configuration(c))
	if err != nil {
		return say(greeting{Protocol: protocol, Release: release, Wrong: err.Error()})
	}
	if err := say(greeting{Protocol: protocol, Release: release}); err != nil {
		return err
	}
	s := &server{side: side, drop: drop}
	for {
		var asked request
		switch err := receive.Decode(&asked); {
		case errors.Is(err, io.EOF):
			return side.Close()
		case err != nil:
			return fmt.Errorf("reading a question: %w", err)
		}
		if err := say(s.answer(asked)); err != nil {
			return err
		}
	}
}

// server answers questions.
type server struct {
	side    Side
	drop    func(any) bool
	objects []any
}

func (s *server) answer(asked request) reply {
	if len(asked.Explains) > 0 {
		return reply{Explains: s.side.Explains(asked.Explains)}
	}
	if asked.Explain {
		return reply{Findings: s.side.Explain()}
	}
	if asked.Forget {
		s.objects = nil
	}
	unread, err := s.take(asked)
	if err != nil {
		return reply{Wrong: err.Error()}
	}
	q, err := s.question(asked)
	if err != nil {
		return reply{Wrong: err.Error()}
	}
	return reply{Decision: encoded(s.side.Ask(*q)(), q.Snapshot), Unread: unread}
}

// take reads the new objects. Fields that this release does not know, or whose features it has off, are left out and
// told, as its API server leaves them out.
func (s *server) take(asked request) (unread []string, err error) {
	snapshot := reflect.TypeFor[spec.Snapshot]()
	for i, text := range asked.Objects {
		if asked.Kinds[i] < 0 || asked.Kinds[i] >= len(kinds) {
			return nil, fmt.Errorf("an object is of kind %d", asked.Kinds[i])
		}
		object := reflect.New(snapshot.Field(kinds[asked.Kinds[i]]).Type.Elem().Elem())
		strict, err := kjson.UnmarshalStrict(text, object.Interface())
		if err != nil {
			return nil, fmt.Errorf("reading an object: %w", err)
		}
		kind := object.Type().Elem().Name()
		for _, wrong := range strict {
			unread = append(unread, kind+": "+wrong.Error())
		}
		if s.drop(object.Interface()) {
			unread = append(unread, kind+": fields of features that are off")
		}
		s.objects = append(s.objects, object.Interface())
	}
	slices.Sort(unread)
	return slices.Compact(unread), nil
}

// question puts a question together from objects that were sent.
func (s *server) question(asked request) (*spec.Question, error) {
	snapshot := reflect.New(reflect.TypeFor[spec.Snapshot]()).Elem()
	if len(asked.Snapshot) != len(kinds) {
		return nil, fmt.Errorf("a snapshot has %d fields", len(asked.Snapshot))
	}
	for kind, numbers := range asked.Snapshot {
		field := snapshot.Field(kinds[kind])
		all := reflect.MakeSlice(field.Type(), 0, len(numbers))
		for _, number := range numbers {
			if number < 0 || number >= len(s.objects) || reflect.TypeOf(s.objects[number]) != field.Type().Elem() {
				return nil, fmt.Errorf("object %d was not sent", number)
			}
			all = reflect.Append(all, reflect.ValueOf(s.objects[number]))
		}
		field.Set(all)
	}
	made := snapshot.Addr().Interface().(*spec.Snapshot)
	made.Now.Time = asked.Now
	if asked.Pod < 0 || asked.Pod >= len(s.objects) {
		return nil, fmt.Errorf("object %d was not sent", asked.Pod)
	}
	pod, ok := s.objects[asked.Pod].(*v1.Pod)
	if !ok || !slices.Contains(made.Pods, pod) {
		return nil, fmt.Errorf("object %d does not ask", asked.Pod)
	}
	return &spec.Question{Pod: pod, Snapshot: made}, nil
}

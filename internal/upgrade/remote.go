package upgrade

import (
	"bufio"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"slices"
	"time"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// mostPatient is how long an answer may take before the program counts as hanging.
const mostPatient = 2 * time.Minute

// mostObjects is how many objects are known by number at once.
const mostObjects = 200_000

// remote is a side in another process. An object behind a pointer does not change.
type remote struct {
	release string
	cmd     *exec.Cmd
	in      *bufio.Writer
	inPipe  io.Closer
	send    *gob.Encoder
	receive *gob.Decoder
	numbers map[any]int
	unread  []string
	broken  error
}

// Configuration is what the kube-scheduler of another release runs with.
type Configuration struct {
	// Name is that of the file, for errors, and Text what it holds; nil for the default configuration.
	Name string
	Text []byte
	// Profile is asked about pods that no profile is for.
	Profile string
}

// Start starts a program that serves, for the release: see Serve. What it says on stderr goes to log. The context kills
// it.
func Start(ctx context.Context, release string, cmd func(context.Context) *exec.Cmd, c Configuration,
	log io.Writer) (Side, error) {
	r := &remote{release: release, cmd: cmd(ctx), numbers: map[any]int{}}
	fail := func(err error) (Side, error) {
		return nil, fmt.Errorf("the program for Kubernetes %s: %w", release, err)
	}
	r.cmd.Stderr = log
	in, err := r.cmd.StdinPipe()
	if err != nil {
		return fail(err)
	}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	if err := r.cmd.Start(); err != nil {
		return fail(err)
	}
	r.inPipe, r.in = in, bufio.NewWriter(in)
	r.send, r.receive = gob.NewEncoder(r.in), gob.NewDecoder(bufio.NewReader(out))
	var said greeting
	err = r.within(func() error {
		if err := r.send.Encode(configuration(c)); err != nil {
			return err
		}
		if err := r.in.Flush(); err != nil {
			return err
		}
		return r.receive.Decode(&said)
	})
	switch {
	case err == nil && said.Wrong != "":
		err = errors.New(said.Wrong)
	case err == nil && said.Protocol != protocol:
		err = fmt.Errorf("it speaks protocol %d, and this modelcheck %d: install it again", said.Protocol, protocol)
	case err == nil && said.Release != release:
		err = fmt.Errorf("it has kube-scheduler %s in it", said.Release)
	}
	if err != nil {
		_ = r.Close() // that it failed counts
		return fail(err)
	}
	return r, nil
}

// within does something, and kills the program if that takes too long.
func (r *remote) within(do func() error) error {
	late := time.AfterFunc(mostPatient, func() { _ = r.cmd.Process.Kill() }) // it may have ended meanwhile
	err := do()
	if !late.Stop() {
		return fmt.Errorf("it did not answer within %v", mostPatient)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ended")
	}
	return err
}

// Release implements Side.
func (r *remote) Release() string { return r.release }

// Err implements Side.
func (r *remote) Err() error { return r.broken }

// Unread implements Side.
func (r *remote) Unread() []string { return r.unread }

// Ask implements Side.
func (r *remote) Ask(q spec.Question) func() *spec.Decision {
	sent := r.begin(q)
	return func() *spec.Decision {
		var got reply
		var decision *spec.Decision
		err := sent
		if err == nil {
			err = r.await(&got)
		}
		if err == nil {
			decision, err = got.Decision.decoded(q.Snapshot)
		}
		if err != nil {
			return r.fail(q, err)
		}
		for _, field := range got.Unread {
			if !slices.Contains(r.unread, field) {
				r.unread = append(r.unread, field)
			}
		}
		return decision
	}
}

// fail remembers what broke down, and gives the decision in the place of one.
func (r *remote) fail(q spec.Question, err error) *spec.Decision {
	if r.broken == nil {
		r.broken = fmt.Errorf("asking the program for Kubernetes %s about pod %s/%s: %w", r.release, q.Pod.Namespace,
			q.Pod.Name, err)
	}
	return &spec.Decision{Failure: r.broken.Error()}
}

// begin sends a question, and the objects in it that were not sent before.
func (r *remote) begin(q spec.Question) error {
	if r.broken != nil {
		return r.broken
	}
	var asked request
	if len(r.numbers) > mostObjects {
		asked.Forget = true
		clear(r.numbers)
	}
	s := reflect.ValueOf(q.Snapshot).Elem()
	for kind, field := range kinds {
		objects := s.Field(field)
		all := make([]int, objects.Len())
		for i := range all {
			object := objects.Index(i).Interface()
			number, known := r.numbers[object]
			if !known {
				text, err := json.Marshal(object)
				if err != nil {
					return fmt.Errorf("writing an object: %w", err)
				}
				number = len(r.numbers)
				r.numbers[object] = number
				asked.Objects, asked.Kinds = append(asked.Objects, text), append(asked.Kinds, kind)
			}
			all[i] = number
		}
		asked.Snapshot = append(asked.Snapshot, all)
	}
	asked.Pod, asked.Now = r.numbers[q.Pod], q.Snapshot.Now.Time
	return r.request(asked)
}

func (r *remote) request(asked request) error {
	if err := r.send.Encode(asked); err != nil {
		return err
	}
	return r.in.Flush()
}

func (r *remote) await(got *reply) error {
	if err := r.within(func() error { return r.receive.Decode(got) }); err != nil {
		return err
	}
	if got.Wrong != "" {
		return errors.New(got.Wrong)
	}
	return nil
}

// Explain implements Side.
func (r *remote) Explain() []Finding { return r.why(request{Explain: true}).Findings }

// Explains implements Side.
func (r *remote) Explains(quirks []string) bool { return r.why(request{Explains: quirks}).Explains }

// why asks about the last decision.
func (r *remote) why(asked request) (got reply) {
	if r.broken != nil {
		return got
	}
	err := r.request(asked)
	if err == nil {
		err = r.await(&got)
	}
	if err != nil {
		r.broken = fmt.Errorf("asking the program for Kubernetes %s why: %w", r.release, err)
	}
	return got
}

// Close implements Side: the program ends when its input does.
func (r *remote) Close() error {
	_ = r.inPipe.Close() // it may have ended before
	late := time.AfterFunc(time.Second, func() { _ = r.cmd.Process.Kill() })
	defer late.Stop()
	_ = r.cmd.Wait() // how it ends makes no difference any more
	return nil
}

// local is a side in this process.
type local struct {
	release  string
	decider  decisions.Decider
	session  *decisions.Session
	question spec.Question
	decision *spec.Decision
}

// Local returns the side of the kube-scheduler in this process. Its decider is closed by others.
func Local(release string, decider decisions.Decider, model *spec.Scheduler) Side {
	return &local{release: release, decider: decider, session: decisions.NewSession(model, nil, decider)}
}

// Release implements Side.
func (l *local) Release() string { return l.release }

// Err implements Side.
func (l *local) Err() error { return nil }

// Unread implements Side.
func (l *local) Unread() []string { return nil }

// Close implements Side.
func (l *local) Close() error { return nil }

// Ask implements Side.
func (l *local) Ask(q spec.Question) func() *spec.Decision {
	return func() *spec.Decision {
		l.question, l.decision = q, l.decider.Decide(q)
		return l.decision
	}
}

// Explain implements Side.
func (l *local) Explain() []Finding {
	_, found := l.session.Compare(l.question, l.decision)
	var all []Finding
	for _, f := range found {
		short := Finding{ID: f.ID, Class: f.Class, Plugin: f.Plugin}
		for _, quirk := range f.Quirks {
			short.Quirks = append(short.Quirks, quirk.Name)
		}
		all = append(all, short)
	}
	return all
}

// Explains implements Side.
func (l *local) Explains(quirks []string) bool {
	return l.session.Explains(l.question, l.decision, quirks)
}

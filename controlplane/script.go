package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/seed-a3f26817/modelcheck/controlplane/objects"
	"github.com/seed-a3f26817/modelcheck/controlplane/plane"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// script is the shortest run that shows a deviation between decisions, of testdata/confirmations/runs.
type script struct {
	// Says is what differs, of a control.
	Says string `json:"says"`
	// Unreachable says why there is none that can be forced through an API server; nothing else is set then.
	Unreachable string `json:"unreachable"`
	// Untried says what stands in the way of a run that could be; nothing else is set then.
	Untried string `json:"untried"`
	// Faults: kube-scheduler has the plugin Faults beside its own, which does with pods what their annotations say. So has
	// that of the control.
	Faults bool `json:"faults"`
	// Slow are requests of kube-scheduler that take their time, in the control too if it says so.
	Slow *slow `json:"slow"`
	// Cluster are the objects that are there when the scheduler is started; those of a control are merged into those of
	// the run, as of a variant.
	Cluster []objects.Object `json:"cluster"`
	Run     []scriptStep     `json:"run"`
	// Then is what becomes of a pod in the end, in the words of an ending. What is not final must stay so.
	Then string `json:"then"`
	// Asked is what comes of the same pod in process, asked about the objects as they are in the end; empty if nobody
	// is asked. Again is what comes of it if it is created anew.
	Asked string `json:"asked"`
	Again string `json:"again"`
	signs
	// Control is nearly the same run, without the deviation.
	Control *script `json:"control"`

	// doc is the comment that the file begins with.
	doc []string
}

// signs are what else shows the deviation. In the control they are looked for, and must not all be there.
type signs struct {
	// Logs is a text that the scheduler logs.
	Logs string `json:"logs"`
	// Dangles is a kind, and the path of a field of the pod that names an object of that kind which is not there in the
	// end. For example "ResourceClaim status.extendedResourceClaimStatus.resourceClaimName".
	Dangles string `json:"dangles"`
	// Condition is what the pod says of itself for good: a condition, its status and its reason, such as
	// "PodScheduled=False SchedulerError".
	Condition string `json:"condition"`
}

// patienceFor is how long something must stay as it is to count as for good. What wakes a pod does so within a second.
const patienceFor = 10 * time.Second

// policiesWithin is how long an API server may take to act by an admission policy: it looks for new ones every second.
const policiesWithin = 4 * time.Second

func scriptFile(deviation string) string {
	return filepath.Join(confirmationsDir, "runs", deviation+".yaml")
}

// readScript reads the run of a deviation.
func readScript(sources, deviation string) (*script, error) {
	text, err := os.ReadFile(filepath.Join(sources, scriptFile(deviation)))
	s := &script{}
	if err == nil {
		err = yaml.UnmarshalStrict(text, s)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", scriptFile(deviation), err)
	}
	s.doc = commentOf(text)
	for i, step := range s.steps() {
		if step.fields() != 1 {
			return nil, fmt.Errorf("%s: step %d is none, or several at once: %s", scriptFile(deviation), i+1, step)
		}
		for _, missed := range step.Missed {
			if missed.fields() != 1 || missed.Sees+missed.Logged != "" || missed.Missed != nil {
				return nil, fmt.Errorf("%s: step %d: nothing that happens, or several things at once, and may be missed: %s",
					scriptFile(deviation), i+1, missed)
			}
		}
	}
	if c := s.Control; c != nil {
		c.Cluster, c.signs, c.Faults = mergedInto(s.Cluster, c.Cluster), s.signs, s.Faults
		if c.Run == nil {
			c.Run = s.Run
		}
	}
	return s, nil
}

// steps are those of the run, then those of the control.
func (s *script) steps() []scriptStep {
	if s.Control == nil {
		return s.Run
	}
	return slices.Concat(s.Run, s.Control.Run)
}

// mergedInto merges changes into objects, or adds them.
func mergedInto(cluster, changes []objects.Object) []objects.Object {
	all := slices.Clone(cluster)
	for _, change := range changes {
		i := slices.IndexFunc(all, func(o objects.Object) bool { return identity(o) == identity(change) })
		if i < 0 {
			all = append(all, change)
		} else {
			all[i] = merged(all[i], change)
		}
	}
	return all
}

// played is what happened in a script.
type played struct {
	script *script
	// lost says which step did not come about, and what did; empty if all did.
	lost string
	// then, asked and again are in the script's words; logged is the line of the log.
	then, asked, again, logged string
	// message is what kube-scheduler says of the pod.
	message string
	// dangles reports whether the pod names an object that is not there, and conditioned whether it has the condition.
	dangles, conditioned bool
	// volumes and anewVolumes report whether the binding waits for volumes, also of the pod that was created anew.
	volumes, anewVolumes bool
}

// asSaid reports whether all became of the pod that the script says.
func (p *played) asSaid() bool {
	s := p.script
	return p.lost == "" && p.then == s.Then && (s.Asked == "" || p.asked == s.Asked) &&
		(s.Again == "" || p.again == s.Again)
}

// shows reports whether all signs are there.
func (p *played) shows() bool {
	s := p.script
	return (s.Logs == "" || p.logged != "") && (s.Dangles == "" || p.dangles) && (s.Condition == "" || p.conditioned)
}

// player plays a script.
type player struct {
	plane *plane.Plane
	// known are the pods as they were when they came, but for those that the script took away.
	known *spec.Snapshot
	kube  *inProcess
}

// play plays the script on the control plane.
func play(ctx context.Context, p *plane.Plane, s *script, configuration []byte) (*played, error) {
	if err := objects.Clear(ctx, p.Objects); err != nil {
		return nil, err
	}
	for _, o := range s.Cluster {
		if err := objects.Create(ctx, p.Objects, o); err != nil {
			return nil, err
		}
	}
	if s.Slow != nil {
		end, err := s.Slow.begin(ctx, p.Objects)
		if err != nil {
			return nil, err
		}
		defer end()
	}
	if s.Slow != nil ||
		slices.ContainsFunc(s.Cluster, func(o objects.Object) bool { return o["kind"] == "ValidatingAdmissionPolicy" }) {
		if err := sleep(ctx, policiesWithin); err != nil {
			return nil, err
		}
	}
	known, err := objects.Read(ctx, p.Objects)
	if err != nil {
		return nil, err
	}
	kube, err := newInProcess(ctx, configuration)
	if err != nil {
		return nil, err
	}
	defer kube.close()
	starts := p.StartScheduler
	if s.Faults {
		starts = p.StartSchedulerWithFaults
	}
	if err := starts(ctx, configuration); err != nil {
		return nil, err
	}
	defer p.StopScheduler()
	happens := &played{script: s}
	return happens, (&player{p, known, kube}).play(ctx, happens)
}

func (r *player) play(ctx context.Context, happens *played) error {
	for _, step := range happens.script.Run {
		if err := r.take(ctx, step); err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
		if step.Sees == "" {
			continue
		}
		o, seen, err := r.await(ctx, step.Sees)
		if err != nil || seen != step.Sees {
			happens.lost = fmt.Sprintf("instead of that %s, %s", step.Sees, seen)
			return err
		}
		// What was seen comes of nothing that follows.
		r.known.Pods = slices.DeleteFunc(r.known.Pods,
			func(pod *v1.Pod) bool { return slices.Contains(o.victims, key(pod)) })
	}
	return r.conclude(ctx, happens)
}

// conclude looks at what is there in the end.
func (r *player) conclude(ctx context.Context, happens *played) error {
	s := happens.script
	o, seen, err := r.await(ctx, s.Then)
	if happens.then = seen; err != nil || seen != s.Then {
		return err
	}
	if !o.final || o.sort == waited {
		if err := sleep(ctx, patienceFor); err != nil {
			return err
		}
		if o, happens.then, err = r.find(ctx, s.Then); err != nil || happens.then != s.Then {
			return err
		}
	}
	happens.message, happens.volumes = o.message, o.volumes
	if s.Condition != "" {
		if err := sleep(ctx, patienceFor); err != nil {
			return err
		}
		if happens.conditioned, err = r.says(ctx, o.pod, s.Condition); err != nil {
			return err
		}
	}
	if s.Logs != "" {
		happens.logged = r.plane.SchedulerLog(s.Logs)
	}
	if s.Dangles != "" {
		if happens.dangles, err = r.dangles(ctx, o.pod, s.Dangles); err != nil {
			return err
		}
	}
	if s.Asked == "" {
		return nil
	}
	now, err := objects.Read(ctx, r.plane.Objects)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now.Pods, func(pod *v1.Pod) bool { return key(pod) == o.pod })
	if i < 0 {
		return fmt.Errorf("%s is gone", o.pod)
	}
	happens.asked = strings.Join(r.kube.expect(now.Pods[i], now).production, ", or ")
	if s.Again == "" {
		return nil
	}
	anew, err := objects.Get(ctx, r.plane.Objects, "Pod "+o.pod)
	if err == nil {
		err = r.take(ctx, scriptStep{End: "Pod " + o.pod})
	}
	if err == nil {
		err = r.take(ctx, scriptStep{Create: anew})
	}
	if err == nil {
		if o, happens.again, err = r.await(ctx, s.Again); o != nil {
			happens.anewVolumes = o.volumes
		}
	}
	return err
}

// says reports whether the pod has the condition, as a script has it.
func (r *player) says(ctx context.Context, pod, condition string) (bool, error) {
	namespace, name, _ := strings.Cut(pod, "/")
	is, err := r.plane.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(is.Status.Conditions, func(c v1.PodCondition) bool {
		return strings.TrimSpace(fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason)) == condition
	}), nil
}

// dangles reports whether the pod names an object that is not there, as a script has it.
func (r *player) dangles(ctx context.Context, pod, where string) (bool, error) {
	kind, path, _ := strings.Cut(where, " ")
	namespace, name, _ := strings.Cut(pod, "/")
	is, err := r.plane.Client.CoreV1().Pods(namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(is)
	if err != nil {
		return false, err
	}
	names, _, err := unstructured.NestedString(fields, strings.Split(path, ".")...)
	if err != nil || names == "" {
		return false, err
	}
	_, err = objects.Get(ctx, r.plane.Objects, kind+" "+namespace+"/"+names)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

// found is what came of a pod.
type found struct {
	*observation
	pod string
}

// await waits until what is wanted has come of some pod, and returns that; or what has come of all pods, if that is not
// it in the end.
func (r *player) await(ctx context.Context, wanted string) (*found, string, error) {
	began := time.Now()
	for {
		o, seen, err := r.find(ctx, wanted)
		if err != nil || o != nil || time.Since(began) > decidedWithin {
			return o, seen, err
		}
		if err := sleep(ctx, poll); err != nil {
			return nil, "", err
		}
	}
}

// find returns the pod of which what is wanted has come, or else what has come of all.
func (r *player) find(ctx context.Context, wanted string) (*found, string, error) {
	var all []string
	for _, pod := range spec.Unbound(r.known) {
		o, err := look(ctx, r.plane.Client, spec.Question{Pod: pod, Snapshot: r.known})
		if err != nil {
			return nil, "", err
		}
		if r.plane.SchedulerEnded() && (o == nil || o.sort != bound) {
			o = &observation{sort: failed, ending: endsOver(pod), final: true}
		}
		if o == nil {
			continue
		}
		if o.ending == wanted {
			return &found{o, key(pod)}, wanted, nil
		}
		all = append(all, o.ending)
	}
	if len(all) == 0 {
		return nil, "nothing came of any pod", nil
	}
	return nil, strings.Join(all, "; "), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

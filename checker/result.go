package checker

// Result is what a run found. All of it is true of the states that were expanded; unless Complete is set,
// there are others.
type Result struct {
	// Complete tells that every reachable state was expanded.
	Complete bool
	// Stopped is why not. Invariant: Complete == (Stopped == NotStopped).
	Stopped Reason

	// Distinct is the number of distinct states found.
	Distinct int64
	// Generated is the number of initial states emitted and steps added, also those to known states.
	Generated int64
	// Queue is the number of states found but not expanded; 0 if Complete.
	Queue int64
	// Initial is the number of distinct initial states. Invariant: Initial == Levels[0].
	Initial int64
	// Depth is the number of levels, the initial one included. Invariant: Depth == len(Levels).
	Depth int
	// Levels has the number of new states of each level. The last one is unfinished if the run was stopped
	// within a level.
	Levels []int64

	OutDegree OutDegree
	// Coverage has one entry for each action class, in the order of ActionClasses; nil if the model is no
	// ActionClasser.
	Coverage []Coverage
	// Ends counts the end states by label, sorted by label; the label is empty if the model is no
	// EndLabeler.
	Ends []EndCount
	// Counters are the sums of Steps.Count, up to the highest counter used.
	Counters []int64
	// Findings has one entry for each key of Steps.Find: those with the shortest trace first, then by key.
	Findings []Finding

	// Left tells that a worker was still at work some time after the context was cancelled, and is left behind with
	// its goroutine. Nothing that it did since counts.
	Left bool

	// Failure says what went wrong if Stopped is DiskFailed.
	Failure string
	// DiskShards is the number of shards, of 64, whose states were only on disk in the end, as there was no room
	// for them in memory.
	DiskShards int
	// Bytes is the memory taken by states, parents and tables at the end. Buffers are not in it.
	Bytes int64
}

// BytesPerState is the memory that a distinct state takes on average, in bytes.
func (r *Result) BytesPerState() float64 {
	return float64(r.Bytes) / float64(max(r.Distinct, 1))
}

// Reason says why a run stopped before every state was expanded.
type Reason uint8

const (
	// NotStopped: every reachable state was expanded.
	NotStopped Reason = iota
	// StateLimit: Options.MaxStates is exceeded.
	StateLimit
	// DepthLimit: there are Options.MaxDepth levels, and the last one was not expanded.
	DepthLimit
	// MemoryLimit: going on might exceed Options.Memory.
	MemoryLimit
	// Cancelled: the context was cancelled.
	Cancelled
	// DiskFailed: the directory of checkpoints could not be written or read. The last checkpoint is as it was.
	DiskFailed
	// IndexLimit: there are more states than the engine can number.
	IndexLimit
	// NotRepeated: what was asked a second time answered otherwise. Check does not stop for it, models say so.
	NotRepeated
	// ActionLimit: in one state more may happen than can be tried. Check does not stop for it, those who use it say so.
	ActionLimit
)

// String returns the words used in reports.
func (r Reason) String() string {
	return [...]string{"not stopped", "state limit", "depth limit", "memory limit", "cancelled", "disk failed",
		"index limit", "not repeated", "action limit"}[r]
}

// OutDegree is the number of steps that an expanded state has, steps to itself and several to the same
// state included.
type OutDegree struct {
	Min, Max int
	Mean     float64
}

// Coverage is how often the actions of one class were taken.
type Coverage struct {
	Class string
	// Distinct is the number of states that a step of the class was the first to find.
	Distinct int64
	// Generated is the number of steps.
	Generated int64
}

// EndCount is the number of expanded states of one label that have no step, or none but to themselves.
type EndCount struct {
	Label string
	Count int64
}

// Finding is what the model reported under one key.
type Finding struct {
	Key string
	// Count is how often it was reported.
	Count int64
	// Depth is the number of steps of the trace, 0 for a finding in an initial state.
	Depth int
	// OnStep tells that the finding is on the last step of the trace, not in its last state.
	OnStep bool
	// Trace leads to the first occurrence, or the smallest if the model is a Sizer. It is as short as any.
	Trace Trace
}

// Trace is a behaviour of the model, from an initial state.
type Trace struct {
	Initial []byte
	Steps   []Step
}

// Step is an action and the state it leads to.
type Step struct {
	Action uint32
	State  []byte
}

// Last is the state in which the trace ends.
func (t Trace) Last() []byte {
	if len(t.Steps) == 0 {
		return t.Initial
	}
	return t.Steps[len(t.Steps)-1].State
}

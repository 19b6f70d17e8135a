package reference

// LeaveInPlace lets the worker give successors as they are generated: what becomes of a node's field stays where it
// is, so that they are not canonical. Benchmarks use it.
func (w *Worker) LeaveInPlace() {
	for i := range w.spans {
		w.spans[i].first, w.spans[i].last = i, i
	}
}

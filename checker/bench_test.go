package checker

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"testing"
)

// packed is a model of 2^bits states of 8 bytes with steps in all directions: flipping any of 8
// fixed groups of bits, or adding one. Its Expand costs next to nothing.
func packed(bits int) toy {
	mask := uint64(1)<<bits - 1
	t := toy{width: 8, initial: [][]byte{make([]byte, 8)}}
	t.expand = func(s []byte, out *Steps) {
		n := binary.LittleEndian.Uint64(s)
		var next [8]byte
		for i := range 8 {
			binary.LittleEndian.PutUint64(next[:], (n^0x9e3779b97f4a7c15>>(5*i))&mask)
			out.Add(uint32(i), next[:])
		}
		binary.LittleEndian.PutUint64(next[:], (n+1)&mask)
		out.Add(8, next[:])
	}
	return t
}

// BenchmarkCheck returns the cost of a generated state in time, and of a distinct one in memory: what the engine
// counts, and what the Go heap grows by.
func BenchmarkCheck(b *testing.B) {
	for _, model := range []struct {
		name  string
		model Model
	}{
		{"hanoi-13", hanoi(13)},
		{"packed-21", packed(21)},
		{"8-puzzle", slidingPuzzle()},
	} {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/workers=%d", model.name, workers), func(b *testing.B) {
				var result *Result
				for b.Loop() {
					result = check(b, model.model, Options{Workers: workers})
				}
				generated := float64(result.Generated)
				b.ReportMetric(float64(result.Distinct), "distinct/op")
				b.ReportMetric(generated, "generated/op")
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/generated, "ns/generated")
				b.ReportMetric(result.BytesPerState(), "bytes/distinct")
				b.ReportMetric(heapPerState(b, model.model, workers), "heap-bytes/distinct")
			})
		}
	}
}

// heapPerState is what the heap holds at the end of a run, buffers included, per distinct state.
func heapPerState(b *testing.B, m Model, workers int) float64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e, err := newExplorer(m, Options{Workers: workers})
	if err != nil {
		b.Fatal(err)
	}
	result, err := e.check(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(e)
	return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(result.Distinct)
}

// BenchmarkAdd returns the cost of looking up and inserting states in one shard.
func BenchmarkAdd(b *testing.B) {
	const states = 1 << 15
	var state [8]byte
	for b.Loop() {
		s := newShard(len(state), 0)
		for i := range uint64(4 * states) {
			binary.LittleEndian.PutUint64(state[:], i%states)
			s.add(hash(state[:]), state[:], 0)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(4*states), "ns/state")
}

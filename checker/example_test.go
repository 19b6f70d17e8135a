package checker_test

import (
	"context"
	"fmt"

	"github.com/seed-a3f26817/modelcheck/checker"
)

// Jugs holds 3 and 5 gallons; there is a tap. The state is what is in them.
type Jugs struct{}

const (
	fillSmall uint32 = iota
	fillBig
	emptySmall
	emptyBig
	smallToBig
	bigToSmall
)

var actions = []string{"fill small", "fill big", "empty small", "empty big", "small to big", "big to small"}

func (Jugs) Width() int                      { return 2 }
func (Jugs) Initial(emit func(state []byte)) { emit([]byte{0, 0}) }
func (Jugs) Worker() checker.Worker          { return Jugs{} }
func (Jugs) ActionClass(action uint32) int   { return int(action) }
func (Jugs) ActionClasses() []string         { return actions }

func (Jugs) Expand(state []byte, out *checker.Steps) {
	small, big := state[0], state[1]
	if big == 4 {
		out.Find("the big jug holds 4 gallons", checker.OnState)
	}
	toBig, toSmall := min(small, 5-big), min(big, 3-small)
	out.Add(fillSmall, []byte{3, big})
	out.Add(fillBig, []byte{small, 5})
	out.Add(emptySmall, []byte{0, big})
	out.Add(emptyBig, []byte{small, 0})
	out.Add(smallToBig, []byte{small - toBig, big + toBig})
	out.Add(bigToSmall, []byte{small + toSmall, big - toSmall})
}

// The puzzle of Die Hard 3, as in the TLA+ examples: measure four gallons.
func Example() {
	result, err := checker.Check(context.Background(), Jugs{}, checker.Options{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d states generated, %d distinct states found, depth %d\n", result.Generated, result.Distinct,
		result.Depth)
	for _, finding := range result.Findings {
		fmt.Printf("%s in %d states, first:\n", finding.Key, finding.Count)
		fmt.Printf("%12s  %v\n", "start", finding.Trace.Initial)
		for _, step := range finding.Trace.Steps {
			fmt.Printf("%12s  %v\n", actions[step.Action], step.State)
		}
	}
	fmt.Println("distinct:generated")
	for _, class := range result.Coverage {
		fmt.Printf("%12s  %d:%d\n", class.Class, class.Distinct, class.Generated)
	}
	// Output:
	// 97 states generated, 16 distinct states found, depth 8
	// the big jug holds 4 gallons in 2 states, first:
	//        start  [0 0]
	//     fill big  [0 5]
	// big to small  [3 2]
	//  empty small  [0 2]
	// big to small  [2 0]
	//     fill big  [2 5]
	// big to small  [3 4]
	// distinct:generated
	//   fill small  3:16
	//     fill big  3:16
	//  empty small  2:16
	//    empty big  1:16
	// small to big  3:16
	// big to small  3:16
}

// A limit is no error: the result says why it is incomplete, and holds for what was expanded.
func ExampleCheck_limit() {
	result, err := checker.Check(context.Background(), Jugs{}, checker.Options{MaxDepth: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("complete: %t (%s), levels %v, %d states not expanded\n",
		result.Complete, result.Stopped, result.Levels, result.Queue)
	// Output:
	// complete: false (depth limit), levels [1 2 3], 3 states not expanded
}

func ExampleEstimateMemory() {
	fmt.Printf("%d MB\n", checker.EstimateMemory(12, 10_000_000)>>20)
	// Output:
	// 211 MB
}

package loop

// TakenBack is takenBack.
const TakenBack = takenBack

// Explanation returns what explains moves of which it is known by what each is explained: by nothing, as nothing is
// wrong with it ("right"), by nothing although it is wrong ("new"), or by a defect.
func Explanation(each ...string) string {
	var moves []move
	for _, known := range each {
		m := move{breach: known != "right", known: known}
		if known == "new" || known == "right" {
			m.known = ""
		}
		moves = append(moves, m)
	}
	return suspect{}.explanation(moves)
}

// Keeping returns what explains, by the property, a move in which nothing is wrong but that a pod keeps its
// nomination by the defect.
func Keeping(property Property, defect string) string {
	return suspect{property: property}.explanation([]move{{keeps: defect}})
}

// AfterEvent is afterEvent.
var AfterEvent = afterEvent

// Helping is helping.
var Helping = helping

// Compatible is compatible.
var Compatible = compatible

// Protected reports whether the event is a removal that does not happen.
var Protected = protected

// CountedBefore reports whether a cycle that had these counts of images had them from before.
func CountedBefore(counts ...ImageCount) bool {
	return (&Transition{Before: &State{Images: counts}}).countedBefore()
}

// ClaimsCounted is Transition.claimsCounted.
var ClaimsCounted = (*Transition).claimsCounted

// Outcomes is outcomes.
var Outcomes = outcomes

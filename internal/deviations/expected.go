package deviations

// Scope is a built-in theme that was explored whole, with kube-scheduler's default configuration and preemptions and
// the end of victims among what happens. Pods is how many arrive.
type Scope struct {
	// Release is the version of kube-scheduler, such as "v1.36.3".
	Release     string
	Theme       string
	Nodes, Pods int
	Thorough    bool
}

// Expected returns the defects that must show in the scope, in the order of Entries: their smallest scope is part of
// it, since a scope has all clusters of fewer nodes, to which fewer pods come. Those that take a configuration of their
// own, or in a thorough run the templates of a plain one, to which fewer pods may come there, are left out.
func Expected(s Scope) []Entry {
	var expected []Entry
	for _, e := range In(s.Release) {
		if e.Config == "" && e.Theme == s.Theme && e.Thorough == s.Thorough && e.Nodes <= s.Nodes && e.Pods <= s.Pods {
			expected = append(expected, e)
		}
	}
	return expected
}

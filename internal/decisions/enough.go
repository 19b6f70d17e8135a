package decisions

import "sync"

// notices tells Options.Enough of every sort of finding, once, and ends the run when it has enough.
type notices struct {
	enough func(id string, class Class) bool // nil if nobody wants to know
	end    func()

	mu    sync.Mutex
	ended bool
	told  map[string]bool // by the key of the finding
}

func (n *notices) tell(key string) {
	if n.enough == nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ended || n.told[key] {
		return
	}
	n.told[key] = true
	if key := parseKey(key); n.enough(key.id(), key.class) {
		n.ended = true
		n.end()
	}
}

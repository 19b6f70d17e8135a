package decisions

import "sync"

// stopper tells Options.Enough of every sort of finding, once, and ends the run when it has enough.
type stopper struct {
	enough func(id string, isNew bool) bool // nil if nobody wants to know
	end    func()

	mu    sync.Mutex
	ended bool
	told  map[string]bool // by the key of the finding
}

func (s *stopper) found(key string) {
	if s.enough == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.told[key] {
		return
	}
	s.told[key] = true
	if key := parseKey(key); s.enough(key.id(), key.class == New) {
		s.ended = true
		s.end()
	}
}

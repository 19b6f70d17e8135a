package checker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// checkpointFormat is the version of checkpoints.
const checkpointFormat = 1

// header is the first line of a manifest: what the checkpoint is one of.
type header struct {
	Format int `json:"format"`
	// Identity is that of the Checkpoint, and Manifest the SHA-256 of what follows the line.
	Identity string `json:"identity"`
	Manifest string `json:"manifest"`
}

// manifest is all a run has found so far, between two batches, but for its states: those are in record files.
type manifest struct {
	Width   int      `json:"width"`
	Classes []string `json:"classes"`

	Shards []shardManifest `json:"shards"`
	// Begin and End are the level being expanded, of which Position states were; Depth is its number, and
	// Generation that of the files of delayed steps.
	Begin      []uint32 `json:"begin"`
	End        []uint32 `json:"end"`
	Position   int64    `json:"position"`
	Depth      int      `json:"depth"`
	Degree     int64    `json:"degree"`
	Generation int      `json:"generation"`

	Levels    []int64          `json:"levels"`
	Distinct  int64            `json:"distinct"`
	Generated int64            `json:"generated"`
	Expanded  int64            `json:"expanded"`
	Steps     int64            `json:"steps"`
	LeastOut  int              `json:"leastOut"`
	MostOut   int              `json:"mostOut"`
	ByClass   []int64          `json:"byClass"`
	Ends      map[string]int64 `json:"ends"`
	Counters  []int64          `json:"counters"`
	Found     []foundManifest  `json:"found"`
}

// shardManifest is a shard: how many states its file has, and the digest of their records.
type shardManifest struct {
	States uint32  `json:"states"`
	Sum    string  `json:"sum"`
	First  []int64 `json:"first"`
	// OnDisk: the states are not held in memory. Delayed is the number of steps that wait for the end of the level.
	OnDisk     bool   `json:"onDisk,omitempty"`
	Delayed    int64  `json:"delayed,omitempty"`
	DelayedSum string `json:"delayedSum,omitempty"`
}

type foundManifest struct {
	Key   string  `json:"key"`
	Count int64   `json:"count"`
	Depth int     `json:"depth"`
	State stateID `json:"state"`
	Size  int     `json:"size"`
	Step  int     `json:"step"`
}

// encode returns the manifest as it is written.
func (m *manifest) encode(identity string) ([]byte, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	first, err := json.Marshal(header{checkpointFormat, identity, sumOf(body)})
	if err != nil {
		return nil, err
	}
	return append(append(first, '\n'), body...), nil
}

// decodeManifest reads the manifest of a run with the identity. Its errors say what is wrong with it.
func decodeManifest(data []byte, identity string) (*manifest, error) {
	first, body, _ := bytes.Cut(data, []byte("\n"))
	var h header
	if err := json.Unmarshal(first, &h); err != nil {
		return nil, fmt.Errorf("it is damaged: its first line is not that of a checkpoint (%w)", err)
	}
	switch {
	case h.Format != checkpointFormat:
		return nil, fmt.Errorf("it has format %d, and this build reads format %d", h.Format, checkpointFormat)
	case h.Identity != identity:
		return nil, fmt.Errorf("it is the checkpoint of another run: another input, other flags or another build (it "+
			"has %.12q, this "+"run %.12q)", h.Identity, identity)
	case sumOf(body) != h.Manifest:
		return nil, fmt.Errorf("it is damaged: what follows its first line is not what was written")
	}
	return decodeBody(body)
}

// decodeBody reads what follows the header.
func decodeBody(body []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if wrong := m.wrong(); wrong != "" {
		return nil, fmt.Errorf("it is damaged: %s", wrong)
	}
	return m, nil
}

// wrong says what no run can have written; "" if there is nothing.
func (m *manifest) wrong() string {
	if m.Width < 1 || len(m.Shards) != shardCount || len(m.Begin) != shardCount || len(m.End) != shardCount ||
		len(m.ByClass) != len(m.Classes) {
		return fmt.Sprintf("states of %d bytes, %d shards, a level in %d and %d, counts of %d classes",
			m.Width, len(m.Shards), len(m.Begin), len(m.End), len(m.ByClass))
	}
	var states, before, level int64
	for i, s := range m.Shards {
		if s.States > maxShard || m.Begin[i] > m.End[i] || m.End[i] > s.States || s.Delayed < 0 ||
			s.Delayed > 0 && !s.OnDisk ||
			len(s.First) != len(m.Classes) {
			return fmt.Sprintf("shard %d has %d states, of the level those from %d to %d, %d delayed steps", i,
				s.States, m.Begin[i], m.End[i], s.Delayed)
		}
		states += int64(s.States)
		before += int64(m.Begin[i])
		level += int64(m.End[i] - m.Begin[i])
	}
	var levels, earlier int64
	for depth, n := range m.Levels {
		if depth < m.Depth {
			earlier += n
		}
		if n < 1 || n > states {
			return fmt.Sprintf("a level of %d states", n)
		}
		levels += n
	}
	if states != m.Distinct || levels != states || m.Position < 0 || m.Position > level || m.Degree < 0 ||
		m.Generation < 0 ||
		m.Expanded < 0 || m.Expanded > states || m.Steps < 0 || m.Generated < m.Steps ||
		m.LeastOut < 0 ||
		m.MostOut < m.LeastOut {
		return fmt.Sprintf("%d states in the shards, %d in the levels, %d in all, %d expanded, %d of %d of the level",
			states, levels, m.Distinct, m.Expanded, m.Position, level)
	}
	if m.Depth < 0 || len(m.Levels) < m.Depth || len(m.Levels) > m.Depth+2 {
		return fmt.Sprintf("depth %d with %d levels", m.Depth, len(m.Levels))
	}
	found := int64(0)
	if m.Depth < len(m.Levels) {
		found = m.Levels[m.Depth]
	}
	if found != level || earlier != before || m.Expanded != before+m.Position {
		return fmt.Sprintf("%d states in level %d and %d before, %d and %d in the shards, %d and %d of them expanded",
			found, m.Depth, earlier, level, before, m.Position, m.Expanded-m.Position)
	}
	for _, f := range m.Found {
		if f.Count < 1 || f.Step < OnState || f.Depth < 0 || f.Depth > len(m.Levels) || f.State == noParent ||
			f.State.index() >= m.Shards[f.State.shard()].States {
			return fmt.Sprintf("finding %q, %d times, in state %d, on step %d", f.Key, f.Count, f.State, f.Step)
		}
	}
	return ""
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

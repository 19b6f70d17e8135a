package results_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// TestForged: who has not the key makes up no result, none of another chunk, and no other run.
func TestForged(t *testing.T) {
	key, other := results.Key(strings.Repeat("k", 32)), results.Key(strings.Repeat("o", 32))
	for _, row := range []struct {
		reason string
		forge  func(t *testing.T, header *results.Header, body []byte) []byte
		with   results.Key
		want   string // empty if it is taken
	}{
		{"as it was written", nil, key, ""},
		{"nobody asks for a signature", nil, nil, ""},
		{"signed with another key", nil, other, "its signature is not one of the key"},
		{"another result under a new digest", func(_ *testing.T, h *results.Header, body []byte) []byte {
			body = bytes.Replace(body, []byte("new"), []byte("old"), -1)
			sum := sha256.Sum256(body)
			h.Result = hex.EncodeToString(sum[:])
			return body
		}, key, "its signature is not one of the key"},
		{"not signed", func(_ *testing.T, h *results.Header, body []byte) []byte {
			h.Signature = ""
			return body
		}, key, "it is not signed"},
		{"that of another chunk", func(_ *testing.T, h *results.Header, body []byte) []byte {
			signature := h.Signature
			*h = headers()[0]
			h.Chunk, h.Signature = headers()[0].Chunk, signature[:60]+"0000"
			return body
		}, key, "its signature is not one of the key"},
	} {
		path := t.TempDir()
		dir, err := results.Open(path, headers(), key)
		if err != nil {
			t.Fatal(err)
		}
		if err := dir.Put(0, result()); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(path, "taints.result")
		if row.forge != nil {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, body, _ := bytes.Cut(data, []byte("\n"))
			var header results.Header
			if err := json.Unmarshal(first, &header); err != nil {
				t.Fatal(err)
			}
			body = row.forge(t, &header, body)
			if first, err = json.Marshal(header); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, slicesJoin(first, body), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if dir, err = results.Open(path, headers(), row.with); err != nil {
			t.Fatal(err)
		}
		got, err := dir.Get(0, (*decisions.ChunkResult).Validate)
		if (row.want == "") != (got != nil && err == nil) || row.want != "" && !strings.Contains(fmt.Sprint(err), row.want) {
			t.Errorf("%s: %v, want %q", row.reason, err, row.want)
		}
	}
}

func slicesJoin(first, body []byte) []byte { return append(append(first, '\n'), body...) }

// TestForgedRun: what run it is, is signed too: else results could be left out by another scope.
func TestForgedRun(t *testing.T) {
	key, path := results.Key(strings.Repeat("k", 32)), t.TempDir()
	if err := results.Create(path, []string{"--theme=taints", "--theme=ports"}, key); err != nil {
		t.Fatal(err)
	}
	if _, err := results.ReadRun(path, key); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(path, "run.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(data, []byte(`,"--theme=ports"`), nil, 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := results.ReadRun(path, key); err == nil || !strings.Contains(err.Error(), "its signature is not") {
		t.Errorf("a run with a theme less is taken: %v", err)
	}
}

// TestReadKey: a key that others know or that can be guessed is refused, and no error shows any of it.
func TestReadKey(t *testing.T) {
	for _, row := range []struct {
		reason string
		bytes  int
		mode   os.FileMode
		want   string
	}{
		{"its owner's", 32, 0o400, ""}, {"a mounted Secret's", 48, 0o440, ""}, {"too short", 31, 0o400, "32 to 4096 bytes"},
		{"too long", 5000, 0o400, "32 to 4096 bytes"}, {"everybody reads it", 32, 0o444, "chmod 0400"},
		{"the group writes it", 32, 0o660, "chmod 0400"},
	} {
		file := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(file, []byte(strings.Repeat("s", row.bytes)), row.mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, row.mode); err != nil { // whatever the umask is
			t.Fatal(err)
		}
		key, err := results.ReadKey(file)
		if (row.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), row.want) ||
			err == nil && len(key) != row.bytes {
			t.Errorf("%s: %v, want %q", row.reason, err, row.want)
		}
		if text := fmt.Sprintf("%v %s %+v %#v %v", key, key, key, key, err); strings.Contains(text, "sss") {
			t.Errorf("%s: the key is shown: %s", row.reason, text)
		}
	}
	if _, err := results.ReadKey("/dev/zero"); err == nil {
		t.Error("a device is a key")
	}
}

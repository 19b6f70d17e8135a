package results_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// FuzzResult: whatever is in the file of a result, under a header that is right or instead of all of it, an error
// names the file, or the result is one that could be put again.
func FuzzResult(f *testing.F) {
	dir := f.TempDir()
	open := func(f testing.TB) *results.Dir {
		if err := results.Create(dir, nil, nil); err != nil {
			f.Fatal(err)
		}
		d, err := results.Open(dir, headers(), nil)
		if err != nil {
			f.Fatal(err)
		}
		return d
	}
	if err := open(f).Put(0, result()); err != nil {
		f.Fatal(err)
	}
	file := filepath.Join(dir, "taints.result")
	whole, err := os.ReadFile(file)
	if err != nil {
		f.Fatal(err)
	}
	first, body, _ := bytes.Cut(whole, []byte("\n"))
	f.Add(whole, false)
	f.Add(first, false)
	f.Add(body, true)
	f.Add([]byte(`{"Explored":null,"Questions":"AAAA"}`), true)
	f.Add([]byte(strings.Replace(string(body), `"Distinct":3`, `"Distinct":-3`, 1)), true)
	f.Fuzz(func(t *testing.T, data []byte, underHeader bool) {
		if underHeader {
			header, sum := headers()[0], sha256.Sum256(data)
			header.Result = hex.EncodeToString(sum[:])
			line, err := json.Marshal(header)
			if err != nil {
				t.Fatal(err)
			}
			data = append(append(line, '\n'), data...)
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		got, err := open(t).Get(0, (*decisions.ChunkResult).Validate)
		if err != nil {
			if got != nil || !strings.HasPrefix(err.Error(), file+": ") {
				t.Fatalf("refused with %v, and yet %v", err, got)
			}
			return
		}
		if err := got.Validate(); err != nil {
			t.Fatal(err)
		}
		if err := open(t).Put(0, got); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzRun: whatever says of what run a directory is, an error names the file, or it is of this format.
func FuzzRun(f *testing.F) {
	dir := f.TempDir()
	file := filepath.Join(dir, "run.json")
	for _, text := range []string{`{"format":2,"flags":["--nodes=3"]}`, `{"format":2,"flags":null}`, `{"format":2}{}`,
		`[]`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(file, data, 0o666); err != nil {
			t.Fatal(err)
		}
		run, err := results.ReadRun(dir, nil)
		if err != nil && (run != nil || !strings.HasPrefix(err.Error(), file+": ")) ||
			err == nil && run.Format != results.Format {
			t.Fatalf("%v, error %v", run, err)
		}
	})
}

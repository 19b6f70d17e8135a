package checker

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// numbers of a manifest's body: those of JSON, and not those in digests.
var numbers = regexp.MustCompile(`[:\[,]-?[0-9]+`)

// checkpointOf returns the files of a run that was ended, by its limits or by a disk that takes so many operations.
func checkpointOf(f *testing.F, m Model, o Options, operations int64) map[string][]byte {
	o.Checkpoint = &Checkpoint{Dir: f.TempDir(), Every: 1, open: failing(operations)}
	if got, err := Check(context.Background(), m, o); err != nil || got.Complete {
		f.Fatalf("%+v, error %v", got, err)
	}
	entries, err := os.ReadDir(o.Checkpoint.Dir)
	if err != nil {
		f.Fatal(err)
	}
	files := map[string][]byte{}
	for _, entry := range entries {
		if files[entry.Name()], err = os.ReadFile(filepath.Join(o.Checkpoint.Dir, entry.Name())); err != nil {
			f.Fatal(err)
		}
	}
	return files
}

// FuzzCheckpoint: whatever the files of a checkpoint say, with digests that are right, the run is refused or goes
// on to an end. One number of the manifest is another one, and one byte of the records, in memory or on disk.
func FuzzCheckpoint(f *testing.F) {
	rows := map[bool]*struct {
		m          Model
		options    Options
		operations int64
		want       *Result
		files      map[string][]byte
	}{
		false: {m: jugs(), options: Options{MaxDepth: 4}, operations: always},
		true: {
			m:          binaryTree(11).classed("even", "odd"),
			options:    Options{Workers: 1, Memory: 15 << 10},
			operations: 2000,
		},
	}
	for onDisk, row := range rows {
		var err error
		if row.want, err = Check(context.Background(), row.m, Options{}); err != nil {
			f.Fatal(err)
		}
		row.files = checkpointOf(f, row.m, row.options, row.operations)
		if body := string(row.files[manifestName]); strings.Contains(body, `"delayed":`) != onDisk {
			f.Fatalf("steps wait on disk: want %t; the manifest is %s", onDisk, body)
		}
	}
	for number := range uint16(40) {
		f.Add(number%2 == 0, number*13, int64(number)-2, uint8(number), number, uint8(number%3))
	}
	f.Fuzz(func(t *testing.T, onDisk bool, number uint16, value int64, file uint8, at uint16, xor uint8) {
		row := rows[onDisk]
		files := maps.Clone(row.files)
		var man manifest
		_, body, _ := strings.Cut(string(files[manifestName]), "\n")
		all := numbers.FindAllStringIndex(body, -1)
		where := all[int(number)%len(all)]
		body = body[:where[0]+1] + strconv.FormatInt(value, 10) + body[where[1]:]
		if json.Unmarshal([]byte(body), &man) != nil {
			t.Skip("it does not fit into its type")
		}
		names := slices.DeleteFunc(
			slices.Sorted(maps.Keys(files)),
			func(name string) bool { return len(files[name]) == 0 || name == manifestName },
		)
		name := names[int(file)%len(names)]
		files[name] = slices.Clone(files[name])
		files[name][int(at)%len(files[name])] ^= xor
		shard, _ := strconv.Atoi(name[strings.LastIndex(name, "-")+1:])
		if s := &man.Shards[shard]; strings.HasPrefix(name, "states-") {
			s.Sum = sumOf(files[name][:min(int64(s.States)*int64(row.m.Width()+4), int64(len(files[name])))])
		} else {
			s.DelayedSum = sumOf(files[name][:min(max(0, s.Delayed)*int64(row.m.Width()+8), int64(len(files[name])))])
		}
		encoded, err := man.encode("")
		if err != nil {
			t.Fatal(err)
		}
		files[manifestName] = encoded
		dir := t.TempDir()
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Check(context.Background(), row.m, Options{
			Workers: 1, MaxStates: 3000, Memory: row.options.Memory, Checkpoint: &Checkpoint{Dir: dir, Resume: true,
				open: failing(always)},
		})
		if got == nil && err == nil {
			t.Fatal("neither a result nor an error")
		}
		if string(encoded) == string(row.files[manifestName]) && xor == 0 {
			if diff := cmp.Diff(row.want, got, whereItWas); diff != "" || err != nil {
				t.Fatalf("nothing was changed: error %v (-in one go +got):\n%s", err, diff)
			}
		}
	})
}

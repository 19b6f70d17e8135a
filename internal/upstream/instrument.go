package main

import (
	"embed"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed recorder/*.go
var recorderFiles embed.FS

// plugins is where plugins are in the module, and recorderPath where the recorder is put.
const (
	kubernetes   = "k8s.io/kubernetes"
	plugins      = "pkg/scheduler/framework/plugins"
	recorderPath = "pkg/scheduler/recorder"
)

// recorded are the methods that are recorded.
var recorded = []string{"PreFilter", "Filter", "PreScore", "Score", "NormalizeScore", "SelectVictimsOnNode"}

// instrument changes the plugins in the copy of the module: each method that is recorded, and each factory, gets
// another name, and one that calls it and the recorder takes its place. Files are read from the original.
func instrument(original, to string, packages []string) error {
	files, err := recorderFiles.ReadDir("recorder")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(to, recorderPath), 0o755); err != nil {
		return err
	}
	for _, file := range files {
		text, err := recorderFiles.ReadFile("recorder/" + file.Name())
		if err != nil {
			return err
		}
		if err := replace(filepath.Join(to, recorderPath, file.Name()), string(text)); err != nil {
			return err
		}
	}
	for _, name := range packages {
		sources, err := filepath.Glob(filepath.Join(original, plugins, name, "*.go"))
		if err != nil {
			return err
		}
		for _, source := range sources {
			if strings.HasSuffix(source, "_test.go") {
				continue
			}
			text, err := os.ReadFile(source)
			if err != nil {
				return err
			}
			changed, err := withRecorder(source, string(text))
			if err != nil {
				return err
			}
			if err := replace(filepath.Join(to, plugins, name, filepath.Base(source)), changed); err != nil {
				return err
			}
		}
	}
	return nil
}

// replace writes a file, unless it has the text: then it need not be built again.
func replace(path, text string) error {
	if now, err := os.ReadFile(path); err == nil && string(now) == text {
		return nil
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// withRecorder returns the text of a file with its methods recorded; as it is if there are none.
func withRecorder(path, text string) (string, error) {
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, path, text, 0)
	if err != nil {
		return "", err
	}
	s := source{text, set.File(tree.FileStart)}
	type edit struct {
		at   int
		text string
	}
	edits := []edit{{s.offset(tree.Name.End()), fmt.Sprintf("; import %q", kubernetes+"/"+recorderPath)}}
	var added strings.Builder
	for _, decl := range tree.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is {
			continue
		}
		stand := s.standIn(f)
		if stand == "" {
			continue
		}
		edits = append(edits, edit{s.offset(f.Name.Pos()), "unrecorded"})
		added.WriteString(stand)
	}
	if added.Len() == 0 {
		return text, nil
	}
	slices.Reverse(edits)
	for _, e := range edits {
		text = text[:e.at] + e.text + text[e.at:]
	}
	return text + added.String(), nil
}

type source struct {
	text string
	file *token.File
}

func (s source) offset(p token.Pos) int { return s.file.Offset(p) }

func (s source) of(n ast.Node) string { return s.text[s.offset(n.Pos()):s.offset(n.End())] }

// standIn returns the function that takes the place of another; "" if that is not recorded.
func (s source) standIn(f *ast.FuncDecl) string {
	parameters, arguments := s.list("a", f.Type.Params)
	results, returned := s.list("r", f.Type.Results)
	if f.Recv == nil {
		if !strings.HasPrefix(f.Name.Name, "New") || len(returned) != 2 || len(arguments) < 3 ||
			s.of(f.Type.Params.List[1].Type) != "runtime.Object" {
			return ""
		}
		return fmt.Sprintf("\nfunc %s(%s) (%s) {\n\tr0, r1 = unrecorded%s(%s)\n\trecorder.Made(r0, a1)\n\treturn\n}\n",
			f.Name.Name, parameters, results, f.Name.Name, strings.Join(arguments, ", "))
	}
	if !slices.Contains(recorded, f.Name.Name) {
		return ""
	}
	if f.Name.Name == "SelectVictimsOnNode" {
		return fmt.Sprintf("\nfunc (p %s) %s(%s) (%s) {\n\tdone := recorder.%s(p, %s)\n\t%s = p.unrecorded%s(%s)\n"+
			"\tdone(%s)\n\treturn\n}\n", s.of(f.Recv.List[0].Type), f.Name.Name, parameters, results, f.Name.Name,
			strings.Join(arguments[1:], ", "), strings.Join(returned, ", "), f.Name.Name, strings.Join(arguments, ", "),
			strings.Join(returned, ", "))
	}
	return fmt.Sprintf("\nfunc (p %s) %s(%s) (%s) {\n\t%s = p.unrecorded%s(%s)\n\trecorder.%s(p, %s)\n\treturn\n}\n",
		s.of(f.Recv.List[0].Type), f.Name.Name, parameters, results, strings.Join(returned, ", "), f.Name.Name,
		strings.Join(arguments, ", "), f.Name.Name, strings.Join(slices.Concat(arguments[1:], returned), ", "))
}

// list returns a list of parameters or results with names of its own, and the names.
func (s source) list(prefix string, fields *ast.FieldList) (declared string, names []string) {
	var all []string
	if fields != nil {
		for _, field := range fields.List {
			for range max(1, len(field.Names)) {
				name := fmt.Sprintf("%s%d", prefix, len(names))
				names = append(names, name)
				all = append(all, name+" "+s.of(field.Type))
			}
		}
	}
	return strings.Join(all, ", "), names
}

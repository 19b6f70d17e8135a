package scenario

import (
	"io"
)

// Input is what is read, and how. The zero value reads nothing.
type Input struct {
	// Paths are files, directories, of which the files *.json, *.yaml and *.yml are read, or "-" for Stdin.
	Paths []string
	Stdin io.Reader
	// Recursive reads the subdirectories of directories too.
	Recursive bool
	// Served is what was listed of a running cluster, which the files add to; nil for none.
	Served *Served
	// Kustomization is a directory with a kustomization file, which is built; empty for none.
	Kustomization string
	// MaxBytes bounds the input in all; 0 means DefaultMaxBytes.
	MaxBytes int64
	// PlainNodes is how many nodes stand in where there are pods and no Node; 0 means DefaultPlainNodes.
	PlainNodes int
	// Admit admits the objects. Without (nil) they are taken as they are written, neither defaulted nor validated.
	Admit Admission
}

// DefaultMaxBytes is the default bound of the input. A cluster of 5,000 nodes and 50,000 pods has 300 to 400 MB.
const DefaultMaxBytes = 512 << 20

// Given reports whether there is anything to read.
func (in Input) Given() bool {
	return len(in.Paths) > 0 || in.Kustomization != "" || in.Served != nil
}

// Read reads the objects of the running cluster, the manifests at the paths, in order, and the kustomization.
//
// A file holds documents in YAML or JSON: objects of the kinds that Kinds names, or lists as kubectl get prints them.
// Objects that a live cluster holds, with status, uid and managed fields, are as welcome as those about to be created.
// Of an object that is given several times the last counts, as with kubectl apply.
//
// New workloads come with the pods that they want, as their controllers would make them. Where there are pods and no
// Node, plain nodes stand in. Objects of kinds that are not read are no error: Notes tells of each kind.
//
// What is wrong with a file that is named is an error: decoding is strict, and each object is validated. It is none in
// a file that a directory holds, which is there for others too: what cannot be read there is left out, and NotRead
// tells why. Nor is there anything wrong with an object that an API server has admitted: what this release of
// Kubernetes would not take is noted.
//
// The error joins one *Error per thing that is wrong, in the order of reading. First come those that keep
// objects from being read at all; only if there are none are the objects admitted and their references to each other
// checked, as otherwise one slip would be reported many times. On error there are no manifests.
func (in Input) Read() (*Manifests, error) {
	r := newReading(in)
	return r.read(r.open())
}

// Read reads the manifests at the paths, as Input does with its defaults.
func Read(paths []string, stdin io.Reader, admit Admission) (*Manifests, error) {
	return Input{Paths: paths, Stdin: stdin, Admit: admit}.Read()
}

// Decode reads manifests that are at hand already, as Read does a file that is named. Name stands for it in messages.
func Decode(name string, data []byte, admit Admission) (*Manifests, error) {
	r := newReading(Input{Admit: admit})
	r.add(name)
	documents, errs := split(name, data)
	r.errs = errs
	return r.read(documents)
}

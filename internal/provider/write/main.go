// Command write writes a cluster as those of big cloud providers look, for modelcheck explain -f:
//
//	go run ./internal/provider/write -nodes 5000 -pods 50000 > cluster.yaml
//	go run ./internal/provider/write -nodes 1000 -dense -o json > cluster.json
//	go run ./internal/provider/write -nodes 100 -gpus 8 -claims 200 > gpus.yaml
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/seed-a3f26817/modelcheck/internal/provider"
)

func main() {
	var o provider.Options
	flag.Uint64Var(&o.Seed, "seed", 1, "seed of everything that is drawn")
	flag.IntVar(&o.Nodes, "nodes", 50, "number of nodes")
	flag.IntVar(&o.Pods, "pods", 800, "number of bound pods; without -dense")
	flag.BoolVar(&o.Dense, "dense", false, "nodes all alike, each full with 110 pods that are alike, under 20 budgets")
	flag.IntVar(&o.GPUs, "gpus", 0, "number of GPUs on each node, with which nodes are alike otherwise")
	flag.IntVar(&o.Claims, "claims", 200, "number of claims for GPUs; with -gpus")
	flag.IntVar(&o.Pending, "pending", 0, "number of pods that wait besides; without -dense")
	managedFields := flag.Bool("managed-fields", false, "with the managed fields of pods and nodes")
	format := flag.String("o", "yaml", "yaml or json")
	flag.Parse()
	if flag.NArg() > 0 || o.Nodes < 1 || o.Pods < 0 || *format != "yaml" && *format != "json" {
		fmt.Fprintln(os.Stderr, "write: give -nodes of at least 1, -pods of at least 0, -o yaml or json, and no arguments")
		os.Exit(2)
	}
	if err := provider.New(o).Write(os.Stdout, *format == "json", *managedFields); err != nil {
		fmt.Fprintln(os.Stderr, "write:", err)
		os.Exit(4)
	}
}

package main

import (
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/seed-a3f26817/modelcheck/internal/job"
	"github.com/seed-a3f26817/modelcheck/internal/report"
)

// jobOptions are the flags of job that are not about the scope.
type jobOptions struct {
	name, image, cpu, memory, storage, class, secret string
	of, parallelism                                  int
}

// job is the subcommand that prints manifests.
func (c command) job() *cobra.Command {
	o, j := &options{outputs: []string{"text"}}, &jobOptions{}
	cmd := &cobra.Command{
		Use:   "job --image IMAGE --of N [flags]",
		Short: "Print Kubernetes manifests that explore a scope in N shards",
		Long: `job prints manifests: an Indexed Job of which every index is a shard, a PersistentVolumeClaim for the
results of the shards, and a suspended Job that merges them. Files of -f become a ConfigMap. The image
is built from the Containerfile in the repository.

A shard whose pod is evicted is restarted and goes on where it was, which does not count as a retry. A
violation fails its index at once, wrong input fails the Job; any other failure is retried three times.`,
		Example: `  modelcheck job --image registry.example/modelcheck --of 100 --thorough | kubectl apply -f -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: job takes none", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.parsed(cmd.Flags())
			if err := o.validate(); err != nil {
				return err
			}
			of, err := j.options()
			if err != nil {
				return err
			}
			if err := o.mount(&of); err != nil {
				return err
			}
			return c.printJob(of)
		},
	}
	o.someFlags(cmd.Flags(), scopeFlags()...)
	f := cmd.Flags()
	f.StringVar(&j.image, "image", "", "Run this `image`, which has modelcheck as its entry point.")
	f.IntVar(&j.of, "of", 0, "Split the scope into `N` shards.")
	f.IntVar(&j.parallelism, "parallelism", 0, "Run up to `N` shards at the same time. The default is all.")
	f.StringVar(&j.name, "name", "modelcheck", "Give the objects this `name`.")
	f.StringVar(&j.cpu, "cpu", "1", "Request this much cpu for each shard, a `quantity`.")
	f.StringVar(&j.memory, "memory", "4Gi",
		"Request this much memory for each shard, a `quantity`. The shard uses three quarters of it.")
	f.StringVar(&j.storage, "storage", "10Gi", "Claim a volume of this size, a `quantity`.")
	f.StringVar(&j.class, "storage-class", "",
		"Claim a volume of this storage `class`. The default is the cluster's.")
	f.StringVar(&j.secret, "key-secret", "", "Sign results with the key of this `Secret`, which has it as "+job.KeyName+
		"; merge refuses what is not signed.")
	return cmd
}

// options checks the flags. Every error is a usageError.
func (j *jobOptions) options() (job.Options, error) {
	of := job.Options{Name: j.name, Image: j.image, StorageClass: j.class, KeySecret: j.secret}
	if j.parallelism == 0 {
		j.parallelism = j.of
	}
	switch {
	case j.image == "" || j.image != strings.TrimSpace(j.image):
		return of, usage("--image is %q: it must be an image with modelcheck, such as one of the Containerfile in "+
			"the repository", j.image)
	case j.of < 1 || j.of > maxShards:
		return of, usage("--of is %d: it must be the number of shards, from 1 to %d", j.of, maxShards)
	case j.parallelism < 1 || j.parallelism > j.of:
		return of, usage("--parallelism is %d: it must be from 1 to the number of shards, %d", j.parallelism, j.of)
	}
	of.Shards, of.Parallelism = int32(j.of), int32(j.parallelism)
	// The longest name is that of a pod of an index: it has the index behind it, and must be a label.
	if wrong := validation.IsDNS1123Label(j.name + "-merge-00000"); len(wrong) > 0 {
		return of, usage("--name is %q: %s", j.name, strings.Join(wrong, "; "))
	}
	if wrong := validation.IsDNS1123Subdomain(j.class); j.class != "" && len(wrong) > 0 {
		return of, usage("--storage-class is %q: %s", j.class, strings.Join(wrong, "; "))
	}
	if wrong := validation.IsDNS1123Subdomain(j.secret); j.secret != "" && len(wrong) > 0 {
		return of, usage("--key-secret is %q: %s", j.secret, strings.Join(wrong, "; "))
	}
	for _, quantity := range []struct {
		flag, text string
		to         *resource.Quantity
	}{{"cpu", j.cpu, &of.CPU}, {"memory", j.memory, &of.Memory}, {"storage", j.storage, &of.Storage}} {
		var err error
		if *quantity.to, err = resource.ParseQuantity(quantity.text); err != nil || quantity.to.Sign() <= 0 {
			return of, usage("--%s is %q: it must be a positive quantity such as 2 or 4Gi", quantity.flag,
				quantity.text)
		}
	}
	return of, nil
}

// mount has the files of the scope mounted. The scope is read once, so that what is wrong with it is said here and
// not by every shard.
func (o *options) mount(of *job.Options) error {
	of.Scope = o.scope
	if o.kustomize != "" {
		return usage("-k %s: job takes files only: give what kubectl kustomize prints with -f", o.kustomize)
	}
	if len(o.files) > 0 {
		of.Files, of.Scope = map[string]string{}, nil
		for _, flag := range o.scope {
			file, is := strings.CutPrefix(flag, "--filename=")
			if !is {
				of.Scope = append(of.Scope, flag)
				continue
			}
			name := filepath.Base(file)
			text, err := os.ReadFile(file)
			switch {
			case err != nil:
				return usage("-f %s: %w; job takes files only", file, err)
			case of.Files[name] != "":
				return usage("-f %s: another file is called %s too, and both go into one ConfigMap; rename one", file,
					name)
			case len(validation.IsConfigMapKey(name)) > 0:
				return usage("-f %s: its name cannot be a key of a ConfigMap: %s", file,
					strings.Join(validation.IsConfigMapKey(name), "; "))
			}
			of.Files[name] = string(text)
			of.Scope = append(of.Scope, "--filename="+path.Join(job.InputPath, name))
		}
	}
	size := 0
	for _, text := range of.Files {
		size += len(text)
	}
	if size > v1.MaxSecretSize {
		return usage("-f: the files have %d bytes, and a ConfigMap holds %d", size, v1.MaxSecretSize)
	}
	_, err := o.input(strings.NewReader(""))
	return err
}

func (c command) printJob(of job.Options) error {
	var text strings.Builder
	text.WriteString(job.Steps(of))
	for _, object := range job.Manifests(of) {
		text.WriteString("---\n")
		if err := report.YAML(&text, object); err != nil {
			return fmt.Errorf("writing manifests: %w", err)
		}
	}
	if _, err := io.WriteString(c.stdout, text.String()); err != nil {
		return fmt.Errorf("writing manifests: %w", err)
	}
	return nil
}

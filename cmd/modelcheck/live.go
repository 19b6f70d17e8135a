package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	v1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes/scheme"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the ways to log in that kubectl has
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/seed-a3f26817/modelcheck/internal/live"
	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// liveFlags say which running cluster is read.
type liveFlags struct {
	live bool
	// kubectl are kubectl's own flags of its connection, and connection the same as they are declared; nil for a
	// command that reads no running cluster.
	kubectl    *genericclioptions.ConfigFlags
	connection *pflag.FlagSet
	// served is what was read; nil without --live. namespace is that of names without one; only: no pods of others are
	// meant.
	served    *scenario.Served
	namespace string
	only      bool
}

// declareLive declares --live and kubectl's flags.
func (l *liveFlags) declareLive(f *pflag.FlagSet) {
	l.kubectl = genericclioptions.NewConfigFlags(true)
	l.kubectl.CacheDir = nil // nothing is discovered
	l.connection = pflag.NewFlagSet("", pflag.ContinueOnError)
	l.kubectl.AddFlags(l.connection)
	l.connection.Lookup("namespace").Usage = "Ask about the pods of this namespace, and mean it where a POD is named " +
		"without one. Objects of all namespaces are read."
	f.BoolVar(&l.live, "live", false, "Read the running cluster that kubectl would talk to, with kubectl's own flags. "+
		"Nothing is written, and no Secret is read. Files of -f add to it.")
	f.AddFlagSet(l.connection)
}

// liveFlagNames are the flags that say which running cluster is read.
func liveFlagNames() []string {
	var l liveFlags
	l.declareLive(pflag.NewFlagSet("", pflag.ContinueOnError))
	names := []string{"live"}
	l.connection.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	return names
}

// groupConnection shows kubectl's flags apart from those of the command.
func (l *liveFlags) groupConnection(cmd *cobra.Command) {
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	l.connection.VisitAll(func(f *pflag.Flag) {
		if cmd.Flags().Lookup(f.Name) != nil {
			shown.AddFlag(f)
		}
	})
	usages := shown.FlagUsages()
	shown.VisitAll(func(f *pflag.Flag) { f.Hidden = true })
	cmd.SetUsageTemplate(cmd.UsageTemplate() + "\nFlags of kubectl that go with --live:\n" + usages)
}

// manifests reads the running cluster of --live, and the files. It is how a command that takes --live reads.
func (c command) manifests(ctx context.Context, i *inputFlags, plainNodes int) (*scenario.Manifests, error) {
	if !i.live {
		if err := i.withoutLive(); err != nil {
			return nil, err
		}
		c.progress.begin(readingFiles(i.files))
		return i.read(c.stdin, plainNodes)
	}
	most, err := i.most()
	if err != nil {
		return nil, err
	}
	reader, err := i.reader()
	if err != nil {
		return nil, usage("--live: %w", err)
	}
	reader.MaxBytes = most
	reader.Progress = func(resource string, objects int) { c.progress.come("(%s: %d so far)", resource, objects) }
	c.progress.begin(reading(reader.Name))
	if i.served, err = reader.Read(ctx); ctx.Err() != nil {
		return nil, unfinishedError{errors.New(c.progress.interrupted())}
	} else if err != nil {
		return nil, usageError{err}
	}
	c.progress.begin(reading("the objects of " + i.named()))
	manifests, err := i.read(c.stdin, plainNodes)
	i.served.Lists = nil // they are read, and large
	return manifests, err
}

// repeated is how the user names the same cluster again; it gives no token away.
func (l *liveFlags) repeated() (words []string) {
	if !l.live {
		return nil
	}
	words = []string{"--live"}
	l.connection.VisitAll(func(f *pflag.Flag) {
		if f.Changed && f.Name != "token" && f.Name != "namespace" {
			values := []string{f.Value.String()}
			if several, ok := f.Value.(pflag.SliceValue); ok {
				values = several.GetSlice()
			}
			for _, value := range values {
				words = append(words, quoted("--"+f.Name+"="+value))
			}
		}
	})
	return words
}

// withoutLive says which of kubectl's flags are given that have no meaning without --live.
func (l *liveFlags) withoutLive() (err error) {
	l.connection.VisitAll(func(f *pflag.Flag) {
		if f.Changed && err == nil {
			err = usage("--%s goes with --live, which reads a running cluster: add it, or leave --%s out", f.Name, f.Name)
		}
	})
	return err
}

// reader returns what reads the cluster that kubectl would talk to.
func (l *liveFlags) reader() (*live.Reader, error) {
	loader := l.kubectl.ToRawKubeConfigLoader()
	config, err := loader.ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("%w; correct the kubeconfig, or name another with --kubeconfig", err)
	}
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, err
	}
	if len(raw.Clusters) == 0 && config.Host == clientcmd.ClusterDefaults.Server && !l.connection.Changed("server") {
		return nil, errors.New("there is no kubeconfig that says which cluster is meant: name one with --kubeconfig or in " +
			"the environment variable KUBECONFIG, or the API server with --server")
	}
	if l.namespace, _, err = loader.Namespace(); err != nil {
		return nil, err
	}
	l.only = l.connection.Changed("namespace")
	config.QPS = -1 // it asks for one page at a time; the server's own limits are enough
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	config.WarningHandler = rest.NoWarnings{}
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, err
	}
	name := "cluster " + config.Host
	if current := cmp.Or(*l.kubectl.Context, raw.CurrentContext); current != "" {
		name = "context " + current
	}
	return &live.Reader{Client: client, Name: name}, nil
}

// qualified states the namespace of the pods that are named without one, as kubectl does for a running cluster.
func (l *liveFlags) qualified(names []string) []string {
	if !l.live {
		return names
	}
	var qualified []string
	for _, name := range names {
		if !strings.Contains(name, "/") {
			name = l.namespace + "/" + name
		}
		qualified = append(qualified, name)
	}
	return qualified
}

// meant returns those of the pods that --namespace means; all without it.
func (l *liveFlags) meant(pods []*v1.Pod) []*v1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *v1.Pod) bool {
		return l.only && pod.Namespace != l.namespace
	})
}

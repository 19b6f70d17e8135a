package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/seed-a3f26817/modelcheck/internal/page"
)

// serve is the subcommand that shows a run in the browser.
func (c command) serve(unfinished func()) *cobra.Command {
	o := &options{outputs: []string{"text"}}
	port := 0
	cmd := &cobra.Command{
		Use:   "serve [-f FILE|DIR|-]... [--nodes N] [--pods K] [flags]",
		Short: "Check, then show the result in the browser and let every state be explored there",
		Long: `serve runs the same check as modelcheck without a subcommand, then serves a page on this machine:
findings to step through, and every state of the scope to explore, by choosing among the enabled
actions. kube-scheduler and the model are asked in each state. Only this machine can reach the page.
Ctrl-C ends it.

Exit codes: 0 it was ended; 2 wrong usage or input; 3 it was interrupted during the check; 4 modelcheck
failed.`,
		Example: `  modelcheck serve -f cluster.yaml --pods 1
  modelcheck serve --theme budgets --nodes 1 --pods 3 --port 8080`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usage("unexpected argument %q: manifests are given as -f %s", args[0], args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.parsed(cmd.Flags())
			if port < 0 || port > 65535 {
				return usage("--port is %d: it must be from 0 to 65535; 0 takes any that is free", port)
			}
			// The address is taken first, so that nobody waits for a check that nothing shows.
			listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
			if err != nil {
				return usage("--port is %d: %w; give another one, or 0 for any that is free", port, err)
			}
			defer listener.Close()
			run, err := c.check(cmd.Context(), o)
			if err != nil {
				return err
			}
			if cmd.Context().Err() != nil {
				unfinished()
				return nil
			}
			pages, err := page.NewServer(run, c.decider(cmd.Context(), run))
			if err != nil {
				return err
			}
			defer pages.Close()
			return c.listen(cmd.Context(), listener, pages)
		},
	}
	o.someFlags(cmd.Flags(), append(scopeFlags(), "workers", "memory", "results", "key-file", "strict", "quiet")...)
	cmd.Flags().IntVar(&port, "port", 8036, "Serve on this `port` of 127.0.0.1; 0 takes any free one.")
	return cmd
}

// server bounds what a connection may take: nobody holds one for ever by asking slowly, not reading, or being idle.
func (c command) server(handler http.Handler) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      5 * time.Minute, // questions are answered one after the other
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(c.stderr, "modelcheck: ", 0),
	}
}

// listen serves until the context is done, and lets the answers that are under way finish if they do soon.
func (c command) listen(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := c.server(handler)
	c.progress.begin(phase{name: "serving the page", lost: "an answer was left behind", silent: true})
	if _, err := fmt.Fprintf(c.direct, "http://%s/ until Ctrl-C\n", listener.Addr()); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() {
		<-ctx.Done()
		soon, cancel := context.WithTimeout(context.Background(), shortly)
		defer cancel()
		if err := server.Shutdown(soon); !errors.Is(err, context.DeadlineExceeded) {
			ended <- err
			return
		}
		ended <- server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving: %w", err)
	}
	return <-ended
}

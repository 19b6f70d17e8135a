package plane

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
)

// process is a program that runs. Methods of nil do nothing.
type process struct {
	name, log string
	command   *exec.Cmd
	// ended is closed when it has ended, and err says how.
	ended chan struct{}
	err   error
}

// start starts a program. What it says goes to a file of the directory.
func start(dir, program string, args ...string) (*process, error) {
	p := &process{name: filepath.Base(program), ended: make(chan struct{})}
	p.log = filepath.Join(dir, p.name+".log")
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the log of %s: %w", p.name, err)
	}
	p.command = exec.Command(program, args...)
	p.command.Dir = dir
	p.command.Stdout, p.command.Stderr = log, log
	p.command.SysProcAttr = apart()
	started := make(chan error)
	go func() {
		// A program that is bound to our life (apart) is bound to that of the thread which started it.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := p.command.Start()
		started <- err
		if err == nil {
			err = p.command.Wait()
		}
		p.err = errors.Join(err, log.Close())
		close(p.ended)
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("starting %s: %w", program, err)
	}
	return p, nil
}

// ready waits until the address answers that all is well. config says how to ask; nil asks anybody who answers there,
// on loopback.
func (p *process) ready(ctx context.Context, address string, config *rest.Config) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin,
		fmt.Errorf("it was not ready within %s", readyWithin))
	defer cancel()
	last := "nobody answered"
	for {
		client, err := clientFor(config)
		if err == nil {
			if last, err = ask(ctx, client, address); err == nil {
				return nil
			}
		}
		if last == "" {
			last = err.Error()
		}
		select {
		case <-p.ended:
			return fmt.Errorf("%s ended before it was ready: %w\n%s", p.name, p.err, p.lastWords())
		case <-ctx.Done():
			return fmt.Errorf("waiting for %s: %w; the last answer was: %s\n%s", p.name, context.Cause(ctx), last,
				p.lastWords())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// clientFor returns a client. The certificate of an API server that is named in the config may not be there yet.
func clientFor(config *rest.Config) (*http.Client, error) {
	if config != nil {
		return rest.HTTPClientFor(config)
	}
	return &http.Client{Transport: &http.Transport{
		// The scheduler signs its certificate itself, and nothing secret is asked for or believed.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true,
	}}, nil
}

// ask returns what the address answers; an error unless that is 200.
func ask(ctx context.Context, client *http.Client, address string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }() // it was read
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<12))
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return response.Status + " " + string(body), err
}

// lastWords returns the end of the log.
func (p *process) lastWords() string {
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// stopWithin is how long a program may take to end when it is asked to.
var stopWithin = 5 * time.Second

// stop asks the program to end, and ends it if it does not.
func (p *process) stop() {
	if p == nil {
		return
	}
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-p.ended:
	case <-time.After(stopWithin):
		_ = p.command.Process.Kill()
		<-p.ended
	}
}

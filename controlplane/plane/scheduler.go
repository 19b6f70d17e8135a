package plane

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// StartScheduler starts kube-scheduler with the configuration, a KubeSchedulerConfiguration, or nil for the default
// one, and waits until it knows all objects, or has ended in a panic already. There is one at a time.
func (c *Plane) StartScheduler(ctx context.Context, configuration []byte) error {
	return c.startScheduler(ctx, c.programs.KubeScheduler, configuration)
}

// StartSchedulerWithFaults starts the kube-scheduler that has the plugin Faults in all its profiles.
func (c *Plane) StartSchedulerWithFaults(ctx context.Context, configuration []byte) error {
	configuration, err := withFaults(configuration)
	if err != nil {
		return err
	}
	return c.startScheduler(ctx, c.programs.KubeSchedulerWithFaults, configuration)
}

func (c *Plane) startScheduler(ctx context.Context, program string, configuration []byte) error {
	if c.schedulerProcess != nil {
		return errors.New("a scheduler runs already")
	}
	kubeconfig, err := c.kubeconfig("scheduler", c.schedulerToken)
	if err != nil {
		return err
	}
	config, err := schedulerConfiguration(configuration, kubeconfig)
	if err != nil {
		return err
	}
	path := filepath.Join(c.dir, "scheduler.yaml")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		return fmt.Errorf("writing the scheduler's configuration: %w", err)
	}
	ports, err := freePorts(1)
	if err != nil {
		return err
	}
	c.schedulerProcess, err = start(c.dir, program,
		"--config="+path, "--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(ports[0]),
		"--cert-dir="+filepath.Join(c.dir, "certificates-of-the-scheduler"))
	if err != nil {
		return err
	}
	err = c.schedulerProcess.ready(ctx, "https://"+loopback(ports[0])+"/readyz", nil)
	if err != nil && c.SchedulerEnded() && c.SchedulerLog(panicked) != "" {
		return nil // it was ready to decide about the pod that it ended over
	}
	if err != nil {
		c.StopScheduler()
	}
	return err
}

// panicked is what the log of a scheduler that panicked has.
const panicked = "panic: "

// StopScheduler ends the scheduler, if there is one.
func (c *Plane) StopScheduler() {
	c.schedulerProcess.stop()
	c.schedulerProcess = nil
}

// SchedulerEnded reports whether the scheduler has ended by itself.
func (c *Plane) SchedulerEnded() bool {
	select {
	case <-c.schedulerProcess.ended:
		return true
	default:
		return false
	}
}

// schedulerConfiguration returns the configuration with how to reach the API server in it, and without leader
// election, which would make a scheduler wait for the lease of the one before.
func schedulerConfiguration(configuration []byte, kubeconfig string) ([]byte, error) {
	config, err := configurationIn(configuration)
	if err != nil {
		return nil, err
	}
	connection, _ := config["clientConnection"].(map[string]any) // what is no map is no connection
	if connection == nil {
		connection = map[string]any{}
	}
	connection["kubeconfig"] = kubeconfig
	config["clientConnection"] = connection
	config["leaderElection"] = map[string]any{"leaderElect": false}
	text, err := yaml.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("writing the scheduler's configuration: %w", err)
	}
	return text, nil
}

func configurationIn(text []byte) (map[string]any, error) {
	config := map[string]any{}
	if err := yaml.Unmarshal(text, &config); err != nil {
		return nil, fmt.Errorf("reading the scheduler's configuration: %w", err)
	}
	if len(config) == 0 {
		config["apiVersion"], config["kind"] = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
	}
	return config, nil
}

// withFaults returns the configuration with the plugin Faults at all its extension points, in each profile.
func withFaults(configuration []byte) ([]byte, error) {
	config, err := configurationIn(configuration)
	if err != nil {
		return nil, err
	}
	profiles, _, err := unstructured.NestedSlice(config, "profiles")
	if err != nil {
		return nil, fmt.Errorf("reading the scheduler's configuration: %w", err)
	}
	if len(profiles) == 0 {
		profiles = []any{map[string]any{"schedulerName": v1.DefaultSchedulerName}}
	}
	path := []string{"plugins", "multiPoint", "enabled"}
	for _, p := range profiles {
		profile, is := p.(map[string]any)
		if !is {
			return nil, fmt.Errorf("reading the scheduler's configuration: %v is no profile", p)
		}
		enabled, _, err := unstructured.NestedSlice(profile, path...)
		if err == nil {
			err = unstructured.SetNestedSlice(profile, append(enabled, map[string]any{"name": "Faults"}), path...)
		}
		if err != nil {
			return nil, fmt.Errorf("reading the scheduler's configuration: %w", err)
		}
	}
	config["profiles"] = profiles
	text, err := yaml.Marshal(config)
	if err != nil {
		return nil, fmt.Errorf("writing the scheduler's configuration: %w", err)
	}
	return text, nil
}

// SchedulerLog returns the first line of the scheduler's log that contains the text, without its time; "" if none does.
func (c *Plane) SchedulerLog(text string) string {
	log, err := os.ReadFile(c.schedulerProcess.log)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(log)) {
		if i := strings.Index(line, text); i >= 0 {
			return strings.TrimSpace(line[i:])
		}
	}
	return ""
}

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"

	"github.com/seed-a3f26817/modelcheck/explore"
	"github.com/seed-a3f26817/modelcheck/production"
	"github.com/seed-a3f26817/modelcheck/results"
)

// kept opens the directory of --results for the run; nil if the flag is not given. What is wrong with the directory is a usageError.
func (o *options) kept(in *input, run explore.Options, taken func(scenario, file string)) (explore.Pieces, error) {
	if o.results == "" {
		return nil, nil
	}
	tool, err := executableDigest()
	if err != nil {
		return nil, err
	}
	configuration, err := in.config.Digest()
	if err != nil {
		return nil, err
	}
	var headers []results.Header
	for _, s := range in.scenarios {
		scope, err := results.Digest(explore.ScopeOf(s, run))
		if err != nil {
			return nil, fmt.Errorf("telling scopes apart: %w", err)
		}
		headers = append(headers, results.Header{
			Format: results.Format, Tool: tool, KubernetesVersion: production.KubernetesVersion,
			Configuration: configuration, Profile: in.profile, Scenario: s.Name, Scope: scope,
		})
	}
	dir, err := results.Open(o.results, headers)
	if err != nil {
		return nil, usageError{err}
	}
	dir.Taken = taken
	return dir, nil
}

// executableDigest tells builds of modelcheck apart: another one may find something else.
func executableDigest() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("telling builds of modelcheck apart: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("telling builds of modelcheck apart: %w", err)
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("telling builds of modelcheck apart: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

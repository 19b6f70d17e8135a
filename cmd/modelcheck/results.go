package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/seed-a3f26817/modelcheck/internal/decisions"
	"github.com/seed-a3f26817/modelcheck/internal/production"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// open opens the directory of --results for the run. What is wrong with the directory is a usageError. What is in
// its results is not looked at yet.
func (o *options) open(in *input, plan *decisions.Plan) (*results.Dir, error) {
	tool, err := executableDigest()
	if err != nil {
		return nil, err
	}
	configuration, err := in.config.Digest()
	if err != nil {
		return nil, err
	}
	var headers []results.Header
	for i := range plan.Options.Chunks {
		chunk := &plan.Options.Chunks[i]
		scope, err := results.Digest(decisions.ScopeOf(plan.Scenarios[chunk.Scenario], *chunk, plan.Options))
		if err != nil {
			return nil, fmt.Errorf("telling scopes apart: %w", err)
		}
		headers = append(headers, results.Header{
			Format: results.Format, Tool: tool, KubernetesVersion: production.KubernetesVersion,
			Configuration: configuration, Profile: strings.Join(in.profiles, ","), Chunk: chunk.Name(plan.Scenarios),
			Scope: scope,
		})
	}
	key, err := o.key()
	if err != nil {
		return nil, err
	}
	if !o.merge {
		if err := results.Create(o.results, o.scope, key); err != nil {
			return nil, usageError{err}
		}
	}
	dir, err := results.Open(o.results, headers, key)
	if err != nil {
		return nil, usageError{err}
	}
	return dir, nil
}

// key reads the key that results are signed with; nil if none is given.
func (o *options) key() (results.Key, error) {
	if o.keyFile == "" {
		return nil, nil
	}
	key, err := results.ReadKey(o.keyFile)
	if err != nil {
		return nil, usage("--key-file: %w", err)
	}
	return key, nil
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

package main

import (
	"fmt"

	"github.com/seed-a3f26817/modelcheck/checker"
	"github.com/seed-a3f26817/modelcheck/internal/reference"
	"github.com/seed-a3f26817/modelcheck/internal/results"
)

// referenceStatesShare is the part of the memory that the engine may take for states, tables and buffers: as much
// again goes into tables that are left behind when they grow, until they are collected.
const referenceStatesShare = 2

// checkpointOf says where the run of the configuration is kept; nil if it is not.
func (o *referenceOptions) checkpointOf(c *reference.Configuration, progress *progress) (*checker.Checkpoint, error) {
	if o.checkpoint == "" {
		return nil, nil
	}
	tool, err := executableDigest()
	if err != nil {
		return nil, err
	}
	// Limits and workers are not in it: they make no difference to what is found until then.
	identity, err := results.Digest(struct {
		Tool          string
		Configuration *reference.Configuration
		Symmetry      string
		Goals         []string
	}{tool, c, o.symmetry, o.goals})
	if err != nil {
		return nil, fmt.Errorf("telling runs apart: %w", err)
	}
	return &checker.Checkpoint{
		Dir: o.checkpoint, Identity: identity, Every: o.every, Resume: o.resume,
		Resumed: func(distinct int64) { progress.resumed(c.Name, distinct, o.checkpoint) },
	}, nil
}

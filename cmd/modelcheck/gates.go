package main

import "github.com/seed-a3f26817/modelcheck/internal/production"

// gatesFlag are feature gates. They are those of the process, so they are turned as the flag is read.
type gatesFlag string

// Set implements pflag.Value.
func (g *gatesFlag) Set(text string) error {
	if err := production.SetFeatureGates(text); err != nil {
		return err
	}
	*g = gatesFlag(text)
	return nil
}

// String implements pflag.Value.
func (g *gatesFlag) String() string { return string(*g) }

// Type implements pflag.Value.
func (*gatesFlag) Type() string { return "gates" }

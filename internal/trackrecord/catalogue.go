package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// smallest has the smallest clusters of the catalogue's deviations, called after them.
const smallest = "testdata/deviations/*.yaml"

// asked are the releases that the smallest clusters are put to.
func asked() []string { return []string{"v1.33.13", "v1.34.4", "v1.35.4", "v1.36.3", "v1.37.2"} }

// presence is a deviation, and what its smallest cluster shows in each of the releases asked.
type presence struct {
	deviation string
	in        []string
}

// What a release says of the smallest cluster of a deviation.
const (
	isThere     = "yes"
	isNot       = "no"
	notAdmitted = "not admitted" // it has fields that the release does not know
	isOther     = "unexplained"  // something that nothing known explains
)

// catalogue puts the smallest clusters to the releases.
func catalogue(ctx context.Context, program string) ([]presence, error) {
	files, err := filepath.Glob(smallest)
	if err != nil {
		return nil, err
	}
	var all []presence
	for _, file := range files { // in the order of their names
		p := presence{deviation: strings.TrimSuffix(filepath.Base(file), ".yaml")}
		for _, release := range asked() {
			said, err := ask(ctx, program, []string{"--kubernetes", release, "-f", file})
			if err != nil {
				return nil, err
			}
			p.in = append(p.in, said.of(p.deviation))
		}
		all = append(all, p)
	}
	return all, nil
}

// of says whether the deviation is in what a run of its smallest cluster found.
func (r report) of(deviation string) string {
	switch {
	case r.refused != "":
		return notAdmitted
	case r.seen(deviation) > 0:
		return isThere
	case r.unexplained():
		return isOther
	default:
		return isNot
	}
}

// inReleases writes the table of deviations by release.
func inReleases(all []presence) string {
	var p strings.Builder
	fmt.Fprintf(&p, "\n## The catalogue by release\n\nThe smallest cluster of each deviation that a single decision "+
		"shows, put to each release: %s, it is there; %s, it is not, and nothing\nelse is unexplained; %s, the cluster "+
		"has fields that the release does not know or refuses; %s, the decision differs from the model, and not as the\n"+
		"deviation has it in later releases.\n\n", isThere, isNot, notAdmitted, isOther)
	p.WriteString("| deviation | " + strings.Join(asked(), " | ") + " |\n")
	p.WriteString("| --- |" + strings.Repeat(" --- |", len(asked())) + "\n")
	for _, d := range all {
		fmt.Fprintf(&p, "| [%s](reference/deviations.md#%[1]s) | %s |\n", d.deviation, strings.Join(d.in, " | "))
	}
	return p.String()
}

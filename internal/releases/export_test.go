package releases

import (
	"context"
	"io"
	"path/filepath"
	"strings"
)

// Compile compiles packages, by their paths in the module, for the release, and keeps nothing but what Go caches.
func Compile(ctx context.Context, r Release, sources, dir string, log io.Writer, packages ...string) error {
	args := []string{"build", "-tags", strings.Join(r.Tags, ",")}
	if r.Borrows != "" {
		overlay := filepath.Join(dir, "overlay.json")
		if err := borrow(ctx, r, sources, overlay, log); err != nil {
			return err
		}
		args = append(args, "-overlay", overlay)
	}
	for _, path := range packages {
		args = append(args, module+"/"+path)
	}
	_, err := runGo(ctx, r, sources, log, args...)
	return err
}

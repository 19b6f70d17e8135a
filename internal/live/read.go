// Package live reads a running cluster: the objects that bear on placement, through the API server's lists and nothing
// else. It asks for no write, no Secret and no ConfigMap; docs/live/clusterrole.yaml grants all that it asks for, and
// read.go is where to begin. What it gives takes the way of kubectl get -o json through internal/scenario.
package live

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/seed-a3f26817/modelcheck/internal/scenario"
)

// pageSize is how many objects are asked for at a time: as many as kubectl asks for.
const pageSize = 500

// ClusterRole is where the permissions stand that Reader needs.
const ClusterRole = "docs/live/clusterrole.yaml"

// Reader reads a cluster.
type Reader struct {
	// Client asks the API server. Only its Get is called.
	Client rest.Interface
	// Name stands for the cluster in messages, such as "context prod".
	Name string
	// MaxBytes bounds what is kept; 0 means scenario.DefaultMaxBytes.
	MaxBytes int64
	// Progress is told how many objects of a resource there are so far; nil tells nobody.
	Progress func(resource string, objects int)

	kept int64
}

// Read lists the kinds, one after the other and page by page. A kind that may not be listed is said to be missing, with
// what an answer then lacks; without nodes or pods there is no answer, and so an error.
func (r *Reader) Read(ctx context.Context) (*scenario.Served, error) {
	if r.Progress == nil {
		r.Progress = func(string, int) {}
	}
	if r.MaxBytes == 0 {
		r.MaxBytes = scenario.DefaultMaxBytes
	}
	served := &scenario.Served{Name: r.Name}
	var first, last moment
	for _, kind := range Kinds() {
		list := scenario.ServedList{APIVersion: kind.APIVersion, Kind: kind.Kind}
		version, err := r.list(ctx, kind, &list)
		switch needed := kind.Lacks == ""; {
		case err == nil && kind.Kind == "Node" && len(list.Items) == 0:
			return nil, fmt.Errorf("%s has no nodes, so there is nowhere for a pod to go: name the cluster that you mean "+
				"with --context", r.Name)
		case err == nil:
			if last = (moment{kind.Resource, version}); first == (moment{}) {
				first = last
			}
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case apierrors.IsForbidden(err) && !needed:
			list.Err = fmt.Errorf("%s: there is no permission to list them, so %s; %s grants it (%w)", kind.Resource,
				kind.Lacks, ClusterRole, err)
		case apierrors.IsNotFound(err) && !needed:
			served.Notes = append(served.Notes, fmt.Sprintf("the API server does not serve %s of %s, so there are none",
				kind.Resource, kind.APIVersion))
		default:
			return nil, r.failed(kind, err)
		}
		served.Lists = append(served.Lists, list)
	}
	served.Notes = append(served.Notes, first.to(last))
	return served, nil
}

// moment is when a resource was listed.
type moment struct{ resource, version string }

// to says of which moments the lists are.
func (m moment) to(last moment) string {
	if m.version == last.version {
		return "listed at resourceVersion " + m.version
	}
	return fmt.Sprintf("listed one kind after the other, from resourceVersion %s (%s) to %s (%s): what changed in "+
		"between may not fit together", m.version, m.resource, last.version, last.resource)
}

// list lists a kind, and returns the resourceVersion of the list. If its pages expire on the way, it is listed anew, in
// one piece, which cannot expire.
func (r *Reader) list(ctx context.Context, kind Kind, list *scenario.ServedList) (version string, err error) {
	options, before := metav1.ListOptions{Limit: pageSize}, r.kept
	for {
		r.Progress(kind.Resource, len(list.Items))
		page, err := r.page(ctx, kind, options)
		if options.Continue != "" && (apierrors.IsResourceExpired(err) || apierrors.IsGone(err)) {
			options, list.Items, r.kept = metav1.ListOptions{}, nil, before
			continue
		}
		if err != nil {
			return "", err
		}
		metadata, kept, err := list.Add(page)
		if err != nil {
			return "", err
		}
		if r.kept += kept; r.kept > r.MaxBytes {
			return "", tooLargeError{r.MaxBytes}
		}
		if options.Continue = metadata.Continue; options.Continue == "" {
			r.Progress(kind.Resource, len(list.Items))
			return metadata.ResourceVersion, nil
		}
	}
}

// page asks for one page as JSON.
func (r *Reader) page(ctx context.Context, kind Kind, options metav1.ListOptions) ([]byte, error) {
	result := r.Client.Get().AbsPath(kind.path()).VersionedParams(&options, metav1.ParameterCodec).
		SetHeader("Accept", "application/json").Do(ctx)
	if err := result.Error(); err != nil { // it says more than that of Raw
		return nil, err
	}
	return result.Raw()
}

// tooLargeError says that the lists are larger than they may be.
type tooLargeError struct{ most int64 }

func (e tooLargeError) Error() string {
	return fmt.Sprintf("the lists have more than %s in all: raise --max-input",
		resource.NewQuantity(e.most, resource.BinarySI))
}

// failed says why a kind without which there is no answer could not be listed, or any kind for a reason that no
// permission explains, and what to do about it.
func (r *Reader) failed(kind Kind, err error) error {
	advice := "see whether kubectl get " + kind.Resource + " -A answers with the same --kubeconfig and --context"
	switch {
	case apierrors.IsForbidden(err):
		advice = "there is no answer without them; the ClusterRole of " + ClusterRole + " grants it"
	case apierrors.IsUnauthorized(err):
		advice = "the API server does not accept the credentials; log in anew, or name another --context or --user"
	case apierrors.IsNotFound(err):
		advice = "there is no Kubernetes API server at this address; name the cluster that you mean with --context"
	case apierrors.IsTimeout(err), apierrors.IsServerTimeout(err), apierrors.IsTooManyRequests(err),
		apierrors.IsInternalError(err), apierrors.IsServiceUnavailable(err):
		advice = "the API server is not well or has too much to do; try again later"
	}
	if _, large := err.(tooLargeError); large {
		return fmt.Errorf("%s: %s: %w", r.Name, kind.Resource, err)
	}
	return fmt.Errorf("%s: %s cannot be listed: %w: %s", r.Name, kind.Resource, err, advice)
}

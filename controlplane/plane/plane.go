// Package plane runs a control plane of its own: etcd, kube-apiserver and kube-scheduler as processes of this machine,
// on loopback and random free ports, with all that they keep in a temporary directory. There is no kubelet and no
// controller manager: what these would do is up to whoever uses it.
package plane

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/seed-a3f26817/modelcheck/controlplane/programs"
)

// Plane is a control plane that runs, without its scheduler: see StartScheduler.
type Plane struct {
	// Client and Objects may do everything.
	Client  kubernetes.Interface
	Objects dynamic.Interface

	programs         *programs.Programs
	dir              string
	config           *rest.Config
	schedulerToken   string
	etcd, server     *process
	schedulerProcess *process
}

// prefix is what the names of temporary directories begin with; then comes the process ID of whoever made them.
const prefix = "modelcheck-controlplane-"

// removeLeft removes directories of processes that were killed. Whether a process lives is known on Linux.
func removeLeft() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), prefix+"*")) // the pattern is right
	for _, dir := range left {
		id, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), prefix), "-")
		pid, err := strconv.Atoi(id)
		if err == nil && isGone(pid) {
			_ = os.RemoveAll(dir) // what cannot be removed is somebody else's
		}
	}
}

// readyWithin is how long a program may take until it is ready: seconds on an idle machine.
const readyWithin = 3 * time.Minute

// Start starts etcd and the API server, and waits until they are ready. The caller must Stop it.
func Start(ctx context.Context, p *programs.Programs) (started *Plane, err error) {
	removeLeft()
	dir, err := os.MkdirTemp("", fmt.Sprintf("%s%d-", prefix, os.Getpid()))
	if err != nil {
		return nil, fmt.Errorf("making the directory of the control plane: %w", err)
	}
	c := &Plane{programs: p, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.Stop())
		}
	}()
	ports, err := freePorts(3)
	if err != nil {
		return nil, err
	}
	if err := c.startEtcd(ctx, ports[0], ports[1]); err != nil {
		return nil, err
	}
	if err := c.startServer(ctx, ports[0], ports[2]); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Plane) startEtcd(ctx context.Context, port, peerPort int) (err error) {
	address := "http://" + loopback(port)
	peers := "http://" + loopback(peerPort)
	c.etcd, err = start(c.dir, c.programs.Etcd,
		"--name=etcd", "--data-dir="+filepath.Join(c.dir, "etcd"),
		"--listen-client-urls="+address, "--advertise-client-urls="+address,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=etcd="+peers,
		"--unsafe-no-fsync", "--log-level=error") // nothing of it outlives the process
	if err != nil {
		return err
	}
	return c.etcd.ready(ctx, address+"/health", nil)
}

func (c *Plane) startServer(ctx context.Context, etcdPort, port int) error {
	token, err := random()
	if err != nil {
		return err
	}
	if c.schedulerToken, err = random(); err != nil {
		return err
	}
	tokens := filepath.Join(c.dir, "tokens.csv")
	users := token + `,admin,admin,"system:masters"` + "\n" +
		c.schedulerToken + ",system:kube-scheduler,system:kube-scheduler\n"
	if err := os.WriteFile(tokens, []byte(users), 0o600); err != nil {
		return fmt.Errorf("writing the tokens: %w", err)
	}
	key, err := signingKey(c.dir)
	if err != nil {
		return err
	}
	certificates := filepath.Join(c.dir, "certificates")
	c.server, err = start(c.dir, c.programs.KubeAPIServer,
		"--etcd-servers=http://"+loopback(etcdPort), "--etcd-prefix=/registry",
		"--bind-address=127.0.0.1", "--secure-port="+strconv.Itoa(port), "--cert-dir="+certificates,
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none", // nobody comes from elsewhere
		"--service-cluster-ip-range=10.0.0.0/16",
		"--token-auth-file="+tokens, "--authorization-mode=RBAC", "--anonymous-auth=false",
		"--service-account-issuer=https://127.0.0.1", "--service-account-key-file="+key,
		"--service-account-signing-key-file="+key,
		// Without a controller manager no namespace gets its service account, and no node becomes ready.
		"--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
		"--max-requests-inflight=0", "--max-mutating-requests-inflight=0", "--enable-priority-and-fairness=false")
	if err != nil {
		return err
	}
	c.config = &rest.Config{
		Host: "https://" + loopback(port), BearerToken: token, QPS: -1, WarningHandler: rest.NoWarnings{},
		// The server makes its certificate as it starts, and signs it itself.
		TLSClientConfig: rest.TLSClientConfig{CAFile: filepath.Join(certificates, "apiserver.crt")},
	}
	if err := c.server.ready(ctx, c.config.Host+"/readyz", c.config); err != nil {
		return err
	}
	if c.Client, err = kubernetes.NewForConfig(c.config); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	if c.Objects, err = dynamic.NewForConfig(c.config); err != nil {
		return fmt.Errorf("making a client: %w", err)
	}
	return nil
}

// BreakWatches has things happen that the scheduler misses: it is held, its watches end with the API server, and
// after that has happened the API server is started once more, which then has only what is there by now, so that the
// scheduler, which goes on, has to list everything anew.
func (c *Plane) BreakWatches(ctx context.Context, happens func() error) error {
	if err := c.schedulerProcess.hold(); err != nil {
		return fmt.Errorf("holding the scheduler: %w", err)
	}
	err := c.restartServer(ctx)
	if err == nil {
		err = happens()
	}
	if err == nil {
		err = c.restartServer(ctx)
	}
	return errors.Join(err, c.schedulerProcess.letGo())
}

// restartServer ends the API server and starts it as it was.
func (c *Plane) restartServer(ctx context.Context) (err error) {
	c.server.stop()
	if c.server, err = start(c.dir, c.server.command.Path, c.server.command.Args[1:]...); err != nil {
		return err
	}
	return c.server.ready(ctx, c.config.Host+"/readyz", c.config)
}

// Stop ends all processes and removes what they kept. It may be called more than once.
func (c *Plane) Stop() error {
	c.StopScheduler()
	c.server.stop()
	c.etcd.stop()
	if err := os.RemoveAll(c.dir); err != nil {
		return fmt.Errorf("removing what the control plane kept: %w", err)
	}
	return nil
}

// AdminKubeconfig writes a kubeconfig for who may do everything, and returns its path.
func (c *Plane) AdminKubeconfig() (string, error) { return c.kubeconfig("admin", c.config.BearerToken) }

// kubeconfig writes the file with which a user finds the API server, and returns its path.
func (c *Plane) kubeconfig(user, token string) (string, error) {
	config := clientcmdapi.NewConfig()
	config.Clusters["plane"] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthority: c.config.CAFile}
	config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: token}
	config.Contexts["plane"] = &clientcmdapi.Context{Cluster: "plane", AuthInfo: user}
	config.CurrentContext = "plane"
	path := filepath.Join(c.dir, user+".kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		return "", fmt.Errorf("writing the kubeconfig of %s: %w", user, err)
	}
	return path, nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// freePorts returns ports of loopback on which nobody listens.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		listener, err := net.Listen("tcp", loopback(0))
		if err != nil {
			return nil, fmt.Errorf("looking for a free port: %w", err)
		}
		defer func() { _ = listener.Close() }() // all at the end, so that they differ
		ports = append(ports, listener.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// random returns a token that nobody guesses.
func random() (string, error) {
	secret := make([]byte, 24)
	if _, err := rand.Read(secret); err != nil {
		return "", fmt.Errorf("drawing a token: %w", err)
	}
	return fmt.Sprintf("%x", secret), nil
}

// signingKey writes the key with which the API server would sign tokens of service accounts. It does not start without.
func signingKey(dir string) (string, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", fmt.Errorf("making a key: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return "", fmt.Errorf("writing a key: %w", err)
	}
	path := filepath.Join(dir, "service-accounts.key")
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", fmt.Errorf("writing a key: %w", err)
	}
	return path, nil
}

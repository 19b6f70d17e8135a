package provider

import (
	"fmt"

	v1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	region = "europe-west4"
	driver = "pd.csi.storage.gke.io"
	// zoneOfDriver is the topology key of the CSI driver, which its volumes are bound to.
	zoneOfDriver = "topology.gke.io/zone"

	gpu v1.ResourceName = "nvidia.com/gpu"
)

var zones = []string{region + "-a", region + "-b", region + "-c"}

// pool is a group of nodes of one machine type.
type pool struct {
	name, machine string
	cores, gib    int64
	taints        []v1.Taint
	gpus          int64
	arm           bool
	attachable    int32
}

func taint(key, value string) []v1.Taint {
	return []v1.Taint{{Key: key, Value: value, Effect: v1.TaintEffectNoSchedule}}
}

// pools are drawn from by their shares, which add up to 100.
var pools = []struct {
	share int
	pool
}{
	{46, pool{name: "general", machine: "n2-standard-8", cores: 8, gib: 32, attachable: 31}},
	{22, pool{name: "memory", machine: "n2-highmem-8", cores: 8, gib: 64, attachable: 31}},
	{14, pool{name: "compute", machine: "c3-standard-22", cores: 22, gib: 88, attachable: 31}},
	{6, pool{name: "arm", machine: "t2a-standard-8", cores: 8, gib: 32, arm: true, attachable: 31,
		taints: taint("kubernetes.io/arch", "arm64")}},
	{8, pool{name: "spot", machine: "e2-standard-8", cores: 8, gib: 32, attachable: 15,
		taints: taint("cloud.google.com/gke-spot", "true")}},
	{4, pool{name: "gpu", machine: "a2-highgpu-2g", cores: 24, gib: 170, gpus: 2, attachable: 31,
		taints: taint(string(gpu), "present")}},
}

var controlPlane = pool{name: "control-plane", machine: "n2-standard-8", cores: 8, gib: 32, attachable: 31,
	taints: taint("node-role.kubernetes.io/control-plane", "")}

// nodes makes the nodes: up to three of the control plane, the others of drawn pools.
func (b *builder) nodes() {
	for i := range b.options.Nodes {
		of := controlPlane
		if i >= min(3, b.options.Nodes/10) {
			draw := b.IntN(100)
			for _, p := range pools {
				if draw -= p.share; draw < 0 {
					of = p.pool
					break
				}
			}
		}
		b.node(i, of)
	}
}

func (b *builder) node(i int, of pool) {
	zone := zones[i%len(zones)]
	name := fmt.Sprintf("%s-%05d", b.hash("gke-prod-"+of.name+"-", 4), i)
	arch := map[bool]string{true: "arm64", false: "amd64"}[of.arm]
	labels := map[string]string{
		v1.LabelHostname: name, v1.LabelTopologyZone: zone, v1.LabelTopologyRegion: region,
		v1.LabelInstanceTypeStable: of.machine, v1.LabelOSStable: "linux", v1.LabelArchStable: arch,
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": arch, "beta.kubernetes.io/instance-type": of.machine,
		v1.LabelFailureDomainBetaZone: zone, v1.LabelFailureDomainBetaRegion: region,
		"cloud.google.com/gke-nodepool": of.name, "eks.amazonaws.com/nodegroup": of.name,
		"kubernetes.azure.com/agentpool": of.name, "kubernetes.azure.com/mode": "user",
		"cloud.google.com/gke-os-distribution": "cos", "cloud.google.com/machine-family": of.machine[:2],
		"cloud.google.com/gke-cpu-scaling-level": fmt.Sprint(of.cores), "cloud.google.com/gke-boot-disk": "pd-balanced",
		"cloud.google.com/private-node": "true", zoneOfDriver: zone, "cost-center": fmt.Sprint("cc-", b.IntN(12)),
	}
	for _, taint := range of.taints {
		if taint.Value == "" {
			labels[taint.Key] = ""
		} else if taint.Key != v1.LabelArchStable {
			labels[taint.Key] = taint.Value
		}
	}
	age := b.later()
	node := &v1.Node{
		ObjectMeta: b.meta("", name, age, labels),
		Spec: v1.NodeSpec{
			ProviderID: "gce://prod/" + zone + "/" + name,
			PodCIDR:    fmt.Sprintf("10.%d.%d.0/24", i/256%256, i%256),
			PodCIDRs:   []string{fmt.Sprintf("10.%d.%d.0/24", i/256%256, i%256)},
			Taints:     of.taints,
		},
		Status: nodeStatus(of, b.images(), metav1.NewTime(epoch.Add(age))),
	}
	node.Annotations = map[string]string{
		"container.googleapis.com/instance_id":                   fmt.Sprint(b.Uint64N(1 << 62)),
		"csi.volume.kubernetes.io/nodeid":                        `{"` + driver + `":"projects/prod/` + name + `"}`,
		"volumes.kubernetes.io/controller-managed-attach-detach": "true",
	}
	if b.IntN(100) == 0 {
		node.Spec.Unschedulable = true
		node.Spec.Taints = append(node.Spec.Taints[:len(of.taints):len(of.taints)],
			v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule})
	}
	b.Nodes = append(b.Nodes, node)
	free := node.Status.Allocatable
	b.free = append(b.free, &capacity{node: node, pool: of, cpu: free.Cpu().MilliValue(),
		memory: free.Memory().Value() >> 20, pods: int(free.Pods().Value())})
	b.csiNode(node, of)
}

func nodeStatus(of pool, images []v1.ContainerImage, since metav1.Time) v1.NodeStatus {
	capacity := v1.ResourceList{
		v1.ResourceCPU:              *resource.NewQuantity(of.cores, resource.DecimalSI),
		v1.ResourceMemory:           *resource.NewQuantity(of.gib<<30, resource.BinarySI),
		v1.ResourcePods:             *resource.NewQuantity(110, resource.DecimalSI),
		v1.ResourceEphemeralStorage: *resource.NewQuantity(94<<30, resource.BinarySI),
		"hugepages-1Gi":             resource.MustParse("0"),
		"hugepages-2Mi":             resource.MustParse("0"),
	}
	if of.gpus > 0 {
		capacity[gpu] = *resource.NewQuantity(of.gpus, resource.DecimalSI)
	}
	allocatable := capacity.DeepCopy() // what the system reserves is taken off
	allocatable[v1.ResourceCPU] = *resource.NewMilliQuantity(of.cores*1000-90, resource.DecimalSI)
	allocatable[v1.ResourceMemory] = *resource.NewQuantity(of.gib<<30*9/10, resource.BinarySI)
	status := v1.NodeStatus{
		Capacity: capacity, Allocatable: allocatable, Images: images,
		NodeInfo: v1.NodeSystemInfo{KubeletVersion: "v1.36.3", OperatingSystem: "linux", Architecture: "amd64",
			ContainerRuntimeVersion: "containerd://2.1.4", OSImage: "Container-Optimized OS", KernelVersion: "6.6.93+"},
	}
	for _, condition := range []v1.NodeConditionType{v1.NodeMemoryPressure, v1.NodeDiskPressure, v1.NodePIDPressure,
		v1.NodeNetworkUnavailable, v1.NodeReady} {
		state := v1.ConditionFalse
		if condition == v1.NodeReady {
			state = v1.ConditionTrue
		}
		status.Conditions = append(status.Conditions,
			v1.NodeCondition{Type: condition, Status: state, LastTransitionTime: since, LastHeartbeatTime: since,
				Reason: "Kubelet" + string(condition)})
	}
	return status
}

const applications = 60

func image(i int) string {
	return fmt.Sprintf("europe-docker.pkg.dev/prod/apps/service-%02d:v1.%d", i, i%7)
}

// images draws what a node holds: those of the system, and some applications'.
func (b *builder) images() []v1.ContainerImage {
	var images []v1.ContainerImage
	add := func(name string, mib int64) {
		images = append(images, v1.ContainerImage{SizeBytes: mib << 20,
			Names: []string{fmt.Sprintf("%s@sha256:%064x", name, len(name)*7919+int(mib)), name}})
	}
	for _, d := range daemons {
		add(d.image, 60)
	}
	for _, i := range b.Perm(applications)[:16+b.IntN(20)] {
		add(image(i), int64(40+i*13))
	}
	return images
}

func (b *builder) csiNode(node *v1.Node, of pool) {
	csi := &storagev1.CSINode{ObjectMeta: b.meta("", node.Name, 0, nil)}
	csi.OwnerReferences = []metav1.OwnerReference{
		{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
	csi.Spec.Drivers = []storagev1.CSINodeDriver{{Name: driver, NodeID: "projects/prod/" + node.Name,
		TopologyKeys: []string{zoneOfDriver}, Allocatable: &storagev1.VolumeNodeResources{Count: &of.attachable}}}
	b.CSINodes = append(b.CSINodes, csi)
}

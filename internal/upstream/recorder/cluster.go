package recorder

import (
	"reflect"
	"unsafe"

	appsv1 "k8s.io/api/apps/v1"
	v1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	fwk "k8s.io/kube-scheduler/framework"
)

// Cluster is what a plugin can see. Its fields are those of spec.Snapshot.
type Cluster struct {
	Nodes []*v1.Node
	Pods  []*v1.Pod

	Namespaces             []*v1.Namespace
	PodDisruptionBudgets   []*policyv1.PodDisruptionBudget
	PersistentVolumes      []*v1.PersistentVolume
	PersistentVolumeClaims []*v1.PersistentVolumeClaim
	StorageClasses         []*storagev1.StorageClass
	CSINodes               []*storagev1.CSINode
	VolumeAttachments      []*storagev1.VolumeAttachment
	CSIDrivers             []*storagev1.CSIDriver
	CSIStorageCapacities   []*storagev1.CSIStorageCapacity

	Services               []*v1.Service
	ReplicationControllers []*v1.ReplicationController
	ReplicaSets            []*appsv1.ReplicaSet
	StatefulSets           []*appsv1.StatefulSet

	// Others are the kinds of further objects that the plugin can see.
	Others []string `json:",omitempty"`

	known map[string]bool
}

// look fills the cluster with the node that is asked about, if it is one, what the plugin's fields lead to, and the
// nodes at hand, of which some tests tell no more than the names.
func (c *Cluster) look(plugin any, node fwk.NodeInfo, nodes []fwk.NodeInfo) {
	c.known = map[string]bool{}
	c.node(node)
	c.follow(reflect.ValueOf(plugin), 4, map[uintptr]bool{})
	for _, node := range nodes {
		c.node(node)
	}
}

// node adds a node with its pods, unless it is there.
func (c *Cluster) node(info fwk.NodeInfo) {
	if info == nil || reflect.ValueOf(info).IsNil() {
		return
	}
	node := info.Node()
	if node == nil { // which some tests leave out
		node = &v1.Node{}
	}
	if !c.add(node) {
		return
	}
	for _, pod := range info.GetPods() {
		bound := pod.GetPod().DeepCopy()
		bound.Spec.NodeName = node.Name
		c.Pods = append(c.Pods, bound)
	}
}

// follow goes through the fields of a value, and theirs, and adds what handles and listers among them have.
func (c *Cluster) follow(v reflect.Value, depth int, been map[uintptr]bool) {
	for v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if depth < 0 || !v.IsValid() {
		return
	}
	if v.CanInterface() && !(v.Kind() == reflect.Pointer && v.IsNil()) {
		quietly(func() { c.ask(v.Interface()) })
		if _, is := v.Interface().(fwk.Handle); is {
			return // what else it has is nothing that plugins see
		}
	}
	if v.Kind() == reflect.Slice && v.Type().Name() != "" { // a lister of tests
		for i := range v.Len() {
			c.follow(v.Index(i), 0, been)
		}
		return
	}
	if v.Kind() == reflect.Pointer {
		if v.IsNil() || been[v.Pointer()] {
			return
		}
		been[v.Pointer()] = true
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return
	}
	if !v.CanAddr() { // a copy can be looked into
		copied := reflect.New(v.Type()).Elem()
		copied.Set(v)
		v = copied
	}
	if object, is := v.Addr().Interface().(runtime.Object); is {
		c.add(object)
		return
	}
	for i := range v.NumField() {
		field := v.Field(i)
		switch field.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice:
			// The fields are not exported, and nothing is changed.
			c.follow(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem(), depth-1, been)
		}
	}
}

// quietly does what may panic: stand-ins of tests do where they have nothing to say.
func quietly(do func()) {
	defer func() { _ = recover() }()
	do()
}

// ask asks handles and listers for what they have.
func (c *Cluster) ask(value any) {
	if handle, is := value.(fwk.Handle); is {
		quietly(func() { c.nodes(handle.SnapshotSharedLister().NodeInfos()) })
		quietly(func() { c.informers(handle.SharedInformerFactory()) })
	}
	if lister, is := value.(fwk.SharedLister); is {
		quietly(func() { c.nodes(lister.NodeInfos()) })
	}
	if lister, is := value.(fwk.NodeInfoLister); is {
		quietly(func() { c.nodes(lister) })
	}
	if manager, is := value.(fwk.CSIManager); is {
		quietly(func() { c.list(reflect.ValueOf(manager.CSINodes())) })
	}
	c.list(reflect.ValueOf(value))
}

// nodes adds the nodes of a lister.
func (c *Cluster) nodes(lister fwk.NodeInfoLister) {
	nodes, err := lister.List()
	if err != nil {
		return
	}
	for _, node := range nodes {
		c.node(node)
	}
}

// list calls List of a lister, of whatever objects.
func (c *Cluster) list(lister reflect.Value) {
	if !lister.IsValid() {
		return
	}
	method := lister.MethodByName("List")
	if !method.IsValid() || method.Type().NumOut() != 2 {
		return
	}
	var in []reflect.Value
	switch {
	case method.Type().NumIn() == 1 && method.Type().In(0) == reflect.TypeFor[labels.Selector]():
		in = append(in, reflect.ValueOf(labels.Everything()))
	case method.Type().NumIn() != 0:
		return
	}
	out := method.Call(in)
	if out[0].Kind() != reflect.Slice || !out[1].IsNil() {
		return
	}
	for i := range out[0].Len() {
		if object, is := out[0].Index(i).Interface().(runtime.Object); is {
			c.add(object)
		}
	}
}

// informers adds what the factory's informers have.
func (c *Cluster) informers(factory informers.SharedInformerFactory) {
	core, storage, apps := factory.Core().V1(), factory.Storage().V1(), factory.Apps().V1()
	for _, lister := range []any{
		core.Namespaces().Lister(), core.PersistentVolumes().Lister(), core.PersistentVolumeClaims().Lister(),
		storage.StorageClasses().Lister(), storage.CSINodes().Lister(), storage.VolumeAttachments().Lister(),
		core.Services().Lister(), core.ReplicationControllers().Lister(), apps.ReplicaSets().Lister(),
		apps.StatefulSets().Lister(), factory.Policy().V1().PodDisruptionBudgets().Lister(),
		storage.CSIDrivers().Lister(), storage.CSIStorageCapacities().Lister(),
		factory.Resource().V1().ResourceClaims().Lister(), factory.Resource().V1().DeviceClasses().Lister(),
	} {
		quietly(func() { c.list(reflect.ValueOf(lister)) })
	}
}

// add adds an object, and reports whether it was not there. Pods come with their nodes only.
func (c *Cluster) add(object runtime.Object) bool {
	named, is := object.(interface {
		GetNamespace() string
		GetName() string
	})
	if !is || reflect.ValueOf(object).IsNil() {
		return false
	}
	key := reflect.TypeOf(object).String() + " " + named.GetNamespace() + "/" + named.GetName()
	if c.known[key] {
		return false
	}
	if _, isPod := object.(*v1.Pod); isPod {
		return false
	}
	c.known[key] = true
	object = object.DeepCopyObject()
	to := reflect.ValueOf(c).Elem()
	for i := range to.NumField() {
		if field := to.Field(i); field.Kind() == reflect.Slice && field.Type().Elem() == reflect.TypeOf(object) {
			field.Set(reflect.Append(field, reflect.ValueOf(object)))
			return true
		}
	}
	c.Others = append(c.Others, reflect.TypeOf(object).Elem().Name())
	return true
}

// filtersOf returns the names of the filter plugins of the framework that the plugin has as its handle.
func filtersOf(plugin any) (names []string) {
	v := reflect.ValueOf(plugin).Elem()
	for i := range v.NumField() {
		field := v.Field(i)
		if field.Kind() != reflect.Interface {
			continue
		}
		field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
		list := field.Elem().MethodByName("ListPlugins")
		if !field.IsNil() && list.IsValid() {
			enabled := list.Call(nil)[0].Elem().FieldByName("Filter").FieldByName("Enabled")
			for i := range enabled.Len() {
				names = append(names, enabled.Index(i).FieldByName("Name").String())
			}
			return names
		}
	}
	return nil
}

package admission

import (
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/api/service"
	"k8s.io/kubernetes/pkg/apis/core"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// healthCheckPort stands for the port that an API server would allocate; it is of the default range of node ports.
const healthCheckPort = 30000

// newService validates a Service as an API server does, which allocates what is not stated before it looks. Of what
// is allocated only the selector's Service matters to placement, so it is filled in for validation alone.
//
// Source: https://kubernetes.io/docs/concepts/services-networking/service/, and the docs of ServiceSpec.clusterIPs
// and ServiceSpec.healthCheckNodePort.
func newService(stated *core.Service) field.ErrorList {
	allocated := stated.DeepCopy()
	if ip := allocated.Spec.ClusterIP; ip != "" && len(allocated.Spec.ClusterIPs) == 0 {
		allocated.Spec.ClusterIPs = []string{ip}
	} else if ips := allocated.Spec.ClusterIPs; ip == "" && len(ips) > 0 {
		allocated.Spec.ClusterIP = ips[0]
	}
	if service.NeedsHealthCheck(allocated) && allocated.Spec.HealthCheckNodePort == 0 {
		allocated.Spec.HealthCheckNodePort = healthCheckPort
	}
	return corevalidation.ValidateServiceCreate(allocated)
}

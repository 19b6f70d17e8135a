package conformance

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/invariants"
	"github.com/seed-a3f26817/modelcheck/spec"
)

// volumeDefect is a defect of production with volumes.
type volumeDefect struct {
	// id is the name of the quirk that reproduces it.
	id string
	// smallest is the smallest cluster that shows it, and shows the first thing that a property of decisions says
	// there.
	smallest func() spec.Question
	shows    string
}

// volumeDefects are the known ways in which production does not do what is documented with volumes.
var volumeDefects = slices.Concat(nominationDefects, restrictionDefects, limitDefects, zoneDefects, bindingDefects)

// TestVolumeDefects keeps the smallest cluster of each defect, and shows which is gone once production is mended.
// Its quirk alone explains it.
func TestVolumeDefects(t *testing.T) {
	c := newChecker(t, defaultConfig(t))
	for _, defect := range volumeDefects {
		t.Run(defect.id, func(t *testing.T) {
			q := admittedVolumes(t, defect.smallest())
			answer := c.ask(q)
			if diff := cmp.Diff(defect.shows, firstBreach(answer)); diff != "" {
				t.Errorf("the defect shows otherwise than known (-want +got); is it mended?\n%s", diff)
			}
			var quirks []string
			for _, quirk := range c.explain(q, answer.Decision) {
				quirks = append(quirks, quirk.Name)
			}
			if diff := cmp.Diff([]string{defect.id}, quirks); diff != "" {
				t.Errorf("quirks that explain it (-want +got):\n%s", diff)
			}
		})
	}
}

// firstBreach returns the first thing that a property of decisions says; "" if all hold.
func firstBreach(c *invariants.Case) string {
	for _, property := range invariants.All() {
		if property.Decision == nil {
			continue
		}
		if _, breaches := property.Decision(c); len(breaches) > 0 {
			return property.Name + ": " + breaches[0].Reason
		}
	}
	return ""
}

var nominationDefects = []volumeDefect{
	{
		// A pod that is turned away before any node is looked at keeps its nomination, and so the room on that node:
		// DynamicResources answers with an error, and DefaultPreemption is not asked.
		id:    "turned-away-keeps-nomination",
		shows: `outcome-conforms: kube-scheduler may leave the pod pending with its nomination; allowed is: leave the pod pending and clear its nomination`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.pod("p", 0, "", claimed("missing")).Status.NominatedNodeName = "n1"
			return s.asks()
		},
	},
}

var restrictionDefects = []volumeDefect{
	{
		// A nominated pod holds its room on the node, but a ReadWriteOncePod claim that only it uses is not seen.
		id:    "rwop-nominated",
		shows: `statuses-conform: all filters together, nominated pods included, say that node n1 fits; the model says the opposite`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.bound("c", v1.ReadWriteOncePod)
			s.pod("p", 0, "", claimed("c"))
			s.pod("h", 10, "", claimed("c")).Status.NominatedNodeName = "n1"
			return s.asks()
		},
	},
	{
		// The claim of an ephemeral volume is not looked at, neither the pod's own nor that of the pods that are bound.
		id:    "rwop-ephemeral",
		shows: `statuses-conform: VolumeRestrictions says that node n1 fits; the model says that it does not fit, but would if pods were evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			claim, _ := s.bound("p-a", v1.ReadWriteOncePod)
			own(s.pod("p", 0, "", ephemeral()), claim)
			s.pod("q", 10, "n1", claimed("p-a"))
			return s.asks()
		},
	},
	{
		// The dry run of a preemption counts references to claims of that name, in whatever namespace, so a pod is
		// evicted that uses a claim of its own.
		id:    "rwop-namespace",
		shows: `outcome-conforms: kube-scheduler may evict other/r from n1 and nominate the pod to it; allowed is: leave the pod pending`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.bound("c", v1.ReadWriteOncePod)
			s.pod("p", 10, "", claimed("c"))
			s.pod("q", 100, "n1", claimed("c"))
			other := s.claim("c", "local")
			other.Namespace, other.UID = "other", "other/c"
			join(other, s.volume("pv-other"))
			s.pod("r", 0, "n1", claimed("c")).Namespace = "other"
			return s.asks()
		},
	},
	{
		// The dry run counts a claim in use once and takes off once for each reference of a pod that goes: with two
		// users, or with one that refers to the claim twice, it believes too early that nobody is left.
		id:    "rwop-counted",
		shows: `outcome-conforms: kube-scheduler may evict default/r from n1 and nominate the pod to it; allowed is: leave the pod pending`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.bound("c", v1.ReadWriteOncePod)
			s.pod("p", 10, "", claimed("c"))
			s.pod("q", 100, "n1", claimed("c"))
			s.pod("r", 0, "n1", claimed("c"))
			return s.asks()
		},
	},
}

var limitDefects = []volumeDefect{
	{
		// A volume that is attached to the node already counts as attached and again as new for the pod that uses it.
		id:    "volume-attached-twice",
		shows: `statuses-conform: NodeVolumeLimits says that node n1 does not fit; the model says that it fits`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.bound("c")
			s.limit("n1", "csi.a", 1)
			s.attach("pv-c", "n1", "csi.a")
			s.pod("p", 0, "", claimed("c"))
			return s.asks()
		},
	},
	{
		// In-tree volumes of vSphere and Azure File have been migrated, and still do not count against the limit of
		// their driver.
		id:    "migrated-not-counted",
		shows: `statuses-conform: NodeVolumeLimits says that node n1 fits; the model says that it does not fit, but would if pods were evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.limit("n1", "csi.vsphere.vmware.com", 1)
			s.pod("p", 0, "", vsphere("[store] a.vmdk"))
			s.pod("q", 0, "n1", vsphere("[store] b.vmdk"))
			return s.asks()
		},
	},
	{
		// An attachment of an in-tree volume that has been migrated does not count.
		id:    "attachment-migrated-not-counted",
		shows: `statuses-conform: NodeVolumeLimits says that node n1 fits; the model says that it does not fit, whoever is evicted`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.limit("n1", "ebs.csi.aws.com", 1)
			attached := s.volume("pv")
			attached.Spec.CSI, attached.Spec.AWSElasticBlockStore = nil, elasticBlockStore("vol-1").AWSElasticBlockStore
			s.attach("pv", "n1", "ebs.csi.aws.com")
			s.pod("p", 0, "", elasticBlockStore("vol-2"))
			return s.asks()
		},
	},
	{
		// A bound or nominated pod with an ephemeral volume whose claim is not its own ends the cycle of everybody
		// else in an error.
		id:    "unowned-claim-stops-all",
		shows: `answered: running "NodeVolumeLimits" filter plugin: PVC default/q-a was not created for pod default/q (pod is not owner)`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.bound("c")
			s.bound("q-a")
			s.limit("n1", "csi.a", 2)
			s.pod("p", 0, "", claimed("c"))
			s.pod("q", 0, "n1", ephemeral())
			return s.asks()
		},
	},
	{
		// An inline EBS volume with an ID that is not understood ends every cycle in which it is counted in an
		// error, that of other pods too.
		id:    "unreadable-disk-stops-all",
		shows: `answered: running "NodeVolumeLimits" filter plugin: converting volume(a) from inline to csi: failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume (aws://a/disk)`,
		smallest: func() spec.Question {
			s := newStorage("n1")
			s.bound("c")
			s.limit("n1", "csi.a", 1)
			s.pod("p", 0, "", claimed("c"))
			s.pod("q", 0, "n1", elasticBlockStore("aws://a/disk"))
			return s.asks()
		},
	},
}

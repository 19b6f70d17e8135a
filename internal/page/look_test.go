package page

import (
	"fmt"
	"os"
	"testing"
)

// TestLook opens every view as a desk and a phone show it, in light and dark, and takes pictures for a person to
// look at; see picture.
func TestLook(t *testing.T) {
	if os.Getenv("MODELCHECK_PICTURES") == "" {
		t.Skip("MODELCHECK_PICTURES names no folder for pictures")
	}
	b := newTab(t)
	address := file(t, budgetsData(t))
	finding := "#/finding/outcome-conforms%2FDefaultPreemption%2Fbudget-spent-on-spared/"
	for _, scheme := range []string{"light", "dark"} {
		for _, device := range []struct {
			name          string
			width, height int64
		}{{"desk", 1280, 900}, {"phone", 390, 844}} {
			b.run(prefers(scheme), size(device.width, device.height))
			for name, hash := range map[string]string{"summary": "", "finding": finding + "5", "step": finding + "3",
				"explore": "#/explore/budgets/f0.5/0"} {
				b.open(address + hash)
				b.until("document.querySelector('article') !== null")
				b.picture(name + "-" + device.name + "-" + scheme)
			}
			for _, nodes := range []int{10, 99} {
				b.open(file(t, crowded(t, nodes)) + finding + "0")
				b.picture(fmt.Sprintf("%d-nodes-%s-%s", nodes, device.name, scheme))
			}
		}
	}
	b.clean("file://", "about:")
}

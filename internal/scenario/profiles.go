package scenario

import (
	v1 "k8s.io/api/core/v1"

	"github.com/seed-a3f26817/modelcheck/model"
)

// ForProfiles returns scenarios for each profile: those that draw returns anew, in which the pods that ask no
// scheduler by name ask under the profile. With several profiles, the name of the profile is part of the scenario's.
func ForProfiles(profiles []string, draw func() ([]*model.Scenario, error)) ([]*model.Scenario, error) {
	var all []*model.Scenario
	for _, profile := range profiles {
		scenarios, err := draw()
		if err != nil {
			return nil, err
		}
		for _, s := range scenarios {
			for i := range s.Pods {
				if pod := s.Pods[i].Pod; pod.Spec.SchedulerName == v1.DefaultSchedulerName {
					pod.Spec.SchedulerName = profile
				}
			}
			if len(profiles) > 1 {
				s.Name += "@" + profile
			}
		}
		all = append(all, scenarios...)
	}
	return all, nil
}

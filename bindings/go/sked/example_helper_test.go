package sked_test

import "time"

func durations(ns ...int64) (d []time.Duration) {
	for _, n := range ns {
		d = append(d, time.Duration(n))
	}
	return d
}

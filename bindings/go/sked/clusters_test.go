package sked_test

import (
	"errors"
	"reflect"
	"testing"

	"example.org/sked/bindings/go/sked"
)

// same holds what came to what is known.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

// The published example: 20 TB of 100 are free in one cluster, 30 of 200 in the
// other.
func TestAJobGoesWhereMostIsFree(t *testing.T) {
	const tb = 1e12
	now := &sked.RouteInput{Capacity: []int64{100 * tb, 200 * tb}, Available: []int64{20 * tb, 30 * tb}}
	jobs := &sked.RouteJobs{Request: []int64{tb}}
	answers, news, err := sked.RouteOnce(now, jobs, 0, nil, nil, nil)
	if err != nil || news || len(answers) != 1 {
		t.Fatal(answers, news, err)
	}
	a := answers[0]
	same(t, "absolute", a.Score, sked.RouteScore{Num: 30 * tb, Den: 300 * tb})
	same(t, "clusters", []uint64{a.Cluster, a.RunnerUp, uint64(a.Eligible)}, []uint64{2, 1, 2})
	answers, _, err = sked.RouteOnce(now, jobs, 0, &sked.RouteOptions{Policy: sked.RoutePolicyRelative}, nil, answers)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "relative", answers[0].Score, sked.RouteScore{Num: 20 * tb, Den: 100 * tb})
	same(t, "the runner-up", answers[0].RunnerScore, sked.RouteScore{Num: 30 * tb, Den: 200 * tb})
	jobs.Request[0] = 201 * tb
	if answers, _, err = sked.RouteOnce(now, jobs, 0, nil, nil, answers); err != nil || answers[0].Cluster != sked.NoCluster {
		t.Fatal(answers, err)
	}
}

// What was charged is not there for the next, until the cluster says more.
func TestARouterKeepsWhatItPromised(t *testing.T) {
	r := must(sked.NewRoute(nil, nil))(t)
	defer r.Close()
	if err := r.Replace(&sked.RouteInput{ID: []uint64{7, 5}, Capacity: []int64{100, 100}, Available: []int64{50, 40}}); err != nil {
		t.Fatal(err)
	}
	same(t, "clusters", must(r.Clusters(nil))(t), []uint64{5, 7})
	answers, _, err := r.Charge(&sked.RouteJobs{Request: []int64{8, 8, 8}, Instances: []int64{2, 1, 1}}, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "a burst", []uint64{answers[0].Cluster, answers[1].Cluster, answers[2].Cluster}, []uint64{7, 5, 7})
	same(t, "what is left of 7", must(r.Available(7, nil))(t), []int64{26})
	same(t, "what is left of 5", must(r.Available(5, nil))(t), []int64{32})
	if err = r.Update(&sked.RouteInput{ID: []uint64{7}, Capacity: []int64{100}, Available: []int64{90}}); err != nil {
		t.Fatal(err)
	}
	same(t, "after news", must(r.Available(7, nil))(t), []int64{90})
	if err = r.Remove(7); err != nil {
		t.Fatal(err)
	}
	if _, err = r.Available(7, nil); !errors.Is(err, sked.ErrNotFound) {
		t.Fatal(err)
	}
	_, _, err = r.Decide(&sked.RouteJobs{Request: []int64{1, -1}}, 0, nil)
	var e *sked.Error
	if !errors.As(err, &e) || e.Row != 1 {
		t.Fatal(err)
	}
}

// Two workflows of 60 and 30 on one cluster of 100, none on another of 50: the
// ceiling of 80 % is kept by moving the small one alone.
func TestTheLeastMovesAndEachSaysWhatItGains(t *testing.T) {
	in := &sked.BalanceInput{CeilingPPM: 800000, Capacity: []int64{100, 50}, Instance: []int64{10, 10},
		Usage: []int64{60, 30}, Home: []uint32{0, 0}}
	r, moves, err := sked.Balance(in, nil, &sked.BalanceResult{Utilisation: []int64{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "before", r.Before, sked.BalanceObjective{Excess: 100e6, Sum: 900e6})
	same(t, "after", r.After, sked.BalanceObjective{Excess: 0, Sum: 1200e6})
	same(t, "clusters", r.Cluster, []uint32{0, 1})
	same(t, "utilisation", r.Utilisation, []int64{600e6, 600e6})
	same(t, "moves", moves, []sked.BalanceMove{{Workflow: 1, From: 0, To: 1,
		Gain: sked.BalanceObjective{Excess: 100e6, Sum: -300e6}, FromUtilisation: 600e6, ToUtilisation: 600e6,
		FromAllocation: 6, ToAllocation: 3}})
	in.Home = []uint32{0, 9}
	var e *sked.Error
	if _, _, err = sked.Balance(in, nil, nil, nil); !errors.Is(err, sked.ErrRange) || !errors.As(err, &e) || e.Row != 1 {
		t.Fatal(err)
	}
}

func TestAZoneThatIsLostIsLeftByTier(t *testing.T) {
	in := &sked.BalanceInput{Capacity: []int64{100, 50}, Zone: []uint32{1, 2}, Usage: []int64{30, 40, 20},
		Tier: []uint32{1, 2, 2}, Home: []uint32{0, 0, 0}}
	cluster, tiers, err := sked.BalanceEvacuate(in, 1, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "clusters", cluster, []uint32{1, sked.None, 1})
	same(t, "tiers", tiers[:2], []sked.BalanceEvacuation{{Asked: 1, Placed: 1, Most: 1}, {Asked: 2, Placed: 1, Most: 1}})
}

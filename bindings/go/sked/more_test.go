package sked_test

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/sked/bindings/go/sked"
)

func workload(t testing.TB, n int) (*sked.Tree, *sked.SimInput) {
	tree := must(sked.ReadTree("kinds cpu memory\nroot\nroot.a weight=2\nroot.b\n", sked.TreeCommitStrict, nil))(t)
	t.Cleanup(func() { tree.Close() })
	jobs := &sked.SimJobs{}
	for i := 0; i < n; i++ {
		q := must(tree.Find([]string{"root.a", "root.b"}[i%2]))(t)
		jobs.Submit = append(jobs.Submit, sked.Time(i)*1e9)
		jobs.Run = append(jobs.Run, time.Duration(1+i%7)*time.Second)
		jobs.Amounts = append(jobs.Amounts, int64(1+i%3), int64(i%5))
		jobs.Queue = append(jobs.Queue, q)
	}
	return tree, &sked.SimInput{Tree: tree, Jobs: jobs, Nodes: []sked.SimNodes{{Count: 2, Amounts: []int64{4, 8}}}}
}

func TestARunCanBeSeenAndStopped(t *testing.T) {
	_, in := workload(t, 3000)
	sim := must(sked.NewSim(in, &sked.SimOptions{Seed: 3}, nil))(t)
	defer sim.Close()
	records := 0
	if err := sim.Run(context.Background(), func(r []sked.SimRecord) error { records += len(r); return nil }); err != nil {
		t.Fatal(err)
	}
	whole := must(sim.Result())(t)
	if records == 0 || whole.JobsFinished != 3000 {
		t.Fatal(records, whole)
	}
	stop := errors.New("seen enough")
	again := must(sked.NewSim(in, &sked.SimOptions{Seed: 3}, nil))(t)
	defer again.Close()
	if err := again.Run(context.Background(), func([]sked.SimRecord) error { return stop }); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	late := must(sked.NewSim(in, nil, nil))(t)
	defer late.Close()
	if err := late.Run(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if part := must(late.Result())(t); part.JobsFinished >= 3000 {
		t.Fatal(part)
	}
	one := must(sked.NewSim(in, &sked.SimOptions{Seed: 3}, nil))(t)
	two := must(sked.NewSim(in, &sked.SimOptions{Seed: 3}, nil))(t)
	defer one.Close()
	defer two.Close()
	said := must(sked.RunAll([]*sked.Sim{one, two}, &sked.Host{Threads: 2}))(t)
	if said[0] != nil || said[1] != nil || must(two.Result())(t).Digest != whole.Digest {
		t.Fatal(said)
	}
}

// What hooks of a run say comes back from RunAll, and nothing of it later.
func TestRunsSideBySideTellWhatTheirHooksSaid(t *testing.T) {
	boom := errors.New("told to stop")
	_, in := workload(t, 4)
	made := func(progress func(done, total uint64) error) *sked.Sim {
		sim := must(sked.NewSim(in, nil, &sked.Host{Progress: progress}))(t)
		t.Cleanup(func() { sim.Close() })
		return sim
	}
	quiet := func(done, total uint64) error { return nil }
	stops := made(func(done, total uint64) error { return boom })
	said := must(sked.RunAll([]*sked.Sim{made(quiet), stops}, nil))(t)
	var e *sked.Error
	if said[0] != nil || !errors.Is(said[1], boom) || !errors.Is(said[1], sked.ErrHost) ||
		!errors.As(said[1], &e) || e.Row != 1 {
		t.Fatal(said)
	}
	if err := stops.Run(context.Background(), nil); errors.Is(err, boom) || !errors.Is(err, sked.ErrState) {
		t.Fatal(err)
	}
	throws := made(func(done, total uint64) error { panic("in a hook") })
	func() {
		defer func() {
			if p := recover(); p != "in a hook" {
				t.Fatal(p)
			}
		}()
		_, _ = sked.RunAll([]*sked.Sim{throws, made(quiet)}, nil)
		t.Fatal("no panic")
	}()
	if err := throws.Run(context.Background(), nil); !errors.Is(err, sked.ErrState) {
		t.Fatal(err)
	}
}

func TestJobsRunWhereTheirRuleSays(t *testing.T) {
	const zone = 3
	_, in := workload(t, 4)
	in.Nodes = []sked.SimNodes{{Count: 1, Amounts: []int64{4, 8}}, {Count: 1, Amounts: []int64{4, 8}}}
	in.AttributeOffsets = []int32{0, 0, 1}
	in.Attributes = []sked.RuleAttribute{{Key: zone, Value: 7}}
	in.Jobs.Rule = []uint32{1, 2, 0, 3}
	in.Jobs.RuleOffsets = []int32{0, 1, 2, 3}
	in.Jobs.RuleTerms = []sked.RuleTerm{{Op: sked.RuleOpIn, Key: zone, N: 2},
		{Op: sked.RuleOpAbsent, Key: zone}, {Op: sked.RuleOpGreater, Key: zone, Value: 7}}
	in.Jobs.RuleValues = []int64{6, 7}
	sim := must(sked.NewSim(in, nil, nil))(t)
	defer sim.Close()
	on := map[uint32]uint64{}
	if err := sim.Run(context.Background(), func(records []sked.SimRecord) error {
		for _, r := range records {
			if r.Decision.Kind == sked.DecisionAllocate {
				on[r.Job] = r.Decision.Node
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if on[0] != 2 || on[1] != 1 || on[2] == 0 || len(on) != 3 || must(sim.Result())(t).Rejected != 1 {
		t.Fatal(on)
	}
	in.Jobs.RuleTerms[0].N = 3
	if _, err := sked.NewSim(in, nil, nil); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
	in.Jobs.RuleOffsets = []int32{0, 1, 2, 9}
	if _, err := sked.NewSim(in, nil, nil); !errors.Is(err, sked.ErrLength) {
		t.Fatal(err)
	}
}

func TestTwoMayReadAndOneMayWrite(t *testing.T) {
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	digest, root := tree.Digest(), tree.Root()
	var wait sync.WaitGroup
	for g := 0; g < 4; g++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < 200; i++ {
				if text, err := tree.Format(); err != nil || !strings.Contains(text, "root.ml.b") || tree.Digest() != digest {
					t.Error(err)
				}
			}
		}()
	}
	wait.Wait()
	fill := &sked.FillInput{Total: 9, Weight: []uint32{1}, Demand: []int64{9}}
	for g := 0; g < 4; g++ {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := 0; i < 200; i++ {
				err := tree.Set(root, sked.QueueMaxRunning, 7)
				if err != nil && !errors.Is(err, sked.ErrInUse) {
					t.Error(err)
				}
				if _, err = sked.Fill(fill, nil, nil, nil); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wait.Wait()
}

func TestForgottenHandlesAreFreed(t *testing.T) {
	for i := 0; i < 50; i++ {
		must(sked.ReadTree(small, sked.TreeCommitStrict, &sked.Host{Log: func(sked.LogLevel, string) {}}))(t)
	}
	runtime.GC()
	runtime.GC()
}

func TestWhatIsLentLivesWithItsOwner(t *testing.T) {
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	schema := tree.Schema()
	if schema.Kinds() != 2 || schema.Name(1) != "memory" || schema.Kind("cpu") != 0 || schema.Kind("gpu") != -1 {
		t.Fatal(schema)
	}
	if err := schema.Close(); err != nil {
		t.Fatal(err)
	}
	if v := must(schema.Vec("cpu=2.5,memory=1KiB"))(t); v[0] != 2500 || v[1] != 1024 {
		t.Fatal(v)
	}
	tree.Close()
	if _, err := schema.Format(); !errors.Is(err, sked.ErrClosed) {
		t.Fatal(err)
	}
}

// Slices within slices are held to the same promise as all others.
func TestInnerSlicesOfAnotherLengthAreRefused(t *testing.T) {
	_, in := workload(t, 4)
	for _, amounts := range [][]int64{{}, {4}, {4, 8, 1}} {
		in.Nodes = []sked.SimNodes{{Count: 1, Amounts: []int64{4, 8}}, {Count: 1, Amounts: amounts}}
		if _, err := sked.NewSim(in, nil, nil); !errors.Is(err, sked.ErrLength) || !strings.Contains(err.Error(), "Nodes[1].Amounts") {
			t.Error(amounts, err)
		}
	}
	in.Nodes[1].Amounts = nil
	if _, err := sked.NewSim(in, nil, nil); !errors.Is(err, sked.ErrArg) {
		t.Error(err)
	}
	settings := must(sked.PlanTiers(2))(t)
	for _, jobs := range []sked.PlanJobs{
		{Fields: [][]string{{"ads", "ml"}, {"x"}}},
		{Fields: [][]string{{"ads", "ml"}, {"x", "y", "z"}}},
		{Fields: [][]string{{"ads", "ml", "ml"}}, Tier: []uint8{1, 1}},
		{Fields: [][]string{{"ads"}}, Tiers: 3, Settings: settings},
		{Fields: [][]string{{"ads"}}, Tiers: 1, Settings: settings},
		{Fields: [][]string{{"ads"}}, Settings: settings[:0]},
	} {
		if _, _, _, err := sked.PlanLeaves(&jobs, nil, nil, nil, nil); !errors.Is(err, sked.ErrLength) {
			t.Error(jobs, err)
		}
	}
}

func TestPlansAndPreemption(t *testing.T) {
	tree := must(sked.ReadTree("kinds instance\nroot\n", sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	jobs := &sked.PlanJobs{Fields: [][]string{{"ads", "ml", "ads"}}, Tiers: 2, Tier: []uint8{1, 2, 1},
		Level: []int32{0}, Settings: must(sked.PlanTiers(2))(t)}
	leaf, first, tier, err := sked.PlanLeaves(jobs, nil, nil, nil, nil)
	if err != nil || len(leaf) != 3 || leaf[2] != leaf[0] || len(first) != 2 || first[1] != 1 || tier[0] != 1 {
		t.Fatal(leaf, first, tier, err)
	}
	plan := must(sked.NewPlan(tree, &sked.PlanInput{Jobs: jobs, Allocation: []int64{30, 10}}, nil))(t)
	defer plan.Close()
	if c := must(plan.Get(0))(t); !strings.Contains(c.Path, "ads") || c.WeightAfter != 30 {
		t.Fatal(c)
	}
	text := must(plan.Diff().Format())(t)
	if err = plan.Apply(tree, nil); err != nil || !strings.Contains(text, "ads") {
		t.Fatal(text, err)
	}
	if err = tree.Commit(sked.TreeCommitStrict); err != nil || tree.Count() != 3 {
		t.Fatal(tree.Format())
	}
	r := must(sked.PreemptSelect(&sked.PreemptInput{Kinds: 1, Usage: []int64{10, 0}, Keep: []int64{5, 0}, Need: []int64{3},
		Queue: []uint32{0, 0, 0}, Amount: []int64{2, 2, 2}, Count: []uint32{1, 1, 1}}, nil, nil))(t)
	if len(r.Victims) != 2 || r.Covered[0] < 3 {
		t.Fatal(r)
	}
	gang := must(sked.PreemptSelect(&sked.PreemptInput{Kinds: 1, Usage: []int64{4, 0}, Share: []int64{1, 3}, NNodes: 2,
		Queue: []uint32{0, 0, 0, 0}, Amount: []int64{1, 1, 1, 1}, Node: []uint32{0, 0, 1, 1}, RequestQueue: []uint32{1},
		RequestAmount: []int64{1}, RequestCount: []uint32{2}, RequestPerNode: []uint32{1}}, nil, nil))(t)
	if len(gang.Placements) != 2 || gang.Placements[0].Node == gang.Placements[1].Node {
		t.Fatal(gang)
	}
	s := must(sked.HistoryOnce(&sked.HistoryInput{Form: sked.HistoryFormIntervals, Queue: []uint32{0, 0}, Start: []sked.Time{0, 5}, End: []sked.Time{10, 7},
		Amount: []int64{2, 1}}, nil, nil, nil))(t)
	if s.N != 3 || len(s.Length) != 3 || s.Amount[1] != 3 {
		t.Fatal(s)
	}
}

func TestPoliciesOfPreemptionRunInOrder(t *testing.T) {
	tree := must(sked.ReadTree("kinds cpu\nroot\nroot.a guarantee=cpu=5\n"+
		"root.b guarantee=cpu=5 preempt_min_timeout=100s\n", sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	a, b := must(tree.Find("root.a"))(t), must(tree.Find("root.b"))(t)
	starving := &sked.TargetOptions{Mode: sked.TargetModeStarvation, IgnoredPPM: -1, FactorPPM: sked.PPM, PerRoundPPM: -1}
	uneven := sked.TargetOptions{IgnoredPPM: -1, FactorPPM: sked.PPM, PerRoundPPM: -1}
	for _, more := range [][]sked.TargetOptions{nil, {uneven}, {*starving, uneven}} {
		e := must(sked.NewEngine(tree, nil, nil))(t)
		if err := e.Preempt(&sked.EnginePreemptOptions{Targets: starving, MoreTargets: more}); err != nil {
			t.Fatal(err)
		}
		var ev sked.Events
		ev.Add(sked.Event{Kind: sked.EventNodeUp, Key: 1, Count: 1, Amount: ev.Row(10)})
		ev.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: a})
		ev.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 2, Queue: b})
		ev.Add(sked.Event{Kind: sked.EventAskAdd, Key: 1, Owner: 1, Count: 10, Amount: ev.Row(1)})
		ev.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 1})
		ev.Add(sked.Event{Kind: sked.EventAskAdd, Key: 2, Owner: 2, Count: 3, Amount: ev.Row(1)})
		ev.Add(sked.Event{Kind: sked.EventRound, Time: 2})
		if _, _, err := e.Apply(&ev, 0); err != nil {
			t.Fatal(err)
		}
		var amounts []int64
		amounts, _, err := e.Contract(1, sked.RoundContractNegotiable, nil, nil)
		if err != nil || (amounts[0] == 3) != (len(more) > 0) {
			t.Fatal(len(more), amounts, err)
		}
		e.Close()
	}
	e := must(sked.NewEngine(tree, nil, nil))(t)
	defer e.Close()
	err := e.Preempt(&sked.EnginePreemptOptions{MoreTargets: []sked.TargetOptions{uneven, {Mode: 7}}})
	var failed *sked.Error
	if !errors.Is(err, sked.ErrArg) || !errors.As(err, &failed) || failed.Row != 1 {
		t.Fatal(err)
	}
	if err = e.Preempt(&sked.EnginePreemptOptions{MoreTargets: make([]sked.TargetOptions, 8)}); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
}

type broken struct{ n int }

func (b *broken) Write(p []byte) (int, error) {
	if b.n--; b.n < 0 {
		return 0, errors.New("disk full")
	}
	return len(p), nil
}

func TestJournalKeepsTheFirstError(t *testing.T) {
	var b bytes.Buffer
	j := sked.NewJournal(&b)
	if err := j.Write(&sked.Decision{Sequence: 4, Kind: sked.DecisionKill}); err != nil || !strings.HasSuffix(b.String(), "\n4,0,kill,0,0,0,0,0,0,0,none\n") {
		t.Fatal(b.String())
	}
	j = sked.NewJournal(&broken{2})
	if err := j.Write(new(sked.Decision)); err != nil {
		t.Fatal(err)
	}
	if j.Write(new(sked.Decision)) == nil || j.Err() == nil {
		t.Fatal("no error")
	}
}

package sked_test

import (
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"example.org/sked/bindings/go/sked"
)

const hour = int64(time.Hour)

func wide(n ...int64) (w []sked.Wide) {
	for _, v := range n {
		w = append(w, sked.Wide{Low: uint64(v)})
	}
	return w
}

// Two of ten runs of the first workflow came too late, and one of the second.
func objectives() *sked.SLOInput {
	in := &sked.SLOInput{SLO: []time.Duration{4, 4, 4}, Tier: []uint8{1, 1, 2}, From: 0, To: 1000, Instance: 10}
	add := func(workflow uint32, runs int, took sked.Time) {
		for ; runs > 0; runs-- {
			in.Workflow = append(in.Workflow, workflow)
			in.Start = append(in.Start, 100)
			in.End = append(in.End, 100+took)
			in.Work = append(in.Work, sked.Wide{Low: 120}) // 3 instances for 4 ns
		}
	}
	add(0, 8, 4)
	add(0, 2, 6) // with 2 instances: one more would have done
	add(1, 9, 1)
	add(1, 1, 12)
	return in
}

func TestObjectivesAreCountedAndRepaired(t *testing.T) {
	in := objectives()
	r := must(sked.SLOCount(in, nil, nil))(t)
	same(t, "runs", r.Runs, []uint32{10, 10, 0})
	same(t, "met", r.Met, []uint32{8, 9, 0})
	same(t, "tier 1", r.Tier[0], sked.SLOTier{Workflows: 2, Successful: 1, Runs: 20, Met: 17})
	same(t, "tier 2", r.Tier[1], sked.SLOTier{Idle: 1})
	same(t, "outcomes", r.Outcome, []uint8{uint8(sked.SLOFailed), uint8(sked.SLOSuccessful), uint8(sked.SLOIdle)})
	same(t, "repairs", must(sked.SLORepairs(in, 1, nil, nil))(t),
		[]sked.SLORepair{{Workflow: 0, Runs: 10, Met: 8, Missing: 1, Extra: 1}})
	same(t, "1,200 instance-hours in 12", must(sked.SLOInstances(sked.Wide{Low: uint64(1200 * hour)}, 1, 12*time.Hour))(t), int64(100))
	in.End[3] = 0
	var e *sked.Error
	if _, err := sked.SLOCount(in, nil, nil); !errors.Is(err, sked.ErrRange) || !errors.As(err, &e) || e.Row != 3 {
		t.Fatal(err)
	}
}

func TestJobsOfARunBecomeOneRun(t *testing.T) {
	start, end, work, jobs, err := sked.SLORuns(&sked.SLORunsInput{Runs: 2, Run: []uint32{0, 1, 0},
		Submit: []sked.Time{5, 7, 2}, End: []sked.Time{9, 8, 30}, Work: wide(3, 4, 5)}, nil, nil, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "starts", start, []sked.Time{2, 7})
	same(t, "ends", end, []sked.Time{30, 8})
	same(t, "work", work, wide(8, 4))
	same(t, "jobs", jobs, []uint32{2, 1})
}

// Ten instances of 16 cores and 64 GiB for an hour; three tiers of 4, 3 and 3 use
// 2, 2 and 3 of them by memory, and half as many cores.
func TestAReportNamesWhatIsStranded(t *testing.T) {
	in := &sked.ReportInput{Tiers: 3, Window: time.Hour, Instances: 10, Instance: []int64{16, 64},
		Tier: []uint8{1, 2, 3}, Allocation: []int64{4, 3, 3}, Used: wide(2*hour, 2*hour, 3*hour),
		Usage: wide(16*hour, 128*hour, 16*hour, 128*hour, 24*hour, 192*hour)}
	r := must(sked.Report(in, nil, &sked.ReportResult{RatioPPM: []int64{}, Stranded: []int64{}}))(t)
	same(t, "ratios", r.RatioPPM, []int64{700000, 350000, 700000, 500000, 250000, 500000,
		666667, 333333, 666667, 1000000, 500000, 1000000})
	same(t, "stranded", r.Stranded, []int64{56, 0})
	same(t, "dominant, needed, by", []int64{int64(r.Dominant), r.Needed, r.By}, []int64{1, 10, 0})
	same(t, "what to do", r.Action.String()+" "+r.Reason.String(), "keep within")
	in.TargetPPM, in.BandPPM = 350000, 50000
	r = must(sked.Report(in, nil, r))(t)
	same(t, "at half the target", []int64{r.By, r.Needed}, []int64{10, 20})
	same(t, "why", r.Action.String()+" "+r.Reason.String(), "grow above")
	in.Tier[2] = 4
	var e *sked.Error
	if _, err := sked.Report(in, nil, nil); !errors.As(err, &e) || e.Row != 2 {
		t.Fatal(err)
	}
}

func TestReportsAreCompared(t *testing.T) {
	now := &sked.ReportCompareInput{Key: []uint64{1, 2, 3}, Tier: []uint8{1, 2, 3}, SLO: []time.Duration{50, 60, 90}}
	before := &sked.ReportCompareInput{Key: []uint64{3, 1, 9}, Tier: []uint8{1, 1, 3}, SLO: []time.Duration{90, 60, 60}}
	change, tiers, err := sked.ReportCompare(now, before, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "changes", change, []uint8{uint8(sked.ReportFlowSLO), uint8(sked.ReportFlowNew), uint8(sked.ReportFlowRetiered)})
	same(t, "tiers", tiers[:3], []sked.ReportTier{{Workflows: 1, SLO: 1}, {Workflows: 1, Added: 1}, {Workflows: 1, Retiered: 1, Gone: 1}})
}

// 20 for the first tier leave 20: of those the second takes 9, since with 16
// nothing would be left for the third.
func TestTheFirstTierChoosesFirst(t *testing.T) {
	in := &sked.TiersInput{StepPPM: 100000, Total: 40, LowPPM: []int64{800000, 800000, 800000},
		HighPPM: []int64{1000000, 1000000, 1000000}, Usage: wide(500, 500, 500),
		Allocation: []int64{8, 10, 20, 8, 9, 16, 6, 7, 12}}
	r := must(sked.TiersSearch(in, nil, nil))(t)
	same(t, "thresholds", r.ThresholdPPM, []int64{1000000, 900000, 900000})
	same(t, "allocations", r.Allocation, []int64{20, 9, 7})
	same(t, "sums", []int64{r.Allocated, r.Smallest}, []int64{36, 22})
	in.Total = 21
	r = must(sked.TiersSearch(in, nil, r))(t)
	same(t, "too little", r.Outcome.String(), "total")
	same(t, "what would do", r.Smallest, int64(22))
	in.Allocation = in.Allocation[:8]
	if _, err := sked.TiersSearch(in, nil, nil); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
}

// company is two organisations that share one leaf, and what they held.
func company(t *testing.T) (*sked.Tree, *sked.AdviceInput) {
	tree := must(sked.ReadTree("kinds cpu\nroot\nroot.mix\n", sked.TreeCommitLenient, nil))(t)
	t.Cleanup(func() { tree.Close() })
	const s = sked.Time(time.Second)
	jobs := &sked.PlanJobs{Fields: [][]string{{"ads", "ads", "ml", "ml", "late"}}, Tier: []uint8{1, 3, 3, 3, 3},
		Start: []sked.Time{0, 0, 50 * s, 60 * s, 100 * s}, End: []sked.Time{20 * s, 50 * s, 100 * s, 90 * s, 120 * s},
		From: 0, To: 100 * s}
	return tree, &sked.AdviceInput{Jobs: jobs, Amounts: []int64{25, 50, 40, 20, 20}, Instance: []int64{10}, Instances: 20}
}

func TestLeavesAreAdvisedWhatTheyNeeded(t *testing.T) {
	tree, in := company(t)
	a := must(sked.NewAdvice(tree, in, nil))(t)
	defer a.Close()
	sum := must(a.Result())(t)
	same(t, "allocations", sum.Allocation[:3], []int64{3, 0, 5 + 6})
	same(t, "leaves", sum.Leaves, uint64(3))
	leaf := must(a.Leaf(2))(t)
	same(t, "the leaf of ml", []int64{leaf.Point.Amount, leaf.Point.Lower, leaf.MaxRunning, leaf.ThresholdPPM},
		[]int64{6, 4, 3, sked.PPM})
	advised := a.Tree()
	same(t, "its path", must(advised.Path(leaf.Queue))(t), "root.ml.default")
	same(t, "its weight", must(advised.Get(must(advised.Find("root.ads"))(t), sked.QueueWeight))(t), int64(8))
	if err := advised.Commit(sked.TreeCommitLenient); !errors.Is(err, sked.ErrState) {
		t.Fatal("what is lent was changed:", err)
	}
	if err := a.Apply(tree, nil); err != nil {
		t.Fatal(err)
	}
	d := must(sked.NewDiff(tree, a.Tree(), nil))(t)
	defer d.Close()
	same(t, "differences once applied", d.Count(), 0)
	if err := a.Apply(tree, nil); !errors.Is(err, sked.ErrExists) {
		t.Fatal(err)
	}
	in.Used = make([]uint8, tree.Count())
	must(sked.NewAdvice(tree, in, nil))(t).Close()
	tree.Close()
	if _, err := sked.NewAdvice(tree, in, nil); !errors.Is(err, sked.ErrClosed) {
		t.Fatal(err)
	}
}

// Much unimportant work, then a little that matters: first come, first served
// makes it wait, the tree that is advised does not.
func TestAdviceIsProvedByRunningBoth(t *testing.T) {
	tree, in := company(t)
	a := must(sked.NewAdvice(tree, in, nil))(t)
	defer a.Close()
	check := &sked.AdviceProveInput{Nodes: []sked.SimNodes{{Count: 1, Amounts: []int64{20}}}, Jobs: &sked.SimJobs{},
		Names: &sked.PlanJobs{Fields: [][]string{nil}}, Options: &sked.SimOptions{Heartbeat: time.Second}}
	mix := must(tree.Find("root.mix"))(t)
	for i, w := range []struct {
		org                   string
		tier                  uint8
		at, tasks, took, over int64
	}{
		{"ads", 3, 0, 100, 10, 200}, {"ads", 3, 0, 100, 10, 300}, {"ml", 3, 0, 100, 10, 300},
		{"ads", 1, 5, 20, 10, 90}, {"new", 3, 6, 1, 1, 500}, {"ads", 1, 7, 1, 10, 5},
	} {
		j := check.Jobs
		j.Submit = append(j.Submit, sked.Time(w.at*1e9))
		j.Run = append(j.Run, time.Duration(w.took*1e9))
		j.Tasks = append(j.Tasks, w.tasks)
		j.Amounts = append(j.Amounts, 1)
		j.Queue = append(j.Queue, mix)
		check.Names.Fields[0] = append(check.Names.Fields[0], w.org)
		check.Names.Tier = append(check.Names.Tier, w.tier)
		check.Tier = append(check.Tier, w.tier)
		check.Workflow = append(check.Workflow, uint32(i))
		check.SLO = append(check.SLO, time.Duration(w.over*1e9))
	}
	side := must(a.Prove(tree, check, nil))(t)
	for i := range side {
		same(t, "jobs, unfinished", []uint64{side[i].Jobs, side[i].Unfinished}, []uint64{6, 0})
		same(t, "unimportant", side[i].Tier[2].Successful, uint64(4))
	}
	same(t, "important, before and after", []uint64{side[0].Tier[0].Successful, side[1].Tier[0].Successful}, []uint64{0, 1})
	plain := must(sked.NewSim(&sked.SimInput{Tree: tree, Jobs: check.Jobs, Nodes: check.Nodes}, check.Options, nil))(t)
	defer plain.Close()
	if err := plain.Run(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	same(t, "the plain simulation", must(plain.Result())(t).Digest, side[0].Digest)
}

// Half of the time 1 instance of 2 units, half of it 3: at 50 % one is enough.
func TestAHistoryAnswersAsOfferedMonthAfterMonth(t *testing.T) {
	h := must(sked.NewHistory([]int64{2}, &sked.HistoryOptions{Queues: 1, Kinds: 1}, nil))(t)
	defer h.Close()
	_ = must(h.Add(&sked.HistoryInput{Form: sked.HistoryFormIntervals, Queue: []uint32{0, 0}, Start: []sked.Time{0, 50},
		End: []sked.Time{100, 100}, Amount: []int64{2, 4}}))(t)
	if err := h.Settle(100); err != nil {
		t.Fatal(err)
	}
	points, total, err := h.Percentile([]uint32{0, 0}, []sked.Ratio{{Num: 1, Den: 2}, {Num: 95, Den: 100}}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "amounts", []int64{points[0].Amount, points[len(points)-1].Amount}, []int64{1, 3})
	same(t, "in use", total[0].InUse, int64(100))
	covered := new(big.Rat).SetFrac64(points[0].Covered.Num, points[0].Covered.Den)
	same(t, "covered", covered, big.NewRat(1, 2))
	plan := must(h.Reserved(0, 100, sked.Ratio{Num: 3, Den: 5}))(t)
	one := sked.PercentileReservedCost{Amount: 1, ReservedAmount: sked.Wide{Low: 100}, Demand: sked.Wide{Low: 100}, Cost: sked.Wide{Low: 160}}
	same(t, "cheapest", plan.Cheapest, one)
	same(t, "all reserved", plan.Peak.Cost, sked.Wide{Low: 180})
	same(t, "exceeded", []int64{plan.Exceeded, plan.Window}, []int64{50, 100})
}

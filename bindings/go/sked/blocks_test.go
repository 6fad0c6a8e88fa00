package sked_test

import (
	"errors"
	"math/big"
	"testing"

	"example.org/sked/bindings/go/sked"
)

// twoHosts is the published table: 100 blocks on one host alone, 50 on another.
func twoHosts() *sked.LocalityInput {
	in := &sked.LocalityInput{Hosts: 2, Replicas: 1}
	for block := 0; block < 150; block++ {
		in.Replica = append(in.Replica, uint32(block/100))
	}
	return in
}

func TestLoadIsWeighedAgainstTransfers(t *testing.T) {
	l := must(sked.NewLocality(twoHosts(), nil, nil))(t)
	defer l.Close()
	for _, c := range []struct{ compute, transfer, load, moved int64 }{
		{4, 4, 100, 0}, {4, 2, 75, 25}, {4, 1, 75, 25}, {2, 4, 100, 0},
	} {
		r := must(l.Search(&sked.LocalitySearchOptions{Compute: uint64(c.compute), Transfer: uint64(c.transfer)}))(t)
		same(t, "point", r.Point, sked.LocalityPoint{Load: c.load, Transfers: uint64(c.moved)})
		same(t, "cost", r.Cost, sked.Wide{Low: uint64(c.load*c.compute + c.moved*c.transfer)})
	}
	curve := must(l.Curve(nil))(t)
	for i, p := range curve {
		same(t, "curve", p, sked.LocalityPoint{Load: 75 + int64(i), Transfers: uint64(25 - i)})
	}
	same(t, "points", len(curve), 26)
	same(t, "blocks", l.HostBlocks(nil), []uint32{100, 50})
	same(t, "loads", []int64{l.Floor(), l.LeastLoad(), l.Load(25), int64(l.Transfers(80))}, []int64{75, 100, 75, 20})
	hosts, blocks, err := l.Bottleneck(80, nil)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "what is in the way", hosts, []uint32{0})
	same(t, "its blocks", blocks, uint64(100))
	if err = sked.LocalityVerify(twoHosts(), l.Choice(nil), l.Levels(nil), nil); err != nil {
		t.Fatal(err)
	}
	if sked.LocalityVerify(twoHosts(), l.Choice(nil), []int64{0, 0}, nil) == nil {
		t.Fatal("a wrong level passes for a proof")
	}
}

func TestBlocksInForceMoveLittle(t *testing.T) {
	l := must(sked.NewLocalityLive(2, 2, nil))(t)
	defer l.Close()
	first := must(l.Add([]uint32{0, 1}))(t)
	second := must(l.Add([]uint32{0}))(t)
	same(t, "hosts", []uint32{l.Host(first), l.Host(second)}, []uint32{1, 0})
	moves := make([]sked.LocalityMove, 4)
	n := must(l.Take(moves))(t)
	same(t, "moves", moves[:n], []sked.LocalityMove{{Block: first, From: sked.None, To: 1}, {Block: second, From: sked.None, To: 0}})
	if err := l.Down(1); err != nil {
		t.Fatal(err)
	}
	same(t, "loads", l.Loads(nil), []uint32{2, 0})
	same(t, "beyond one a host", l.Transfers(1), uint64(1))
	if _, err := l.Add([]uint32{0, 7}); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
}

// Two queues of one slot's share each; host 0 has the only replica of three of
// the four blocks. Together one block of each queue runs where it lies.
func TestSharesAndPlacesArePlannedTogether(t *testing.T) {
	in := &sked.LocalityFairInput{Hosts: 2, Replicas: 2, Queue: []uint32{0, 0, 1, 1}, Share: []uint32{1, 1},
		Replica: []uint32{0, sked.None, 0, 1, 0, sked.None, 0, sked.None}}
	r := must(sked.LocalityFair(in, nil, nil, &sked.LocalityFairResult{QueueLocal: []uint32{}}))(t)
	same(t, "local, transfers, bound", []uint64{r.Local, r.Transfers, r.Bound}, []uint64{2, 0, 2})
	same(t, "by queue", r.QueueLocal, []uint32{1, 1})
	same(t, "hosts of queue 0", r.Host[:2], []uint32{sked.None, 1})
	if err := sked.LocalityFairVerify(in, r, nil); err != nil {
		t.Fatal(err)
	}
	r.Host[1] = sked.None
	if sked.LocalityFairVerify(in, r, nil) == nil {
		t.Fatal("a plan that leaves a slot passes")
	}
}

// Four alike tasks on four slots, perfectly divisible: one after the other or side
// by side, no schedule ends before the work over the slots.
func TestABatchEndsAsSoonAsItCan(t *testing.T) {
	in := &sked.BatchInput{Slots: 4, Blocks: []uint64{4, 4, 4, 4},
		Table: []int64{8, 4, 3, 2, 8, 4, 3, 2, 8, 4, 3, 2, 8, 4, 3, 2}}
	bounds := must(sked.BatchBound(in, nil))(t)
	same(t, "area", new(big.Rat).SetFrac64(bounds.Area.Num, bounds.Area.Den), big.NewRat(8, 1))
	same(t, "path, best", []int64{bounds.Path, bounds.Best}, []int64{2, 8})
	r := must(sked.BatchPlan(in, &sked.BatchOptions{Method: sked.BatchMethodBest, Seed: 1}, nil, nil))(t)
	same(t, "makespan", []int64{r.Believed, r.Bound, r.Metrics.Makespan}, []int64{8, 8, 8})
	same(t, "spans", len(r.Spans), 4)
	for _, s := range r.Spans {
		same(t, "a span", s.End-s.Start, in.Table[s.Task*4+s.Slots-1])
	}
	rule := &sked.BatchRule{Slots: 4}
	same(t, "measured", must(sked.BatchMeasure(r.Spans, rule, nil))(t), r.Metrics)
	same(t, "five on three nodes", must(sked.BatchSpread(5, 3, nil))(t), []uint32{2, 2, 1})
	in.Table[6] = 0
	if _, err := sked.BatchBound(in, nil); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
}

// A host that runs it asks what starts and says what ended.
func TestAHostRunsABatch(t *testing.T) {
	in := &sked.BatchInput{Slots: 2, Blocks: []uint64{1, 1, 1}, Table: []int64{4, 3, 4, 3, 4, 3}}
	run := must(sked.NewBatchRun(in, &sked.BatchOptions{Method: sked.BatchMethodGreedy}, nil))(t)
	defer run.Close()
	starts, ends := make([]sked.BatchStart, 3), map[uint32]int64{}
	for now, left := int64(0), 3; left > 0 && now < 20; now++ {
		for task, end := range ends {
			if end == now {
				if err := run.Finish(task, now); err != nil {
					t.Fatal(err)
				}
				delete(ends, task)
				left--
			}
		}
		for _, s := range starts[:must(run.Next(now, starts))(t)] {
			ends[s.Task] = now + in.Table[s.Task*2+s.Slots-1]
		}
	}
	spans := must(run.Spans(nil))(t)
	same(t, "spans", len(spans), 3)
	same(t, "measured", must(sked.BatchMeasure(spans, &sked.BatchRule{Slots: 2}, nil))(t).Makespan, int64(8))
}

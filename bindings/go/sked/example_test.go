package sked_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"example.org/sked/bindings/go/sked"
)

// What each of three queues gets of 100 units when one wants little.
func ExampleFill() {
	r, err := sked.Fill(&sked.FillInput{Total: 100, Demand: []int64{10, 80, 80}, Weight: []uint32{1, 1, 2}}, nil, nil, nil)
	fmt.Println(r.Share, r.Outcome, err)
	// Output: [10 30 60] ok <nil>
}

// A tree from text, and its shares.
func ExampleShare() {
	tree, err := sked.ReadTree("kinds cpu\nroot\nroot.ads weight=3\nroot.ml\n", sked.TreeCommitStrict, nil)
	if err != nil {
		panic(err)
	}
	defer tree.Close()
	ledger, _ := sked.NewLedger(tree, nil, nil)
	defer ledger.Close()
	ads, _ := tree.Find("root.ads")
	ml, _ := tree.Find("root.ml")
	_ = ledger.Set(sked.LedgerDemand, []sked.QueueID{ads, ml}, []int64{50, 90})
	shares, _ := sked.NewShare(nil, nil)
	defer shares.Close()
	if err = shares.Compute(context.Background(), tree, ledger, []int64{100}); err != nil {
		panic(err)
	}
	got, _ := shares.Get(ml, nil)
	fmt.Println(got)
	// Output: [50]
}

// Errors say which code, and where.
func ExampleError() {
	_, err := sked.ReadTree("kinds cpu\nroot\nroot.a weight=heavy\n", sked.TreeCommitStrict, nil)
	var faults *sked.Faults
	fmt.Println(errors.Is(err, sked.ErrSyntax), errors.As(err, &faults))
	fmt.Println(faults.List[0].Line, faults.List[0].Code)
	// Output:
	// true true
	// 3 bad_value
}

// All or nothing: an edit that fails leaves the tree as it was.
func ExampleTree_Edit() {
	tree, _ := sked.ReadTree("kinds cpu\nroot\nroot.a\n", sked.TreeCommitStrict, nil)
	defer tree.Close()
	err := tree.Edit(sked.TreeCommitStrict, func(t *sked.Tree) error {
		b, err := t.Add(t.Root(), "b")
		if err != nil {
			return err
		}
		return t.Set(b, sked.QueueWeight, 5)
	})
	text, _ := tree.Format()
	fmt.Print(err, "\n", text)
	// Output:
	// <nil>
	// kinds cpu=1
	// root
	// root.a
	// root.b weight=5
}

// Events in, decisions out, each written to a journal.
func ExampleEngine() {
	tree, _ := sked.ReadTree("kinds cpu memory=B\nroot\nroot.a\n", sked.TreeCommitStrict, nil)
	defer tree.Close()
	engine, _ := sked.NewEngine(tree, nil, nil)
	defer engine.Close()
	a, _ := tree.Find("root.a")
	var e sked.Events
	e.Add(sked.Event{Kind: sked.EventNodeUp, Key: 1, Amount: e.Row(8, 1<<30)})
	e.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 5, Owner: 1, Queue: a})
	e.Add(sked.Event{Kind: sked.EventAskAdd, Key: 6, Owner: 5, Count: 3, Amount: e.Row(2, 1<<20)})
	e.Add(sked.Event{Time: 1e9, Kind: sked.EventHeartbeat, Key: 1})
	if _, _, err := engine.Apply(&e, 0); err != nil {
		panic(err)
	}
	journal := sked.NewJournal(os.Stdout)
	engine.Decisions(func(d *sked.Decision) bool { return journal.Write(d) == nil })
	// Output:
	// seq,time_ns,kind,job,ask,task,count,queue,node,group,reason
	// 1,0,admit,5,0,0,0,4294967297,0,0,order
	// 2,1000000000,allocate,5,6,0,3,4294967297,1,4294967297,order
}

// A percentile allocation: what covers 95 % of the time in which it is in use.
func ExamplePercentile() {
	points, _, err := sked.Percentile(&sked.PercentileInput{
		Length: []int64{100, 60, 50, 18, 12, 480}, Amount: []int64{3, 8, 5, 12, 20, 0},
		First: []uint64{0, 6}, Threshold: []sked.Ratio{{Num: 95, Den: 100}},
	}, nil, nil, nil)
	fmt.Println(points[0].Amount, err)
	// Output: 12 <nil>
}

// A simulation that is stopped keeps what it has done.
func ExampleSim_Run() {
	tree, _ := sked.ReadTree("kinds cpu\nroot\nroot.a\n", sked.TreeCommitStrict, nil)
	defer tree.Close()
	a, _ := tree.Find("root.a")
	sim, err := sked.NewSim(&sked.SimInput{Tree: tree,
		Jobs: &sked.SimJobs{Submit: []sked.Time{0, 1}, Run: durations(5e9, 5e9), Amounts: []int64{1, 1},
			Queue: []sked.QueueID{a, a}},
		Nodes: []sked.SimNodes{{Count: 1, Amounts: []int64{1}}}}, nil, nil)
	if err != nil {
		panic(err)
	}
	defer sim.Close()
	err = sim.Run(context.Background(), nil)
	r, _ := sim.Result()
	fmt.Println(r.JobsFinished, sked.Time(r.End), err)
	// Output: 2 10s <nil>
}

package sked_test

import (
	"errors"
	"fmt"
	"time"

	"example.org/sked/bindings/go/sked"
)

// Whose turn it is, by dominant shares: the published example of two users.
func ExampleDRFAllocate() {
	pool := []int64{9, 18} // cpus, GB
	tasks, err := sked.DRFAllocate(&sked.DRFInput{Capacity: []int64{9, 18}, Demand: []int64{1, 4, 3, 1}}, nil, pool, nil)
	fmt.Println(tasks, pool, err)
	// Output: [3 2] [0 4] <nil>
}

// A hierarchy: the leaf whose turn it is gets a task until nothing fits.
func ExampleHDRF() {
	h, err := sked.NewHDRF([]uint32{sked.None, 0, 0}, []uint32{1, 2, 1}, &sked.HDRFOptions{Kinds: 1}, nil)
	if err != nil {
		panic(err)
	}
	defer h.Close()
	_ = h.SetCapacity([]int64{6})
	_ = h.SetLeaves([]uint32{1, 2}, nil, []int64{1, 1}, []int64{9, 9})
	turns := make([]uint32, 6)
	n, _, err := h.Run(turns)
	fmt.Println(turns[:n], err)
	// Output: [1 2 1 1 2 1] <nil>
}

// What turns one tree into another, as text.
func ExampleDiff() {
	one, _ := sked.ReadTree("kinds cpu\nroot\nroot.a weight=2\n", sked.TreeCommitStrict, nil)
	other, _ := sked.ReadTree("kinds cpu\nroot\nroot.a weight=3\nroot.b\n", sked.TreeCommitStrict, nil)
	defer one.Close()
	defer other.Close()
	diff, err := sked.NewDiff(one, other, nil)
	if err != nil {
		panic(err)
	}
	defer diff.Close()
	text, _ := diff.Format()
	fmt.Print(text)
	// Output:
	// + root.b
	// ~ root.a weight: 2 -> 3
}

// Which tasks give way: three units are needed, and tasks of two may go.
func ExamplePreemptSelect() {
	plan, err := sked.PreemptSelect(&sked.PreemptInput{Kinds: 1, Usage: []int64{10, 0}, Keep: []int64{5, 0},
		Need: []int64{3}, Queue: []uint32{0, 0, 0}, Amount: []int64{2, 2, 2}, Count: []uint32{1, 1, 1}}, nil, nil)
	fmt.Println(len(plan.Victims), plan.Covered, err)
	// Output: 2 [3] <nil>
}

// Which of two clusters a job goes to: the one with more of all capacity free.
func ExampleRouteOnce() {
	now := &sked.RouteInput{Capacity: []int64{100, 200}, Available: []int64{20, 30}}
	answers, _, err := sked.RouteOnce(now, &sked.RouteJobs{Request: []int64{1}}, 0, nil, nil, nil)
	fmt.Println(answers[0].Cluster, answers[0].Score.Num, answers[0].Score.Den, err)
	// Output: 2 30 300 <nil>
}

// Workflows move so that no cluster is used for more than 80 %.
func ExampleBalance() {
	_, moves, err := sked.Balance(&sked.BalanceInput{CeilingPPM: 800000, Capacity: []int64{100, 50},
		Usage: []int64{60, 30}, Home: []uint32{0, 0}}, nil, nil, nil)
	for _, m := range moves {
		fmt.Println(m.Workflow, m.From, m.To)
	}
	fmt.Println(err)
	// Output:
	// 1 0 1
	// <nil>
}

// Which host reads which block, so that none has more to do than it must.
func ExampleLocality() {
	l, err := sked.NewLocality(&sked.LocalityInput{Hosts: 3, Replicas: 2, Replica: []uint32{0, 1, 0, 1, 0, 2}}, nil, nil)
	if err != nil {
		panic(err)
	}
	defer l.Close()
	fmt.Println(l.HostBlocks(nil), l.LeastLoad(), l.Transfers(1))
	// Output: [1 1 1] 1 0
}

// How many slots each task of a batch gets; no schedule can end sooner.
func ExampleBatchPlan() {
	plan, err := sked.BatchPlan(&sked.BatchInput{Slots: 4, Blocks: []uint64{4, 4}, Table: []int64{8, 4, 3, 2, 8, 4, 3, 2}},
		&sked.BatchOptions{Method: sked.BatchMethodBest}, nil, nil)
	fmt.Println(plan.Believed, plan.Bound, err)
	// Output: 4 4 <nil>
}

// How many instances a run needs to end in time.
func ExampleSLOInstances() {
	work := sked.Wide{Low: uint64(1200 * time.Hour)}
	fmt.Println(sked.SLOInstances(work, 1, 12*time.Hour))
	// Output: 100 <nil>
}

// What a month says of a queue: enough for half of the time, for all of it.
func ExampleHistory() {
	h, err := sked.NewHistory([]int64{2}, &sked.HistoryOptions{Queues: 1}, nil)
	if err != nil {
		panic(err)
	}
	defer h.Close()
	_, _ = h.Add(&sked.HistoryInput{Form: sked.HistoryFormIntervals, Queue: []uint32{0, 0},
		Start: []sked.Time{0, 50}, End: []sked.Time{100, 100}, Amount: []int64{2, 4}})
	_ = h.Settle(100)
	points, _, err := h.Percentile([]uint32{0}, []sked.Ratio{{Num: 1, Den: 2}, {Num: 1, Den: 1}}, nil, nil)
	fmt.Println(points[0].Amount, points[1].Amount, err)
	// Output: 1 3 <nil>
}

// What may follow what in the life of a task, and who may ask for it.
func ExampleLifeTable() {
	table := sked.LifeTableOf(sked.LifeTableTask)
	at := sked.LifeIn(sked.LifeTaskPending)
	step, err := table.Next(&at, table.EventNamed("admit"), sked.LifeCauseQueues)
	fmt.Println(table.States[step.At.State], step.Outcome, err)
	_, err = table.Next(&step.At, table.EventNamed("run"), sked.LifeCauseUser)
	fmt.Println(errors.Is(err, sked.ErrState))
	// Output:
	// READY moved <nil>
	// true
}

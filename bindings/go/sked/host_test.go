package sked_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"example.org/sked/bindings/go/sked"
)

func TestACommitIsTraced(t *testing.T) {
	var seen []sked.Trace
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, &sked.Host{Trace: func(r sked.Trace) { seen = append(seen, r) }}))(t)
	defer tree.Close()
	if err := tree.Set(tree.Root(), sked.QueueMaxRunning, 7); err != nil {
		t.Fatal(err)
	}
	seen = nil
	if err := tree.Commit(sked.TreeCommitStrict); err != nil {
		t.Fatal(err)
	}
	same(t, "records", seen, []sked.Trace{{What: sked.TraceCommit, Queue: tree.Root(), A: 3, B: 5, C: 1}})
}

// An order of chance goes by what the host draws.
func TestChanceIsTheHosts(t *testing.T) {
	tree := must(sked.ReadTree("kinds cpu\nroot order=random\nroot.a\nroot.b\n", sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	ledger := must(sked.NewLedger(tree, nil, nil))(t)
	defer ledger.Close()
	found := map[sked.QueueID]bool{}
	for draw := uint64(0); draw < 64; draw++ {
		order := must(sked.NewOrder(nil, &sked.Host{Random: func() uint64 { return draw << 58 }}))(t)
		view := &sked.OrderInput{Tree: tree, Ledger: ledger, Capacity: []int64{9}, Eligible: []uint8{1, 1, 1}}
		found[must(order.Next(view, tree.Root()))(t)] = true
		order.Close()
	}
	same(t, "children that may be next", len(found), 2)
}

// A handle that was closed leaves nothing that waits for its context.
func TestCloseEndsWhatFollowsTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	before := runtime.NumGoroutine()
	for i := 0; i < 20; i++ {
		must(sked.ReadTree(small, sked.TreeCommitStrict, &sked.Host{Context: ctx}))(t).Close()
	}
	for i := 0; i < 100 && runtime.NumGoroutine() > before; i++ {
		time.Sleep(time.Millisecond)
	}
	if n := runtime.NumGoroutine(); n > before+5 {
		t.Fatalf("%d goroutines, %d before", n, before)
	}
}

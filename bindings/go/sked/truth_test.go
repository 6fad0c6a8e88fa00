package sked_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"example.org/sked/bindings/go/sked"
)

// told is what a host knows to be so: a node, a job, an ask, and tasks of it
// that run.
func told(queue sked.QueueID, running int64) *sked.Events {
	var b sked.Events
	amount := b.Row(1000, 1<<30)
	b.Add(sked.Event{Time: 9, Kind: sked.EventNodeUp, Key: 1, Amount: b.Row(4000, 8<<30)})
	b.AddAt(sked.Event{Time: 9, Kind: sked.EventJobSubmit, Key: 7, Owner: 1, Queue: queue}, 3, sked.Unset)
	b.Add(sked.Event{Time: 9, Kind: sked.EventAskAdd, Key: 9, Owner: 7, Count: 5, Amount: amount})
	b.AddAt(sked.Event{Time: 9, Kind: sked.EventTaskRunning, Key: 1, Owner: 9, Count: running}, 4, 2)
	return &b
}

func TestAnEngineBecomesLikeItsHost(t *testing.T) {
	_, e, a := cluster(t, nil, nil)
	for _, running := range []int64{2, 3} {
		truth := told(a, running)
		found := must(e.Reconcile(truth, nil))(t)
		if len(found) == 0 {
			t.Fatal("nothing differs")
		}
		mend := truth.Mend(found)
		if done, _, err := e.Apply(mend, 0); err != nil || done != len(mend.Rows) {
			t.Fatal(done, err, mend.Rows)
		}
		if found = must(e.Reconcile(truth, found))(t); len(found) != 0 {
			t.Fatal("still differs:", found)
		}
		if s := must(e.Stats())(t); s.RunningTasks != uint64(running) || s.OpenTasks != uint64(5-running) || s.Adopted == 0 {
			t.Fatal(s)
		}
	}
	adopted := uint64(0)
	e.Decisions(func(d *sked.Decision) bool {
		if d.Kind == sked.DecisionAllocate && d.Reason == sked.ReasonAdopted && adopted == 0 {
			adopted = d.Group
		}
		return true
	})
	if state := must(e.TaskState(adopted))(t); adopted == 0 || state != sked.LifeStartedHeld {
		t.Fatal(adopted, state)
	}
	if state := must(e.TaskState(999))(t); state != sked.LifeStartedGone {
		t.Fatal(state)
	}
	truth := told(a, 2)
	truth.Moments = truth.Moments[:1]
	if _, err := e.Reconcile(truth, nil); !errors.Is(err, sked.ErrLength) {
		t.Fatal(err)
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestWhatAsksPreferBecomesLikeTheirHost(t *testing.T) {
	_, e, a := cluster(t, nil, nil)
	truth := told(a, 2)
	is := truth.AttributesOf(sked.RuleAttribute{Key: 3, Value: 7})
	rule := truth.RuleOf([]sked.RuleTerm{{Op: sked.RuleOpEqual, Key: 3, Value: 7}}, nil)
	either := truth.RuleOf([]sked.RuleTerm{{Op: sked.RuleOpIn, Key: 3, N: 2}}, []int64{5, 7})
	truth.Add(sked.Event{Time: 9, Kind: sked.EventNodeAttributes, Key: 1, Places: is})
	truth.Add(sked.Event{Time: 9, Kind: sked.EventAskRule, Key: 9, Places: rule})
	truth.Add(sked.Event{Time: 9, Kind: sked.EventAskPrefer, Key: 9, Places: either, Count: 4})
	truth.Add(sked.Event{Time: 9, Kind: sked.EventAskRacks, Key: 9, Places: truth.Places(5, 6)})
	for _, want := range []int{8, 0, 2, 2} {
		found := must(e.Reconcile(truth, nil))(t)
		if len(found) != want {
			t.Fatal(want, found)
		}
		if done, _, err := e.Apply(truth.Mend(found), 0); err != nil || done != want {
			t.Fatal(done, err)
		}
		if want != 8 { // another weight
			truth.Rows[6].Count++
		}
	}
}

// Columns that do not fit one another are refused before anything crosses.
func TestColumnsThatDoNotFitAreRefused(t *testing.T) {
	_, e, a := cluster(t, nil, nil)
	for name, spoil := range map[string]func(b *sked.Events){
		"amounts":     func(b *sked.Events) { b.Amounts = b.Amounts[:1] },
		"nodes":       func(b *sked.Events) { b.Offsets = []int32{0, 3}; b.Nodes = []uint64{1, 2} },
		"node tasks":  func(b *sked.Events) { b.Places(1, 2); b.NodeTasks = []uint32{1} },
		"moments":     func(b *sked.Events) { b.Moments = b.Moments[:1] },
		"task number": func(b *sked.Events) { b.Tasks = b.Tasks[:1] },
	} {
		b := told(a, 1)
		b.Moments, b.Tasks = b.Moments[:len(b.Rows)], b.Tasks[:len(b.Rows)]
		spoil(b)
		if done, _, err := e.Apply(b, 0); done != 0 || !errors.Is(err, sked.ErrLength) {
			t.Error(name, done, err)
		}
	}
	b := told(a, 1)
	if _, _, err := e.Apply(b, len(b.Rows)+1); !errors.Is(err, sked.ErrLength) {
		t.Error(err)
	}
	if b.Reset(); len(b.Rows)+len(b.Amounts)+len(b.Offsets)+len(b.Nodes)+len(b.NodeTasks)+len(b.Moments)+len(b.Tasks) != 0 {
		t.Error("not empty", b)
	}
	b.Places(7)
	b.PlacesWith([]uint64{8, 9}, []uint32{4, 5})
	b.Places(6)
	same(t, "tasks by node", b.NodeTasks, []uint32{1<<31 - 1, 4, 5, 1<<31 - 1})
	bad := new(sked.Events)
	bad.Add(sked.Event{Kind: sked.EventTick})
	bad.Add(sked.Event{Kind: sked.EventTick})
	bad.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 99})
	done, _, err := e.Apply(bad, 1)
	var failed *sked.Error
	if done != 2 || !errors.As(err, &failed) || failed.Row != 2 {
		t.Error(done, err)
	}
}

// What a yield that says no leaves stays for the next.
func TestDecisionsLeftStay(t *testing.T) {
	_, e, a := cluster(t, nil, nil)
	b := told(a, 2)
	if _, _, err := e.Apply(b, 0); err != nil {
		t.Fatal(err)
	}
	seen := []uint64{}
	for i := 0; i < 2; i++ {
		e.Decisions(func(d *sked.Decision) bool { seen = append(seen, d.Sequence); return false })
		same(t, "seen", len(seen), i+1)
	}
	same(t, "one each", seen, []uint64{1, 2})
}

func TestWhatAHostMaySay(t *testing.T) {
	text := "kinds cpu\nroot\nroot.a\nroot.b weight=x\n"
	_, err := sked.ReadTree(text, sked.TreeCommitStrict, nil)
	if err == nil || !strings.Contains(err.Error(), "line 4") {
		t.Fatal(err)
	}
	if _, err = sked.ReadTree(small, sked.TreeCommitStrict, &sked.Host{MemoryLimit: 100}); !errors.Is(err, sked.ErrNoMem) {
		t.Fatal(err)
	}
	tree := must(sked.ReadTree(small, sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	for _, only := range []bool{false, true} {
		shares := must(sked.NewShare(nil, &sked.Host{ReservedOnly: only}))(t)
		defer shares.Close()
		if err = shares.Reserve(1, 1); err != nil {
			t.Fatal(err)
		}
		ledger := must(sked.NewLedger(tree, nil, nil))(t)
		defer ledger.Close()
		if err = shares.Compute(context.Background(), tree, ledger, []int64{9, 9}); errors.Is(err, sked.ErrNoMem) != only {
			t.Fatal(only, err)
		}
	}
	if !sked.Code(-1500).Is(sked.ErrHost) || sked.Code(-2500).Is(sked.ErrHost) {
		t.Fatal("codes of the host's own")
	}
}

// Nodes take just so many tasks of an exact gang; a count that is no multiple is
// refused.
func TestExactGang(t *testing.T) {
	_, engine, leaf := cluster(t, nil, nil)
	var b sked.Events
	for node := uint64(1); node <= 3; node++ {
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: node, Amount: b.Row(int64(1+node), 100)})
	}
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: leaf})
	exact := uint32(sked.AskGang | sked.AskSpread | sked.AskExact)
	b.AddGang(sked.Event{Kind: sked.EventAskAdd, Key: 5, Owner: 1, Count: 6, Amount: b.Row(1, 1), Flags: exact},
		sked.EventGang{PerNode: 3})
	b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 1})
	if _, _, err := engine.Apply(&b, 0); err != nil {
		t.Fatal(err)
	}
	node := uint64(2)
	engine.Decisions(func(d *sked.Decision) bool {
		if d.Kind == sked.DecisionAllocate {
			if d.Node != node || d.Count != 3 {
				t.Error(d)
			}
			node++
		}
		return true
	})
	var odd sked.Events
	odd.AddGang(sked.Event{Kind: sked.EventAskAdd, Key: 6, Owner: 1, Count: 5, Amount: odd.Row(1, 1), Flags: exact},
		sked.EventGang{PerNode: 3})
	if _, _, err := engine.Apply(&odd, 0); node != 4 || !errors.Is(err, sked.ErrArg) {
		t.Fatal(node, err)
	}
}

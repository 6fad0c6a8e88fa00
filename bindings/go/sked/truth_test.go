package sked_test

import (
	"errors"
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

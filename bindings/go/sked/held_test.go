package sked_test

import (
	"testing"

	"example.org/sked/bindings/go/sked"
)

// What tasks hold while they run, and after they are over: licences, which lie on
// no node; more than was asked for; and, once they are over for their job, their
// node until the host has cleaned up there.
func TestWhatTasksHold(t *testing.T) {
	tree := must(sked.ReadTree("kinds cpu licence\nroot\nroot.q\n", sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	engine := must(sked.NewEngine(tree, &sked.EngineOptions{Pooled: 1 << 1}, nil))(t)
	defer engine.Close()
	queue := must(tree.Find("root.q"))(t)
	var b sked.Events
	var group uint64
	started := func() (tasks int64) {
		engine.Decisions(func(d *sked.Decision) bool {
			if d.Kind == sked.DecisionAllocate {
				group, tasks = d.Group, tasks+d.Count
			}
			return true
		})
		return tasks
	}
	tell := func(e sked.Event) int64 {
		t.Helper()
		b.Add(e)
		if _, _, err := engine.Apply(&b, 0); err != nil {
			t.Fatal(err)
		}
		b.Reset()
		return started()
	}
	holds := func(what string, cpu, licences, free int64) {
		t.Helper()
		used, _, err := engine.Usage(queue, 0, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, what, used, []int64{cpu, licences})
		same(t, what+", free", must(engine.NodeFree(1, nil))(t)[0], free)
	}
	tell(sked.Event{Kind: sked.EventNodeUp, Key: 1, Amount: b.Row(10, 0)})
	tell(sked.Event{Kind: sked.EventPool, Amount: b.Row(0, 3)})
	tell(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: queue})
	tell(sked.Event{Kind: sked.EventAskAdd, Key: 1, Owner: 1, Count: 9, Amount: b.Row(2, 1)})
	beat := sked.Event{Kind: sked.EventHeartbeat, Key: 1}
	same(t, "as licences allow", tell(beat), int64(3))
	first := group
	holds("as asked for", 6, 3, 4)
	tell(sked.Event{Kind: sked.EventTaskResize, Key: first, Amount: b.Row(3, 1)})
	holds("resized", 9, 3, 1)
	tell(sked.Event{Kind: sked.EventTaskReleased, Key: first, Count: 2})
	holds("two released", 3, 1, 1)
	same(t, "the licences are back, the cpu is not", tell(beat), int64(0))
	tell(sked.Event{Kind: sked.EventTaskFinish, Key: first, Count: 2})
	holds("two gone", 3, 1, 7)
	same(t, "and what they held", tell(beat), int64(2))
	holds("two more", 7, 3, 3)
	if err := engine.Check(); err != nil {
		t.Fatal(err)
	}
}

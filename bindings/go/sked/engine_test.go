package sked_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/sked/bindings/go/sked"
)

func cluster(t testing.TB, host *sked.Host, opts *sked.EngineOptions) (*sked.Tree, *sked.Engine, sked.QueueID) {
	t.Helper()
	tree := must(sked.ReadTree("kinds cpu=m memory=B\nroot\nroot.a\nroot.b\n", sked.TreeCommitStrict, nil))(t)
	e := must(sked.NewEngine(tree, opts, host))(t)
	t.Cleanup(func() { e.Close(); tree.Close() })
	return tree, e, must(tree.Find("root.a"))(t)
}

func TestEngineStartsWhatFits(t *testing.T) {
	tree, e, a := cluster(t, nil, nil)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventNodeUp, Key: 1, Count: 1, Amount: b.Row(4000, 8<<30)})
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 7, Owner: 1, Queue: a})
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 9, Owner: 7, Count: 5, Amount: b.Row(1000, 1<<30)})
	b.Add(sked.Event{Time: 1, Kind: sked.EventHeartbeat, Key: 1})
	done, stopped, err := e.Apply(&b, 0)
	if err != nil || stopped || done != 4 {
		t.Fatal(done, stopped, err)
	}
	started := int64(0)
	e.Decisions(func(d *sked.Decision) bool {
		if d.Kind == sked.DecisionAllocate {
			started += d.Count
		}
		return true
	})
	usage, pending, err := e.Usage(a, sked.AnyPartition, nil, make([]int64, 2))
	if err != nil || started != 4 || usage[0] != 4000 || pending[0] != 1000 {
		t.Fatal(started, usage, pending, err)
	}
	binds := sked.ReasonNone
	for _, bound := range must(e.ExplainJob(7, nil))(t) {
		if bound.Binds != 0 {
			binds = bound.Reason
		}
	}
	if binds != sked.ReasonNoNode {
		t.Fatal(binds)
	}
	if s := must(e.Stats())(t); s.RunningTasks != 4 || s.OpenTasks != 1 {
		t.Fatal(s)
	}
	if free := must(e.NodeFree(1, nil))(t); free[0] != 0 || free[1] != 4<<30 {
		t.Fatal(free)
	}
	if err = e.Check(); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(tree, e, sked.DecisionAllocate, sked.ReasonNoNode); got != "Tree(open) Engine(open) allocate no_node" {
		t.Fatal(got)
	}
}

func TestARefusedRowIsNamed(t *testing.T) {
	_, e, a := cluster(t, nil, nil)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 7, Owner: 1, Queue: a})
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 7, Owner: 1, Queue: a})
	done, _, err := e.Apply(&b, 0)
	var failed *sked.Error
	if done != 1 || !errors.Is(err, sked.ErrExists) || !errors.As(err, &failed) || failed.Row != 1 ||
		!strings.Contains(err.Error(), failed.Message+" (row 1") {
		t.Fatal(done, err)
	}
	b.Amounts = []int64{1}
	if _, _, err = e.Apply(&b, 0); !errors.Is(err, sked.ErrLength) {
		t.Fatal(err)
	}
}

func TestHooks(t *testing.T) {
	var lines []string
	now := sked.Time(5)
	_, e, a := cluster(t, &sked.Host{Log: func(_ sked.LogLevel, l string) { lines = append(lines, l) },
		LogLevel: sked.LogInfo, Clock: func() sked.Time { return now }}, nil)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventNodeUp, Key: 1, Count: 1, Amount: b.Row(4000, 8<<30)})
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 7, Owner: 1, Queue: a})
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 9, Owner: 7, Count: 5, Amount: b.Row(1000, 1<<30)})
	if _, _, err := e.Apply(&b, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Pass(sked.Now, 0); err != nil || len(lines) < 2 {
		t.Fatal(lines, err)
	}
}

type away struct{ error }

func TestAHooksErrorAndPanicComeBack(t *testing.T) {
	boom := away{errors.New("manager away")}
	fail := func() error { return boom }
	in := &sked.FillInput{Total: 1 << 40, Demand: make([]int64, 300000), Weight: make([]uint32, 300000)}
	for i := range in.Demand {
		in.Demand[i], in.Weight[i] = int64(i)*7919%1000003, uint32(i%97+1)
	}
	host := &sked.Host{Progress: func(done, total uint64) error { return fail() }}
	_, err := sked.Fill(in, nil, host, nil)
	var mine away
	if !errors.Is(err, sked.ErrHost) || !errors.As(err, &mine) || mine != boom {
		t.Fatal(err)
	}
	fail = func() error { panic("in a hook") }
	func() {
		defer func() {
			if p := recover(); p != "in a hook" {
				t.Fatal(p)
			}
		}()
		_, _ = sked.Fill(in, nil, host, nil)
		t.Fatal("no panic")
	}()
	fail = func() error { return nil }
	if _, err = sked.Fill(in, nil, host, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAHookThatCallsBackIsRefused(t *testing.T) {
	var e *sked.Engine
	var a sked.QueueID
	var inner error
	host := &sked.Host{Clock: func() sked.Time {
		_, _, inner = e.Apply(new(sked.Events), 0)
		return 1
	}}
	_, e, a = cluster(t, host, nil)
	_ = a
	if _, err := e.Pass(sked.Now, 0); err != nil || !errors.Is(inner, sked.ErrInUse) {
		t.Fatal(err, inner)
	}
}

// A panic of a hook goes on where the call was made, once C is back; the shares
// are those of before, and the handle can be used again.
func TestAPanicInAHookLeavesTheOldShares(t *testing.T) {
	const n = 100000
	text := strings.Builder{}
	text.WriteString("kinds cpu\nroot\n")
	for i := 0; i < n; i++ {
		fmt.Fprintf(&text, "root.q%d\n", i)
	}
	tree := must(sked.ReadTree(text.String(), sked.TreeCommitStrict, nil))(t)
	defer tree.Close()
	ledger := must(sked.NewLedger(tree, nil, nil))(t)
	defer ledger.Close()
	ids := must(tree.IDs(nil))(t)[1:]
	demand := make([]int64, n)
	ask := func(a func(i int) int64) {
		for i := range demand {
			demand[i] = a(i)
		}
		if err := ledger.Set(sked.LedgerDemand, ids, demand); err != nil {
			t.Fatal(err)
		}
	}
	angry, told := false, 0
	shares := must(sked.NewShare(nil, &sked.Host{Progress: func(done, total uint64) error {
		told++
		if angry {
			panic("no more")
		}
		return nil
	}}))(t)
	defer shares.Close()
	ask(func(i int) int64 { return int64(i % 7) })
	ctx, capacity := context.Background(), []int64{2 * n}
	if err := shares.Compute(ctx, tree, ledger, capacity); err != nil || told == 0 {
		t.Fatal(err, told)
	}
	before := must(shares.Column(0, nil))(t)
	ask(func(i int) int64 { return int64(i % 5) })
	angry = true
	func() {
		defer func() { same(t, "panic", recover(), "no more") }()
		_ = shares.Compute(ctx, tree, ledger, capacity)
	}()
	same(t, "shares after it", must(shares.Column(0, nil))(t), before)
	angry = false
	if err := shares.Compute(ctx, tree, ledger, capacity); err != nil {
		t.Fatal(err)
	}
	same(t, "a queue that wants 4", must(shares.Get(ids[4], nil))(t)[0] > before[5], true)
}

// A gang over nodes starts as a whole, two tasks a node, and a truth that has one
// makes another engine like this.
func TestGangOverNodes(t *testing.T) {
	_, engine, leaf := cluster(t, nil, nil)
	_, other, _ := cluster(t, nil, nil)
	var b sked.Events
	for node := uint64(1); node <= 3; node++ {
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: node, Amount: b.Row(4, 4)})
	}
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: leaf})
	b.AddGang(sked.Event{Kind: sked.EventAskAdd, Key: 5, Owner: 1, Count: 6, Amount: b.Row(1, 1),
		Flags: uint32(sked.AskGang | sked.AskSpread)}, sked.EventGang{PerNode: 2, AtOnce: 6})
	differences, err := other.Reconcile(&b, nil)
	if err != nil || len(differences) != 5 || differences[4].Gang != (sked.EventGang{PerNode: 2, AtOnce: 6}) {
		t.Fatal(differences, err)
	}
	for _, one := range []struct {
		engine *sked.Engine
		told   *sked.Events
	}{{engine, &b}, {other, b.Mend(differences)}} {
		one.told.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 2})
		if _, _, err := one.engine.Apply(one.told, 0); err != nil {
			t.Fatal(err)
		}
		parts := 0
		one.engine.Decisions(func(d *sked.Decision) bool {
			if d.Kind == sked.DecisionAllocate {
				if parts++; d.Node != uint64(parts) || d.Count != 2 || d.Reason != sked.ReasonGang {
					t.Error(d)
				}
			}
			return true
		})
		if parts != 3 {
			t.Error(parts)
		}
	}
	b.Gangs = b.Gangs[:1]
	if _, _, err := engine.Apply(&b, 0); !errors.Is(err, sked.ErrLength) {
		t.Fatal(err)
	}
}

// A task that is to have a node to itself starts on an empty one and has all of it.
func TestExclusive(t *testing.T) {
	_, engine, leaf := cluster(t, nil, nil)
	var b sked.Events
	for node := uint64(1); node <= 2; node++ {
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: node, Amount: b.Row(4, 4)})
	}
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: leaf})
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 5, Owner: 1, Count: 3, Amount: b.Row(1, 1),
		Flags: uint32(sked.AskExclusive)})
	b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 1})
	b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 2})
	if _, _, err := engine.Apply(&b, 0); err != nil {
		t.Fatal(err)
	}
	started := 0
	engine.Decisions(func(d *sked.Decision) bool {
		if d.Kind == sked.DecisionAllocate {
			if started++; d.Node != uint64(started) || d.Count != 1 {
				t.Error(d)
			}
		}
		return true
	})
	free, err := engine.NodeFree(1, nil)
	if err != nil || started != 2 || free[0] != 0 || free[1] != 0 {
		t.Error(started, free, err)
	}
}

// Tasks of a gang share nodes that nothing else does, and hold them until the last
// of them has left.
func TestExclusiveGang(t *testing.T) {
	_, engine, leaf := cluster(t, nil, nil)
	var b sked.Events
	for node := uint64(1); node <= 2; node++ {
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: node, Amount: b.Row(4, 4)})
	}
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: leaf})
	b.AddGang(sked.Event{Kind: sked.EventAskAdd, Key: 5, Owner: 1, Count: 3, Amount: b.Row(1, 1),
		Flags: uint32(sked.AskGang | sked.AskSpread | sked.AskExclusive)},
		sked.EventGang{PerNode: 2})
	b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 1})
	if _, _, err := engine.Apply(&b, 0); err != nil {
		t.Fatal(err)
	}
	var group uint64
	tasks := int64(0)
	engine.Decisions(func(d *sked.Decision) bool {
		if d.Kind == sked.DecisionAllocate {
			if tasks += d.Count; d.Node == 1 {
				group = d.Group
			}
		}
		return true
	})
	for left := int64(1); left >= 0; left-- {
		var end sked.Events
		end.Add(sked.Event{Kind: sked.EventTaskFinish, Key: group, Count: 1})
		if _, _, err := engine.Apply(&end, 0); err != nil {
			t.Fatal(err)
		}
		free, err := engine.NodeFree(1, nil)
		if err != nil || tasks != 3 || free[0] != 4*(1-left) {
			t.Error(left, tasks, free, err)
		}
	}
}

// A job is charged in a tree of limits, which bounds it; events and differences
// say where.
func TestLimitTrees(t *testing.T) {
	_, engine, leaf := cluster(t, nil, nil)
	_, other, _ := cluster(t, nil, nil)
	limits := must(sked.ReadTree("kinds cpu=m memory=B\nroot\nroot.physics limit=cpu=2\n", sked.TreeCommitStrict, nil))(t)
	t.Cleanup(func() { limits.Close() })
	physics := must(limits.Find("root.physics"))(t)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventNodeUp, Key: 1, Amount: b.Row(8000, 8)})
	b.AddCharged(sked.Event{Kind: sked.EventJobSubmit, Key: 7, Owner: 1, Queue: leaf}, sked.EventCharge{Second: physics})
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 9, Owner: 7, Count: 5, Amount: b.Row(1000, 0)})
	for _, x := range []*sked.Engine{engine, other} {
		if err := x.CommitLimits(2, limits, 0); err != nil {
			t.Fatal(err)
		}
	}
	differences := must(other.Reconcile(&b, nil))(t)
	for _, one := range []struct {
		engine *sked.Engine
		told   *sked.Events
	}{{engine, &b}, {other, b.Mend(differences)}} {
		one.told.Add(sked.Event{Kind: sked.EventHeartbeat, Key: 1})
		if _, _, err := one.engine.Apply(one.told, 0); err != nil {
			t.Fatal(err)
		}
		if usage, running, err := one.engine.LimitsUsage(2, physics, nil); err != nil || running != 1 || usage[0] != 2000 {
			t.Error(running, usage, err)
		}
	}
	b.Charges = b.Charges[:1]
	if _, _, err := engine.Apply(&b, 0); !errors.Is(err, sked.ErrLength) {
		t.Fatal(err)
	}
}

// Nodes have attributes, asks go by rules; what the rule does not take starts
// nothing.
func TestRules(t *testing.T) {
	const zone, model = 1, 2
	_, engine, leaf := cluster(t, nil, nil)
	var b sked.Events
	for node := uint64(1); node <= 3; node++ {
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: node, Amount: b.Row(4, 4)})
		b.Add(sked.Event{Kind: sked.EventNodeAttributes, Key: node,
			Places: b.AttributesOf(sked.RuleAttribute{Key: zone, Value: int64(node)}, sked.RuleAttribute{Key: model, Value: 80})})
	}
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Queue: leaf})
	for ask := uint64(1); ask <= 2; ask++ {
		b.Add(sked.Event{Kind: sked.EventAskAdd, Key: ask, Owner: 1, Count: 1, Amount: b.Row(1, 1)})
		b.Add(sked.Event{Kind: sked.EventAskRule, Key: ask, Places: b.RuleOf([]sked.RuleTerm{
			{Op: sked.RuleOpIn, Key: zone, N: 1},
			{Op: sked.RuleOpGreater, Key: model, Value: 70},
			{Op: sked.RuleOpAnd, N: 2}}, []int64{int64(ask) + 1})})
	}
	for node := uint64(1); node <= 3; node++ {
		b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: node})
	}
	if _, _, err := engine.Apply(&b, 0); err != nil {
		t.Fatal(err)
	}
	engine.Decisions(func(d *sked.Decision) bool {
		if d.Kind == sked.DecisionAllocate && d.Node != d.Ask+1 {
			t.Errorf("ask %d on node %d", d.Ask, d.Node)
		}
		return true
	})
	if s := must(engine.Stats())(t); s.Allocated != 2 {
		t.Fatal(s)
	}
	b.Reset()
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 3, Owner: 1, Count: 3, Amount: b.Row(1, 1)})
	b.Add(sked.Event{Kind: sked.EventAskTags, Key: 3, Places: b.Places(9)})
	b.Add(sked.Event{Kind: sked.EventAskRule, Key: 3, Places: b.RuleOf([]sked.RuleTerm{
		{Op: sked.RuleOpAtMost, Key: 9, Value: 0}}, nil)})
	for node := uint64(1); node <= 2; node++ {
		b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: node})
	}
	if _, _, err := engine.Apply(&b, 0); err != nil {
		t.Fatal(err)
	}
	if s := must(engine.Stats())(t); s.Allocated != 4 {
		t.Error("one a node:", s.Allocated-2)
	}
	b.Reset()
	b.Add(sked.Event{Kind: sked.EventAskRule, Key: 3})
	b.AddAt(sked.Event{Kind: sked.EventAskPrefer, Key: 3, Count: 1, Places: b.RuleOf([]sked.RuleTerm{
		{Op: sked.RuleOpEqual, Key: zone, Value: 3}}, nil)}, 100, sked.Unset)
	for _, at := range []sked.Time{99, 100} {
		b.Add(sked.Event{Kind: sked.EventHeartbeat, Time: at, Key: 1})
		if _, _, err := engine.Apply(&b, 0); err != nil {
			t.Fatal(err)
		}
		if s := must(engine.Stats())(t); s.Allocated != 4+uint64(at/100) {
			t.Error("a soft rule at", at, s.Allocated)
		}
		b.Reset()
	}
	b.Reset()
	for node := uint64(1); node <= 3; node++ {
		b.AttributesOf(sked.RuleAttribute{Key: zone})
	}
	b.Add(sked.Event{Kind: sked.EventTick})
	b.AttributeOffsets[1] = 100
	b.AttributeOffsets[2], b.AttributeOffsets[3] = 100, 100
	if _, _, err := engine.Apply(&b, 0); !errors.Is(err, sked.ErrLength) {
		t.Errorf("offsets beyond the attributes: %v", err)
	}
	b.Reset()
	b.RuleOf([]sked.RuleTerm{{Op: sked.RuleOpExists, Key: 1}}, nil)
	b.RuleOffsets[1] = 9
	if _, _, err := engine.Apply(&b, 0); !errors.Is(err, sked.ErrLength) {
		t.Errorf("offsets beyond the rules: %v", err)
	}
}

func TestEngineGoesByWeightsThatAreSaid(t *testing.T) {
	tree, e, a := cluster(t, nil, nil)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventQueueWeight, Queue: a, Count: 3})
	if done, _, err := e.Apply(&b, 0); err != nil || done != 1 {
		t.Fatal(done, err)
	}
	if err := e.Check(); err != nil {
		t.Fatal(err)
	}
	var root sked.Events
	root.Add(sked.Event{Kind: sked.EventQueueWeight, Queue: tree.Root(), Count: 3})
	if _, _, err := e.Apply(&root, 0); err == nil {
		t.Fatal("the root has a weight")
	}
}

package sked_test

import (
	"context"
	"math/rand"
	"testing"
	"time"

	"example.org/sked/bindings/go/sked"
)

func batch(n int) *sked.Events {
	b := new(sked.Events)
	b.Rows = make([]sked.Event, 0, n)
	for i := 0; i < n; i++ {
		b.Add(sked.Event{Kind: sked.EventTick})
	}
	return b
}

// An operation is one call, or two that undo each other, on the smallest thing
// that there is.
type operation struct {
	name  string
	calls int
	do    func() error
}

// operations are what a host does all day: those that the Python package measures
// too, and an engine's.
func operations(t testing.TB) []operation {
	ctx := context.Background()
	tree, engine, a := cluster(t, nil, nil)
	ledger := must(sked.NewLedger(tree, nil, nil))(t)
	drf := must(sked.NewDRF(&sked.DRFOptions{Kinds: 2}, nil))(t)
	shares := must(sked.NewShare(nil, nil))(t)
	t.Cleanup(func() { ledger.Close(); drf.Close(); shares.Close() })
	if err := drf.SetCapacity([]int64{1000, 1000}); err != nil {
		t.Fatal(err)
	}
	slot := must(drf.Insert(1, 1, nil))(t)
	must(drf.Insert(2, 1, nil))(t)
	up := new(sked.Events)
	up.Add(sked.Event{Kind: sked.EventNodeUp, Key: 1, Amount: up.Row(4000, 8<<30)})
	if _, _, err := engine.Apply(up, 0); err != nil {
		t.Fatal(err)
	}
	capacity, more, less, queues := []int64{1000, 1000}, []int64{1, 1}, []int64{-1, -1}, []sked.QueueID{a}
	one, two, three, column := make([]int64, 2), make([]int64, 2), make([]int64, 2), []int64{}
	ids, taken, tick := []sked.QueueID{}, make([]sked.Decision, 64), batch(1)
	return []operation{
		{"drf.next", 1, func() error { drf.Next(); return nil }},
		{"drf.charge", 2, func() error {
			if err := drf.Charge(slot, more); err != nil {
				return err
			}
			return drf.Charge(slot, less)
		}},
		{"tree.get", 1, func() error { _, err := tree.Get(a, sked.QueueWeight); return err }},
		{"ledger.set", 1, func() error { return ledger.Set(sked.LedgerUsage, queues, more) }},
		{"vec.dominant", 1, func() error { _, _ = sked.VecDominant(capacity, more); return nil }},
		{"tree.ids", 1, func() (err error) { ids, err = tree.IDs(ids); return err }},
		{"share.update", 1, func() error { return shares.Update(ctx, tree, ledger, capacity) }},
		{"share.get", 1, func() (err error) { one, err = shares.Get(a, one); return err }},
		{"share.column", 1, func() (err error) { column, err = shares.Column(0, column); return err }},
		{"engine.event", 1, func() error { _, _, err := engine.Apply(tick, 0); return err }},
		{"engine.take", 1, func() error { _, err := engine.Take(taken); return err }},
		{"engine.usage", 1, func() (err error) { two, _, err = engine.Usage(a, 0, two, nil); return err }},
		{"engine.free", 1, func() (err error) { three, err = engine.NodeFree(1, three); return err }},
		{"engine.pass", 1, func() error { _, err := engine.Pass(0, 0); return err }},
	}
}

func TestTheHotPathAllocatesNothing(t *testing.T) {
	if escapes {
		t.Skip("SKIPPED: this Go cannot be told that calls keep nothing, or a sanitizer allocates")
	}
	for _, o := range operations(t) {
		if n := testing.AllocsPerRun(50, func() {
			if err := o.do(); err != nil {
				t.Fatal(o.name, err)
			}
		}); n != 0 {
			t.Errorf("%s: %v allocations", o.name, n)
		}
	}
}

// What a call costs: at most 350 ns, of which crossing into C is a part.
func BenchmarkCall(b *testing.B) {
	for _, o := range operations(b) {
		b.Run(o.name, func(b *testing.B) {
			b.ReportAllocs()
			start := time.Now()
			for i := 0; i < b.N; i++ {
				if err := o.do(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(time.Since(start))/float64(b.N*o.calls), "ns/call")
		})
	}
}

// One event of 1,024 costs at most 15 ns.
func BenchmarkEventsOf1024(b *testing.B) {
	_, e, _ := cluster(b, nil, nil)
	events := batch(1024)
	b.ReportAllocs()
	b.ResetTimer()
	start := processor()
	for i := 0; i < b.N; i++ {
		if _, _, err := e.Apply(events, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processor()-start)/float64(b.N)/1024, "cpu-ns/event")
}

// Percentiles of a million time units, beside which a crossing is nothing.
func BenchmarkPercentile(b *testing.B) {
	draw := rand.New(rand.NewSource(1))
	in := &sked.PercentileInput{First: []uint64{0, 1000000}}
	for i := 0; i < 1000000; i++ {
		in.Amount = append(in.Amount, 1+draw.Int63n(4999))
		in.Length = append(in.Length, 1+draw.Int63n(99))
	}
	for _, percent := range []int64{50, 80, 90, 95, 99, 100} {
		in.Threshold = append(in.Threshold, sked.Ratio{Num: percent, Den: 100})
	}
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		if _, _, err := sked.Percentile(in, nil, nil, nil); err != nil {
			b.Fatal(err)
		}
	}
}

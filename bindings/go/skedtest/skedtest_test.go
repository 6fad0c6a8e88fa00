package skedtest

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand"
	"testing"
	"testing/quick"

	"example.org/sked/bindings/go/sked"
)

func fill(t testing.TB, f Family) []int64 {
	t.Helper()
	r, err := sked.Fill(f.Input(), nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r.Share
}

func FuzzFill(f *testing.F) {
	AddCorpus(f, "fill")
	f.Fuzz(func(t *testing.T, data []byte) {
		family := DecodeFamily(&Bytes{data})
		if err := Check(family, fill(t, family)); err != nil {
			t.Fatalf("%+v: %v", family, err)
		}
	})
}

func TestFamiliesOfQuick(t *testing.T) {
	if err := quick.Check(func(f Family) bool { return Check(f, fill(t, f)) == nil },
		&quick.Config{MaxCount: 300, Rand: rand.New(rand.NewSource(1))}); err != nil {
		t.Fatal(err)
	}
}

// What Webster's method gives may be more than a unit from the exact share.
func TestNearIsAUnitASibling(t *testing.T) {
	f := Family{Total: 34, Guarantee: make([]int64, 6), Limit: make([]int64, 6),
		Weight: []uint32{97, 97, 97, 3, 3, 3}}
	for i := range f.Limit {
		f.Limit[i] = sked.Unlimited
	}
	share := fill(t, f)
	if fmt.Sprint(share) != "[12 11 11 0 0 0]" {
		t.Fatal(share)
	}
	if err := Check(f, share); err != nil {
		t.Fatal(err)
	}
	if err := IsNear(f, []int64{5, 12, 17, 0, 0, 0}); err == nil {
		t.Fatal("six units from 10.99 are near")
	}
}

func FuzzTreeText(f *testing.F) {
	AddCorpus(f, "tree_text")
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := sked.ReadTree(string(data), sked.TreeCommitLenient, nil)
		if err != nil {
			var e *sked.Error
			if !errors.As(err, &e) || e.Error() == "" {
				t.Fatalf("%T %v", err, err)
			}
			return
		}
		defer tree.Close()
		text, err := tree.Format()
		if err != nil {
			t.Fatal(err)
		}
		again, err := sked.ReadTree(text, sked.TreeCommitLenient, nil)
		if err != nil {
			t.Fatalf("%v of its own text %q", err, text)
		}
		defer again.Close()
		if back, _ := again.Format(); back != text || again.Digest() != tree.Digest() {
			t.Fatalf("%q became %q", text, back)
		}
	})
}

// The loop of dominant resource fairness, task by task in fractions.
func slowDRF(capacity, demand []int64, n int, pool []int64) []int64 {
	kinds := len(capacity)
	tasks := make([]int64, n)
	for {
		first, best := -1, new(big.Rat)
		for i := 0; i < n; i++ {
			if tasks[i] < 0 {
				continue
			}
			share := new(big.Rat)
			for k := 0; k < kinds; k++ {
				if used := demand[i*kinds+k] * tasks[i]; used > 0 {
					if r := big.NewRat(used, capacity[k]); r.Cmp(share) > 0 {
						share = r
					}
				}
			}
			if first < 0 || share.Cmp(best) < 0 {
				first, best = i, share
			}
		}
		if first < 0 {
			break
		}
		for k := 0; k < kinds; k++ {
			if demand[first*kinds+k] > pool[k] {
				tasks[first] = -tasks[first] - 1
				break
			}
		}
		if tasks[first] < 0 {
			continue
		}
		for k := 0; k < kinds; k++ {
			pool[k] -= demand[first*kinds+k]
		}
		tasks[first]++
	}
	for i := range tasks {
		tasks[i] = -tasks[i] - 1
	}
	return tasks
}

func FuzzDRF(f *testing.F) {
	AddCorpus(f, "drf")
	f.Fuzz(func(t *testing.T, data []byte) {
		b := &Bytes{data}
		n, kinds := 1+Below(b, 6), 1+Below(b, 3)
		capacity := make([]int64, kinds)
		for k := range capacity {
			capacity[k] = int64(1 + Below(b, 200))
		}
		demand := make([]int64, n*kinds)
		for i := range demand {
			demand[i] = int64(Below(b, 20))
		}
		for i := 0; i < n; i++ { // who asks for nothing never ends
			demand[i*kinds]++
		}
		want := slowDRF(capacity, demand, n, append([]int64{}, capacity...))
		got, err := sked.DRFAllocate(&sked.DRFInput{Capacity: capacity, Demand: demand}, nil,
			append([]int64{}, capacity...), nil)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%v, not %v (%v): capacity %v demand %v", got, want, err, capacity, demand)
		}
	})
}

// play lets bytes say what happens to an engine, and holds it to the model.
func play(t *testing.T, b *Bytes) {
	tree, err := sked.ReadTree("kinds cpu memory\nroot\nroot.a weight=2\nroot.b\nroot.b.c limit=\"cpu=9\"\n",
		sked.TreeCommitStrict, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	engine, err := sked.NewEngine(tree, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	var queues []sked.QueueID
	for _, path := range []string{"root.a", "root.b.c"} {
		q, err := tree.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		queues = append(queues, q)
	}
	m := NewModel(2)
	var groups []uint64
	for now, steps := sked.Time(1), 0; b.More() && steps < 300; now, steps = now+1, steps+1 {
		var e sked.Events
		key := uint64(1 + Below(b, 8))
		row := sked.Event{Time: now, Key: key}
		switch Below(b, 6) {
		case 0:
			row.Kind, row.Amount = sked.EventNodeUp, e.Row(int64(Below(b, 20)), int64(Below(b, 20)))
		case 1:
			row.Kind, row.Owner, row.Queue = sked.EventJobSubmit, 1, queues[Below(b, 2)]
		case 2:
			row.Kind, row.Owner, row.Count = sked.EventAskAdd, uint64(1+Below(b, 8)), int64(1+Below(b, 5))
			row.Amount = e.Row(int64(1+Below(b, 5)), int64(Below(b, 5)))
		case 3:
			if len(groups) == 0 {
				continue
			}
			row.Kind, row.Key, row.Count = sked.EventTaskFinish, groups[Below(b, len(groups))], 1
		default:
			row.Kind = sked.EventHeartbeat
		}
		e.Add(row)
		done, _, err := engine.Apply(&e, 0)
		if err != nil && !errors.Is(err, sked.ErrExists) && !errors.Is(err, sked.ErrNotFound) &&
			!errors.Is(err, sked.ErrState) && !errors.Is(err, sked.ErrStale) {
			t.Fatal(err)
		}
		if done == 1 {
			m.Happened(&e, 0)
		}
		engine.Decisions(func(d *sked.Decision) bool {
			if err := m.Decided(*d); err != nil {
				t.Fatal(err)
			}
			if d.Kind == sked.DecisionAllocate {
				groups = append(groups, d.Group)
			}
			return true
		})
		if err = m.Agrees(engine); err != nil {
			t.Fatalf("after %v: %v", row, err)
		}
	}
}

func FuzzEngine(f *testing.F) {
	AddCorpus(f, "engine")
	f.Fuzz(func(t *testing.T, data []byte) { play(t, &Bytes{data}) })
}

func TestEngineAgreesWithTheModel(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	for i := 0; i < 100; i++ {
		play(t, Random(r, 600))
	}
}

// A small scheduler of somebody else's, with a bug that its author planted: what
// a queue leaves because of its limit is offered once more, to the others by
// their weights, but never again, so that a second limit leaves it lying about.
func theirs(f Family) []int64 {
	share := make([]int64, len(f.Limit))
	left := f.Total
	for round := 0; round < 2; round++ {
		sum := int64(0)
		for i, w := range f.Weight {
			if share[i] < f.Limit[i] {
				sum += int64(w)
			}
		}
		given := int64(0)
		for i, w := range f.Weight {
			if sum > 0 && share[i] < f.Limit[i] {
				more := left * int64(w) / sum
				if more > f.Limit[i]-share[i] {
					more = f.Limit[i] - share[i]
				}
				share[i] += more
				given += more
			}
		}
		left -= given
	}
	return share
}

func TestThePlantedBugIsFound(t *testing.T) {
	found := ""
	err := quick.Check(func(a, b, c uint8, w uint8) bool {
		f := Family{Total: 300, Limit: []int64{int64(a), int64(b), int64(c), sked.Unlimited},
			Weight: []uint32{1, 1 + uint32(w%3), 2, 1}}
		if bad := UsesAll(f, theirs(f)); bad != nil {
			found = bad.Error()
			return false
		}
		return true
	}, &quick.Config{MaxCount: 1000, Rand: rand.New(rand.NewSource(3))})
	if err == nil || found == "" {
		t.Fatal("the planted bug was not found")
	}
	t.Log(found)
}

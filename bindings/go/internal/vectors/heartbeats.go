package vectors

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"example.org/sked/bindings/go/sked"
)

func pyHeartbeats(f fields, rule string) int {
	var s struct {
		Cluster []int64
		Queues  []struct {
			Path, Policy string
			Weight       json.Number
			Max          []int64
		}
		Apps []struct {
			ID, Queue string
			Start     int64
			Asks      []struct {
				Capability []int64
				Count      int64
			}
		}
		Nodes      map[string][]int64
		Heartbeats []string
		Options    struct {
			Multiple bool
			Most     int64 `json:"max_assign"`
		}
	}
	var want struct{ Allocated [][]string }
	f.told(&s, &want)
	unit := big.NewInt(1)
	for _, q := range s.Queues {
		w, _ := new(big.Rat).SetString(string(q.Weight))
		if w != nil {
			g := new(big.Int).GCD(nil, nil, unit, w.Denom())
			unit.Mul(unit, new(big.Int).Div(w.Denom(), g))
		}
	}
	kinds := make([]string, len(s.Cluster))
	var lines []string
	for _, q := range s.Queues {
		w := big.NewRat(1, 1)
		if q.Weight != "" {
			w.SetString(string(q.Weight))
		}
		w.Mul(w, new(big.Rat).SetInt(unit))
		line := q.Path + " weight=" + new(big.Int).Div(w.Num(), w.Denom()).String()
		if q.Max != nil {
			for i, m := range q.Max {
				if m > sked.AmountMax {
					m = sked.AmountMax
				}
				kinds[i] = "k" + strconv.Itoa(i) + "=" + strconv.FormatInt(m, 10)
			}
			line += ` limit="` + strings.Join(kinds[:len(q.Max)], ",") + `"`
		}
		leaf := true
		for _, p := range s.Queues {
			leaf = leaf && !strings.HasPrefix(p.Path, q.Path+".")
		}
		policy := q.Policy
		if policy == "" {
			policy = "fair"
		}
		switch {
		case leaf && policy == "fifo":
			line += " apps=fifo"
		case leaf:
			line += " apps=fair"
		default:
			line += " order=" + policy
		}
		lines = append(lines, line)
	}
	per := uint32(1)
	if s.Options.Multiple {
		per = uint32(math.Max(0, float64(s.Options.Most)))
	}
	r := newRun(lines, len(s.Cluster), &sked.EngineOptions{MaxPerPass: per})
	defer r.close()
	var b sked.Events
	nodes := map[string]uint64{}
	var names []string
	for n := range s.Nodes {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		nodes[n] = uint64(len(nodes) + 1)
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: nodes[n], Amount: b.Row(s.Nodes[n]...)})
	}
	sort.SliceStable(s.Apps, func(i, j int) bool {
		a, c := s.Apps[i], s.Apps[j]
		return a.Start < c.Start || a.Start == c.Start && a.ID < c.ID
	})
	ask := uint64(0)
	for _, a := range s.Apps {
		b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: r.key(a.ID), Owner: 1, Queue: okay(r.tree.Find(a.Queue))})
		for _, one := range a.Asks {
			ask++
			b.Add(sked.Event{Kind: sked.EventAskAdd, Key: ask, Owner: r.key(a.ID), Count: one.Count, Amount: b.Row(one.Capability...)})
		}
	}
	r.happen(&b)
	got := [][]string{}
	for i, n := range s.Heartbeats {
		b.Reset()
		b.Add(sked.Event{Time: sked.Time(i + 1), Kind: sked.EventHeartbeat, Key: nodes[n]})
		started := []string{}
		for _, d := range r.happen(&b) {
			for c := int64(0); d.Kind == sked.DecisionAllocate && c < d.Count; c++ {
				started = append(started, r.names[d.Job])
			}
		}
		got = append(got, started)
	}
	return agree(got, want.Allocated)
}

const here, nearby, far = 1, 2, 3 // the node asked for, one of its rack, any other

// takes says whether an ask that waited so long takes a node.
func takes(opts sked.EngineOptions, passed sked.Time, node uint64) bool {
	r := newRun([]string{"root", "root.q"}, 1, &opts)
	defer r.close()
	var b sked.Events
	amount := b.Row(1)
	for _, n := range [][2]uint64{{here, 7}, {nearby, 7}, {far, 8}} {
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: n[0], Owner: n[1], Amount: amount})
		b.Add(sked.Event{Kind: sked.EventNodeDrain, Key: n[0]})
	}
	b.Add(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Owner: 1, Queue: okay(r.tree.Find("root.q"))})
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 1, Owner: 1, Count: 2, Amount: amount, Places: b.Places(here)})
	b.Add(sked.Event{Time: passed, Kind: sked.EventNodeResume, Key: node})
	r.happen(&b)
	okay(r.engine.Pass(passed, 0))
	taken := false
	r.engine.Decisions(func(d *sked.Decision) bool {
		taken = taken || d.Kind == sked.DecisionAllocate && d.Node == node
		return true
	})
	return taken
}

func howFar(taken func(uint64) bool) string {
	switch {
	case taken(far):
		return "off"
	case taken(nearby):
		return "rack"
	}
	return "node"
}

func pyWaits(f fields, rule string) int {
	var s struct {
		Node int64 `json:"node_delay_ms"`
		Rack int64 `json:"rack_delay_ms"`
		Ops  []any
	}
	var want []string
	f.told(&s, &want)
	opts := sked.EngineOptions{NodeDelay: time.Duration(s.Node) * time.Millisecond, RackDelay: time.Duration(s.Rack) * time.Millisecond}
	got, passed := []string{}, int64(0)
	for _, op := range s.Ops {
		if n, ok := op.(json.Number); ok {
			more, err := n.Int64()
			fine(err)
			passed += more
		} else {
			passed = 0
		}
		at := sked.Time(passed * int64(time.Millisecond))
		got = append(got, howFar(func(n uint64) bool { return takes(opts, at, n) }))
	}
	return agree(got, want)
}

var numbered = map[string]*regexp.Regexp{
	"mb": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*mb`), "vcores": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*vcores`),
	"% memory": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*%\s*memory`), "% cpu": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*%\s*cpu`),
}

package vectors

import (
	"strconv"
	"strings"

	"example.org/sked/bindings/go/sked"
)

// A teller plays stories of preemption with a host that does as it is told
// (tests/vectors/yarn_lazy.py has the words).
type teller struct {
	*run
	queues  []sked.QueueID
	now     sked.Time
	killed  int64
	running map[int64]int64
	known   map[int64]bool
	seen    map[uint64]bool
}

func story(f fields, rule string) int {
	lines := []string{"root"}
	limits := f.given("limit")
	for i, part := range f.given("part") {
		line := "root.q" + strconv.Itoa(i) + " guarantee=" + strconv.FormatInt(part/10000, 10) + "." + pad(part%10000) + "%"
		if limits[i] != sked.Unlimited {
			line += " limit=k0=" + strconv.FormatInt(limits[i], 10)
		}
		lines = append(lines, line)
	}
	s := &teller{run: newRun(lines, 1, &sked.EngineOptions{NodeMisses: uint32(f.number("misses", 0))}),
		running: map[int64]int64{}, known: map[int64]bool{}, seen: map[uint64]bool{}}
	defer s.close()
	for i := range limits {
		s.queues = append(s.queues, okay(s.tree.Find("root.q"+strconv.Itoa(i))))
	}
	fine(s.engine.Preempt(&sked.EnginePreemptOptions{KeepFor: 1 << 50,
		Targets: &sked.TargetOptions{IgnoredPPM: -1, FactorPPM: 1000000, PerRoundPPM: -1},
		Rounds:  &sked.RoundOptions{Flags: sked.RoundFlagLazy, Grace: 1}}))
	for i, size := range f.given("nodes") {
		var b sked.Events
		b.Add(sked.Event{Kind: sked.EventNodeUp, Key: uint64(i + 1), Amount: b.Row(size)})
		s.apply(&b)
	}
	got := []int64{}
	for rows := f.given("rows"); len(rows) >= 8; rows = rows[8:] {
		op, a, c, node, size, count, flag, key := rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7]
		s.now += 1e9
		switch op {
		case 1:
			before := s.running[a]
			s.ask(a, c, node, size, 1, true, 10000+uint64(s.now), flag)
			s.beat(uint64(node + 1))
			if s.running[a] != before+1 {
				failf("no task of job %d on node %d", a, node)
			}
		case 2:
			s.ask(a, c, node, size, count, flag != 0, uint64(key), 0)
		case 3:
			s.one(sked.Event{Kind: sked.EventAskChange, Key: uint64(key), Count: count})
		case 4:
			s.one(sked.Event{Kind: sked.EventRound})
		case 5:
			s.beat(uint64(node + 1))
		default:
			got = append(got, s.see(a, c))
		}
		fine(s.engine.Check())
	}
	return f.judge("want", got, rule)
}

func pad(n int64) string {
	return strings.Repeat("0", 4-len(strconv.FormatInt(n, 10))) + strconv.FormatInt(n, 10)
}

func (s *teller) apply(b *sked.Events) {
	_, _, err := s.engine.Apply(b, 0)
	fine(err)
}

func (s *teller) one(e sked.Event) {
	e.Time = s.now
	s.apply(&sked.Events{Rows: []sked.Event{e}})
}

func (s *teller) ask(job, queue, node, size, count int64, strict bool, key uint64, master int64) {
	var b sked.Events
	if !s.known[job] {
		s.known[job] = true
		b.Add(sked.Event{Time: s.now, Kind: sked.EventJobSubmit, Key: uint64(job + 1), Owner: 1, Queue: s.queues[queue]})
	}
	e := sked.Event{Time: s.now, Kind: sked.EventAskAdd, Key: key, Owner: uint64(job + 1), Count: count, Amount: b.Row(size)}
	if node >= 0 {
		e.Places = b.Places(uint64(node + 1))
	} else if node != -1 {
		e.Places = b.Places(1000)
	}
	if strict {
		e.Flags |= uint32(sked.AskStrict)
	}
	if master != 0 {
		e.Flags |= uint32(sked.AskMaster)
	}
	b.Add(e)
	s.apply(&b)
}

func (s *teller) beat(node uint64) {
	for ended := true; ended; {
		ended = false
		s.one(sked.Event{Kind: sked.EventHeartbeat, Key: node})
		var all []sked.Decision
		s.engine.Decisions(func(d *sked.Decision) bool { all = append(all, *d); return true })
		for _, d := range all {
			if d.Kind == sked.DecisionAllocate {
				s.running[int64(d.Job)-1] += d.Count
			}
			if d.Kind != sked.DecisionKill {
				continue
			}
			ended = true
			s.killed += d.Count
			s.running[int64(d.Job)-1] -= d.Count
			s.apply(&sked.Events{Rows: []sked.Event{{Time: s.now, Kind: sked.EventAskWithdraw, Key: d.Ask},
				{Time: s.now, Kind: sked.EventTaskKilled, Key: d.Group, Count: d.Count}}})
		}
	}
}

func (s *teller) see(what, job int64) int64 {
	groups, offered, told := map[uint64]bool{}, int64(0), int64(0)
	for j := range s.known {
		_, notices, err := s.engine.Contract(uint64(j+1), sked.RoundContractNegotiable, nil, nil)
		fine(err)
		for _, n := range notices {
			if n.Flags != 0 {
				groups[n.Group] = true
				offered += n.Count
			} else {
				told += n.Count
			}
		}
	}
	switch what {
	case 1:
		s.seen = groups
		return offered
	case 2:
		return told
	case 3:
		return s.killed
	case 4:
		return s.running[job]
	}
	for g := range s.seen {
		if !groups[g] {
			return 0
		}
	}
	return 1
}

package vectors

import (
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"time"

	"example.org/sked/bindings/go/sked"
)

func duration(n int64) time.Duration { return time.Duration(n) }

func durations(n []int64) []time.Duration {
	if n == nil {
		return nil
	}
	out := make([]time.Duration, len(n))
	for i, v := range n {
		out[i] = time.Duration(v)
	}
	return out
}

// told reads the story and how it is to be told, numbers as they stand.
func (f fields) told(story any, want any) {
	for name, to := range map[string]any{"story": story, "told": want} {
		d := json.NewDecoder(strings.NewReader(f[name]))
		d.UseNumber()
		if err := d.Decode(to); err != nil {
			failf("%s: %v", name, err)
		}
	}
}

func agree(got, want any) int {
	a, err := json.Marshal(got)
	fine(err)
	b, err := json.Marshal(want)
	fine(err)
	var x, y any
	fine(json.Unmarshal(a, &x))
	fine(json.Unmarshal(b, &y))
	if !reflect.DeepEqual(x, y) {
		failf("%s, not %s", a, b)
	}
	return Passed
}

// A run is an engine over queues by path.
type run struct {
	tree   *sked.Tree
	engine *sked.Engine
	keys   map[string]uint64
	names  map[uint64]string
}

func newRun(lines []string, kinds int, opts *sked.EngineOptions) *run {
	text := "kinds"
	for i := 0; i < kinds; i++ {
		text += " k" + strconv.Itoa(i)
	}
	sort.Slice(lines, func(i, j int) bool {
		a, b := strings.Fields(lines[i])[0], strings.Fields(lines[j])[0]
		return strings.ReplaceAll(a, ".", "\x01") < strings.ReplaceAll(b, ".", "\x01")
	})
	tree := okay(sked.ReadTree(text+"\n"+strings.Join(lines, "\n")+"\n", sked.TreeCommitLenient, nil))
	return &run{tree, okay(sked.NewEngine(tree, opts, nil)), map[string]uint64{}, map[uint64]string{}}
}

func (r *run) close() { r.engine.Close(); r.tree.Close() }

func (r *run) key(name string) uint64 {
	if r.keys[name] == 0 {
		r.keys[name] = uint64(len(r.keys) + 1)
		r.names[r.keys[name]] = name
	}
	return r.keys[name]
}

func (r *run) happen(b *sked.Events) (out []sked.Decision) {
	for at := 0; at < len(b.Rows); {
		done, stopped, err := r.engine.Apply(b, at)
		fine(err)
		r.engine.Decisions(func(d *sked.Decision) bool { out = append(out, *d); return true })
		if at = done; !stopped {
			break
		}
	}
	return out
}

func pyApps(f fields, rule string) int {
	var s struct {
		Limits map[string]*int `json:"queue_limits"`
		Ops    []struct {
			Op          string
			ID          json.Number
			Queue, User string
		}
		Most uint32 `json:"most_of_user"`
	}
	var want any
	f.told(&s, &want)
	var lines []string
	for path, most := range s.Limits {
		if most != nil {
			path += " max_running=" + strconv.Itoa(*most)
		}
		lines = append(lines, path)
	}
	r := newRun(lines, 1, &sked.EngineOptions{MaxUserRunning: s.Most})
	defer r.close()
	users := map[string]uint64{}
	got := []map[string]any{}
	for i, op := range s.Ops {
		var b sked.Events
		if op.Op == "add" {
			if users[op.User] == 0 {
				users[op.User] = uint64(len(users) + 1)
			}
			b.Add(sked.Event{Time: sked.Time(i), Kind: sked.EventJobSubmit, Key: r.key(op.ID.String()),
				Owner: users[op.User], Queue: okay(r.tree.Find(op.Queue))})
			may := false
			for _, d := range r.happen(&b) {
				may = may || d.Kind == sked.DecisionAdmit
			}
			got = append(got, map[string]any{"add": op.ID, "runnable": may})
			continue
		}
		b.Add(sked.Event{Time: sked.Time(i), Kind: sked.EventJobFinish, Key: r.key(op.ID.String())})
		enabled := []json.Number{}
		for _, d := range r.happen(&b) {
			if d.Kind == sked.DecisionAdmit {
				enabled = append(enabled, json.Number(r.names[d.Job]))
			}
		}
		got = append(got, map[string]any{"remove": op.ID, "enabled": enabled})
	}
	return agree(got, want)
}

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

// takes says whether an ask that missed so many chances, or waited so long, takes
// a node.
func takes(opts sked.EngineOptions, missed, restarts int, passed sked.Time, node uint64) bool {
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
	if restarts > 0 {
		for i := 0; i < restarts; i++ {
			b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: far})
		}
		b.Add(sked.Event{Kind: sked.EventNodeResume, Key: here})
		b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: here})
	}
	for i := 0; i < missed; i++ {
		b.Add(sked.Event{Kind: sked.EventHeartbeat, Key: far})
	}
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

func pyPlaces(f fields, rule string) int {
	var s struct {
		Nodes int64 `json:"cluster_nodes"`
		Ops   [][]any
	}
	var want []string
	f.told(&s, &want)
	misses := func(v any) int64 {
		r, _ := new(big.Rat).SetString(string(v.(json.Number)))
		r.Mul(r, new(big.Rat).SetInt64(s.Nodes))
		return new(big.Int).Div(r.Num(), r.Denom()).Int64() + 1
	}
	var opts sked.EngineOptions
	for _, op := range s.Ops {
		if op[0] == "ask" {
			if n, r := misses(op[1]), misses(op[2]); !strings.HasPrefix(string(op[1].(json.Number)), "-") &&
				!strings.HasPrefix(string(op[2].(json.Number)), "-") {
				opts.NodeMisses, opts.RackMisses = uint32(n), uint32(r)
			}
			break
		}
	}
	got := []string{}
	missed, restarts := 0, 0
	for _, op := range s.Ops {
		switch op[0] {
		case "opportunity":
			missed++
		case "reset":
			restarts, missed = missed, 0
		default:
			got = append(got, howFar(func(n uint64) bool { return takes(opts, missed, restarts, 1, n) }))
		}
	}
	return agree(got, want)
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
		got = append(got, howFar(func(n uint64) bool { return takes(opts, 0, 0, at, n) }))
	}
	return agree(got, want)
}

var numbered = map[string]*regexp.Regexp{
	"mb": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*mb`), "vcores": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*vcores`),
	"% memory": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*%\s*memory`), "% cpu": regexp.MustCompile(`(-?\d+)(\.\d*)?\s*%\s*cpu`),
}

// numberOf is the number in front of a unit; false: the text is no resource.
func numberOf(said, unit string, fraction bool) (*big.Rat, bool) {
	at := numbered[unit].FindStringSubmatchIndex(said)
	if at == nil {
		return nil, false
	}
	before := strings.TrimRight(said[:at[0]], " \t")
	whole := said[at[2]:at[3]]
	if before != "" && strings.ContainsAny(before[len(before)-1:], "0123456789.%") || whole[0] == '-' {
		return nil, false
	}
	if fraction && at[4] >= 0 {
		whole += "." + strings.Trim(said[at[4]:at[5]], ".") + "0"
	}
	r, ok := new(big.Rat).SetString(whole)
	return r, ok
}

// resource reads amounts as a fair-scheduler.xml has them: by kind, or parts in
// per cent by kind, or of everything ("").
func resource(text string) (amounts, parts map[string]*big.Rat, ok bool) {
	amounts, parts = map[string]*big.Rat{}, map[string]*big.Rat{}
	said := strings.ToLower(strings.TrimSpace(text))
	names := map[string]string{"memory-mb": "memory", "vcores": "cpu", "yarn.io/gpu": "gpu"}
	switch {
	case said == "":
		return nil, nil, false
	case strings.Contains(said, "="):
		for _, pair := range strings.Split(strings.TrimSpace(text), ",") {
			i := strings.IndexByte(pair, '=')
			if i < 0 {
				return nil, nil, false
			}
			name, value := strings.TrimSpace(pair[:i]), strings.TrimSpace(pair[i+1:])
			if names[name] != "" {
				name = names[name]
			}
			to := amounts
			if strings.Contains(said, "%") {
				if !strings.HasSuffix(value, "%") {
					return nil, nil, false
				}
				to, value = parts, strings.TrimSpace(strings.TrimSuffix(value, "%"))
			} else if _, err := strconv.ParseInt(value, 10, 64); err != nil {
				return nil, nil, false
			}
			r, good := new(big.Rat).SetString(value)
			if !good || r.Sign() < 0 || to[name] != nil || name == "" {
				return nil, nil, false
			}
			to[name] = r
		}
		return amounts, parts, true
	case strings.Contains(said, "%"):
		if all := regexp.MustCompile(`^(-?\d+(?:\.\d*)?)\s*%\s*$`).FindStringSubmatch(said); all != nil && !strings.Contains(said, ",") {
			parts[""], ok = new(big.Rat).SetString(strings.TrimSuffix(all[1], "."))
			return amounts, parts, ok && parts[""].Sign() >= 0
		}
		for kind, unit := range map[string]string{"memory": "% memory", "cpu": "% cpu"} {
			if parts[kind], ok = numberOf(said, unit, true); !ok {
				return nil, nil, false
			}
		}
		return amounts, parts, true
	}
	for kind, unit := range map[string]string{"memory": "mb", "cpu": "vcores"} {
		if amounts[kind], ok = numberOf(said, unit, false); !ok {
			return nil, nil, false
		}
	}
	return amounts, parts, true
}

func pyResource(f fields, rule string) int {
	var s struct {
		Text    string
		Types   []string
		Cluster []int64
		Missing any `json:"missing_value"`
	}
	var want any
	f.told(&s, &want)
	amounts, parts, ok := resource(s.Text)
	kinds := append([]string{"memory", "cpu"}, s.Types[2:]...)
	for _, named := range []map[string]*big.Rat{amounts, parts} {
		for k := range named {
			known := k == ""
			for _, kind := range kinds {
				known = known || kind == k
			}
			ok = ok && known
		}
	}
	if !ok {
		if w, is := want.(map[string]any); is && w["error"] != nil {
			return Passed
		}
		failf("refused")
	}
	got := make([]int64, len(s.Cluster))
	for i, kind := range kinds[:len(got)] {
		switch {
		case len(parts) > 0:
			part := parts[kind]
			if parts[""] != nil {
				part = parts[""]
			}
			if got[i] = s.Cluster[i]; part != nil {
				v := new(big.Rat).Mul(part, big.NewRat(s.Cluster[i], 100))
				got[i] = new(big.Int).Div(v.Num(), v.Denom()).Int64()
			}
		case amounts[kind] != nil:
			got[i] = amounts[kind].Num().Int64()
		case s.Missing == "max":
			got[i] = math.MaxInt64
		}
	}
	return agree(got, want)
}

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
		Rounds:  &sked.RoundOptions{Flags: uint32(sked.RoundFlagLazy), Grace: 1}}))
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

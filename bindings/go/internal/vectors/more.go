package vectors

import (
	"strconv"
	"strings"

	"example.org/sked/bindings/go/sked"
)

func times(n []int64) []sked.Time {
	if n == nil {
		return nil
	}
	out := make([]sked.Time, len(n))
	for i, v := range n {
		out[i] = sked.Time(v)
	}
	return out
}

func targets(f fields) *sked.TargetResult {
	in := &sked.TargetOnceInput{Queues: queues(f), PreemptFrom: as[uint8](f.numbers("from")),
		FairThresholdPPM: f.numbers("threshold")}
	in.Queues.Lend, in.Queues.Running = nil, nil
	in.MinTimeout, in.FairTimeout = durations(f.numbers("min_timeout")), durations(f.numbers("fair_timeout"))
	// The systems that these answers are of look at each kind by itself.
	return okay(sked.TargetOnce(in, &sked.TargetOptions{Flags: sked.TargetFlag(f.number("flags", 0)) | sked.TargetFlagByKind,
		Mode: sked.TargetMode(f.number("dialect", 0)), Cycles: uint32(f.number("cycles", 0)),
		IgnoredPPM: f.number("ignored", 0), FactorPPM: f.number("factor", 0),
		PerRoundPPM: f.number("per_round", 0), UtilisationPPM: f.number("utilisation", 0)}, nil, nil))
}

func claims(f fields) []int64 {
	var out []int64
	for _, r := range targets(f).Reasons {
		out = append(out, truth(r&uint32(sked.TargetReasonClaims) != 0)...)
	}
	return out
}

func overRounds(f fields, rule string) int {
	kinds, alloc, ent := int(f.number("kinds", 1)), f.given("alloc"), f.given("ent")
	most := make([]int64, kinds)
	for i := range most {
		most[i] = sked.AmountMax
	}
	rounds, due := []uint32{0, 0}, false
	for at := 0; at < len(alloc); at += kinds {
		out := okay(sked.TargetOnce(&sked.TargetOnceInput{Queues: &sked.ShareInput{Parent: []int32{-1, 0}, Capacity: most,
			Usage: append(make([]int64, kinds), alloc[at:at+kinds]...),
			Limit: append(append([]int64{}, most...), ent[at:at+kinds]...)}, Rounds: rounds},
			&sked.TargetOptions{Flags: sked.TargetFlagByKind, Mode: sked.TargetModeEntitlement, Cycles: uint32(f.number("cycles", 0))}, nil, nil))
		rounds = out.Rounds
		due = out.Reasons[1]&uint32(sked.TargetReasonGives) != 0
	}
	return f.judge("want", []int64{truth(due)[0], int64(rounds[1])}, rule)
}

// grove is a tree of queues q<i>, row by row as listed.
func grove(parent []int64, kinds int) (*sked.Tree, []sked.QueueID) {
	names := make([]string, kinds)
	for i := range names {
		names[i] = "k" + strconv.Itoa(i)
	}
	schema := okay(sked.NewSchema(names, nil, nil))
	defer schema.Close()
	tree := okay(sked.NewTree(schema, nil, nil))
	ids := []sked.QueueID{tree.Root()}
	for i := 1; i < len(parent); i++ {
		ids = append(ids, okay(tree.Add(ids[parent[i]], "q"+strconv.Itoa(i))))
	}
	fine(tree.Commit(sked.TreeCommitLenient))
	return tree, ids
}

func rollup(f fields, rule string) int {
	kinds := int(f.number("kinds", 1))
	tree, ids := grove(f.given("parent"), kinds)
	defer tree.Close()
	ledger := okay(sked.NewLedger(tree, nil, nil))
	defer ledger.Close()
	usage, leaf := f.given("usage"), f.given("leaf")
	for i, q := range ids {
		if leaf[i] != 0 {
			fine(ledger.Set(sked.LedgerUsage, []sked.QueueID{q}, usage[i*kinds:(i+1)*kinds]))
		}
	}
	var got []int64
	for _, q := range ids {
		got = append(got, okay(ledger.Get(sked.LedgerUsage, q, nil))...)
	}
	return f.judge("want", got, rule)
}

func parts(f fields, rule string) int {
	tree, ids := grove(f.given("parent"), 1)
	defer tree.Close()
	capacity := f.number("capacity", 0)
	for i, ppm := range f.given("parts") {
		if i > 0 {
			fine(tree.Set(ids[i], sked.QueueGuaranteePPM, ppm))
		}
	}
	fine(tree.Commit(sked.TreeCommitLenient))
	rows := okay(tree.ColumnVec(sked.QueueGuarantee, 0, capacity, nil))
	got := []int64{capacity}
	for _, q := range ids[1:] {
		got = append(got, rows[okay(tree.Row(q))])
	}
	return f.judge("want", got, rule)
}

// read is the text of a case in a tree, and what is wrong with it.
func read(f fields) (*sked.Tree, []sked.Fault) {
	text := strings.ReplaceAll(f["text"], "|", "\n")
	schema := okay(sked.ParseTreeSchema(text, nil))
	defer schema.Close()
	tree := okay(sked.NewTree(schema, nil, nil))
	if err := tree.Parse(text, ""); err != nil {
		tree.Close()
		if found, ok := err.(*sked.Faults); ok {
			return nil, found.List
		}
		failf("%v", err)
	}
	return tree, okay(tree.Faults(nil))
}

func faults(f fields, rule string) int {
	tree, found := read(f)
	tree.Close()
	good, line := true, f.number("line", 0)
	for _, x := range found {
		for _, code := range f.given("codes") {
			if int64(x.Code) == code && int64(x.Line) == line {
				good = false
			}
		}
	}
	return f.judge("want", truth(good), rule)
}

func find(f fields, rule string) int {
	tree, found := read(f)
	if tree == nil {
		failf("%v", found[0])
	}
	defer tree.Close()
	fine(tree.Commit(sked.TreeCommitLenient))
	path, ok := f["path"]
	if ok {
		_, err := tree.Find(path)
		ok = err == nil
	}
	return f.judge("want", truth(ok), rule)
}

func shuffle(f fields, rule string) int {
	n := int(f.number("n", 0))
	tree, _ := grove(make([]int64, n+1), 1)
	defer tree.Close()
	fine(tree.Set(tree.Root(), sked.QueueOrder, int64(sked.OrderPolicyRandom)))
	fine(tree.Commit(sked.TreeCommitLenient))
	high, low := f.given("upper"), f.given("lower")
	at := 0
	order := okay(sked.NewOrder(nil, &sked.Host{Random: func() uint64 {
		if at >= len(high) {
			return 0
		}
		at++
		return uint64(high[at-1])<<32 | uint64(low[at-1])
	}}))
	defer order.Close()
	ledger := okay(sked.NewLedger(tree, nil, nil))
	defer ledger.Close()
	eligible := make([]uint8, n+1)
	for i := range eligible {
		eligible[i] = 1
	}
	ids := okay(order.List(&sked.OrderInput{Tree: tree, Ledger: ledger, Capacity: []int64{1}, Eligible: eligible}, tree.Root(), nil))
	var got []int64
	for _, q := range ids {
		got = append(got, int64(okay(tree.Row(q))-1))
	}
	return f.judge("want", got, rule)
}

func rank(f fields, rule string) int {
	top := uint32(f.number("top", 0))
	found := okay(sked.RankOrder(&sked.RankInput{Keys: as[int32](f.numbers("keys")), State: as[uint8](f.numbers("state")),
		Priority: as[int32](f.numbers("priority")), Started: times(f.numbers("started"))}, top, nil, nil))
	if int(top) < len(found) {
		found = found[:top]
	}
	return f.judge("want", numbersOf(found), rule)
}

func told(f fields, rule string) int {
	round := okay(sked.NewRound(&sked.RoundOptions{Grace: duration(f.number("grace", 0))}, nil))
	defer round.Close()
	keys := as[uint64](f.given("keys"))
	if n := int(f.number("n", 0)); n < len(keys) {
		keys = keys[:n]
	}
	for now := int64(0); now < f.number("times", 1); now++ {
		fine(round.Update(&sked.RoundInput{Key: keys}, sked.Time(now)))
	}
	s := okay(round.Stats())
	return f.judge("want", []int64{int64(s.Notified + s.Killed)}, rule)
}

func contract(f fields, rule string) int {
	least := f.given("least")
	round := okay(sked.NewRound(&sked.RoundOptions{Kinds: uint32(f.number("kinds", 1))}, nil))
	defer round.Close()
	keys := make([]uint64, f.number("rows", 0))
	for i := range keys {
		keys[i] = uint64(i + 1)
	}
	for now := sked.Time(0); now < 2; now++ {
		fine(round.Update(&sked.RoundInput{Key: keys, Amount: f.given("amount")}, now))
	}
	acted := okay(round.Take(make([]sked.RoundAction, 1000)))
	_, strict, err := round.Contract(0, sked.RoundContractStrict, nil, nil)
	fine(err)
	total, marks, err := round.Contract(0, sked.RoundContractNegotiable, nil, nil)
	fine(err)
	got := []int64{-1, 0, int64(len(strict))}
	if acted == len(marks) {
		got[0] = int64(acted)
	}
	for i, n := range least {
		if h := (total[i] + n - 1) / n; h > got[1] {
			got[1] = h
		}
	}
	return f.judge("want", got, rule)
}

func problem(f fields) *sked.PreemptInput {
	usage := f.given("usage")
	p := &sked.PreemptInput{Kinds: int(f.number("kinds", 1)), Flags: sked.PreemptFlag(f.number("flags", 0)), Usage: usage,
		Keep: make([]int64, len(usage)), Queue: as[uint32](f.given("queue")), Take: f.numbers("take"),
		Need: f.numbers("need"), Budget: f.numbers("budget"), Amount: f.numbers("amount")}
	for _, fixed := range f.given("fixed") {
		p.State = append(p.State, uint8(truth(fixed != 0)[0])*uint8(sked.PreemptCandidateFixed))
	}
	if p.State == nil {
		p.State = []uint8{}
	}
	return p
}

func planned(p *sked.PreemptInput) *sked.PreemptResult {
	plan := okay(sked.PreemptSelect(p, nil, nil))
	fine(sked.PreemptVerify(p, plan, nil))
	return plan
}

func victims(f fields, rule string) int {
	p := problem(f)
	theirs := planned(p)
	got := []int64{}
	for _, v := range theirs.Victims {
		got = append(got, int64(v.Row))
	}
	if entry := f.numbers("entry_app"); entry != nil {
		app, node, at := f.given("app"), f.given("node"), f.given("entry_node")
		rows := got
		got = nil
		for i, a := range entry {
			n := int64(0)
			for _, r := range rows {
				if app[r] == a && (at[i] < 0 || node[r] == at[i]) {
					n++
				}
			}
			got = append(got, n)
		}
	}
	said := f.judge("want", got, rule)
	p.Flags = 0
	ours := planned(p)
	if theirs.Outcome == sked.PreemptOutcomeCovered && ours.Tasks > theirs.Tasks {
		failf("own plan takes %d, not %d", ours.Tasks, theirs.Tasks)
	}
	return said
}

func placements(f fields, rule string) int {
	kinds, node, queue := int(f.number("kinds", 1)), f.given("node"), f.given("queue")
	p := problem(f)
	p.Keep, p.Share, p.Cost = f.numbers("keep"), f.numbers("share"), f.numbers("cost")
	p.Free, p.Node, p.NNodes = f.given("free"), as[uint32](node), len(f.given("free"))/kinds
	p.RequestAmount, p.RequestQueue = f.given("request_amount"), as[uint32](f.given("request_queue"))
	p.RequestCount = as[uint32](f.numbers("request_count"))
	p.Place, p.PlaceOffset = as[uint32](f.numbers("place")), as[uint32](f.numbers("place_offset"))
	plan := planned(p)
	got := make([]int64, p.NNodes)
	greedy, left := f.number("greedy", 0), int64(0)
	for _, q := range queue {
		if q == greedy {
			left++
		}
	}
	for _, v := range plan.Victims {
		got[node[v.Row]]++
		if queue[v.Row] == greedy {
			left--
		}
	}
	return f.judge("want", append(got, left, int64(plan.Served)), rule)
}

func percentile(f fields, rule string) int {
	length, amount := f.given("length"), f.given("amount")
	p := sked.Ratio{Num: f.number("num", 0), Den: f.number("den", 1)}
	if p.Num == 0 {
		p = sked.Ratio{Num: 1, Den: sked.Unlimited}
	}
	point, _, err := sked.Percentile(&sked.PercentileInput{Length: length, Amount: amount, Threshold: []sked.Ratio{p},
		First: []uint64{0, uint64(len(length))}}, nil, nil, nil)
	fine(err)
	h := okay(sked.NewHistory(nil, nil, nil))
	defer h.Close()
	okay(h.Add(&sked.HistoryInput{Form: sked.HistoryFormUnits, Length: length, Amount: amount, Queue: make([]uint32, len(length))}))
	again, _, err := h.Percentile([]uint32{0}, []sked.Ratio{p}, nil, nil)
	fine(err)
	if again[0].Amount != point[0].Amount {
		failf("arrays and history differ")
	}
	return f.judge("value", []int64{point[0].Amount}, rule)
}

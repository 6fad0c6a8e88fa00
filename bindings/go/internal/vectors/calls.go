package vectors

import (
	"math"
	"math/big"
	"time"

	"example.org/sked/bindings/go/sked"
)

type answer func(f fields, rule string) int

var calls map[string]answer

func init() {
	calls = map[string]answer{
		"compare": func(f fields, rule string) int {
			return f.judge("want", one(sked.VecCompare(f.given("a"), f.given("b"))), rule)
		},
		"equal": func(f fields, rule string) int {
			return f.judge("want", truth(sked.VecCompare(f.given("a"), f.given("b")) == 0), rule)
		},
		"compare_shares": func(f fields, rule string) int {
			return f.judge("want", one(sked.VecCompareShares(f.given("capacity"), f.given("a"), f.given("b"))), rule)
		},
		"compare_dominant": func(f fields, rule string) int {
			return f.judge("want", one(sked.VecCompareDominant(f.given("capacity"),
				sked.VecWeighted{Vec: f.given("a"), Weight: 1}, sked.VecWeighted{Vec: f.given("b"), Weight: 1})), rule)
		},
		"fits": func(f fields, rule string) int {
			return f.judge("want", truth(sked.VecFits(f.given("a"), f.given("b"))), rule)
		},
		"relation": relation, "ratio": ratio, "quotient": quotient,
		"dominant": func(f fields, rule string) int {
			_, kind := sked.VecDominant(f.given("capacity"), f.given("usage"))
			return f.judge("want", one(int(kind)), rule)
		},
		"ratio_rows": ratioRows, "scale": scale,
		"normalise": func(f fields, rule string) int {
			got, err := sked.VecNormalise(f.given("a"), f.given("least"), f.given("most"), f.given("step"), nil)
			return vector(f, rule, got, err)
		},
		"excess": func(f fields, rule string) int {
			return vector(f, rule, sked.VecExcess(f.given("a"), f.given("b"), nil), nil)
		},
		"least": func(f fields, rule string) int {
			return vector(f, rule, sked.VecMin(f.given("a"), f.given("b"), nil), nil)
		},
		"add": func(f fields, rule string) int {
			got, err := sked.VecAdd(f.given("a"), f.given("b"), nil)
			return vector(f, rule, got, err)
		},
		"sum_least": func(f fields, rule string) int {
			rows := f.given("rows")
			got, err := sked.VecSum(rows, len(rows), 1, nil)
			if err == nil {
				got = sked.VecMin(got, f.given("limit"), nil)
			}
			return vector(f, rule, got, err)
		},
		"rule": placed, "fill": fill, "share": share, "time_weight": timeWeight,
		"fair_tree": func(f fields, rule string) int {
			up := f.given("parent")
			for i := range up {
				if up[i] < 0 {
					up[i] = 0
				}
			}
			ranks := okay(sked.FairTreeRanks(as[uint32](up), as[uint32](f.numbers("shares")), f.given("usage"), nil, nil))
			return f.judge("rank", numbersOf(ranks), rule)
		},
		"decay": func(f fields, rule string) int {
			amounts := []int64{f.number("usage", 0)}
			fine(sked.VecDecay(amounts, time.Duration(f.number("dt", 0)), time.Duration(f.number("half_life", 0))))
			return f.judge("left", amounts, rule)
		},
		"standing": standing, "level": level, "picks": picks, "hdrf": hdrf,
		"children":  func(f fields, rule string) int { return f.rows(children(f), rule) },
		"pair":      func(f fields, rule string) int { return f.pair(children(f), rule) },
		"apps":      func(f fields, rule string) int { return f.rows(apps(f), rule) },
		"apps_pair": func(f fields, rule string) int { return f.pair(apps(f), rule) },
		"admit":     admit, "users": userBounds, "percentile": percentile,
		"app_bounds": appBounds, "master_bounds": masterBounds,
		"host": host, "hosts": hosts, "visits": visits, "scored_host": scoredHost, "host_order": hostOrder,
		"target_share":  func(f fields, rule string) int { return f.judge("want", targets(f).Share, rule) },
		"target_excess": func(f fields, rule string) int { return f.judge("want", targets(f).Excess, rule) },
		"target_take":   func(f fields, rule string) int { return f.judge("want", targets(f).Take, rule) },
		"target_first":  func(f fields, rule string) int { return f.judge("want", targets(f).First, rule) },
		"target_claims": func(f fields, rule string) int { return f.judge("want", claims(f), rule) },
		"target_starved": func(f fields, rule string) int {
			var n int64
			for _, c := range claims(f) {
				n += c
			}
			return f.judge("want", []int64{n}, rule)
		},
		"over_rounds": overRounds,
		"rollup":      rollup, "parts": parts, "faults": faults, "find": find, "shuffle": shuffle,
		"rank": rank, "told": told, "contract": contract, "victims": victims, "placements": placements,
		"py_apps": pyApps, "py_heartbeats": pyHeartbeats,
		"py_waits": pyWaits, "py_resource": pyResource,
	}
}

func one(v int) []int64 { return []int64{int64(v)} }

func truth(v bool) []int64 {
	if v {
		return []int64{1}
	}
	return []int64{0}
}

func relation(f fields, rule string) int {
	a, b := f.given("a"), f.given("b")
	holds := sked.VecRelation(a, b, sked.VecAsked(b))
	less := uint32(sked.VecLess)
	if f.number("less", 0) != 0 {
		return f.judge("want", truth(holds&^less == 0), rule)
	}
	return f.judge("want", truth(holds&less == 0), rule)
}

func real(f fields, got float64, rule string) int {
	if want := f.reals("real")[0]; !near(got, want) {
		if rule == "" {
			failf("%v, not %v", got, want)
		}
		return ByRule
	}
	return Passed
}

func sameRatio(a, b sked.Ratio) bool { return sked.RatioCompare(a, b) == 0 }

func ratio(f fields, rule string) int {
	got, _ := sked.VecDominant(f.given("capacity"), f.given("usage"))
	exact := f.given("exact")
	if !sameRatio(got, sked.Ratio{Num: exact[0], Den: exact[1]}) {
		failf("the ratio is %v", got)
	}
	return real(f, got.Float(), rule)
}

func quotient(f fields, rule string) int {
	exact := f.given("exact")
	a, _ := sked.VecDominant(f.given("capacity"), f.given("a"))
	b, _ := sked.VecDominant(f.given("capacity"), f.given("b"))
	if !sameRatio(a, sked.Ratio{Num: exact[0], Den: exact[1]}) || !sameRatio(b, sked.Ratio{Num: exact[2], Den: exact[3]}) {
		failf("the ratios are %v and %v", a, b)
	}
	x, y := a.Float(), b.Float()
	got := x / y
	if y == 0 {
		got = math.Inf(1)
		if x == 0 || math.IsNaN(x) {
			got = math.NaN()
		}
	}
	return real(f, got, rule)
}

func ratioRows(f fields, rule string) int {
	a, b, den := f.given("a"), f.given("b"), f.number("den", 1)
	sign := 0
	for i := range a {
		if sign == 0 {
			sign = sked.RatioCompare(sked.Ratio{Num: a[i], Den: den}, sked.Ratio{Num: b[i], Den: den})
		}
	}
	return f.judge("want", one(sign), rule)
}

// vector is what was computed, or that it is refused where it should be.
func vector(f fields, rule string, got []int64, err error) int {
	if f.number("refused", 0) == 0 {
		fine(err)
		return f.judge("want", got, rule)
	}
	if err == nil || rule == "" {
		failf("%v %v, where it should be refused by a rule", got, err)
	}
	return ByRule
}

func scale(f fields, rule string) int {
	a, num, den := f.given("a"), f.given("num"), f.given("den")
	rounding := sked.Rounding(f.number("rounding", 0))
	var out []int64
	var err error
	if len(num) == 1 {
		out, err = sked.VecScale(a, reduced(num[0], den[0]), rounding, nil)
	} else {
		for i := range a {
			var x []int64
			if x, err = sked.VecScale(a[i:i+1], reduced(num[i], den[i]), rounding, nil); err != nil {
				break
			}
			out = append(out, x...)
		}
	}
	if step := f.numbers("step"); err == nil && step != nil {
		if rounding == sked.RoundingNearest {
			rounding = sked.RoundingUp
		}
		out, err = sked.VecRound(out, step, rounding, nil)
	}
	if add := f.numbers("add"); err == nil && add != nil {
		out, err = sked.VecAdd(out, add, nil)
	}
	return vector(f, rule, out, err)
}

func reduced(num, den int64) sked.Ratio {
	if den == 0 {
		return sked.Ratio{Num: num, Den: den}
	}
	r := big.NewRat(num, den)
	return sked.Ratio{Num: r.Num().Int64(), Den: r.Denom().Int64()}
}

func fill(f fields, rule string) int {
	opts := &sked.FillOptions{Form: sked.FillForm(f.number("form", 0)), Rounding: sked.Apportion(f.number("rounding", 0))}
	if f.number("flags", 0) != 0 {
		opts.Flags = sked.FillFlagAnticipate
	}
	out := okay(sked.Fill(&sked.FillInput{Total: f.number("total", 0), Guarantee: f.numbers("guarantee"),
		Limit: f.numbers("limit"), Demand: f.numbers("demand"), Weight: as[uint32](f.given("weight"))}, opts, nil, nil))
	if out.Leftover != f.number("leftover", out.Leftover) || int64(out.Outcome) != f.number("outcome", int64(out.Outcome)) {
		failf("leftover %d, outcome %v", out.Leftover, out.Outcome)
	}
	if l := f.numbers("level"); len(l) > 0 && !sameRatio(out.Level, sked.Ratio{Num: l[0], Den: l[1]}) {
		failf("the level is %v", out.Level)
	}
	return f.judge("share", out.Share, rule)
}

func queues(f fields) *sked.ShareInput {
	return &sked.ShareInput{Parent: as[int32](f.given("parent")), Capacity: f.given("capacity"),
		Weight: as[uint32](f.numbers("weight")), Guarantee: f.numbers("guarantee"), Limit: f.numbers("limit"),
		Lend: f.numbers("lend"), Running: f.numbers("running"), Demand: f.numbers("demand"), Usage: f.numbers("usage")}
}

func share(f fields, rule string) int {
	out := okay(sked.ShareOnce(queues(f), &sked.ShareOptions{Flags: sked.ShareFlag(f.number("flags", 0)),
		Model: sked.ShareModel(f.number("model", 0)), Rounding: sked.Apportion(f.number("rounding", 0))}, nil, nil))
	return f.judge("share", out, rule)
}

func timeWeight(f fields, rule string) int {
	wide := okay(sked.FillTimeWeights(as[uint32](f.given("weight")), f.given("usage"), f.number("whole", 1), f.number("k", 0), nil))
	out := okay(sked.Fill(&sked.FillInput{Total: f.number("total", 0), AmountWeight: wide},
		&sked.FillOptions{Rounding: sked.ApportionLargest}, nil, nil))
	return f.judge("share", out.Share, rule)
}

func unlimited(n []int64) []int64 {
	out := make([]int64, len(n))
	for i, v := range n {
		if out[i] = v; v < 0 {
			out[i] = sked.Unlimited
		}
	}
	return out
}

func standing(f fields, rule string) int {
	got := okay(sked.DRFStandingOnce(f.given("usage"), f.given("capacity"), uint32(f.number("weight", 1))))
	wish := sked.Ratio{Num: 1}
	if f.number("infinite", 0) == 0 {
		r := f.given("ratio")
		wish = sked.Ratio{Num: r[0], Den: r[1]}
	}
	if !sameRatio(got.Share, wish) || int64(got.Kind) != f.number("dominant", -1) {
		failf("%v, not %v", got, wish)
	}
	return Passed
}

func users(f fields) *sked.DRFInput {
	return &sked.DRFInput{Capacity: f.given("capacity"), Demand: f.given("demand"),
		Weight: as[uint32](f.given("weight")), Most: unlimited(f.given("most"))}
}

func level(f fields, rule string) int {
	in := users(f)
	in.Least = f.numbers("least")
	tasks, left, err := sked.DRFLevel(in, nil, nil, nil)
	fine(err)
	for name, got := range map[string][]float64{"tasks": tasks, "remaining": left} {
		want := f.reals(name)
		for i := range want {
			if len(got) != len(want) || !near(got[i], want[i]) {
				failf("%s %v, not %v", name, got, want)
			}
		}
	}
	return Passed
}

func picks(f fields, rule string) int {
	pool, other := f.given("capacity"), f.given("capacity")
	order := make([]uint32, 100000)
	n := okay(sked.DRFPicks(users(f), nil, pool, order))
	tasks := okay(sked.DRFAllocate(users(f), nil, other, nil))
	f.must("order", numbersOf(order[:n]))
	f.must("tasks", tasks)
	f.must("remaining", pool)
	f.must("remaining", other)
	return Passed
}

func hdrf(f fields, rule string) int {
	capacity, parent := f.given("capacity"), f.given("parent")
	for i := range parent {
		if parent[i] < 0 {
			parent[i] = 0
		}
	}
	k := len(capacity)
	tree := okay(sked.NewHDRF(as[uint32](parent), as[uint32](f.given("weight")), &sked.HDRFOptions{Kinds: uint32(k)}, nil))
	defer tree.Close()
	fine(tree.SetCapacity(capacity))
	leaf, usage, demand, most := f.given("leaf"), f.given("usage"), f.given("demand"), unlimited(f.given("most"))
	for i := range parent {
		if leaf[i] != 0 {
			fine(tree.SetLeaves([]uint32{uint32(i)}, usage[i*k:i*k+k], demand[i*k:i*k+k], most[i:i+1]))
		}
	}
	run := make([]uint32, 100000)
	n, _, err := tree.Run(run)
	fine(err)
	first := int64(-1)
	if n > 0 {
		first = int64(run[0])
	}
	f.must("first", []int64{first})
	var got []int64
	for i := range parent {
		if leaf[i] == 0 {
			got = append(got, make([]int64, k)...)
			continue
		}
		u, _, err := tree.Usage(uint32(i), nil)
		fine(err)
		got = append(got, u...)
	}
	return f.judge("final", got, rule)
}

// found is rows in the order found, class after class, with their keys.
type found struct {
	rows []int64
	keys []sked.OrderKey
}

func (f fields) find(serve func(group int64, chosen []uint8) ([]uint32, []sked.OrderKey, error)) found {
	of, may := f.given("class"), f.numbers("eligible")
	most := int64(0)
	for _, c := range of {
		if c > most {
			most = c
		}
	}
	var out found
	for g := int64(0); g <= most; g++ {
		chosen, some := make([]uint8, len(of)), false
		for i, c := range of {
			if c == g && (len(may) == 0 || may[i] != 0) {
				chosen[i], some = 1, true
			}
		}
		if some {
			rows, keys, err := serve(g, chosen)
			fine(err)
			out.rows = append(out.rows, numbersOf(rows)...)
			out.keys = append(out.keys, keys...)
		}
	}
	return out
}

func children(f fields) found {
	orders := f.given("order")
	return f.find(func(g int64, chosen []uint8) ([]uint32, []sked.OrderKey, error) {
		in := &sked.OrderChildrenInput{Order: sked.OrderPolicy(orders[g]), Eligible: chosen,
			Weight: as[uint32](f.numbers("weight")), Priority: as[int32](f.numbers("priority")),
			Usage: f.numbers("usage"), Guarantee: f.numbers("guarantee"), Capacity: f.given("capacity")}
		if in.Order == sked.OrderPolicyPriority {
			in.Flags = sked.OrderFlagWithinFirst
		}
		return sked.OrderChildren(in, nil, nil, nil)
	})
}

func apps(f fields) found {
	return f.find(func(g int64, chosen []uint8) ([]uint32, []sked.OrderKey, error) {
		var at []sked.Time
		for _, s := range f.numbers("submitted") {
			at = append(at, sked.Time(s))
		}
		capacity := f.numbers("capacity")
		if capacity == nil {
			capacity = []int64{0}
		}
		return sked.OrderApps(&sked.OrderAppsInput{Order: sked.AppsPolicy(f.number("order", 0)), Eligible: chosen,
			Submitted: at, Priority: as[int32](f.numbers("priority")), Weight: as[uint32](f.numbers("weight")),
			Usage: f.numbers("usage"), Capacity: capacity, Key: f.numbers("key")}, nil, nil, nil)
	})
}

func (f fields) rows(o found, rule string) int {
	if f.number("reverse", 0) != 0 {
		for i, j := 0, len(o.rows)-1; i < j; i, j = i+1, j-1 {
			o.rows[i], o.rows[j] = o.rows[j], o.rows[i]
		}
	}
	if n := int(f.number("first_only", int64(len(o.rows)))); n < len(o.rows) {
		o.rows = o.rows[:n]
	}
	return f.judge("want", o.rows, rule)
}

func (f fields) pair(o found, rule string) int {
	if len(o.rows) != 2 {
		failf("not two rows")
	}
	of, sign := f.given("class"), 1
	if o.rows[0] == f.number("first", 0) {
		sign = -1
	}
	if of[0] == of[1] && o.keys[0] == o.keys[1] && f.number("tie", 0) != 0 {
		sign = 0
	}
	return f.judge("want", one(sign), rule)
}

func admit(f fields, rule string) int {
	kinds, need := int(f.number("kinds", 1)), f.given("need")
	in := &sked.AdmitInput{Most: uint32(f.number("most", 0)), Need: need, Entitlement: f.numbers("entitlement"),
		Slack: f.numbers("slack"), Reservation: f.numbers("reservation"), Controllers: f.numbers("controllers"),
		Held: f.numbers("held"), Tasks: as[uint32](f.numbers("tasks")), Priority: as[int32](f.numbers("priority")),
		Kind: as[uint8](f.numbers("kind")), Line: as[uint8](f.numbers("line")), State: as[uint8](f.numbers("state"))}
	if f.number("flags", 0) != 0 {
		in.Flags = sked.AdmitFlagPreemption
	}
	out := okay(sked.Admit(in, nil, nil))
	lines, demand := make([]int64, 4), make([]int64, kinds)
	for _, row := range out.Order[out.Admitted:][:out.Waiting] {
		lines[out.Line[row]]++
		for k := range demand {
			demand[k] += need[int(row)*kinds+k]
		}
	}
	got := append([]int64{int64(out.Admitted)}, lines...)
	got = append(append(got, out.Held...), demand...)
	return f.judge("want", append(got, numbersOf(out.Outcome)...), rule)
}

func appBounds(f fields, rule string) int {
	in := &sked.AdmitAppsInput{Total: f.number("total", 0), Leaf: f.number("leaf", sked.Unset),
		Part:    sked.Ratio{Num: f.number("num", 0), Den: f.number("den", 1)},
		PartPPM: f.number("part", 0), FactorPPM: f.number("factor", sked.Unlimited)}
	out := okay(sked.AdmitApps(in))
	return f.judge("want", []int64{out.Leaf, out.User}, rule)
}

func masterBounds(f fields, rule string) int {
	in := &sked.AdmitMastersInput{SharePPM: f.number("share", 0), PartPPM: f.number("part", 0),
		FactorPPM: f.number("factor", sked.Unlimited), Active: uint32(f.number("active", 0)),
		Weight: uint32(f.number("weight", 1)), Guarantee: f.numbers("guarantee"),
		Limit: f.numbers("limit"), Step: f.numbers("step")}
	out := okay(sked.AdmitMasters(in, nil))
	return f.judge("want", append(append([]int64{}, out.Leaf...), out.User...), rule)
}

func userBounds(f fields, rule string) int {
	in := &sked.AdmitUsersInput{PartPPM: f.number("part", 0), FactorPPM: f.number("factor", sked.Unlimited),
		Guarantee: f.numbers("guarantee"), Limit: f.numbers("limit"), Step: f.numbers("step"),
		Used: f.numbers("used"), Wanted: f.numbers("wanted"), Weight: as[uint32](f.numbers("weight"))}
	out := okay(sked.AdmitUsers(in, nil))
	within := make([]int64, f.number("kinds", 1))
	for i, amount := range out.Wanted {
		within[i%len(within)] += amount
	}
	got := append(append([]int64{}, out.Bound...), numbersOf(out.May)...)
	return f.judge("want", append(got, within...), rule)
}

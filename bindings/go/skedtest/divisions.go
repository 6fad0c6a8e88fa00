package skedtest

import (
	"errors"
	"fmt"
	"math/bits"
	"sort"

	"example.org/sked/bindings/go/sked"
)

// MostClaims is how many claims a family may have.
const MostClaims = 64

// Claim is what one sibling has a right to. Limit and demand beat the guarantee.
// A claim of weight 0 has its guarantee only. sked.Unlimited: no limit, or
// endless demand.
type Claim struct {
	Weight                   uint32
	Guarantee, Limit, Demand int64
}

func least(a, b int64) int64 {
	if a < b {
		return a
	}
	return b
}

// Cap is the most that a claim can take.
func (c Claim) Cap() int64 { return least(c.Limit, c.Demand) }

// Floor is the least that a claim gets.
func (c Claim) Floor() int64 { return least(c.Guarantee, c.Cap()) }

// Top is the most that a claim is given.
func (c Claim) Top() int64 {
	if c.Weight == 0 {
		return c.Floor()
	}
	return c.Cap()
}

// Share is a division among siblings: whole units for each claim.
type Share func(total int64, claims []Claim) ([]int64, error)

// u128 holds the product of two 64-bit numbers.
type u128 struct{ high, low uint64 }

func mul128(a, b uint64) u128 {
	high, low := bits.Mul64(a, b)
	return u128{high, low}
}

func (x u128) add(y u128) u128 {
	low, carry := bits.Add64(x.low, y.low, 0)
	high, _ := bits.Add64(x.high, y.high, carry)
	return u128{high, low}
}

func (x u128) sub(y u128) u128 {
	low, borrow := bits.Sub64(x.low, y.low, 0)
	high, _ := bits.Sub64(x.high, y.high, borrow)
	return u128{high, low}
}

func (x u128) cmp(y u128) int {
	switch {
	case x.high < y.high || x.high == y.high && x.low < y.low:
		return -1
	case x == y:
		return 0
	}
	return 1
}

// exactShares are fractions of one denominator: the weights that still rise at
// the level where the total is used up. Nothing is rounded.
type exactShares struct {
	over, full  bool // guarantees above the total; every claim has its top
	denominator uint64
	given       int64
	of          []u128
}

type bend struct {
	at         int64 // over the weight
	weight     uint32
	top        bool
	floor, cap int64
}

// levelOf is the level, a fraction, at which the total is used up.
func levelOf(total int64, claims []Claim) (up, down uint64) {
	var bends []bend
	fixed, rising := int64(0), uint64(0)
	for _, c := range claims {
		fixed += c.Floor()
		if c.Weight > 0 {
			bends = append(bends, bend{c.Floor(), c.Weight, false, c.Floor(), c.Top()},
				bend{c.Top(), c.Weight, true, c.Floor(), c.Top()})
		}
	}
	sort.SliceStable(bends, func(i, j int) bool {
		a, b := bends[i], bends[j]
		sign := mul128(uint64(a.at), uint64(b.weight)).cmp(mul128(uint64(b.at), uint64(a.weight)))
		return sign < 0 || sign == 0 && !a.top && b.top
	})
	for _, b := range bends {
		left := uint64(total - fixed)
		if mul128(rising, uint64(b.at)).cmp(mul128(left, uint64(b.weight))) >= 0 {
			if rising > 0 {
				return left, rising
			}
			return uint64(b.at), uint64(b.weight)
		}
		if b.top {
			fixed, rising = fixed+b.cap, rising-uint64(b.weight)
		} else {
			fixed, rising = fixed-b.floor, rising+uint64(b.weight)
		}
	}
	if rising == 0 {
		rising = 1
	}
	return uint64(total - fixed), rising
}

func exactly(total int64, claims []Claim) exactShares {
	var tops u128
	var floors, level uint64
	for _, c := range claims {
		tops = tops.add(u128{0, uint64(c.Top())})
		floors += uint64(c.Floor())
	}
	x := exactShares{over: floors > uint64(total), denominator: 1, given: total}
	x.full = tops.high == 0 && tops.low <= uint64(total)
	switch {
	case x.over:
		x.denominator = floors
	case x.full:
		x.given = int64(tops.low)
	default:
		level, x.denominator = levelOf(total, claims)
	}
	for _, c := range claims {
		switch {
		case x.over:
			x.of = append(x.of, mul128(uint64(total), uint64(c.Floor())))
		case x.full:
			x.of = append(x.of, u128{0, uint64(c.Top())})
		default:
			y := mul128(level, uint64(c.Weight))
			if low := mul128(uint64(c.Floor()), x.denominator); y.cmp(low) < 0 {
				y = low
			}
			if top := mul128(uint64(c.Top()), x.denominator); y.cmp(top) > 0 {
				y = top
			}
			x.of = append(x.of, y)
		}
	}
	return x
}

// down is an exact share without its fraction.
func (x *exactShares) down(i int) int64 {
	low, high := int64(0), x.given
	for low < high {
		middle := high - (high-low)/2
		if mul128(uint64(middle), x.denominator).cmp(x.of[i]) <= 0 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// LargestRemainder is the exact division rounded down, then a unit more for the
// largest fractions, the earlier of equals first.
func LargestRemainder(total int64, claims []Claim) []int64 {
	x := exactly(total, claims)
	left := x.given
	units, rest := make([]int64, len(claims)), make([]u128, len(claims))
	order := make([]int, len(claims))
	for i := range claims {
		units[i], order[i] = x.down(i), i
		rest[i] = x.of[i].sub(mul128(uint64(units[i]), x.denominator))
		left -= units[i]
	}
	sort.SliceStable(order, func(i, j int) bool { return rest[order[i]].cmp(rest[order[j]]) > 0 })
	for i := 0; i < len(order) && int64(i) < left; i++ {
		units[order[i]]++
	}
	return units
}

// Webster is Webster's division: each next unit goes to the least
// (units + 1/2) / weight. All roundings together move the level by half a unit a
// claim at most, so the start is low enough.
func Webster(total int64, claims []Claim) []int64 {
	x := exactly(total, claims)
	left := x.given
	units := make([]int64, len(claims))
	weight, most := make([]uint64, len(claims)), make([]int64, len(claims))
	for i, c := range claims {
		weight[i], most[i] = uint64(c.Weight), c.Top()
		low := c.Floor()
		if x.over {
			weight[i], most[i], low = uint64(c.Floor()), c.Floor(), 0
		}
		units[i] = x.down(i)
		if !x.full {
			units[i] -= int64(len(claims)/2 + 2)
		}
		if units[i] < low {
			units[i] = low
		}
		left -= units[i]
	}
	for ; left > 0; left-- {
		best := -1
		for i := range units {
			if weight[i] > 0 && units[i] < most[i] && (best < 0 ||
				mul128(2*uint64(units[i])+1, weight[best]).cmp(mul128(2*uint64(units[best])+1, weight[i])) < 0) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		units[best]++
	}
	return units
}

func sameUnits(a, b []int64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

type givenUnits struct {
	total  int64
	claims []Claim
	units  []int64
	x      exactShares
}

func (g *givenUnits) sums() string {
	var sum u128
	wants := false
	for i, c := range g.claims {
		if g.units[i] < 0 || g.units[i] > c.Cap() || !g.x.over && g.units[i] < c.Floor() {
			return "within_bounds"
		}
		wants = wants || c.Weight > 0 && g.units[i] < c.Cap()
		sum = sum.add(u128{0, uint64(g.units[i])})
	}
	if sum != (u128{0, uint64(g.x.given)}) {
		return "adds_up"
	}
	if wants && g.x.given != g.total {
		return "wastes_nothing"
	}
	return ""
}

// quota: less than a unit from the exact share, or Webster's division, which
// leaves the quota in rare families.
func (g *givenUnits) quota() string {
	for i, u := range g.units {
		low := u > 0 && mul128(uint64(u-1), g.x.denominator).cmp(g.x.of[i]) >= 0
		if low || mul128(uint64(u+1), g.x.denominator).cmp(g.x.of[i]) <= 0 {
			if sameUnits(g.units, Webster(g.total, g.claims)) {
				return ""
			}
			return "within_one_unit"
		}
	}
	return ""
}

// moves: no unit could go from one claim to another so that both are nearer to
// their exact shares and to each other for their weights.
func (g *givenUnits) moves() string {
	q := g.x.denominator
	sign := func(i int) int { return mul128(uint64(g.units[i]), q).cmp(g.x.of[i]) }
	for i, c := range g.claims {
		if c.Weight == 0 || sign(i) <= 0 || g.units[i] <= c.Floor() {
			continue
		}
		for j, d := range g.claims {
			if d.Weight == 0 || sign(j) >= 0 || g.units[j] >= d.Top() {
				continue
			}
			nearer := mul128(uint64(g.units[i]), q).add(g.x.of[j]).
				cmp(mul128(uint64(g.units[j]+1), q).add(g.x.of[i])) > 0
			if nearer && mul128(2*uint64(g.units[i])-1, uint64(d.Weight)).
				cmp(mul128(2*uint64(g.units[j])+1, uint64(c.Weight))) > 0 {
				return "no_better_move"
			}
		}
	}
	return ""
}

// envy: a claim that wants more has no less for its weight than another beyond
// its guarantee, to a unit on both sides.
func (g *givenUnits) envy() string {
	for i, c := range g.claims {
		if c.Weight == 0 || g.units[i] >= c.Cap() {
			continue
		}
		for j, d := range g.claims {
			if d.Weight > 0 && g.units[j] > d.Floor() &&
				mul128(uint64(g.units[i]+1), uint64(d.Weight)).
					cmp(mul128(uint64(g.units[j]-1), uint64(c.Weight))) < 0 {
				return "nobody_envies"
			}
		}
	}
	return ""
}

// CheckUnits is the name of the first invariant of one division that breaks:
// within_bounds, adds_up, wastes_nothing, within_one_unit, no_better_move,
// nobody_envies; or "". Amounts are at most 2^61 + 3, the guarantees add up to
// less than 2^63, and the total is below 2^62.
func CheckUnits(total int64, claims []Claim, units []int64) string {
	if len(units) != len(claims) {
		return "whole_units"
	}
	g := givenUnits{total, claims, units, exactly(total, claims)}
	checks := []func() string{g.sums, g.quota}
	if !g.x.over {
		checks = append(checks, g.moves, g.envy)
	}
	for _, check := range checks {
		if broken := check(); broken != "" {
			return broken
		}
	}
	return ""
}

// errBroken carries the name of an invariant out of a division that fails.
var errBroken = errors.New("division_runs")

// attempt runs a division, which may panic, on a copy of the claims.
func attempt(share Share, total int64, claims []Claim) (units []int64, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: panic: %v", errBroken, r)
		}
	}()
	own := append([]Claim(nil), claims...)
	if units, err = share(total, own); err != nil {
		return nil, fmt.Errorf("%w: %v", errBroken, err)
	}
	for i := range own {
		if own[i] != claims[i] {
			return nil, errors.New("same_again")
		}
	}
	if len(units) != len(claims) {
		return nil, errors.New("whole_units")
	}
	return append([]int64(nil), units...), nil
}

// changedFamily is a family made from another, and what must hold of its units.
type changedFamily struct {
	total  int64
	claims []Claim
	holds  func(units []int64) string
}

func named(name string, holds func(i int, units []int64) bool, rows int) func([]int64) string {
	return func(units []int64) string {
		for i := 0; i < rows; i++ {
			if !holds(i, units) {
				return name
			}
		}
		return ""
	}
}

// changedFamilies are the families that a division is compared on.
func changedFamilies(total int64, claims []Claim, before []int64, over bool) (out []changedFamily) {
	n := len(claims)
	copied := func() []Claim { return append([]Claim(nil), claims...) }
	out = append(out, changedFamily{total, copied(), named("same_again", func(i int, u []int64) bool {
		return u[i] == before[i]
	}, n)})
	turned := copied()
	for i := range turned {
		turned[i] = claims[n-1-i]
	}
	out = append(out, changedFamily{total, turned, named("order_of_rows", func(i int, u []int64) bool {
		return u[n-1-i] >= before[i]-1 && u[n-1-i] <= before[i]+1
	}, n)})
	for k := 0; k < n && k < 3 && !over; k++ {
		k := k
		if claims[k].Demand <= total {
			more := copied()
			more[k].Demand++
			if x := exactly(total, more); !x.over {
				out = append(out, changedFamily{total, more, named("wanting_more_gets_no_less",
					func(i int, u []int64) bool { return u[k] >= before[k] }, 1)})
			}
		}
		if claims[k].Weight > 0 && claims[k].Weight < 1<<31 {
			more := copied()
			more[k].Weight *= 2
			out = append(out, changedFamily{total, more, named("weighing_more_gets_no_less",
				func(i int, u []int64) bool { return u[k] >= before[k]-1 }, 1)})
		}
	}
	if !over {
		out = append(out, changedFamily{total + 1, copied(), named("hardly_falls_with_the_total",
			func(i int, u []int64) bool { return u[i] >= before[i]-1 }, n)})
	}
	scaled := copied()
	for i := range scaled {
		if scaled[i].Weight > 1<<32/7-1 {
			return out
		}
		scaled[i].Weight *= 7
	}
	return append(out, changedFamily{total, scaled, named("scale_of_weights", func(i int, u []int64) bool {
		return u[i] == before[i]
	}, n)})
}

// CheckDivision is the name of the first invariant that a division breaks on one
// family, and words about it; or "".
func CheckDivision(share Share, total int64, claims []Claim) (invariant, words string) {
	name := func(err error) (string, string) {
		if errors.Is(err, errBroken) {
			return errBroken.Error(), err.Error()
		}
		return err.Error(), ""
	}
	before, err := attempt(share, total, claims)
	if err != nil {
		return name(err)
	}
	if broken := CheckUnits(total, claims, before); broken != "" {
		return broken, fmt.Sprintf("the division is %v", before)
	}
	x := exactly(total, claims)
	for _, f := range changedFamilies(total, claims, before, x.over) {
		after, err := attempt(share, f.total, f.claims)
		if err != nil {
			return name(err)
		}
		if broken := f.holds(after); broken != "" {
			return broken, fmt.Sprintf("the division is %v, and of %d among %v it is %v",
				before, f.total, f.claims, after)
		}
	}
	return "", ""
}

// taste is how a family is drawn.
type taste struct {
	most           uint64
	hostile, large bool
}

func (t taste) amount(c *Choices, edges int) int64 {
	if t.hostile && c.Choose(1) == 1 {
		all := []int64{1 << 31, 1 << 32, 1 << 53, 1 << 60, 1 << 61}
		if t.large {
			edges = 3
		}
		return c.Pick(all[:edges]...) + int64(c.Choose(6)) - 3
	}
	return int64(c.Choose(t.most))
}

func (t taste) claim(c *Choices) Claim {
	claim := Claim{Limit: sked.Unlimited, Demand: sked.Unlimited}
	how := c.Choose(9)
	claim.Weight = uint32(c.Pick(1, 1, 1, 2, 3, 5, 7, 0))
	if how == 1 {
		claim.Weight = uint32(c.Choose(1000))
	}
	if how == 2 && t.hostile {
		claim.Weight = 1<<32 - 1
	}
	if c.Choose(9) >= 7 {
		claim.Guarantee = t.amount(c, 4)
	}
	if c.Choose(9) >= 7 {
		claim.Limit = t.amount(c, 5)
	}
	if how = c.Choose(19); how >= 10 {
		claim.Demand = t.amount(c, 5)
	} else if how == 9 {
		claim.Demand = 0
	}
	return claim
}

// DrawFamily draws a total and claims, with what goes wrong in mind: weight 0,
// demand 0, equal rows, guarantees above the total, 1 to 64 claims, and amounts
// around 2^31, 2^32, 2^53, 2^60 and 2^61.
func DrawFamily(c *Choices) (total int64, claims []Claim) {
	t := taste{most: uint64(c.Pick(4, 12, 100, 1000))}
	t.hostile = c.Choose(3) == 3
	t.large = c.Choose(15) == 15
	total = t.amount(c, 5)
	total *= 1 + int64(c.Choose(2))/2
	most, mean := 7, 4
	if t.large {
		most, mean = MostClaims, 30
	}
	for len(claims) < most && (c.More(mean) || len(claims) == 0) {
		claims = append(claims, t.claim(c))
	}
	how, floors := c.Choose(11), int64(0)
	for i := range claims {
		switch {
		case how == 1 || how == 2:
			claims[i] = claims[0]
		case how == 3 && i > 1:
			claims[i] = claims[c.Choose(1)]
		case how >= 4 && how <= 6:
			claims[i] = Claim{Weight: claims[i].Weight, Limit: sked.Unlimited, Demand: sked.Unlimited}
		}
		floors += claims[i].Floor()
	}
	if how == 7 || how == 8 {
		if total = floors - int64(c.Choose(3)); total < 0 {
			total = 0
		}
	}
	return least(total, 1<<62-3), claims
}

// Division is the case of a division among siblings.
func Division(share Share) Case {
	return func(c *Choices, s *Story) {
		total, claims := DrawFamily(c)
		s.Size = len(claims)
		words := ""
		if s.Invariant, words = CheckDivision(share, total, claims); s.Invariant == "" {
			return
		}
		s.Say("    total %d", total)
		for i, c := range claims {
			s.Say("    claim %d: weight %d, guarantee %d, limit %d, demand %d (%d: unlimited)",
				i, c.Weight, c.Guarantee, c.Limit, c.Demand, int64(sked.Unlimited))
		}
		s.Say("    %s", words)
	}
}

package skedtest

import (
	"errors"
	"math"

	"example.org/sked/bindings/go/sked"
)

// right is the division that wrong ones differ from.
func right(total int64, claims []Claim) []int64 { return LargestRemainder(total, claims) }

func sumOf(units []int64) (sum int64) {
	for _, u := range units {
		sum += u
	}
	return sum
}

func floorsOf(claims []Claim) (sum int64) {
	for _, c := range claims {
		sum += c.Floor()
	}
	return sum
}

func weightsOf(claims []Claim) (sum int64) {
	for _, c := range claims {
		sum += int64(c.Weight)
	}
	return sum
}

func areEqual(claims []Claim) bool {
	for _, c := range claims {
		if c != claims[0] {
			return false
		}
	}
	return true
}

// changed is the right division of changed claims.
func changed(change func(c *Claim)) Share {
	return func(total int64, claims []Claim) ([]int64, error) {
		other := append([]Claim(nil), claims...)
		for i := range other {
			change(&other[i])
		}
		return right(total, other), nil
	}
}

// adjusted is the right division, then changed.
func adjusted(change func(total int64, claims []Claim, u []int64)) Share {
	return func(total int64, claims []Claim) ([]int64, error) {
		u := right(total, claims)
		change(total, claims, u)
		return u, nil
	}
}

// moved is the right division, then units from one claim to another; -1: the last.
func moved(from, to int, units int64, when func(total int64, claims []Claim) bool) Share {
	return adjusted(func(total int64, claims []Claim, u []int64) {
		if when(total, claims) {
			f, t := (from+len(u))%len(u), (to+len(u))%len(u)
			some := least(units, u[f])
			u[f] -= some
			u[t] += some
		}
	})
}

func always(int64, []Claim) bool { return true }

// unbound: claims bind nothing and products are small, so that a share is
// total * weight / weights.
func unbound(total int64, claims []Claim) bool {
	for _, c := range claims {
		if c.Floor() > 0 || c.Cap() < sked.Unlimited || c.Weight > 1<<20 {
			return false
		}
	}
	return weightsOf(claims) > 0 && total < 1<<40
}

// rounded rounds each share by itself, then settles what is left.
func rounded(add func(weights int64) int64, settle func(left int64, u []int64)) Share {
	return adjusted(func(total int64, claims []Claim, u []int64) {
		if !unbound(total, claims) {
			return
		}
		weights := weightsOf(claims)
		for i, c := range claims {
			u[i] = (total*int64(c.Weight) + add(weights)) / weights
		}
		settle(total-sumOf(u), u)
	})
}

func nothing(int64) int64      { return 0 }
func leave(int64, []int64)     {}
func first(l int64, u []int64) { u[0] += l }
func last(l int64, u []int64)  { u[len(u)-1] += l }

// byDivisor gives each next unit to the least (units + up) / weight: Jefferson's
// method for 1, Adams's for 0.
func byDivisor(up int64) Share {
	return adjusted(func(total int64, claims []Claim, u []int64) {
		if !unbound(total, claims) || total > 4000 {
			return
		}
		for i := range u {
			u[i] = 0
		}
		for left := total; left > 0; left-- {
			best := -1
			for i, c := range claims {
				if c.Weight > 0 && (best < 0 || (u[i]+up)*int64(claims[best].Weight) <
					(u[best]+up)*int64(c.Weight)) {
					best = i
				}
			}
			u[best]++
		}
	})
}

// inRounds hands out what is left in so many rounds.
func inRounds(rounds int) Share {
	return adjusted(func(total int64, claims []Claim, u []int64) {
		if floorsOf(claims) > total || total > 1<<30 {
			return
		}
		for i, c := range claims {
			u[i] = c.Floor()
		}
		for r := 0; r < rounds; r++ {
			left, weights := total-sumOf(u), int64(0)
			for i, c := range claims {
				if u[i] < c.Top() {
					weights += int64(c.Weight)
				}
			}
			for i, c := range claims {
				if weights > 0 && u[i] < c.Top() {
					u[i] = least(c.Top(), u[i]+left*int64(c.Weight)/weights)
				}
			}
		}
	})
}

// bisected halves an interval of levels so often, then rounds down, as YARN does.
func bisected(rounds int) Share {
	return adjusted(func(total int64, claims []Claim, u []int64) {
		low, high := 0.0, 1.0
		at := func(r float64, c Claim) float64 {
			return math.Max(float64(c.Floor()), math.Min(float64(c.Top()), r*float64(c.Weight)))
		}
		sum := func(r float64) (s float64) {
			for _, c := range claims {
				s += at(r, c)
			}
			return s
		}
		if floorsOf(claims) > total || sum(math.MaxFloat64/1e20) <= float64(total) {
			return
		}
		for i := 0; i < 80 && sum(high) < float64(total); i++ {
			high *= 2
		}
		for i := 0; i < rounds; i++ {
			if middle := (low + high) / 2; sum(middle) > float64(total) {
				high = middle
			} else {
				low = middle
			}
		}
		for i, c := range claims {
			if x := at(low, c); x < 9e18 {
				u[i] = least(int64(x), c.Top())
			}
		}
	})
}

// numbers is the right division in other numbers.
func numbers(change func(u int64) int64) Share {
	return adjusted(func(_ int64, _ []Claim, u []int64) {
		for i := range u {
			u[i] = change(u[i])
		}
	})
}

// overGuaranteed divides in another way when guarantees exceed the total.
func overGuaranteed(divide func(total int64, claims []Claim, u []int64)) Share {
	return adjusted(func(total int64, claims []Claim, u []int64) {
		if floorsOf(claims) > total {
			divide(total, claims, u)
		}
	})
}

type plantedDivision struct {
	name  string
	share Share
}

var wrongDivisions = []plantedDivision{
	{"no_weights", changed(func(c *Claim) { c.Weight = 1 })},
	{"no_demand", changed(func(c *Claim) { c.Demand = sked.Unlimited })},
	{"no_limit", changed(func(c *Claim) { c.Limit = sked.Unlimited })},
	{"no_guarantee", changed(func(c *Claim) { c.Guarantee = 0 })},
	{"weight_0_is_1", changed(func(c *Claim) {
		if c.Weight == 0 {
			c.Weight = 1
		}
	})},
	{"weights_turned_round", changed(func(c *Claim) {
		if c.Weight > 0 {
			c.Weight = 1000 / c.Weight
		}
	})},
	{"weights_of_8_bits", changed(func(c *Claim) { c.Weight %= 256 })},
	{"weights_of_16_bits", changed(func(c *Claim) { c.Weight %= 65536 })},
	{"weight_off_by_one", changed(func(c *Claim) {
		if c.Weight > 1 && c.Weight < 1<<31 {
			c.Weight++
		}
	})},
	{"limit_off_by_one", changed(func(c *Claim) {
		if c.Limit > 0 && c.Limit < sked.Unlimited {
			c.Limit--
		}
	})},
	{"guarantee_off_by_one", changed(func(c *Claim) {
		if c.Guarantee > 0 {
			c.Guarantee--
		}
	})},
	{"guarantee_as_weight", changed(func(c *Claim) {
		if c.Guarantee > 0 {
			c.Weight = uint32(least(c.Guarantee, math.MaxUint32))
		}
	})},
	{"weight_7_is_5", changed(func(c *Claim) {
		if c.Weight == 7 {
			c.Weight = 5
		}
	})},
	{"one_unit_last_to_first", moved(-1, 0, 1, always)},
	{"one_unit_first_to_last", moved(0, -1, 1, always)},
	{"two_units_to_the_first", moved(-1, 0, 2, always)},
	{"one_unit_of_large_totals", moved(0, -1, 1, func(t int64, _ []Claim) bool { return t > 1<<31 })},
	{"one_unit_of_equal_rows", moved(0, -1, 1, func(_ int64, c []Claim) bool { return areEqual(c) })},
	{"one_unit_among_many", moved(-1, 0, 1, func(_ int64, c []Claim) bool { return len(c) > 16 })},
	{"weight_0_takes_from_the_rich", moved(0, -1, 1, func(_ int64, c []Claim) bool {
		return len(c) > 1 && c[len(c)-1].Weight == 0
	})},
	{"odd_totals_lean_left", moved(1, 0, 1, func(t int64, c []Claim) bool { return t%2 == 1 && len(c) == 2 })},
	{"of_five_one_one_one", adjusted(func(total int64, c []Claim, u []int64) {
		if total == 8 && len(c) == 4 && areEqual(c) && c[0].Weight > 0 && c[0].Cap() >= 5 && c[0].Floor() <= 1 {
			copy(u, []int64{5, 1, 1, 1})
		}
	})},
	{"round_down", rounded(nothing, leave)},
	{"round_up", rounded(func(w int64) int64 { return w - 1 }, leave)},
	{"round_half", rounded(func(w int64) int64 { return w / 2 }, leave)},
	{"rest_to_first", rounded(nothing, first)},
	{"rest_to_last", rounded(nothing, last)},
	{"jefferson", byDivisor(1)},
	{"adams", byDivisor(0)},
	{"bounds_at_the_end", func(total int64, claims []Claim) ([]int64, error) {
		u, _ := changed(func(c *Claim) {
			*c = Claim{Weight: c.Weight, Limit: sked.Unlimited, Demand: sked.Unlimited}
		})(total, claims)
		for i, c := range claims {
			u[i] = least(c.Top(), -least(-c.Floor(), -u[i]))
		}
		return u, nil
	}},
	{"one_round", inRounds(1)},
	{"ten_rounds", inRounds(10)},
	{"guarantee_on_top", adjusted(func(total int64, claims []Claim, u []int64) {
		if floorsOf(claims) > total {
			return
		}
		other := append([]Claim(nil), claims...)
		for i, c := range claims {
			other[i] = Claim{c.Weight, 0, sked.Unlimited, c.Cap() - c.Floor()}
		}
		for i, some := range right(total-floorsOf(claims), other) {
			u[i] = claims[i].Floor() + some
		}
	})},
	{"first_come", adjusted(func(total int64, claims []Claim, u []int64) {
		for i, c := range claims {
			u[i] = least(c.Top(), total)
			total -= u[i]
		}
	})},
	{"yarn_25_bisections", bisected(25)},
	{"bisections_60", bisected(60)},
	{"over_guaranteed_first_come", overGuaranteed(func(total int64, claims []Claim, u []int64) {
		for i, c := range claims {
			u[i] = least(c.Floor(), total)
			total -= u[i]
		}
	})},
	{"over_guaranteed_equal", overGuaranteed(func(total int64, claims []Claim, u []int64) {
		other := append([]Claim(nil), claims...)
		for i, c := range claims {
			other[i] = Claim{1, 0, c.Floor(), c.Floor()}
		}
		copy(u, right(total, other))
	})},
	{"over_guaranteed_gives_all", overGuaranteed(func(_ int64, claims []Claim, u []int64) {
		for i, c := range claims {
			u[i] = c.Floor()
		}
	})},
	{"over_guaranteed_gives_nothing", overGuaranteed(func(_ int64, _ []Claim, u []int64) {
		for i := range u {
			u[i] = 0
		}
	})},
	{"int32", numbers(func(u int64) int64 { return int64(int32(u)) })},
	{"uint32", numbers(func(u int64) int64 { return int64(uint32(u)) })},
	{"int60", numbers(func(u int64) int64 { return u % (1 << 60) })},
	{"doubles_above_2_53", numbers(func(u int64) int64 { return int64(float64(u)) })},
	{"at_most_a_million", numbers(func(u int64) int64 { return least(u, 1000000) })},
	{"loses_one_of_many", adjusted(func(_ int64, _ []Claim, u []int64) {
		if len(u) > 5 && u[3] > 0 {
			u[3]--
		}
	})},
	{"more_than_eight", func(total int64, claims []Claim) ([]int64, error) {
		n := least(int64(len(claims)), 8)
		return append(right(total, claims[:n]), make([]int64, int64(len(claims))-n)...), nil
	}},
	{"equal_rows_merged", adjusted(func(_ int64, claims []Claim, u []int64) {
		seen := map[Claim]int64{}
		for i, c := range claims {
			if _, ok := seen[c]; !ok {
				seen[c] = u[i]
			}
			u[i] = seen[c]
		}
	})},
	{"fails_without_weight", func(total int64, claims []Claim) ([]int64, error) {
		for _, c := range claims {
			if c.Weight == 0 {
				return nil, errors.New("no weight")
			}
		}
		return right(total, claims), nil
	}},
	{"divides_by_zero", adjusted(func(_ int64, claims []Claim, u []int64) {
		for i, c := range claims {
			u[i] = u[i] * int64(c.Weight) / int64(c.Weight)
		}
	})},
	{"limit_by_weight_zero", adjusted(func(total int64, claims []Claim, u []int64) {
		for i, c := range claims {
			if c.Weight == 0 {
				u[i] += least(c.Cap()-u[i], total-sumOf(u))
			}
		}
	})},
	{"demand_zero_keeps_guarantee", adjusted(func(total int64, claims []Claim, u []int64) {
		for i, c := range claims {
			if c.Demand == 0 && c.Guarantee > 0 {
				u[i] = least(least(c.Guarantee, c.Limit), total-sumOf(u))
			}
		}
	})},
	{"guarantee_beats_limit", adjusted(func(total int64, claims []Claim, u []int64) {
		for i, c := range claims {
			u[i] = -least(-u[i], -least(least(c.Guarantee, total), c.Demand))
		}
	})},
	{"sorts_the_claims", func(total int64, claims []Claim) ([]int64, error) {
		u := right(total, claims)
		if len(claims) > 1 && claims[0].Weight > claims[1].Weight {
			claims[0], claims[1] = claims[1], claims[0]
		}
		return u, nil
	}},
	{"one_unit_short", func(total int64, claims []Claim) ([]int64, error) {
		return right(total, claims)[:len(claims)/2*2], nil
	}},
}

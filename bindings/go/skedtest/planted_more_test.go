package skedtest

import (
	"math"

	"example.org/sked/bindings/go/sked"
)

// changedBy is the right division of claims that change with their place, the
// total and the other claims.
func changedBy(change func(i int, c *Claim, total int64, claims []Claim)) Share {
	return func(total int64, claims []Claim) ([]int64, error) {
		other := append([]Claim(nil), claims...)
		for i := range other {
			change(i, &other[i], total, claims)
		}
		return right(total, other), nil
	}
}

// ofTotal is the right division of another total.
func ofTotal(other func(total int64, claims []Claim) int64) Share {
	return func(total int64, claims []Claim) ([]int64, error) {
		return right(other(total, claims), claims), nil
	}
}

// everyThird rounds in another way at every third call.
func everyThird() Share {
	calls := 0
	return adjusted(func(_ int64, claims []Claim, u []int64) {
		last := len(u) - 1
		if calls++; calls%3 == 0 && last > 0 && u[0] > 0 && u[last] < claims[last].Top() {
			u[0]--
			u[last]++
		}
	})
}

func init() { wrongDivisions = append(wrongDivisions, moreWrongDivisions...) }

var moreWrongDivisions = []plantedDivision{
	{"demand_off_by_one", changedBy(func(_ int, c *Claim, total int64, _ []Claim) {
		if c.Demand > 0 && c.Demand < total {
			c.Demand--
		}
	})},
	{"limit_0_is_none", changed(func(c *Claim) {
		if c.Limit == 0 {
			c.Limit = sked.Unlimited
		}
	})},
	{"demand_0_is_none", changed(func(c *Claim) {
		if c.Demand == 0 {
			c.Demand = sked.Unlimited
		}
	})},
	{"demand_above_total_is_none", changedBy(func(_ int, c *Claim, total int64, _ []Claim) {
		if c.Demand < sked.Unlimited && c.Demand > total {
			c.Demand = 0
		}
	})},
	{"weights_of_31_bits", changed(func(c *Claim) { c.Weight &= math.MaxInt32 })},
	{"weights_in_percent", changedBy(func(_ int, c *Claim, _ int64, claims []Claim) {
		if sum := weightsOf(claims); sum > 0 {
			c.Weight = uint32((int64(c.Weight)*100 + 50) / sum)
		}
	})},
	{"limited_claims_weigh_one", changed(func(c *Claim) {
		if c.Limit < sked.Unlimited && c.Weight > 0 {
			c.Weight = 1
		}
	})},
	{"guaranteed_claims_have_no_limit", changed(func(c *Claim) {
		if c.Guarantee > 0 {
			c.Limit = sked.Unlimited
		}
	})},
	{"guarantee_above_total_is_none", changedBy(func(_ int, c *Claim, total int64, _ []Claim) {
		if c.Guarantee > total {
			c.Guarantee = 0
		}
	})},
	{"first_demand_of_all", changedBy(func(_ int, c *Claim, _ int64, claims []Claim) {
		c.Demand = claims[0].Demand
	})},
	{"only_32_claims", changedBy(func(i int, c *Claim, _ int64, _ []Claim) {
		if i >= 32 {
			c.Weight = 0
		}
	})},
	{"lends_what_is_guaranteed", adjusted(func(_ int64, claims []Claim, u []int64) {
		if len(u) > 1 && claims[0].Floor() > 0 && u[0] == claims[0].Floor() {
			u[0]--
			u[len(u)-1]++
		}
	})},
	{"starts_with_the_total", adjusted(func(total int64, _ []Claim, u []int64) {
		if at := int(total % int64(len(u))); len(u) > 2 && u[at] > 0 {
			u[at]--
			u[0]++
		}
	})},
	{"ten_percent_are_equal", adjusted(func(_ int64, _ []Claim, u []int64) {
		if len(u) == 2 && u[0] > 9 && u[1] > u[0] && u[1]-u[0] <= u[0]/10 {
			some := (u[1] - u[0]) / 2
			u[1], u[0] = u[1]-some, u[0]+some
		}
	})},
	{"sum_of_weights_in_32_bits", adjusted(func(total int64, claims []Claim, u []int64) {
		sum := weightsOf(claims)
		for i, c := range claims {
			if sum > math.MaxUint32 && total <= 1<<31 && uint32(sum) > 0 {
				u[i] = total * int64(c.Weight) / int64(uint32(sum))
			}
		}
	})},
	{"only_one_claim_gets_all", adjusted(func(total int64, claims []Claim, u []int64) {
		if len(u) == 1 && claims[0].Weight > 0 {
			u[0] = total
		}
	})},
	{"at_least_one_each", adjusted(func(_ int64, claims []Claim, u []int64) {
		for i, c := range claims {
			rich := 0
			for j := range u {
				if u[j] > u[rich] {
					rich = j
				}
			}
			if u[i] == 0 && c.Top() > 0 && u[rich] > 1 {
				u[rich]--
				u[i]++
			}
		}
	})},
	{"at_most_half", adjusted(func(total int64, _ []Claim, u []int64) {
		for i := range u {
			if len(u) > 1 {
				u[i] = least(u[i], total/2+1)
			}
		}
	})},
	{"whole_levels", adjusted(func(total int64, claims []Claim, u []int64) {
		for i, c := range claims {
			if unbound(total, claims) {
				u[i] = total / weightsOf(claims) * int64(c.Weight)
			}
		}
	})},
	{"over_guaranteed_by_weight", overGuaranteed(func(total int64, claims []Claim, u []int64) {
		other := append([]Claim(nil), claims...)
		for i, c := range claims {
			other[i] = Claim{c.Weight, 0, c.Floor(), c.Floor()}
		}
		copy(u, right(total, other))
	})},
	{"guarantees_set_aside", ofTotal(func(total int64, claims []Claim) int64 {
		for _, c := range claims {
			total -= least(total, c.Guarantee-c.Floor())
		}
		return total
	})},
	{"even_totals_only", ofTotal(func(total int64, _ []Claim) int64 { return total - total%2 })},
	{"total_of_one_is_none", ofTotal(func(total int64, _ []Claim) int64 {
		if total == 1 {
			return 0
		}
		return total
	})},
	{"every_third_call", everyThird()},
}

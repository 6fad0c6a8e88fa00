package skedtest

// #include "kit.h"
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"

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

// family is a family of the kit; claims beyond MostClaims do not fit.
type family struct {
	claims [MostClaims]C.sked_test_claim
	units  [MostClaims]C.int64_t
}

func familyOf(claims []Claim) *family {
	f := new(family)
	for i, c := range claims {
		f.claims[i] = C.sked_test_claim{guarantee: C.int64_t(c.Guarantee), limit: C.int64_t(c.Limit),
			demand: C.int64_t(c.Demand), weight: C.uint32_t(c.Weight)}
	}
	return f
}

func claimsOf(from []C.sked_test_claim) []Claim {
	claims := make([]Claim, len(from))
	for i, c := range from {
		claims[i] = Claim{uint32(c.weight), int64(c.guarantee), int64(c.limit), int64(c.demand)}
	}
	return claims
}

func (f *family) unitsOf(n int) []int64 {
	units := make([]int64, n)
	for i := range units {
		units[i] = int64(f.units[i])
	}
	return units
}

// LargestRemainder is the exact division rounded down, then a unit more for the
// largest fractions, the earlier of equals first. At most MostClaims claims.
func LargestRemainder(total int64, claims []Claim) []int64 {
	f := familyOf(claims)
	C.sked_test_largest_remainder(C.int64_t(total), &f.claims[0], C.size_t(len(claims)), &f.units[0])
	return f.unitsOf(len(claims))
}

// Webster is Webster's division: each next unit goes to the least
// (units + 1/2) / weight. At most MostClaims claims.
func Webster(total int64, claims []Claim) []int64 {
	f := familyOf(claims)
	C.sked_test_webster(C.int64_t(total), &f.claims[0], C.size_t(len(claims)), &f.units[0])
	return f.unitsOf(len(claims))
}

// CheckUnits is the name of the first invariant of one division that breaks:
// within_bounds, adds_up, wastes_nothing, within_one_unit, no_better_move,
// nobody_envies; or "". At most MostClaims claims, amounts at most 2^61 + 3; the
// guarantees add up to less than 2^63, and the total is below 2^62.
func CheckUnits(total int64, claims []Claim, units []int64) string {
	if len(units) != len(claims) {
		return "whole_units"
	}
	f := familyOf(claims)
	for i, u := range units {
		f.units[i] = C.int64_t(u)
	}
	broken := C.sked_test_units(C.int64_t(total), &f.claims[0], C.size_t(len(claims)), &f.units[0], 0)
	if broken == nil {
		return ""
	}
	return C.GoString(broken)
}

// divided is a division under test: what it gave last, and how it failed.
type divided struct {
	share         Share
	failed, words string
	total         int64
	claims        []Claim
	units         []int64
}

func (d *divided) fails(invariant, format string, args ...interface{}) C.int {
	if d.failed == "" {
		d.failed, d.words = invariant, fmt.Sprintf(format, args...)
	}
	return 1
}

// try runs the division, which may panic, on a copy of the claims.
func (d *divided) try(total int64, claims []Claim) (failed C.int) {
	defer func() {
		if r := recover(); r != nil {
			failed = d.fails("division_runs", "panic: %v", r)
		}
	}()
	own := append([]Claim(nil), claims...)
	units, err := d.share(total, own)
	if err != nil {
		return d.fails("division_runs", "%v", err)
	}
	for i := range own {
		if own[i] != claims[i] {
			return d.fails("same_again", "the division changes its claims")
		}
	}
	if len(units) != len(claims) {
		return d.fails("whole_units", "%d units for %d claims", len(units), len(claims))
	}
	d.total, d.claims, d.units = total, claims, units
	return 0
}

//export skedtestShare
func skedtestShare(share C.uintptr_t, total C.int64_t, claims *C.sked_test_claim, n C.size_t,
	units *C.int64_t) C.int {
	d := cgo.Handle(share).Value().(*divided)
	failed := d.try(int64(total), claimsOf(unsafe.Slice(claims, int(n))))
	if failed == 0 {
		out := unsafe.Slice(units, int(n))
		for i, u := range d.units {
			out[i] = C.int64_t(u)
		}
	}
	return failed
}

// verdict is the name of the broken invariant, and words about it. The kit knows
// of a failure, and not how the division failed.
func (d *divided) verdict(invariant string) (string, string) {
	if invariant == "division_runs" && d.failed != "" {
		return d.failed, d.words
	}
	if invariant == "" {
		return "", ""
	}
	return invariant, fmt.Sprintf("last, the division of %d among %v was %v", d.total, d.claims, d.units)
}

// CheckDivision is the name of the first invariant that a division breaks on one
// family, and words about it; or "". At most MostClaims claims.
func CheckDivision(share Share, total int64, claims []Claim) (invariant, words string) {
	d := &divided{share: share}
	handle := cgo.NewHandle(d)
	defer handle.Delete()
	f := familyOf(claims)
	if broken := C.kit_family(C.uintptr_t(handle), C.int64_t(total), &f.claims[0],
		C.size_t(len(claims))); broken != nil {
		invariant = C.GoString(broken)
	}
	return d.verdict(invariant)
}

// DrawFamily draws a total and claims, with what goes wrong in mind: weight 0,
// demand 0, equal rows, guarantees above the total, 1 to 64 claims, and amounts
// around 2^31, 2^32, 2^53, 2^60 and 2^61.
func DrawFamily(c *Choices) (total int64, claims []Claim) {
	var sum C.int64_t
	f := new(family)
	n := C.sked_test_draw_family(c.c, &sum, &f.claims[0])
	return int64(sum), claimsOf(f.claims[:n])
}

// Division is the case of a division among siblings.
func Division(share Share) Case {
	return func(c *Choices, s *Story) {
		d := &divided{share: share}
		handle := cgo.NewHandle(d)
		defer handle.Delete()
		C.kit_division(C.uintptr_t(handle), c.c, s.s)
		s.read()
		words := ""
		if s.Invariant, words = d.verdict(s.Invariant); s.Invariant != "" {
			s.Say("    %s", words)
		}
	}
}

// The claims that the kit and this package mean are of one size.
var _ = [1]struct{}{}[MostClaims-C.SKED_TEST_MOST_CLAIMS]
var _ = [1]struct{}{}[sked.Unlimited-C.INT64_MAX]

package skedtest

import (
	"fmt"
	"math/big"
	"math/rand"
	"reflect"
	"sort"

	"example.org/sked/bindings/go/sked"
)

// Family is one family of queues and what there is to share: an input of
// sked.Fill, or of any policy of your own.
type Family struct {
	Total     int64
	Guarantee []int64 // nil: none
	Limit     []int64
	Weight    []uint32 // nil: 1 each
}

// DecodeFamily reads one as fuzz/fuzz_fill.c does, so that its corpus is ours.
func DecodeFamily(b *Bytes) Family {
	const rows = 200
	amount := func(bytes int) int64 { return int64(b.Take(bytes) % (sked.AmountMax + 1)) }
	shape := b.Take(1)
	bytes := 1 + int(shape&7)
	times := 1 + int(b.Take(1)%8)
	f := Family{Total: amount(8), Limit: []int64{}}
	for b.More() && len(f.Limit)+times <= rows {
		lo := int64(0)
		if shape&8 != 0 {
			lo = amount(bytes)
		}
		hi := amount(bytes)
		w := uint32(b.Take(1))
		if shape&16 != 0 {
			w = w<<24 | uint32(b.Take(3))
		}
		if shape&32 != 0 {
			hi = sked.Unlimited
		}
		for i := 0; i < times; i++ {
			f.Guarantee, f.Limit = append(f.Guarantee, lo), append(f.Limit, hi)
			f.Weight = append(f.Weight, w)
		}
	}
	if shape&8 == 0 {
		f.Guarantee = nil
	}
	if shape&64 != 0 || f.Weight == nil {
		f.Weight = make([]uint32, len(f.Limit))
		for i := range f.Weight {
			f.Weight[i] = 1
		}
	}
	return f
}

// Generate makes one for testing/quick.
func (Family) Generate(r *rand.Rand, size int) reflect.Value {
	return reflect.ValueOf(DecodeFamily(Random(r, 4*size+12)))
}

// Input is the family as sked.Fill reads it.
func (f Family) Input() *sked.FillInput {
	return &sked.FillInput{Total: f.Total, Guarantee: f.Guarantee, Limit: f.Limit, Weight: f.Weight}
}

func (f Family) low(i int) int64 {
	lo := int64(0)
	if f.Guarantee != nil {
		lo = f.Guarantee[i]
	}
	if f.Limit[i] < lo {
		return f.Limit[i] // the limit wins
	}
	return lo
}

// due is what a queue has at a level, exactly.
func (f Family) due(i int, level *big.Rat) *big.Rat {
	x := new(big.Rat).Mul(level, new(big.Rat).SetInt64(int64(f.Weight[i])))
	if lo := new(big.Rat).SetInt64(f.low(i)); x.Cmp(lo) < 0 {
		return lo
	}
	if hi := new(big.Rat).SetInt64(f.Limit[i]); f.Limit[i] != sked.Unlimited && x.Cmp(hi) > 0 {
		return hi
	}
	return x
}

// Exact are the shares before rounding, as fractions that use up the total as far
// as limits and weights let them; false when the guarantees alone exceed it.
func (f Family) Exact() ([]*big.Rat, bool) {
	total := new(big.Rat).SetInt64(f.Total)
	steps := []*big.Rat{new(big.Rat)} // levels at which someone reaches a bound
	sum := new(big.Rat)
	for i := range f.Limit {
		sum.Add(sum, new(big.Rat).SetInt64(f.low(i)))
		if f.Weight[i] == 0 {
			continue
		}
		w := int64(f.Weight[i])
		steps = append(steps, big.NewRat(f.low(i), w))
		if f.Limit[i] != sked.Unlimited {
			steps = append(steps, big.NewRat(f.Limit[i], w))
		}
	}
	if sum.Cmp(total) > 0 {
		return nil, false
	}
	at := func(level *big.Rat) *big.Rat {
		s := new(big.Rat)
		for i := range f.Limit {
			s.Add(s, f.due(i, level))
		}
		return s
	}
	sort.Slice(steps, func(i, j int) bool { return steps[i].Cmp(steps[j]) < 0 })
	over := sort.Search(len(steps), func(i int) bool { return at(steps[i]).Cmp(total) > 0 })
	best := steps[over-1]  // the highest step that does not exceed the total
	rising := new(big.Rat) // weights of those that rise beyond it
	for i := range f.Limit {
		if w := int64(f.Weight[i]); w > 0 {
			level := new(big.Rat).Mul(best, new(big.Rat).SetInt64(w))
			if level.Cmp(new(big.Rat).SetInt64(f.low(i))) >= 0 &&
				(f.Limit[i] == sked.Unlimited || level.Cmp(new(big.Rat).SetInt64(f.Limit[i])) < 0) {
				rising.Add(rising, new(big.Rat).SetInt64(w))
			}
		}
	}
	level := best
	if rising.Sign() > 0 {
		more := new(big.Rat).Sub(total, at(best))
		level = new(big.Rat).Add(best, more.Quo(more, rising))
	}
	out := make([]*big.Rat, len(f.Limit))
	for i := range out {
		out[i] = f.due(i, level)
	}
	return out, true
}

// A Property has a name, and says what of a division breaks it.
type Property struct {
	Name  string
	Holds func(f Family, share []int64) error
}

// Properties are what every division by weights should have.
var Properties = []Property{
	{"nothing is given twice", Conserves},
	{"bounds are kept", KeepsBounds},
	{"nothing is left that could be used", UsesAll},
	{"each is within a unit a sibling of its exact share", IsNear},
}

// Conserves: the shares add up to no more than there is.
func Conserves(f Family, share []int64) error {
	sum := new(big.Int)
	for _, s := range share {
		sum.Add(sum, big.NewInt(s))
	}
	if sum.Cmp(big.NewInt(f.Total)) > 0 {
		return fmt.Errorf("%v given of %d", sum, f.Total)
	}
	return nil
}

// KeepsBounds: no share above its limit, nor below its guarantee where all of
// them fit.
func KeepsBounds(f Family, share []int64) error {
	_, fits := f.Exact()
	for i, s := range share {
		if s < 0 || s > f.Limit[i] || fits && s < f.low(i) {
			return fmt.Errorf("share[%d] is %d, from %d to %d", i, s, f.low(i), f.Limit[i])
		}
	}
	return nil
}

// UsesAll: the shares add up to what the exact ones do.
func UsesAll(f Family, share []int64) error {
	exact, fits := f.Exact()
	if !fits {
		return nil
	}
	given, want := new(big.Rat), new(big.Rat)
	for i, s := range share {
		given.Add(given, new(big.Rat).SetInt64(s))
		want.Add(want, exact[i])
	}
	if given.Cmp(want) != 0 {
		return fmt.Errorf("%s given, %s can be", given.FloatString(2), want.FloatString(2))
	}
	return nil
}

// IsNear: each share is less than a unit a sibling from the exact one. By largest
// remainder it is less than a unit. By Webster's method it may be more: of 34 units
// queues of weights 97, 97, 97, 3, 3 and 3 have 12, 11, 11 and nothing, where the
// first has exactly 10.99.
func IsNear(f Family, share []int64) error {
	exact, fits := f.Exact()
	if !fits {
		return nil
	}
	units := big.NewRat(int64(len(share)), 1)
	for i, s := range share {
		off := new(big.Rat).Sub(new(big.Rat).SetInt64(s), exact[i])
		if off.Abs(off).Cmp(units) >= 0 {
			return fmt.Errorf("share[%d] is %d, exactly %s", i, s, exact[i].FloatString(3))
		}
	}
	return nil
}

// Check holds a division to every property.
func Check(f Family, share []int64) error {
	if len(share) != len(f.Limit) {
		return fmt.Errorf("%d shares for %d queues", len(share), len(f.Limit))
	}
	for _, p := range Properties {
		if err := p.Holds(f, share); err != nil {
			return fmt.Errorf("%s: %v", p.Name, err)
		}
	}
	return nil
}

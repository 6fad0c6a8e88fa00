package skedtest

import (
	"fmt"
	"strings"
)

// Cases that shrinking may try, and fresh short cases that are drawn when the
// smallest one is still long.
const (
	mostChoices  = 4096
	mostShrinks  = 60000
	mostFresh    = 4000
	shortCase    = 8
	longestBlock = 16
)

// Choices is a source of choices, which it records. Choices come from a
// generator, from bytes or from a record. A shorter or smaller record is a
// plainer case, so a case draws its plainest value for 0.
type Choices struct {
	random uint64
	source int // 0 generator, 1 record, 2 bytes
	length int
	given  []uint64
	bytes  []byte
	taken  []uint64
	marks  []int
}

// Steele, Lea, Flood: SplitMix64.
func splitMix(state *uint64) uint64 {
	*state += 0x9e3779b97f4a7c15
	z := *state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (c *Choices) fromBytes(most uint64) (x uint64) {
	for left := most; left > 0; left >>= 8 {
		x <<= 8
		if len(c.bytes) > 0 {
			x |= uint64(c.bytes[0])
			c.bytes = c.bytes[1:]
		}
	}
	if most+1 == 0 {
		return x
	}
	return x % (most + 1)
}

// Choose is a number from 0 to most.
func (c *Choices) Choose(most uint64) (x uint64) {
	if len(c.taken) >= mostChoices || most == 0 {
		return 0
	}
	switch c.source {
	case 0:
		x = splitMix(&c.random)
		if most+1 != 0 {
			x %= most + 1
		}
	case 1:
		if len(c.taken) < len(c.given) {
			x = c.given[len(c.taken)]
		}
		if x > most {
			x = most
		}
	default:
		x = c.fromBytes(most)
	}
	c.taken = append(c.taken, x)
	return x
}

// Int is a number from low to high.
func (c *Choices) Int(low, high int) int { return low + int(c.Choose(uint64(high-low))) }

// Pick is one of the values, the first of which is the plainest.
func (c *Choices) Pick(values ...int64) int64 { return values[c.Choose(uint64(len(values)-1))] }

// More says whether a list has one more element; it has mean elements on
// average. Each element begins with this call, so that the shrinker can remove
// the element as a whole.
func (c *Choices) More(mean int) bool {
	c.marks = append(c.marks, len(c.taken))
	if c.source == 1 || len(c.taken) >= mostChoices {
		return c.Choose(1) == 1
	}
	more := uint64(0)
	if c.source == 0 {
		if splitMix(&c.random)%uint64(mean+1) != 0 {
			more = 1
		}
	} else if len(c.bytes) > 0 && c.fromBytes(255)%uint64(mean+1) != 0 {
		more = 1
	}
	c.taken = append(c.taken, more)
	return more == 1
}

// Length is about how many steps a case should draw.
func (c *Choices) Length() int { return c.length }

// Story is the verdict about a case: the name of the broken invariant or "", the
// number of steps or rows, and the case in words.
type Story struct {
	Invariant string
	Size      int
	Text      strings.Builder
	wantsText bool
}

// Say adds a line to the text.
func (s *Story) Say(format string, args ...interface{}) {
	if s.wantsText {
		fmt.Fprintf(&s.Text, format+"\n", args...)
	}
}

// Case draws a case, tries it, and fills the story.
type Case func(c *Choices, s *Story)

// Bug is a case that breaks an invariant, made as small as the shrinker can.
type Bug struct {
	Invariant string
	Seed      uint64
	Runs      int // cases tried until the first that fails
	Shrinks   int // cases tried after that
	Size      int // steps or rows
	Choices   []uint64
	Text      string
}

func (b *Bug) String() string {
	return fmt.Sprintf("broken invariant: %s (run %d, seed %d)\n%sto run it again: skedtest.Replay(..., %#v)",
		b.Invariant, b.Runs, b.Seed, b.Text, b.Choices)
}

// A search in progress; bug.Choices is the smallest failing record so far.
type search struct {
	try   Case
	bug   *Bug
	marks []int
	c     Choices
	story Story
}

func trimmed(x []uint64) []uint64 {
	for len(x) > 0 && x[len(x)-1] == 0 {
		x = x[:len(x)-1]
	}
	return x
}

func (s *search) fails(wantsText bool) bool {
	s.c.taken, s.c.marks = s.c.taken[:0], s.c.marks[:0]
	s.story = Story{wantsText: wantsText}
	s.try(&s.c, &s.story)
	return s.story.Invariant != ""
}

func (s *search) keep() {
	s.bug.Choices = append([]uint64(nil), trimmed(s.c.taken)...)
	s.bug.Invariant, s.bug.Size = s.story.Invariant, s.story.Size
	s.marks = append(s.marks[:0], s.c.marks...)
}

func (s *search) isPlainer() bool {
	x, best := trimmed(s.c.taken), s.bug.Choices
	if s.story.Size != s.bug.Size {
		return s.story.Size < s.bug.Size
	}
	if len(x) != len(best) {
		return len(x) < len(best)
	}
	for i := range x {
		if x[i] != best[i] {
			return x[i] < best[i]
		}
	}
	return false
}

// tries keeps a record that breaks the same invariant and is plainer.
func (s *search) tries(record []uint64) bool {
	if s.bug.Shrinks >= mostShrinks {
		return false
	}
	s.bug.Shrinks++
	s.c.source, s.c.given = 1, record
	if !s.fails(false) || s.story.Invariant != s.bug.Invariant || !s.isPlainer() {
		return false
	}
	s.keep()
	return true
}

func (s *search) without(at, to int) bool {
	best := s.bug.Choices
	if to > len(best) {
		to = len(best)
	}
	if at >= to {
		return false
	}
	return s.tries(append(append([]uint64(nil), best[:at]...), best[to:]...))
}

func (s *search) removeElements() (any bool) {
	for size := len(s.marks)/2 + 1; size > 0; size /= 2 {
		for i := 0; i+size < len(s.marks); {
			if s.without(s.marks[i], s.marks[i+size]) {
				any = true
			} else {
				i++
			}
		}
	}
	return any
}

func (s *search) removeBlocks() (any bool) {
	for size := longestBlock; size > 0; size-- {
		for at := len(s.bug.Choices) - 1; at >= 0; at-- {
			if s.without(at, at+size) {
				any = true
			}
		}
	}
	return any
}

func (s *search) tryAt(at int, value uint64) bool {
	record := append([]uint64(nil), s.bug.Choices...)
	record[at] = value
	return s.tries(record)
}

// lower makes single numbers smaller, by bisection.
func (s *search) lower() (any bool) {
	for at := 0; at < len(s.bug.Choices); at++ {
		if s.bug.Choices[at] == 0 {
			continue
		}
		if s.tryAt(at, 0) {
			any = true
			continue
		}
		for low := uint64(0); at < len(s.bug.Choices) && low+1 < s.bug.Choices[at]; {
			middle := low + (s.bug.Choices[at]-low)/2
			if s.tryAt(at, middle) {
				any = true
			} else {
				low = middle
			}
		}
	}
	return any
}

// lowerAndRemove lowers a number and removes what the number counted.
func (s *search) lowerAndRemove() (any bool) {
	for at := 0; at < len(s.bug.Choices); at++ {
		for size := 1; size <= longestBlock; size++ {
			best := s.bug.Choices
			if at >= len(best) || best[at] == 0 || at+1+size > len(best) {
				break
			}
			record := append(append([]uint64(nil), best[:at+1]...), best[at+1+size:]...)
			record[at]--
			if s.tries(record) {
				any = true
				break
			}
		}
	}
	return any
}

func (s *search) shrink() {
	for changed := true; changed && s.bug.Shrinks < mostShrinks; {
		changed = s.removeElements()
		changed = s.removeBlocks() || changed
		changed = s.lower() || changed
		if !changed {
			changed = s.lowerAndRemove()
		}
	}
}

func (s *search) draw(seed, number uint64, length int) {
	s.c.source = 0
	s.c.random = seed*0x9e3779b97f4a7c15 + number
	splitMix(&s.c.random)
	s.c.length = length
}

// another looks for a shorter case that breaks the same among short cases that
// are drawn anew, because a long case is hard to read.
func (s *search) another(seed uint64) {
	for i := uint64(0); i < mostFresh && s.bug.Size > shortCase; i++ {
		s.draw(^seed, i, 2+int(i%6))
		if !s.fails(false) || s.story.Invariant != s.bug.Invariant || s.story.Size > 3*s.bug.Size {
			continue
		}
		size, best := s.bug.Size, s.bug.Choices
		s.keep()
		s.shrink()
		if s.bug.Size >= size {
			s.bug.Size, s.bug.Choices = size, best
		}
	}
}

func (s *search) tell() *Bug {
	s.c.source, s.c.given = 1, s.bug.Choices
	s.fails(true)
	s.bug.Text = s.story.Text.String()
	return s.bug
}

// Search tries up to runs cases drawn from a seed: the first that breaks an
// invariant, made small, or nil.
func Search(try Case, runs int, seed uint64) *Bug {
	lengths := []int{6, 10, 16, 24, 40}
	s := &search{try: try, bug: &Bug{Seed: seed}}
	for i := 0; i < runs; i++ {
		s.draw(seed, uint64(i), lengths[i%len(lengths)])
		s.bug.Runs = i + 1
		if s.fails(false) {
			s.keep()
			s.shrink()
			s.another(seed)
			return s.tell()
		}
	}
	return nil
}

// SearchBytes tries the one case that a fuzzer's bytes are. Any bytes are one.
func SearchBytes(try Case, data []byte) *Bug {
	s := &search{try: try, bug: &Bug{Runs: 1}, c: Choices{source: 2, bytes: data, length: shortCase}}
	if !s.fails(false) {
		return nil
	}
	s.keep()
	s.shrink()
	return s.tell()
}

// Replay tries the case of recorded choices, without shrinking.
func Replay(try Case, choices []uint64) *Bug {
	s := &search{try: try, bug: &Bug{Runs: 1}, c: Choices{source: 1, given: choices, length: shortCase}}
	if !s.fails(false) {
		return nil
	}
	s.keep()
	return s.tell()
}

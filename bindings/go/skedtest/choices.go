package skedtest

/*
#cgo CFLAGS: -std=gnu11 -O2 -DSKED_STATIC
#cgo !darwin LDFLAGS: -Wl,--unresolved-symbols=ignore-in-object-files
#cgo darwin LDFLAGS: -Wl,-undefined,dynamic_lookup
#include <stdlib.h>
#include "kit.h"
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"strings"
	"sync"
	"unsafe"
)

// Choices is a source of choices, which it records. Choices come from a
// generator, from bytes or from a record. A shorter or smaller record is a
// plainer case, so a case draws its plainest value for 0. The engine of choices
// and its shrinker are those of the kit for C.
type Choices struct{ c *C.sked_test_choices }

// Choose is a number from 0 to most.
func (c *Choices) Choose(most uint64) uint64 {
	return uint64(C.sked_test_choose(c.c, C.uint64_t(most)))
}

// Int is a number from low to high.
func (c *Choices) Int(low, high int) int { return low + int(c.Choose(uint64(high-low))) }

// Pick is one of the values, the first of which is the plainest.
func (c *Choices) Pick(values ...int64) int64 { return values[c.Choose(uint64(len(values)-1))] }

// More says whether a list has one more element; it has mean elements on
// average. Each element begins with this call, so that the shrinker can remove
// the element as a whole.
func (c *Choices) More(mean int) bool { return C.sked_test_more(c.c, C.uint(mean)) != 0 }

// Length is about how many steps a case should draw.
func (c *Choices) Length() int { return int(c.c.length) }

// Story is the verdict about a case: the name of the broken invariant or "", the
// number of steps or rows, and the case in words.
type Story struct {
	Invariant string
	Size      int
	s         *C.sked_test_story
}

// Say adds a line to the text.
func (s *Story) Say(format string, args ...interface{}) {
	if s.s.wants_text != 0 {
		line := C.CString(fmt.Sprintf(format, args...))
		C.kit_say(s.s, line)
		C.free(unsafe.Pointer(line))
	}
}

// read takes the verdict of a property of the kit.
func (s *Story) read() {
	s.Size, s.Invariant = int(s.s.size), ""
	if s.s.invariant != nil {
		s.Invariant = C.GoString(s.s.invariant)
	}
}

// Case draws a case, tries it, and fills the story.
type Case func(c *Choices, s *Story)

// names are constants of C, one for each invariant.
var names sync.Map

func constant(name string) *C.char {
	if known, ok := names.Load(name); ok {
		return known.(*C.char)
	}
	made := C.CString(name)
	known, ok := names.LoadOrStore(name, made)
	if ok {
		C.free(unsafe.Pointer(made))
	}
	return known.(*C.char)
}

//export skedtestCase
func skedtestCase(try C.uintptr_t, c *C.sked_test_choices, s *C.sked_test_story) {
	story := Story{s: s}
	cgo.Handle(try).Value().(Case)(&Choices{c}, &story)
	s.size, s.invariant = C.size_t(story.Size), nil
	if story.Invariant != "" {
		s.invariant = constant(story.Invariant)
	}
}

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

// find runs a search of the kit, and tells what it found.
func find(try Case, search func(try C.uintptr_t, bug *C.sked_test_bug) C.int) *Bug {
	handle := cgo.NewHandle(try)
	defer handle.Delete()
	found := C.kit_bug()
	if found == nil {
		panic("skedtest: no memory")
	}
	defer C.free(unsafe.Pointer(found))
	switch search(C.uintptr_t(handle), found) {
	case 0:
		return nil
	case -1:
		panic("skedtest: no memory")
	}
	bug := &Bug{Invariant: C.GoString(found.invariant), Seed: uint64(found.seed), Runs: int(found.runs),
		Shrinks: int(found.shrinks), Size: int(found.size)}
	for i := 0; i < int(found.n); i++ {
		bug.Choices = append(bug.Choices, uint64(found.choice[i]))
	}
	text := C.GoString(&found.story.text[0])
	if at := strings.LastIndex(text, "to run it again:"); at >= 0 {
		text = text[:at] // for C
	}
	bug.Text = text
	return bug
}

// Search tries up to runs cases drawn from a seed: the first that breaks an
// invariant, made small, or nil.
func Search(try Case, runs int, seed uint64) *Bug {
	return find(try, func(try C.uintptr_t, bug *C.sked_test_bug) C.int {
		return C.kit_search(try, C.uint64_t(runs), C.uint64_t(seed), bug)
	})
}

// SearchBytes tries the one case that a fuzzer's bytes are. Any bytes are one.
func SearchBytes(try Case, data []byte) *Bug {
	own := C.CBytes(data)
	defer C.free(own)
	return find(try, func(try C.uintptr_t, bug *C.sked_test_bug) C.int {
		return C.kit_bytes(try, (*C.uint8_t)(own), C.size_t(len(data)), bug)
	})
}

// Replay tries the case of recorded choices, without shrinking.
func Replay(try Case, choices []uint64) *Bug {
	var first *C.uint64_t
	if len(choices) > 0 {
		first = (*C.uint64_t)(&choices[0])
	}
	return find(try, func(try C.uintptr_t, bug *C.sked_test_bug) C.int {
		return C.kit_replay(try, first, C.size_t(len(choices)), bug)
	})
}

package sked

/*
#include <stdlib.h>
#include "sked.h"
*/
import "C"

import (
	"fmt"
	"reflect"
	"strings"
	"time"
	"unsafe"
)

//go:generate go run ../internal/gen/gen ../../.. .

// QueueID names one queue of one tree, and the same queue in its copies.
type QueueID uint64

// Time is nanoseconds on the host's clock; only differences carry meaning.
type Time int64

// Ratio is an exact fraction; Den 0 stands for infinity.
type Ratio struct{ Num, Den int64 }

// Wide is a sum beyond 64 bits: High * 2^64 + Low.
type Wide struct{ High, Low uint64 }

// Values that stand for something else.
const (
	Now          Time    = -1 << 63 // as the time of a call: the host's clock is asked
	Unlimited            = 1<<63 - 1
	Unset                = -1 << 63
	AmountMax            = 1 << 62
	PPM                  = 1000000 // one whole, in parts per million
	NoQueue      QueueID = 0
	AnyPartition uint32  = 1<<32 - 1
	None         uint32  = 1<<32 - 1 // no slot, row, leaf, host or cluster
	NoReplica    uint8   = 1<<8 - 1
	NoCluster    uint64  = 0
	HistoryEnd   Time    = 1<<63 - 1
	PreemptWork          = 131072
)

// At is the Time of a moment: nanoseconds since 1970.
func At(t time.Time) Time { return Time(t.UnixNano()) }

func (t Time) String() string {
	switch t {
	case Now:
		return "now"
	case HistoryEnd:
		return "end"
	}
	return time.Duration(t).String()
}

func (q QueueID) String() string {
	if q == NoQueue {
		return "no queue"
	}
	return fmt.Sprintf("queue %d.%d", uint32(q), uint32(q>>32))
}

func (r Ratio) String() string { return fmt.Sprintf("%d/%d", r.Num, r.Den) }

// Float is the nearest number, for reports.
func (r Ratio) Float() float64 { return RatioFloat(r) }

func (w Wide) String() string { return w.Big().String() }

const b64 = unsafe.Sizeof(uintptr(0)) / 8 // 1 where offsets are those of api.json

var zero [64]byte // what a slice without elements points to

func ptrIn[T any](s []T) unsafe.Pointer {
	if len(s) == 0 {
		if s == nil {
			return nil
		}
		return unsafe.Pointer(&zero)
	}
	return unsafe.Pointer(&s[0])
}

// ptrSome is NULL where there are no elements.
func ptrSome[T any](s []T) unsafe.Pointer {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Pointer(&s[0])
}

// rest is a column from a row on; one that is not there stays so.
func rest[T any](s []T, from int) []T {
	if len(s) == 0 {
		return nil
	}
	return s[from:]
}

func ptrOut[T any](s []T) unsafe.Pointer {
	if len(s) == 0 {
		return unsafe.Pointer(&zero)
	}
	return unsafe.Pointer(&s[0])
}

// same holds a slice that is given to a length; nil stands for NULL.
func same[T any](k *checker, name string, s []T, n int) {
	if s != nil && len(s) != n {
		k.fail(ErrLength, fmt.Sprintf("%s has %d elements, not %d", name, len(s), n))
	}
}

func exact[T any](k *checker, name string, s []T, n int) {
	if len(s) != n {
		k.fail(ErrLength, fmt.Sprintf("%s has %d elements, not %d", name, len(s), n))
	}
}

// grow makes a slice n long, in its own memory where that does.
func grow[T any](k *checker, s []T, n int) []T {
	if n < 0 || int64(n) > 1<<40 {
		k.fail(ErrRange, fmt.Sprintf("%d elements", n))
		return nil
	}
	if cap(s) >= n {
		return s[:n]
	}
	return make([]T, n)
}

// lent copies what C lends into memory of Go.
func lent[T any](dst []T, p unsafe.Pointer, n int) []T {
	if p == nil {
		return nil
	}
	return append(dst[:0], unsafe.Slice((*T)(p), n)...)
}

// A length that may be that of NULL.
func lengthOf[T any](s []T) int {
	if s == nil {
		return -1
	}
	return len(s)
}

func over(n, by int) int {
	if n > 0 && by > 0 {
		return n / by
	}
	return n
}

func less(n int) int {
	if n > 0 {
		return n - 1
	}
	return n
}

func firstOf(n ...int) int {
	for _, v := range n {
		if v >= 0 {
			return v
		}
	}
	return 0
}

func usual(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

func last[T int32 | uint32](s []T) int {
	if len(s) == 0 {
		return 0
	}
	return int(s[len(s)-1])
}

func bit(v bool) int {
	if v {
		return 1
	}
	return 0
}

// An arena is memory of C that lives for one call, and what of that call cannot
// cross as it is.
type arena struct {
	blocks []unsafe.Pointer
	code   Code
	what   string
}

// refuse keeps the first of what is wrong.
func (a *arena) refuse(code Code, what string) {
	if a.code == OK {
		a.code, a.what = code, what
	}
}

// hold refuses a slice of another length.
func (a *arena) hold(name string, have, want int) {
	if have != want {
		a.refuse(ErrLength, fmt.Sprintf("%s has %d elements, not %d", name, have, want))
	}
}

// heed fails where something was put into the arena that cannot cross.
func (k *checker) heed(a *arena) {
	if a.code != OK {
		k.fail(a.code, a.what)
	}
}

func (a *arena) alloc(n uintptr) unsafe.Pointer {
	p := C.calloc(1, C.size_t(n)+1)
	if p == nil {
		panic(ErrNoMem)
	}
	a.blocks = append(a.blocks, p)
	return p
}

// text is a string with an end, or NULL for ""; one that holds a NUL is refused.
func (a *arena) text(s string) *C.char {
	if s == "" {
		return nil
	}
	if strings.IndexByte(s, 0) >= 0 {
		a.refuse(ErrArg, "a text holds a NUL")
	}
	p := a.alloc(uintptr(len(s)))
	copy(unsafe.Slice((*byte)(p), len(s)), s)
	return (*C.char)(p)
}

// must is a string with an end; one that holds a NUL is refused.
func (a *arena) must(k *checker, name, s string) *C.char {
	if strings.IndexByte(s, 0) >= 0 {
		k.fail(ErrArg, name+" holds a NUL")
	}
	p := a.alloc(uintptr(len(s)))
	copy(unsafe.Slice((*byte)(p), len(s)+1), s)
	return (*C.char)(p)
}

func (a *arena) free() {
	for _, p := range a.blocks {
		C.free(p)
	}
	a.blocks = nil
}

// sizes are those of a handle's arrays.
type sizes struct{ kinds, rows, clusters, blocks, hosts int }

// fields writes what of a struct is not zero, for String.
func fields(x any) string {
	v := reflect.ValueOf(x)
	var b strings.Builder
	b.WriteByte('{')
	for i := 0; i < v.NumField(); i++ {
		f := v.Type().Field(i)
		if !f.IsExported() || v.Field(i).IsZero() {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "%s:%v", f.Name, v.Field(i).Interface())
	}
	return b.String() + "}"
}

func least(a, b int) int {
	if b < a {
		return b
	}
	return a
}

func most(a, b int) int {
	if b > a {
		return b
	}
	return a
}

// joined writes a set of flags, whose single ones have names.
func joined[T interface {
	~int32
	String() string
}](set T) string {
	text := ""
	for bit := T(1); bit > 0 && bit <= set; bit <<= 1 {
		if set&bit != 0 {
			text += "|" + bit.String()
		}
	}
	return text[1:]
}

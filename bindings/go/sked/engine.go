package sked

// #include "host.h"
import "C"

import "unsafe"

// Events are what happened, as columns: Apply hands them to an engine in one
// crossing and keeps nothing. Append to Rows; Row and Places add what a row
// refers to.
type Events struct {
	Rows    []Event
	Amounts []int64
	Offsets []int32
	Nodes   []uint64
	// The engine's answer is put here, so that the hot path allocates nothing.
	done C.uint64_t
	e    C.sked_error
}

// Reset empties the columns and keeps their memory.
func (b *Events) Reset() {
	b.Rows, b.Amounts, b.Offsets, b.Nodes = b.Rows[:0], b.Amounts[:0], b.Offsets[:0], b.Nodes[:0]
}

// Row adds one amount a kind and returns what Event.Amount names it by.
func (b *Events) Row(amounts ...int64) uint32 {
	b.Amounts = append(b.Amounts, amounts...)
	if len(amounts) == 0 {
		return 0
	}
	return uint32(len(b.Amounts) / len(amounts))
}

// Places adds a list of nodes and returns what Event.Places names it by.
func (b *Events) Places(nodes ...uint64) uint32 {
	if len(b.Offsets) == 0 {
		b.Offsets = append(b.Offsets, 0)
	}
	b.Nodes = append(b.Nodes, nodes...)
	b.Offsets = append(b.Offsets, int32(len(b.Nodes)))
	return uint32(len(b.Offsets) - 1)
}

// Add appends an event.
func (b *Events) Add(e Event) { b.Rows = append(b.Rows, e) }

// Apply applies the rows from `from` on, each wholly or not at all, and returns
// the row to go on from: that of an error, where there is one. stopped: as many
// decisions wait as may; Take them first.
func (x *Engine) Apply(b *Events, from int) (done int, stopped bool, err error) {
	k := checker{op: "Engine.Apply"}
	if err = x.h.write(); err != nil {
		return from, false, &Error{Op: k.op, Code: err.(Code), Kind: -1, Row: -1}
	}
	defer x.h.release()
	if from < 0 || from > len(b.Rows) {
		k.fail(ErrLength, "from is beyond the rows")
	}
	lists := most(0, len(b.Offsets)-1)
	if x.kinds == 0 || len(b.Amounts)%x.kinds != 0 {
		k.fail(ErrLength, "Amounts are no whole rows")
	}
	if lists > 0 && int(b.Offsets[lists]) > len(b.Nodes) {
		k.fail(ErrLength, "Offsets go beyond Nodes")
	}
	if k.err != nil {
		return from, false, k.err
	}
	rows := b.Rows[from:]
	b.done = 0
	rc := C.sked_go_apply(x.p, (*C.sked_event)(ptrOut(rows)), C.size_t(len(rows)),
		(*C.int64_t)(ptrIn(b.Amounts)), C.size_t(len(b.Amounts)/x.kinds), (*C.int32_t)(ptrIn(b.Offsets)),
		(*C.uint64_t)(ptrIn(b.Nodes)), C.size_t(lists), &b.done, &b.e)
	done = from + int(b.done)
	if rc < 0 || x.h.host.host != nil {
		err = k.check(rc, &b.e, x.h.host)
	}
	if e, ok := err.(*Error); ok && e.Row >= 0 {
		e.Row += int64(from)
	}
	return done, rc > 0, err
}

// Take hands out decisions, oldest first, as many as decisions is long, and says
// how many there were.
func (x *Engine) Take(decisions []Decision) (int, error) {
	if err := x.h.write(); err != nil {
		return 0, &Error{Op: "Engine.Take", Code: err.(Code), Kind: -1, Row: -1}
	}
	defer x.h.release()
	if len(decisions) == 0 {
		return 0, nil
	}
	if rc := C.sked_engine_take(x.p, (*C.sked_decision)(unsafe.Pointer(&decisions[0])), C.size_t(len(decisions)), &x.h.n, nil); rc < 0 {
		return 0, &Error{Op: "Engine.Take", Code: Code(rc), Kind: -1, Row: -1}
	}
	return int(x.h.n), nil
}

// Decisions takes everything that waits and calls yield for each; what is left
// when yield returns false stays for the next call.
func (x *Engine) Decisions(yield func(*Decision) bool) {
	var d [1]Decision
	for {
		n, err := x.Take(d[:])
		if err != nil {
			panic(err)
		}
		if n == 0 || !yield(&d[0]) {
			return
		}
	}
}

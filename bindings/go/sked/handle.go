package sked

// #include "sked.h"
import "C"

import (
	"runtime"
	"sync/atomic"
)

// A handle is what every type that stands for one of C has in common: who uses
// it now, the hooks it was created with, and what it was borrowed from.
//
// Calls that only read may overlap; a call that changes something must run
// alone. A call that finds this broken returns ErrInUse and does nothing: it
// does not wait, so that no two goroutines, and no hook and its caller, can
// wait for each other.
type handle struct {
	state int32 // readers; or one of the two below
	host  *hostState
	owner *handle
	e     C.sked_error // of calls that have it to themselves
	n     C.size_t
}

const (
	writing = -1
	closed  = -2
)

func (h *handle) read() error {
	if h.owner != nil {
		if err := h.owner.read(); err != nil {
			return err
		}
	}
	for {
		s := atomic.LoadInt32(&h.state)
		if s < 0 {
			if h.owner != nil {
				h.owner.release()
			}
			return refusal(s)
		}
		if atomic.CompareAndSwapInt32(&h.state, s, s+1) {
			return nil
		}
	}
}

func (h *handle) write() error {
	if h.owner != nil {
		return ErrState // lent to be read
	}
	if atomic.CompareAndSwapInt32(&h.state, 0, writing) {
		return nil
	}
	return refusal(atomic.LoadInt32(&h.state))
}

func refusal(state int32) error {
	if state == closed {
		return ErrClosed
	}
	return ErrInUse
}

func (h *handle) release() {
	if atomic.LoadInt32(&h.state) == writing {
		atomic.StoreInt32(&h.state, 0)
		return
	}
	atomic.AddInt32(&h.state, -1)
	if h.owner != nil {
		h.owner.release()
	}
}

func (h *handle) close(free func()) error {
	if h.owner != nil {
		return nil // its owner frees it
	}
	if !atomic.CompareAndSwapInt32(&h.state, 0, closed) {
		if s := atomic.LoadInt32(&h.state); s != closed {
			return &Error{Op: "Close", Code: ErrInUse, Kind: -1, Row: -1}
		}
		return nil
	}
	free()
	h.host.free()
	return nil
}

func (h *handle) lend(owner *handle) { h.owner = owner }
func (h *handle) keep(host *hostState) {
	h.host = host
}

func (h *handle) describe(name string) string {
	if h == nil {
		return name + "(nil)"
	}
	switch s := atomic.LoadInt32(&h.state); {
	case s == closed:
		return name + "(closed)"
	case h.owner != nil:
		return name + "(lent)"
	case s != 0:
		return name + "(in use)"
	}
	return name + "(open)"
}

// locks are the handles that one call holds.
type locks struct {
	held [4]*handle
	n    int
	err  error
}

func (l *locks) add(h *handle, take func(*handle) error) {
	if h == nil || l.err != nil {
		return
	}
	for _, have := range l.held[:l.n] {
		if have == h {
			return
		}
	}
	if err := take(h); err != nil {
		l.err = err
		return
	}
	l.held[l.n] = h
	l.n++
}

func (l *locks) read(h *handle)  { l.add(h, (*handle).read) }
func (l *locks) write(h *handle) { l.add(h, (*handle).write) }

func (l *locks) release() {
	for _, h := range l.held[:l.n] {
		h.release()
	}
	l.n = 0
}

// finally is the net below Close.
func finally[T interface{ Close() error }](x T) {
	runtime.SetFinalizer(any(x), func(x T) { _ = x.Close() })
}

// refuse says that a handle could not be had, whatever lengths were wrong
// without it.
func (k *checker) refuse(err error) {
	k.err = &Error{Op: k.op, Code: err.(Code), Kind: -1, Row: -1}
}

// describe writes a struct's fields that are not zero.
func describe(name string, x any) string { return name + fields(x) }

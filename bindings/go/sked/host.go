package sked

/*
#include <stdlib.h>
#include "host.h"
*/
import "C"

import (
	"context"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Host is everything that the library may ask of the program around it; what is
// left out has a default. A call without hooks takes nil.
//
// Hooks run within the call that needs them, on its goroutine, and must not
// call back into the same handle: such a call returns ErrInUse. Where a hook
// returns an error or panics the call stops and everything is as it was before
// (a run that may be stopped keeps what it has done); the error comes back from
// the call, and the panic goes on in its goroutine.
type Host struct {
	// Context cancels a call that is given this host, and every call of a handle
	// that was created with it.
	Context context.Context
	// Log takes one finished line; LogLevel is the highest level that is wanted
	// (0: LogWarning).
	Log      func(level LogLevel, line string)
	LogLevel LogLevel
	// Trace takes one record of why something was decided.
	Trace func(Trace)
	// Clock is asked where a call is given Now; without one such a call fails.
	Clock func() Time
	// Random gives 64 random bits. Without it, the handle's own seed does.
	Random func() uint64
	// Progress is told how far a long call has come, after a fixed amount of
	// work; an error stops the call.
	Progress func(done, total uint64) error
	// Threads is how many of its own the library may start (0 or 1: none), and
	// MemoryLimit the bytes that one handle may hold (0: any number).
	Threads     int
	MemoryLimit uint64
	// ReservedOnly: a handle asks for memory in Reserve alone, once that was
	// called.
	ReservedOnly bool
}

// Trace is a typed record of what was decided and why (host.h).
type Trace struct {
	What    TraceKind
	Queue   QueueID
	A, B, C int64
}

// hostState is the side of C of a Host: one sked_host in memory of C, and what
// hooks left behind.
type hostState struct {
	host     *Host
	p        *C.sked_go_host
	key      cgo.Handle
	mu       sync.Mutex
	failed   error
	panicked *panicked
	ctx      context.Context
	stop     func()
}

type panicked struct{ value any }

// newHost makes one for a call or, if it is kept, for a handle, which has one in
// any case: its calls can be cancelled.
func newHost(host *Host, kept bool) *hostState {
	if host == nil && !kept {
		return nil
	}
	h := &hostState{host: host, p: (*C.sked_go_host)(C.calloc(1, C.sizeof_sked_go_host))}
	if h.p == nil {
		panic(ErrNoMem)
	}
	c := &h.p.host
	c.struct_size = C.sizeof_sked_host
	c.cancel = &h.p.cancel
	if host == nil {
		return h
	}
	h.key = cgo.NewHandle(h)
	which := C.uint32_t(bit(host.Log != nil) | bit(host.Trace != nil)<<1 | bit(host.Clock != nil)<<2 |
		bit(host.Random != nil)<<3 | bit(host.Progress != nil)<<4)
	C.sked_go_hooks(c, C.uintptr_t(h.key), which)
	c.log_level, c.threads = C.uint32_t(host.LogLevel), C.uint32_t(most(0, host.Threads))
	c.memory_limit = C.uint64_t(host.MemoryLimit)
	if host.ReservedOnly {
		c.flags = C.SKED_HOST_FLAG_RESERVED_ONLY
	}
	h.stop = h.follow(host.Context)
	return h
}

func (h *hostState) c() *C.sked_host {
	if h == nil {
		return nil
	}
	return &h.p.host
}

func (h *hostState) free() {
	if h == nil || h.p == nil {
		return
	}
	if h.stop != nil {
		h.stop()
	}
	if h.key != 0 {
		h.key.Delete()
	}
	C.free(unsafe.Pointer(h.p))
	h.p = nil
}

// follow sets the cancel flag when the context is done; what it returns ends
// that, and is over before the flag is gone.
func (h *hostState) follow(ctx context.Context) func() {
	if ctx == nil || ctx.Done() == nil {
		return nil
	}
	h.ctx = ctx
	flag := (*int32)(unsafe.Pointer(&h.p.cancel))
	if ctx.Err() != nil {
		atomic.StoreInt32(flag, 1)
		return func() { atomic.StoreInt32(flag, 0) }
	}
	over, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		select {
		case <-ctx.Done():
			atomic.StoreInt32(flag, 1)
		case <-over:
		}
	}()
	return func() {
		close(over)
		<-left
		atomic.StoreInt32(flag, 0)
	}
}

// watch lets a context cancel one call of a handle.
func (h *handle) watch(ctx context.Context) func() {
	if h == nil || h.host == nil || h.host.p == nil || ctx == nil || ctx.Done() == nil {
		return nothing
	}
	before := h.host.ctx
	stop := h.host.follow(ctx)
	return func() {
		stop()
		h.host.ctx = before
		if before != nil && before.Err() != nil {
			atomic.StoreInt32((*int32)(unsafe.Pointer(&h.host.p.cancel)), 1)
		}
	}
}

func nothing() {}

// why is what the context said.
func (h *hostState) why() error {
	if h.ctx != nil {
		return h.ctx.Err()
	}
	return nil
}

func (h *hostState) clear() {
	h.failed, h.panicked = nil, nil
	if h.p != nil && (h.ctx == nil || h.ctx.Err() == nil) {
		atomic.StoreInt32((*int32)(unsafe.Pointer(&h.p.cancel)), 0)
	}
}

// guard keeps what a hook throws and stops the call: C must unwind first.
func (h *hostState) guard(rc *C.sked_status) {
	if p := recover(); p != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.panicked == nil {
			h.panicked = &panicked{p}
		}
		atomic.StoreInt32((*int32)(unsafe.Pointer(&h.p.cancel)), 1)
		if rc != nil {
			*rc = C.sked_status(ErrHost)
		}
	}
}

func hostOf(user C.uintptr_t) *hostState { return cgo.Handle(user).Value().(*hostState) }

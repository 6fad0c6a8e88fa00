package sked

// #include "host.h"
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"unsafe"
)

// A watcher takes the records of a run.
type watcher struct {
	see  func([]SimRecord) error
	host *hostState
}

func watcherOf(user C.uintptr_t) *watcher { return cgo.Handle(user).Value().(*watcher) }

// Run runs to the end. see (nil: none) is called with some thousand records at
// a time, which live for the call; where it returns an error the run ends with
// it. A run that the context, the progress hook or see stopped keeps what it
// did: all of it can be read, and errors.Is finds the reason.
func (x *Sim) Run(ctx context.Context, see func([]SimRecord) error) error {
	return x.run("Sim.Run", ctx, see, func(user C.uintptr_t, e *C.sked_error) C.sked_status {
		return C.sked_go_sim_run(x.p, user, e)
	})
}

// RunUntil runs up to an instant of the workload's clock: everything before it
// has happened. It may be called again, and Run ends such a run.
func (x *Sim) RunUntil(ctx context.Context, until Time, see func([]SimRecord) error) error {
	return x.run("Sim.RunUntil", ctx, see, func(user C.uintptr_t, e *C.sked_error) C.sked_status {
		return C.sked_go_sim_run_until(x.p, C.sked_time(until), user, e)
	})
}

func (x *Sim) run(op string, ctx context.Context, see func([]SimRecord) error,
	call func(C.uintptr_t, *C.sked_error) C.sked_status) error {
	k := checker{op: op}
	var l locks
	l.write(x.handle())
	defer l.release()
	if l.err != nil {
		k.refuse(l.err)
		return k.err
	}
	var user C.uintptr_t
	if see != nil {
		w := cgo.NewHandle(&watcher{see, x.h.host})
		defer w.Delete()
		user = C.uintptr_t(w)
	}
	stop := x.h.watch(ctx)
	e := new(C.sked_error)
	rc := call(user, e)
	why := x.h.host.why()
	stop()
	return k.ran(rc, e, x.h.host, why)
}

// ran is the error of a run; why is what its context said.
func (k *checker) ran(rc C.sked_status, e *C.sked_error, host *hostState, why error) error {
	err := k.check(rc, e, host)
	if err == nil && rc == C.SKED_STOPPED {
		err = &Error{Op: k.op, Code: Stopped, Kind: -1, Row: -1, Message: "stopped by the host", cause: why}
	}
	var failed *Error
	if errors.As(err, &failed) && failed.cause == nil {
		failed.cause = why
	}
	return err
}

// RunAll runs prepared runs, side by side where the host has threads; said[i] is
// what the i-th would have returned from Run. The answers do not depend on the
// number of threads. Where hooks of runs panicked, the first panic goes on once
// all runs have ended.
func RunAll(sims []*Sim, host *Host) (said []error, err error) {
	k := checker{op: "RunAll"}
	for i, s := range sims {
		if e := s.h.write(); e != nil {
			return nil, &Error{Op: k.op, Code: e.(Code), Kind: -1, Row: int64(i)}
		}
		defer s.h.release()
	}
	hs := newHost(host, false)
	defer hs.free()
	var memory arena
	defer memory.free()
	size := unsafe.Sizeof(uintptr(0))
	p := memory.alloc(size * uintptr(len(sims)))
	to := unsafe.Slice((**C.sked_sim)(p), len(sims))
	for i, s := range sims {
		to[i] = s.p
	}
	codes := make([]C.sked_status, len(sims))
	var e C.sked_error
	rc := C.sked_sim_run_all((**C.sked_sim)(p), C.size_t(len(sims)), hs.c(), (*C.sked_status)(ptrOut(codes)), &e)
	said, thrown := toldOf(sims, codes)
	err = k.check(rc, &e, hs)
	if thrown != nil {
		panic(thrown.value)
	}
	if err != nil {
		return nil, err
	}
	return said, nil
}

// toldOf takes from each run what it was told by its own hooks, all of which are
// free for the next call then: errors, and the first panic.
func toldOf(sims []*Sim, codes []C.sked_status) (said []error, thrown *panicked) {
	said = make([]error, len(sims))
	for i, s := range sims {
		k := checker{op: "Sim.Run"}
		host := s.h.host
		if host.panicked != nil {
			if thrown == nil {
				thrown = host.panicked
			}
			host.clear()
			continue
		}
		said[i] = k.ran(codes[i], new(C.sked_error), host, host.why())
		if e, ok := said[i].(*Error); ok {
			e.Row = int64(i)
		}
	}
	return said, thrown
}

package sked

// #include "sked.h"
import "C"

import "unsafe"

// Every exported function keeps a panic to itself: C code that a panic crosses
// never runs on.

//export skedGoLog
func skedGoLog(user C.uintptr_t, level C.int32_t, line *C.char) {
	h := hostOf(user)
	defer h.guard(nil)
	h.host.Log(LogLevel(level), C.GoString(line))
}

//export skedGoTrace
func skedGoTrace(user C.uintptr_t, r *C.sked_trace) {
	h := hostOf(user)
	defer h.guard(nil)
	h.host.Trace(Trace{TraceKind(r.what), QueueID(r.queue), int64(r.a), int64(r.b), int64(r.c)})
}

//export skedGoClock
func skedGoClock(user C.uintptr_t) (now C.sked_time) {
	h := hostOf(user)
	defer h.guard(nil)
	return C.sked_time(h.host.Clock())
}

//export skedGoRandom
func skedGoRandom(user C.uintptr_t) (bits C.uint64_t) {
	h := hostOf(user)
	defer h.guard(nil)
	return C.uint64_t(h.host.Random())
}

//export skedGoProgress
func skedGoProgress(user C.uintptr_t, done, total C.uint64_t) (rc C.sked_status) {
	h := hostOf(user)
	defer h.guard(&rc)
	if err := h.host.Progress(uint64(done), uint64(total)); err != nil {
		h.failed = err
		return C.sked_status(ErrHost)
	}
	return 0
}

//export skedGoWatch
func skedGoWatch(user C.uintptr_t, records *C.sked_sim_record, n C.size_t) (rc C.sked_status) {
	w := watcherOf(user)
	defer w.host.guard(&rc)
	if err := w.see(unsafe.Slice((*SimRecord)(unsafe.Pointer(records)), int(n))); err != nil {
		w.host.failed = err
		return C.sked_status(ErrHost)
	}
	return 0
}

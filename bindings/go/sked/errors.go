package sked

// #include "sked.h"
import "C"

import (
	"strconv"
	"strings"
)

// Code is an outcome of the library and, below zero, an error: errors.Is(err,
// ErrNotFound) asks for one whatever else the error says.
type Code int32

// The codes of base.h, and those of the binding itself, which begin at -2000.
const (
	OK      Code = 0
	Stopped Code = 1 // a hook ended a run early; what is there holds
	Stale   Code = 2 // answered, but from figures older than allowed

	ErrArg       Code = -1  // a value that the contract rules out
	ErrNoMem     Code = -2  // no memory: allocator, limit, or reserve
	ErrRange     Code = -3  // a number outside what the field can hold
	ErrExists    Code = -4  // the name or key is already taken
	ErrStale     Code = -5  // the id names a thing that is gone
	ErrState     Code = -6  // right call, wrong moment
	ErrVersion   Code = -7  // a struct asks for what the library does not know
	ErrNotFound  Code = -8  // no such name, path, key or kind
	ErrSyntax    Code = -9  // text that cannot be read: line and column
	ErrCorrupt   Code = -10 // saved bytes that fail their own checks
	ErrCancelled Code = -11 // the context, or the progress hook
	ErrInvalid   Code = -12 // a draft with faults: ask for the list
	ErrSchema    Code = -13 // handles over different resource kinds
	ErrFull      Code = -14 // the output is full: take it, and go on
	ErrInternal  Code = -99 // an invariant broke: please report it
	ErrHost      Code = -1000

	ErrClosed Code = -2000 // the handle, or what it was borrowed from, is closed
	ErrInUse  Code = -2001 // another goroutine, or a hook's caller, is using it
	ErrLength Code = -2002 // a slice is not as long as the others say it is
)

const codeRange = C.SKED_ERR_RANGE

func (c Code) Error() string {
	switch c {
	case ErrClosed:
		return "closed"
	case ErrInUse:
		return "in use"
	case ErrLength:
		return "wrong length"
	}
	return strings.ToLower(strings.TrimPrefix(c.String(), "SKED_"))
}

// String is the name that C has for it.
func (c Code) String() string {
	switch {
	case c == ErrClosed:
		return "SKED_ERR_CLOSED"
	case c == ErrInUse:
		return "SKED_ERR_IN_USE"
	case c == ErrLength:
		return "SKED_ERR_LENGTH"
	case c <= -1000 && c >= -1999:
		return "SKED_ERR_HOST"
	}
	return C.GoString(C.sked_status_name(C.sked_status(c)))
}

// Is says that all codes of the host's own are ErrHost.
func (c Code) Is(target error) bool {
	t, ok := target.(Code)
	return ok && (t == c || t == ErrHost && c <= -1000 && c >= -1999)
}

// Error is a call that failed, with what the library says of it. It unwraps to
// what a hook or the context said, where one of them stopped the call.
type Error struct {
	Op      string // the call, as "Tree.Commit"
	Code    Code
	Kind    int     // the resource kind at fault, or -1
	Queue   QueueID // the queue at fault, or NoQueue
	Got     int64   // the offending value, when there is one
	Limit   int64   // the bound it broke, when there is one
	Row     int64   // the element of a column at fault, or -1
	Line    uint32  // position in a text, from 1; 0 when there is none
	Column  uint32
	Message string
	cause   error
}

func (e *Error) Error() string {
	text := "sked: " + e.Op + ": "
	if e.Message != "" {
		text += e.Message
	} else {
		text += e.Code.Error()
	}
	if e.Row >= 0 {
		text += " (row " + strconv.FormatInt(e.Row, 10)
		if e.Got != 0 {
			text += ": " + strconv.FormatInt(e.Got, 10)
		}
		if e.Got > e.Limit && e.Limit > 0 {
			text += " above " + strconv.FormatInt(e.Limit, 10)
		}
		text += ")"
	}
	if e.Line > 0 {
		text += " (line " + strconv.Itoa(int(e.Line)) + ", column " + strconv.Itoa(int(e.Column)) + ")"
	}
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap is the error of a hook, or of the context; nil when there was none.
func (e *Error) Unwrap() error { return e.cause }

// Is compares codes.
func (e *Error) Is(target error) bool { return e.Code.Is(target) }

// A checker looks at what a call is given, before anything crosses.
type checker struct {
	op  string
	err error
}

func (k *checker) failed() error { return k.err }

func (k *checker) fail(code Code, message string) {
	if k.err == nil {
		k.err = &Error{Op: k.op, Code: code, Kind: -1, Row: -1, Message: message}
	}
}

// check makes an error of what a call returned, and lets a panic of a hook go on.
func (k *checker) check(rc C.sked_status, e *C.sked_error, host *hostState) error {
	if host != nil && (host.failed != nil || host.panicked != nil) {
		return k.hookFailed(rc, e, host)
	}
	if rc >= 0 {
		return nil
	}
	return k.failure(rc, e, host)
}

func (k *checker) failure(rc C.sked_status, e *C.sked_error, host *hostState) error {
	err := &Error{Op: k.op, Code: Code(rc), Kind: -1, Row: -1}
	if e.code == rc {
		err.Kind, err.Queue, err.Got, err.Limit = int(e.kind), QueueID(e.queue), int64(e.got), int64(e.limit)
		err.Row, err.Line, err.Column = int64(e.row), uint32(e.line), uint32(e.column)
		var text [len(e.message)]byte // not C.GoString: e may stand on the stack
		n := 0
		for n < len(text) && e.message[n] != 0 {
			text[n] = byte(e.message[n])
			n++
		}
		err.Message = string(text[:n])
	}
	if host != nil && err.Code == ErrCancelled {
		err.cause = host.why()
	}
	return err
}

func (k *checker) hookFailed(rc C.sked_status, e *C.sked_error, host *hostState) error {
	failed, panicked := host.failed, host.panicked
	host.clear()
	if panicked != nil {
		panic(panicked.value)
	}
	if rc >= 0 {
		return &Error{Op: k.op, Code: Code(rc), Kind: -1, Row: -1, Message: "stopped by a hook", cause: failed}
	}
	err := k.failure(rc, e, nil).(*Error)
	err.cause = failed
	return err
}

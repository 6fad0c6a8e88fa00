// Package sked schedules clusters: fair shares over a tree of queues, dominant
// resource fairness, an engine that decides what starts where, preemption with
// the least victims, simulation of whole workloads, and planning from a month of
// them. It is the C library of that name (sked.c in this folder) with nothing to
// install but Go and a C compiler.
//
//	tree, err := sked.ReadTree(text, sked.TreeCommitStrict, nil)
//	defer tree.Close()
//	ledger, err := sked.NewLedger(tree, nil, nil)
//	shares, err := sked.NewShare(nil, nil)
//	err = shares.Compute(ctx, tree, ledger, capacity)
//	amounts, err := shares.Get(queue, nil)
//
// # Names
//
// Every function of C has one of Go: sked_tree_set_vec is [Tree.SetVec],
// sked_fill is [Fill], SKED_REASON_NO_NODE is ReasonNoNode, and the comment says
// what C's says. Durations are time.Duration, moments [Time]; [Now] asks the
// host's clock.
//
// # Slices
//
// Slices go to C as they are, nothing is copied. What C has to be told of them it
// is told: a count follows from the slice it counts, and a slice that is not as
// long as the others say is refused with [ErrLength] before anything crosses. A
// nil slice is C's NULL: "not said". Tables of n rows and k kinds are one slice of
// n*k, row after row.
//
// A slice that is written is passed in and comes back, grown where it was too
// short: pass nil the first time and what came back from then on. Where a comment
// says that an answer may be NULL because it is dear, nil means: not asked for.
//
// # Handles
//
// What New... returns is a handle. Close frees it, and may be called twice; a
// finalizer frees one that was forgotten, late. Calls on a closed handle return
// [ErrClosed]; those without an error to return panic with it. Calls that only
// read may overlap. A call that changes something must run alone: one that finds
// its handle in use, by another goroutine or by the call that its hook runs in,
// returns [ErrInUse] and has done nothing.
//
// # Errors
//
// errors.Is(err, sked.ErrNotFound) asks for a code, errors.As with *[Error] for
// the queue, row, kind or line, and with *[Faults] for all faults of a text.
// What a hook returned, or a context said, stands behind the error.
//
// # Hooks
//
// [Host] has them. An error stops the call, which is rolled back, and comes back
// from it; a panic waits until C has unwound and goes on in its goroutine.
package sked

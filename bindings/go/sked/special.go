package sked

/*
#include <stdlib.h>
#include "host.h"
#include "zz_shim.h"
*/
import "C"

import (
	"fmt"
	"math/big"
	"strconv"
	"unsafe"
)

func itoa(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// What generated code cannot know: sizes that C does not pass, arrays of
// strings, and answers whose length is not known beforehand.

func (x *Schema) count() int { return x.kinds }

func (x *Schema) kindsOf() int {
	if x == nil {
		return 0
	}
	return x.kinds
}

func (x *Tree) kindsOf() int {
	if x == nil {
		return 0
	}
	return x.kinds
}

// rowsOf is the number of queues of the last commit; 0 while that cannot be
// read, which the call that asks for it then finds as well.
func (x *Tree) rowsOf() int {
	if x == nil || x.h.read() != nil {
		return 0
	}
	defer x.h.release()
	return int(C.sked_tree_count(x.p))
}

func treeSubject(x *Tree) *sizes { return &sizes{kinds: x.kindsOf(), rows: x.rowsOf()} }

func simSubject(in *SimInput) *sizes {
	if in == nil {
		return new(sizes)
	}
	return treeSubject(in.Tree)
}

func kindsOf(opts *DRFOptions) int {
	if opts == nil {
		return 1
	}
	return usual(int(opts.Kinds), 1)
}

func hdrfKinds(opts *HDRFOptions) int {
	if opts == nil {
		return 1
	}
	return usual(int(opts.Kinds), 1)
}

func roundKinds(opts *RoundOptions) int {
	if opts == nil {
		return 1
	}
	return usual(int(opts.Kinds), 1)
}

func routeKinds(opts *RouteOptions) int {
	if opts == nil {
		return 1
	}
	return usual(int(opts.Kinds), 1)
}

func historyKinds(opts *HistoryOptions) int {
	if opts == nil {
		return 1
	}
	return usual(int(opts.Kinds), 1)
}

func historyQueues(opts *HistoryOptions) int {
	if opts == nil {
		return 1
	}
	return usual(int(opts.Queues), 1)
}

func historySubject(opts *HistoryOptions) *sizes { return &sizes{kinds: historyKinds(opts)} }

func routeSubject(in *RouteInput, opts *RouteOptions) *sizes {
	s := &sizes{kinds: routeKinds(opts)}
	if in != nil {
		s.clusters = firstOf(over(lengthOf(in.Capacity), s.kinds))
	}
	return s
}

func ledgerWidth(x *Ledger, column int) int {
	if LedgerColumn(column) == LedgerRunning {
		return 1
	}
	return x.kinds
}

// rankTop is how many positions are asked for.
func rankTop(n, top int) int {
	if top == 0 || top > n {
		return n
	}
	return top
}

// NewSchema names the resource kinds and, in pairs with them, their units: "m"
// for thousandths, "B" for bytes, "1" or "" for pieces. Units may be left out
// as a whole.
func NewSchema(names, units []string, host *Host) (*Schema, error) {
	k := checker{op: "NewSchema"}
	if units != nil && len(units) != len(names) {
		k.fail(ErrLength, "units are not as many as names")
	}
	text := ""
	for i, n := range names {
		if n == "" {
			k.fail(ErrArg, "a kind without a name")
		}
		text += n
		if units != nil && units[i] != "" {
			text += "=" + units[i]
		}
		text += " "
	}
	if k.err != nil {
		return nil, k.err
	}
	made, err := ParseSchema(text, host)
	if err != nil {
		return nil, err
	}
	for i, n := range names { // one with a blank or '=' in it was read as another
		if made.kinds != len(names) || made.Name(uint32(i)) != n {
			_ = made.Close()
			return nil, &Error{Op: k.op, Code: ErrArg, Kind: i, Row: -1, Message: "no name of a kind with this unit"}
		}
	}
	return made, nil
}

// Kind is the number of the kind of that name, as Find, or -1.
func (x *Schema) Kind(name string) int {
	n, err := x.Find(name)
	if err != nil {
		return -1
	}
	return int(n)
}

// more passes what jobs name and how tiers are set, which are arrays of strings.
func (x *PlanJobs) more(c *C.sked_plan_jobs, _ *sizes, a *arena) {
	if len(x.Fields) > 0 {
		if c.n == 0 {
			c.n = C.uint64_t(len(x.Fields[0]))
		}
		c.fields = C.uint64_t(len(x.Fields))
		word := unsafe.Sizeof(uintptr(0))
		c.text = (**C.char)(a.alloc(word * uintptr(len(x.Fields))))
		c.offset = (**C.int32_t)(a.alloc(word * uintptr(len(x.Fields))))
		texts := unsafe.Slice(c.text, len(x.Fields))
		offsets := unsafe.Slice(c.offset, len(x.Fields))
		for i, f := range x.Fields {
			a.hold(fmt.Sprintf("Fields[%d]", i), len(f), int(c.n))
			texts[i], offsets[i] = a.column(f)
		}
	}
	if x.Settings != nil {
		const size = C.sizeof_sked_plan_tier
		p := a.alloc(size * uintptr(len(x.Settings)))
		c.setting = (*C.sked_plan_tier)(p)
		if c.tiers != 0 || len(x.Settings) == 0 {
			a.hold("Settings", len(x.Settings), usual(int(c.tiers), 3))
		}
		c.tiers = C.uint64_t(len(x.Settings))
		for i, s := range unsafe.Slice(c.setting, len(x.Settings)) {
			t := x.Settings[i]
			s.name = a.text(t.Name)
			s.preempt_from, s.preempt_fair_timeout_ns = C.int64_t(bit(t.PreemptFrom)), C.int64_t(t.PreemptFairTimeout)
			s.preempt_fair_threshold_ppm = C.int64_t(t.PreemptFairThresholdPPM)
			unsafe.Slice(c.setting, len(x.Settings))[i] = s
		}
	}
}

// column is strings as one text, and an offset more than there are strings.
func (a *arena) column(s []string) (*C.char, *C.int32_t) {
	n, total := len(s), 0
	for _, v := range s {
		total += len(v)
	}
	text := unsafe.Slice((*byte)(a.alloc(uintptr(total))), total+1)
	offsets := unsafe.Slice((*C.int32_t)(a.alloc(uintptr(n+1)*4)), n+1)
	at := 0
	for i, v := range s {
		offsets[i] = C.int32_t(at)
		at += copy(text[at:], v)
	}
	offsets[n] = C.int32_t(at)
	return (*C.char)(unsafe.Pointer(&text[0])), &offsets[0]
}

// PlanTier is how the leaves of one tier are set up.
type PlanTier struct {
	Name                    string
	PreemptFrom             bool  // may others preempt here?
	PreemptFairTimeout      int64 // ns, or Unlimited
	PreemptFairThresholdPPM int64
}

// PlanTiers are the usual settings of so many tiers, the most important first.
func PlanTiers(tiers int) ([]PlanTier, error) {
	k := checker{op: "PlanTiers"}
	var c [MaxTiers]C.sked_plan_tier
	var e C.sked_error
	if tiers < 0 {
		tiers = 0
	}
	if err := k.check(C.sked_plan_tiers(C.size_t(tiers), &c[0], &e), &e, nil); err != nil {
		return nil, err
	}
	r := make([]PlanTier, tiers)
	for i := range r {
		r[i] = PlanTier{C.GoString(c[i].name), c[i].preempt_from != 0,
			int64(c[i].preempt_fair_timeout_ns), int64(c[i].preempt_fair_threshold_ppm)}
	}
	return r, nil
}

// SimNodes is a group of nodes that are alike.
type SimNodes struct {
	Count, Partition uint32
	Racks            uint32  // they are spread over so many; 0: no racks
	Amounts          []int64 // one a kind
}

func (a *arena) nodes(nodes []SimNodes, kinds int) (*C.sked_sim_nodes, C.uint64_t) {
	if len(nodes) == 0 {
		return nil, 0
	}
	p := (*C.sked_sim_nodes)(a.alloc(C.sizeof_sked_sim_nodes * uintptr(len(nodes))))
	to := unsafe.Slice(p, len(nodes))
	for i, n := range nodes {
		to[i] = C.sked_sim_nodes{count: C.uint32_t(n.Count), partition: C.uint32_t(n.Partition),
			racks: C.uint32_t(n.Racks)}
		if n.Amounts == nil || kinds == 0 { // C says that they, or the tree, are missing
			continue
		}
		a.hold(fmt.Sprintf("Nodes[%d].Amounts", i), len(n.Amounts), kinds)
		to[i].amounts = (*C.int64_t)(a.alloc(8 * uintptr(kinds)))
		copy(unsafe.Slice((*int64)(unsafe.Pointer(to[i].amounts)), kinds), n.Amounts)
	}
	return p, C.uint64_t(len(nodes))
}

func (x *SimInput) more(c *C.sked_sim_input, s *sizes, a *arena) {
	c.nodes, c.n_nodes = a.nodes(x.Nodes, s.kinds)
}

func (x *AdviceProveInput) more(c *C.sked_advice_prove_input, s *sizes, a *arena) {
	c.nodes, c.n_nodes = a.nodes(x.Nodes, s.kinds)
}

// more passes the policies that run after Targets, in order.
func (x *EnginePreemptOptions) more(c *C.sked_engine_preempt_options, _ *sizes, a *arena) {
	n := len(x.MoreTargets)
	if n == 0 {
		return
	}
	own := unsafe.Slice((*TargetOptions)(a.alloc(C.sizeof_sked_target_options*uintptr(n))), n)
	list := unsafe.Slice((**C.sked_target_options)(a.alloc(unsafe.Sizeof(uintptr(0))*uintptr(n))), n)
	for i, t := range x.MoreTargets {
		own[i] = t
		own[i].structSize = C.sizeof_sked_target_options
		list[i] = (*C.sked_target_options)(unsafe.Pointer(&own[i]))
	}
	c.more_targets, c.n_more_targets = &list[0], C.uint64_t(n)
}

// more: a plan that is handed in says how many victims and placements it has.
func (x *PreemptResult) more(c *C.sked_preempt_result, _ *sizes, _ *arena) {
	c.n_victims, c.n_placements = C.uint64_t(len(x.Victims)), C.uint64_t(len(x.Placements))
}

// PreemptSelect chooses victims (preempt.h): see PreemptInput. The result may be
// one of an earlier call, whose memory is used again, or nil.
func PreemptSelect(problem *PreemptInput, host *Host, plan *PreemptResult) (*PreemptResult, error) {
	if plan == nil {
		plan = new(PreemptResult)
	}
	placements := cap(plan.Placements)
	for {
		plan.Victims = plan.Victims[:cap(plan.Victims)]
		plan.Placements = plan.Placements[:placements]
		_, err := preemptSelect(problem, host, plan)
		victims, want := int(plan.NVictims), int(plan.NPlacements)
		if err == nil || victims <= len(plan.Victims) && want <= len(plan.Placements) {
			plan.Victims = plan.Victims[:least(victims, len(plan.Victims))]
			plan.Placements = plan.Placements[:least(want, len(plan.Placements))]
			return plan, err
		}
		plan.Victims, plan.Placements = make([]PreemptVictim, victims), make([]PreemptPlacement, want)
		placements = want
	}
}

// HistoryOnce makes the units of records without a history of one's own.
func HistoryOnce(rows *HistoryInput, opts *HistoryOptions, host *Host, units *HistoryResult) (*HistoryResult, error) {
	if units == nil {
		units = new(HistoryResult)
	}
	kinds := historyKinds(opts)
	for {
		most := least(cap(units.Length), cap(units.Amount)/kinds)
		units.Length, units.Amount = units.Length[:most], units.Amount[:most*kinds]
		_, err := historyOnce(rows, opts, host, units)
		n := int(units.N)
		if err == nil || n <= most {
			n = least(n, most)
			units.Length, units.Amount = units.Length[:n], units.Amount[:n*kinds]
			return units, err
		}
		units.Length, units.Amount = make([]int64, n), make([]int64, n*kinds)
	}
}

// VecWeighted is a vector and the weight that its dominant share is divided by.
type VecWeighted struct {
	Vec    []int64
	Weight uint32
}

// VecCompareDominant is -1, 0 or 1 by dominant share over weight, exactly.
func VecCompareDominant(capacity []int64, a, b VecWeighted) int {
	if len(a.Vec) != len(capacity) || len(b.Vec) != len(capacity) {
		panic(ErrLength)
	}
	return int(C.sked_go_compare_dominant((*C.int64_t)(ptrOut(capacity)), (*C.int64_t)(ptrOut(a.Vec)),
		C.uint32_t(a.Weight), (*C.int64_t)(ptrOut(b.Vec)), C.uint32_t(b.Weight), C.size_t(len(capacity))))
}

// Big is the whole number.
func (w Wide) Big() *big.Int {
	n := new(big.Int).SetUint64(w.High)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(w.Low))
}

func (x *Schema) adopt() { x.kinds = int(C.sked_schema_kinds(x.p)) }
func (x *Tree) adopt()   { x.kinds = int(C.sked_schema_kinds(C.sked_tree_schema(x.p))) }

// auditKinds is how many kinds the amounts of a judge's rows have.
func auditKinds(opts *AuditOptions) int {
	if opts == nil {
		return 0
	}
	return int(opts.Kinds)
}

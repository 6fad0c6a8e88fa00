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
	// Beside Nodes, or nil: how many tasks of the ask have their data there.
	NodeTasks []uint32
	// Beside Rows, or nil: moments and numbers of tasks of the events that read
	// them; Unset: none.
	Moments []Time
	Tasks   []int64
	// What AttributesOf and RuleOf add.
	AttributeOffsets []int32
	Attributes       []RuleAttribute
	RuleOffsets      []int32
	RuleTerms        []RuleTerm
	RuleValues       []int64
	// Beside each row or empty: how gangs over nodes start.
	Gangs []EventGang
	// Beside each row or empty: where jobs are charged beside their queues.
	Charges []EventCharge
	// The engine's answer is put here, so that the hot path allocates nothing.
	done C.uint64_t
	e    C.sked_error
}

// Reset empties the columns and keeps their memory.
func (b *Events) Reset() {
	b.Rows, b.Amounts, b.Offsets, b.Nodes = b.Rows[:0], b.Amounts[:0], b.Offsets[:0], b.Nodes[:0]
	b.NodeTasks, b.Moments, b.Tasks = b.NodeTasks[:0], b.Moments[:0], b.Tasks[:0]
	b.AttributeOffsets, b.Attributes = b.AttributeOffsets[:0], b.Attributes[:0]
	b.RuleOffsets, b.RuleTerms, b.RuleValues = b.RuleOffsets[:0], b.RuleTerms[:0], b.RuleValues[:0]
	b.Gangs, b.Charges = b.Gangs[:0], b.Charges[:0]
}

// Row adds one amount a kind and returns what Event.Amount names it by.
func (b *Events) Row(amounts ...int64) uint32 {
	b.Amounts = append(b.Amounts, amounts...)
	if len(amounts) == 0 {
		return 0
	}
	return uint32(len(b.Amounts) / len(amounts))
}

// Places adds a list of nodes (of EventAskTags: of tags, of EventAskRacks: of
// racks) and returns what Event.Places names it by.
func (b *Events) Places(nodes ...uint64) uint32 {
	row := b.list(nodes)
	if len(b.NodeTasks) > 0 {
		b.anyNumber()
	}
	return row
}

// anyNumber of tasks has its data on nodes of which none was said.
func (b *Events) anyNumber() {
	for len(b.NodeTasks) < len(b.Nodes) {
		b.NodeTasks = append(b.NodeTasks, 1<<31-1)
	}
}

func (b *Events) list(nodes []uint64) uint32 {
	if len(b.Offsets) == 0 {
		b.Offsets = append(b.Offsets, 0)
	}
	b.Nodes = append(b.Nodes, nodes...)
	b.Offsets = append(b.Offsets, int32(len(b.Nodes)))
	return uint32(len(b.Offsets) - 1)
}

// AttributesOf adds what a node is and returns what Event.Places names it by, of
// EventNodeAttributes and EventNodeUp.
func (b *Events) AttributesOf(pairs ...RuleAttribute) uint32 {
	if len(b.AttributeOffsets) == 0 {
		b.AttributeOffsets = append(b.AttributeOffsets, 0)
	}
	b.Attributes = append(b.Attributes, pairs...)
	b.AttributeOffsets = append(b.AttributeOffsets, int32(len(b.Attributes)))
	return uint32(len(b.AttributeOffsets) - 1)
}

// RuleOf adds a rule and the values that its terms name, and returns what
// Event.Places names it by, of EventAskRule and EventAskPrefer.
func (b *Events) RuleOf(terms []RuleTerm, values []int64) uint32 {
	if len(b.RuleOffsets) == 0 {
		b.RuleOffsets = append(b.RuleOffsets, 0)
	}
	first := uint32(len(b.RuleValues))
	for _, t := range terms {
		if t.Op > RuleOpOr && t.N > 0 {
			t.First += first
		}
		b.RuleTerms = append(b.RuleTerms, t)
	}
	b.RuleValues = append(b.RuleValues, values...)
	b.RuleOffsets = append(b.RuleOffsets, int32(len(b.RuleTerms)))
	return uint32(len(b.RuleOffsets) - 1)
}

// Add appends an event.
func (b *Events) Add(e Event) {
	b.Rows = append(b.Rows, e)
	if len(b.Moments)+len(b.Tasks) > 0 {
		b.beside(Unset, Unset)
	}
	b.plain()
}

// plain: of the last row no gang and no charge is said, where others have some.
func (b *Events) plain() {
	if len(b.Gangs) > 0 {
		b.Gangs = append(b.Gangs, EventGang{})
	}
	if len(b.Charges) > 0 {
		b.Charges = append(b.Charges, EventCharge{})
	}
}

// AddCharged appends a job, which is charged there in limit trees.
func (b *Events) AddCharged(e Event, charge EventCharge) {
	for len(b.Charges) < len(b.Rows) {
		b.Charges = append(b.Charges, EventCharge{})
	}
	b.Add(e)
	b.Charges = append(b.Charges[:len(b.Rows)-1], charge)
}

// AddGang appends an ask for a gang over nodes, which starts so.
func (b *Events) AddGang(e Event, gang EventGang) {
	for len(b.Gangs) < len(b.Rows) {
		b.Gangs = append(b.Gangs, EventGang{})
	}
	b.Add(e)
	b.Gangs = append(b.Gangs[:len(b.Rows)-1], gang)
}

// AddAt appends an event with its moment (as EventJobSubmit: when it was first
// submitted) and the number of a task (as EventTaskRunning: the first); Unset:
// none.
func (b *Events) AddAt(e Event, moment Time, task int64) {
	b.Rows = append(b.Rows, e)
	b.beside(moment, task)
	b.plain()
}

// beside fills both columns up to the last row.
func (b *Events) beside(moment Time, task int64) {
	n := len(b.Rows)
	for len(b.Moments) < n-1 {
		b.Moments = append(b.Moments, Unset)
	}
	for len(b.Tasks) < n-1 {
		b.Tasks = append(b.Tasks, Unset)
	}
	b.Moments, b.Tasks = append(b.Moments[:n-1], moment), append(b.Tasks[:n-1], task)
}

// PlacesWith adds a list of nodes and how many tasks have their data on each, and
// returns what Event.Places names it by.
func (b *Events) PlacesWith(nodes []uint64, tasks []uint32) uint32 {
	b.anyNumber()
	b.NodeTasks = append(b.NodeTasks, tasks...)
	return b.list(nodes)
}

// Mend is the events that make an engine like the truth: those of differences
// that Engine.Reconcile found, with the truth's columns of amounts and places.
func (b *Events) Mend(differences []EngineDifference) *Events {
	mend := &Events{Amounts: b.Amounts, Offsets: b.Offsets, Nodes: b.Nodes, NodeTasks: b.NodeTasks,
		Rows: make([]Event, len(differences)), Moments: make([]Time, len(differences)), Tasks: make([]int64, len(differences)),
		AttributeOffsets: b.AttributeOffsets, Attributes: b.Attributes,
		RuleOffsets: b.RuleOffsets, RuleTerms: b.RuleTerms, RuleValues: b.RuleValues,
		Gangs: make([]EventGang, len(differences)), Charges: make([]EventCharge, len(differences))}
	for i := range differences {
		d := &differences[i]
		mend.Rows[i], mend.Moments[i], mend.Tasks[i], mend.Gangs[i] = d.Event, d.Moment, d.Task, d.Gang
		mend.Charges[i] = d.Charge
	}
	return mend
}

// hold refuses columns that do not fit one another.
func (b *Events) hold(k *checker, kinds, from int) {
	if from < 0 || from > len(b.Rows) {
		k.fail(ErrLength, "from is beyond the rows")
	}
	lists := most(0, len(b.Offsets)-1)
	attributes, rules := most(0, len(b.AttributeOffsets)-1), most(0, len(b.RuleOffsets)-1)
	switch {
	case attributes > 0 && int(b.AttributeOffsets[attributes]) > len(b.Attributes):
		k.fail(ErrLength, "AttributeOffsets go beyond Attributes")
	case rules > 0 && int(b.RuleOffsets[rules]) > len(b.RuleTerms):
		k.fail(ErrLength, "RuleOffsets go beyond RuleTerms")
	case kinds == 0 || len(b.Amounts)%kinds != 0:
		k.fail(ErrLength, "Amounts are no whole rows")
	case lists > 0 && int(b.Offsets[lists]) > len(b.Nodes):
		k.fail(ErrLength, "Offsets go beyond Nodes")
	case len(b.NodeTasks) > 0 && len(b.NodeTasks) != len(b.Nodes):
		k.fail(ErrLength, "NodeTasks are not as many as Nodes")
	case len(b.Moments) > 0 && len(b.Moments) != len(b.Rows):
		k.fail(ErrLength, "Moments are not as many as Rows")
	case len(b.Tasks) > 0 && len(b.Tasks) != len(b.Rows):
		k.fail(ErrLength, "Tasks are not as many as Rows")
	case len(b.Gangs) > 0 && len(b.Gangs) != len(b.Rows):
		k.fail(ErrLength, "Gangs are not as many as Rows")
	case len(b.Charges) > 0 && len(b.Charges) != len(b.Rows):
		k.fail(ErrLength, "Charges are not as many as Rows")
	}
}

// Apply applies the rows from `from` on, each wholly or not at all, and returns
// the row to go on from: that of an error, where there is one. stopped: as many
// decisions wait as may; Take them first.
func (x *Engine) Apply(b *Events, from int) (done int, stopped bool, err error) {
	k := checker{op: "Engine.Apply"}
	if err = x.h.write(); err != nil {
		return from, false, &Error{Op: k.op, Code: err.(Code), Kind: -1, Row: -1}
	}
	defer x.h.release()
	if b.hold(&k, x.kinds, from); k.err != nil {
		return from, false, k.err
	}
	rows, moments, tasks := b.Rows[from:], rest(b.Moments, from), rest(b.Tasks, from)
	b.done = 0
	var rc C.sked_status
	if len(b.AttributeOffsets)+len(b.RuleOffsets)+len(b.Gangs)+len(b.Charges) > 0 {
		rc = x.applyRules(b, rows, moments, tasks, rest(b.Gangs, from), rest(b.Charges, from))
	} else {
		rc = x.applyRows(b, rows, moments, tasks)
	}
	done = from + int(b.done)
	if rc == C.SKED_ERR_FULL {
		return done, true, nil
	}
	if rc < 0 || x.h.host.host != nil {
		err = k.check(rc, &b.e, x.h.host)
	}
	if e, ok := err.(*Error); ok && e.Row >= 0 {
		e.Row += int64(from)
	}
	return done, false, err
}

func (x *Engine) applyRows(b *Events, rows []Event, moments []Time, tasks []int64) C.sked_status {
	return C.sked_go_apply(x.p, (*C.sked_event)(ptrOut(rows)), C.size_t(len(rows)),
		(*C.int64_t)(ptrIn(b.Amounts)), C.size_t(len(b.Amounts)/x.kinds), (*C.int32_t)(ptrIn(b.Offsets)),
		(*C.uint64_t)(ptrIn(b.Nodes)), C.size_t(most(0, len(b.Offsets)-1)), (*C.uint32_t)(ptrSome(b.NodeTasks)),
		(*C.sked_time)(ptrSome(moments)), (*C.int64_t)(ptrSome(tasks)), &b.done, &b.e)
}

// applyRules applies rows with their attributes, rules, gangs over nodes and charges.
func (x *Engine) applyRules(b *Events, rows []Event, moments []Time, tasks []int64, gangs []EventGang, charges []EventCharge) C.sked_status {
	return C.sked_go_apply_rules(x.p, (*C.sked_event)(ptrOut(rows)), C.size_t(len(rows)),
		(*C.int64_t)(ptrIn(b.Amounts)), C.size_t(len(b.Amounts)/x.kinds), (*C.int32_t)(ptrIn(b.Offsets)),
		(*C.uint64_t)(ptrIn(b.Nodes)), C.size_t(most(0, len(b.Offsets)-1)), (*C.uint32_t)(ptrSome(b.NodeTasks)),
		(*C.sked_time)(ptrSome(moments)), (*C.int64_t)(ptrSome(tasks)),
		(*C.int32_t)(ptrSome(b.AttributeOffsets)), (*C.sked_rule_attribute)(ptrSome(b.Attributes)), C.size_t(most(0, len(b.AttributeOffsets)-1)),
		(*C.int32_t)(ptrSome(b.RuleOffsets)), (*C.sked_rule_term)(ptrSome(b.RuleTerms)), C.size_t(most(0, len(b.RuleOffsets)-1)),
		(*C.int64_t)(ptrSome(b.RuleValues)), C.size_t(len(b.RuleValues)), (*C.sked_event_gang)(ptrSome(gangs)), (*C.sked_event_charge)(ptrSome(charges)), &b.done, &b.e)
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

// Reconcile compares the engine with all that its host knows to be so (the truth,
// told as to an empty engine) and says by which events, in order, it would become
// like that: nothing is changed until truth.Mend of them is applied. The slice is
// used again where it is long enough. See EngineDifference.
func (x *Engine) Reconcile(truth *Events, differences []EngineDifference) ([]EngineDifference, error) {
	k := checker{op: "Engine.Reconcile"}
	if err := x.h.write(); err != nil {
		return nil, &Error{Op: k.op, Code: err.(Code), Kind: -1, Row: -1}
	}
	defer x.h.release()
	if truth.hold(&k, x.kinds, 0); k.err != nil {
		return nil, k.err
	}
	list := differences[:cap(differences)]
	for {
		rc := C.sked_go_reconcile(x.p, (*C.sked_event)(ptrOut(truth.Rows)), C.size_t(len(truth.Rows)),
			(*C.int64_t)(ptrIn(truth.Amounts)), C.size_t(len(truth.Amounts)/x.kinds), (*C.int32_t)(ptrIn(truth.Offsets)),
			(*C.uint64_t)(ptrIn(truth.Nodes)), C.size_t(most(0, len(truth.Offsets)-1)), (*C.uint32_t)(ptrSome(truth.NodeTasks)),
			(*C.sked_time)(ptrSome(truth.Moments)), (*C.int64_t)(ptrSome(truth.Tasks)),
			(*C.int32_t)(ptrSome(truth.AttributeOffsets)), (*C.sked_rule_attribute)(ptrSome(truth.Attributes)), C.size_t(most(0, len(truth.AttributeOffsets)-1)),
			(*C.int32_t)(ptrSome(truth.RuleOffsets)), (*C.sked_rule_term)(ptrSome(truth.RuleTerms)), C.size_t(most(0, len(truth.RuleOffsets)-1)),
			(*C.int64_t)(ptrSome(truth.RuleValues)), C.size_t(len(truth.RuleValues)), (*C.sked_event_gang)(ptrSome(truth.Gangs)), (*C.sked_event_charge)(ptrSome(truth.Charges)),
			(*C.sked_engine_difference)(ptrOut(list)), C.size_t(len(list)), &x.h.n, &truth.e)
		n := int(x.h.n)
		if rc == codeRange && n > len(list) {
			list = make([]EngineDifference, n)
			continue
		}
		if err := k.check(rc, &truth.e, x.h.host); err != nil {
			return nil, err
		}
		return list[:n], nil
	}
}

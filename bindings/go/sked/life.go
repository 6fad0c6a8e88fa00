package sked

// #include "sked.h"
import "C"

import "unsafe"

// Values of states and tasks of lives that stand for something else.
const (
	LifeNone      uint32 = 1<<32 - 1 // no state; from a state to itself
	LifeBefore    uint32 = 1<<32 - 2 // of an edge: the state it was in before
	LifeEveryTask uint64 = 1<<64 - 1 // of a job that has no secret of its own
)

// LifeName is the name of a state, an event or an action of a table: a-z, A-Z,
// 0-9 and _.
type LifeName struct {
	Text  [MaxLifeName]byte // ended by a NUL
	Marks LifeMark          // of states
	_     uint32
}

// NewLifeName is a name with these marks. One that does not fit is cut, and then
// LifeTable.Check says so.
func NewLifeName(text string, marks LifeMark) LifeName {
	n := LifeName{Marks: marks}
	copy(n.Text[:], text)
	return n
}

func (n LifeName) String() string {
	for i, c := range n.Text {
		if c == 0 {
			return string(n.Text[:i])
		}
	}
	return string(n.Text[:])
}

// LifeStates is the set of these states, for edges and goals of tables.
func LifeStates[T ~int32 | ~uint32](states ...T) uint64 {
	var set uint64
	for _, s := range states {
		set |= 1 << uint64(s)
	}
	return set
}

// LifeIn is a life that is in a state, having been in none before.
func LifeIn[T ~int32 | ~uint32](state T) LifeAt {
	return LifeAt{State: uint32(state), Before: LifeNone}
}

// LifeTableOf is a copy of a table that is here, to be used or to be changed for
// a life of one's own; nil for a number that is none.
func LifeTableOf(which LifeTableID) *LifeTable {
	c := C.sked_life_table_of(C.uint32_t(which))
	if c == nil {
		return nil
	}
	return &LifeTable{
		Name:    C.GoString(c.name),
		States:  lent[LifeName](nil, unsafe.Pointer(c.states), int(c.n_states)),
		Events:  lent[LifeName](nil, unsafe.Pointer(c.events), int(c.n_events)),
		Edges:   lent[LifeEdge](nil, unsafe.Pointer(c.edges), int(c.n_edges)),
		Actions: lent[LifeName](nil, unsafe.Pointer(c.actions), int(c.n_actions)),
		Goals:   lent[LifeGoal](nil, unsafe.Pointer(c.goals), int(c.n_goals)),
	}
}

// StateNamed, EventNamed and ActionNamed are rows of these names, or LifeNone.
func (x *LifeTable) StateNamed(name string) uint32  { return rowNamed(x.States, name) }
func (x *LifeTable) EventNamed(name string) uint32  { return rowNamed(x.Events, name) }
func (x *LifeTable) ActionNamed(name string) uint32 { return rowNamed(x.Actions, name) }

func rowNamed(names []LifeName, name string) uint32 {
	for i := range names {
		if names[i].String() == name {
			return uint32(i)
		}
	}
	return LifeNone
}

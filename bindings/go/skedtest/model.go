package skedtest

import (
	"fmt"

	"example.org/sked/bindings/go/sked"
)

// Model follows an engine through its events and decisions in the plainest way,
// and says what does not hold: a node that is over-full, a task too many, an
// amount that the engine counts otherwise.
type Model struct {
	kinds  int
	nodes  map[uint64][]int64 // free
	asks   map[uint64]*modelAsk
	groups map[uint64]*modelGroup
	used   map[sked.QueueID][]int64
	jobs   map[uint64]sked.QueueID
}

type modelAsk struct {
	job    uint64
	amount []int64
	open   int64
}

type modelGroup struct {
	ask, node uint64
	count     int64
}

// NewModel follows an engine of so many kinds that knows nothing yet.
func NewModel(kinds int) *Model {
	return &Model{kinds, map[uint64][]int64{}, map[uint64]*modelAsk{}, map[uint64]*modelGroup{},
		map[sked.QueueID][]int64{}, map[uint64]sked.QueueID{}}
}

// Happened is told of every row that the engine applied.
func (m *Model) Happened(b *sked.Events, row int) {
	e := b.Rows[row]
	amount := func() []int64 {
		a := make([]int64, m.kinds)
		if e.Amount > 0 {
			copy(a, b.Amounts[int(e.Amount-1)*m.kinds:])
		}
		return a
	}
	switch e.Kind {
	case sked.EventNodeUp:
		m.nodes[e.Key] = amount()
	case sked.EventJobSubmit:
		m.jobs[e.Key] = e.Queue
		if m.used[e.Queue] == nil {
			m.used[e.Queue] = make([]int64, m.kinds)
		}
	case sked.EventAskAdd:
		m.asks[e.Key] = &modelAsk{e.Owner, amount(), e.Count}
	case sked.EventTaskFinish:
		if g := m.groups[e.Key]; g != nil {
			m.move(g, -e.Count)
		}
	}
}

func (m *Model) move(g *modelGroup, count int64) {
	a := m.asks[g.ask]
	g.count += count
	for k, v := range a.amount {
		m.nodes[g.node][k] -= v * count
		m.used[m.jobs[a.job]][k] += v * count
	}
}

// Decided is told of every decision; the error says why it may not be one.
func (m *Model) Decided(d sked.Decision) error {
	if d.Kind != sked.DecisionAllocate {
		return nil
	}
	a := m.asks[d.Ask]
	if a == nil || a.job != d.Job || m.nodes[d.Node] == nil {
		return fmt.Errorf("%v names what is not there", d)
	}
	if a.open -= d.Count; a.open < 0 {
		return fmt.Errorf("%v: %d tasks too many", d, -a.open)
	}
	g := m.groups[d.Group]
	if g == nil {
		g = &modelGroup{ask: d.Ask, node: d.Node}
		m.groups[d.Group] = g
	}
	m.move(g, d.Count)
	for k, free := range m.nodes[d.Node] {
		if free < 0 {
			return fmt.Errorf("%v: node %d is over by %d of kind %d", d, d.Node, -free, k)
		}
	}
	return nil
}

// Agrees compares every node and queue with what the engine says of them.
func (m *Model) Agrees(e *sked.Engine) error {
	for node, free := range m.nodes {
		got, err := e.NodeFree(node, nil)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(free) {
			return fmt.Errorf("node %d has %v free, not %v (%v)", node, got, free, err)
		}
	}
	for queue, used := range m.used {
		got, _, err := e.Usage(queue, sked.AnyPartition, nil, nil)
		if err != nil || fmt.Sprint(got) != fmt.Sprint(used) {
			return fmt.Errorf("%v uses %v, not %v (%v)", queue, got, used, err)
		}
	}
	return e.Check()
}

package vectors

import (
	"strconv"

	"example.org/sked/bindings/go/sked"
)

// A scene is an engine with one job, and hosts that are its nodes.
type scene struct {
	tree   *sked.Tree
	engine *sked.Engine
}

func newScene(kinds int) *scene {
	text := "kinds"
	for i := 0; i < kinds; i++ {
		text += " k" + strconv.Itoa(i)
	}
	tree := okay(sked.ReadTree(text+"\nroot\nroot.q\n", sked.TreeCommitLenient, nil))
	s := &scene{tree, okay(sked.NewEngine(tree, nil, nil))}
	s.tell(sked.Event{Kind: sked.EventJobSubmit, Key: 1, Owner: 1, Queue: okay(tree.Find("root.q"))})
	return s
}

func (s *scene) close() { s.engine.Close(); s.tree.Close() }

func (s *scene) tell(e sked.Event) { s.apply(&sked.Events{Rows: []sked.Event{e}}) }

func (s *scene) apply(b *sked.Events) {
	_, _, err := s.engine.Apply(b, 0)
	fine(err)
}

func (s *scene) host(key, rack uint64, amounts []int64) {
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventNodeUp, Key: key, Owner: rack, Amount: b.Row(amounts...)})
	s.apply(&b)
}

func (s *scene) ask(task []int64, count int64) {
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventAskAdd, Key: 1, Owner: 1, Count: count, Amount: b.Row(task...),
		Flags: uint32(sked.AskWait | sked.AskKeep)})
	s.apply(&b)
}

// started calls with each task that was started, and its host.
func (s *scene) started(each func(task int64, host uint64)) {
	s.engine.Decisions(func(d *sked.Decision) bool {
		for i := int64(0); d.Kind == sked.DecisionAllocate && i < d.Count; i++ {
			each(d.Task+i, d.Node)
		}
		return true
	})
}

func (s *scene) visit(key uint64) (tasks []int64) {
	s.tell(sked.Event{Kind: sked.EventHeartbeat, Key: key})
	s.started(func(task int64, _ uint64) { tasks = append(tasks, task) })
	return tasks
}

func termsOf(flat []int64) (terms []sked.RuleTerm) {
	for i := 0; i+4 < len(flat); i += 5 {
		terms = append(terms, sked.RuleTerm{Key: uint64(flat[i]), Value: flat[i+1], Op: sked.RuleOp(flat[i+2]),
			N: uint64(flat[i+3]), First: uint32(flat[i+4])})
	}
	return terms
}

func pairsOf(flat []int64) (pairs []sked.RuleAttribute) {
	for i := 0; i+1 < len(flat); i += 2 {
		pairs = append(pairs, sked.RuleAttribute{Key: uint64(flat[i]), Value: flat[i+1]})
	}
	return pairs
}

func placed(f fields, rule string) int {
	in := sked.RuleInput{Flags: sked.RuleFlag(f.number("flags", 0)), Node: pairsOf(f.numbers("node")), Work: pairsOf(f.numbers("work")),
		Terms: termsOf(f.numbers("terms"))}
	return f.judge("want", []int64{int64(okay(sked.RuleJudge(&in)))}, rule)
}

// host: one task and one host. Does it start there, and if not, why?
func host(f fields, rule string) int {
	have := f.given("capacity")
	s := newScene(len(have))
	defer s.close()
	s.host(1, 0, have)
	s.ask(f.given("task"), 1)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventNodeAttributes, Key: 1, Places: b.AttributesOf(pairsOf(f.numbers("node"))...)})
	b.Add(sked.Event{Kind: sked.EventAskRule, Key: 1, Places: b.RuleOf(termsOf(f.numbers("terms")), nil)})
	if f.number("busy", 0) != 0 {
		b.Add(sked.Event{Kind: sked.EventNodeDrain, Key: 1})
	}
	s.apply(&b)
	got := []int64{int64(len(s.visit(1))), 0}
	if got[0] == 0 {
		for _, bound := range okay(s.engine.ExplainJob(1, nil)) {
			if bound.Binds != 0 {
				got[1] = int64(bound.Reason)
				break
			}
		}
	}
	return f.judge("want", got, rule)
}

func (s *scene) hosts(capacity []int64, kinds int) (n int) {
	for ; (n+1)*kinds <= len(capacity); n++ {
		s.host(uint64(n+1), 0, capacity[n*kinds:(n+1)*kinds])
	}
	return n
}

// hosts: alike tasks and hosts in order, the host of each; -1: none.
func hosts(f fields, rule string) int {
	task := f.given("task")
	s := newScene(len(task))
	defer s.close()
	where := make([]int64, f.number("count", 0))
	s.ask(task, int64(len(where)))
	for i := range where {
		where[i] = -1
	}
	n := s.hosts(f.given("capacity"), len(task))
	for i := 0; i < n; i++ {
		for _, t := range s.visit(uint64(i + 1)) {
			where[t] = int64(i)
		}
	}
	return f.judge("want", where, rule)
}

// visits: one task that would like nodes 1 and 2 and their rack. By hosts that ask
// one after the other, which gets it?
func visits(f fields, rule string) int {
	s := newScene(1)
	defer s.close()
	for key := uint64(1); key < 5; key++ {
		rack := uint64(9)
		if key == 4 {
			rack = 0
		}
		s.host(key, rack, []int64{1})
	}
	s.ask([]int64{1}, 1)
	var b sked.Events
	b.Add(sked.Event{Kind: sked.EventAskPlaces, Key: 1, Places: b.Places(1, 2)})
	b.Add(sked.Event{Kind: sked.EventAskRacks, Key: 1, Places: b.Places(9)})
	s.apply(&b)
	var got []int64
	for _, key := range f.given("order") {
		got = append(got, int64(len(s.visit(uint64(key)))))
	}
	return f.judge("want", got, rule)
}

// byScore gives tasks nodes by the scores of the case: the host of each, in the
// order of decisions.
func (s *scene) byScore(scores []int64) (found []int64) {
	keys := make([]uint64, len(scores))
	for i := range keys {
		keys[i] = uint64(i + 1)
	}
	okay(s.engine.Place(0, 0, &sked.EnginePlaceOptions{Mode: sked.EnginePlaceModeScore, Nodes: keys, Scores: scores}))
	s.started(func(_ int64, host uint64) { found = append(found, int64(host)-1) })
	return found
}

// scoredHost: one task, and hosts with scores. Which is it given, -1: none?
func scoredHost(f fields, rule string) int {
	task := f.given("task")
	s := newScene(len(task))
	defer s.close()
	s.hosts(f.given("capacity"), len(task))
	s.ask(task, 1)
	return f.judge("want", append(s.byScore(f.given("score")), -1)[:1], rule)
}

// hostOrder: a task for each host that takes work, the scores of hosts in the
// order in which they are given one.
func hostOrder(f fields, rule string) int {
	s := newScene(1)
	defer s.close()
	for i, drains := range f.given("drained") {
		s.host(uint64(i+1), 0, []int64{1})
		if drains != 0 {
			s.tell(sked.Event{Kind: sked.EventNodeDrain, Key: uint64(i + 1)})
		}
	}
	scores := f.given("score")
	s.ask([]int64{1}, int64(len(scores)))
	got := s.byScore(scores)
	for i, h := range got {
		got[i] = scores[h]
	}
	return f.judge("want", got, rule)
}

package sked_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	"example.org/sked/bindings/go/sked"
)

// Every table that is here keeps its own rules, and its copy goes back to C as
// it came: a step is legal exactly where Legal says so.
func TestTablesAreWhatTheySay(t *testing.T) {
	edges := 0
	for which := sked.LifeTableQueued; which <= sked.LifeTableGroup; which++ {
		table := sked.LifeTableOf(which)
		if faults, err := table.Check(nil); err != nil || len(faults) != 0 {
			t.Fatal(table.Name, faults, err)
		}
		if dot := must(table.Format())(t); !strings.HasPrefix(dot, "digraph "+table.Name) {
			t.Fatal(dot[:40])
		}
		for state := range table.States {
			if table.States[state].Marks&sked.LifeMarkUnused != 0 {
				continue
			}
			at := sked.LifeAt{State: uint32(state), Before: sked.LifeNone}
			legal := must(table.Legal(at.State, sked.LifeCauseAll, nil))(t)
			edges += len(legal)
			for event := range table.Events {
				may := false
				for _, row := range legal {
					edge := table.Edges[row]
					may = may || edge.Event == uint32(event) && edge.Causes&sked.LifeCauseTimer != 0
				}
				step, err := table.Next(&at, uint32(event), sked.LifeCauseTimer)
				moved := err == nil && step.Outcome == sked.LifeOutcomeMoved
				back := may && errors.Is(err, sked.ErrRange) // an edge back, and nothing was before
				if moved != may && !back && step.Outcome != sked.LifeOutcomeStayed {
					t.Fatal(table.Name, at, event, step, err, may)
				}
			}
		}
	}
	if edges < 100 {
		t.Fatal(edges, "edges")
	}
	if sked.LifeTableOf(0) != nil || sked.LifeTableOf(8) != nil {
		t.Fatal("a table that is none")
	}
}

// door is a life of one's own.
func door() *sked.LifeTable {
	return &sked.LifeTable{Name: "door",
		States:  []sked.LifeName{sked.NewLifeName("OPEN", sked.LifeMarkStart), sked.NewLifeName("SHUT", sked.LifeMarkEnd)},
		Events:  []sked.LifeName{sked.NewLifeName("close", 0)},
		Edges:   []sked.LifeEdge{{From: sked.LifeStates(uint32(0)), Event: 0, Next: 1, Causes: sked.LifeCauseUser}},
		Actions: []sked.LifeName{sked.NewLifeName("PUSH", 0)},
		Goals:   []sked.LifeGoal{{Goals: sked.LifeStates(uint32(1)), States: sked.LifeStates(uint32(0)), Action: 0}}}
}

func TestALifeOfOnesOwn(t *testing.T) {
	table := door()
	if faults, err := table.Check(nil); err != nil || len(faults) != 0 {
		t.Fatal(faults, err)
	}
	shut := table.StateNamed("SHUT")
	at := sked.LifeIn(table.StateNamed("OPEN"))
	if edge := must(table.Way(at.State, shut))(t); edge != 0 {
		t.Fatal(edge)
	}
	if action := must(table.Act(shut, at.State))(t); action != table.ActionNamed("PUSH") {
		t.Fatal(action)
	}
	step := must(table.Next(&at, table.EventNamed("close"), sked.LifeCauseUser))(t)
	if step.At.State != shut || step.At.Before != at.State || step.Outcome != sked.LifeOutcomeMoved {
		t.Fatal(step)
	}
	var e *sked.Error
	if _, err := table.Next(&at, 0, sked.LifeCauseNode); !errors.Is(err, sked.ErrState) || !errors.As(err, &e) || e.Message == "" {
		t.Fatal(err)
	}
	if table.StateNamed("AJAR") != sked.LifeNone {
		t.Fatal("a state that is not there")
	}
	table.States[0].Marks = 0
	faults, err := table.Check(nil)
	if !errors.Is(err, sked.ErrInvalid) || len(faults) == 0 || faults[0].Code != sked.LifeFaultNoStart {
		t.Fatal(faults, err)
	}
	table.Edges[0].Next = 9
	if _, err = table.Check(nil); !errors.Is(err, sked.ErrRange) || !errors.As(err, &e) || e.Row != 0 {
		t.Fatal(err, e.Code, e.Row)
	}
}

func TestInstancesAndJobs(t *testing.T) {
	now := sked.LifeInstance{Version: 1, Desired: 1, State: sked.LifeTaskRunning, Goal: sked.LifeTaskRunning, Health: sked.LifeHealthHealthy}
	if now.Availability() != sked.LifeAvailabilityAvailable {
		t.Fatal(now.Availability())
	}
	next := now
	next.Run = 1
	if err := now.MayReplace(&next); !errors.Is(err, sked.ErrState) {
		t.Fatal(err)
	}
	next.State = sked.LifeTaskInitialized
	next.DesiredRun = 1
	if err := now.MayReplace(&next); err != nil {
		t.Fatal(err)
	}
	now.Desired = 2
	if action := must(now.Action(nil))(t); action != sked.LifeActionStop {
		t.Fatal(action)
	}
	if phase := now.Judge(1, 0); phase != sked.LifePhaseTold {
		t.Fatal(phase)
	}
	launch := sked.LifeInstance{State: sked.LifeTaskLaunched, Goal: sked.LifeTaskSucceeded}
	for _, c := range []struct {
		now  sked.Time
		want sked.LifeAction
	}{{1, sked.LifeActionNothing}, {sked.Time(3*time.Hour) + 1, sked.LifeActionInitialize}} {
		if action := must(launch.Action(&sked.LifeActOptions{Now: c.now}))(t); action != c.want {
			t.Fatal(c.now, action)
		}
	}
	if nature := must(sked.LifeNatureOf(sked.LifeTypeStateful))(t); nature.Pinned != 1 || nature.Goal != sked.LifeTaskRunning {
		t.Fatal(nature)
	}
	job := sked.LifeJobInput{Type: sked.LifeTypeBatch, State: sked.LifeJobPending, Instances: 2}
	job.Tasks[sked.LifeTaskSucceeded], job.Tasks[sked.LifeTaskFailed] = 1, 1
	if state := must(job.Next())(t); state != sked.LifeJobFailed {
		t.Fatal(state)
	}
	job = sked.LifeJobInput{Type: sked.LifeTypeBatch, State: sked.LifeJobRunning, Goal: sked.LifeJobKilled}
	if action := must(job.Action())(t); action != sked.LifeActionKill {
		t.Fatal(action)
	}
}

func TestPromisesArePaidOnce(t *testing.T) {
	sla := sked.LifeSLA{MostUnavailable: 3}
	counts := sked.LifeStats{Available: 9, Unavailable: 1}
	if n := must(sla.MayStop(&counts, sked.LifeStopperUpdate))(t); n != 2 {
		t.Fatal(n)
	}
	if err := sla.Stop(sked.LifeStopperUpdate, 2, &counts); err != nil || counts.Available != 7 || counts.Unavailable != 3 {
		t.Fatal(counts, err)
	}
	err := sla.Stop(sked.LifeStopperMaintenance, 1, &counts)
	var e *sked.Error
	if !errors.Is(err, sked.ErrState) || !errors.As(err, &e) || e.Limit != 0 || counts.Available != 7 {
		t.Fatal(err, counts)
	}
	gang := sked.LifeSLA{Type: sked.LifeTypeBatch, LeastRunning: 4}
	if gang.Gang(6) != 4 || gang.Gang(3) != 3 || (*sked.LifeSLA)(nil).Gang(6) != 1 {
		t.Fatal(gang.Gang(6))
	}
}

func TestPolicies(t *testing.T) {
	if d := sked.LifeBackoff(3, 30*time.Second, time.Hour); d != 2*time.Minute {
		t.Fatal(d)
	}
	failed := sked.LifeInstance{State: sked.LifeTaskFailed, Goal: sked.LifeTaskSucceeded}
	r := must(failed.Restart(sked.LifeEndPlain, &sked.LifeRestartOptions{MaxFailures: 2}))(t)
	if r.Again != 1 || r.Failures != 1 || r.Delay != 30*time.Second {
		t.Fatal(r)
	}
	// Every attempt takes longer, and after three of them the cycle is over.
	var tries sked.LifeTries
	last := time.Duration(0)
	for i := 1; i <= 2; i++ {
		p := must(sked.LifePlacingBegin(sked.LifeTaskPlacing, nil, &tries))(t)
		if p.Timeout <= last {
			t.Fatal(p)
		}
		last = p.Timeout
		if p = must(sked.LifePlacingTimeout(sked.LifeTaskPlacing, nil, &tries))(t); p.To != sked.LifeTaskReady {
			t.Fatal(i, p)
		}
	}
	must(sked.LifePlacingBegin(sked.LifeTaskPlacing, nil, &tries))(t)
	if p := must(sked.LifePlacingReturn(sked.LifeTaskPlacing, nil, &tries))(t); p.To != sked.LifeTaskPending || p.CycleOver != 1 {
		t.Fatal(p, tries)
	}
	var node sked.LifeRecord
	nodes := sked.LifeNodes{N: 100}
	for i := 0; i < 5; i++ {
		if err := node.Fail(sked.Time(i), nil, &nodes); err != nil {
			t.Fatal(err)
		}
	}
	if !node.IsOut(5, &nodes) || nodes.Out != 1 {
		t.Fatal(node, nodes)
	}
	if node.IsOut(sked.Time(11*time.Minute), &nodes) || nodes.Out != 0 {
		t.Fatal(node, nodes)
	}
	node.Succeed()
	if node.Times != 0 {
		t.Fatal(node)
	}
}

func TestSecretsComeBackAtLaunchAlone(t *testing.T) {
	s := must(sked.NewLifeSecrets(nil))(t)
	defer s.Close()
	const secret = 0x5ec12e7
	for _, c := range []struct{ task, reference uint64 }{{sked.LifeEveryTask, 41}, {1, secret}} {
		if err := s.Set(7, c.task, c.reference); err != nil {
			t.Fatal(err)
		}
	}
	got := must(s.Launch(7, 0, 3, nil))(t)
	if fmt.Sprint(got) != fmt.Sprint([]uint64{41, secret, 41}) {
		t.Fatal(got)
	}
	if text := fmt.Sprintf("%v %+v", s, s.String()); strings.Contains(text, fmt.Sprint(secret)) {
		t.Fatal(text)
	}
	s.Forget(7)
	if got = must(s.Launch(7, 0, 3, got))(t); got[0]+got[1]+got[2] != 0 {
		t.Fatal(got)
	}
}

// A job under an update, told what Step says: some starts fail, some instances
// break, and others stop some as the SLA lets them.
type updated struct {
	rows   []sked.LifeInstance
	random *rand.Rand
	breaks float64
}

func (u *updated) carry(orders []sked.LifeOrder, now sked.Time) {
	for _, o := range orders {
		i := &u.rows[o.Row]
		switch o.Kind {
		case sked.LifeOrderAdd, sked.LifeOrderChange:
			if i.Version == o.Version && i.State == sked.LifeTaskRunning {
				continue
			}
			i.Desired, i.Version, i.Failures = o.Version, o.Version, 0
			i.State, i.Goal, i.Health, i.Since = sked.LifeTaskStarting, sked.LifeTaskRunning, sked.LifeHealthUnknown, now
		case sked.LifeOrderRemove:
			i.Desired, i.State, i.Goal, i.Since = 0, sked.LifeTaskDeleted, sked.LifeTaskDeleted, now
		}
	}
	for r := range u.rows {
		i := &u.rows[r]
		if i.State != sked.LifeTaskStarting && i.State != sked.LifeTaskFailed {
			continue
		}
		if u.random.Float64() < u.breaks {
			i.State, i.Health = sked.LifeTaskFailed, sked.LifeHealthUnknown
			i.Failures++
		} else if i.State == sked.LifeTaskStarting {
			i.State, i.Health = sked.LifeTaskRunning, sked.LifeHealthHealthy
		} else {
			i.State = sked.LifeTaskStarting
		}
	}
}

func (u *updated) available() (n int) {
	for r := range u.rows {
		if u.rows[r].Availability() == sked.LifeAvailabilityAvailable {
			n++
		}
	}
	return n
}

// What an update promises: it stops no available instance that the SLA needs, it
// ends, and where it goes back every instance has the version that it had. Half
// of them are saved and loaded between two steps, and tell the same.
func TestUpdatesKeepTheirPromises(t *testing.T) {
	ended := map[sked.LifeUpdateState]int{}
	for seed := int64(0); seed < 200; seed++ {
		random := rand.New(rand.NewSource(seed))
		n := 1 + random.Intn(40)
		in := &sked.LifeUpdateInput{From: make([]uint64, n), To: make([]uint64, n)}
		u := &updated{rows: make([]sked.LifeInstance, n), random: random, breaks: []float64{0, 0.2, 0.9}[seed%3]}
		for r := range u.rows {
			in.From[r], in.To[r] = 1, 2
			u.rows[r] = sked.LifeInstance{Version: 1, Desired: 1, State: sked.LifeTaskRunning, Goal: sked.LifeTaskRunning, Health: sked.LifeHealthHealthy}
		}
		most := 1 + random.Intn(n)
		opts := &sked.LifeUpdateOptions{Batch: uint32(random.Intn(n + 1)), MaxFailures: 1 + uint32(random.Intn(4)), MaxAttempts: 2,
			SLA: &sked.LifeSLA{Type: sked.LifeTypeStateless, MostUnavailable: uint32(most)}, Flags: sked.LifeUpdateFlagRollback}
		update := must(sked.NewLifeUpdate(in, opts, nil))(t)
		orders := make([]sked.LifeOrder, n)
		step := 0
		var s sked.LifeUpdateStats
		for ; ; step++ {
			if step > 50*n+1000 {
				t.Fatal(seed, "does not end:", s)
			}
			now := sked.Time(step) * sked.Time(time.Second)
			before := u.available()
			told := must(update.Step(u.rows, now, orders))(t)
			stopped := 0
			for _, o := range orders[:told] {
				i := &u.rows[o.Row]
				if i.Version != o.Version && i.Availability() == sked.LifeAvailabilityAvailable {
					stopped++
				}
			}
			if stopped > 0 && n-before+stopped > most {
				t.Fatalf("%d: %d of %d available are stopped, %d may be down", seed, stopped, before, most)
			}
			u.carry(orders[:told], now)
			if s = must(update.Stats())(t); s.At.State >= uint32(sked.LifeUpdateStateSucceeded) {
				break
			}
			if seed%2 == 0 {
				saved := must(update.Save(nil))(t)
				again := must(sked.LoadLifeUpdate(saved, nil))(t)
				if !bytes.Equal(must(again.Save(nil))(t), saved) {
					t.Fatal(seed, "is not what was saved")
				}
				update.Close()
				update = again
			}
		}
		state := sked.LifeUpdateState(s.At.State)
		ended[state]++
		for r, phase := range must(update.Phases(nil))(t) {
			i := &u.rows[r]
			if state == sked.LifeUpdateStateSucceeded && i.Version != 2 && sked.LifePhase(phase) != sked.LifePhaseFailed ||
				state == sked.LifeUpdateStateRolledBack && i.Version != 1 {
				t.Fatal(seed, s, r, sked.LifePhase(phase), i)
			}
		}
		update.Close()
	}
	if ended[sked.LifeUpdateStateSucceeded] < 50 || ended[sked.LifeUpdateStateRolledBack] < 20 {
		t.Fatal(ended)
	}
}

func TestUpdatesAreToldAndRefused(t *testing.T) {
	in := &sked.LifeUpdateInput{From: []uint64{1, 1}, To: []uint64{2, 2}}
	if _, err := sked.NewLifeUpdate(in, &sked.LifeUpdateOptions{SLA: &sked.LifeSLA{LeastRunning: 9}}, nil); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
	u := must(sked.NewLifeUpdate(in, &sked.LifeUpdateOptions{Flags: sked.LifeUpdateFlagPause}, nil))(t)
	defer u.Close()
	rows := make([]sked.LifeInstance, 2)
	for i := range rows {
		rows[i] = sked.LifeInstance{Version: 1, Desired: 1, State: sked.LifeTaskRunning, Goal: sked.LifeTaskRunning, Health: sked.LifeHealthHealthy}
	}
	orders := make([]sked.LifeOrder, 2)
	if n := must(u.Step(rows, 0, orders))(t); n != 0 {
		t.Fatal(n)
	}
	if s := must(u.Stats())(t); sked.LifeUpdateState(s.At.State) != sked.LifeUpdateStatePaused || s.Why != sked.LifeWhyTold {
		t.Fatal(s)
	}
	if err := u.Tell(sked.LifeEventResume); err != nil {
		t.Fatal(err)
	}
	if n := must(u.Step(rows, 0, orders[:1]))(t); n != 1 || orders[0].Kind != sked.LifeOrderChange {
		t.Fatal(n, orders)
	}
	if n := must(u.Step(rows, 0, orders))(t); n != 1 || orders[0].Row != 1 {
		t.Fatal("what did not fit comes next:", n, orders)
	}
	if _, err := u.Step(rows[:1], 0, orders); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
	if err := u.Tell(sked.LifeEventDrain); !errors.Is(err, sked.ErrRange) {
		t.Fatal(err)
	}
	saved := must(u.Save(nil))(t)
	saved[len(saved)/2] ^= 1
	if _, err := sked.LoadLifeUpdate(saved, nil); !errors.Is(err, sked.ErrCorrupt) {
		t.Fatal(err)
	}
	if same, err := sked.LifeOverwrite(sked.LifeWorkflowUpdate, sked.LifeUpdateStateRollingForward, sked.LifeWorkflowUpdate, true); err != nil || !same {
		t.Fatal(same, err)
	}
	if _, err := sked.LifeOverwrite(sked.LifeWorkflowRestart, sked.LifeUpdateStateRollingForward, sked.LifeWorkflowUpdate, false); !errors.Is(err, sked.ErrState) {
		t.Fatal(err)
	}
	if a := sked.LifeUpdateAction(sked.LifeUpdateStateRollingForward, 6, 6); a != sked.LifeActionComplete {
		t.Fatal(a)
	}
}

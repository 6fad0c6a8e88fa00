package vectors

import (
	"time"

	"example.org/sked/bindings/go/sked"
)

func (f fields) small(name string) uint32 { return uint32(f.number(name, 0)) }

// instance is nil where the field is empty.
func (f fields) instance(name string) *sked.LifeInstance {
	x := f.numbers(name)
	if len(x) != 12 {
		return nil
	}
	return &sked.LifeInstance{Version: uint64(x[0]), Desired: uint64(x[1]), Run: uint64(x[2]),
		DesiredRun: uint64(x[3]), Since: sked.Time(x[4]), State: sked.LifeTask(x[5]),
		Goal: sked.LifeTask(x[6]), Health: sked.LifeHealth(x[7]), Ended: sked.LifeEnded(x[8]),
		Failures: uint32(x[9]), Beside: sked.LifeBeside(x[10]), Told: uint32(x[11])}
}

func (f fields) job() *sked.LifeJobInput {
	in := &sked.LifeJobInput{Type: sked.LifeType(f.small("type")), State: sked.LifeJob(f.small("state")),
		Goal: sked.LifeJob(f.small("goal")), Instances: uint64(f.number("instances", 0)),
		Version: uint64(f.number("version", 0)), GoalVersion: uint64(f.number("goal_version", 0)),
		Controller: f.small("controller"), Created: f.small("created")}
	for i, n := range f.numbers("tasks") {
		in.Tasks[i] = uint64(n)
	}
	return in
}

func init() {
	lives := map[string]answer{
		"life_path": lifePath, "life_placing": lifePlacing,
		"life_write": func(f fields, rule string) int {
			err := f.instance("now").MayReplace(f.instance("next"))
			return f.judge("want", truth(err == nil), rule)
		},
		"life_task_action": func(f fields, rule string) int {
			return f.judge("want", one(int(okay(f.instance("instance").Action(nil)))), rule)
		},
		"life_job_state": func(f fields, rule string) int {
			return f.judge("want", one(int(okay(f.job().Next()))), rule)
		},
		"life_job_action": func(f fields, rule string) int {
			return f.judge("want", one(int(okay(f.job().Action()))), rule)
		},
		"life_backoff": func(f fields, rule string) int {
			got := sked.LifeBackoff(f.small("failures"), time.Duration(f.number("first", 0)),
				time.Duration(f.number("most", 0)))
			return f.judge("want", one(int(got)), rule)
		},
		"life_gang": func(f fields, rule string) int {
			sla := &sked.LifeSLA{Type: sked.LifeType(f.small("type")), Revocable: f.small("revocable"),
				LeastRunning: f.small("least")}
			return f.judge("want", one(int(sla.Gang(uint64(f.number("instances", 0))))), rule)
		},
		"life_available": func(f fields, rule string) int {
			return f.judge("want", one(int(f.instance("instance").Availability())), rule)
		},
		"life_update_action": func(f fields, rule string) int {
			got := sked.LifeUpdateAction(sked.LifeUpdateState(f.small("state")),
				uint64(f.number("processed", 0)), uint64(f.number("total", 0)))
			return f.judge("want", one(int(got)), rule)
		},
		"life_judge": func(f fields, rule string) int {
			got := f.instance("instance").Judge(uint64(f.number("target", 0)), f.small("attempts"))
			return f.judge("want", one(int(got)), rule)
		},
		"life_run": lifeRun, "life_batch": lifeBatch, "life_ops": lifeOps,
	}
	for name, call := range lives {
		calls[name] = call
	}
}

func lifePath(f fields, rule string) int {
	table, legal := sked.LifeTableOf(sked.LifeTableQueued), true
	path := f.given("path")
	for i := 1; i < len(path); i++ {
		_, err := table.Way(uint32(path[i-1]), uint32(path[i]))
		legal = legal && err == nil
	}
	return f.judge("want", truth(legal), rule)
}

func lifePlacing(f fields, rule string) int {
	o := &sked.LifePlacingOptions{Attempts: f.small("attempts"), Cycles: f.small("cycles"),
		Reserve: f.small("reserve"), Plain: f.small("plain"),
		Placing: time.Duration(f.number("placing", 0)), Backoff: time.Duration(f.number("backoff", 0))}
	tries := &sked.LifeTries{Attempt: f.small("attempt"), Cycle: f.small("cycle")}
	place := []func(sked.LifeTask, *sked.LifePlacingOptions, *sked.LifeTries) (sked.LifePlacingResult, error){
		sked.LifePlacingBegin, sked.LifePlacingTimeout, sked.LifePlacingReturn}[f.small("op")]
	var r sked.LifePlacingResult
	var got []int64
	for i := uint32(0); i < f.small("times"); i++ {
		var err error
		if r, err = place(sked.LifeTask(f.small("state")), o, tries); err != nil {
			got = append(got, -1, -1, -1, -1, -1)
			return f.judge("want", got[:5], rule)
		}
		got = append(got, int64(r.Timeout))
	}
	if f.small("op") == 0 {
		return f.judge("want", append(got, int64(tries.Attempt), int64(tries.Cycle)), rule)
	}
	return f.judge("want", []int64{int64(r.To), int64(r.Reserve), int64(r.CycleOver),
		int64(r.AllOver), int64(r.Backoff)}, rule)
}

// A fleet is an update's rows, and how their instances are.
type fleet struct {
	from, to []uint64
	is       []sked.LifeInstance
	update   *sked.LifeUpdate
}

func (r *fleet) add(n int64, from, to uint64) {
	for ; n > 0; n-- {
		r.from, r.to = append(r.from, from), append(r.to, to)
		i := sked.LifeInstance{Version: from, Desired: from, Goal: sked.LifeTaskRunning,
			Health: sked.LifeHealthHealthy}
		if from > 0 {
			i.State = sked.LifeTaskRunning
		}
		r.is = append(r.is, i)
	}
}

func (r *fleet) begin(batch, most uint32, rollback bool) {
	o := &sked.LifeUpdateOptions{Batch: batch, MaxFailures: most, MaxAttempts: 1}
	if rollback {
		o.Flags = sked.LifeUpdateFlagRollback
	}
	r.update = okay(sked.NewLifeUpdate(&sked.LifeUpdateInput{From: r.from, To: r.to}, o, nil))
}

func (r *fleet) step(most int) []sked.LifeOrder {
	orders := make([]sked.LifeOrder, most)
	return orders[:okay(r.update.Step(r.is, 0, orders))]
}

// report is of what was told last: some have failed, some are done.
func (r *fleet) report(version uint64, failed, done uint32) {
	for i := range r.is {
		at, x := uint32(i), &r.is[i]
		x.Version, x.Desired, x.State, x.Failures = version, version, sked.LifeTaskStarting, 0
		if at >= failed && at < failed+done {
			x.State = sked.LifeTaskRunning
		}
		if at < failed {
			x.Failures = 1
		}
	}
}

func lifeRun(f fields, rule string) int {
	var r fleet
	n, back := f.small("n"), f.small("back") > 0
	r.add(int64(n), 1, 2)
	r.begin(0, f.small("most"), back || f.small("rollback") > 0)
	defer r.update.Close()
	r.step(64)
	version := uint64(2)
	if back { // so many failures that it turned back
		r.report(2, n, 0)
		r.step(64)
		version = 1
	}
	r.report(version, f.small("failed"), f.small("done"))
	r.step(64)
	return f.judge("want", one(int(okay(r.update.Stats()).At.State)), rule)
}

func lifeBatch(f fields, rule string) int {
	var r fleet
	many, progress := f.given("rows"), int(f.small("progress"))
	r.add(int64(progress), 0, 2)
	r.add(many[0], 0, 2)
	r.add(many[1], 1, 2)
	r.add(many[2], 1, 0)
	r.begin(f.small("batch"), 0, false)
	defer r.update.Close()
	r.step(progress)
	got := make([]int64, len(r.is)-progress)
	for _, order := range r.step(64) {
		got[int(order.Row)-progress] = 1
	}
	return f.judge("want", got, rule)
}

// say tells an update one word; what is not legal leaves it as it is.
func say(op int64, at sked.LifeAt) sked.LifeAt {
	table := sked.LifeTableOf(sked.LifeTableUpdate)
	var event sked.LifeEvent
	cause := sked.LifeCauseUser
	switch {
	case op == 4 || op == 5:
		at = sked.LifeIn(sked.LifeUpdateStateInitialized)
		if op == 4 {
			return at
		}
		event = sked.LifeEventPause
	case op < 4:
		event = []sked.LifeEvent{0, sked.LifeEventPause, sked.LifeEventResume, sked.LifeEventAbort}[op]
	default:
		if at.State == uint32(sked.LifeUpdateStatePaused) {
			return at // what is paused stays so
		}
		edge, err := table.Way(at.State, uint32(op-16))
		if err != nil || edge == sked.LifeNone {
			return at // and what is over
		}
		event, cause = sked.LifeEvent(table.Edges[edge].Event), sked.LifeCauseJobs
	}
	step, err := table.Next(&at, uint32(event), cause)
	if err != nil {
		return at
	}
	return step.At
}

func lifeOps(f fields, rule string) int {
	at := sked.LifeAt{State: f.small("start"), Before: sked.LifeNone}
	for _, op := range f.given("ops") {
		at = say(op, at)
	}
	return f.judge("want", []int64{int64(at.State), int64(at.Before)}, rule)
}

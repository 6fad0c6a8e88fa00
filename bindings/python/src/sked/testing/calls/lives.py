"""Lives of tasks, jobs and updates: tables, placement, actions, steps."""

from __future__ import annotations

from typing import Any

from sked import Error, life

from .judging import Calls, Failed, Fields, given, judge, number

QUEUED = life.table("queued")
UPDATE = life.table("update")


def instance(f: Fields, name: str = "instance") -> life.Instance | None:
    said = given(f, name)
    return life.Instance(*said) if said else None


def there(f: Fields) -> life.Instance:
    found = instance(f)
    if found is None:
        raise Failed("there is no instance")
    return found


def one(f: Fields, got: Any, rule: str | None) -> int:
    return judge(f, "want", [int(got)], rule)


# ---- Tasks and jobs ----

def path(f: Fields, rule: str | None) -> int:
    states = given(f, "path")
    try:
        for here, there in zip(states, states[1:]):
            QUEUED.way(here, there)
    except Error:
        return one(f, False, rule)
    return one(f, True, rule)


def placing(f: Fields, rule: str | None) -> int:
    call = (life.placing_begin, life.placing_timeout,
            life.placing_return)[number(f, "op")]
    options = {"attempts": number(f, "attempts"),
               "cycles": number(f, "cycles"),
               "reserve": number(f, "reserve"), "plain": number(f, "plain"),
               "placing_ns": number(f, "placing"),
               "backoff_ns": number(f, "backoff")}
    tried = life.Tried(number(f, "attempt"), number(f, "cycle"))
    times = []
    try:
        for _ in range(number(f, "times")):
            tried = call(number(f, "state"), tried, options)
            times.append(tried.timeout_ns)
    except Error:
        return judge(f, "want", [-1] * 5, rule)
    if number(f, "op") == 0:
        return judge(f, "want", [*times, tried.attempt, tried.cycle], rule)
    return judge(f, "want", [tried.to, tried.reserve, tried.cycle_over,
                             tried.all_over, tried.backoff_ns], rule)


def write(f: Fields, rule: str | None) -> int:
    now, then = instance(f, "now"), instance(f, "next")
    if now is None or then is None:
        return one(f, False, rule)
    try:
        now.may_become(then)
    except Error:
        return one(f, False, rule)
    return one(f, True, rule)


def task_action(f: Fields, rule: str | None) -> int:
    return one(f, there(f).action(), rule)


def job_state(f: Fields, rule: str | None) -> int:
    return one(f, life.job_state(
        number(f, "type"), number(f, "state"), number(f, "instances"),
        dict(enumerate(given(f, "tasks"))), goal=number(f, "goal"),
        controller=number(f, "controller"),
        created=bool(number(f, "created"))), rule)


def job_action(f: Fields, rule: str | None) -> int:
    return one(f, life.job_action(
        number(f, "type"), number(f, "state"), number(f, "goal"),
        version=number(f, "version"),
        goal_version=number(f, "goal_version")), rule)


def backoff(f: Fields, rule: str | None) -> int:
    return one(f, life.backoff(number(f, "failures"), number(f, "first"),
                               number(f, "most")), rule)


def gang(f: Fields, rule: str | None) -> int:
    sla = life.Sla(type=number(f, "type"), revocable=number(f, "revocable"),
                   least_running=number(f, "least"))
    return one(f, life.gang(sla, number(f, "instances")), rule)


def available(f: Fields, rule: str | None) -> int:
    return one(f, there(f).availability, rule)


# ---- Updates ----

def update_action(f: Fields, rule: str | None) -> int:
    return one(f, life.update_action(number(f, "state"),
                                     number(f, "processed"),
                                     number(f, "total")), rule)


def judged(f: Fields, rule: str | None) -> int:
    return one(f, life.judge(there(f), number(f, "target"),
                             number(f, "attempts")), rule)


def reported(n: int, version: int, failed: int,
             done: int) -> list[life.Instance]:
    """So many have failed, so many are done, the rest is on its way."""
    return [life.Instance(
        version, version, health=life.Health.HEALTHY, failures=int(i < failed),
        state=life.Task.RUNNING if failed <= i < failed + done
        else life.Task.STARTING) for i in range(n)]


def run(f: Fields, rule: str | None) -> int:
    n, back = number(f, "n"), number(f, "back")
    flags = (life.With.ROLLBACK if back or number(f, "rollback")
             else life.With(0))
    with life.Update([1] * n, [2] * n, flags=flags, max_attempts=1,
                     max_failures=number(f, "most")) as update:
        update.step([life.Instance.running(1)] * n, 0)
        if back:  # so many failures that it turned back
            update.step(reported(n, 2, n, 0), 0)
        update.step(reported(n, 1 if back else 2, number(f, "failed"),
                             number(f, "done")), 0)
        return one(f, update.told.state, rule)


def batch(f: Fields, rule: str | None) -> int:
    added, changed, removed = given(f, "rows")
    before = number(f, "progress")
    start = [0] * (before + added) + [1] * (changed + removed)
    to = [2] * (before + added + changed) + [0] * removed
    rows = [life.Instance.running(v) if v else life.Instance() for v in start]
    got = [0] * (len(start) - before)
    with life.Update(start, to, batch=number(f, "batch")) as update:
        update.step(rows, 0, most=before)
        for order in update.step(rows, 0):
            got[order.row - before] = 1
    return judge(f, "want", got, rule)


def said(op: int, at: int, before: int) -> tuple[int, int]:
    """An update after a word to it; what is not legal changes nothing."""
    cause = life.Cause.USER
    if op in (4, 5):
        at, before = life.UpdateState.INITIALIZED, life.NONE
        if op == 4:
            return at, before
        event = int(life.On.PAUSE)
    elif op < 4:
        event = (life.On.PAUSE, life.On.RESUME, life.On.ABORT)[op - 1]
    else:
        try:
            edge = UPDATE.way(at, op - 16)
        except Error:
            return at, before
        if edge is None or at == life.UpdateState.PAUSED:
            return at, before  # what is paused stays so
        event, cause = edge.event, life.Cause.JOBS
    try:
        step = UPDATE.next(at, event, cause=cause, before=before)
    except Error:
        return at, before
    return step.state, step.before


def ops(f: Fields, rule: str | None) -> int:
    at, before = number(f, "start"), life.NONE
    for op in given(f, "ops"):
        at, before = said(op, at, before)
    return judge(f, "want", [at, before], rule)


CALLS: Calls = {
    "life_path": path, "life_placing": placing, "life_write": write,
    "life_task_action": task_action, "life_job_state": job_state,
    "life_job_action": job_action, "life_backoff": backoff,
    "life_gang": gang, "life_available": available,
    "life_update_action": update_action, "life_judge": judged,
    "life_run": run, "life_batch": batch, "life_ops": ops}

"""Cases of peloton.json about the lives of tasks, jobs and updates, as calls.
`exact` is worked out here where that is more than a look into a table."""

STATES = ("UNKNOWN", "INITIALIZED", "PENDING", "READY", "PLACING", "RESERVED",
          "PLACED", "LAUNCHING", "LAUNCHED", "STARTING", "RUNNING",
          "PREEMPTING", "KILLING", "SUCCEEDED", "FAILED", "KILLED", "LOST",
          "DELETED")
JOBS = ("UNINITIALIZED", "INITIALIZED", "PENDING", "RUNNING", "KILLING",
        "SUCCEEDED", "FAILED", "KILLED", "DELETED")
UPDATES = ("INVALID", "INITIALIZED", "ROLLING_FORWARD", "ROLLING_BACKWARD",
           "PAUSED", "SUCCEEDED", "FAILED", "ABORTED", "ROLLED_BACK")
TYPES = {"BATCH": 1, "SERVICE": 2, "STATELESS": 2, "STATEFUL": 3, "DAEMON": 4}
HEALTH = ("INVALID", "DISABLED", "HEALTHY", "UNHEALTHY")
ENDED = {"KILLED_HOST_MAINTENANCE": 1, "KILLED_FOR_UPDATE": 2, "FAILED": 3}
AVAILABLE = {"INVALID": 0, "DELETED": 0, "AVAILABLE": 1, "UNAVAILABLE": 2,
             "KILLED": 3}
ACTIONS = ("noop", "start", "stop", "launch_retry", "terminated_retry",
           "fail_retry", "executor_shutdown", "initialize", "delete", "reload",
           "invalid", "create_tasks", "start_tasks", "kill",
           "kill_and_untrack", "kill_and_delete", "untrack", "recover", "run",
           "complete", "clear", "write_progress")
SECOND = 10 ** 9
NONE = 2 ** 32 - 1
BEGIN, TIMEOUT, RETURN = range(3)


def state(name):
    return STATES.index(name or "UNKNOWN")


def instance(x, old=None):
    """Numbers of an instance; what is not said is as in `old`."""
    old = old or {}

    def said(name, missing=0):
        return x.get(name, old.get(name, missing))

    version = said("config_version", said("desired_version"))
    return [version, said("desired_version", version),
            said("run", said("desired_run")), said("desired_run", said("run")),
            0, state(said("state", "UNKNOWN")), state(said("goal", "UNKNOWN")),
            HEALTH.index(said("health", "INVALID")),
            ENDED.get(x["termination"], 4) if x.get("termination") else 0,
            said("failure_count"), 0, 0]


# ---- Tasks at the resource manager ----

def rm_task_path(case):
    """Each state is asked for from the one before."""
    table, path = case["tables"]["rm_task_transitions"], case["in"]
    legal = all(a == b or b in table[a] for a, b in zip(path, path[1:]))
    yield "life_path", None, {"path": [state(s) for s in path],
                              "want": case["expect"]["legal"], "exact": legal}


def placing(op, x, want, exact, **more):
    """Back-off counts unless it is said not to."""
    fields = {"op": op, "state": state(x.get("from", x.get("state", "PLACING"))),
              "reserve": x.get("host_reservation_enabled", False),
              "plain": not x.get("backoff_enabled", True),
              "attempts": x.get("attempts_per_cycle", 3),
              "cycles": x.get("cycles", 3),
              "placing": x.get("placing_timeout_s", 600) * SECOND,
              "backoff": x.get("backoff_s", 300) * SECOND,
              "attempt": x.get("attempt_count", 0),
              "cycle": x.get("retry_count", 0), "times": 1}
    return "life_placing", None, dict(fields, want=want, exact=exact, **more)


def tries(x):
    """Is the cycle over, are all; what the back-off is."""
    attempt, per = x.get("attempt_count", 0), x.get("attempts_per_cycle", 3)
    n, most = x.get("retry_count", 0) * per + attempt, x.get("cycles", 3) * per
    over = per > 0 and attempt > 0 and attempt % per == 0
    back = attempt % per * x.get("backoff_s", 300) * SECOND if per else 0
    return over, most > 0 and n > 0 and n % most == 0, back


def answer(x, to, reserve=0, back=None):
    over, everything, own = tries(x)
    return [to, reserve, int(over), int(everything),
            own if back is None else back]


def placement_backoff(case):
    x = dict(case["in"], state="READY")
    exact = answer(x, state("READY"))
    want = exact[:4] + [case["expect"] * SECOND]
    yield placing(RETURN, x, want, exact)


def placement_cycle_done(case):
    x = dict(case["in"], state="READY")
    exact = answer(x, state("READY"))
    want = ["?", "?", case["expect"], "?", "?"]
    yield placing(RETURN, x, want, exact)


def placement_all_cycles_done(case):
    x = dict(case["in"], state="READY")
    exact = answer(x, state("READY"))
    want = ["?", "?", "?", case["expect"], "?"]
    yield placing(RETURN, x, want, exact)


def after_timeout(x):
    over, everything, _ = tries(x)
    plain = not x.get("backoff_enabled", True)
    reserve = not plain and x.get("host_reservation_enabled",
                                  False) and everything
    to = "READY" if plain or reserve or not over else "PENDING"
    return answer(x, state(to), int(reserve))


def placing_timeout_target(case):
    x, given = case["in"], case["expect"]
    want = [state(given["to"]), given.get("ready_for_host_reservation", "?"),
            "?", "?", "?"]
    yield placing(TIMEOUT, x, want, after_timeout(x))


def task_timeout(case):
    x, given = case["in"], case["expect"]
    others = {"LAUNCHING": "READY", "RESERVED": "PENDING",
              "PREEMPTING": "RUNNING"}
    if x["from"] == "PLACING":
        exact = after_timeout(x)
    elif x["from"] in others:
        exact = answer(x, state(others[x["from"]]))
        if x["from"] == "RESERVED":  # all begins anew
            exact[2:] = [0, 0, 0]
    else:
        exact = [-1] * 5
    known = isinstance(given, str) and given in STATES
    yield placing(TIMEOUT, x, [state(given) if known else -1] + ["?"] * 4,
                  exact)


def requeue_unplaced(case):
    x, given = dict(case["in"]), case["expect"]
    x["attempt_count"] = 3 if x.get("cycle_done") else 1
    here = x["state"]
    if here == "PLACING":
        to = state("PENDING" if x.get("cycle_done") else "READY")
    else:
        to = state(here) if here in ("READY", "PENDING") else -1
    want = (to if given == "noop" and to == state(here) else
            state(given) if given in STATES else -1)
    exact = answer(x, to) if to >= 0 else [-1] * 5
    yield placing(RETURN, x, [want] + ["?"] * 4, exact)


def placement_timeout_sequence(case):
    """One attempt after the other: time-outs, then attempt and cycle."""
    x, given = case["in"], case["expect"]
    attempt = cycle = 0
    exact = []
    for _ in range(x["dequeues"]):
        per = x["attempts_per_cycle"]
        more = attempt % per * x["backoff_s"] if per else 0
        exact.append((x["placing_timeout_s"] + more) * SECOND)
        if attempt < per:
            attempt += 1
        else:
            attempt, cycle = 1, cycle + 1
    final = given["final"]
    want = [round(t * SECOND) for t in given["timeouts_s"]] + [
        final["attempt_count"], final["retry_count"]]
    _, _, fields = placing(BEGIN, x, want, exact + [attempt, cycle])
    yield "life_placing", None, dict(fields, times=x["dequeues"])


# ---- Tasks and jobs at the job manager ----

def task_state_allowed(case):
    now, new = case["in"]["current"], case["in"]["new"]
    yield "life_write", None, {
        "now": instance(now), "next": instance(new, now) if new is not None
        else [], "want": case["expect"]}


def task_action(case):
    yield "life_task_action", None, {
        "instance": instance(case["in"]),
        "want": ACTIONS.index(case["expect"])}


def counts(x):
    found = [0] * len(STATES)
    for name, n in x.get("task_counts", {}).items():
        found[state(name)] += n
    return found


def job(case, call, want):
    x = case["in"]
    yield call, None, {
        "type": TYPES[x.get("type", "BATCH")],
        "state": JOBS.index(x.get("current", x.get("state"))),
        "goal": JOBS.index(x.get("goal", "UNINITIALIZED")),
        "instances": x.get("instance_count", 0), "tasks": counts(x),
        "version": x.get("state_version", 0),
        "goal_version": x.get("goal_version", 0),
        "controller": state(x.get("controller")),
        "created": int(bool(x.get("created", False))), "want": want}


def job_state(case):
    yield from job(case, "life_job_state", JOBS.index(case["expect"]))


def job_action(case):
    yield from job(case, "life_job_action", ACTIONS.index(case["expect"]))


def restart_backoff(case):
    x = case["in"]
    n, first, most = x["failure_count"], x["initial_s"], x["max_s"]
    exact = min(most, first << min(n - 1, 64)) if n else 0
    yield "life_backoff", None, {
        "failures": n, "first": first * SECOND, "most": most * SECOND,
        "want": round(case["expect"] * SECOND), "exact": exact * SECOND}


def form_gangs(case):
    """Who stands first, together; all others alone."""
    x, n = case["in"], case["in"]["instances"]
    size = len(case["expect"][0]) if case["expect"] else 0
    whole = [list(range(size))] + [[i] for i in range(size, n)]
    if case["expect"] != (whole if n else []):
        yield "unreadable", None, {"error": "gangs of another form"}
        return
    yield "life_gang", None, {
        "type": TYPES[x["job_type"]], "least": x["min_running"],
        "instances": n, "revocable": x["revocable"], "want": size}


def instance_availability(case):
    yield "life_available", None, {"instance": instance(case["in"]),
                                   "want": AVAILABLE[case["expect"]]}


# ---- Updates ----

def update_action(case):
    x = case["in"]
    yield "life_update_action", None, {
        "state": UPDATES.index(x["state"]), "processed": x.get("processed", 0),
        "total": x.get("total", 0), "want": ACTIONS.index(case["expect"])}


DONE, TOLD, FAILED = 6, 2, 7


def update_instance(case):
    given = case["expect"]
    want = DONE if given["complete"] else TOLD if given["in_progress"] else \
        FAILED
    yield "life_judge", None, {
        "instance": instance(case["in"]), "want": want,
        "target": case["in"]["target_version"],
        "attempts": case["in"].get("max_attempts", 0)}


def update_instance_failed(case):
    """One that does not come up."""
    x = case["in"]
    row = {"state": "STARTING", "goal": "RUNNING", "config_version": 2,
           "desired_version": 2, "failure_count": x["failure_count"]}
    yield "life_judge", None, {
        "instance": instance(row), "target": 2, "attempts": x["max_attempts"],
        "want": FAILED if case["expect"] else TOLD}


def update_run(case):
    """Some of all that were told have failed."""
    x = case["in"]
    failed, most = x["failed_now"], x["max_failure_instances"]
    done = x.get("done_now", 0)
    total = max(x.get("total", 0), failed + done)
    back = x["state"] == "ROLLING_BACKWARD"
    if back and not most and failed == total:
        yield "-", "lacks:updates-that-cannot-be", {}
        return
    exact = x["state"]
    if most and failed >= most:
        exact = ("ROLLING_BACKWARD" if x["rollback_on_failure"] and not back
                 else "FAILED")
    elif failed + done >= total:
        exact = "ROLLED_BACK" if back else "SUCCEEDED"
    yield "life_run", None, {
        "n": total, "failed": failed, "done": done,
        "most": most or total * back,  # it turned back when so many failed
        "rollback": x["rollback_on_failure"], "back": back,
        "want": UPDATES.index(case["expect"]["state"]),
        "exact": UPDATES.index(exact)}


def update_batch(case):
    """Which rows are told: added ones, changed ones, removed ones."""
    x, given = case["in"], case["expect"]
    lists = [x["to_add"], x["to_update"], x["to_remove"]]
    wanted = [given["add"], given["update"], given["remove"]]
    slots = x["batch_size"] - x["in_progress"] if x["batch_size"] else 10 ** 9
    exact = []
    for rows in lists:
        exact += [int(i < slots) for i in range(len(rows))]
        slots = max(slots - len(rows), 0)
    want = [int(i in chosen) for rows, chosen in zip(lists, wanted)
            for i in rows]
    if sum(map(len, wanted)) != sum(want):
        yield "unreadable", None, {"error": "instances that are not there"}
        return
    yield "life_batch", None, {
        "rows": [len(rows) for rows in lists], "batch": x["batch_size"],
        "progress": x["in_progress"], "want": want, "exact": exact}


OPS = {"pause": 1, "resume": 2, "abort": 3, "create": 4,
       "create(start_paused)": 5}


def update_ops(case):
    """Words one after the other, and progress that is written."""
    x, given = case["in"], case["expect"]
    ops = [16 + UPDATES.index(op.partition(":")[2])
           if op.startswith("progress:") else OPS[op] for op in x["ops"]]
    prev = given.get("prev")
    yield "life_ops", None, {
        "start": UPDATES.index(x["start"] or "INVALID"), "ops": ops,
        "want": [UPDATES.index(given["state"]),
                 "?" if prev is None else UPDATES.index(prev)]}


CALLS = {f.__name__: f for f in (
    rm_task_path, placement_backoff, placement_cycle_done,
    placement_all_cycles_done, placing_timeout_target, task_timeout,
    requeue_unplaced, placement_timeout_sequence, task_state_allowed,
    task_action, job_state, job_action, restart_backoff, form_gangs,
    instance_availability, update_action, update_instance,
    update_instance_failed, update_run, update_batch, update_ops)}

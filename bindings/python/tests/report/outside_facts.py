"""The facts of `report --json`, computed anew: from the file, from the decision
log of `replay`, and by the words of docs/report.md; with nothing of the
package. `check` says what differs."""

import json
import math
import os
import random
import subprocess
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import outside_growth
from outside_read import (
    KINDS, SCALE, SECOND, Nodes, Queue, enough, invented, lengths, pool_of,
    read_csv, read_log, read_swf, read_tree, total, waits_of)
from outside_walk import CAUSES, Walk

TARGET = 600 * SECOND
DAY = 86_400 * SECOND
PARTS = {"p50": "0.5", "p80": "0.8", "p90": "0.9", "p95": "0.95",
         "p99": "0.99", "p100": "1"}
SIZES = ("3/4", "9/10", "5/4", "3/2", "2")


def nearest(values, part):
    """A percentile by nearest rank; -1 of nothing."""
    rows = sorted(values)
    rank = math.ceil(Fraction(part) * len(rows))
    return rows[max(0, rank - 1)] if rows else -1


def late(wait):
    """Did it start after the target, or never?"""
    return wait > TARGET or wait < 0


@dataclass
class Case:
    """A workload, and how it is run: a tree as text and nodes, or what the
    file alone gives."""

    path: str
    folder: str
    tree: str = ""
    nodes: list = field(default_factory=list)
    wrong: list = field(default_factory=list)
    known: dict = field(default_factory=dict)

    def __post_init__(self):
        with open(self.path, encoding="utf-8") as file:
            self.work = read_swf(file) if self.path.endswith(".swf") \
                else read_csv(file)
        self.jobs = self.work.jobs
        self.queues, self.root = read_tree(self.tree) if self.tree else (
            [Queue(name) for name in self.work.queues], "root")
        self.source = ["told"] * 3
        self.gang = False
        if not self.nodes and self.work.recorded:
            self.nodes, self.source = pool_of(self.work)
            self.gang = True
        elif not self.nodes:
            self.nodes, self.source = invented(self.work)
        self.has = total(self.nodes)

    # ---- replays ----

    def words(self, nodes=None, tree=None):
        """How `replay` is told of it."""
        said = [self.path, "--quiet"] + ["--gang"] * self.gang
        for one in nodes or self.nodes:
            said += ["--nodes", one.spec]
        tree = tree or self.tree
        if tree:
            path = os.path.join(self.folder, "tree.txt")
            with open(path, "w", encoding="utf-8") as file:
                file.write(tree)
            said += ["--tree", path]
        return said

    def replay(self, *words, **how):
        """A replay's waits, ends and log; with a multiplier what it says of
        waits. Each is run once."""
        said = (*self.words(**how), *words)
        tree = how.get("tree")
        if (said, tree) not in self.known:
            self.known[said, tree] = self.run(said, "--multiplier" in words)
        return self.known[said, tree]

    def run(self, words, shortly):
        """The same, anew."""
        log, data = (os.path.join(self.folder, name)
                     for name in ("log.csv", "run.json"))
        out = ["--json", data] if shortly else ["--decisions", log]
        subprocess.run([sys.executable, "-m", "sked", "replay", *words, *out],
                       check=True)
        if shortly:
            with open(data, encoding="utf-8") as file:
                return json.load(file)["delay_s"]
        with open(log, encoding="utf-8", newline="") as file:
            rows = read_log(file, self.jobs)
        return (*waits_of(self.jobs, rows), rows)

    @cached_property
    def walk(self):
        """What queues were doing between any two events."""
        return Walk(self.jobs, self.queues, self.nodes,
                    self.gang).go(self.replay()[2])

    # ---- what is compared ----

    def same(self, where, said, found):
        """Are they equal, but for the last bits of a fraction?"""
        if isinstance(found, (Fraction, float)) and said is not None:
            if not math.isclose(said, found, rel_tol=1e-9, abs_tol=1e-12):
                self.wrong.append((where, said, float(found)))
        elif said != found:
            self.wrong.append((where, said, found))

    def seconds(self, where, said, ns):
        """Is that so many seconds?"""
        self.same(where, said, None if ns < 0 else Fraction(ns, SECOND))


def check(case, facts):
    """What is not so in the facts: where, what they say, and what was
    found."""
    case.wrong.clear()
    waits, ends, log = case.replay()
    walk = case.walk
    recorded = [max(0, j.start - j.submit) for j in case.jobs] \
        if case.work.recorded else None
    kind = main_kind(case)
    check_inputs(case, facts["inputs"], kind)
    check_waits(case, facts["waits"], waits, recorded, walk)
    check_delivered(case, facts["delivered"], waits, recorded)
    check_stretches(case, facts["below_share"], walk)
    check_shortfall(case, facts["shortfall"], walk)
    outside_growth.check(case, facts["growth"], waits, TARGET / SECOND,
                         nearest)
    check_window(case, facts["inputs"]["window"])
    check_tiles(case, facts, recorded or waits, walk, kind)
    check_sizes(case, facts["sizes"], waits)
    check_removal(case, facts["removal"], log, kind)
    outside_growth.check_dates(case, facts, kind)
    check_needs(case, facts["needs"], log, kind)
    check_advice(case, facts, waits, ends)
    return case.wrong


def main_kind(case):
    """The kind of which jobs need the greatest part."""
    work = [Fraction(sum(j.amount[k] * j.tasks * j.run for j in case.jobs),
                     case.has[k]) if case.has[k] else Fraction(-1)
            for k in range(3)]
    return work.index(max(work))


def check_inputs(case, said, kind):
    """Jobs, what is left out, what the cluster has."""
    case.same("jobs", said["jobs"], len(case.jobs))
    case.same("skipped", said["skipped"], case.work.skipped)
    case.same("records", said["records"],
              len(case.jobs) + sum(case.work.skipped.values()))
    case.same("tree", said["tree"],
              "told" if case.tree else "one leaf a queue")
    case.same("kind", said["kind"], KINDS[kind])
    case.same("nodes", said["nodes"], sum(n.count for n in case.nodes))
    for k, name in enumerate(KINDS):
        one = said["capacity"][name]
        case.same(f"{name} source", one["source"], case.source[k])
        case.same(f"{name} there is", one["amount"],
                  Fraction(case.has[k], SCALE[k]))


@dataclass
class Kept:
    """From when to when use is measured; `cut`: the file holds only the jobs
    that ended from `begin` on."""

    begin: int
    end: int
    cut: bool


def window(case):
    """The time that a file covers. Each user who started something before the
    first end: the part of all jobs that run at least as long as the one of
    theirs that had the least time; the product of these."""
    if not case.work.recorded:
        return None
    jobs = case.jobs
    begin, first = min(j.start for j in jobs), min(j.end for j in jobs)
    last = max(j.end for j in jobs)
    users = {}
    for job in jobs:
        if job.start < first:
            users.setdefault(job.user, []).append(first - job.start)
    runs = [j.end - j.start for j in jobs]
    chance = sum(math.log(sum(r >= min(mine) for r in runs) / len(runs))
                 for mine in users.values())
    cut = first - begin > (last - begin) / 100 and chance < math.log(1e-5)
    begin = first if cut else begin
    end = jobs[-1].submit
    return Kept(begin, end if end > begin else max(last, begin + 1), cut)


def check_window(case, said):
    """When use is measured."""
    found = window(case)
    case.same("window", said is None, found is None)
    if found is not None:
        case.seconds("window from", said["from_s"], found.begin)
        case.seconds("window to", said["to_s"], found.end)
        case.same("window cut", said["cut"], found.cut)


def check_delivered(case, said, waits, recorded):
    """Hours of jobs that started, by queue; and how many times longer than
    its run a job took, a run of 10 s at least."""
    aside = case.work.aside if recorded else []
    rows = [(j, (recorded or waits)[i],
             j.end - j.start if recorded else j.run)
            for i, j in enumerate(case.jobs)]
    rows += [(j, j.start - j.submit, 0) for j in aside]
    case.same("queues that were served", set(said),
              {"all", *(f"root.{j.queue}" for j, _, _ in rows)})
    for path, one in said.items():
        mine = [(j, wait, run) for j, wait, run in rows
                if path in ("all", f"root.{j.queue}")]
        case.same(f"jobs of {path}", one["jobs"], len(mine))
        for k, kind in enumerate(KINDS):
            unit = 1 << 30 if kind == "memory" else SCALE[k]
            work = sum(j.amount[k] * j.tasks * run for j, wait, run in mine
                       if wait >= 0)
            case.same(f"{kind} hours of {path}", one["hours"][kind],
                      Fraction(work, 3600 * SECOND * unit))
        slow = [max(Fraction(1), Fraction(wait + run, max(run, 10 * SECOND)))
                for _, wait, run in mine if wait >= 0]
        if slow:
            case.same(f"slowdown of {path}", one["slowdown_p95"],
                      nearest(slow, "0.95"))
            case.same(f"mean slowdown of {path}", one["slowdown_mean"],
                      sum(slow) / len(slow))
        case.same(f"late in {path}", one["late"],
                  sum(late(wait) for _, wait, _ in mine))


def check_waits(case, said, waits, recorded, walk):
    """Percentiles by queue, and causes."""
    aside = case.work.aside if recorded else []
    case.same("queues that wait", len(said),
              len({job.queue for job in [*case.jobs, *aside]}))
    for q, queue in enumerate(case.queues):
        rows = [i for i, job in enumerate(case.jobs)
                if job.queue == queue.name]
        one = said.get(f"root.{queue.name}")
        if not rows or one is None:
            case.same(queue.name, one, None)
            continue
        left = [j.start - j.submit for j in aside if j.queue == queue.name]
        case.same(f"jobs of {queue.name}", one["jobs"], len(rows) + len(left))
        for name, of in (("simulated", waits), ("recorded", recorded)):
            if of is None:
                case.same(name, one[name], None)
                continue
            mine = [of[i] for i in rows] + left * (name == "recorded")
            for p in ("p50", "p95", "p99"):
                case.seconds(f"{name} {p} of {queue.name}", one[name][p + "_s"],
                             nearest([w for w in mine if w >= 0], PARTS[p]))
            case.same(f"{name} late of {queue.name}", one[name]["late"],
                      sum(map(late, mine)))
        whole = sum(walk.causes[q])
        found = {c: Fraction(t, whole) for c, t in zip(
            CAUSES, walk.causes[q])} if whole else {}
        case.same(f"causes of {queue.name}", sorted(one["causes"]),
                  sorted(found))
        for name, part in found.items():
            case.same(f"{name} of {queue.name}", one["causes"].get(name), part)


def check_stretches(case, said, walk):
    """Each one, from its first nanosecond to its last."""
    case.same("stretches", len(said), len(walk.stretches))
    for one, (queue, begin, end, k, lack, most) in zip(said, walk.stretches):
        where = f"{queue} from {begin}"
        case.same(where, one["queue"], f"root.{queue}")
        case.seconds(f"{where}: from", one["from_s"], begin)
        case.seconds(f"{where}: for", one["for_s"], end - begin)
        case.same(f"{where}: kind", one["kind"], KINDS[k])
        case.same(f"{where}: lack", one["lack"], Fraction(lack, SCALE[k]))
        case.same(f"{where}: most over", one["most_over"],
                  most and f"root.{most}")


def check_shortfall(case, said, walk):
    """How long below a share, and how long of that it was free in pieces."""
    for queue, found in zip(case.queues, walk.shortfall):
        one = said.get(f"root.{queue.name}", {"below_s": 0, "in_pieces_s": 0})
        for name, ns in zip(("below_s", "in_pieces_s"), found):
            case.seconds(f"{queue.name} {name}", one[name], ns)


def check_tiles(case, facts, waits, walk, kind):
    """The numbers at the top."""
    tiles = {t["label"]: t["value"] for t in facts["tiles"]}
    aside = case.work.aside if case.work.recorded else []
    waits = waits + [j.start - j.submit for j in aside]
    done = [w for w in waits if w >= 0]
    case.same("tile late", tiles.pop("late"), sum(map(late, waits)))
    case.seconds("tile p95", tiles.pop("p95"),
                 nearest(done, "0.95"))
    case.same("tile below share", tiles.pop("below share"),
              len({s[0] for s in walk.stretches}))
    case.same("tile growth", tiles.pop("growth"), facts["growth"]["limit"])
    case.same("tile in use", tiles.pop("in use"), in_use(case, walk, kind))
    for label, part in users(case, waits).items():
        case.same(f"tile {label}", tiles.pop(label, None), part)
    case.same("other tiles", tiles, {})


def in_use(case, walk, kind):
    """The part of what there is that was held, as recorded, or in the replay
    while jobs came."""
    if not case.work.recorded:
        span = case.jobs[-1].submit - case.jobs[0].submit
        return Fraction(sum(h[kind] for h in walk.held),
                        span * case.has[kind])
    kept = window(case)
    begin, end = kept.begin, kept.end
    return Fraction(sum(
        j.amount[kind] * j.tasks * max(0, min(j.end, end) -
                                       max(j.start, begin))
        for j in case.jobs), (end - begin) * case.has[kind])


def users(case, waits):
    """By tier, the part of users in a queue of whose jobs 9 in 10 start in
    time; of queues, where no job has a user."""
    votes, counts = {}, {}
    aside = case.work.aside if case.work.recorded else []
    for job, wait in zip([*case.jobs, *aside], waits):
        mine = votes.setdefault(job.queue, {})
        if job.tier:
            mine[job.tier] = mine.get(job.tier, 0) + 1
        row = counts.setdefault((job.queue, job.user), [0, 0])
        row[0] += 1
        row[1] += not late(wait)
    told = {q.name: q.tier for q in case.queues}
    tier = {q: max(mine, key=lambda t: (mine[t], -t)) if mine else
            told.get(q) or 1 for q, mine in votes.items()}
    known = sorted(set(tier.values()))
    made = {}
    named = any(j.user != "default" for j in case.jobs)
    if not named and len(counts) < 2:
        return made
    for at, number in enumerate(known, 1):
        rows = [c for (q, _), c in counts.items() if tier[q] == number]
        made[f"{'users' if named else 'queues'} {at}"] = Fraction(
            sum(10 * met >= 9 * n for n, met in rows), len(rows))
    return made


def check_sizes(case, said, waits):
    """Every other size by a replay of its own."""
    for one in said:
        if one["size"] == 1:
            found, nodes = waits, sum(n.count for n in case.nodes)
        else:
            made = next(m for m in map(lambda s: sized(case, Fraction(s)),
                                       SIZES) if fits(case, m, one))
            found, nodes = case.replay(nodes=made)[0], one["nodes"]
        case.same(f"nodes at {one['size']}", one["nodes"], nodes)
        case.same(f"late at {one['size']}", one["late"], sum(map(late, found)))
        case.seconds(f"p95 at {one['size']}", one["p95_s"],
                     nearest([w for w in found if w >= 0], "0.95"))


def sized(case, size):
    """So many times the nodes, rounded up, or of the one pool."""
    if sum(n.count for n in case.nodes) == 1:
        return [Nodes(1, tuple(int(a * size) for a in n.amount), n.part)
                for n in case.nodes]
    return [Nodes(math.ceil(n.count * size), n.amount, n.part)
            for n in case.nodes]


def fits(case, made, one):
    """Is it the size that the facts say?"""
    count = sum(n.count for n in made)
    if count > 1:
        return count == one["nodes"]
    return made[0].amount[0] == int(case.nodes[0].amount[0] *
                                    Fraction(str(one["size"])))


def check_removal(case, said, log, kind):
    """A tenth of the nodes, those that would be empty first, at 48 instants:
    until when they are drained, and what dies with them."""
    count = sum(n.count for n in case.nodes)
    if count < 10:
        case.same("removal", said, None)
        return
    tasks = [(node, time, time + case.jobs[row].run, n,
              n * case.jobs[row].amount[kind])
             for time, what, row, n, node in log if what == "allocate"]
    first, last = case.jobs[0].submit, case.jobs[-1].submit
    drains, sums = [], [0, 0, 0]
    for i in range(1, 49):
        at = first + (last - first) * i // 49
        on = [t for t in tasks if t[1] <= at < t[2]]
        end = [at] * count
        for node, _, until, _, _ in on:
            end[node] = max(end[node], until)
        gone = sorted(range(count), key=lambda n: (end[n], n))[:count // 10]
        drains.append(end[gone[-1]] - at)
        gone = set(gone)
        mine = [t for t in on if t[0] in gone]
        for k, more in enumerate((sum(end[n] - at for n in gone),
                                  sum(t[3] for t in mine),
                                  sum(t[4] * (at - t[1]) for t in mine))):
            sums[k] += more
    drains.sort()
    case.same("nodes away", said["nodes"], count // 10)
    case.seconds("drained at half", said["drain_p50_s"], drains[24])
    case.seconds("drained at 19 of 20", said["drain_p95_s"],
                 nearest(drains, "0.95"))
    case.same("kept", said["kept_node_s"], Fraction(sums[0], 48 * SECOND))
    case.same("killed", said["killed_tasks"], Fraction(sums[1], 48))
    case.same("lost", said["lost_s"],
              Fraction(sums[2], 48 * SCALE[kind] * SECOND))


def check_needs(case, said, log, kind):
    """What is enough for a part of the time in which a queue holds
    something."""
    steps = {}

    def held(queue, at, amount):
        if amount:
            mine = steps.setdefault(queue, {})
            mine[at] = mine.get(at, 0) + amount

    kept = window(case)
    low, high = (kept.begin, kept.end) if kept and kept.cut else (0, 1 << 62)
    for job in case.jobs if case.work.recorded else ():
        start, end = max(job.start, low), min(job.end, high)
        if end > start:
            held(job.queue, start, job.amount[kind] * job.tasks)
            held(job.queue, end, -job.amount[kind] * job.tasks)
    for time, what, row, count, _ in () if case.work.recorded else log:
        sign = {"allocate": 1, "reject": 0}.get(what, -1)
        held(case.jobs[row].queue, time,
             sign * count * case.jobs[row].amount[kind])
    case.same("queues in use", sorted(n["queue"] for n in said),
              sorted(f"root.{q}" for q in steps))
    for one in said:
        units = lengths(steps[one["queue"][5:]])
        whole = sum(units.values())
        case.seconds(f"{one['queue']} in use", one["in_use_s"], whole)
        for name, part in PARTS.items():
            case.same(f"{one['queue']} {name}", one[name],
                      Fraction(enough(units, whole, Fraction(part)),
                               SCALE[kind]))


# ---- advice ----


def check_advice(case, facts, waits, ends):
    """What is advised, replayed; or why nothing is."""
    advice = facts["advice"]
    if advice is None:
        case.same("why nothing", bool(facts["kept_because"]), True)
        for proof in facts["proofs"]:
            case.same("a proof that was advised", proof["advised"], False)
        return
    proved, words = advice["proved"], []
    changes = {}
    for change in advice["changes"]:
        if change["queue"] is None:
            words += ["--preempt", change["after"]]
        else:
            changes.setdefault(change["queue"], {})[change["setting"]] = \
                change["after"]
    after, done, _ = case.replay(*words, tree=changed(case, changes))
    first, last = case.jobs[0].submit, case.jobs[-1].submit
    kept = window(case)
    if kept and kept.cut:
        first = kept.begin
    split = first + math.floor((last - first) * Fraction(6, 10))
    lates = [j.submit for j, wait in zip(case.jobs, waits) if late(wait)]
    if 5 * sum(at < split for at in lates) < len(lates):
        split = round(proved["from_s"] * SECOND)
        case.same("late jobs that the search saw", True, 5 * sum(
            at < split for at in lates) >= len(lates))
    rest = [i for i, job in enumerate(case.jobs) if job.submit >= split]
    case.seconds("proved from", proved["from_s"], split)
    case.same("proved on", proved["jobs"], len(rest))
    for name, of in (("before", waits), ("after", after)):
        case.same(f"late {name}", proved[f"late_{name}"],
                  sum(late(of[i]) for i in rest))
        case.same(f"all {name}", proved[f"all_{name}"], sum(map(late, of)))
    for name, of in (("before", ends), ("after", done)):
        seen = [of[i] - case.jobs[i].submit for i in rest if of[i] >= 0]
        if abs(proved[f"mean_end_{name}_s"] * SECOND -
               sum(seen) / len(seen)) > 1000:
            case.wrong.append((f"mean end {name}", seen))
    check_sure(case, proved, [(case.jobs[i].submit, late(waits[i]) -
                               late(after[i])) for i in rest])


def check_sure(case, proved, gains):
    """Draws of days of its own say nearly the same."""
    begin, span = gains[0][0], gains[-1][0] - gains[0][0] + 1
    each = DAY if span >= 5 * DAY else -(-span // 12)
    days = [0] * (span // each + 1)
    for at, gain in gains:
        days[(at - begin) // each] += gain
    draw = random.Random(97)
    won = sum(sum(draw.choices(days, k=len(days))) > 0
              for _ in range(2000)) / 2000
    if abs(won - proved["sure"]) > 0.04:
        case.wrong.append(("sure", proved["sure"], won))


def changed(case, changes):
    """The tree with other settings, as text."""
    def line(path, said):
        words = {**said, **changes.get(path, {})}
        return " ".join([escaped(path), *(f"{k}={v}" for k, v in
                                          words.items())])

    root = dict(w.split("=", 1) for w in case.root.split()[1:])
    return "\n".join([
        "kinds cpu=m memory=B gpu=m", line("root", root),
        *(line(f"root.{q.name}", q.words) for q in case.queues), ""])


def escaped(path):
    """A path of the text form; names here have no dots or blanks."""
    assert not set(path.removeprefix("root.")) & set(". \"'\\")
    return path

#!/usr/bin/env python3
"""Proves a replay from its outside.

    check_replay.py --replay PROGRAM [WORKLOAD] [any option of replay]
    check_replay.py --json FILE --decisions FILE WORKLOAD [options as replayed]

Reads the workload, the tree and the nodes by itself (nothing of the library is
used), then goes through the decision log once, row by row, holding books of its
own. What it proves of every run:

  tasks      every task of every job that was not rejected started once, ended
             once, on the node where it started, exactly its run time later
  order      sequence numbers without gaps, times that never run back, nothing
             before its submission or its admission
  nodes      no node holds more than it has, in any kind, at any instant, and no
             task runs outside its job's partition
  limits     no queue holds more than its limit, in any kind, at any instant
  admission  no more applications run in a queue than it allows
  rejected   exactly the jobs that fit no node, or no limit, and for that reason
  figures    jobs, tasks, skipped, span, cluster, makespan, work, delays (nearest
             rank), peaks and fair_s + starved_s, for every queue, are the JSON's
  digest     the JSON's digest is XXH64 (seed 0) over the records: seq and time 64
             bits, kind 32, job, task, count, queue, node 64 each, the amounts of
             one task 64 each, reason 32, little endian (up to 400,000 rows)

and where it can be judged, saying so:

  idle       nobody waits while an allowed place stays free for longer than a
             heartbeat: there is never a node whose last event, and a shape of
             tasks whose wait, are both older than a period, and that fit each
             other under all limits (leaves with user limits are left out)
  fifo       in a leaf ordered by fifo nothing starts while an earlier job of
             the same priority and partition, whose tasks are in no kind larger,
             has open tasks
  drf        with leaves right below the root in drf order: what starts last in a
             decision is of the least dominant share over weight among the leaves
             that have something that fits the node (ties: the first leaf)

With --preempt these three are not judged: room is kept for some while others
wait, what was killed waits anew, and no row says when room kept shrinks. Instead

  kills      end the last tasks of an allocation at that instant, give back what
             they held, and are followed by a requeue of the same tasks, which may
             start anew and then run their whole time; a gang is killed whole
  notices    are of tasks of an allocation that runs, in front of those that were
             told before; a kill is only of tasks that were told a grace ago or
             longer and not let off since (what is withdrawn was told last);
             without a grace of any
  rounds     notices and kills come a whole number of periods after the first
             submission; with --preempt-kill taken kills may come between them,
             on a node on which room is kept
  victims    a queue that is told has, in some kind, more than its guarantee in
             that partition, and it, and all above it, may be preempted from.
             This is necessary, not sufficient: targets are not computed.
             Imbalance: where a family says no guarantee of a kind, it is the
             weight's part of the parent's. Amounts guaranteed over several
             partitions count as none; not judged with --preempt-inside
  rooms      what is withdrawn or used of rooms was kept; not judged is how long
             they are kept, and that nobody else gets them
  lost       notified, killed, withdrawn and lost_work are the JSON's
  service    a queue below its guarantee that wants a task, and for which
             somebody surely gives, is served within what the settings promise
             (check_service.py says what is judged)

The last line is "PASS ..." or the first fault as "FAIL ...". Exit 0, 1, or 2
when the program itself failed.
"""
import argparse
import csv
import gzip
import hashlib
import io
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import deque
from decimal import Decimal

from check_service import Service

NS = 10 ** 9
UNLIMITED = 1 << 63
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")


class Fault(Exception):
    pass


def need(truth, what, *about):
    if not truth:
        raise Fault(what % about if about else what)


# ---- Numbers ----

def units(text, scale, up):
    """Decimal text as a whole count of 10^-scale, rounded as the contract says."""
    text = text.strip(" \t")
    if text.isdigit():
        return int(text) * 10 ** scale
    need(NUMBER.match(text), "not a number: %r", text)
    sign, digits, exponent = Decimal(text).as_tuple()
    whole = int("".join(map(str, digits)) or "0") * (-1 if sign else 1)
    exponent += scale
    if exponent >= 0:
        return whole * 10 ** exponent
    quotient, rest = divmod(whole, 10 ** -exponent)
    return quotient + (rest > 0 if up else 2 * rest >= 10 ** -exponent)


SUFFIX = {"": 1, "k": 10 ** 3, "M": 10 ** 6, "G": 10 ** 9, "T": 10 ** 12,
          "P": 10 ** 15, "Ki": 2 ** 10, "Mi": 2 ** 20, "Gi": 2 ** 30,
          "Ti": 2 ** 40, "Pi": 2 ** 50}
AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*(m|[kMGTP]i?)?B?$")


def amount(text, unit):
    """An amount as text ("48", "1500m", "187GiB") in the kind's small unit."""
    found = AMOUNT.match(text.strip())
    need(found, "not an amount: %r", text)
    number, suffix = found.group(1), found.group(2) or ""
    if suffix == "m":
        return units(number, 0, True)
    scale = 1000 if unit == "m" else 1
    exact = Decimal(number) * SUFFIX[suffix] * scale
    whole = int(exact)
    return whole + (exact > whole)


def vector(text, kinds):
    """"cpu=48,memory=187GiB" over [(name, unit)]."""
    out = [0] * len(kinds)
    for part in text.replace(";", ",").split(","):
        if part.strip():
            name, value = part.split("=", 1)
            at = [k for k, _ in kinds].index(name.strip())
            out[at] = amount(value, kinds[at][1])
    return tuple(out)


# ---- XXH64 ----

WORD = (1 << 64) - 1
P1, P2, P3, P4, P5 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F,
                      0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
                      0x27D4EB2F165667C5)


def rotate(x, n):
    return (x << n | x >> (64 - n)) & WORD


def mix(lane, word):
    lane = (lane + word * P2) & WORD
    return ((lane << 31 | lane >> 33) & WORD) * P1 & WORD


def xxh64(data):
    h, at, n = P5, 0, len(data)
    if n >= 32:
        lanes = [(P1 + P2) & WORD, P2, 0, -P1 & WORD]
        whole = n // 32 * 32
        a, b, c, d = lanes
        for w, x, y, z in struct.iter_unpack("<4Q", data[:whole]):
            a, b, c, d = mix(a, w), mix(b, x), mix(c, y), mix(d, z)
        h = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) & WORD
        for lane in (a, b, c, d):
            h = ((h ^ mix(0, lane)) * P1 + P4) & WORD
        at = whole
    h = (h + n) & WORD
    for at in range(at, n - 7, 8):
        h ^= mix(0, struct.unpack_from("<Q", data, at)[0])
        h = (rotate(h, 27) * P1 + P4) & WORD
    at = n // 8 * 8
    if n - at >= 4:
        h ^= struct.unpack_from("<I", data, at)[0] * P1 & WORD
        h = (rotate(h, 23) * P2 + P3) & WORD
        at += 4
    for byte in data[at:]:
        h = rotate(h ^ byte * P5 & WORD, 11) * P1 & WORD
    h = (h ^ h >> 33) * P2 & WORD
    h = (h ^ h >> 29) * P3 & WORD
    return h ^ h >> 32


KIND = {"admit": 1, "reject": 2, "allocate": 3, "reserve": 4, "notify": 5,
        "kill": 6, "withdraw": 7, "requeue": 9, "finish": 100}
HELD = "room was kept for it"
REASON = {"": 0, "its turn": 1, "no node is large enough": 3,
          "larger than the limit of a queue": 5, HELD: 17,
          "a queue below its share needs it": 18,
          "nobody needs it any more": 19,
          "above its user's share": 22,
          "matters less than what waits": 23,
          "below the same limit as a queue below its share": 24}
DIGEST_ROWS = 400000


# ---- Queues ----

def path_parts(text):
    """The components of a path in text form."""
    parts, now, at = [], "", 0
    while at < len(text):
        if text[at] == "\\":
            at += 1
            now += text[at]
        elif text[at] == ".":
            parts.append(now)
            now = ""
        else:
            now += text[at]
        at += 1
    return tuple(parts + [now])


def tree_tokens(line):
    """Words of a line; a backslash escapes (kept for the path), quotes bind."""
    words, now, quoted, at, some = [], "", False, 0, False
    while at < len(line):
        c = line[at]
        if c == "\\" and at + 1 < len(line):
            now += line[at:at + 2] if not words else line[at + 1]
            at += 1
            some = True
        elif c == '"':
            quoted = not quoted
            some = True
        elif c == "#" and not quoted and not some:
            break
        elif c in " \t" and not quoted:
            if some:
                words.append(now)
            now, some = "", False
        else:
            now += c
            some = True
        at += 1
    if some:
        words.append(now)
    return words


class Queue:
    def __init__(self, parts, parent, position):
        self.parts, self.parent, self.position = parts, parent, position
        self.children, self.attributes = [], {}
        self.jobs = self.tasks = self.running = self.pending = 0
        self.index = 0


class Tree:
    KINDS = [("cpu", "m"), ("memory", "B"), ("gpu", "m")]

    def __init__(self):
        self.kinds, self.queues, self.order = list(self.KINDS), {}, []

    def add(self, parts):
        parent = self.queues.get(parts[:-1])
        queue = Queue(parts, parent, len(parent.children) if parent else 0)
        if parent:
            parent.children.append(queue)
        queue.index = len(self.order)
        self.queues[parts] = queue
        self.order.append(queue)
        return queue

    def ensure(self, parts):
        for n in range(1, len(parts) + 1):
            if parts[:n] not in self.queues:
                self.add(parts[:n])
        return self.queues[parts]

    def read(self, text):
        for line in text.lstrip("\ufeff").splitlines():
            words = tree_tokens(line)
            if not words:
                continue
            if words[0] == "kinds" and not self.order:
                self.kinds = [tuple((w.split("=") + [""])[:2])
                              for w in words[1:]]
                continue
            queue = self.add(path_parts(words[0]))
            for word in words[1:]:
                name, value = word.split("=", 1)
                queue.attributes[name] = value

    def value(self, queue, name, default):
        return queue.attributes.get(name, default)

    def bound(self, queue, name, capacity, rest):
        """limit, guarantee or borrow in a partition: amounts, or a part of the
        parent's (the root's: the capacity)."""
        said = queue.attributes.get(name)
        if said is None or said == "unlimited":
            return rest
        if "=" in said:
            named = {p.split("=")[0].strip() for p in said.split(",")}
            got = vector(said, self.kinds)
            return tuple(got[k] if self.kinds[k][0] in named else rest[k]
                         for k in range(len(self.kinds)))
        whole = said.endswith("%")
        ppm = units(said.rstrip("%"), 4 if whole else 6, False)
        of = capacity
        if queue.parent:
            of = self.bound(queue.parent, name, capacity,
                            self.above(queue.parent, name, capacity))
        return tuple(x * ppm // 10 ** 6 for x in of)

    def above(self, queue, name, capacity):
        if queue is None or queue.parent is None:
            return capacity
        return self.bound(queue.parent, name, capacity,
                          self.above(queue.parent, name, capacity))

    def limit(self, queue, capacity):
        free = (UNLIMITED,) * len(self.kinds)
        limit = self.bound(queue, "limit", capacity, free)
        if "borrow" in queue.attributes:
            own = self.bound(queue, "guarantee", capacity,
                             (0,) * len(self.kinds))
            more = self.bound(queue, "borrow", capacity, free)
            limit = tuple(min(a, b + c) for a, b, c in zip(limit, own, more))
        return limit


# ---- Workload ----

class Job:
    __slots__ = ("name", "submit", "run", "tasks", "amount", "words",
                 "partition", "priority", "line", "copy", "leaf", "next",
                 "ended", "first", "state", "step", "seats", "order", "key")

    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    def clone(self, copy):
        other = Job()
        for name in self.__slots__:
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        other.copy = copy
        other.name = "%s#%d" % (self.name, copy + 1) if copy else self.name
        return other


def opened(path):
    if path.endswith(".gz"):
        return io.TextIOWrapper(gzip.open(path), "utf-8", "surrogateescape",
                                newline="")
    return open(path, encoding="utf-8", errors="surrogateescape", newline="")


def name_of(said, line, seen):
    name = said.split(";")[0]
    if not name or name in seen:
        name = str(line)
    seen.add(name)
    return name


def csv_jobs(path, o):
    jobs, skipped, seen, line = [], {}, set(), 0
    with opened(path) as file:
        rows = csv.reader(file)
        header = [h.lstrip("\ufeff") for h in next(rows)]
        at = {name: i for i, name in enumerate(header)}
        for row in rows:
            if not row:
                continue
            line += 1

            def get(name):
                return row[at[name]] if name in at else ""
            start, end = get("start_s"), get("end_s")
            run, ident = get("run_s"), get("job_id")
            if run:
                run = units(run, 9, False)
            elif start and end:
                run = units(end, 9, False) - units(start, 9, False)
            else:
                behind = [p[4:] for p in ident.split(";")[1:]
                          if p.startswith("run=")]
                run = units(behind[0], 9, False) if behind else o.default_run
            said = [get("cpu"), get("mem_bytes"), get("gpu")]
            if any(said):
                need_ = (units(said[0] or "0", 3, True),
                         units(said[1] or "0", 0, True),
                         units(said[2] or "0", 3, True))
            else:
                need_ = vector(o.default_task or "cpu=1", Tree.KINDS)
            submit = get("submit_s") or start
            job = Job(name=name_of(ident, line, seen), run=run,
                      submit=units(submit, 9, False) if submit else None,
                      tasks=int(units(get("tasks") or "1", 0, False)),
                      amount=need_, partition=get("partition"),
                      priority=int(float(get("priority") or 0)), line=line,
                      words={w: get(w) or "default"
                             for w in ("queue", "group", "user")}, copy=0)
            why = ("no tasks" if job.tasks == 0 else
                   "no submission" if job.submit is None else
                   "unknown run time" if run is None else
                   "zero run time" if run == 0 else None)
            if why:
                skipped[why] = skipped.get(why, 0) + 1
            else:
                jobs.append(job)
    return jobs, skipped


def swf_jobs(path, o):
    jobs, skipped, seen, line = [], {}, set(), 0
    with opened(path) as file:
        for text in file:
            f = text.split()
            if not f or f[0].startswith(";"):
                continue
            line += 1
            run, procs = units(f[3], 9, False), units(f[4], 0, False)
            submit = units(f[1], 9, False)
            if procs <= 0:
                procs = units(f[7], 0, False)

            def known(*fields):
                return next((f[i] for i in fields if f[i][0] != "-"), "default")
            name = name_of(f[0], line, seen)
            why = ("unknown run time" if run < 0 else
                   "no submission" if submit < 0 else
                   "zero run time" if run == 0 else
                   "no tasks" if procs <= 0 else None)
            if why:
                skipped[why] = skipped.get(why, 0) + 1
                continue
            jobs.append(Job(name=name, submit=submit, run=run, tasks=procs,
                            amount=(1000, 0, 0), partition="", priority=0,
                            line=line, copy=0,
                            words={"queue": known(14, 15, 11),
                                   "group": known(12), "user": known(11)}))
    return jobs, skipped


# ---- The cluster ----

def derived_nodes(jobs, span, load, kinds):
    """--load, as the contract states it, in whole numbers."""
    n = len(kinds)
    node = [max((j.amount[k] for j in jobs), default=0) for k in range(n)]
    work = [sum(j.amount[k] * j.tasks * j.run for j in jobs) for k in range(n)]
    span = span or max((j.run for j in jobs), default=1)
    # need = work / (load * span); small: 32 * task <= need, kind by kind
    if all(32 * node[k] * load * span <= work[k] * 10 ** 6 for k in range(n)):
        node = [32 * x for x in node]
    count = max([1] + [-(-work[k] * 10 ** 6 // (load * span * node[k]))
                       for k in range(n) if node[k]])
    return [(count, "", tuple(node))]


def said_nodes(specs, kinds):
    out = []
    for spec in specs:
        found = re.match(r"\s*(\d+)\s*x\s*([^@]*?)\s*(?:@\s*(.*?)\s*)?$", spec)
        need(found, "cannot read --nodes %s", spec)
        out.append((int(found.group(1)), found.group(3) or "",
                    vector(found.group(2), kinds)))
    return out


# ---- Nobody waits while a place is free ----

class Waiting:
    """Open tasks of one shape, leaf and partition."""

    def __init__(self, leaf, parts, step):
        self.leaf, self.parts, self.step = leaf, parts, step
        self.open, self.since = 0, None


class Idle:
    def __init__(self, check, period):
        self.c, self.period = check, period
        n = len(check.free)
        self.changed, self.stale = [None] * n, [False] * n
        self.node_due, self.wait_due = deque(), deque()
        self.ripe, self.groups, self.limited = set(), {}, {}
        self.judged = True

    def group(self, job):
        key = (job.leaf.index, job.seats, job.step)
        if key not in self.groups:
            g = self.groups[key] = Waiting(job.leaf, job.seats, job.step)
            g.priority = 0
            at = job.leaf
            while at:
                self.limited.setdefault(at.index, []).append(g)
                at = at.parent
        return self.groups[key]

    def allowed(self, g):
        return any(self.c.has_room(g.leaf, p, g.step) for p in g.parts)

    def set_since(self, g, now):
        if g.open > 0 and self.allowed(g):
            if g.since is None:
                g.since = now
                self.wait_due.append((now, g))
        else:
            g.since = None
            self.ripe.discard(g)

    def opens(self, job, n, now):
        if job.leaf.by_user:
            return
        g = self.group(job)
        g.open += n
        self.set_since(g, now)

    def usage_moved(self, leaf, now):
        at = leaf
        while at:
            if at.has_limit:
                for g in self.limited.get(at.index, ()):
                    if g.open:
                        self.set_since(g, now)
            at = at.parent

    def touch(self, node, now):
        self.changed[node], self.stale[node] = now, False
        self.node_due.append((now, node))

    def fits(self, g, node):
        c = self.c
        p = c.partition[node]
        return (p in g.parts and
                all(a <= b for a, b in zip(g.step, c.free[node])) and
                c.has_room(g.leaf, p, g.step))

    def complain(self, g, node, now):
        raise Fault("idle: at %d ns node %d is free for a task of %r that has "
                    "waited since %d in %s (node unchanged since %s)" %
                    (now, node, g.step, g.since, ".".join(g.leaf.parts),
                     self.changed[node]))

    def advance(self, now):
        """Time goes on to `now`: who has been waiting for too long?"""
        due = now - self.period
        while self.node_due and self.node_due[0][0] < due:
            at, node = self.node_due.popleft()
            if self.changed[node] != at or self.stale[node]:
                continue
            self.stale[node] = True
            for g in self.ripe:
                if self.fits(g, node):
                    self.complain(g, node, now)
        while self.wait_due and self.wait_due[0][0] < due:
            at, g = self.wait_due.popleft()
            if g.since != at or g in self.ripe:
                continue
            self.ripe.add(g)
            for node, stale in enumerate(self.stale):
                if stale and self.fits(g, node):
                    self.complain(g, node, now)


# ---- Preemption ----

class Guarantees:
    """What each queue is guaranteed in one partition: children's lift their
    parent's as far as its limit goes; where they add up to more, each is cut in
    one ratio."""

    def __init__(self, tree, partition, capacity, several, by_weight):
        self.tree, self.partition, self.capacity = tree, partition, capacity
        self.several, self.by_weight = several, by_weight
        root = tree.order[0]
        self.own = {root.index: list(capacity)}
        for queue in tree.order:
            self.read(queue)
        self.force = {}
        for queue in reversed(self.from_above(root)):
            self.lift(queue)
        self.force[root.index] = list(capacity)
        for queue in self.from_above(root):
            self.cut(queue)

    def from_above(self, root):
        line = [root]
        for queue in line:
            line += queue.children
        return line

    def said(self, queue):
        text = queue.attributes.get("guarantee", "")
        if not text:
            return [0] * len(self.capacity)
        if "=" in text:
            got = vector(text, self.tree.kinds)
            return [0 if self.several else x for x in got]
        ppm = units(text.rstrip("%"), 4 if text.endswith("%") else 6, False)
        return [x * ppm // 10 ** 6 for x in self.own[queue.parent.index]]

    def read(self, parent):
        """Of the children: what is said, or by weight."""
        for child in parent.children:
            self.own[child.index] = self.said(child)
        weights = sum(c.weight for c in parent.children)
        for k, whole in enumerate(self.own[parent.index]):
            mine = [self.own[c.index] for c in parent.children]
            if not self.by_weight or not weights or any(x[k] for x in mine):
                continue
            upto = 0
            for child in parent.children:
                before = whole * upto // weights
                upto += child.weight
                self.own[child.index][k] = whole * upto // weights - before

    def lift(self, queue):
        below = [sum(self.force[c.index][k] for c in queue.children)
                 for k in range(len(self.capacity))]
        limit = queue.limits[self.partition]
        self.force[queue.index] = [
            min(bound, max(own, more)) for bound, own, more in
            zip(limit, self.own[queue.index], below)]

    def cut(self, parent):
        for k, whole in enumerate(self.force[parent.index]):
            mine = [self.force[c.index] for c in parent.children]
            total = sum(x[k] for x in mine)
            for x in mine:
                if total > whole:
                    x[k] = x[k] * whole // total


class Preemption:
    """Notices, kills and rooms, as the log tells them."""

    def __init__(self, check):
        o = check.o
        self.c, self.on = check, o.preempt != "off"
        self.every, self.grace = o.preempt_every, o.preempt_grace
        self.inside = o.preempt_inside != "no"
        self.base = check.jobs[0].submit if check.jobs else 0
        self.notified = self.killed = self.withdrawn = 0
        self.lost = [0] * len(check.tree.kinds)
        self.firsts = {}  # of (job, node): first tasks of allocations
        self.marks = {}   # of an allocation: when each was told, from its
                          # last task on; None: let off in this round
        self.again = {}   # of a job: tasks that were killed
        self.rooms = {}   # of (job, node): so many tasks at most
        self.dying, self.back = {}, {}
        self.owed, self.services = {}, []
        if self.on:
            for part, capacity in check.capacity.items():
                all_ = Guarantees(check.tree, part, capacity,
                                  len(check.capacity) > 1,
                                  o.preempt == "imbalance")
                self.owed[part] = all_.force
                self.services.append(Service(check, part, all_.force,
                                             all_.own))

    def time_goes_on(self, now, until):
        need(not self.dying, "of what was killed %s is not open again",
             next(iter(self.dying), None))
        self.back = {}
        need(not any(None in marks for marks in self.marks.values()),
             "what was told first is let off, and not what was told later")
        if now is not None:
            for service in self.services:
                service.time_goes_on(now, until)

    # -- allocations --

    def opens(self, job, tasks):
        for service in self.services:
            service.opens(job, tasks)

    def starts(self, job, task, count, node, reason):
        again = self.again.get(job.name, ())
        fresh = count
        for n in range(task, task + count):
            if n in again:
                again.remove(n)
                fresh -= 1
        if fresh:
            need(task + count == job.next + fresh, "tasks go on from %d",
                 job.next)
        job.next += fresh
        self.firsts.setdefault((job.name, node), set()).add(task)
        for service in self.services:
            service.starts(job, task, count, node, reason == HELD, self.c.now)
        if reason == HELD:
            had = self.rooms.get((job.name, node), 0)
            need(had >= count, "room was kept for %d of its tasks", had)
            self.rooms[job.name, node] = had - count

    def becomes(self, job, node, old, new, left, ended):
        """An allocation has `left` tasks, from `new` on; those that ended were
        its last ones."""
        firsts = self.firsts[job.name, node]
        firsts.discard(old)
        for service in self.services:
            service.becomes(job, node, old, new, left)
        marks = self.marks.pop((job.name, old), [])[ended:]
        if left:
            firsts.add(new)
            if marks:
                self.marks[job.name, new] = marks

    def holding(self, job, task, count, node):
        """The allocation on a node that has these tasks, and how many stand
        behind them."""
        for first in self.firsts.get((job.name, node), ()):
            behind = first + self.c.running[job.name, first][0] - task - count
            if count > 0 and first <= task and behind >= 0:
                return first, behind
        raise Fault("these are not tasks of one allocation")

    def in_round(self, now):
        need((now - self.base) % self.every == 0, "there is no round now")

    # -- rows --

    def victim(self, job, node):
        """May this queue be told, as far as we judge it?"""
        if self.inside:
            return
        at, part = job.leaf, self.c.partition[node]
        back = self.back.get((at.index, part), [0] * len(self.lost))
        owed = self.owed[part][at.index]
        need(any(u + b > g for u, b, g in zip(at.used[part], back, owed)),
             "its queue has %r and is guaranteed %r", at.used[part], owed)
        while at:
            need(at.attributes.get("preempt_from", "yes") != "no",
                 "%s is not preempted from", ".".join(at.parts))
            at = at.parent

    def notify(self, job, task, count, node, now):
        first, behind = self.holding(job, task, count, node)
        self.in_round(now)
        need(self.grace > 0, "there is no grace")
        self.victim(job, node)
        marks = self.marks.setdefault((job.name, first), [])
        need(behind == len(marks), "%d tasks stand behind them, %d are told",
             behind, len(marks))
        marks.extend([now] * count)
        self.notified += count

    def kill(self, job, task, count, node, now):
        (first, behind), c = self.holding(job, task, count, node), self.c
        need(behind == 0, "these are not the last tasks of an allocation")
        if self.c.o.preempt_kill == "due":
            self.in_round(now)
        else:
            need(any(n == node and kept for (_, n), kept in
                     self.rooms.items()), "no room is kept on this node")
        if self.grace:
            due = [told for told in self.marks.get((job.name, first), [])
                   if told is not None and told + self.grace <= now]
            need(len(due) >= count, "%d of its tasks were told long enough ago",
                 len(due))
        else:
            self.victim(job, node)
        need(not c.o.gang or count == job.tasks, "not the whole gang")
        n, _, since = c.running.pop((job.name, first))
        if count < n:
            c.running[job.name, first] = (n - count, node, since)
        self.becomes(job, node, first, first, n - count, count)
        part, taken = c.partition[node], [a * count for a in job.amount]
        for k, a in enumerate(taken):
            c.free[node][k] += a
            self.lost[k] += a * (now - since)
        c.use(job.leaf, part, taken, -1)
        back = self.back.setdefault((job.leaf.index, part),
                                    [0] * len(taken))
        for k, a in enumerate(taken):
            back[k] += a
        self.killed += count
        self.dying[job.name, task, count, node] = now

    def requeue(self, job, task, count, node):
        need(self.dying.pop((job.name, task, count, node), None) is not None,
             "they were not killed now")
        self.again.setdefault(job.name, set()).update(range(task, task + count))
        self.opens(job, count)

    def room(self, kind, job, count, node):
        """Rows that name no task: room on a node is kept, or given up."""
        if kind == "withdraw":
            had = self.rooms.pop((job.name, node), 0)
            need(0 < count <= had, "room was kept for %d of its tasks", had)
            return
        need(job.state == "admitted", "it is %s", job.state)
        need(self.c.partition[node] in job.seats, "it may not run there")
        open_ = job.tasks - job.next + len(self.again.get(job.name, ()))
        need(0 < count <= open_, "%d of its tasks are open", open_)
        self.rooms[job.name, node] = count

    def let_off(self, job, task, count, node):
        first, behind = self.holding(job, task, count, node)
        marks = self.marks.get((job.name, first), [])
        told = [m for m in marks[behind:behind + count] if m is not None]
        need(len(told) == count, "%d of its tasks are told", len(told))
        marks[behind:behind + count] = [None] * count
        while marks and marks[-1] is None:
            marks.pop()
        self.withdrawn += count

    def close(self, said):
        c = self.c
        need(not self.dying, "what was killed is not open again")
        c.equal("notified", said["notified"], self.notified)
        c.equal("killed", said["killed"], self.killed)
        c.equal("withdrawn", said["withdrawn"], self.withdrawn)
        c.equal("lost_work", said["lost_work"],
                {name: str(x) for (name, _), x in
                 zip(c.tree.kinds, self.lost)})
        if self.on:
            c.notes.append("%d told, %d killed" % (self.notified, self.killed))
            c.notes += [service.note() for service in self.services]


# ---- The books ----

class Check:
    fault = Fault

    def __init__(self, o):
        self.o, self.notes = o, []
        self.read()

    # -- before the log --

    def read(self):
        o = self.o
        swf = re.search(r"\.swf(\.gz)?$", o.workload)
        self.jobs, self.skipped = (swf_jobs if swf else csv_jobs)(o.workload, o)
        self.jobs.sort(key=lambda j: (j.submit, j.line))
        self.tree = Tree()
        if o.tree:
            with open(o.tree, encoding="utf-8") as file:
                self.tree.read(file.read())
        levels = o.queue_by.split("/")
        root = self.tree.order[0].parts if self.tree.order else ("root",)
        for job in self.jobs:
            parts = root + tuple(job.words[w] for w in levels)
            if o.tree:
                need(parts in self.tree.queues, "no queue %r", parts)
                job.leaf = self.tree.queues[parts]
            else:
                job.leaf = self.tree.ensure(parts)
        if not self.tree.order:
            self.tree.add(root)
        self.remap_kinds()
        span = self.jobs[-1].submit - self.jobs[0].submit if self.jobs else 0
        self.lay_out(said_nodes(o.nodes, self.tree.kinds) if o.nodes else
                     derived_nodes(self.jobs, span, o.load, self.tree.kinds))
        self.set_up_queues()

    def remap_kinds(self):
        names = [k for k, _ in Tree.KINDS]
        if [k for k, _ in self.tree.kinds] == names:
            return
        for job in self.jobs:
            job.amount = tuple(job.amount[names.index(k)] if k in names else 0
                               for k, _ in self.tree.kinds)

    def lay_out(self, specs):
        self.specs = specs
        self.free, self.partition, self.top = [], [], {}
        for count, partition, amounts in specs:
            self.free += [list(amounts) for _ in range(count)]
            self.partition += [partition] * count
            self.top.setdefault(partition, set()).add(amounts)
        self.capacity, self.parts = {}, sorted(self.top)
        zero = (0,) * len(self.tree.kinds)
        for count, partition, amounts in specs:
            old = self.capacity.get(partition, zero)
            self.capacity[partition] = tuple(
                a + b * count for a, b in zip(old, amounts))
        self.size = [tuple(f) for f in self.free]
        self.named = any(p for p in self.parts)

    def set_up_queues(self):
        n = len(self.tree.kinds)
        for q in self.tree.order:
            q.limits = {p: self.tree.limit(q, c)
                        for p, c in self.capacity.items()}
            # amounts bound all partitions together, parts each by itself
            absolute = "=" in q.attributes.get("limit", "")
            q.ceiling = (UNLIMITED,) * n
            if absolute or "=" in q.attributes.get("borrow", ""):
                q.ceiling = self.tree.limit(q, (UNLIMITED,) * n)
            q.has_limit = any(x < UNLIMITED for v in q.limits.values()
                              for x in v)
            said = q.attributes.get("max_running", "unlimited")
            q.max_running = None if said == "unlimited" else int(said)
            q.used = {p: [0] * n for p in self.parts}
            q.all_used, q.peak = [0] * n, [0] * n
            q.since, q.wanted, q.demand = 0, 0, 0
            apps = self.o.apps or q.attributes.get("apps", "fifo")
            q.apps = apps
            limit, at = None, q
            while at is not None and limit is None:
                limit, at = at.attributes.get("user_limit"), at.parent
            q.by_user = bool(limit and limit not in ("100%", "1", "1.0"))
            q.weight = int(q.attributes.get("weight", "1"))
        for job in self.jobs:
            job.next = job.ended = 0
            job.first = None
            job.state = "ahead"
            job.step = job.amount
            if self.o.gang:
                job.step = tuple(a * job.tasks for a in job.amount)
            job.seats = self.seats_of(job)

    def seats_of(self, job):
        """The partitions in which a job may run."""
        if not self.named:
            return tuple(self.parts)
        if job.partition in self.top:
            return (job.partition,)
        return tuple(self.parts) if not job.partition else ()

    def never(self, job):
        """Why a job can never run, or None."""
        fits = [p for p in job.seats
                if any(all(a <= b for a, b in zip(job.step, node))
                       for node in self.top[p])]
        if not fits:
            return "no node is large enough"
        at = job.leaf
        while at:
            if not any(all(a == 0 or a <= b
                           for a, b in zip(job.step, at.limits[p]))
                       for p in fits):
                return "larger than the limit of a queue"
            at = at.parent
        return None

    def has_room(self, leaf, partition, step):
        at = leaf
        while at:
            if at.has_limit:
                used, limit = at.used[partition], at.limits[partition]
                for k, a in enumerate(step):
                    if a and (used[k] + a > limit[k] or
                              at.all_used[k] + a > at.ceiling[k]):
                        return False
            at = at.parent
        return True

    # -- fifo --

    def fifo_setup(self):
        self.lines, self.below = {}, {}

    def fifo_opens(self, job):
        leaf = self.lines.setdefault((job.leaf.index, job.seats), {})
        key = (job.step, job.priority)
        if key not in leaf:
            for other in leaf:
                for a, b in ((key, other), (other, key)):
                    if a[1] == b[1] and all(x <= y
                                            for x, y in zip(a[0], b[0])):
                        self.below.setdefault(
                            (job.leaf.index, job.seats, b), []).append(a)
            self.below.setdefault((job.leaf.index, job.seats, key), []).append(key)
            leaf[key] = deque()
        line = leaf[key]
        need(not line or line[-1].order < job.order or
             job.leaf.max_running is not None or self.any_max,
             "fifo: %s is admitted after a later job", job.name)
        line.append(job)

    def fifo_starts(self, job, now):
        leaf = self.lines[(job.leaf.index, job.seats)]
        key = (job.step, job.priority)
        for other in self.below[(job.leaf.index, job.seats, key)]:
            line = leaf[other]
            while line and line[0].next >= line[0].tasks:
                line.popleft()
            if line and line[0].order < job.order:
                raise Fault("fifo: at %d ns %s starts before %s, which is "
                            "earlier and no larger" %
                            (now, job.name, line[0].name))

    # -- drf --

    def drf_setup(self):
        root = self.tree.order[0]
        policy = self.o.policy or root.attributes.get("order", "drf")
        leaves = root.children
        self.drf = (policy == "drf" and 1 < len(leaves) <= 40 and
                    not self.preemption.on and
                    not any(q.children or q.weight == 0 or
                            "guarantee" in q.attributes for q in leaves))
        if self.preemption.on:
            self.notes.append("idle, fifo and drf not judged")
        elif not self.drf:
            self.notes.append("drf not judged")

    def drf_key(self, queue, partition, extra=(), times=0):
        capacity, used = self.capacity[partition], queue.used[partition]
        best = 0
        for k, c in enumerate(capacity):
            u = used[k] + (extra[k] * times if times else 0)
            if c:
                best = max(best, (u << 62) // (c * queue.weight))
        return best

    def drf_starts(self, job, node, count, now):
        part, free = self.partition[node], self.free[node]
        last = 0 if self.o.gang else count - 1
        own = (self.drf_key(job.leaf, part, job.step, last), job.leaf.position)
        for g in self.idle.groups.values():
            if g.open <= 0 or g.leaf is job.leaf or part not in g.parts:
                continue
            if any(a > f - s * last
                   for a, f, s in zip(g.step, free, job.step)):
                continue
            if not self.has_room(g.leaf, part, g.step):
                continue
            other = (self.drf_key(g.leaf, part), g.leaf.position)
            if other < own:
                raise Fault("drf: at %d ns %s of %s starts on node %d before "
                            "%s, which has less" %
                            (now, job.name, ".".join(job.leaf.parts), node,
                             ".".join(g.leaf.parts)))

    # -- the log --

    def name_jobs(self):
        self.by_name = {}
        for order, job in enumerate(self.jobs):
            need(job.name not in self.by_name, "two jobs are called %s",
                 job.name)
            job.order = order * 1000
            self.by_name[job.name] = job

    def job(self, name):
        job = self.by_name.get(name)
        if job is None and "#" in name:
            base, copy = name.rsplit("#", 1)
            need(base in self.by_name and copy.isdigit(), "no job %s", name)
            job = self.by_name[base].clone(int(copy) - 1)
            job.order += job.copy
            job.next = job.ended = 0
            job.first, job.state = None, "ahead"
            self.by_name[name] = job
            self.jobs.append(job)
        need(job is not None, "no job %s", name)
        return job

    def wants(self, job, tasks, now):
        """A job's demand comes (or goes, below 0) on its path."""
        if not any(job.amount):
            return
        at = job.leaf
        while at:
            if at.demand == 0:
                at.since = now
            at.demand += tasks
            if at.demand == 0:
                at.wanted += now - at.since
            at = at.parent

    def run(self, rows):
        header = next(rows, None)
        need(header == "seq time_ns kind job task count queue node amount "
             "reason".split(), "header is %r", header)
        self.name_jobs()
        self.running, self.submitted, self.now = {}, 0, None
        self.idle = Idle(self, self.o.heartbeat)
        self.any_max = any(q.max_running is not None for q in self.tree.order)
        self.preemption = Preemption(self)
        self.fifo_setup()
        self.drf_setup()
        self.names, self.amounts = {}, {}
        self.to_submit = list(self.jobs)
        self.last = 0
        self.records = []
        seq = 0
        for row in rows:
            seq += 1
            try:
                self.row(seq, row)
            except Fault as fault:
                raise Fault("row %d (%s): %s" % (seq, ",".join(row), fault))
        self.rows = seq

    def row(self, seq, row):
        number, time, kind, name, task, count, queue, node, text, reason = row
        now = int(time)
        need(int(number) == seq, "sequence")
        if now != self.now:
            need(self.now is None or now > self.now, "time runs back")
            if self.preemption.on:
                self.preemption.time_goes_on(self.now, now)
            elif self.now is not None:
                self.idle.advance(now)
            self.now = now
        job = self.by_name.get(name) or self.job(name)
        parts = self.names.get(queue)
        if parts is None:
            parts = self.names[queue] = path_parts(queue)
        need(parts == job.leaf.parts, "queue is %r", job.leaf.parts)
        if text:
            got = self.amounts.get(text)
            if got is None:
                got = self.amounts[text] = vector(text, self.tree.kinds)
            need(got == job.amount, "amount is %r", job.amount)
        if seq <= DIGEST_ROWS:
            self.records.append((seq, now, kind, job, task, count, node, reason))
        if kind == "allocate":
            self.allocate(job, int(task), int(count), int(node), now, reason)
        elif kind == "finish":
            self.finish(job, int(task), int(count), int(node), now)
        elif kind == "admit":
            self.admit(job, now)
        elif kind == "reject":
            self.reject(job, now, reason)
        else:
            self.preempt(kind, job, task, int(count), int(node), now)

    def preempt(self, kind, job, said, count, node, now):
        p = self.preemption
        need(p.on, "a decision that such a run does not have")
        need(0 <= node < len(self.free), "no such node")
        need(kind != "reserve" or not said, "room is for no task of its own")
        if not said:
            need(kind in ("reserve", "withdraw"), "which tasks?")
            p.room(kind, job, count, node)
            return
        task = int(said)
        if kind == "notify":
            p.notify(job, task, count, node, now)
        elif kind == "kill":
            p.kill(job, task, count, node, now)
        elif kind == "requeue":
            p.requeue(job, task, count, node)
        elif kind == "withdraw":
            p.let_off(job, task, count, node)
        else:
            raise Fault("a decision that such a run does not have")

    def submits(self, job, now):
        need(now >= job.submit, "before its submission")
        need(job.state == "ahead", "it was %s before", job.state)

    def admit(self, job, now):
        self.submits(job, now)
        need(self.never(job) is None, "it can never run: %s", self.never(job))
        job.state = "admitted"
        at, all_free = job.leaf, True
        while at:
            at.running += 1
            need(at.max_running is None or at.running <= at.max_running,
                 "more applications run in %r than may", at.parts)
            all_free = all_free and at.max_running is None
            at = at.parent
        need(now == job.submit or not all_free, "admitted late")
        self.wants(job, job.tasks, job.submit if all_free else now)
        self.idle.opens(job, 1 if self.o.gang else job.tasks, now)
        if self.preemption.on:
            self.preemption.opens(job, job.tasks)
        if job.leaf.apps == "fifo" and not job.leaf.by_user:
            self.fifo_opens(job)

    def reject(self, job, now, reason):
        self.submits(job, now)
        need(now == job.submit, "rejected late")
        why = self.never(job)
        need(why is not None, "it could run")
        need(why == reason or (why.startswith("no node") and
                               "limit" in reason and not self.limit_fits(job)),
             "the reason is %s", why)
        job.state = "rejected"

    def limit_fits(self, job):
        at = job.leaf
        while at:
            if not any(all(a == 0 or a <= b
                           for a, b in zip(job.step, at.limits[p]))
                       for p in self.parts):
                return False
            at = at.parent
        return True

    def allocate(self, job, task, count, node, now, reason):
        need(job.state == "admitted", "it is %s", job.state)
        need(count > 0 and 0 <= task and task + count <= job.tasks,
             "no such tasks")
        need(task == job.next or self.preemption.on, "tasks go on from %d",
             job.next)
        need(not self.o.gang or count == job.tasks, "not the whole gang")
        need(0 <= node < len(self.free), "no such node")
        part = self.partition[node]
        need(part in job.seats, "the node is in partition %s", part)
        if self.drf and not job.leaf.by_user:
            self.drf_starts(job, node, count, now)
        if self.preemption.on:
            self.preemption.starts(job, task, count, node, reason)
        else:
            if job.leaf.apps == "fifo" and not job.leaf.by_user:
                self.fifo_starts(job, now)
            job.next += count
        if job.first is None:
            job.first = now
        free, taken = self.free[node], [a * count for a in job.amount]
        for k, a in enumerate(taken):
            free[k] -= a
            need(free[k] >= 0, "node %d is over its %s", node,
                 self.tree.kinds[k][0])
        self.use(job.leaf, part, taken, 1)
        self.idle.opens(job, -1 if self.o.gang else -count, now)
        self.idle.touch(node, now)
        self.idle.usage_moved(job.leaf, now)
        self.running[(job.name, task)] = (count, node, now)

    def use(self, leaf, part, taken, sign):
        at = leaf
        while at:
            used, whole, limit = at.used[part], at.all_used, at.limits[part]
            for k, a in enumerate(taken):
                if not a:
                    continue
                used[k] += sign * a
                whole[k] += sign * a
                if whole[k] > at.peak[k]:
                    at.peak[k] = whole[k]
                need(sign < 0 or (used[k] <= limit[k] and
                                  whole[k] <= at.ceiling[k]), "%s is over its limit of"
                     " %s", ".".join(at.parts), self.tree.kinds[k][0])
            at = at.parent

    def finish(self, job, task, count, node, now):
        held = self.running.pop((job.name, task), None)
        if held is None:
            need(not self.preemption.on, "it does not run from there on")
            held, task = self.covering(job, task, count)
        n, where, since = held
        need(count <= n, "more tasks than were started together")
        need(where == node, "it started on node %d", where)
        need(now == since + job.run, "it should end at %d", since + job.run)
        if count < n:
            self.running[(job.name, task + count)] = (n - count, where, since)
        if self.preemption.on:
            self.preemption.becomes(job, node, task, task + count, n - count,
                                    count)
        part, free = self.partition[node], self.free[node]
        taken = [a * count for a in job.amount]
        for k, a in enumerate(taken):
            free[k] += a
        self.use(job.leaf, part, taken, -1)
        self.idle.touch(node, now)
        self.idle.usage_moved(job.leaf, now)
        self.wants(job, -count, now)
        job.ended += count
        self.last = max(self.last, now)
        if job.ended == job.tasks:
            job.state = "done"
            at = job.leaf
            while at:
                at.running -= 1
                at = at.parent

    def covering(self, job, task, count):
        """Tasks from the midst of an allocation: the part before stays."""
        for (name, first), (n, node, since) in list(self.running.items()):
            if name == job.name and first < task and task + count <= first + n:
                del self.running[(name, first)]
                self.running[(name, first)] = (task - first, node, since)
                return (n - (task - first), node, since), task
        raise Fault("it does not run")

    # -- after the log --

    def close(self, result):
        o = self.o
        self.idle.judged = not o.until
        if o.multiplier != 10 ** 6:
            self.close_copies()
        if not o.until:
            for job in self.jobs:
                need(job.state in ("done", "rejected"), "%s is %s in the end",
                     job.name, job.state)
                need(job.state == "rejected" or
                     job.next == job.tasks == job.ended,
                     "%s: %d of %d tasks ran", job.name, job.ended, job.tasks)
            need(not self.running, "tasks still run")
        self.close_workload(result)
        self.close_queues(result)
        self.close_digest(result)

    def close_copies(self):
        """Each job whole times, and once more by chance."""
        seen = {}
        for job in self.jobs:
            if job.state != "ahead":
                seen.setdefault(job.line, set()).add(job.copy)
        whole, part = divmod(self.o.multiplier, 10 ** 6)
        for line, copies in seen.items():
            need(copies == set(range(len(copies))), "copies of line %d", line)
        extra = 0
        for job in self.jobs:
            if job.copy == 0:
                n = len(seen.get(job.line, ()))
                need(n in (whole, whole + (part > 0)), "%d copies of %s", n,
                     job.name)
                extra += n - whole
        self.notes.append("%d of %d once more" %
                          (extra, len([j for j in self.jobs if not j.copy])))
        self.jobs = [j for j in self.jobs if j.state != "ahead"]

    def close_digest(self, result):
        if self.rows > DIGEST_ROWS:
            self.notes.append("digest not judged")
            return
        order = sorted(self.jobs, key=lambda j: (j.submit, j.line, j.copy))
        key = {job.name: i + 1 for i, job in enumerate(order)}
        data, kinds = bytearray(), len(self.tree.kinds)
        form = struct.Struct("<QQIQQQQQ%dQI" % kinds)
        for seq, now, kind, job, task, count, node, reason in self.records:
            data += form.pack(seq, now, KIND[kind], key[job.name],
                              int(task or 0), int(count or 0),
                              1 << 32 | job.leaf.index,
                              int(node) + 1 if node else 0, *job.amount,
                              REASON[reason])
        self.equal("digest", result["result"]["digest"],
                   "%016x" % xxh64(bytes(data)))

    def equal(self, what, got, want):
        need(got == want, "JSON: %s is %s, should be %s", what, got, want)

    def seconds(self, ns):
        return None if ns is None else Decimal(ns).scaleb(-9)

    def shown(self, k, value):
        return Decimal(value).scaleb(-3) if self.tree.kinds[k][1] == "m" \
            else Decimal(value)

    def close_workload(self, r):
        kinds = [k for k, _ in self.tree.kinds]
        w, c, res = r["workload"], r["cluster"], r["result"]
        self.equal("jobs", w["jobs"], len(self.jobs))
        self.equal("tasks", w["tasks"], sum(j.tasks for j in self.jobs))
        self.equal("skipped", w["skipped"], self.skipped)
        first = min((j.submit for j in self.jobs), default=0)
        last = max((j.submit for j in self.jobs), default=0)
        self.equal("span_s", w["span_s"], self.seconds(last - first))
        self.equal("nodes", c["nodes"], len(self.free))
        self.equal("kinds", list(c["capacity"]), kinds)
        for k, name in enumerate(kinds):
            whole = sum(v[k] for v in self.capacity.values())
            self.equal("capacity", c["capacity"][name], self.shown(k, whole))
        self.equal("specs", [(s["count"], s["partition"],
                              vector(",".join("%s=%s" % x
                                              for x in s["amount"].items()),
                                     self.tree.kinds))
                             for s in c["specs"]], self.specs)
        done = [j for j in self.jobs if j.state == "done"]
        self.equal("jobs_finished", res["jobs_finished"], len(done))
        self.equal("tasks_finished", res["tasks_finished"],
                   sum(j.ended for j in self.jobs))
        self.equal("rejected", res["rejected"],
                   sum(j.state == "rejected" for j in self.jobs))
        makespan = self.last - first if self.last else 0
        self.equal("makespan_s", res["makespan_s"], self.seconds(makespan))
        self.preemption.close(r["preemption"])

    def delays(self, jobs):
        all_ = sorted(j.first - j.submit for j in jobs if j.first is not None)
        n = len(all_)
        if not n:
            return dict.fromkeys(("p50", "p95", "p99", "max", "mean"))
        out = {"p%d" % p: all_[-(-n * p // 100) - 1] for p in (50, 95, 99)}
        out.update(max=all_[-1], mean=sum(all_) // n)
        return {k: self.seconds(v) for k, v in out.items()}

    def close_queues(self, r):
        kinds = [k for k, _ in self.tree.kinds]
        below = {}
        for job in self.jobs:
            at = job.leaf
            while at:
                below.setdefault(at.index, []).append(job)
                at = at.parent
        self.equal("queues", sorted(path_parts(q["path"])
                                    for q in r["queues"]),
                   sorted(q.parts for q in self.tree.order))
        for said in r["queues"]:
            q = self.tree.queues[path_parts(said["path"])]
            jobs = below.get(q.index, [])
            path = said["path"]
            self.equal(path + " jobs", said["jobs"], len(jobs))
            self.equal(path + " tasks", said["tasks"],
                       sum(j.tasks for j in jobs))
            work = {name: str(sum(j.amount[k] * j.ended * j.run for j in jobs))
                    for k, name in enumerate(kinds)}
            self.equal(path + " work", said["work"], work)
            self.equal(path + " peak", said["peak"],
                       {name: self.shown(k, q.peak[k])
                        for k, name in enumerate(kinds)})
            delays = self.delays(jobs)
            self.equal(path + " delay_s", said["delay_s"], delays)
            if not self.o.until and not self.any_max:
                self.equal(path + " fair_s + starved_s",
                           said["fair_s"] + said["starved_s"],
                           self.seconds(q.wanted))
            if q.parent is None:
                self.equal("work", r["result"]["work"], work)
                self.equal("delay_s", r["delay_s"], delays)
                if not self.o.until and self.o.multiplier == 10 ** 6:
                    whole = {name: str(sum(
                        j.amount[k] * j.tasks * j.run for j in self.jobs
                        if j.state != "rejected"))
                        for k, name in enumerate(kinds)}
                    self.equal("work, as the workload says", work, whole)
        self.figures = r


# ---- Running ----

def options(argv):
    p = argparse.ArgumentParser(description=__doc__, formatter_class=
                                argparse.RawDescriptionHelpFormatter)
    p.add_argument("workload")
    p.add_argument("--replay")
    p.add_argument("--sum", action="store_true",
                   help="with --replay, say the hash of log and result too")
    p.add_argument("--json")
    p.add_argument("--decisions")
    p.add_argument("--tree")
    p.add_argument("--queue-by", default="queue")
    p.add_argument("--nodes", action="append", default=[])
    p.add_argument("--load", default="1.4")
    p.add_argument("--policy")
    p.add_argument("--apps")
    p.add_argument("--gang", action="store_true")
    p.add_argument("--heartbeat", default="1")
    p.add_argument("--multiplier", default="1")
    p.add_argument("--seed", default="0")
    p.add_argument("--until")
    p.add_argument("--default-run")
    p.add_argument("--default-task")
    p.add_argument("--preempt", default="off")
    p.add_argument("--preempt-every", default="3")
    p.add_argument("--preempt-grace", default="15")
    p.add_argument("--preempt-inside", default="no")
    for knob in ("factor", "victims"):
        p.add_argument("--preempt-" + knob)  # changes nothing that is judged
    p.add_argument("--preempt-kill", default="due")
    p.add_argument("--preempt-keep", default="10")
    p.add_argument("--preempt-part")
    p.add_argument("--preempt-ignored")
    p.add_argument("--preempt-used", default="0.8")
    p.add_argument("--preempt-timeout", default="30")
    p.add_argument("--preempt-cycles", type=int, default=5)
    o = p.parse_args(argv)
    o.load = units(o.load, 6, False)
    o.heartbeat = units(o.heartbeat, 9, False)
    o.preempt_every = units(o.preempt_every, 9, False)
    o.preempt_grace = units(o.preempt_grace, 9, False)
    o.preempt_keep = units(o.preempt_keep, 9, False)
    o.preempt_timeout = units(o.preempt_timeout, 9, False)
    o.preempt_used = units(o.preempt_used, 6, False)
    by_default = "0.1" if o.preempt == "imbalance" else "0"
    o.preempt_part = units(o.preempt_part or by_default, 6, False)
    o.preempt_ignored = units(o.preempt_ignored or by_default, 6, False)
    o.multiplier = units(o.multiplier, 6, False)
    o.default_run = units(o.default_run, 9, False) if o.default_run else None
    return o


def command(o, argv):
    """The program's arguments: ours without --replay and the workload."""
    out, skip = [], False
    for word in argv:
        if skip:
            skip = False
        elif word == "--replay":
            skip = True
        elif word not in (o.workload, "--sum"):
            out.append(word)
    return out


def plain(path, folder):
    """A file that the program can read: it knows no .gz."""
    if not path.endswith(".gz"):
        return path
    to = os.path.join(folder, os.path.basename(path)[:-3])
    with gzip.open(path) as source, open(to, "wb") as target:
        target.write(source.read())
    return to


class Summed(io.RawIOBase):
    """A stream, and the hash of what was read from it."""

    def __init__(self, stream):
        super().__init__()
        self.stream, self.hash = stream, hashlib.sha256()

    def readable(self):
        return True

    def readinto(self, room):
        data = self.stream.read(len(room))
        room[:len(data)] = data
        self.hash.update(data)
        return len(data)

    def with_result(self, result):
        """One word for the log and all of the result that is no time."""
        rest = {key: value for key, value in result.items() if key != "speed"}
        self.hash.update(json.dumps(rest, default=str).encode())
        return self.hash.hexdigest()


def judge(o, log, result):
    check = Check(o)
    check.run(csv.reader(log))
    check.close(result())
    return check


def run_and_judge(o, argv):
    with tempfile.TemporaryDirectory() as folder:
        file = plain(o.workload, folder)
        answer = os.path.join(folder, "result.json")
        args = [o.replay, file, "--quiet", "--json", answer,
                "--decisions", "-"] + command(o, argv)
        process = subprocess.Popen(args, stdout=subprocess.PIPE)
        summed = Summed(process.stdout)
        log = io.TextIOWrapper(io.BufferedReader(summed, 1 << 16), "utf-8",
                               "surrogateescape", newline="")

        def result():
            if process.wait() != 0:
                sys.exit(2)
            with open(answer, encoding="utf-8",
                      errors="surrogateescape") as file:
                return json.load(file, parse_float=Decimal)
        try:
            check = judge(o, log, result)
            check.sum = summed.with_result(check.figures)
            return check
        finally:
            process.kill()
            process.wait()


def read_and_judge(o):
    def result():
        with open(o.json, encoding="utf-8",
                  errors="surrogateescape") as file:
            return json.load(file, parse_float=Decimal)
    with open(o.decisions, encoding="utf-8", errors="surrogateescape",
              newline="") as log:
        return judge(o, log, result)


def main(argv):
    csv.field_size_limit(1 << 30)
    o = options(argv)
    try:
        check = run_and_judge(o, argv) if o.replay else read_and_judge(o)
    except Fault as fault:
        print("FAIL %s: %s" % (os.path.basename(o.workload), fault))
        return 1
    r = check.figures
    if o.sum and o.replay:
        print("sum %s" % check.sum)
    print("PASS %s: %d rows, %d jobs, %d tasks, %d nodes, p50 %s p95 %s s, "
          "digest %s, %s s%s" %
          (" ".join([os.path.basename(o.workload)] + command(o, argv)),
           check.rows, r["workload"]["jobs"], r["workload"]["tasks"],
           r["cluster"]["nodes"], r["delay_s"]["p50"], r["delay_s"]["p95"],
           r["result"]["digest"], round(r["speed"]["wall_s"], 2),
           "; " + ", ".join(check.notes) if check.notes else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

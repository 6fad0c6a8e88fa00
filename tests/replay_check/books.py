"""The log, row by row, and the books that follow it."""
from .amounts import vector
from .fault import Fault, need
from .figures import Figures
from .gangs import Gangs
from .idle import Idle
from .orders import Orders
from .places import Places
from .preemption import Preemption
from .queues import path_parts
from .words import DIGEST_ROWS, FORM, HELD, SAID, TURN
from .world import World


class Check(World, Orders, Figures):
    fault = Fault

    def __init__(self, o):
        self.o, self.notes = o, []
        self.gangs = None
        if o.gang_over is not None:
            self.gangs = Gangs(self, o.gang_over, o.gang_exact is not None)
        self.places = None
        if (o.place in ("pack", "spread") and not self.gangs and
                o.preempt == "off"):
            self.places = Places(self, o.place)
        elif o.place != "first":
            self.notes.append("places not judged")
        self.read()

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
        need(len(row) == 10, "a row has ten columns")
        number, time, kind, name, task, count, queue, node, text, reason = row
        need(FORM.fullmatch(",".join((number, time, kind, task, count, node))),
             "its kind, or its numbers")
        need(kind not in SAID or reason in SAID[kind], "the reason")
        now = int(time)
        need(int(number) == seq, "sequence")
        if now != self.now:
            need(self.now is None or now > self.now, "time runs back")
            if self.preemption.on:
                self.preemption.time_goes_on(self.now, now)
            elif self.now is not None:
                self.idle.advance(now)
                if self.gangs:
                    self.gangs.quiet(self.now, now)
            self.now = now
        job = self.by_name.get(name) or self.job(name)
        if self.gangs:
            self.gangs.row(kind, job, now)
        parts = self.names.get(queue)
        if parts is None:
            parts = self.names[queue] = path_parts(queue)
        need(parts == job.leaf.parts, "queue is %r", job.leaf.parts)
        got = self.amounts.get(text)
        if got is None:
            need(text, "no amount")
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
        need(node < len(self.free), "no such node")
        if not said:
            need(self.takes(job.needs, node), "its rule keeps it from node %d",
                 node)
            p.reservation(kind, job, count, node)
            return
        task = int(said)
        if kind == "notify":
            p.notify(job, task, count, node, now)
        elif kind == "kill":
            p.kill(job, task, count, node, now)
        elif kind == "requeue":
            p.requeue(job, task, count, node)
        else:
            p.let_off(job, task, count, node)

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
        if self.gangs:
            self.gangs.waits(job, 1)
        else:
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
        need(task + count <= job.tasks, "no such tasks")
        need(self.gangs or reason == TURN or
             reason == HELD and self.preemption.on, "the reason")
        need(task == job.next or self.preemption.on, "tasks go on from %d",
             job.next)
        need(not self.o.gang or count == job.tasks, "not the whole gang")
        need(node < len(self.free), "no such node")
        part = self.partition[node]
        need(part in job.partitions, "the node is in partition %s", part)
        need(self.takes(job.needs, node), "its rule keeps it from node %d",
             node)
        if self.places:
            self.places.starts(job, count, node, part)
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
        if self.gangs:
            self.gangs.starts(job, count, node, now, reason)
            self.gangs.touch(node)
        else:
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
        if self.gangs:
            self.gangs.touch(node)
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

"""After the log: what the JSON says is what the books say."""
import struct
from decimal import Decimal

from .amounts import vector
from .fault import need
from .queues import path_parts
from .words import DIGEST_ROWS, KIND, REASON
from .xxh64 import xxh64


class Figures:
    def close(self, result):
        o = self.o
        if o.until:
            self.close_early()
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

    def close_early(self):
        """--until: what was due by then has happened, and nothing later."""
        end = min((j.submit for j in self.jobs), default=0) + self.o.until
        need(self.now is None or self.now <= end, "rows after %d ns", end)
        for (name, task), (_, _, since) in self.running.items():
            need(since + self.by_name[name].run > end,
                 "task %d of %s still runs in the end", task, name)
        for job in self.jobs:
            need(job.state != "ahead" or job.submit > end or
                 self.o.multiplier < 10 ** 6 or self.may_wait(job.leaf),
                 "%s is not admitted in the end", job.name)
        if self.gangs:
            self.gangs.row("", None, end)
        if self.preemption.on:
            if self.now is not None and self.now < end:
                self.preemption.time_goes_on(self.now, end)
            return
        self.idle.advance(end)
        if self.gangs and self.now is not None:
            self.gangs.quiet(self.now, end)

    @staticmethod
    def may_wait(queue):
        """For other applications to end?"""
        while queue and queue.max_running is None:
            queue = queue.parent
        return queue is not None

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
        self.equal("attributes", [s.get("attributes", [])
                                  for s in c["specs"]], self.attributes)
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

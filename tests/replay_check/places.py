"""--place: a task goes to the node with least, or most, left of its leading
kind, of those that hold it."""
from .fault import need


class Places:
    def __init__(self, check, mode):
        self.c, self.sign = check, 1 if mode == "pack" else -1
        self.lead = {}

    def leading(self, step, part):
        """The kind of which it takes the largest part of the partition."""
        key = (step, part)
        if key not in self.lead:
            size, best = self.c.capacity[part], 0
            for k in range(1, len(step)):
                if step[k] * size[best] > step[best] * size[k]:
                    best = k
            self.lead[key] = best
        return self.lead[key]

    def wanted(self, step, part, needs):
        k = self.leading(step, part)
        at = [(self.sign * free[k], node) for node, free in
              enumerate(self.c.free) if self.c.partition[node] == part and
              self.c.takes(needs, node) and
              all(a <= f for a, f in zip(step, free) if a)]
        return min(at)[1] if at else None

    def starts(self, job, count, node, part):
        """Before the books know of it. Alike tasks are one row."""
        if not any(job.step):
            return
        steps = 1 if self.c.o.gang else count
        free = self.c.free[node]
        for _ in range(steps):
            best = self.wanted(job.step, part, job.needs)
            need(best == node, "node %s comes first", best)
            for k, a in enumerate(job.step):
                free[k] -= a
        for k, a in enumerate(job.step):
            free[k] += a * steps

"""A small resource manager of one's own, put through sked.testing.

It knows one kind of resource. A node that beats is filled task by task: of all
queues that have work which fits, the one that is furthest below its weight goes
first, parent by parent; inside a queue, the job that came first. That is enough
to pass `EngineMachine`: no node and no limit is exceeded, whatever fits is
placed, and queues come within one task of their fair shares.

    python examples/plain_manager.py
"""

from sked import Decide, EventKind
from sked.testing import machine
from sked.testing.decode import Decision, decisions, decode


class PlainManager:
    """Everything in dicts."""

    def __init__(self, tree):
        self.tree = tree
        self.leaf = {q.id: q for q in tree.leaves}
        self.free, self.jobs, self.asks, self.groups = {}, {}, {}, {}
        self.used = {q.path: 0 for q in tree}
        self.out, self.last = [], 0

    # ---- what machines and hosts call ----

    def apply(self, events):
        """What happened."""
        for event in decode(events):
            getattr(self, "on_" + event.kind.name.lower(),
                    lambda event: None)(event)

    def take(self):
        """What to do."""
        said, self.out = decisions(self.out), []
        return said

    def usage(self, queue):
        """What a queue holds."""
        return {"cpu": self.used[queue.path]}

    def free_on(self, node):
        """What a node has left."""
        return {"cpu": self.free[node]}

    def check(self):
        """Books that agree with themselves."""
        assert all(free >= 0 for free in self.free.values())

    # ---- events ----

    def on_node_up(self, event):
        self.free[event.key] = event.amount[0]

    def on_node_down(self, event):
        del self.free[event.key]
        for group, (node, ask, count) in list(self.groups.items()):
            if node == event.key:
                self.end(group, count)
                if ask in self.asks:
                    self.asks[ask][2] += count
                self.out.append(Decision(event.time, Decide.LOST, ask=ask,
                                         node=node, group=group, count=count))

    def on_job_submit(self, event):
        self.jobs[event.key] = self.leaf[event.queue]

    def on_ask_withdraw(self, event):
        self.asks[event.key][2] = 0

    def on_ask_add(self, event):
        self.asks[event.key] = [event.owner, event.amount[0], event.count]

    def on_task_finish(self, event):
        self.end(event.key, event.count)

    def on_heartbeat(self, event):
        node = event.key
        while (ask := self.choose(self.free[node])) is not None:
            job, size, _ = self.asks[ask]
            self.asks[ask][2] -= 1
            self.last += 1
            self.groups[self.last] = [node, ask, 1]
            self.hold(ask, node, size)
            self.out.append(Decision(event.time, Decide.ALLOCATE, job, ask,
                                     node, self.last, 1, self.jobs[job].id))

    # ---- books ----

    def hold(self, ask, node, size):
        """So much more, on the node and in every queue of the path."""
        if node in self.free:
            self.free[node] -= size
        queue = self.jobs[self.asks[ask][0]]
        while queue is not None:
            self.used[queue.path] += size
            queue = queue.parent

    def end(self, group, count):
        node, ask, n = self.groups[group]
        self.hold(ask, node, -self.asks[ask][1] * count)
        self.groups[group][2] = n - count
        if n == count:
            del self.groups[group]

    # ---- the policy ----

    def choose(self, free):
        """An ask to serve with so much free; None: nothing fits."""
        ready = {}
        for ask, (job, size, count) in self.asks.items():
            path = self.path(self.jobs[job])
            if count and size <= free and all(
                    self.used[q.path] + size <= q.get("limit")["cpu"]
                    for q in path):
                ready.setdefault(path[0].id, ask)
        if not ready:
            return None
        queue = self.tree.root
        while queue.children:
            queue = min((q for q in queue.children if self.has(q, ready)),
                        key=self.level)
        return ready[queue.id]

    @staticmethod
    def path(queue):
        """From a queue up to the root."""
        made = []
        while queue is not None:
            made.append(queue)
            queue = queue.parent
        return made

    def has(self, queue, ready):
        return queue.id in ready or any(self.has(q, ready)
                                        for q in queue.children)

    def level(self, queue):
        """Below a guarantee first, then by usage over weight."""
        used = self.used[queue.path]
        return used >= queue.get("guarantee")["cpu"], used / queue.get("weight")


class TestPlainManager(machine.EngineMachine):
    """Run by pytest, or here."""

    def make(self, tree):
        return PlainManager(tree)


def main():
    """Fifty cases; what fails is shrunk to the smallest and raised."""
    from hypothesis import settings
    from hypothesis.stateful import run_state_machine_as_test
    run_state_machine_as_test(TestPlainManager, settings=settings(
        max_examples=50, stateful_step_count=20, deadline=None,
        derandomize=True, database=None))
    return "passed"


if __name__ == "__main__":
    print(main())

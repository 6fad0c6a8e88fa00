"""Small models of other schedulers, written from their own rules, and what an
imported tree does with the same demand.

A model starts tasks of one core one by one: from the root down the first child
in its parent's order that may take one. Everything is exact."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cmp_to_key

from sked.testing.regressions import Cluster, engine

CORES = 120
TASK = "cpu=1,memory=1GiB"
ALONE = "cpu=1"  # of sources that count cores alone here


@dataclass
class Node:
    """A queue of a model. What a form knows of it stands in `said`."""

    name: str
    said: dict = field(default_factory=dict)
    below: list = field(default_factory=list)
    used: int = 0
    demand: int = 0
    limit: Fraction = Fraction(CORES)
    guarantee: Fraction = Fraction(0)

    def walk(self, path=()):
        """Every queue with its path, parents first."""
        path = (*path, self.name)
        yield path, self
        for one in self.below:
            yield from one.walk(path)

    def leaves(self):
        return {".".join(path): node for path, node in self.walk()
                if not node.below}

    def wants(self):
        """Is there anything that waits below?"""
        return any(one.wants() for one in self.below) if self.below else \
            self.used < self.demand

    def take(self, order):
        """Starts one task here or below; False where none may start."""
        if self.used + 1 > self.limit:
            return False
        if self.below:
            if not any(one.take(order) for one in order(self)):
                return False
        elif self.used >= self.demand:
            return False
        self.used += 1
        return True

    def give(self):
        """Ends one task here or below, of the child that holds most."""
        self.used -= 1
        if self.below:
            max(self.below, key=lambda one: one.used).give()


def fill(root, order):
    """Starts all tasks that start."""
    while root.take(order):
        pass


def by_key(key):
    """Children that want something, least key first."""
    return lambda node: sorted((one for one in node.below if one.wants()),
                               key=key)


# ---- the sources' orders ----

def capacity_order(node):
    """PriorityUtilizationQueueOrderingPolicy.compare."""
    ranked = node.said.get("ordering-policy") == "priority-utilization"

    def ratio(one):
        return one.used / max(one.guarantee, Fraction(1))

    def compare(a, b):
        x, y = ratio(a), ratio(b)
        p = a.said.get("priority", 0) if ranked else 0
        q = b.said.get("priority", 0) if ranked else 0
        if p != q and (x < 1) == (y < 1):
            return q - p
        if x != y:
            return -1 if x < y else 1
        return -1 if a.guarantee > b.guarantee else int(
            a.guarantee < b.guarantee)

    return sorted((one for one in node.below if one.wants()),
                  key=cmp_to_key(compare))


def fair_order(node):
    """FairShareComparator: below the minimum share first, then by usage over
    weight."""
    def key(one):
        least = min(one.guarantee, one.demand) if not one.below else \
            one.guarantee
        if one.used < least:
            return 0, Fraction(one.used) / one.guarantee
        weight = one.said.get("weight", Fraction(1))
        return (1, one.used / weight) if weight else (2, one.used)

    return by_key(key)(node)


def yunikorn_order(node):
    """sortQueuesByPriorityAndFairness, or by fairness alone."""
    def key(one):
        of = one.guarantee or one.said.get("max") or CORES
        share = Fraction(one.used) / of
        return (-one.said.get("offset", 0), share) \
            if node.said.get("priorities", True) else (share,)

    return by_key(key)(node)


def yunikorn_preempts(root):
    """Queues below their guarantee take from the one that is furthest above
    its own, among siblings."""
    for _ in range(CORES):
        poor = [one for one in root.below if one.wants() and
                one.used < min(one.guarantee, one.limit)]
        rich = [one for one in root.below if one.used - one.guarantee >= 1]
        if not poor or not rich or root.used < CORES:
            return
        max(rich, key=lambda one: one.used - one.guarantee).give()
        root.used -= 1
        if not poor[0].take(yunikorn_order):
            return
        root.used += 1


def accounts_order(node):
    """Usage over shares, level by level."""
    return by_key(lambda one: one.used / one.said["shares"])(node)


def tier_order(node):
    """Partitions of a higher tier first."""
    return by_key(lambda one: -one.said["tier"])(node)


def deserved(queues):
    """The proportion plug-in: what is left goes out by weight, round by
    round, at most what a queue may have and asks for, at least what is
    guaranteed."""
    held = {q: Fraction(0) for q in queues}
    free = sum(q.said.get("held", 0) for q in queues)
    left, done = Fraction(CORES), set()
    for _ in range(1000):
        total = sum(q.said["weight"] for q in queues if id(q) not in done)
        if not total or not left:
            break
        before = left
        gained = Fraction(0)
        for q in queues:
            if id(q) in done:
                continue
            own = q.said.get("held", 0)
            most = min(Fraction(CORES - free + own), q.limit)
            now = max(min(held[q] + before * q.said["weight"] / total, most,
                          Fraction(q.demand)), Fraction(own))
            if now >= q.demand or now == held[q]:
                done.add(id(q))
            gained += now - held[q]
            held[q] = now
        left = max(Fraction(0), before - gained)
        if left == before:
            break
    return held


Node.__hash__ = object.__hash__


# ---- an imported tree ----

def run(config, phases, task=ALONE, preempts=False):
    """What each leaf of a tree holds, phase by phase. A phase says how many
    tasks each leaf wants; what a leaf wants no more ends at once, all other
    tasks go on, unless queues take back what is theirs."""
    cluster = Cluster(engine, config.text(), [f"cpu={CORES}" + (
        f",memory={CORES}GiB" if "memory" in config.kinds else "")], preempts)
    jobs, before, held = {}, {}, []
    for phase in phases:
        for path in [p for p, n in before.items() if n != phase[p]]:
            stop(cluster, jobs.pop(path))
        for path, count in phase.items():
            if count and count != before.get(path, 0):
                jobs[path] = cluster.job(path, task, count)
        before = {path: count for path, count in phase.items() if count}
        cluster.wait(60 if preempts and len(phases) > 1 else 1)
        held.append({path: cluster.running(jobs[path]) if path in jobs else 0
                     for path in phase})
    return held


def stop(cluster, job):
    """A job ends, with all that runs and waits of it."""
    for group, one in cluster.groups.items():
        if one[1] and cluster.jobs[one[0]][0] == job:
            cluster.tell(cluster.events().finish(cluster.now, group, one[1]))
            one[1] = 0
    cluster.tell(cluster.events().cancel_job(cluster.now, job))


def modelled(root, order, phases, after=lambda root: None):
    """The same of a model."""
    leaves, held = root.leaves(), []
    for phase in phases:
        for path, count in phase.items():
            leaf = leaves[path]
            if leaf.demand != count:
                ended = leaf.used
                for part in above(root, path):
                    part.used -= ended
                leaf.demand = count
        fill(root, order)
        after(root)
        held.append({path: leaves[path].used for path in phase})
    return held


def above(root, path):
    """The queues of a path, from the root on."""
    found, left = [root], path.split(".")[1:]
    for name in left:
        found.append(next(one for one in found[-1].below if one.name == name))
    return found

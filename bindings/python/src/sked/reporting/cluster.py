"""The nodes of a run: as --nodes or --capacity says, as many as make a load, or
as large as what was recorded. Where each amount comes from is kept with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from ..errors import Error
from ..schema import Schema
from ..sim import Jobs, Nodes
from .given import Given, Mode, Wanted
from .numbers import column, exact_dot, lasting, steps

#: Without --nodes and --load, where nothing was recorded.
LOAD = Fraction(14, 10)


#: Where what a cluster has comes from.
TOLD, PEAK, INVENTED = "told", "recorded peak", "invented"
#: A peak is taken for an error of the file where it is so many times the level
#: that is passed for RARE of the time, and use stands at NEAR of that level or
#: above for PLATEAU times as long as it passes it: a machine that was full.
SPIKE, RARE = Fraction(4, 3), Fraction(1, 200)
NEAR, PLATEAU = Fraction(9, 10), 4


@dataclass(frozen=True)
class Spike:
    """A peak that is likely no capacity: what it is, the level that is taken
    instead, for which part of the time that is passed, and whether it was
    taken."""

    peak: int
    level: int
    part: float
    taken: bool


@dataclass
class Cluster:
    """Nodes, what they have in all, where that comes from by kind (TOLD, PEAK,
    INVENTED), and the same in words."""

    nodes: list[Nodes]
    capacity: list[int]
    source: list[str]
    why: str
    gang: bool = False
    #: Peaks that were not believed: by kind, the peak and what is taken.
    spikes: dict[str, Spike] = field(default_factory=dict)

    @property
    def invented(self) -> bool:
        """Does it exist only here?"""
        return INVENTED in self.source

    @property
    def count(self) -> int:
        """How many nodes."""
        return sum(n.count for n in self.nodes)


def read_spec(schema: Schema, text: str, partitions: dict[str, int]) -> Nodes:
    """"N x VECTOR [@partition]". ValueError when it is none."""
    count, _, rest = text.partition("x")
    amounts, _, partition = rest.partition("@")
    if not count.strip().isdigit() or not amounts.strip():
        raise ValueError(f'--nodes: {text!r} is not "N x amounts"')
    return Nodes(int(count), schema.vec(amounts.strip()),
                 partitions.get(partition.strip(), 0))


def make(wanted: Wanted, given: Given) -> Cluster:
    """The cluster of a run."""
    schema = given.tree.schema
    kinds = len(schema)
    if wanted.nodes:
        from .given import partitions_of
        parts = partitions_of(wanted.nodes)
        nodes = [read_spec(schema, text, parts) for text in wanted.nodes]
        for text, spec in zip(wanted.nodes, nodes):
            if spec.count < 1:
                raise ValueError(f"--nodes {text!r}: no node")
        return Cluster(nodes, total(nodes, kinds), [TOLD] * kinds,
                       "as --nodes says", wanted.gang)
    notes, jobs = given.notes, given.jobs
    assert notes is not None and jobs is not None
    if wanted.capacity or (wanted.load is None and (
            notes.recorded or given.processors)):
        return pool(wanted, given)
    load = wanted.load or LOAD
    node, count = derive(jobs, kinds, load)
    nodes = [Nodes(count, node)]
    return Cluster(nodes, total(nodes, kinds), [INVENTED] * kinds,
                   f"made so that the work is {float(load):g} times what it "
                   "can do", wanted.gang)


def pool(wanted: Wanted, given: Given) -> Cluster:
    """One pool of everything: what --capacity says; of kinds that it leaves
    out, and without it, what the file says the machine had, or else the most
    that was in use at one time (without starts: nothing)."""
    schema = given.tree.schema
    assert given.notes is not None
    most = peak(given) if given.notes.recorded else [0] * len(schema)
    spikes = spikes_of(given, most) if given.notes.recorded else {}
    for name, spike in spikes.items():
        if spike.taken:
            most[schema.kind(name)] = spike.level
    source = [PEAK] * len(schema)
    why = "the most that was in use at one time"
    if given.processors and "cpu" in schema.names:
        at = schema.names.index("cpu")
        most[at], source[at] = 1000 * given.processors, TOLD
        spikes.pop("cpu", None)
        why = "as the file says the machine had"
    if wanted.capacity:
        try:
            said = list(schema.vec(wanted.capacity, -1))
        except Error as error:
            raise ValueError(
                f"--capacity {wanted.capacity!r}: {error}") from None
        for k, amount in enumerate(said):
            if amount >= 0:
                most[k], source[k] = amount, TOLD
                spikes.pop(schema.names[k], None)
        if not any(most):
            raise ValueError(f"--capacity {wanted.capacity!r}: is nothing")
        why = "as --capacity says"
    gang = wanted.gang or given.mode is Mode.JOBS
    return Cluster([Nodes(1, most)], most, source, why + ", as one pool", gang,
                   spikes)


def total(nodes: list[Nodes], kinds: int) -> list[int]:
    """What all nodes have."""
    rows = [(n.count, list(n.amount)) for n in nodes]
    return [sum(count * int(amount[k]) for count, amount in rows)
            for k in range(kinds)]


def derive(jobs: Jobs, kinds: int, load: Fraction) -> tuple[list[int], int]:
    """The node and how many of it, as `replay --load` has them: the largest
    task, or 32 times it where no task exceeds 1/32 of the need; as many as the
    largest over kinds of ceil(work / (load * span * node))."""
    span = jobs.submit[-1] - jobs.submit[0] or max(jobs.run)
    amounts = column(jobs.amounts).reshape(-1, kinds)
    took = column(jobs.run)
    tasks = column(jobs.tasks)
    work = [exact_dot(amounts[:, k] * tasks, took) for k in range(kinds)]
    task = [int(amounts[:, k].max()) for k in range(kinds)]
    need = [Fraction(w) / (load * span) for w in work]
    if all(32 * t <= n for t, n in zip(task, need)):
        task = [32 * t for t in task]
    count = 1
    for t, n in zip(task, need):
        if t:
            count = max(count, -(-n // t))
    if count > 1 << 20:
        raise ValueError(f"--load {float(load):g} takes more than 1048576 "
                         "nodes: use --nodes")
    return task, count


def peak(given: Given) -> list[int]:
    """The most of each kind that was in use at one time, as recorded."""
    notes = given.notes
    assert notes is not None
    return [int(steps(notes.start, notes.end, given.held(kind))[1].max(
        initial=0)) for kind in given.tree.schema.names]


def spikes_of(given: Given, most: list[int]) -> dict[str, Spike]:
    """The kinds whose recorded peak is likely no capacity, because rows of the
    file overlap. A level is only taken where use stands near it as it does on
    a machine that is full; it is never less than the largest job."""
    import numpy
    notes, found = given.notes, {}
    assert notes is not None
    for name, top in zip(given.tree.schema.names, most):
        held = given.held(name)
        level, span = lasting(*steps(notes.start, notes.end, held))
        if not len(level):
            continue
        above = int(span.sum()) - numpy.cumsum(span)
        whole = int(span.sum())
        at = int(numpy.argmax(above <= int(whole * RARE)))
        usual = max(int(level[at]), int(held.max()))
        if top <= SPIKE * usual:
            continue
        passed = int(span[level > usual].sum())
        near = int(span[level >= int(NEAR * usual)].sum())
        found[name] = Spike(top, usual, passed / whole,
                            near >= PLATEAU * max(passed, 1) and usual < top)
    return found

"""From a workload to columns that the simulator runs, by the programs' rules:
what is skipped and why, what is supposed, and in which order jobs come."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from operator import le
from typing import Any

from ...enums import ANY_PARTITION
from ...errors import Error
from ...schema import Schema, Vector
from ...sim import Jobs
from ...tree import Queue, Tree
from ..model import Job, Workload, bare, split
from .common import tier_name
from .exact import Bad
from .quick import quick_jobs
from ..files import failed

KINDS = ("cpu", "memory", "gpu")
CORE = (1000, 0, 0)
MOST_TASKS = 2**31 - 1
MOST_TAKEN = 1 << 15  # different jobs whose amounts are kept
MOST_LEVELS = 8
BY = f"by is queue, group, user, tier, or up to {MOST_LEVELS} joined by /"


def level_of(by: str) -> Callable[[Job], str]:
    """The field of a job that names its queue."""
    if by not in ("queue", "group", "user", "tier"):
        raise ValueError(BY)
    if by == "tier":
        return lambda job: tier_name(job.tier)
    return lambda job: getattr(job, by) or "default"


def levels_of(by: str) -> list[Callable[[Job], str]]:
    """The levels of names below the root."""
    words = by.split("/")
    if len(words) > MOST_LEVELS:
        raise ValueError(BY)
    return [level_of(word) for word in words]


def reasons(job: Job, run: int | None) -> Iterator[str]:
    """Why a job is left out, the first that the programs look at first."""
    if job.tasks == 0:
        yield "no tasks"
    if job.submit is None and job.start is None:
        yield "no submission"
    if run is None:
        yield "unknown run time"
    elif run == 0:
        yield "zero run time"


#: In a log of processors they look at these in this order.
SWF_ORDER = ("unknown run time", "no submission", "zero run time", "no tasks")


def skipped(job: Job, run: int | None, form: str) -> str:
    """Why a job is left out; "": it is not."""
    found = list(reasons(job, run))
    if len(found) > 1 and form == "swf":
        found.sort(key=SWF_ORDER.index)
    return found[0] if found else ""


class Leaves:
    """Names to leaves of a tree, each looked up once. A name that the tree
    does not have is a path, with dots between names, which may begin with the
    root's: what the programs do."""

    def __init__(self, tree: Tree, grow: bool,
                 by: Sequence[str] = ()) -> None:
        self.tree = tree
        self.grow = grow
        #: Levels that are tiers: one that the tree has no queue for is in
        #: `default`.
        self.tiers = [at for at, name in enumerate(by) if name == "tier"]
        self.known: dict[tuple[str, ...], Queue] = {}
        self.below: dict[int, dict[str, Queue]] = {}

    def children(self, queue: Queue) -> dict[str, Queue]:
        """What is below a queue, by name."""
        found = self.below.get(queue.id)
        if found is None:
            found = {child.name: child for child in queue.children}
            self.below[queue.id] = found
        return found

    def find(self, names: tuple[str, ...]) -> Queue:
        """The leaf of names from the root's child on. Bad: there is none."""
        queue = self.known.get(names)
        if queue is None:
            queue = self.there(names) or self.there(self.dotted(names))
            if queue is None and self.tiers and not self.grow:
                rest = self.untiered(names)
                queue = self.there(rest) or self.there(self.dotted(rest))
            for name in () if queue else self.rooted(names):
                queue = self.step(queue or self.tree.root, name)
            assert queue is not None
            if self.children(queue):
                raise Bad("the queue is not a leaf", ".".join(names)[:80])
            self.known[names] = queue
        return queue

    def there(self, names: tuple[str, ...]) -> Queue | None:
        """The queue of names below the root, where there is one."""
        queue = self.tree.root
        for name in names:
            found = self.children(queue).get(name)
            if found is None:
                return None
            queue = found
        return queue if names else None

    def untiered(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The same names, in the queue for jobs of no tier."""
        return tuple("default" if at in self.tiers else name
                     for at, name in enumerate(names))

    def dotted(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names as paths: a backslash takes what is behind it as it is."""
        words = [bare(word) for name in names for word in split(name, ".")]
        if len(words) > 1 and words[0] == self.tree.root.name and \
                names[0].startswith(f"{words[0]}."):
            words = words[1:]
        return tuple(words)

    def rooted(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names that are to be added: a first one that begins with the root's
        is a path."""
        root = self.tree.root.name + "."
        if not self.grow:
            return self.dotted(names)
        if names[0].startswith(root) and len(names[0]) > len(root):
            return (*names[0].removeprefix(root).split("."), *names[1:])
        return names

    def step(self, queue: Queue, name: str) -> Queue:
        """A child, which the tree has or gets."""
        below = self.children(queue)
        if name not in below:
            if not self.grow:
                raise Bad("the tree has no such queue", name[:80])
            try:
                below[name] = queue.add(name)
            except UnicodeEncodeError:
                raise Bad("is no name in UTF-8",
                          ascii(name)[:80]) from None
            except Error as error:
                raise Bad(str(error), name[:80]) from None
            self.below[below[name].id] = {}
        return below[name]


class Filler:
    """Columns being filled, in the order of the file."""

    def __init__(self, work: Workload, tree: Tree, run: int | None,
                 task: tuple[int, ...], partitions: Mapping[str, int]) -> None:
        self.work = work
        self.default_run = run
        self.default_task = task
        self.partitions = partitions
        schema = tree.schema
        self.kinds = [schema.names.index(k) if k in schema.names else -1
                      for k in KINDS]
        self.width = len(schema)
        self.users: dict[str, int] = {}
        self.names: list[tuple[str, ...]] = []
        self.places: dict[tuple[str, ...], int] = {}
        self.place = array("q")
        self.taken: dict[tuple[Any, ...], list[int]] = {}
        self.made = Jobs(array("q"), array("q"), array("q"), None, array("q"),
                         array("Q"), array("i"), array("I"))

    def amounts(self, job: Job) -> list[int]:
        """One task's, in the tree's kinds."""
        key = job.cpu, job.memory, job.gpu, job.tasks
        known = self.taken.get(key)
        if known is not None:
            return known
        said = (job.cpu, job.memory, job.gpu)
        task = self.default_task if said == (None, None, None) else said
        made = [0] * self.width
        for at, kind, amount in zip(self.kinds, KINDS, task):
            if at >= 0:
                made[at] = amount or 0
            elif amount:
                raise Bad("the tree has no kind for it", kind)
        if job.tasks > MOST_TASKS:
            raise Bad("more than 2147483647 tasks")
        if any(a * job.tasks > 1 << 62 for a in made):
            raise Bad("the tasks want more than 2^62 units")
        if len(self.taken) >= MOST_TAKEN:
            self.taken.clear()
        self.taken[key] = made
        return made

    def add(self, job: Job, names: tuple[str, ...]) -> bool:
        """Takes a job in, or counts why not."""
        user = self.users.setdefault(job.user or "default",
                                     len(self.users) + 1)
        run = self.default_run if job.run is None else job.run
        submit = job.start if job.submit is None else job.submit
        if not run or not job.tasks or submit is None:
            self.work.skip(skipped(job, run, self.work.form))
            return False
        made = self.made
        made.amounts.extend(self.amounts(job))
        made.submit.append(submit)
        made.run.append(run)
        made.tasks.append(job.tasks)
        made.user.append(user)
        made.priority.append(job.priority or 0)
        made.partition.append(self.partition(job.partition)
                              if self.partitions else 0)
        at = self.places.setdefault(names, len(self.names))
        if at == len(self.names):
            self.names.append(names)
        self.place.append(at)
        return True

    def partition(self, name: str) -> int:
        """Its number; one without nodes has the number behind all."""
        if not self.partitions:
            return 0
        if name in self.partitions:
            return self.partitions[name]
        return max(self.partitions.values()) + 1 if name else ANY_PARTITION

    def order(self) -> Sequence[int]:
        """Rows by submission, then by line."""
        submit = self.made.submit
        if all(map(le, submit, islice(submit, 1, None))):
            return range(len(submit))
        return sorted(range(len(submit)), key=submit.__getitem__)

    def sorted(self, leaves: Leaves) -> Jobs:
        """The columns by submission, then by line."""
        made, width, order = self.made, self.width, self.order()
        if isinstance(order, range):  # as they came
            ids = {at: leaves.find(self.names[at]).id
                   for at in dict.fromkeys(self.place)}
            return Jobs(made.submit, made.run, made.amounts,
                        array("Q", map(ids.__getitem__, self.place)),
                        made.tasks, made.user, made.priority, made.partition)

        def taken(column: Any) -> Any:
            return array(column.typecode, map(column.__getitem__, order))

        amounts = array("q", (made.amounts[i * width + k] for i in order
                              for k in range(width)))
        place = taken(self.place)
        ids = {at: leaves.find(self.names[at]).id
               for at in dict.fromkeys(place)}
        return Jobs(taken(made.submit), taken(made.run), amounts,
                    array("Q", map(ids.__getitem__, place)),
                    taken(made.tasks), taken(made.user), taken(made.priority),
                    taken(made.partition))


def default_of(task: Vector | None) -> tuple[int, ...]:
    """What a task takes of which nothing is said: one core."""
    if task is None:
        return CORE
    made = Schema("cpu=m memory=B gpu=m").vec(task)
    return tuple(made) if any(made) else CORE


def to_jobs(workload: Workload, tree: Tree, *, by: str = "queue",
            default_run: int | None = None, default_task: Vector | None = None,
            partitions: Mapping[str, int] | None = None,
            grow: bool = False) -> Jobs:
    """A workload as columns for `Sim`, in the order of submission.

    A job's leaf is its queue below the root, or what `by` says: "group",
    "user", "tier", or up to 8 joined by '/', a level each. What a job says is
    a name, or else a path: "ads.etl.tier1", "root.ads.etl.tier1". Tiers are
    called tier1, tier2, or default where the tree has no such queue.
    ImportFailed with its line where the tree has none; with `grow` the tree
    gets it. `default_run` (ns) and `default_task`
    stand in where a job says nothing; one core otherwise. `partitions` gives
    the numbers that `Nodes` have, by name. Jobs that cannot run are left out
    and counted in `workload.skipped`, by reason."""
    levels = levels_of(by)
    filler = Filler(workload, tree, default_run, default_of(default_task),
                    partitions or {})
    leaves = Leaves(tree, grow, by.split("/"))
    if not partitions:
        quick = quick_jobs(workload, leaves, by.split("/"), default_run,
                           filler.default_task, filler.kinds, filler.width)
        if quick is not None:
            return quick
    first = levels[0] if len(levels) == 1 else None
    line = 0
    try:
        for job in workload:
            line = job.line
            names = (first(job),) if first else tuple([
                level(job) for level in levels])
            if filler.add(job, names) and not grow and \
                    names not in leaves.known:
                leaves.find(names)
        return filler.sorted(leaves)
    except Bad as bad:
        where = f"{bad.where}: " if bad.where else ""
        raise failed(workload.file, where + bad.reason, line) from None

"""A workload as columns, from rows or frames. <sched/sim.h>"""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .columns import (Numbers, Table, Texts, convert_column, unbounded,
                      whole)
from .frames import FLAGS, FrameError, amount_name, jobs_of
from .rule import Rule, Words, numbered
from .tree import Queue, Tree

SECOND = 1_000_000_000


@dataclass(repr=False)
class Jobs:
    """A workload as columns: `submit` and `run` in ns, `amounts` of one task
    row by row, `queue` as ids of leaves. What is None has one value for all:
    one task, user 1, priority 0, partition 0, no data.

    Job i has data on the nodes place[place_offsets[i]:place_offsets[i + 1]] (in
    their order), of so many tasks as `place_tasks` says beside them (any number);
    a task that starts elsewhere takes `transfer` ns longer. How long they wait
    for their nodes is `node_delay` of the engine.

    Job i runs on the nodes that rules[rule[i] - 1] takes, by their attributes; on
    any with rule[i] 0."""

    submit: Numbers
    run: Numbers
    amounts: Numbers
    queue: Numbers
    tasks: Numbers = None
    user: Numbers = None
    priority: Numbers = None
    partition: Numbers = None
    stream: Numbers = None
    place_offsets: Numbers = None
    place: Numbers = None
    place_tasks: Numbers = None
    transfer: Numbers = None
    rule: Numbers = None
    rules: Sequence[Rule] = ()

    @classmethod
    def of(cls, tree: Tree, rows: Iterable[dict[str, Any]]) -> Jobs:
        """From rows with submit_s, run_s, queue (a path or a Queue), amount (a
        vector), and perhaps tasks, user, priority, needs (a Rule). KeyError for any other key,
        FrameError for what is no number; a frame goes through `from_frame`."""
        made = cls(array("q"), array("q"), array("q"), array("Q"), array("q"),
                   array("Q"), array("i"))
        needs: list[Rule | None] = []
        if hasattr(rows, "columns") or isinstance(rows, Mapping):
            raise TypeError("Jobs.of takes rows: Jobs.from_frame takes frames")
        for i, row in enumerate(rows):
            known(row, i)
            queue = row["queue"]
            made.submit.append(ns_of(row, i, "submit_s", 0))
            made.run.append(ns_of(row, i, "run_s", 0))
            made.amounts.extend(tree.schema.vec(row["amount"]))
            made.queue.append(queue.id if isinstance(queue, Queue)
                              else tree[queue].id)
            made.tasks.append(number_of(row, i, "tasks", 1))
            made.user.append(number_of(row, i, "user", 1))
            made.priority.append(number_of(row, i, "priority", 0))
            needs.append(row.get("needs"))
        if any(needs):
            made.rule, made.rules = numbered(needs)
        return made

    @classmethod
    def from_frame(cls, tree: Tree, frame: Any, *,
                   columns: Mapping[str, str] | None = None,
                   units: Mapping[str, str] | None = None,
                   ignore: Iterable[str] | str = (), zone: str = "UTC",
                   words: Words | None = None,
                   rules: Sequence[Rule] = ()) -> Jobs:
        """From a pandas or polars frame, an Arrow table, or a dict of columns.

        Columns: submit (or start), run (or start and end), queue (a path, the
        root's name may be left out), amounts of one task by the schema's kinds
        (cpu, memory, ...), and perhaps tasks, user (a name or a number),
        priority, partition, needs (with `words`: a rule as a text, such as
        "model=a100 & zone!=b"; none: any node); `columns` says what they are called in the frame.
        Numbers of kinds counted in thousandths are cores (GPUs), those in
        bytes bytes, unless `units` says otherwise ({"memory": "GiB"}); texts
        like "4GiB" say it themselves. Times are dates (without a zone: in
        `zone`) or seconds; parts of a nanosecond are rounded, parts of a
        smallest unit rounded up where a float says them. Nulls are one task,
        priority 0, none of a kind.

        A frame that `to_pandas`, `to_polars` or `table` made comes back
        unchanged, with dates too; rules, which a frame has by number, come from
        `rules` (those of the jobs). With numpy, whole columns are read at once (over a million
        rows a second from pandas); the numbers are those of single values.

        ValueError for a column that is not known, unless `ignore` has it or is
        "rest", which leaves out every such column;
        FrameError, a ValueError, with column, row and value for what does not
        fit.

        >>> tree = Tree("cpu=m memory=B")
        >>> _ = tree.root.add("a")
        >>> jobs = Jobs.from_frame(tree, {"submit": [5, 0], "run": [1.5, 2],
        ...     "queue": ["a", "root.a"], "cpu": [2.5, 1], "memory": [4, 8]},
        ...     units={"memory": "GiB"})
        >>> jobs.submit.tolist(), jobs.amounts.tolist()
        ([0, 5000000000], [1000, 8589934592, 2500, 4294967296])
        >>> jobs
        <Jobs: 2 jobs of 2 tasks in 1 queue, submitted over 5.0 s>
        """
        return jobs_of(cls, tree, frame, columns=columns, units=units,
                       ignore=ignore, zone=zone, words=words,
                       rules=rules)

    def __repr__(self) -> str:
        n = len(self)
        tasks = n if self.tasks is None else sum(self.tasks)
        queues = len(set(self.queue)) if self.queue is not None else 0
        span = (max(self.submit) - min(self.submit)) / SECOND if n else 0.0
        return (f"<Jobs: {n:,} job{'s' * (n != 1)} of {tasks:,} "
                f"task{'s' * (tasks != 1)} in {queues:,} "
                f"queue{'s' * (queues != 1)}, submitted over {span:,.1f} s>")

    def table(self, tree: Tree | None = None) -> Table:
        """The columns with names: times in ns, queues as ids, amounts by
        number of the kind. With the tree, queues are paths, and amounts are
        called by kind and unit: `cpu_cores`, `memory_bytes`. `from_frame`
        reads both back.

        >>> tree = Tree("cpu=m memory=B")
        >>> jobs = Jobs.of(tree, [{"queue": tree.root.add("a"), "run_s": 5,
        ...                        "amount": "cpu=1.5,memory=4GiB"}])
        >>> list(jobs.table(tree).rows(named=True))[0]["cpu_cores"]
        1.5
        """
        n = len(self)
        kinds = len(self.amounts) // n if n else 0
        made: dict[str, Any] = {"submit_ns": convert_column(self.submit),
                                "run_ns": convert_column(self.run)}
        if tree is None:
            made["queue"] = convert_column(self.queue, "Q")
        else:
            paths = {queue.id: queue.path for queue in tree}
            made["queue"] = Texts(paths[int(one)] for one in self.queue)
        for name, code in (("tasks", "q"), ("user", "Q"), ("priority", "i"),
                           ("partition", "I"), ("stream", "Q"),
                           ("transfer", "q"), ("rule", "I")):
            column = getattr(self, name)
            if column is not None:
                at = "transfer_ns" if name == "transfer" else name
                made[at] = convert_column(column, code)
        amounts = self.amounts[::] if isinstance(self.amounts, array) \
            else list(self.amounts)
        for k in range(kinds):
            values = amounts[k::kinds]
            if tree is None:
                made[f"amount.{k}"] = convert_column(values)
                continue
            kind, unit = tree.schema.names[k], tree.schema.units[k]
            made[amount_name(kind, unit)] = convert_column(
                [value / 1000 for value in values], "d") if unit == "m" \
                else convert_column(values)
        return Table(made)

    def to_pandas(self, *, zone: str | None = None,
                  tree: Tree | None = None) -> Any:
        """`table(tree)` as a pandas.DataFrame; with `zone` times are dates.
        ValueError for jobs that have data on nodes, which no column holds."""
        return self.whole_table(tree).to_pandas(zone=zone)

    def to_polars(self, *, zone: str | None = None,
                  tree: Tree | None = None) -> Any:
        """`table(tree)` as a polars.DataFrame, likewise."""
        return self.whole_table(tree).to_polars(zone=zone)

    def whole_table(self, tree: Tree | None = None) -> Table:
        """`table(tree)`. ValueError where it does not hold everything."""
        if self.place_offsets is not None:
            raise ValueError("jobs with data on nodes (place, place_offsets) "
                             "do not fit into a frame: table() leaves it out")
        return self.table(tree)

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def __len__(self) -> int:
        return len(self.submit)


ROW = ("submit_s", "run_s", "queue", "amount", "tasks", "user", "priority",
       "needs")


def number_of(row: Mapping[str, Any], i: int, name: str, missing: int) -> int:
    """A field as a whole number. FrameError, which says row, field and value,
    for anything else."""
    value = row.get(name, missing)
    try:
        if type(value).__name__ in FLAGS:
            raise TypeError("is true or false, not a number")
        return whole(value)
    except (TypeError, ValueError) as error:
        raise FrameError(name, i, value, error) from None


def ns_of(row: Mapping[str, Any], i: int, name: str, missing: int) -> int:
    """Seconds as ns. FrameError for what is no number."""
    value = row.get(name, missing)
    try:
        if isinstance(value, (str, bytes, bool)):
            raise TypeError("is no number of seconds")
        return int(round(unbounded(value) * SECOND))
    except (TypeError, ValueError, OverflowError) as error:
        raise FrameError(name, i, value, error) from None


def known(row: Mapping[str, Any], i: int) -> None:
    """KeyError for a key of a row that is not read, or that is missing."""
    for name in row:
        if name not in ROW:
            near = difflib.get_close_matches(str(name), ROW, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise KeyError(f"row {i}: no field {name!r}{hint}")
    for name in ("run_s", "queue", "amount"):
        if name not in row:
            raise KeyError(f"row {i}: {name!r} is missing")

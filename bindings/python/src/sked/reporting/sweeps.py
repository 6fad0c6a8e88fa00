"""Many replays of one workload: each case is a change. Replays run one after the
other, or on any `concurrent.futures.Executor`: threads, processes, Dask, Ray.

Threads share the jobs. Other workers map one copy of the columns from files of
a folder: a case that is sent has its change alone, some hundred bytes. A worker
opens the folder once."""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
from array import array
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from ..columns import Table, Texts, convert_column
from .change import Base, Change, base_of, numbers
from .given import SECOND, Wanted
from .numbers import column

#: Columns of results, and what each is read back as.
RESULT: dict[str, Callable[[str], Any]] = {
    "case": str, "seed": int, "multiplier": float, "nodes": int, "jobs": int,
    "late": int, "p50_s": float, "p95_s": float}
Row = dict[str, Any]
#: Columns of fewer bytes go with the rest.
SMALL = 1 << 12


@dataclass(frozen=True)
class Case:
    """A change by name; `seed`: of its draws, or None for that of the base."""

    name: str
    change: Change = Change()
    seed: int | None = None


def result(base: Base, case: Case) -> Row:
    """One replay as a row. ValueError with the case's name."""
    seed = base.wanted.seed if case.seed is None else case.seed
    try:
        side = base.run(case.change, seed)
    except ValueError as error:
        raise ValueError(f"case {case.name}: {error}") from None
    jobs, late, p50, p95 = numbers(side.waits, base.wanted.target)
    return {"case": case.name, "seed": seed,
            "multiplier": float(case.change.multiplier), "nodes": side.nodes,
            "jobs": jobs, "late": late, "p50_s": max(0, p50) / SECOND,
            "p95_s": max(0, p95) / SECOND}


def sweep(base: Base | Wanted, cases: Sequence[Case],
          executor: Executor | None = None, *,
          progress: Callable[[int, int], object] = lambda done, of: None,
          share: str | None = None) -> Table:
    """All results as a table, a row a case, in the order of the cases.

    `executor`: where replays run; None: here. `progress(done, of)` hears of
    each that is done; what it raises ends the sweep. `share`: the folder for
    columns that other processes map; on several hosts one that all of them
    see. Raises OSError, ImportFailed, ConfigError or ValueError."""
    made = base if isinstance(base, Base) else base_of(base)
    by = {}
    for row in results(made, cases, executor, share):
        by[row["case"]] = row
        progress(len(by), len(cases))
    return table_of([by[case.name] for case in cases])


def table_of(rows: Sequence[Row]) -> Table:
    """Rows of results as a table with units in its column names."""
    made: dict[str, Any] = {}
    for name, kind in RESULT.items():
        values = [row[name] for row in rows]
        made[name] = Texts(values) if kind is str else \
            convert_column(values, "d" if kind is float else "q")
    return Table(made)


def results(base: Base, cases: Sequence[Case],
            executor: Executor | None = None,
            share: str | None = None) -> Iterator[Row]:
    """Rows as they are done. The first error ends the others."""
    if executor is None:
        for case in cases:
            yield result(base, case)
    elif isinstance(executor, ThreadPoolExecutor):
        yield from done([executor.submit(result, base, case)
                         for case in cases])
    else:
        with shared(base, share) as folder:
            yield from done([executor.submit(result_of, folder, case)
                             for case in cases])


def done(found: Sequence[Future[Row]]) -> Iterator[Row]:
    """What comes, as it comes; what has not begun is cancelled at the end."""
    try:
        for one in as_completed(found):
            yield one.result()
    finally:
        for one in found:
            one.cancel()


# ---- columns that processes share ----


class Writer(pickle.Pickler):
    """A base with its long columns as files beside it."""

    def __init__(self, file: Any, folder: Path) -> None:
        super().__init__(file, protocol=5)
        self.folder, self.count = folder, 0

    def persistent_id(self, one: object) -> int | None:
        """The number of a column's file; None for anything else."""
        import numpy
        if not isinstance(one, (array, numpy.ndarray)):
            return None
        values = numpy.asarray(one)
        if values.nbytes < SMALL or values.dtype.hasobject:
            return None
        self.count += 1
        numpy.save(self.folder / f"{self.count}.npy", values)
        return self.count


class Opened(pickle.Unpickler):
    """The same with its columns mapped from their files."""

    def __init__(self, file: Any, folder: Path) -> None:
        super().__init__(file)
        self.folder = folder

    def persistent_load(self, number: Any) -> Any:
        """A column, which nobody can change."""
        import numpy
        return numpy.load(self.folder / f"{int(number)}.npy", mmap_mode="r")


@contextmanager
def shared(base: Base, parent: str | None = None) -> Iterator[str]:
    """A folder with a base, for other processes; gone in the end."""
    made = Path(tempfile.mkdtemp(prefix="sked-sweep-", dir=parent))
    try:
        paths = {leaf.id: leaf.path for leaf in base.given.tree.leaves}
        with open(made / "base", "wb") as file:
            Writer(file, made).dump((base.wanted, base.given, base.has,
                                     base.notes, paths))
        yield str(made)
    finally:
        shutil.rmtree(made, ignore_errors=True)


def opened(folder: str) -> Base:
    """The base of such a folder. The tree here may have other ids of the same
    queues."""
    import numpy
    with open(os.path.join(folder, "base"), "rb") as file:
        wanted, given, has, notes, paths = Opened(file, Path(folder)).load()
    ids = {old: given.tree[path].id for old, path in paths.items()}
    if any(old != new for old, new in ids.items()):
        known = numpy.array(sorted(ids), "uint64")
        new = numpy.array([ids[int(old)] for old in known], "uint64")
        queue = column(given.jobs.queue, "uint64")
        given = replace(given, jobs=replace(
            given.jobs, queue=new[numpy.searchsorted(known, queue)]))
    return Base(wanted, given, has, notes)


#: The base that this process has open, by its folder.
_open: dict[str, Base] = {}
_lock = Lock()


def result_of(folder: str, case: Case) -> Row:
    """One replay in another process."""
    with _lock:
        if folder not in _open:
            _open.clear()
            _open[folder] = opened(folder)
    return result(_open[folder], case)


# ---- where replays run ----


class RayExecutor(Executor):
    """Ray as an executor. Each call is a task of one core."""

    def __init__(self, address: str | None, workers: int) -> None:
        import ray
        how: dict[str, Any] = {"address": address} if address else {
            "num_cpus": workers, "include_dashboard": False}
        self.ray: Any = ray
        self.ray.init(log_to_driver=False, **how)

    def submit(self, call: Callable[..., Any], /, *args: Any,
               **more: Any) -> Future[Any]:
        """See `concurrent.futures.Executor`."""
        made: Future[Any] = self.ray.remote(call).remote(*args, **more).future()
        return made

    def shutdown(self, wait: bool = True, *,
                 cancel_futures: bool = False) -> None:
        """Leaves the cluster; one that was begun here ends."""
        self.ray.shutdown()


KINDS = ("serial", "threads", "processes", "dask", "ray")


@contextmanager
def executor_of(text: str, workers: int) -> Iterator[Executor | None]:
    """The executor that a text names: serial, threads, processes, dask, ray,
    or dask and ray with the address of a scheduler behind a colon. ValueError
    for another text, ImportError if the package is not installed."""
    kind, _, address = text.partition(":")
    if kind not in KINDS or address and kind not in ("dask", "ray"):
        raise ValueError(f"{text!r} is none of {', '.join(KINDS)}, "
                         "dask:ADDRESS, ray:ADDRESS")
    if kind == "serial":
        yield None
    elif kind == "threads":
        with ThreadPoolExecutor(workers) as pool:
            yield pool
    elif kind == "processes":
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import get_context
        with ProcessPoolExecutor(workers, get_context("spawn")) as made:
            yield made
    elif kind == "dask":
        with dask_executor(address, workers) as dask:
            yield dask
    else:
        try:
            cluster = RayExecutor(address, workers)
        except ImportError:
            raise ImportError("--on ray needs ray: pip install ray") from None
        with cluster:
            yield cluster


@contextmanager
def dask_executor(address: str, workers: int) -> Iterator[Executor]:
    """Dask's executor, of a cluster or of processes of this host."""
    try:
        from distributed import Client
    except ImportError:
        raise ImportError("--on dask needs dask: pip install distributed"
                          ) from None
    how: dict[str, Any] = {"address": address} if address else {
        "n_workers": workers, "threads_per_worker": 1,
        "dashboard_address": None}
    with Client(**how) as client:
        yield client.get_executor()

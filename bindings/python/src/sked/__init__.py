"""Exact fair shares and scheduling decisions for clusters: libsked in Python.

    import sked

    tree = sked.Tree("cpu=m memory=B", capacity="cpu=100,memory=400GiB")
    ads = tree.root.add("ads", weight=3)
    web = tree.root.add("web")
    ads.demand = web.demand = "cpu=80,memory=100GiB"
    print(tree.fair_shares())

Amounts are whole numbers of each kind's smallest unit (thousandths of a core,
bytes, pieces), exact to the last one; text and dicts are taken wherever
amounts are. Nothing but Python is needed; numpy, pandas, polars and tqdm are
used where they are there.

A call that fails raises an `Error`. Any may raise ArgumentError and
OutOfMemory; its docstring or that of its class names the
others that the C header lists."""

from importlib import import_module
from types import ModuleType

from . import _core, errors as _errors, columns as _columns

_core.setup(_errors.make, _columns.convert)

from .columns import Column, Table, Texts  # noqa: E402
from .enums import (AMOUNT_MAX, ANY_PARTITION, PPM, UNLIMITED, UNSET,  # noqa: E402
                    AppOrder, Apportion, Attribute, Bound, Change, ChildOrder,
                    Confirm, Decide, Differs, EngineFlag, EventFlag, EventKind, FaultCode,
                    FillForm, Form, LedgerColumn, Model, Outcome, PlaceMode, Reason,
                    Refuse, Relation, Round, Scope,
                    Severity, ShareFlag, SimFlag, State, TaskFlag)
from .errors import (ArgumentError, BlockedError, Cancelled, ConfigError,  # noqa: E402
                     CorruptError, Error, ExistsError, InternalError, NotFoundError,
                     OutOfMemory, RangeError, SchemaError, StaleError,
                     StateError, TextError, VersionError)
from .frames import FrameError  # noqa: E402
from .hooks import Cancel, Hooks  # noqa: E402
from .ledger import Ledger  # noqa: E402
from .schema import (Schema, compare_dominant, dominant, format_amount,  # noqa: E402
                     parse_amount)
from .share import (Filled, Shares, fair_tree, fair_tree_ranks, fill,  # noqa: E402
                    share_once, time_weights)
from .tree import Diff, Fault, Queue, Tree, TreeChange  # noqa: E402
from . import (batch, drf, life, locality, order, plan, preempt, report,  # noqa: E402
               route, rule, schema, sim, timeline)
from .drf import Drf, Hdrf, Standing  # noqa: E402
from .engine import Engine, reason_text  # noqa: E402
from .events import Events  # noqa: E402
from .locality import Locality  # noqa: E402
from .order import Order  # noqa: E402
from .plan import History, Plan, percentile  # noqa: E402
from .preempt import Rounds, Target  # noqa: E402
from .route import Router, Snapshot  # noqa: E402
from .sim import Case, Jobs, Nodes, Options, Sim, run_cases, sweep  # noqa: E402
from .timeline import Timeline  # noqa: E402


def __getattr__(name: str) -> ModuleType:
    """Packages that are loaded when they are first asked for."""
    if name in ("explain", "importers", "pictures", "reporting", "testing"):
        return import_module("." + name, __name__)
    raise AttributeError(f"module 'sked' has no attribute {name!r}")


__version__ = ".".join(str(_core.version() // 1000**i % 1000) for i in (2, 1, 0))

__all__ = [
    "AMOUNT_MAX", "ANY_PARTITION", "AppOrder", "Apportion",
    "ArgumentError", "Attribute", "BlockedError", "Bound", "Cancel",
    "Cancelled", "Case", "Change", "ChildOrder", "Column", "ConfigError", "Confirm",
    "CorruptError", "Decide", "Diff", "Differs", "Drf", "Engine", "EngineFlag", "Error",
    "EventFlag", "EventKind", "Events", "ExistsError", "Fault",
    "FaultCode", "FillForm", "Filled", "Form", "FrameError", "Hdrf", "History", "Hooks",
    "InternalError", "Jobs", "Ledger", "LedgerColumn", "Locality", "Model", "Nodes",
    "NotFoundError", "Options", "Order", "OutOfMemory", "Outcome", "PPM",
    "PlaceMode", "Plan", "Queue", "RangeError", "Reason", "Refuse", "Relation", "Round", "Rounds",
    "Router", "Schema", "SchemaError", "Scope", "Severity", "ShareFlag",
    "Shares", "Sim", "SimFlag", "Snapshot", "StaleError", "Standing",
    "State", "StateError", "Table", "Target", "TaskFlag", "TextError", "Texts", "Timeline", "Tree",
    "TreeChange", "UNLIMITED", "UNSET", "VersionError", "batch",
    "compare_dominant",
    "dominant", "drf", "fair_tree", "fair_tree_ranks", "fill",
    "format_amount", "life", "locality", "order", "parse_amount", "percentile", "plan",
    "preempt", "reason_text", "report", "run_cases", "route", "schema", "share_once", "sim",
    "sweep", "time_weights", "timeline"]

"""What the docstrings must say: which header a module binds, what shapes and
units its columns have, and every exception that the header's comment lists."""

import ast
import importlib
import inspect
import re
import sys
import textwrap
from enum import Enum
from pathlib import Path

import pytest

import sked
from sked import _core, errors

ROOT = Path(__file__).resolve().parents[3]
HEADERS = sorted((ROOT / "include" / "sched").glob("*.h"))
GATES = ROOT / "tests" / "gates"
pytestmark = pytest.mark.skipif(not HEADERS, reason="no C headers here")
if HEADERS:
    sys.path.insert(0, str(GATES))
    import comments
    sys.path.remove(str(GATES))

# Modules that bind C, and those on top of them.
BINDING = (
    "admit", "batch", "columns", "drf", "engine", "events", "handles", "hooks", "ledger",
    "life.instances", "life.secrets", "life.tables", "life.updates",
    "locality", "order", "plan.advice", "plan.allocate", "plan.history", "plan.reserve",
    "plan.slo", "plan.structure", "plan.tiers", "preempt.rank",
    "preempt.rounds", "preempt.select", "preempt.target", "records",
    "report", "route", "rule", "schema", "share", "sim", "tree.changes",
    "tree.queue", "tree.tree")
ABOVE = ("enums", "errors", "executors", "explain", "importers", "life.words", "pictures",
         "reporting")

# Modules that call C only for what no header describes.
NO_HEADER = {
    "columns": "buffers of Python, and the Arrow C data interface",
    "handles": "every handle's sked_x_free() is in the header of its kind",
}
# What no call has to name, and why.
ANY_CALL = {
    "SKED_ERR_ARG": "every call may raise it",
    "SKED_ERR_NOMEM": "every call may raise it",
    "SKED_ERR_VERSION": "of structs, which the extension fills itself",
}
# Functions of C whose SKED_ERR_RANGE does not come out, and why.
CAPACITY = dict.fromkeys((
    "batch_run_spans", "diff_format", "drf_list", "engine_contract", "engine_explain_job",
    "history_curve", "history_units", "life_update_phases",
    "life_update_save", "rank_preset", "round_contract",
    "round_marks", "route_clusters", "schema_format", "share_bounds",
    "share_column", "sim_delays", "sim_rows", "sim_pending", "sim_samples",
    "tree_children", "tree_column", "tree_column_vec", "tree_ids",
    "tree_leaves", "tree_path", "tree_rows", "tree_format"),
    "said of too small a `cap` alone: the extension makes enough")
# (call, code that its header lists) -> why it does not come out of it here.
NEVER = {
    ("route.Router.route", "SKED_ERR_STATE"): "it is given the time",
    ("route.Router.charge", "SKED_ERR_STATE"): "it is given the time",
    ("route.route", "SKED_ERR_STATE"): "it is given the time",
    ("tree.changes.Diff", "SKED_ERR_RANGE"): "IndexError, as of a list",
    ("sim.run_all", "SKED_ERR_STATE"): "a run's own: its answer is False",
    ("sim.run_all", "SKED_ERR_RANGE"): "a run's own: its answer is False",
    ("engine.Engine.place", "SKED_ERR_EXISTS"): "a mapping has a key once",
}
# Call -> what other objects that it hands the work to raise.
BEYOND = {
    "engine.Engine.apply": {"SchemaError"},  # of Schema.same
    "engine.Engine.reconcile": {"SchemaError"},  # of Schema.same
    "plan.history.units_of": {
        "NotFoundError", "StateError", "Cancelled"},  # of sked_history_add()
    "share.Shares.explain": {"StaleError"},  # of Queue.row
    "tree.queue.Queue.add": {"ExistsError"},  # of Tree.add
    "tree.queue.Queue.get": {"NotFoundError"},  # of the tree's attributes
    "tree.queue.Queue.remove": {"StateError"},  # of Tree.remove
    "tree.queue.Queue.set": {"NotFoundError", "RangeError"},  # of Tree.set
    "tree.tree.Tree.commit": {"StateError"},  # of Ledger.follow
}
UNITS = re.compile(
    r"\b(ns|ppm|rows?|row by row|amounts?|units?|vectors?|fractions?|seconds"
    r"|index|indices|ids?|texts?)\b", re.I)


def module(name):
    return importlib.import_module("sked." + name)


def members(cls):
    """The methods and properties that a class itself has, by name."""
    for name, member in vars(cls).items():
        if isinstance(member, (classmethod, staticmethod)):
            member = member.__func__
        if inspect.isfunction(member) or isinstance(member, property):
            yield name, member


def exported(name):
    """The names that a module, or the package it is of, says are public; of a
    package those of all its modules."""
    package = name.rpartition(".")[0]
    said = getattr(module(name), "__all__", None)
    if said is None and package:
        said = getattr(module(package), "__all__", None)
    return [word for word, thing in vars(module(name)).items()
            if not word.startswith("_") and (said is None or word in said)
            and f"{getattr(thing, '__module__', '')}.".startswith(
                f"sked.{name}.")]


def public(names):
    """(where, object, its class or None) of all that is public."""
    for name in names:
        for word in exported(name):
            thing = getattr(module(name), word)
            if inspect.isfunction(thing):
                yield f"{name}.{word}", thing, None
            elif inspect.isclass(thing):
                yield f"{name}.{word}", thing, None
                if not issubclass(thing, (Enum, Exception)):
                    yield from ((f"{name}.{word}.{of}", member, thing)
                                for of, member in members(thing)
                                if not of.startswith("_"))


BOUND = {where: (thing, cls) for where, thing, cls in public(BINDING)}
ALL = BOUND | {where: (thing, cls) for where, thing, cls in public(ABOVE)}


def functions_of(thing):
    """The functions that a call runs first: a class's own, those of Python's
    protocols among them."""
    if inspect.isclass(thing):
        return [f for name, m in members(thing) if name.startswith("__")
                for f in functions_of(m)]
    if isinstance(thing, property):
        return [f for f in (thing.fget, thing.fset) if f]
    return [thing] if inspect.isfunction(thing) else []


def made(function):
    """Was it written by dataclass, not by us?"""
    return function.__code__.co_filename != \
        sys.modules[function.__module__].__file__


def named(function):
    """What a function calls: (of `_core`, of itself, of its module)."""
    core, own, free = set(), set(), set()
    for node in ast.walk(ast.parse(textwrap.dedent(
            inspect.getsource(function)))):
        if isinstance(node, ast.Attribute) and isinstance(
                node.value, ast.Name):
            if node.value.id == "_core":
                core.add(node.attr)
            elif node.value.id in ("self", "cls"):
                own.add(node.attr)
        elif isinstance(node, ast.Name):
            free.add(node.id)
    return core, own, free


def functions_run(thing, cls):
    """The functions that a call comes to by what its own class and module
    have."""
    seen = set()
    todo = [(f, cls or thing) for f in functions_of(thing)]
    while todo:
        function, of = todo.pop()
        if function in seen or made(function):
            continue
        seen.add(function)
        _, own, free = named(function)
        around = sys.modules[function.__module__]
        for name in own:
            member = inspect.getattr_static(of, name, None)
            member = getattr(member, "__func__", member)
            todo += [(f, of) for f in functions_of(member)
                     if f.__module__ == function.__module__]
        for name in free:
            other = getattr(around, name, None)
            if inspect.isfunction(other) and \
                    other.__module__ == function.__module__:
                todo.append((other, of))
    return seen


def reached(thing, cls):
    """The functions of `_core` that a call comes to."""
    return {n for f in functions_run(thing, cls) for n in named(f)[0]}


DECLARED = {c.name: c for c in comments.public_calls(HEADERS)} \
    if HEADERS else {}


def listed(name):
    """What the header's comment lists for a function of `_core`."""
    call = DECLARED.get("sked_" + name)
    said = (call.listed(DECLARED) or set()) if call and call.fails else set()
    return {c for c in said if c.startswith("SKED_ERR_")
            and not (c == "SKED_ERR_RANGE" and name in CAPACITY)}


def codes(name):
    """What of it a call has to name."""
    return listed(name) - set(ANY_CALL)


def raised(where):
    """Code -> the functions of C that list it, of all that a call says."""
    thing, cls = ALL[where]
    found = {}
    for name in sorted(reached(thing, cls)):
        for code in codes(name):
            found.setdefault(code, []).append("sked_" + name)
    return found


def parameters(thing):
    if isinstance(thing, property):
        return {}
    return inspect.signature(thing).parameters


def said(where):
    """A call's docstring with that of its class."""
    thing, cls = ALL[where]
    return f"{thing.__doc__ or ''}\n{cls.__doc__ or '' if cls else ''}"


def exception(code):
    return next(c.__name__ for c in errors.BY_CODE.values()
                if _core.status_name(c.code) == code)


@pytest.mark.parametrize("where", ALL)
def test_everything_public_says_what_it_is(where):
    thing, _ = ALL[where]
    bare = f"{getattr(thing, '__name__', '')}("  # what dataclass says of it
    assert thing.__doc__ and not thing.__doc__.startswith(bare)


@pytest.mark.parametrize("name", BINDING)
def test_a_module_names_the_headers_that_it_binds(name):
    wanted = {DECLARED[f"sked_{word}"].path.name for word in re.findall(
        r"_core\.(\w+)\(", inspect.getsource(module(name)))
        if f"sked_{word}" in DECLARED}
    found = set(re.findall(r"<sched/(\w+\.h)>", module(name).__doc__))
    assert wanted <= found or name in NO_HEADER, wanted - found
    assert all((ROOT / "include" / "sched" / h).exists() for h in found)


@pytest.mark.parametrize("where", BOUND)
def test_a_call_names_what_it_raises(where):
    text = said(where)
    missing = {exception(code): names for code, names in raised(where).items()
               if not re.search(rf"\b{exception(code)}\b", text)
               and (where, code) not in NEVER}
    assert not missing


@pytest.mark.parametrize("where", BOUND)
def test_columns_have_a_shape_or_a_unit(where):
    thing, _ = ALL[where]
    columns = [p.name for p in parameters(thing).values()
               if re.search(r"\b(Numbers|Vector)\b", str(p.annotation))]
    assert not columns or UNITS.search(said(where)), columns


@pytest.mark.parametrize("where", BOUND)
def test_a_call_raises_what_it_says(where):
    """No exception after "Raises" that neither its C nor its Python names."""
    thing, cls = BOUND[where]
    known = {exception(code) for name in reached(thing, cls)
             for code in listed(name)}
    python = {n for f in functions_run(thing, cls) for n in re.findall(
        r"\b(?:raise|except) (\w+)", inspect.getsource(f))}
    for sentence in re.findall(r"\bRaises\s(.*?)\.(?:\s|$)", thing.__doc__,
                               re.S):
        names = {n for n in re.findall(r"\b[A-Z]\w+\b", sentence)
                 if isinstance(getattr(errors, n, None), type)}
        assert names <= known | python | BEYOND.get(where, set())


def test_every_exemption_is_needed():
    for where, code in NEVER:
        assert code in raised(where), (where, code)
        assert exception(code) not in said(where), (where, code)
    for where, names in BEYOND.items():
        known = {exception(code) for code in raised(where)}
        assert names and not names & known, where
    for name in CAPACITY:
        call = DECLARED["sked_" + name]
        assert "SKED_ERR_RANGE" in call.listed(DECLARED)
        whose = re.findall(r"as[\s*]+(sked_\w+)\(\)", call.comment)
        assert any("`cap`" in c.comment for c in (
            call, *(DECLARED[other] for other in whose))), name


def public_calls():
    """Functions of a module's __all__, and methods of its classes: what is
    called, and its docstring with that of its class."""
    for name in sorted({f"sked.{module}" for module in BINDING} | {"sked"}):
        module = importlib.import_module(name)
        for word in getattr(module, "__all__", ()):
            thing = getattr(module, word)
            if inspect.isfunction(thing):
                yield thing, thing.__doc__
            for key, method in vars(thing).items() \
                    if inspect.isclass(thing) else ():
                if inspect.isfunction(method) and not key.startswith("_"):
                    yield method, method.__doc__ and \
                        f"{method.__doc__} {thing.__doc__}"


def test_what_is_called_has_a_docstring_and_most_name_what_they_take():
    named, calls = 0, dict(public_calls())
    assert [call.__qualname__ for call, text in calls.items()
            if not text] == []
    for call, text in calls.items():
        takes = set(inspect.signature(call).parameters) - {"self", "cls"}
        named += takes <= set(re.findall(r"\w+", text))
    assert named >= len(calls) * 58 // 100, (named, len(calls))

"""What must hold for the binding as a whole, read off the C headers: every
status has an exception, every function is reachable, every constant and every
struct that Python lays out itself is as the headers say."""

import json
import os
import re
from pathlib import Path

import pytest

import sked
from sked import (_core, batch, engine, enums, errors, layouts, life, locality,
                  plan, preempt, report, route, sim)
from sked.records import Layout

API = Path(__file__).resolve().parents[2] / "api.json"
pytestmark = pytest.mark.skipif(not API.exists(), reason="no bindings/api.json")
OF_C = (
    json.loads(API.read_text("utf-8")) if API.exists() else
    {"functions": [], "enums": [], "structs": [], "constants": []})

# Modules that lay out records.
LAID_OUT = (batch, engine, life.updates, locality, plan.allocate, plan.slo,
            preempt.rounds, preempt.select, report, route, sim)

# Plain constants that have another word in C.
OF_OTHERS = {"NO_SLOT": "SKED_DRF_NONE"}

# Public functions that Python does not call by their name, and why.
OTHERWISE = {
    name: "freed with the last reference to its Handle, or by close()"
    for name in ("schema_free", "tree_free", "diff_free", "ledger_free",
                 "share_free", "drf_free", "hdrf_free", "order_free",
                 "engine_free", "sim_free", "history_free", "plan_free",
                 "audit_free",
                 "target_free", "round_free", "route_free", "advice_free",
                 "batch_run_free", "locality_free", "locality_live_free",
                 "life_secrets_free", "life_update_free", "timeline_free")
} | {
    "engine_task_state": "the decisions about a group say it"
} | {
    "locality_" + name: "part of what locality_new() gives back"
    for name in ("choice", "floor", "host_blocks", "least_load", "levels",
                 "unplaced")}


def functions():
    return sorted(f["name"].removeprefix("sked_") for f in OF_C["functions"])


def constants():
    """Names and values of every constant."""
    return {name: n for e in OF_C["enums"] for name, n in e["values"].items()} | {
        c["name"]: c["value"] for c in OF_C["constants"]}


def test_there_are_headers_to_compare_with():
    assert len(functions()) > 150 and len(constants()) > 150


@pytest.mark.parametrize("name", functions())
def test_every_function_is_reachable(name):
    assert hasattr(_core, name) != (name in OTHERWISE), name


STATUS = {n: v for n, v in constants().items()
          if n.startswith("SKED_ERR_")}


@pytest.mark.parametrize("name", STATUS)
def test_every_status_is_an_exception(name):
    code = STATUS[name]
    made = errors.make(code, "said", 1, 2, 3, 4, 5, 6, 7)
    assert type(made) is not errors.Error and made.code == code
    assert len(type(made).__mro__) > 4 or isinstance(made, sked.Error)
    assert any(base.__module__ == "builtins" and base is not Exception
               for base in type(made).__mro__[2:-3]), name
    assert _core.status_name(code) == name
    assert str(made) == "said (row 5: 3)"
    assert (made.kind, made.queue, made.got) == (1, 2, 3)
    assert (made.limit, made.row, made.line, made.column) == (4, 5, 6, 7)


def test_codes_that_are_no_status_are_plain_errors():
    assert type(errors.make(-1500, None)) is errors.Error


def test_plain_constants_are_those_of_c():
    here = {name: n for name, n in vars(enums).items()
            if name.isupper() and isinstance(n, int)}
    assert len(here) > 8
    assert here == {name: constants()[OF_OTHERS.get(name, "SKED_" + name)]
                    for name in here}


def test_every_record_is_a_struct_of_the_headers():
    made = {fields for name, fields in vars(layouts).items() if name.isupper()}
    sizes = {s["size"] for s in OF_C["structs"]}
    here = {(of.__name__, name): record for of in LAID_OUT
            for name, record in vars(of).items()
            if isinstance(record, Layout) and name.isupper()}
    assert len(here) > 20
    for where, record in here.items():
        assert record.fields in made, where
        assert record.size in sizes, where


def test_the_stubs_name_as_many_arguments_as_are_read():
    typed = (Path(sked.__file__).parent / "_core.pyi").read_text()
    for name, said in re.findall(r"^def (\w+)\(([^)]*)\)", typed, re.M):
        count = len([p for p in said.split(",") if p.strip() not in ("/", "")])
        with pytest.raises(TypeError) as error:
            getattr(_core, name)(*[None] * (count + 1))
        wanted = re.search(r"needs (\d+) arguments", str(error.value))
        if wanted:
            assert int(wanted[1]) == count, name


def test_versions_agree():
    assert _core.version() == _core.VERSION
    assert os.path.exists(Path(sked.__file__).parent / "py.typed")

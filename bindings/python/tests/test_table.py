"""What must hold for the binding as a whole, read off the C headers: every
status has an exception, every function is reachable, every constant and every
struct that Python lays out itself is as the headers say."""

import os
import re
import struct
from enum import Enum
from pathlib import Path

import pytest

import sked
from sked import (_core, admit, batch, engine, enums, errors, life, locality,
                  plan, preempt, report, route)

ROOT = Path(__file__).resolve().parents[3]
HEADERS = sorted((ROOT / "include" / "sched").glob("*.h"))
pytestmark = pytest.mark.skipif(not HEADERS, reason="no C headers here")

# Public functions that Python does not call by their name, and why.
OTHERWISE = {
    name: "freed with the last reference to its Handle, or by close()"
    for name in ("schema_free", "tree_free", "diff_free", "ledger_free",
                 "share_free", "drf_free", "hdrf_free", "order_free",
                 "engine_free", "sim_free", "history_free", "plan_free",
                 "target_free", "round_free", "route_free", "advice_free",
                 "batch_run_free", "locality_free", "locality_live_free",
                 "life_secrets_free", "life_update_free")
} | {
    "engine_task_state": "the decisions about a group say it"
} | {
    "locality_" + name: "part of what locality_new() gives back"
    for name in ("choice", "floor", "host_blocks", "least_load", "levels",
                 "unplaced")}


def text():
    found = "\n".join(path.read_text() for path in HEADERS)
    return re.sub(r"/\*.*?\*/", " ", found, flags=re.S)


def functions():
    return sorted(set(re.findall(
        r"SKED_(?:TRY|API) [^;(]*?\bsked_(\w+)\(", text())))


def constants():
    """Names and values of every enum constant."""
    found = {}
    for body in re.findall(r"enum(?: \w+)? \{(.*?)\}", text(), flags=re.S):
        for part in body.split(","):
            name, _, value = part.partition("=")
            if name.strip().startswith("SKED_"):
                found[name.strip()] = int(value.strip(), 0)
    return found


def test_there_are_headers_to_compare_with():
    assert len(functions()) > 150 and len(constants()) > 150


@pytest.mark.parametrize("name", functions())
def test_every_function_is_reachable(name):
    assert hasattr(_core, name) != (name in OTHERWISE), name


STATUS = {n: v for n, v in constants().items()
          if n.startswith("SKED_ERR_")} if HEADERS else {}


@pytest.mark.parametrize("name", STATUS)
def test_every_status_is_an_exception(name):
    code = STATUS[name]
    made = errors.make(code, "said", 1, 2, 3, 4, 5, 6, 7)
    assert type(made) is not errors.Error and made.code == code
    assert len(type(made).__mro__) > 4 or isinstance(made, sked.Error)
    assert any(base.__module__ == "builtins" and base is not Exception
               for base in type(made).__mro__[2:-3]), name
    assert _core.status_name(code) == name
    assert str(made) == "said" and (made.kind, made.queue, made.got) == (1, 2, 3)
    assert (made.limit, made.row, made.line, made.column) == (4, 5, 6, 7)


def test_codes_that_are_no_status_are_plain_errors():
    assert type(errors.make(-1500, None)) is errors.Error


def test_every_constant_is_here():
    here = {}
    for kind in [k for module in (admit, batch, enums, life, locality, plan,
                                   preempt, report, route)
                 for k in vars(module).values()]:
        if isinstance(kind, type) and issubclass(kind, Enum):
            for name, member in kind.__members__.items():
                here.setdefault(name, set()).add(member.value)
    plain = {"SKED_" + k: v for module in (enums, plan)
             for k, v in vars(module).items()
             if k.isupper() and isinstance(v, int)}
    # Options that Python takes as True or by a name, and sizes of texts.
    alone = {"SKED_OK", "SKED_STOPPED", "SKED_STALE", "SKED_FILL_FLAG_ANTICIPATE",
             "SKED_KIND_NAME_MAX", "SKED_AMOUNT_TEXT_MAX",
             "SKED_HOST_FLAG_RESERVED_ONLY", "SKED_ORDER_FLAG_WITHIN_FIRST",
             "SKED_ORDER_FLAG_GUARANTEE_FIRST",
             "SKED_MAX_PARTITIONS", "SKED_PLAN_LEVEL_TIER", "SKED_PCTL_FLAG_USAGE",
             "SKED_HISTORY_INPUT_FLAG_ANY_ORDER", "SKED_PLAN_FLAG_KEEP_IDLE",
             "SKED_MAX_TARGET_PARTITIONS", "SKED_ENGINE_RESERVE_MAX",
             "SKED_MAX_LOCALITY_REPLICAS", "SKED_MAX_LOCALITY_HOSTS",
             "SKED_MAX_LOCALITY_BLOCKS",
             "SKED_MAX_CLUSTERS", "SKED_ADVICE_FLAG_ANYWAY",
             "SKED_ADMIT_FLAG_PREEMPTION", "SKED_ADMIT_HELD_SUMS",
             "SKED_MAX_LIFE_STATES", "SKED_MAX_LIFE_EVENTS", "SKED_MAX_LIFE_EDGES",
             "SKED_MAX_LIFE_ACTIONS", "SKED_MAX_LIFE_GOALS", "SKED_MAX_LIFE_NAME",
             "SKED_MAX_LIFE_INSTANCES", "SKED_LOCALITY_FAIR_QUEUES",
             "SKED_LIFE_TASK_STATES", "SKED_LIFE_EVENT_EVENTS",
             "SKED_LIFE_ACTION_ACTIONS"}
    for name, value in constants().items():
        if name in STATUS or name in alone or name.startswith(
                ("SKED_TRACE_", "SKED_LOG_")):
            continue
        if name in plain:
            assert plain[name] == value, name
            continue
        tail = name.removeprefix("SKED_")
        found = any(value in here.get(tail.split("_", i)[-1], ())
                    for i in range(tail.count("_") + 1))
        assert found, f"{name} = {value} is in no enum of sked.enums"


def layout():
    """Struct -> {field: (offset, size)} as the ABI gate promises them."""
    found = {}
    for line in (ROOT / "tests/abi/layout.txt").read_text().splitlines():
        said = re.match(r"(\w+)\.(\w+) at (\d+), (\d+) bytes", line)
        if said:
            found.setdefault(said[1], {})[said[2]] = (int(said[3]), int(said[4]))
    return found


RECORDS = {"sked_decision": engine.DECISION, "sked_engine_bound": engine.BOUND,
           "sked_event": engine.EVENT, "sked_slo_tier": plan.TIER,
           "sked_slo_repair": plan.REPAIR,
           "sked_preempt_victim": preempt.VICTIM,
           "sked_preempt_placement": preempt.SEAT,
           "sked_round_action": preempt.ACTION, "sked_round_mark": preempt.MARK,
           "sked_report_tier": report.FLOWS}


@pytest.mark.parametrize("name", RECORDS)
def test_every_record_is_laid_out_as_in_the_header(name):
    record = RECORDS[name]
    for field, (offset, size) in layout()[name].items():
        assert record.offset(field) == offset, field
        assert struct.calcsize(record.code(field)) == size, field


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

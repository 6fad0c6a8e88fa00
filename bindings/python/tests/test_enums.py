"""Every enumeration of the headers has its members here, and no other: a class
says in its text which it stands for, bindings/api.json what that has."""

import json
import re
from enum import Enum
from pathlib import Path

import pytest

import sked
from sked import (admit, batch, enums, life, locality, plan, preempt, report,
                  route)

API = Path(__file__).resolve().parents[2] / "api.json"
pytestmark = pytest.mark.skipif(not API.exists(), reason="no bindings/api.json")
OF_C = {e["name"]: e["values"] for e in json.loads(API.read_text("utf-8"))["enums"]
        if e["name"]} if API.exists() else {}
CLASSES = sorted({thing for module in (admit, batch, enums, life, locality, plan,
                                       preempt, report, route)
                  for thing in vars(module).values()
                  if isinstance(thing, type) and issubclass(thing, Enum)
                  and thing.__module__.startswith("sked.")},
                 key=lambda kind: (kind.__module__, kind.__name__))

# Members that C has not: what the package adds.
OWN = {(enums.Decide, "FINISH"): 100}
# Enumerations that Python takes as True, by a name, or as an exception.
ALONE = {"sked_status_code", "sked_trace_kind", "sked_log_level", "sked_host_flag",
         "sked_admit_flag", "sked_advice_flag", "sked_fill_flag",
         "sked_history_input_flag", "sked_order_flag", "sked_pctl_flag",
         "sked_plan_flag", "sked_plan_level", "sked_sim_kind"}
# A constant that says how many the others are.
HOW_MANY = {"SKED_ADMIT_HELD_SUMS", "SKED_LIFE_TASK_STATES",
            "SKED_LIFE_EVENT_EVENTS", "SKED_LIFE_ACTION_ACTIONS"}
# Limits: no enumeration of C has a tag for these.
LIMITS = {batch.Most}


def tags(kind):
    return re.findall(r"\benum (sked_\w+)", kind.__doc__)


def members(tag):
    """Its constants without the prefix, which is the tag or all but its last
    word."""
    values = {name: n for name, n in OF_C[tag].items() if name not in HOW_MANY}
    for prefix in (tag.upper() + "_", tag.upper().rpartition("_")[0] + "_"):
        if all(name.startswith(prefix) for name in values):
            return {name.removeprefix(prefix): n for name, n in values.items()}
    raise AssertionError(f"the constants of {tag} have no prefix")


@pytest.mark.parametrize("kind", CLASSES, ids=lambda k: k.__name__)
def test_members_are_those_of_the_header(kind):
    if kind in LIMITS:
        return
    assert tags(kind), f"{kind} does not say what it stands for"
    said = {name: n for tag in tags(kind) for name, n in members(tag).items()}
    said |= {name: n for (of, name), n in OWN.items() if of is kind}
    assert {m.name: m.value for m in kind.__members__.values()} == said


def test_none_is_left_out():
    here = [tag for kind in CLASSES for tag in tags(kind)]
    assert len(here) == len(set(here)), "two classes for one enumeration"
    assert set(here) | ALONE == set(OF_C)
    assert not set(here) & ALONE
    assert sked.ChildOrder.SHARE == 7

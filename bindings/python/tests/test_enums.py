"""Every enumeration of the headers has a class here: it says in its text which
it stands for, and tools/api writes its members."""

import json
import re
from enum import Enum
from pathlib import Path

import pytest

import sked
from sked import (admit, audit, batch, enums, life, locality, plan, preempt, report,
                  route, rule)

API = Path(__file__).resolve().parents[2] / "api.json"
pytestmark = pytest.mark.skipif(not API.exists(), reason="no bindings/api.json")
OF_C = {e["name"] for e in json.loads(API.read_text("utf-8"))["enums"]
        if e["name"]} if API.exists() else set()
CLASSES = sorted({thing for module in (admit, audit, batch, enums, life, locality, plan,
                                       preempt, report, route, rule)
                  for thing in vars(module).values()
                  if isinstance(thing, type) and issubclass(thing, Enum)
                  and thing.__module__.startswith("sked.")},
                 key=lambda kind: (kind.__module__, kind.__name__))

# Enumerations that Python takes as True, by a name, or as an exception.
ALONE = {"sked_status_code", "sked_trace_kind", "sked_log_level", "sked_host_flag",
         "sked_admit_flag", "sked_advice_flag", "sked_audit_flag", "sked_audit_mark", "sked_fill_flag",
         "sked_history_input_flag", "sked_order_flag", "sked_pctl_flag",
         "sked_plan_flag", "sked_rule_flag", "sked_plan_level", "sked_sim_kind"}


def tags(kind):
    return re.findall(r"\benum (sked_\w+)", kind.__doc__)


def test_none_is_left_out():
    here = [tag for kind in CLASSES for tag in tags(kind)]
    assert len(here) == len(set(here)), "two classes for one enumeration"
    assert set(here) | ALONE == OF_C
    assert not set(here) & ALONE
    assert sked.ChildOrder.SHARE == 6

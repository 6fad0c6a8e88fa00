"""Every constant of the headers has its member, and no other: each enumeration
names the words of C that it stands for."""

import re
from enum import Enum, IntEnum
from pathlib import Path

import pytest

import sked
from sked import enums, preempt

HEADERS = sorted((Path(__file__).resolve().parents[3] / "include" / "sched")
                 .glob("*.h"))
pytestmark = pytest.mark.skipif(not HEADERS, reason="no C headers here")

# Enumerations that share a prefix with another, by what sets them apart: the
# member of C that stands in the same enum { }.
BESIDE = {
    enums.ChildOrder: ("SKED_ORDER_POLICY_", "SKED_ORDER_POLICY_DRF"),
    enums.AppOrder: ("SKED_APPS_", "SKED_APPS_FIFO"),
    enums.Round: ("SKED_ROUNDING_", "SKED_ROUNDING_NEAREST"),
    preempt.RoundWhat: ("SKED_ROUND_ORDER_", "SKED_ROUND_ORDER_NOTIFY"),
    preempt.RoundFlag: ("SKED_ROUND_MARK_FLAG_", "SKED_ROUND_MARK_FLAG_STOPPING"),
    preempt.RoundOption: ("SKED_ROUND_FLAG_", "SKED_ROUND_FLAG_LAZY"),
    preempt.Dialect: ("SKED_TARGET_MODE_", "SKED_TARGET_MODE_IMBALANCE"),
    preempt.TargetFlag: ("SKED_TARGET_FLAG_", "SKED_TARGET_FLAG_BALANCE"),
    preempt.TargetReason: ("SKED_TARGET_REASON_", "SKED_TARGET_REASON_OVER"),
    preempt.TargetColumn: ("SKED_TARGET_COLUMN_", "SKED_TARGET_COLUMN_EXCESS"),
    preempt.TargetTotal: ("SKED_TARGET_TOTAL_", "SKED_TARGET_TOTAL_BUDGET"),
    preempt.RankKey: ("SKED_RANK_KEY_", "SKED_RANK_KEY_STATE"),
    preempt.RankPreset: ("SKED_RANK_PRESET_", "SKED_RANK_PRESET_OWN"),
    preempt.TaskState: ("SKED_RANK_STATE_", "SKED_RANK_STATE_PLACING"),
    preempt.PreemptFlag: ("SKED_PREEMPT_FLAG_", "SKED_PREEMPT_FLAG_BY_USER"),
    preempt.PreemptOutcome: ("SKED_PREEMPT_OUTCOME_", "SKED_PREEMPT_OUTCOME_PARTLY"),
    enums.Model: ("SKED_SHARE_MODEL_", "SKED_SHARE_MODEL_STEADY"),
    enums.Scope: ("SKED_SHARE_SCOPE_", "SKED_SHARE_SCOPE_KINDS"),
    enums.ShareFlag: ("SKED_SHARE_FLAG_", "SKED_SHARE_FLAG_BANDS"),
    enums.Apportion: ("SKED_APPORTION_", "SKED_APPORTION_PREFIX"),
    enums.Bound: ("SKED_BOUND_", "SKED_BOUND_LIMIT"),
    enums.State: ("SKED_STATE_", "SKED_STATE_DRAINING"),
    enums.Remove: ("SKED_TREE_REMOVE_", "SKED_TREE_REMOVE_DRAIN"),
    enums.Commit: ("SKED_TREE_COMMIT_", "SKED_TREE_COMMIT_STRICT"),
    enums.Severity: ("SKED_SEVERITY_", "SKED_SEVERITY_NOTE"),
    enums.FaultCode: ("SKED_FAULT_", "SKED_FAULT_ROOT"),
    enums.Change: ("SKED_DIFF_", "SKED_DIFF_ADD"),
    enums.LedgerColumn: ("SKED_LEDGER_", "SKED_LEDGER_USAGE"),
    enums.EventKind: ("SKED_EVENT_", "SKED_EVENT_TICK"),
    enums.Decide: ("SKED_DECISION_", "SKED_DECISION_ADMIT"),
    enums.Reason: ("SKED_REASON_", "SKED_REASON_NONE"),
    enums.SimFlag: ("SKED_SIM_FLAG_", "SKED_SIM_FLAG_GANG"),
}
# Members that C has in another list.
ELSEWHERE = {(enums.ChildOrder, "HOST"): "SKED_ORDER_POLICY_HOST",
             (enums.AppOrder, "HOST"): "SKED_APPS_HOST",
             (enums.Bound, "BORROW"): "SKED_BOUND_BORROW",
             (enums.Bound, "LEND"): "SKED_BOUND_LEND",
             (enums.Bound, "IDLE"): "SKED_BOUND_IDLE",
             (enums.Bound, "CHILDREN"): "SKED_BOUND_CHILDREN"}
# Members that C has not: what the package adds.
OWN = {(enums.Decide, "FINISH")}


def lists_of_c():
    """Each enum { } of the headers: its words with their numbers."""
    for header in HEADERS:
        text = re.sub(r"/\*.*?\*/", "", header.read_text("utf-8"), flags=re.S)
        for body in re.findall(r"\benum\s*\w*\s*{([^}]*)}", text):
            yield {word: int(number) for word, number in re.findall(
                r"(SKED_\w+) = (-?\d+)\b", body)}


def words_with(word):
    found = [words for words in lists_of_c() if word in words]
    assert len(found) == 1, f"{word} stands in {len(found)} lists"
    return found[0]


@pytest.mark.parametrize("kind", BESIDE, ids=lambda k: k.__name__)
def test_members_are_those_of_the_header(kind):
    prefix, word = BESIDE[kind]
    said = {w.removeprefix(prefix): n for w, n in words_with(word).items()}
    for (of, member), name in ELSEWHERE.items():
        if of is kind:
            said[member] = words_with(name)[name]
    assert {m.name: m.value for m in kind
            if (kind, m.name) not in OWN} == said


def test_attributes_are_those_of_the_header():
    said = {word.removeprefix("SKED_QUEUE_"): number
            for first in ("WEIGHT", "GUARANTEE", "LABEL")
            for word, number in words_with("SKED_QUEUE_" + first).items()}
    assert {m.name: m.value for m in enums.Attribute} == said


def test_flags_of_events_are_those_of_the_header():
    said = {re.sub("SKED_(JOB|ASK)_", "", word): number
            for words in lists_of_c() for word, number in words.items()
            if re.match("SKED_(JOB|ASK)_", word)}
    assert {m.name: m.value for m in enums.EventFlag} == said


def test_none_is_left_out():
    """Of all that `sked` and `sked.preempt` export."""
    by_hand = {enums.Attribute, enums.EventFlag, enums.Form, enums.Relation,
               enums.FillForm, enums.Outcome}
    for place in (enums, preempt):
        for thing in vars(place).values():
            if isinstance(thing, type) and issubclass(thing, Enum) \
                    and thing is not IntEnum and thing.__module__.startswith(
                        "sked."):
                assert thing in BESIDE or thing in by_hand or \
                    thing.__name__ in ("Candidate", "Contract",
                                       "VictimReason"), thing
    assert sked.ChildOrder.SHARE == 7

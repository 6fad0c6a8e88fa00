"""The judge of histories: names, rows, stories, errors."""

import pytest

from sked import NotFoundError, RangeError
from sked.audit import RULES, Audit, AuditCode, History, counts


def small() -> History:
    h = History(["cpu", "gpu"])
    h.node("n1", {"cpu": 4}, at=0)
    h.queue("q", at=0, limit={"cpu": 8})
    h.job("j", "q", user="u", at=0)
    h.tasks("t", "j", {"cpu": 3}, count=2, at=0)
    return h


def test_a_story_has_names_and_rows():
    h = small()
    h.start("t", "n1", at=5, count=2)
    over, = [a for a in h.judge(idle=None)]
    assert over.code == AuditCode.NODE_OVER
    assert (over.subject, over.got, over.limit, over.kind) == ("n1", 6, 4, "cpu")
    assert over.rows == (0, 5)
    assert str(over) == (
        "node_over at 5: node n1 holds 6 of 4 of cpu\n"
        "    0: node n1 {'cpu': 4}\n"
        "    5: start t on n1 x2")


def test_rows_are_sorted_by_time():
    h = small()
    h.done("t", "n1", at=9)
    h.start("t", "n1", at=3)
    h.start("t", "n1", at=9)
    assert h.judge(idle=None) == []


def test_a_bound_turns_a_rule_off_or_waits():
    h = small()
    h.start("t", "n1", at=6)
    names = [a.name for a in h.judge()]
    assert names == ["node_idle"]
    assert h.judge(idle=6) == [] and h.judge(idle=None) == []
    assert dict(counts(h.judge(idle=5))) == {"node_idle": 1}
    with pytest.raises(TypeError, match="no rule idel: rules are"):
        h.judge(idel=5)
    with pytest.raises(RangeError):
        h.judge(idle=-1)


def test_an_error_shows_its_row():
    h = small()
    h.start("other", "n1", at=7)
    with pytest.raises(NotFoundError,
                       match="no such tasks .*in row: 7: start other on n1"):
        h.judge()
    with pytest.raises(KeyError, match="no kind disk"):
        h.node("n2", {"disk": 1}, at=8)
    with pytest.raises(ValueError, match="1 amounts for 2 kinds"):
        h.node("n2", [1], at=8)


def test_every_rule_and_code_is_known():
    audit = Audit(1, **{rule: None for rule in RULES})
    audit.end(0)
    assert audit.count() == 0 and audit.rows() == 0
    with pytest.raises(RangeError):
        audit.get(0)
    with pytest.raises(ValueError, match="not whole"):
        Audit(1).add(b"x" * 63)
    assert [c.value for c in AuditCode] == list(range(1, 17))


def test_a_lost_task_names_node_or_job():
    h = small()
    h.start("t", "n1", at=1)
    h.down("n1", at=2)
    h.over("j", at=9)
    lost = h.judge(lost=3, idle=None)
    assert [(a.name, a.other) for a in lost] == [("work_lost", "n1"),
                                                 ("work_lost", "j")]

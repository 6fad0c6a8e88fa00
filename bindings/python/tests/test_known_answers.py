"""Known answers that are not in the files: what each is about is said in its
test, and the runner has to come to it."""

import json

import pytest


@pytest.fixture
def ends(tmp_path):
    """How cases of one file end: (passed, by rule, unsupported, failed)."""
    from sked.testing.vectors import run

    def judged(file, *cases):
        rows = [{"id": f"c{i}", "source": "made", **case}
                for i, case in enumerate(cases)]
        (tmp_path / file).write_text(json.dumps({"cases": rows}))
        report = run([str(tmp_path)])
        none, passed, by_rule, failed = report.sums()
        assert not failed, report.failed
        return passed, by_rule, none
    return judged


def test_draws_are_no_bounds_of_an_order(ends):
    assert ends("yarn.json", {
        "kind": "random_order", "expect": ["q3", "q1", "q4", "q2", "q0"],
        "input": {"queues": ["q0", "q1", "q2", "q3", "q4"],
                  "draws": [3, 1, 1, 1, 0]}}) == (1, 0, 0)

"""What errors say of the place where a call failed."""

import pickle

import pytest

import sked
from sked import errors


@pytest.mark.parametrize("facts, said", [
    ({}, "count is out of range"),
    ({"got": 12, "limit": 10}, "count is out of range"),
    ({"row": 3}, "count is out of range (row 3)"),
    ({"row": 0, "got": -1, "limit": 10}, "count is out of range (row 0: -1)"),
    ({"row": 3, "got": 12, "limit": 10},
     "count is out of range (row 3: 12 above 10)")])
def test_errors_say_their_row_and_numbers(facts, said):
    error = errors.make(errors.RangeError.code, "count is out of range",
                        **facts)
    assert str(error) == said
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == said and type(again) is errors.RangeError


def one_job():
    tree = sked.Tree("cpu=1")
    queue = tree.root.add("q")
    return tree, sked.Jobs.of(tree, [{"queue": queue, "run_s": 5,
                                      "amount": {"cpu": 1}}]), \
        [sked.Nodes(1, {"cpu": 4})]


def test_options_that_do_not_fit_say_so():
    tree, jobs, nodes = one_job()
    for options, error, what in (
            (sked.Options(max_samples=(1 << 32) + 1), OverflowError,
             "max_samples"),
            (sked.Options(heartbeat=0, place=1 << 32), OverflowError, "place"),
            (sked.Options(engine={"max_untaken": -1}), OverflowError,
             "max_untaken"),
            (sked.Options(engine={"max_per_pas": 1}), ValueError,
             "no option 'max_per_pas'")):
        with pytest.raises(error, match=what):
            sked.Sim(tree, jobs, nodes, options)
    assert sked.Sim(tree, jobs, nodes, sked.Options(
        max_samples=(1 << 32) - 1, engine={"max_per_pass": 1})).run()


def test_a_failure_has_three_numbers():
    tree, jobs, nodes = one_job()
    with pytest.raises(ValueError, match="unpack"):
        sked.Sim(tree, jobs, nodes, failures=[(0, 5), (0, 9, 9, 0)])

"""What errors say of the place where a call failed."""

import pickle

import pytest

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

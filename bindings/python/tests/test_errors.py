"""What errors say of the place where a call failed."""

import pickle

import pytest

import sked


@pytest.mark.parametrize("facts, said", [
    ({}, "count is out of range"),
    ({"got": 12, "limit": 10}, "count is out of range"),
    ({"row": 3}, "count is out of range (row 3)"),
    ({"row": 0, "got": -1, "limit": 10}, "count is out of range (row 0)"),
    ({"row": 3, "got": 12, "limit": 10},
     "count is out of range (row 3, 12 above 10)")])
def test_errors_say_their_row_and_numbers(facts, said):
    error = sked.RangeError("count is out of range", **facts)
    assert str(error) == said
    assert error.message == "count is out of range"
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == said and type(again) is sked.RangeError


def test_an_error_without_words_is_empty():
    assert str(sked.RangeError()) == ""

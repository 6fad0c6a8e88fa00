"""Regular expressions that every Python there is understands alike: in `re` of
3.11.0 to 3.11.4, of which Debian 12 has one, possessive quantifiers and atomic
groups have faults."""

import ast
import re
import warnings
from pathlib import Path

import pytest

import sked

PLACE = Path(sked.__file__).parent
FAULTY = ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")


def operations(found):
    """The names of all operations of a parsed pattern."""
    for item in found:
        if isinstance(item, (list, tuple)) or hasattr(item, "data"):
            yield from operations(getattr(item, "data", item))
        else:
            yield str(item)


def is_faulty(pattern):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parsed = re._parser.parse(pattern)
        except re.error:
            return False
    return not set(FAULTY).isdisjoint(operations(parsed))


def patterns(tree):
    """Texts that are handed to `re`, or that a name in capitals stands for."""
    for node in ast.walk(tree):
        calls = isinstance(node, ast.Call) and \
            isinstance(node.func, ast.Attribute) and \
            getattr(node.func.value, "id", "") == "re"
        names = isinstance(node, ast.Assign) and \
            getattr(node.targets[0], "id", "").isupper()
        for inner in ast.walk(node) if calls or names else ():
            if isinstance(inner, ast.Constant) and \
                    isinstance(inner.value, (str, bytes)):
                yield inner


@pytest.mark.parametrize("pattern", ["a*+", "(?:b++)", "(?>c)", "x?+y"])
def test_faulty_patterns_are_known(pattern):
    assert is_faulty(pattern)


def test_no_pattern_needs_a_newer_python():
    seen = 0
    for path in sorted(PLACE.rglob("*.py")):
        for found in patterns(ast.parse(path.read_bytes())):
            seen += 1
            assert not is_faulty(found.value), f"{path}:{found.lineno}"
    assert seen > 100

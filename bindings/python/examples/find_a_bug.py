"""Finds a bug in a scheduler that is not ours, with sked.testing.

The scheduler below is the plain one that many write first: give everybody its
guarantee, then the rest by weight, round down, hand the remainder to the first
ones. It has two bugs that a few tests by hand do not show: what a queue cannot
take, for its limit or for want of demand, is lost to the others; and where
guarantees are cut, what rounding leaves is lost. Hypothesis finds one and
shrinks it to the smallest case.

    python examples/find_a_bug.py
"""

from hypothesis import given, settings

from sked.testing import properties, strategies


def their_share(total, claims):
    """A small scheduler with a bug."""
    floors = sum(c.floor for c in claims)
    if floors > total:
        return [total * c.floor // floors for c in claims]
    weight = sum(c.weight for c in claims) or 1
    spare = total - floors
    got = [c.floor + spare * c.weight // weight for c in claims]
    for i in range(total - sum(got)):
        got[i % len(got)] += 1
    return [min(g, c.cap) for g, c in zip(got, claims)]


def find():
    """The smallest instance that violates a property, or None."""

    @settings(max_examples=300, database=None, derandomize=True,
              report_multiple_bugs=False)
    @given(strategies.families())
    def search(family):
        properties.check(their_share, *family)

    try:
        search()
    except properties.Violation as found:
        return found
    return None


if __name__ == "__main__":
    print(f"found: {find()}")

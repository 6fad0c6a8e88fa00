"""What YARN computes, in its own floats: by this a rule of differences.md knows
that an answer which is not the exact one comes from rounding and nothing else.
Amounts are lists of integers, memory first; f32 is single precision."""

import math
import struct

LONG_MAX = 2 ** 63 - 1


def f32(x):
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def to_long(x):
    """(long) x of Java: cut, NaN is 0, saturated."""
    if x != x:
        return 0
    return int(max(-LONG_MAX - 1, min(x, LONG_MAX))) if abs(x) < 2 ** 63 else (
        LONG_MAX if x > 0 else -LONG_MAX - 1)


def divide(a, b):
    """Floats, with what IEEE says about zero."""
    if b == 0:
        return math.nan if a == 0 or a != a else math.copysign(math.inf, a)
    return a / b


def sign(x):
    return (x > 0) - (x < 0)


def cut_divide(a, b):
    """Integers, towards zero."""
    whole = abs(a) // abs(b)
    return whole if (a < 0) == (b < 0) else -whole


def up(a, step):
    return cut_divide(a + step - 1, step) * step if step else 0


def down(a, step):
    return cut_divide(a, step) * step if step else a


class Default:
    """Memory alone."""

    def compare(self, cluster, a, b, single=False):
        return sign(a[0] - b[0])

    def ratio(self, a, b):
        return 0.0 if a[0] == 0 == b[0] else f32(divide(f32(a[0]), f32(b[0])))

    def divide(self, cluster, a, b):
        return self.ratio(a, b)

    def times_up(self, a, by, step):
        by = by[0] if isinstance(by, list) else by
        return [up(to_long(a[0] * by + 0.5), step[0])]

    def times_down(self, a, by, step):
        return [down(to_long(a[0] * by), step[0])]

    def over_up(self, a, by):
        return [to_long(math.ceil(f32(f32(a[0]) / by))) if by else 0]


class Dominant:
    """All types, by their shares of the cluster."""

    def shares(self, cluster, a):
        return [math.inf if c == 0 else x / c for c, x in zip(cluster, a)]

    def largest(self, cluster, a, b):
        """Of both; types without capacity do not count, nor what is below 0."""
        pairs = [p for p in zip(self.shares(cluster, a),
                                self.shares(cluster, b)) if math.inf not in p]
        return [max([0.0] + [p[i] for p in pairs]) for i in (0, 1)]

    def compare(self, cluster, a, b, single=False):
        if a == b:
            return 0
        if not any(cluster):
            more = any(x > y for x, y in zip(a, b))
            less = any(x < y for x, y in zip(a, b))
            return more - less
        if single:
            x, y = self.largest(cluster, a, b)
            return sign(x - y)
        rows = [sorted(self.shares(cluster, r), reverse=True) for r in (a, b)]
        for x, y in zip(*rows):
            if math.inf not in (x, y) and x != y:
                return sign(x - y)
        return 0

    def ratio(self, a, b):
        each = [0.0 if x == 0 == y else f32(divide(f32(x), f32(y)))
                for x, y in zip(a, b)]
        return max([0.0] + each)

    def divide(self, cluster, a, b):
        return f32(divide(*self.largest(cluster, a, b)))

    def times_up(self, a, by, step):
        if isinstance(by, list):
            whole = [to_long(math.ceil(x * y)) for x, y in zip(a, by)]
        else:
            whole = [to_long(math.ceil(f32(x * by))) for x in a]
        return [up(x, s) if s else x for x, s in zip(whole, step)]

    def times_down(self, a, by, step):
        whole = [to_long(x * by) for x in a]
        return [down(x, s) if s else x for x, s in zip(whole, step)]

    def over_up(self, a, by):
        return [to_long(math.ceil(f32(f32(x) / by))) if by else 0 for x in a]


CALCULATORS = {"default": Default(), "dominant": Dominant()}


def fair_shares(rows, total, steady):
    """Doubling, then 25 halvings, of the level; the upper end. A row is
    (weight, least, most, counts)."""
    fixed = {}
    for i, (weight, least, most, counts) in enumerate(rows):
        if most <= 0 or not (steady or counts):
            fixed[i] = 0
        elif weight <= 0:
            fixed[i] = max(least, 0)
    free = [r for i, r in enumerate(rows) if i not in fixed]
    target = min(min(sum(r[2] for r in free), LONG_MAX),
                 max(total - sum(fixed.values()), 0))

    def share(row, level):
        weight, least, most, _ = row
        return to_long(min(max(weight * level, float(least)), float(most)))

    def used(level):
        return min(sum(share(r, level) for r in free), LONG_MAX)

    high = 1.0
    while free and used(high) < target:
        high *= 2.0
    low = 0.0
    for _ in range(25):
        middle = (low + high) / 2.0
        if used(middle) < target:
            low = middle
        else:
            high = middle
            if used(middle) == target:
                break
    return [fixed[i] if i in fixed else share(r, high)
            for i, r in enumerate(rows)]

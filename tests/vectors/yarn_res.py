"""Resource arithmetic of YARN as calls. The default calculator looks at memory
alone: one kind is handed over. Factors are read as the decimals they are
written in; what YARN's floats make of them is in yarn_float.py."""

import math
from fractions import Fraction

from yarn_float import CALCULATORS, LONG_MAX, f32

MOST = 2 ** 62
DOWN, UP, NEAREST = 1, 2, 3
NEGATIVE = ("-", "lacks:amounts-below-0", {})


def kinds_of(calculator, row):
    return row[:1] if calculator == "default" else row


def is_amount(x):
    return 0 <= x <= MOST


def are_amounts(*rows):
    return all(is_amount(x) for row in rows for x in row)


def ratio_of(decimal):
    """A factor as a ratio of two amounts: exact, or to 18 decimals."""
    exact = Fraction(repr(decimal))
    if max(exact.numerator, exact.denominator) > MOST:
        exact = Fraction(round(exact * 10 ** 18), 10 ** 18)
    return exact


def vector(call, fields, given, exact, theirs, rule):
    """A call that answers with a vector or a number. `theirs` is what YARN's
    floats make of it."""
    given, exact, theirs = (list(x) if isinstance(x, (list, tuple)) else [x]
                            for x in (given, exact, theirs))
    if max(exact) > MOST:
        return call, "beyond-range", dict(fields, want=given, refused=1)
    differs = given != exact and theirs == given
    return call, rule if differs else None, dict(fields, want=given,
                                                 exact=exact)


# ---- Comparing ----

def exact_compare(cluster, a, b, single):
    """By Fractions; kinds without capacity do not count."""
    if not any(cluster):
        more = any(x > y for x, y in zip(a, b))
        less = any(x < y for x, y in zip(a, b))
        return more - less
    rows = [sorted((Fraction(x, c) for x, c in zip(r, cluster) if c),
                   reverse=True) for r in (a, b)]
    if single:
        rows = [[max([Fraction(0)] + r)] for r in rows]
    return (rows[0] > rows[1]) - (rows[0] < rows[1])


def compare(calculator, cluster, a, b, given, single=False):
    theirs = CALCULATORS[calculator].compare(cluster, a, b, single)
    if calculator == "default":
        exact = (a[0] > b[0]) - (a[0] < b[0])
        return vector("compare", {"a": a[:1], "b": b[:1]}, given, exact,
                      theirs, "float-shares")
    exact = 0 if a == b else exact_compare(cluster, a, b, single)
    fields = {"capacity": cluster, "a": a, "b": b}
    if single and any(cluster) and a != b:
        fields["a"], fields["b"] = (
            [max(x, 0) if c else 0 for x, c in zip(r, cluster)]
            for r in (a, b))
        return vector("compare_dominant", fields, given, exact, theirs,
                      "float-shares")
    return vector("compare_shares", fields, given, exact, theirs,
                  "float-shares")


def rc_compare(case):
    x = case["input"]
    yield compare(x["calculator"], x["cluster"], x["a"], x["b"],
                  case["expect"], x.get("single_type", False))


def fits(calculator, small, big, given):
    small, big = (kinds_of(calculator, r) for r in (small, big))
    exact = all(a <= b for a, b in zip(small, big))
    return vector("fits", {"a": small, "b": big}, int(given), int(exact),
                  int(exact), None)


def rc_fits(case):
    x = case["input"]
    yield fits(x["calculator"], x["small"], x["big"], case["expect"])


# ---- Ratios ----

def real(text):
    return repr(float(text))


def ratio(a, b, given, theirs):
    """The largest a over b: b is the capacity of a."""
    if not are_amounts(a, b):
        return NEGATIVE
    if any(x and not y for x, y in zip(a, b)):
        exact = (1, 0)
    else:
        best = max([Fraction(0)] + [Fraction(x, y) for x, y in zip(a, b) if y])
        exact = best.numerator, best.denominator
    rule = "float-ratio" if theirs == f32(float(given)) else None
    return "ratio", rule, {"capacity": b, "usage": a, "exact": exact,
                           "real": real(given)}


def rc_ratio(case):
    x = case["input"]
    name = x["calculator"]
    theirs = CALCULATORS[name].ratio(x["a"], x["b"])
    yield ratio(kinds_of(name, x["a"]), kinds_of(name, x["b"]),
                case["expect"], theirs)


def quotient(cluster, a, b, given, theirs):
    """Dominant share over dominant share, as two ratios."""
    clamped = [[max(x, 0) if c else 0 for x, c in zip(r, cluster)]
               for r in (a, b)]
    if not are_amounts(cluster, *clamped):
        return NEGATIVE
    best = [max([Fraction(0)] + [Fraction(x, c) for x, c in zip(r, cluster)
                                 if c]) for r in clamped]
    same = theirs == f32(float(given))
    return "quotient", "float-ratio" if same else None, {
        "capacity": cluster, "a": clamped[0], "b": clamped[1],
        "exact": [n for x in best for n in (x.numerator, x.denominator)],
        "real": real(given)}


def drf_ratios(case):
    x, want = case["input"], case["expect"]
    used = x["used"]
    for name, of, by in (("ratios", "cluster", 1.0), ("min_ratios", "min", 1.0),
                         ("weighted_ratios", "cluster", x.get("weight", 1.0))):
        for u, c, given in zip(used, x.get(of, ()), want.get(name, ())):
            theirs = f32(u / c) if c else math.inf if u else math.nan
            yield ratio([u], [c], given, f32(theirs / by))
    if "dominant" in want:
        shares = [Fraction(u, c) if c else math.inf if u else Fraction(0)
                  for u, c in zip(used, x["cluster"])]
        first = shares.index(max(shares)) if any(used) else -1
        none = first < 0 and want["dominant"] == 0
        yield "dominant", "none-is-dominant" if none else None, {"capacity": x["cluster"], "usage": used,
                                 "want": want["dominant"], "exact": first}


# ---- Scaling ----

def whole(x, rounding):
    if rounding == UP:
        return math.ceil(x)
    return math.floor(x + Fraction(1, 2)) if rounding == NEAREST else (
        math.floor(x))


def scale(a, by, rounding, step, add, given, theirs):
    """a times `by` (one ratio, or one a kind), to steps, and `add` on top."""
    if not are_amounts(a, add) or min(by) < 0:
        return NEGATIVE
    exact = []
    for x, b, s, more in zip(a, by * len(a), step, add):
        y = whole(x * b, rounding)
        to = -(-y // s) * s if rounding != DOWN and s else y // s * s if s else y
        exact.append(to + more)
    fields = {"a": a, "num": [b.numerator for b in by],
              "den": [b.denominator for b in by], "rounding": rounding,
              "step": step, "add": add}
    return vector("scale", fields, given, exact, theirs, "float-product")


def times_up(name, a, by, step, given):
    factors = [ratio_of(b) for b in (by if isinstance(by, list) else [by])]
    theirs = CALCULATORS[name].times_up(a, by, step)
    a, step, given = (kinds_of(name, r) for r in (a, step, given))
    if name == "default":
        factors = factors[:1]
    return scale(a, factors, NEAREST if name == "default" else UP, step,
                 [0] * len(a), given, theirs)


def res_mul(case):
    x, op = case["input"], case["input"]["op"]
    a, by, none = x["a"], x["by"], [0] * len(x["a"])
    given = case["expect"]
    if op == "multiply_and_normalize_up":
        yield times_up(x["calculator"], a, by, x["step"], given)
    elif op == "multiply_round_up":
        theirs = [math.ceil(v * by) for v in a]
        yield scale(a, [ratio_of(by)], UP, none, none, given, theirs)
    elif op == "multiply_round_down":
        theirs = [int(v * by) for v in a]
        yield scale(a, [ratio_of(by)], DOWN, none, none, given, theirs)
    elif op == "add_multiplied":
        theirs = [v + int(w * by) for v, w in zip(a, x["b"])]
        yield scale(x["b"], [ratio_of(by)], DOWN, none, a, given, theirs)
    else:
        yield "-", "lacks:operation", {}


def normalise(name, ask, least, most, step, given):
    """The default calculator takes the minimum for a step of 0."""
    rows = [kinds_of(name, r) for r in (ask, least, most, step)]
    if name == "default" and rows[3] == [0]:
        rows[3] = rows[1]
    if not are_amounts(*rows[:2], rows[3]):
        return NEGATIVE
    rows[2] = [m if m <= MOST else LONG_MAX for m in rows[2]]
    exact = [min(-(-max(a, lo) // s) * s if s else max(a, lo), hi)
             for a, lo, hi, s in zip(*rows)]
    return vector("normalise", dict(zip(("a", "least", "most", "step"), rows)),
                  given, exact, exact, None)


def rc_normalize(case):
    x, want = case["input"], case["expect"]
    given = [want["memory"]] if "memory" in want else want["value"]
    name = x["calculator"]
    if name == "default":
        given = given[:1]
    elif len(given) < len(x["ask"]):
        name, given = "default", given
        x = dict(x, step=[x["step"][0]])
    yield normalise(name, x["ask"], x["min"], x["max"], x["step"], given)


def steps(name, a, step, rounding, given):
    a, step, given = (kinds_of(name, r) for r in (a, step, given))
    return scale(a, [Fraction(1)], rounding, step, [0] * len(a), given, given)


def calculator(case):
    x, want = case["input"], case["expect"]
    name, cluster, a, b = x["calculator"], x["cluster"], x["a"], x["b"]
    by, over, step = x["by"], x["float_divisor"], x["step"]
    theirs = CALCULATORS[name]
    memory = [kinds_of(name, r) for r in (a, b)]
    yield compare(name, cluster, a, b, want["compare"])
    yield compare(name, cluster, a, b, want["compare_single_type"], True)
    yield fits(name, a, b, want["fits"])
    yield ratio(*memory, want["ratio"], theirs.ratio(a, b))
    if name == "default":
        yield ratio(*memory, want["divide"], theirs.divide(cluster, a, b))
    else:
        yield quotient(cluster, a, b, want["divide"],
                       theirs.divide(cluster, a, b))
    yield times_up(name, a, by, step, want["multiply_normalize_up"])
    small, less, none = (kinds_of(name, r) for r in (a, step, [0] * len(a)))
    yield scale(small, [ratio_of(by)], DOWN, less, none,
                kinds_of(name, want["multiply_normalize_down"]),
                theirs.times_down(a, by, step))
    if over:
        yield scale(small, [1 / ratio_of(over)], UP, none, none,
                    kinds_of(name, want["divide_ceil_by_float"]),
                    theirs.over_up(a, over))
    yield steps(name, a, step, UP, want["round_up"])
    yield steps(name, a, step, DOWN, want["round_down"])

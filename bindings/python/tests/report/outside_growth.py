"""Growth, computed anew: every multiplier by a replay of its own, the work of
each week, and the date on which one reaches the other."""

import math
from datetime import datetime, timedelta, timezone

from outside_read import SECOND

WEEK = 7 * 86_400 * SECOND
#: Times from 1990 on (s) are taken for seconds since 1970.
EPOCH = 631_152_000
#: Beyond so many years no date is named.
FAR = 10


def check(case, said, waits, target, nearest):
    """Every multiplier, with each seed; and where the target is passed."""
    for point in said["points"]:
        m, found = point["multiplier"], []
        for seed in range(point["seeds"]):
            found.append(nearest([w for w in waits if w >= 0], "0.95") / SECOND
                         if m == 1 else case.replay(
                             "--multiplier", repr(m), "--seed", str(seed))[
                                 "p95"])
        found.sort()
        for name, value in (("p95_s", found[len(found) // 2]),
                            ("least_s", found[0]), ("most_s", found[-1])):
            case.same(f"{name} at {m}", point[name], float(value))
    points = [(p["multiplier"], p["p95_s"]) for p in said["points"]]
    passed = None
    for (m, one), (n, two) in zip(points, points[1:]):
        if passed is None and one <= target < two:
            passed = m + (n - m) * (target - one) / (two - one)
    exceeded = points[0][1] > target
    case.same("exceeded", said["exceeded"], exceeded)
    case.same("limit", said["limit"], None if exceeded else passed)


def yearly(case, kind):
    """A straight line through the logarithms of whole weeks of work; None:
    there are fewer than thirteen."""
    first = case.jobs[0].submit
    weeks = (case.jobs[-1].submit - first) // WEEK
    work = [0] * (weeks + 1)
    for job in case.jobs:
        work[min((job.submit - first) // WEEK, weeks)] += \
            job.amount[kind] * job.tasks * job.run
    seen = [(i, math.log(w)) for i, w in enumerate(work[:-1]) if w]
    if weeks < 13 or len(seen) < 13:
        return None
    x, y = (sum(column) / len(seen) for column in zip(*seen))
    slope = sum((a - x) * (b - y) for a, b in seen) / \
        sum((a - x) ** 2 for a, _ in seen)
    return math.exp(slope * 365.25 / 7) - 1


def check_dates(case, facts, kind):
    """How fast it grows, and when that reaches the limit."""
    said, found = facts["growth"], yearly(case, kind)
    if (said["yearly"] is None) != (found is None) or \
            found is not None and abs(found - said["yearly"]) > 1e-6:
        case.wrong.append(("yearly", said["yearly"], found))
    begin, last = (case.work.begins + case.jobs[at].submit / SECOND
                   for at in (0, -1))
    dated = begin >= EPOCH
    case.same("begins", facts["inputs"]["begins"], datetime.fromtimestamp(
        int(begin), timezone.utc).isoformat() if dated else None)
    limit, reached = said["limit"], said["reached"]
    if not dated or not found or found <= 0 or not limit or limit < 1 or \
            math.log(limit) / math.log(1 + found) > FAR:
        case.same("reached", reached, None)
        return
    when = datetime.fromtimestamp(int(last), timezone.utc) + timedelta(
        days=365.25 * math.log(limit) / math.log(1 + found))
    if reached is None or abs(datetime.fromisoformat(reached) - when) > \
            timedelta(minutes=1):
        case.wrong.append(("reached", reached, when.isoformat()))

"""Names of elements of a fair-scheduler.xml, and resources as it spells them:
"X mb, Y vcores", "X%", "X% memory, Y% cpu", "memory-mb=X, vcores=Y, other=Z".

The rules are those of YARN's parser, so that what is taken here is taken
there."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fractions import Fraction

from ...values import KIND, MIB, MOST, fraction, whole

# ---- names of elements ----

POLICIES = {"fair": "fair", "drf": "drf", "fifo": "fifo"}
CLASSES = {"fairsharepolicy": "fair", "fifopolicy": "fifo",
           "dominantresourcefairnesspolicy": "drf"}
OLD_NAMES = {"maxRunningJobs": "maxRunningApps",
             "poolMaxJobsDefault": "queueMaxAppsDefault",
             "userMaxJobsDefault": "userMaxAppsDefault",
             "defaultPoolSchedulingMode": "defaultQueueSchedulingPolicy"}
SAME_NAMES = {"schedulingMode": "schedulingPolicy",
              "defaultQueueSchedulingMode": "defaultQueueSchedulingPolicy"}
SLOTS = {"minMaps": ("guarantee", "maps"), "maxMaps": ("limit", "maps"),
         "minReduces": ("guarantee", "reduces"),
         "maxReduces": ("limit", "reduces")}
GLOBALS = {"queueMaxAppsDefault", "userMaxAppsDefault",
           "queueMaxResourcesDefault", "queueMaxAMShareDefault",
           "defaultMinSharePreemptionTimeout",
           "defaultFairSharePreemptionTimeout", "fairSharePreemptionTimeout",
           "defaultFairSharePreemptionThreshold",
           "defaultQueueSchedulingPolicy"}
KEPT = {"queuePlacementPolicy", "reservation-planner", "reservation-agent",
        "reservation-policy", "aclSubmitApps", "aclAdministerApps",
        "aclAdministerReservations", "aclListReservations",
        "aclSubmitReservations", "reservation", "maxContainerAllocation",
        "maxChildResources"}
TIMES = {"minSharePreemptionTimeout": "preempt_min_timeout",
         "fairSharePreemptionTimeout": "preempt_fair_timeout"}
DEFAULTS = {"defaultMinSharePreemptionTimeout": "minSharePreemptionTimeout",
            "defaultFairSharePreemptionTimeout": "fairSharePreemptionTimeout",
            "fairSharePreemptionTimeout": "fairSharePreemptionTimeout",
            "defaultFairSharePreemptionThreshold":
                "fairSharePreemptionThreshold"}


# ---- resources ----

NUMBERED = r"(-?\d+)(\.\d*)?\s*%s"
NAMES = {"memory-mb": "memory", "vcores": "cpu", "yarn.io/gpu": "gpu"}
UNITS = {"memory": ("B", MIB), "cpu": ("m", 1000)}
BACK = {kind: name for name, kind in NAMES.items()}


class BadResource(ValueError):
    """Why a text is no resource."""


@dataclass
class Resource:
    """Amounts by kind in its smallest unit; or parts by kind; or one part of
    everything. `cut`: a fraction was said, and is dropped as YARN does."""

    amounts: dict[str, int] = field(default_factory=dict)
    parts: dict[str, Fraction] = field(default_factory=dict)
    every: Fraction | None = None
    cut: bool = False


def unit_of(kind: str) -> str:
    """The unit of a kind in a schema."""
    return UNITS.get(kind, ("1", 1))[0]


def amount(kind: str, units: int) -> int:
    """Mebibytes, cores or pieces in the kind's smallest unit."""
    return min(units * UNITS.get(kind, ("1", 1))[1], MOST)


def resource(text: str) -> Resource:
    """Reads one; BadResource says what is wrong with it.

    >>> resource("1024 mb, 2 vcores").amounts
    {'memory': 1073741824, 'cpu': 2000}
    """
    said = text.strip().lower()
    if not said:
        raise BadResource("is empty")
    if len(said) > 1000:
        raise BadResource("is too long")
    if "=" in said:
        return named(text.strip())
    if "%" in said:
        return percents(said)
    made = Resource()
    for kind, unit in (("memory", "mb"), ("cpu", "vcores")):
        number, cut = numbered(said, unit, unit)
        made.amounts[kind] = amount(kind, int(number))
        made.cut |= cut
    return made


def numbered(said: str, pattern: str, unit: str) -> tuple[Fraction, bool]:
    """The number in front of a unit, and whether it has a fraction."""
    found = re.search(NUMBERED % pattern, said)
    if not found:
        raise BadResource(f"has no number of {unit}")
    before = said[:found.start()].rstrip()
    if before and before[-1] in "0123456789.%":
        raise BadResource(f"has more than one number of {unit}")
    if found[1].startswith("-"):
        raise BadResource(f"is negative in {unit}")
    tail = (found[2] or "").strip(".")
    value = Fraction(int(found[1]))
    if "%" in pattern and tail:
        value += Fraction(int(tail), 10**len(tail))
    return value, bool(tail.strip("0"))


def percents(said: str) -> Resource:
    """Percentages: one, or one of memory and one of cpu."""
    made = Resource()
    if "," not in said:
        found = re.fullmatch(r"(-?\d+(\.\d*)?)\s*%\s*", said)
        if found:
            made.every = checked(found[1], "everything") / 100
            return made
    for kind, unit in (("memory", "memory"), ("cpu", "cpu")):
        value, _ = numbered(said, r"%\s*" + unit, f"% {unit}")
        made.parts[kind] = value / 100
    return made


def checked(text: str, what: str) -> Fraction:
    """A number that is not negative."""
    value = fraction(text)
    if value is None:
        raise BadResource(f"{text[:40]!r} is no number of {what}")
    if value < 0:
        raise BadResource(f"is negative in {what}")
    return value


def named(said: str) -> Resource:
    """name=value pairs, all amounts or all percentages."""
    made = Resource()
    for pair in said.split(","):
        name, _, value = (word.strip() for word in pair.partition("="))
        kind = NAMES.get(name, name)
        if not KIND.fullmatch(kind):
            raise BadResource(f"{name[:40]!r} is no resource")
        if kind in made.amounts or kind in made.parts:
            raise BadResource(f"names {name} twice")
        if ("%" in said) != value.endswith("%"):
            raise BadResource("mixes percentages and amounts")
        if "%" in said:
            made.parts[kind] = checked(value[:-1], name) / 100
            continue
        units = whole(value)
        if units is None:
            raise BadResource(f"{value[:40]!r} is no whole number of {name}")
        if units < 0:
            raise BadResource(f"is negative in {name}")
        made.amounts[kind] = amount(kind, units)
    return made


def spelled(amounts: dict[str, int | None]) -> str | None:
    """Amounts as the file has them: the old spelling for memory and cores,
    the new one for more; None where one is finer than YARN's units."""
    words = []
    for kind, value in amounts.items():
        scale = UNITS.get(kind, ("1", 1))[1]
        if value is not None and value % scale:
            return None
        units = (1 << 63) - 1 if value is None else value // scale
        words.append(f"{BACK.get(kind, kind)}={units}")
    return ", ".join(words)

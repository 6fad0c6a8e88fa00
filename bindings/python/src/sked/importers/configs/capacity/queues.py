"""One queue of a capacity scheduler, and siblings together.

Capacities become guarantees, and weights in the same proportion, because YARN
shares what is free by them."""

from __future__ import annotations

from fractions import Fraction
from math import lcm

from ....enums import FaultCode, Severity
from ...model import Fidelity, QueueSpec, escaped
from ...values import decimal, fraction, part, whole
from ..draft import WEIGHT_MAX, Draft, Path, dotted
from ..settings import Fate, Setting
from .properties import (PREFIX, BadCapacity, Capacity, Entry, capacity,
                         percents)
from .settings import (CALCULATOR, CAPACITY, DEFAULTED, LABELS, OF_QUEUE,
                       ORDER_LEAF, ORDER_PARENT, PRIORITY)

FULL = Fraction(100)
SLACK = Fraction(1, 1000)  # what sums may be off, in percent
MOST_WEIGHT = 10_000  # YARN refuses more
LEAST_STEP = 500  # of weights that stand for priorities
INT_MAX = (1 << 31) - 1
STATES = {"RUNNING": "running", "STOPPED": "draining", "DRAINING": "draining"}
PARENT = {"utilization": "utilisation",
          "priority-utilization": "utilisation"}
LEAF = {"fifo": "priority", "fair": "fair"}
LIKE_FIFO = ("fifo-with-partitions", "fifo-for-pending-apps")


class CapacityQueues:
    """The queues of one file being read."""

    def __init__(self, file: str) -> None:
        self.draft = Draft("capacity-scheduler", file,
                           {"cpu": "m", "memory": "B"})
        self.draft.severity = {
            FaultCode.PARTS_SUM: None, FaultCode.PARTS_MIXED: None,
            FaultCode.DEAD_WEIGHT: Severity.WARNING,
            FaultCode.ALL_DEAD: Severity.WARNING}
        self.hadoop1 = False
        self.below: dict[Path, list[Path]] = {}
        self.said: dict[Path, dict[str, Entry]] = {}
        self.globals: dict[str, Entry] = {}
        self.capacities: dict[Path, Capacity] = {}
        self.calculator: Entry | None = None

    def settle(self) -> None:
        """Every queue, then siblings together."""
        self.kinds_counted()
        for path, spec in self.draft.queues.items():
            self.queue(spec, self.said.get(path, {}))
        for path, below in self.below.items():
            if below:
                self.siblings(path, below)
        self.labels()

    def kinds_counted(self) -> None:
        """Whether YARN counts cores too."""
        said = self.calculator
        if self.hadoop1 or said and "Dominant" in said.value:
            return
        if said:
            self.draft.differ(CALCULATOR, said.line)
        elif self.draft.queues:
            self.draft.fill(next(iter(self.draft.queues.values())), CALCULATOR)

    # ---- one queue ----

    def queue(self, spec: QueueSpec, said: dict[str, Entry]) -> None:
        """What it says, and the defaults of what it does not."""
        parent = bool(self.below.get(spec.path))
        where = dotted(spec.path)
        for name, entry in said.items():
            if name == "capacity":
                self.capacity(spec, entry)
            elif name == "maximum-capacity":
                self.maximum(spec, entry)
            elif name == "state":
                self.state(spec, entry)
            elif name == "disable_preemption":
                if self.rule("yes-no", entry, f"{where}: {name}"):
                    no = entry.value.strip().lower() == "true"
                    self.draft.say(spec, "preempt_from",
                                   "no" if no else "yes", entry.line)
            elif name == "priority":
                self.priority(spec, entry)
            elif name == "accessible-node-labels" and entry.value.strip():
                self.draft.say(spec, "label", entry.value.strip(), entry.line)
                self.draft.differ(LABELS, entry.line)
            elif name.startswith("user-settings."):
                self.user(spec, name, entry)
            elif name not in ("queues", "ordering-policy", *(
                    row.name for row in DEFAULTED)):
                self.keep(spec, name, entry)
        self.order(spec, said.get("ordering-policy"), parent)
        for row in DEFAULTED:
            self.defaulted(spec, row, said.get(row.name), parent)

    def keep(self, spec: QueueSpec, name: str, entry: Entry) -> None:
        """What the tree has no word for; its form is looked at."""
        where = f"{dotted(spec.path)}: {name}"
        row = OF_QUEUE.get(name)
        if name.startswith("accessible-node-labels."):
            self.label(entry, where)
        elif row is None:
            self.draft.warn(entry.line, "is not known", where)
        else:
            self.rule(row.rule, entry, where)
        empty = name == LABELS.name and not entry.value.strip()
        kept = spec.spelled if empty or row and row.fate is Fate.UNUSED else \
            spec.extra
        kept[name] = entry.value

    def rule(self, rule: str, entry: Entry, where: str) -> bool:
        """Whether a value is what its rule wants; a finding where not."""
        text = entry.value.strip()
        value = fraction(text)
        number = whole(text)
        wrong = ""
        if rule == "yes-no" and text.lower() not in ("true", "false"):
            wrong = "is neither true nor false"
        elif rule == "count" and (number is None or not 0 <= number <=
                                  INT_MAX):
            wrong = f"is no whole number of 0 to {INT_MAX}"
        elif rule == "life" and (number is None or number < -1):
            wrong = "is no number of seconds"
        elif rule == "time" and (number is None or number < 0):
            wrong = "is no number of milliseconds"
        elif rule == "part" and (value is None or not 0 <= value <= 1):
            wrong = "is no fraction of 0 to 1"
        elif rule == "percent" and (value is None or not 0 <= value <= 100):
            wrong = "is not 0 to 100"
        elif rule == "factor" and (value is None or value < 0 and value != -1):
            wrong = "is no number of 0 or more"
        if wrong:
            self.draft.error(entry.line, f"{text[:60]!r} {wrong}", where)
        return not wrong

    def capacity(self, spec: QueueSpec, entry: Entry) -> None:
        """What it is said to have; siblings are looked at later."""
        where = f"{dotted(spec.path)}: capacity"
        try:
            made = capacity(entry.value)
        except BadCapacity as error:
            self.draft.error(entry.line, str(error), where)
            return
        if made.mode == "percent" and not 0 <= made.number <= 100:
            self.draft.error(entry.line, f"{entry.value.strip()[:60]} is not "
                             "0 to 100", where)
        elif made.mode == "weight" and not 0 <= made.number <= MOST_WEIGHT:
            self.draft.error(entry.line, f"{entry.value.strip()[:60]} is not "
                             f"0w to {MOST_WEIGHT}w", where)
        elif len(spec.path) > 1:
            self.capacities[spec.path] = made
            spec.spelled["capacity"] = entry.value.strip()
            self.draft.lines[spec.path, "guarantee"] = entry.line
        elif made.mode == "percent" and made.number != 100:
            self.draft.error(entry.line, "the root has 100", where)
        elif made.mode != "percent":
            spec.spelled["capacity"] = entry.value

    def maximum(self, spec: QueueSpec, entry: Entry) -> None:
        """A bound: a percentage of that of the queue above, or amounts."""
        where = f"{dotted(spec.path)}: maximum-capacity"
        try:
            made = capacity(entry.value)
        except BadCapacity as error:
            self.draft.error(entry.line, str(error), where)
            return
        if made.mode == "amounts":
            self.amounts(spec, "limit", made, entry.line)
        elif made.mode == "weight":
            self.draft.error(entry.line, "a maximum cannot be a weight", where)
        elif made.number == -1:
            return
        elif not 0 <= made.number <= 100:
            self.draft.error(entry.line, f"{entry.value.strip()[:60]} is not 0"
                             " to 100, nor -1", where)
        elif made.number < 100:
            self.say_part(spec, "limit", made.number / 100, entry)

    def say_part(self, spec: QueueSpec, key: str, value: Fraction,
                 entry: Entry) -> None:
        """A part, to a millionth."""
        text, exact = part(value)
        if not exact:
            self.draft.warn(entry.line, f"{decimal(value * 100)} is finer than"
                            f" 0.0001 %: about {text}", dotted(spec.path))
        self.draft.say(spec, key, text, entry.line,
                       Fidelity.EXACT if exact else Fidelity.DERIVED)

    def amounts(self, spec: QueueSpec, key: str, made: Capacity,
                line: int) -> None:
        """Amounts of each resource."""
        for kind in made.amounts:
            self.draft.kind(kind, "1")
        self.draft.say_amounts(spec, key, made.amounts, line)

    def state(self, spec: QueueSpec, entry: Entry) -> None:
        """RUNNING, or taking nothing new."""
        found = STATES.get(entry.value.strip().upper())
        if found is None:
            self.draft.error(entry.line, f"{entry.value.strip()[:60]!r} is no "
                             "state: RUNNING, STOPPED",
                             f"{dotted(spec.path)}: state")
        elif found == "draining":
            self.draft.say(spec, "state", found, entry.line)

    def priority(self, spec: QueueSpec, entry: Entry) -> None:
        """Among siblings."""
        value = whole(entry.value)
        if value is None or not -INT_MAX - 1 <= value <= INT_MAX:
            self.draft.error(entry.line, f"{entry.value.strip()[:60]!r} is no "
                             "priority", dotted(spec.path))
        elif value:
            self.draft.say(spec, "priority", str(value), entry.line)

    def user(self, spec: QueueSpec, name: str, entry: Entry) -> None:
        """A user's weight; those of ours are whole."""
        user, _, what = name[len("user-settings."):].rpartition(".")
        value = fraction(entry.value)
        where = f"{dotted(spec.path)}: {name}"
        if what != "weight" or value is None or value < 0 or not user:
            self.draft.error(entry.line, f"{entry.value.strip()[:60]!r} is no "
                             "weight of a user", where)
        elif value.denominator == 1 and value < 1 << 32:
            self.draft.say(spec, f"user_weight.{escaped(user)}", str(value),
                           entry.line)
            return
        else:
            self.draft.warn(entry.line, "a weight that is no whole number is "
                            "kept", where)
        spec.extra[name] = entry.value

    def order(self, spec: QueueSpec, entry: Entry | None,
              parent: bool) -> None:
        """Of children, or of applications. The fifo of YARN looks at
        priorities first; its fair at memory, ours at the dominant kind."""
        said = entry.value.strip() if entry else ""
        if parent and not entry:
            self.draft.fill(spec, ORDER_PARENT)
            return
        if not entry:
            self.draft.fill(spec, ORDER_LEAF)
            return
        where = f"{dotted(spec.path)}: ordering-policy"
        key, names = ("order", PARENT) if parent else ("apps", LEAF)
        found = names.get(said)
        if found is None and not parent and said in (*PARENT, *LIKE_FIFO):
            found = "priority"  # children of the former are made on demand
            spec.spelled["ordering-policy"] = said
        elif found is None:
            self.draft.error(entry.line, f"{said[:60]!r} is none of "
                             f"{', '.join(names)}", where)
            spec.spelled["ordering-policy"] = said
            return
        elif said == "priority-utilization":
            spec.spelled["ordering-policy"] = said
        if said == "fair":
            self.draft.differ(ORDER_LEAF, entry.line)
        self.draft.say(spec, key, found, entry.line, Fidelity.EXACT if said in
                       ("fifo", "utilization") else Fidelity.DERIVED)

    def defaulted(self, spec: QueueSpec, row: Setting, own: Entry | None,
                  parent: bool) -> None:
        """What a queue takes from the scheduler where it does not say it."""
        if parent and row.where == "a leaf" or \
                self.hadoop1 and row.key in ("am_share", "user_factor"):
            if own:
                spec.extra[row.name] = own.value
            return
        entry = own or self.globals.get(row.name)
        if entry is None:
            if row.fills:
                self.draft.fill(spec, row)
            return
        place = dotted(spec.path) if own else "overall"
        if self.rule(row.rule, entry, f"{place}: {row.name}"):
            self.bounded(spec, row, entry, own is not None)

    def bounded(self, spec: QueueSpec, row: Setting, entry: Entry,
                own: bool) -> None:
        """A bound that is what its rule wants."""
        how = Fidelity.EXACT if own else Fidelity.DERIVED
        if row.rule == "count":
            value = whole(entry.value)
            if value != INT_MAX:
                self.draft.say(spec, row.key, str(value), entry.line, how)
            return
        number = fraction(entry.value) or Fraction(0)
        if row.rule == "factor" and (number < 0 or number >= 1000):
            return
        if row.rule == "percent":
            number /= 100
        if row.rule != "percent" or number != 1:
            self.say_part(spec, row.key, number, entry)
            self.draft.trust(row.key, how)

    # ---- siblings ----

    def siblings(self, path: Path, below: list[Path]) -> None:
        """Capacities of one parent's children."""
        listed = self.draft.queues[below[0]].line
        missing = [p for p in below if p not in self.said or
                   "capacity" not in self.said[p]]
        for one in missing:
            if f"{PREFIX}{dotted(one)}.capacity" in self.draft.open_names:
                continue
            self.draft.error(listed, "has no capacity", dotted(one))
        said = {p: self.capacities[p] for p in below if p in self.capacities}
        modes = {one.mode for one in said.values()}
        if len(modes) > 1:
            self.draft.error(listed, "its queues mix "
                             f"{', '.join(sorted(modes))}", dotted(path))
        whole_group = len(said) == len(below) and len(modes) == 1
        for one, made in said.items():
            if made.mode == "amounts":
                self.amounts(self.draft.queues[one], "guarantee", made,
                             self.draft.lines[one, "guarantee"])
        if modes == {"percent"}:
            self.percent_group(path, said, listed, whole_group)
        elif modes == {"weight"} and whole_group:
            self.weight_group(said)
        parent = self.draft.queues[path]
        if parent.spelled.get("ordering-policy") == "priority-utilization":
            self.ranks(parent, below)

    def ranks(self, parent: QueueSpec, below: list[Path]) -> None:
        """Priorities among siblings. YARN serves a higher one first beyond
        all capacities: its weight is so much larger that it gets all but a
        little of what is free."""
        said = [int(self.draft.queues[one].settings.get("priority", "0"))
                for one in below]
        ranks = {value: at for at, value in enumerate(sorted(set(said)))}
        if len(ranks) < 2:
            return
        self.draft.differ(PRIORITY, self.said[below[0]].get(
            "priority", Entry("", parent.line)).line)
        weights = [self.draft.weights.get(one, Fraction(1)) or Fraction(1)
                   for one in below]
        least = lcm(*(one.denominator for one in weights))
        largest = int(max(weights) * least)
        step = LEAST_STEP
        if largest * step ** (len(ranks) - 1) > WEIGHT_MAX:
            return
        while largest * (2 * step) ** (len(ranks) - 1) <= WEIGHT_MAX:
            step *= 2
        for one, weight, value in zip(below, weights, said):
            self.draft.weights[one] = weight * least * step ** ranks[value]
        self.draft.say(parent, "order", "drf", parent.line, Fidelity.DERIVED)

    def percent_group(self, path: Path, said: dict[Path, Capacity],
                      listed: int, all_said: bool) -> None:
        """Percentages add to 100, or are all 0."""
        total = sum((one.number for one in said.values()), Fraction(0))
        if all_said and total and abs(total - 100) > SLACK:
            self.draft.error(listed, "the capacities of its queues add to "
                             f"{decimal(total)}, not 100", dotted(path))
        for one, made in said.items():
            spec, line = self.draft.queues[one], \
                self.draft.lines[one, "guarantee"]
            if made.number:
                self.say_part(spec, "guarantee", made.number / 100,
                              Entry("", line))
                self.draft.weights[one] = made.number
                self.draft.trust("weight", Fidelity.DERIVED)
            else:
                self.least(spec, line)
            self.above_maximum(spec, made.number, line)

    def least(self, spec: QueueSpec, line: int) -> None:
        """Capacity 0: YARN orders the queue as if it had the least
        allocation, so that it gets what others leave."""
        if not self.hadoop1:
            self.draft.say_amounts(spec, "guarantee", {
                "cpu": 1000, "memory": 1 << 30}, line, Fidelity.DERIVED)
            self.draft.differ(CAPACITY, line)

    def above_maximum(self, spec: QueueSpec, number: Fraction,
                      line: int) -> None:
        """A capacity is not above the maximum."""
        limit = spec.settings.get("limit", "100%")
        if limit.endswith("%") and number / 100 > Fraction(limit[:-1]) / 100:
            self.draft.error(line, f"capacity {decimal(number)} is above "
                             f"maximum-capacity {limit[:-1]}",
                             dotted(spec.path))

    def weight_group(self, said: dict[Path, Capacity]) -> None:
        """Weights: what they come to is guaranteed."""
        parts = percents([one.number for one in said.values()])
        for (one, made), share in zip(said.items(), parts):
            spec, line = self.draft.queues[one], \
                self.draft.lines[one, "guarantee"]
            self.draft.weights[one] = made.number or Fraction(1)
            self.draft.lines[one, "weight"] = line
            if not share:
                self.least(spec, line)
            else:
                self.draft.say(spec, "guarantee", part(share)[0], line,
                               Fidelity.DERIVED)

    # ---- labels ----

    def label(self, entry: Entry, where: str) -> None:
        """A capacity on the nodes of a label."""
        if where.endswith("capacity"):
            try:
                made = capacity(entry.value)
            except BadCapacity as error:
                self.draft.error(entry.line, str(error), where)
                return
            if made.mode == "percent" and made.number != -1 and \
                    not 0 <= made.number <= 100:
                self.draft.error(entry.line, f"{entry.value.strip()[:60]} is "
                                 "not 0 to 100", where)

    def labels(self) -> None:
        """On each label, too, the capacities of siblings add to 100."""
        for path, below in self.below.items():
            sums: dict[str, list[tuple[Fraction, int]]] = {}
            for one in below:
                for name, entry in self.said.get(one, {}).items():
                    words = name.split(".")
                    value = fraction(entry.value)
                    if len(words) == 3 and words[::2] == [
                            "accessible-node-labels", "capacity"] and value:
                        sums.setdefault(words[1], []).append(
                            (value, entry.line))
            for label, found in sums.items():
                total = sum((v for v, _ in found), Fraction(0))
                if abs(total - 100) > SLACK and all(v > 0 for v, _ in found):
                    self.draft.error(found[0][1], "the capacities of its "
                                     f"queues on label {label} add to "
                                     f"{decimal(total)}, not 100",
                                     dotted(path))

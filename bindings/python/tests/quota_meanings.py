"""Small models of schedulers that share by quotas, in exact fractions, written
from their own code: HTCondor's hierarchical group quotas (GroupEntry.cpp),
KAI's division of resources (resource_division.go), and the runtime quota of
Koordinator (runtime_quota_calculator.go)."""

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class Group:
    """A group of HTCondor: `quota` is static (cores) or a part; `wants` is the
    demand of its own jobs."""

    name: str
    quota: Fraction = Fraction(0)
    static: bool = True
    surplus: bool = True
    wants: Fraction = Fraction(0)
    below: list = field(default_factory=list)
    own: Fraction = Fraction(0)  # quota of its own jobs
    whole: Fraction = Fraction(0)  # quota of all below
    asked: Fraction = Fraction(0)
    all_asked: Fraction = Fraction(0)
    held: Fraction = Fraction(0)


def assign(group, quota):
    """hgq_assign_quotas, without oversubscription."""
    group.whole = group.own = quota
    if quota <= 0:
        return
    static = sum(one.quota for one in group.below if one.static)
    parts = sum(one.quota for one in group.below if not one.static)
    fixed = min(static, quota)
    for one in group.below:
        share = one.quota * fixed / (static or 1) if one.static else \
            one.quota * (quota - fixed) / max(parts, 1)
        assign(one, share)
        group.own -= share


def fairshare(group):
    """hgq_fairshare: what of a group's quota is left over."""
    group.held = min(group.wants, group.own)
    group.asked = group.all_asked = group.wants - group.held
    left = group.own - group.held
    for one in group.below:
        left += fairshare(one)
        if one.surplus:
            group.all_asked += one.all_asked
    return allocate(group, left)


def allocate(group, surplus):
    """hgq_allocate_surplus: a group is on equal footing with those below."""
    if surplus <= 0 or group.all_asked <= 0:
        return max(surplus, Fraction(0))
    asks = [one.all_asked if one.surplus else Fraction(0)
            for one in group.below] + [group.asked]
    quotas = [one.whole for one in group.below] + [group.own]
    given = [Fraction(0)] * len(asks)
    for by_quota in (True, False):
        while surplus > 0:
            weights = [(q if by_quota else Fraction(1)) if ask > 0 else 0
                       for q, ask in zip(quotas, asks)]
            if not sum(weights):
                break
            parts = [min(ask, surplus * weight / sum(weights))
                     for ask, weight in zip(asks, weights)]
            given = [a + b for a, b in zip(given, parts)]
            asks = [a - b for a, b in zip(asks, parts)]
            surplus -= sum(parts)
            if sum(weight > 0 and ask > 0 for weight, ask in
                   zip(weights, asks)) == sum(w > 0 for w in weights):
                break
    for one, part in zip(group.below, given):
        if part:
            allocate(one, part)
    group.held += given[-1]
    group.asked -= given[-1]
    group.all_asked = sum(asks)
    return surplus


def held(group, path="root"):
    """What each queue of the imported tree would hold."""
    made = {path if not group.below else f"{path}.<none>": group.held}
    for one in group.below:
        made.update(held(one, f"{path}.{one.name}"))
    return made


@dataclass
class Queue:
    """A queue of KAI or a quota of Koordinator, of one resource."""

    name: str
    quota: Fraction = Fraction(0)
    limit: Fraction | None = None
    weight: Fraction = Fraction(1)
    priority: int = 100
    lent: bool = True
    wants: Fraction = Fraction(0)
    below: list = field(default_factory=list)
    share: Fraction = Fraction(0)

    def asked(self):
        """What it asks for, within its limit, with all below."""
        want = sum((one.asked() for one in self.below), Fraction(0)) \
            if self.below else self.wants
        return want if self.limit is None else min(want, self.limit)


def divide(queues, total):
    """The quota first; what is left by weight, the highest priority first."""
    for one in queues:
        one.share = min(one.quota, one.asked())
        if not one.lent:
            one.share = one.quota
    left = total - sum(one.share for one in queues)
    for rank in sorted({one.priority for one in queues}, reverse=True):
        while left > 0:
            open_ones = [one for one in queues if one.priority == rank and
                         one.asked() > one.share and one.weight]
            if not open_ones:
                break
            weights = sum(one.weight for one in open_ones)
            parts = [min(one.asked() - one.share, left * one.weight / weights)
                     for one in open_ones]
            for one, part in zip(open_ones, parts):
                one.share += part
            left -= sum(parts)
    for one in queues:
        divide(one.below, one.share)


def shares(queues, path="root"):
    """What each leaf gets."""
    made = {}
    for one in queues:
        here = f"{path}.{one.name}"
        made.update(shares(one.below, here) if one.below else
                    {here: min(one.share, one.asked())})
    return made

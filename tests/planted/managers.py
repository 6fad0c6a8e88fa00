"""Wrong managers, each a few lines over `sked.testing.plain.PlainManager`;
`RIGHT` are right. Names say the mistake; many are from public reports. `RULES`
are rules beside the default ones."""

from sked.testing.managers import Rules
from sked.testing.plain import PlainManager

WRONG = {}
RIGHT = {"plain": PlainManager}
RULES = dict.fromkeys(("plain", "SaysLimitForNodes", "SaysNoNodeForLimits",
                       "ForgetsWhyAfterARestart"),
                      Rules(reasons=True, reservations=True))


def wrong(cls):
    WRONG[cls.__name__] = cls
    return cls


# ---- Bounds ----

@wrong
class NoCapacity(PlainManager):
    def fits(self, task, node, extra=0):
        return self.may_use(self.tasks[task], self.nodes[node])

@wrong
class OneTooManyOnANode(PlainManager):
    def fits(self, task, node, extra=0):
        t, n = self.tasks[task], self.nodes[node]
        return self.may_use(t, n) and all(
            n["used"][k] + t["amounts"][k] * extra < n["amounts"][k]
            or not t["amounts"][k] for k in self.kinds)

@wrong
class FirstKindOnly(PlainManager):
    def fits(self, task, node, extra=0):
        t, n = self.tasks[task], self.nodes[node]
        return self.may_use(t, n) and n["used"][0] + t["amounts"][0] * \
            (1 + extra) <= n["amounts"][0]

@wrong
class GangCountsOnce(PlainManager):
    """A gang of three takes what one takes on a node."""
    def fits(self, task, node, extra=0):
        return super().fits(task, node, 0)

@wrong
class NoLimits(PlainManager):
    def below_limit(self, queue, t, count):
        return True

@wrong
class NoParentLimits(PlainManager):
    def below_limit(self, queue, t, count):
        return queue != t["queue"] or super().below_limit(queue, t, count)

@wrong
class NoLeafLimits(PlainManager):
    def below_limit(self, queue, t, count):
        return queue == t["queue"] or super().below_limit(queue, t, count)

@wrong
class LimitPassedByOne(PlainManager):
    def below_limit(self, queue, t, count):
        limit, used = self.queues[queue]["limit"], self.used[queue]
        return limit is None or all(used[k] < limit[k] or not t["amounts"][k]
                                    for k in self.kinds)

@wrong
class LimitOneTooLow(PlainManager):
    def below_limit(self, queue, t, count):
        return super().below_limit(queue, t, count + 1)

@wrong
class NoUserLimits(PlainManager):
    def below_user_limit(self, queue, t, count):
        return True

@wrong
class UserLimitOfTheLeafOnly(PlainManager):
    def below_user_limit(self, queue, t, count):
        return queue != t["queue"] or super().below_user_limit(queue, t, count)

@wrong
class UsersShareOneLimit(PlainManager):
    """All users of a queue count as one."""
    def charge(self, task, node, count):
        super().charge(task, node, count)
        t = self.tasks[task]
        for queue in self.paths[t["queue"]]:
            for user in self.queues[queue]["users"]:
                if user != t["user"]:
                    used = self.by_user.setdefault(
                        (queue, user), [0 for _ in self.kinds])
                    for k in self.kinds:
                        used[k] += t["amounts"][k] * count


# ---- Nodes ----

@wrong
class UsesDownNodes(PlainManager):
    def may_use(self, t, n):
        return t["partition"] in (None, n["partition"])

@wrong
class UsesDrainedNodes(PlainManager):
    def may_use(self, t, n):
        return n["state"] != "down" and t["partition"] in (None, n["partition"])

@wrong
class NoPartitions(PlainManager):
    def may_use(self, t, n):
        return n["state"] == "up"

@wrong
class ForgetsThatNodesComeBack(PlainManager):
    def node(self, now, name, state, amounts, partition):
        if self.nodes.get(name, {}).get("state") == "down":
            state = "down"
        super().node(now, name, state, amounts, partition)

@wrong
class NeverSeesANewSize(PlainManager):
    def node(self, now, name, state, amounts, partition):
        if name in self.nodes:
            amounts = self.nodes[name]["amounts"]
        super().node(now, name, state, amounts, partition)

@wrong
class LastNodeIsForgotten(PlainManager):
    def places(self, task):
        last = list(self.nodes)[-1:] if len(self.nodes) > 1 else []
        return [] if any(n in last for n, _ in super().places(task)) else \
            super().places(task)

@wrong
class FirstNodeOnly(PlainManager):
    def fits(self, task, node, extra=0):
        return node == next(iter(self.nodes)) and super().fits(task, node, extra)

@wrong
class IdleSmallNodes(PlainManager):
    def fits(self, task, node, extra=0):
        return max(self.nodes[node]["amounts"]) > 2 and \
            super().fits(task, node, extra)


# ---- Liveness ----

@wrong
class NeverPlaces(PlainManager):
    def decide(self, now):
        return []

@wrong
class OneDecisionAStep(PlainManager):
    def decide(self, now):
        if getattr(self, "last", None) == now:
            return []
        self.last = now
        task = self.next_task()
        out = []
        for node, count in self.places(task) if task else []:
            self.charge(task, node, count)
            self.tasks[task]["waiting"] -= count
            out.append(("start", task, node, count))
        return out

@wrong
class HeadOfLineBlocks(PlainManager):
    def best_of(self, queue):
        waiting = sorted((t for t in self.tasks.values()
                          if t["queue"] == queue and t["waiting"]),
                         key=lambda t: (-t["priority"], t["seq"]))
        return waiting[0]["name"] if waiting and self.places(
            waiting[0]["name"]) else None

@wrong
class BlockedQueueStopsAll(PlainManager):
    def fair(self, queue, best):
        if queue is not None and not self.children[queue]:
            return best[queue]
        waiting = {t["queue"] for t in self.tasks.values() if t["waiting"]}
        for child in sorted(self.children[queue], key=self.standing):
            if any(child in self.paths[q] for q in waiting):
                return self.fair(child, best)
        return None

@wrong
class DecidesForEver(PlainManager):
    def decide(self, now):
        out = super().decide(now)
        for (task, node), count in self.running.items():
            if count and not out:
                return [("kill", task, node, 1, None),
                        ("start", task, node, 1)]
        return out

@wrong
class StarvesTheLastQueue(PlainManager):
    def best_of(self, queue):
        return None if queue == list(self.queues)[-1] else super().best_of(queue)


# ---- Guarantees, shares, order ----

@wrong
class NoGuarantees(PlainManager):
    def guaranteed(self, best):
        return None

@wrong
class GuaranteesOfLeavesOnly(PlainManager):
    def fits_guarantee(self, queue, task):
        return not self.children[queue] and super().fits_guarantee(queue, task)

@wrong
class GuaranteeOneTooLow(PlainManager):
    def fits_guarantee(self, queue, task):
        t = self.tasks[task]
        return super().fits_guarantee(queue, task) and all(
            not t["amounts"][k] or not self.queues[queue]["guarantee"][k] or
            self.used[queue][k] + t["amounts"][k] <
            self.queues[queue]["guarantee"][k] for k in self.kinds)

@wrong
class NoWeights(PlainManager):
    def standing(self, queue):
        return super().standing(queue) * self.queues[queue]["weight"]

@wrong
class WeightsTurnedRound(PlainManager):
    def standing(self, queue):
        return super().standing(queue) * self.queues[queue]["weight"] ** 2

@wrong
class Weight3For2(PlainManager):
    def standing(self, queue):
        weight = self.queues[queue]["weight"]
        return super().standing(queue) * (weight / 3 if weight == 2 else 1)

@wrong
class SharesByFirstKind(PlainManager):
    def standing(self, queue):
        return self.used[queue][0] / self.queues[queue]["weight"]

@wrong
class FirstQueueFirst(PlainManager):
    def standing(self, queue):
        return 0.0

@wrong
class SharesOfLeavesOnly(PlainManager):
    """The tree is flat."""
    def fair(self, queue, best):
        for leaf in sorted(best, key=self.standing):
            if best[leaf]:
                return best[leaf]
        return None

@wrong
class ParentsInOrder(PlainManager):
    def standing(self, queue):
        return 0.0 if self.children[queue] else super().standing(queue)

@wrong
class NoPriority(PlainManager):
    def precedes(self, t, u):
        return t["seq"] < u["seq"]

@wrong
class PriorityTurnedRound(PlainManager):
    def precedes(self, t, u):
        return (t["priority"], t["seq"]) < (u["priority"], u["seq"])

@wrong
class LastComeFirst(PlainManager):
    def precedes(self, t, u):
        return (-t["priority"], -t["seq"]) < (-u["priority"], -u["seq"])

@wrong
class LostGoesLast(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "lost":
            self.seq += 1
            self.tasks[task]["seq"] = self.seq


# ---- Gangs ----

@wrong
class GangsOneByOne(PlainManager):
    def need(self, t):
        return 1

@wrong
class HalfAGang(PlainManager):
    def need(self, t):
        return max(1, super().need(t) // 2)


# ---- Books ----

@wrong
class LosesLostTasks(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "lost":
            self.tasks[task]["waiting"] -= count

@wrong
class LostTasksTwice(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "lost":
            self.tasks[task]["waiting"] += count

@wrong
class DoneTasksAgain(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "done" and count > 1:
            self.tasks[task]["waiting"] += 1

@wrong
class IgnoresCancel(PlainManager):
    def end(self, now, task, node, count, how):
        if how != "cancel":
            super().end(now, task, node, count, how)

@wrong
class LeaksNodes(PlainManager):
    """What is done stays charged on its node."""
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "done":
            for k in self.kinds:
                self.nodes[node]["used"][k] += \
                    self.tasks[task]["amounts"][k] * count

@wrong
class LeaksQueues(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "done":
            queue = self.tasks[task]["queue"]
            for k in self.kinds:
                self.used[queue][k] += self.tasks[task]["amounts"][k] * count

@wrong
class LeaksLost(PlainManager):
    """What is lost stays charged on its queue."""
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "lost":
            for queue in self.paths[self.tasks[task]["queue"]]:
                for k in self.kinds:
                    self.used[queue][k] += \
                        self.tasks[task]["amounts"][k] * count

@wrong
class FreesTwice(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "done" and count > 1:
            for k in self.kinds:
                self.nodes[node]["used"][k] -= self.tasks[task]["amounts"][k]

@wrong
class StartsTwice(PlainManager):
    def decide(self, now):
        return [d for d in super().decide(now) for _ in range(1 + (
            d[0] == "start" and d[3] == 1 and now % 5 == 0))]

@wrong
class RestartForgetsRunning(PlainManager):
    def submit(self, now, job):
        for t in job["tasks"]:
            t["running"] = []
        super().submit(now, job)

@wrong
class RestartQueuesRunningAgain(PlainManager):
    def submit(self, now, job):
        super().submit(now, job)
        for t in job["tasks"]:
            self.tasks[t["name"]]["waiting"] += sum(
                c for _, c in t.get("running", ()))

@wrong
class CrashesOnUnknownUser(PlainManager):
    def within(self, task, count):
        if self.tasks[task]["user"] == "u3" and len(self.tasks) > 2:
            raise KeyError("u3")
        return super().within(task, count)

@wrong
class NamesTheWrongNode(PlainManager):
    def decide(self, now):
        return [(*d[:2], d[2] + "x", *d[3:]) if d[0] == "start" and now > 6
                else d for d in super().decide(now)]


# ---- Reasons ----

@wrong
class SaysLimitForNodes(PlainManager):
    def reason(self, now, task):
        return "limit" if super().reason(now, task) == "no_node" else None

@wrong
class SaysNoNodeForLimits(PlainManager):
    def reason(self, now, task):
        return "no_node" if super().reason(now, task) else None

@wrong
class ForgetsWhyAfterARestart(PlainManager):
    """The reason is of the time when the job came."""
    def submit(self, now, job):
        super().submit(now, job)
        for t in job["tasks"]:
            self.tasks[t["name"]]["why"] = PlainManager.reason(
                self, now, t["name"]) or "no_node"

    def reason(self, now, task):
        return self.tasks[task]["why"]


# ---- Kills ----

@wrong
class KillsBesideAFreeNode(PlainManager):
    """Kills before it looks for a free node."""
    def next_task(self):
        claim = self.next_claim() if self.preempts else None
        return None if claim else super().next_task()

@wrong
class NeverPreempts(PlainManager):
    def next_claim(self):
        return None

@wrong
class KillsForNothing(PlainManager):
    def decide(self, now):
        out = super().decide(now)
        for (task, node), count in list(self.running.items()):
            if self.preempts and count and not out and now % 4 == 0:
                self.charge(task, node, -1)
                self.tasks[task]["waiting"] += 1
                return [("kill", task, node, 1, None)]
        return out

@wrong
class KillsOneTooMany(PlainManager):
    def decide(self, now):
        out = super().decide(now)
        for d in list(out):
            left = self.running.get(d[1:3], 0)
            if d[0] == "kill" and left:
                self.charge(d[1], d[2], -1)
                self.tasks[d[1]]["waiting"] += 1
                out.append(("kill", d[1], d[2], 1, d[4]))
                return out
        return out

@wrong
class KillsTheGuaranteed(PlainManager):
    def is_beyond(self, v):
        return True

@wrong
class VictimsAreForgotten(PlainManager):
    def decide(self, now):
        out = super().decide(now)
        for d in out:
            if d[0] == "kill":
                self.tasks[d[1]]["waiting"] -= 1
        return out

@wrong
class StartsElsewhere(PlainManager):
    """Kills on one node and starts the claim on another."""
    def decide(self, now):
        out = super().decide(now)
        for i, d in enumerate(out):
            if d[0] == "kill":
                other = [n for n in self.nodes if n != d[2]
                         and self.nodes[n]["state"] == "up"]
                if other:
                    s = out[i + 1]
                    self.charge(s[1], s[2], -1)
                    self.charge(s[1], other[0], 1)
                    out[i + 1] = ("start", s[1], other[0], 1)
        return out


# ---- Numbers ----

@wrong
class ThirdKindIsIgnored(PlainManager):
    def has_room(self, n, k, want):
        return k > 1 or super().has_room(n, k, want)

@wrong
class AmountsOf32Bits(PlainManager):
    def has_room(self, n, k, want):
        return (n["used"][k] + want) % 2**32 <= n["amounts"][k] % 2**32

@wrong
class AmountsInDoubles(PlainManager):
    def has_room(self, n, k, want):
        return float(n["used"][k] + n["held"][k] + want) <= float(
            n["amounts"][k])

@wrong
class PriorityOf16Bits(PlainManager):
    def precedes(self, t, u):
        x, y = ((v["priority"] + 2**15) % 2**16 for v in (t, u))
        return (-x, t["seq"]) < (-y, u["seq"])

@wrong
class PriorityOf8Bits(PlainManager):
    def precedes(self, t, u):
        x, y = ((v["priority"] + 2**7) % 2**8 for v in (t, u))
        return (-x, t["seq"]) < (-y, u["seq"])

@wrong
class NegativePriorityIs0(PlainManager):
    def precedes(self, t, u):
        return (-max(0, t["priority"]), t["seq"]) < (-max(0, u["priority"]),
                                                     u["seq"])

@wrong
class WeightOf16Bits(PlainManager):
    def standing(self, queue):
        weight = self.queues[queue]["weight"]
        return super().standing(queue) * weight / (weight % 2**16 or 1e-9)

@wrong
class Limit0IsNone(PlainManager):
    def below_limit(self, queue, t, count):
        limit, used = self.queues[queue]["limit"], self.used[queue]
        return limit is None or all(
            not t["amounts"][k] or not limit[k] or
            used[k] + t["amounts"][k] * count <= limit[k] for k in self.kinds)


# ---- More of the kinds above ----

@wrong
class OnlySixteenNodes(PlainManager):
    def fits(self, task, node, extra=0):
        return list(self.nodes).index(node) < 16 and super().fits(
            task, node, extra)

@wrong
class AnyPartitionIsTheFirst(PlainManager):
    def may_use(self, t, n):
        return super().may_use(t, n) and (
            t["partition"] is not None or n["partition"] in (None, "x"))

@wrong
class GangPassesLimits(PlainManager):
    def within(self, task, count):
        return super().within(task, 1)

@wrong
class GangOfTwo(PlainManager):
    def need(self, t):
        return min(2, super().need(t))

@wrong
class GangOnOneNode(PlainManager):
    def places(self, task):
        need = self.need(self.tasks[task])
        if need == 1:
            return super().places(task)
        return next(([(n, need)] for n in self.nodes
                     if self.tasks[task]["waiting"] >= need and
                     self.within(task, need) and
                     self.fits(task, n, need - 1)), [])

@wrong
class LooksAtFourJobs(PlainManager):
    def best_of(self, queue):
        tasks, first = self.tasks, [
            n for n, t in self.tasks.items() if t["queue"] == queue and
            t["waiting"]][:4]
        self.tasks = {n: tasks[n] for n in first}
        best = super().best_of(queue)
        self.tasks = tasks
        return best

@wrong
class SharesByTasks(PlainManager):
    def standing(self, queue):
        return sum(count for (task, _), count in self.running.items()
                   if queue in self.paths[self.tasks[task]["queue"]]) / \
            self.queues[queue]["weight"]

@wrong
class ParentsWeighOne(PlainManager):
    def standing(self, queue):
        weight = self.queues[queue]["weight"] if self.children[queue] else 1
        return super().standing(queue) * weight

@wrong
class DeepQueuesInOrder(PlainManager):
    def standing(self, queue):
        return 0 if len(self.paths[queue]) > 2 else super().standing(queue)

@wrong
class StaleStanding(PlainManager):
    """Shares are of the time when the call began."""
    def decide(self, now):
        self.stale = {q: PlainManager.standing(self, q) for q in self.queues}
        return super().decide(now)

    def standing(self, queue):
        return self.stale[queue]

@wrong
class GuaranteeOfFirstKind(PlainManager):
    def fits_guarantee(self, queue, task):
        kinds, self.kinds = self.kinds, self.kinds[:1]
        fits = super().fits_guarantee(queue, task)
        self.kinds = kinds
        return fits

@wrong
class ClaimsBeyondTheGuarantee(PlainManager):
    def next_claim(self):
        for queue, q in self.queues.items():
            for name, t in self.tasks.items():
                if q["guarantee"] and t["waiting"] and t["gang"] <= 1 and \
                        queue in self.paths[t["queue"]] and \
                        self.within(name, 1):
                    for victim, node in self.victims(queue, t):
                        return name, victim, node
        return None

@wrong
class DrainForgetsUsage(PlainManager):
    def node(self, now, name, state, amounts, partition):
        super().node(now, name, state, amounts, partition)
        if state == "drain":
            self.nodes[name]["used"] = [0 for _ in self.kinds]

@wrong
class ResizeForgetsUsage(PlainManager):
    def node(self, now, name, state, amounts, partition):
        had = self.nodes.get(name, {}).get("amounts", amounts)
        super().node(now, name, state, amounts, partition)
        if had != amounts:
            self.nodes[name]["used"] = [0 for _ in self.kinds]

@wrong
class LostKeepsTheNode(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        for k in self.kinds:
            if how == "lost":
                self.nodes[node]["used"][k] += \
                    self.tasks[task]["amounts"][k] * count

@wrong
class FailedStartBansTheNode(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "lost":
            self.tasks[task].setdefault("banned", set()).add(node)

    def fits(self, task, node, extra=0):
        return node not in self.tasks[task].get("banned", ()) and \
            super().fits(task, node, extra)

@wrong
class WakesForNodesOnly(PlainManager):
    woken = False

    def node(self, *said):
        self.woken = True
        super().node(*said)

    def end(self, *said):
        self.woken = True
        super().end(*said)

    def submit(self, *said):
        self.woken = False
        super().submit(*said)

    def decide(self, now):
        return super().decide(now) if self.woken else []

@wrong
class CancelTakesAll(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        if how == "cancel":
            self.tasks[task]["waiting"] = 0

@wrong
class DoneFreesOne(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, 1 if how == "done" else count, how)

@wrong
class LeaksParents(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        for queue in self.paths[self.tasks[task]["queue"]][1:]:
            for k in self.kinds:
                if how == "done":
                    self.used[queue][k] += \
                        self.tasks[task]["amounts"][k] * count

@wrong
class LeaksUsers(PlainManager):
    def end(self, now, task, node, count, how):
        super().end(now, task, node, count, how)
        t = self.tasks[task]
        for k in self.kinds:
            if how == "lost":
                self.by_user[t["queue"], t["user"]][k] += \
                    t["amounts"][k] * count


# ---- Reservations ----

def reserves(cls):
    RULES[cls.__name__] = RULES["plain"]
    return wrong(cls)

@reserves
class StartsBeforeItsTime(PlainManager):
    def may_start(self, t):
        return t["name"] not in self.reserved

@reserves
class ReservedRoomIsLent(PlainManager):
    def has_room(self, n, k, want):
        return n["used"][k] + want <= n["amounts"][k]

    def start_reserved(self, now):
        for task, node in list(self.reserved.items()):
            if self.tasks[task]["begin"] <= now and not self.fits(task, node):
                self.hold(task, -1)
        return super().start_reserved(now)

@reserves
class OneRoomReservedTwice(PlainManager):
    reserving = False

    def has_room(self, n, k, want):
        return n["used"][k] + want <= n["amounts"][k] if self.reserving \
            else super().has_room(n, k, want)

    def reserve(self, now):
        self.reserving = True
        out = super().reserve(now)
        self.reserving = False
        return out

@reserves
class ReservationIsPutOff(PlainManager):
    def start_reserved(self, now):
        later = []
        for task, node in self.reserved.items():
            t = self.tasks[task]
            if t["begin"] <= now and not t.get("late"):
                t.update(late=True, begin=now + 2)
                later.append(("reserve", task, node, now + 2))
        return later + super().start_reserved(now)

@reserves
class ReservationIsForgotten(PlainManager):
    def start_reserved(self, now):
        return []

@reserves
class RestartForgetsReservations(PlainManager):
    def submit(self, now, job):
        for t in job["tasks"]:
            if t.pop("reserved", None):
                self.asked.add(t["name"])
        super().submit(now, job)

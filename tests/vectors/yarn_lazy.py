"""Stories of lazy preemption as calls: who is marked, who runs on until its
room is taken, who ends.

A story becomes events of an engine, rows of eight numbers, and what is looked
at in between. The answer is held to `Model`, which plays the same story from
the words of <sched/round.h> and <sched/engine.h>: shares in fractions, victims
by trying every set.

    1 RUN   job queue node size - master -   a task runs there
    2 ASK   job queue node size count strict key    node -1: anywhere; -2: it
                                             would like one that is not there
    3 WANT  - - - - count - key              so many of an ask are open now
    4 EDIT                                   a round
    5 BEAT  - - node                         its heartbeat; who is to end, ends
    6 SEE   what job                         a number of the answer
"""

import re

import exact
from victims import choices
from yarn_target import Kind, parts_of

RUN, ASK, WANT, EDIT, BEAT, SEE = range(1, 7)
OFFERED, TOLD, KILLED, LIVE, KEPT = range(1, 6)
ANYWHERE, ELSEWHERE = -1, -2
MISSES = 2  # node events before an ask takes another node than it would like
SHARES = {"a": 10, "b": 20, "c": 70}  # of the class of these tests
KNOWN = {"nodes", "capacity_percent", "edits", "then_heartbeat", "ops",
         "same_as", "user_limit_factor"}
TIMES = ("first", "second", "third", "fourth", "fifth", "sixth")


class Unknown(Exception):
    """A word of a story that nobody wrote down."""


def amount(size):
    return size[0] if isinstance(size, list) else size


# ---- The story as events ----

class Story:
    def __init__(self, x, given):
        self.x, self.given = x, given
        self.nodes = list(x["nodes"])
        self.sizes = [amount(v) for v in x["nodes"].values()]
        self.parts = x.get("capacity_percent", SHARES)
        self.queues = list(self.parts)
        self.apps = sorted(k for k in x if re.fullmatch(r"app\d+", k))
        self.rows, self.want, self.left = [], [], dict(given)
        self.keys, self.open, self.edits, self.beats = 0, {}, 0, 0
        extra = set(x) - KNOWN - set(self.apps)
        if any(not re.fullmatch(r"app\d+_ask", k) for k in extra):
            raise Unknown
        self.write()

    def row(self, op, *rest):
        self.rows.append([op, *rest] + [0] * (7 - len(rest)))

    def see(self, what, value, job=0):
        self.row(SEE, what, job)
        self.want.append(int(value))

    def node(self, name):
        return self.nodes.index(name) if name in self.nodes else ELSEWHERE

    def ask(self, at, size, count, node=ANYWHERE, strict=0):
        app = self.x[self.apps[at]]
        self.keys += 1
        self.open[at] = (self.keys, size, count)
        self.row(ASK, at, self.queues.index(app["queue"]), node, size, count,
                 strict, self.keys)

    def place_of(self, text):
        """What a sentence says of where: a node, or one that is not there; and
        whether it insists."""
        names = re.findall(r"\bon (?:host )?(\w+)", text)
        strict = int("any" not in text.split() and bool(names))
        if re.search(r"hard|insist|strict|no relax", text):
            strict = 1
        return (self.node(names[0]) if names else ANYWHERE), strict

    def begin_app(self, at):
        app = self.x[self.apps[at]]
        if set(app) - {"queue", "on", "containers", "size", "ask", "user"}:
            raise Unknown
        queue, size = self.queues.index(app["queue"]), amount(app["size"])
        on = app.get("on") or {self.nodes[0]: app["containers"]}
        first = 1
        for name, count in on.items():
            for _ in range(count):
                self.row(RUN, at, queue, self.node(name), size, 0, first)
                first = 0

    def begin_ask(self, at):
        app = self.x[self.apps[at]]
        text = self.x.get(self.apps[at] + "_ask")
        if text:
            said = re.match(r"(?:(\d+)\s*x\s*)?(\d+)\s*GB", text)
            if not said:
                raise Unknown
            self.ask(at, int(said[2]) * 1024, int(said[1] or 1),
                     *self.place_of(text))
            return
        for one, count in app.get("ask", []):
            self.ask(at, amount(one), count)

    def edit(self):
        self.row(EDIT)
        self.edits += 1

    def beat(self, name):
        self.row(BEAT, 0, 0, self.node(name))
        self.beats += 1
        if self.beats <= len(TIMES):
            self.told(f"after_{TIMES[self.beats - 1]}_heartbeat")

    def told(self, *names):
        """What is expected at this point of the story, under these names."""
        for name in names:
            value = self.left.pop(name, None)
            if isinstance(value, dict):
                for app, live in value.items():
                    self.see(LIVE, live, self.apps.index(app))
            elif value is not None:
                self.number(name, value)

    def number(self, name, value):
        live = re.fullmatch(r"(app\d+)(?:_live)?(?:_at_end)?", name)
        if live:
            self.see(LIVE, value, self.apps.index(live[1]))
        elif name.startswith("killable"):
            self.see(OFFERED, value)
        elif name.startswith("to_preempt"):
            self.see(TOLD, value)
        elif name.startswith("preempted"):
            self.see(KILLED, value)
        elif name == "earlier_killable_kept":
            self.see(KEPT, value)
        else:
            raise Unknown

    def run_op(self, text, last):
        more = re.fullmatch(r"(ask|raise ask to|lower ask to) (\d+)x(\d+)GB",
                            text)
        beat = re.fullmatch(r"heartbeat (\w+)", text)
        asker = len(self.apps) - 1
        if text == "edit":
            self.edit()
            self.told(f"killable_after_{self.edits}_edits",
                      f"to_preempt_after_{self.edits}_edits",
                      f"to_preempt_after_{last}_and_edit",
                      f"killable_after_{last}_and_edit")
        elif more and more[1] == "ask":
            self.ask(asker, int(more[3]) * 1024, int(more[2]))
        elif more or re.match(r"(cancel|withdraw|drop|remove) ask", text):
            key = self.open[asker][0]
            self.row(WANT, 0, 0, 0, 0, int(more[2]) if more else 0, 0, key)
        elif beat:
            self.beat(beat[1])
        else:
            raise Unknown

    def write(self):
        for begin in (self.begin_app, self.begin_ask):
            for at in range(len(self.apps)):
                begin(at)
        last = ""
        for text in self.x.get("ops", []):
            self.run_op(text, last)
            last = last if text == "edit" else text.split()[0]
        for _ in range(self.x.get("edits", 0)):
            self.edit()
            self.told(f"killable_after_{self.edits}_edits")
        self.told("killable_after_edits", "to_preempt_after_edits")
        for name in self.x.get("then_heartbeat", []):
            self.beat(name)
        kept = [n for n in self.left if n == "earlier_killable_kept"]
        self.told(*kept, *[n for n in self.left if n not in kept])

    def limits(self):
        """What one user of a queue may hold in all, as the queue's limit:
        each queue has one user here."""
        factors = self.x.get("user_limit_factor", {})
        got = []
        for name in self.queues:
            whole = sum(self.sizes) * parts_of(self.parts[name]) // (
                100 * 10 ** 6)
            part = factors.get(name)
            cap = exact.UNLIMITED
            if part is not None:
                cap = max(1024, whole * parts_of(part) // 10 ** 6)
                cap = -(-cap // 1024) * 1024
            got.append(cap)
        return got


# ---- What is to come of it ----

class Task:
    def __init__(self, job, queue, node, size, master, started):
        self.job, self.queue, self.node, self.size = job, queue, node, size
        self.master, self.started, self.state = master, started, None


class Model:
    """One round after the other, task by task."""

    def __init__(self, story):
        self.story, self.now, self.killed = story, 0, 0
        self.tasks, self.asks, self.rooms = [], {}, []
        self.whole = sum(story.sizes)
        self.seen, self.answer = [], []
        self.limit = story.limits()
        for row in story.rows:
            self.now += 1
            self.play(*row)

    def play(self, op, a, b, node, size, count, flag, key):
        if op == RUN:
            self.tasks.append(Task(a, b, node, size, flag, self.now))
        elif op == ASK:
            self.asks[key] = {"job": a, "queue": b, "node": node, "size": size,
                              "open": count, "strict": flag, "beats": 0}
        elif op == WANT:
            self.asks[key]["open"] = count
            self.trim()
        elif op == EDIT:
            self.edit()
        elif op == BEAT:
            self.beat(node)
        else:
            self.see(a, b)

    def used(self, queue):
        return sum(t.size for t in self.tasks if t.queue == queue)

    def free(self, node):
        return self.story.sizes[node] - sum(
            t.size for t in self.tasks if t.node == node)

    def shares(self):
        parts = [parts_of(self.story.parts[q]) for q in self.story.queues]
        queues = [{"guarantee": self.whole, "limit": exact.UNLIMITED,
                   "usage": self.whole, "demand": 0, "disabled": False}]
        for i, part in enumerate(parts):
            more = sum(a["size"] * a["open"] for a in self.asks.values()
                       if a["queue"] == i)
            queues.append({"guarantee": self.whole * part // (100 * 10 ** 6),
                           "limit": self.limit[i], "usage": self.used(i),
                           "demand": self.used(i) + more, "disabled": False})
        kind = Kind([-1] + [0] * len(parts), queues, self.whole, False)
        return kind.share[1:]

    def nodes_of(self, ask):
        """Where it may ever run."""
        if ask["strict"]:
            return [ask["node"]] if ask["node"] >= 0 else []
        return range(len(self.story.sizes))

    def cost(self, task):
        if task.state:
            return 0
        part = task.size * 10 ** 6 // self.whole
        return (part * (self.now - task.started) + 1) * (
            1024 if task.master else 1)

    def edit(self):
        share = self.shares()
        used = [self.used(i) for i in range(len(share))]
        free = [self.free(n) for n in range(len(self.story.sizes))]
        chosen, rooms = [], []
        for ask in self.asks.values():
            q = ask["queue"]
            for _ in range(ask["open"]):
                if used[q] + ask["size"] > share[q]:
                    break
                best = None
                for node in self.nodes_of(ask):
                    found = self.victims(node, ask["size"] - free[node], used,
                                         share, chosen)
                    if found and (not best or found[0] < best[1][0]):
                        best = (node, found)
                if not best:
                    break
                node, (_, gone) = best
                for t in gone:
                    free[node] += t.size
                    used[t.queue] -= t.size
                free[node] -= ask["size"]
                used[q] += ask["size"]
                chosen += gone
                rooms.append((ask, node, gone))
        self.rooms = [r for r in rooms if r[2]]
        for t in self.tasks:
            due = t.state == "told" or t.state == "offered"
            t.state = ("offered" if due else "told") if t in chosen else None

    def victims(self, node, lack, used, share, chosen):
        """The cheapest set on a node that no queue falls below its share by."""
        mine = [t for t in self.tasks if t.node == node and t not in chosen and
                used[t.queue] > share[t.queue]]
        if len({t.queue for t in mine}) > 1:
            raise Unknown
        room = [max(used[mine[0].queue] - share[mine[0].queue], 0)
                ] if mine else [0]
        best = choices([(t, [t.size], self.cost(t)) for t in mine],
                       [max(lack, 0)], room)
        return best and (best[0], [t for t, _, _ in best[1]])

    def beat(self, node):
        for ask in self.asks.values():
            ask["beats"] += 1
        for ask in self.asks.values():
            kept = sum(r[0]["size"] - sum(t.size for t in r[2])
                       for r in self.rooms if r[1] == node and r[0] is not ask)
            while self.may_start(ask, node) and self.free(
                    node) - kept >= ask["size"]:
                self.start(ask, node)
        self.trim()
        for room in [r for r in self.rooms if r[1] == node]:
            ask, _, gone = room
            over = all(t.state == "offered" for t in gone)
            if not over or not self.may_start(ask, node):
                continue
            for t in gone:
                self.tasks.remove(t)
            self.killed += len(gone)
            self.rooms.remove(room)
            self.start(ask, node)
        self.trim()

    def may_start(self, ask, node):
        """But for room: its wait is over, its user below the limit."""
        waits = ask["node"] not in (ANYWHERE, node)
        if waits and (ask["strict"] or ask["beats"] < MISSES):
            return False
        held = self.used(ask["queue"]) + ask["size"]
        return ask["open"] > 0 and held <= self.limit[ask["queue"]]

    def start(self, ask, node):
        self.tasks.append(Task(ask["job"], ask["queue"], node, ask["size"], 0,
                               self.now))
        ask["open"] -= 1
        ask["beats"] = 0

    def trim(self):
        """No more room is kept than is asked for."""
        for ask in self.asks.values():
            mine = [r for r in self.rooms if r[0] is ask]
            for room in mine[ask["open"]:]:
                self.rooms.remove(room)

    def see(self, what, job):
        offered = [t for t in self.tasks if t.state == "offered"]
        if what == OFFERED:
            self.seen = offered
            self.answer.append(len(offered))
        elif what == TOLD:
            self.answer.append(sum(t.state == "told" for t in self.tasks))
        elif what == KILLED:
            self.answer.append(self.killed)
        elif what == LIVE:
            self.answer.append(sum(t.job == job for t in self.tasks))
        else:
            self.answer.append(int(all(t in offered for t in self.seen)))


def rule_of(story, got):
    """Why another answer is right: an ask that insists on what is not there,
    or whose user may hold no more, has nobody marked."""
    if got == story.want:
        return None
    asks = [r for r in story.rows if r[0] == ASK]
    if any(r[3] == ELSEWHERE and r[6] for r in asks):
        return "marked-for-who-can-come"
    if story.x.get("user_limit_factor"):
        return "marked-for-who-can-come"
    return None


def lazy_story(case):
    try:
        story = Story(case["input"], case["expect"])
        got = Model(story).answer
    except Unknown:
        yield "-", "lacks:word-of-a-story", {}
        return
    parts = [parts_of(v) // 100 for v in story.parts.values()]
    yield "story", rule_of(story, got), {
        "part": parts, "limit": story.limits(), "nodes": story.sizes,
        "jobs": len(story.apps), "misses": MISSES, "rows": story.rows,
        "want": story.want, "exact": got}


# ---- A reservation that may move ----

def surgery(case):
    """One that waits asks for a task larger than what is free anywhere; queues
    of lower priority give whatever they have, others what is above their
    shares. It comes to the node where that costs least."""
    x, given = case["input"], case["expect"]
    parts = x.get("capacity_percent", SHARES)
    nodes, queues = list(x["nodes"]), list(parts)
    apps = sorted(k for k in x if re.fullmatch(r"app\d+", k))
    known = {"nodes", "capacity_percent", "priority", "delay_ms",
             "allow_move_reservation", "same_as"}
    asking = [a for a in apps if x[a].get("ask")]
    if set(x) - known - set(apps) or len(asking) != 1:
        yield "-", "lacks:word-of-a-story", {}
        return
    free = [amount(v) for v in x["nodes"].values()]
    whole, tasks = sum(free), []
    for name in apps:
        app = x[name]
        on = [(app["am_on"], app["am_size"], 1)] if "am_on" in app else []
        on += [(n, app["size"], 0) for n, c in app.get("on", {}).items()
               for _ in range(c)]
        for node, size, master in on:
            at = nodes.index(node)
            tasks.append((queues.index(app["queue"]), at, amount(size), master,
                          name))
            free[at] -= amount(size)
    asker = x[asking[0]]
    mine = queues.index(asker["queue"])
    size, count = amount(asker["ask"][0][0]), asker["ask"][0][1]
    urgent = x.get("priority", {})
    used = [sum(t[2] for t in tasks if t[0] == q) for q in range(len(queues))]
    share = [whole * parts_of(parts[q]) // (100 * 10 ** 6) for q in queues]
    least = [0 if urgent.get(n, 0) < urgent.get(asker["queue"], 0) else
             share[i] for i, n in enumerate(queues)]
    places = list(range(len(nodes)))
    if asker.get("reserved_on") and not x.get("allow_move_reservation"):
        places = [nodes.index(asker["reserved_on"])]
    best = None
    for node in places:
        here = [(t, [t[2]], 1) for t in tasks
                if t[1] == node and t[0] != mine and not t[3]]
        givers = {t[0][0] for t in here}
        if len(givers) > 1:
            yield "-", "lacks:several-that-give", {}
            return
        room = [used[q] - least[q] for q in givers] or [0]
        found = choices(here, [max(size - free[node], 0)], [max(room[0], 0)])
        if found and (best is None or found[0] < best[1][0]):
            best = (node, found)
    fits = best and used[mine] + size <= share[mine] and count == 1
    gone = [t for t, _, _ in best[1][1]] if fits else []
    per_node = [sum(t[1] == n for t in gone) for n in range(len(nodes))]
    givers = {t[0] for t in gone}
    greedy = givers.pop() if givers else (mine + 1) % len(queues)
    left = sum(t[0] == greedy for t in tasks) - len(gone)
    got = per_node + [left, int(bool(fits))]
    want = ["?"] * len(nodes) + [left, "?"]
    moved = re.findall(r"moved to (\w+)", " ".join(map(str, given.values())))
    marked = [v for k, v in given.items() if k.endswith("marked")]
    if marked:
        want[:len(nodes)] = ([marked[0] if n == moved[0] else 0 for n in nodes]
                             if moved else want[:len(nodes)])
        want[-1] = int(marked[0] > 0)
    for name in apps:
        live = given.get(name + "_live_at_end", given.get(name + "_live"))
        if live is not None and queues.index(x[name]["queue"]) == greedy:
            want[len(nodes)] = live
    yield "placements", None, {
        "kinds": 1, "usage": used, "share": share, "keep": least, "need": [1],
        "free": free, "queue": [t[0] for t in tasks],
        "node": [t[1] for t in tasks], "amount": [t[2] for t in tasks],
        "cost": [1000 if t[3] else 1 for t in tasks],
        "fixed": [t[3] for t in tasks], "request_queue": [mine],
        "greedy": greedy, "request_amount": [size], "request_count": [count],
        "place": places, "place_offset": [0, len(places)],
        "want": want, "exact": got}
    if "delay_ms" in x:
        yield "-", "hosts:when-to-ask", {}


def cs_lazy(case):
    """Stories of marks, and of room for one that is larger than what is free
    anywhere."""
    x = case["input"]
    apps = [v for k, v in x.items() if re.fullmatch(r"app\d+", k)]
    if any("am_on" in a or "reserved_on" in a for a in apps):
        yield from surgery(case)
    else:
        yield from lazy_story(case)

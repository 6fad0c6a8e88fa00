"""Stories of lazy preemption as calls. Room for a task that is larger than what
is free anywhere becomes a call of victims on nodes. Stories of marks that end
when room is taken have no word here: an engine holds no lazy rounds."""

import re

from victims import choices
from yarn_target import parts_of

SHARES = {"a": 10, "b": 20, "c": 70}  # of the class of these tests


def amount(size):
    return size[0] if isinstance(size, list) else size


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
    """Room for one that is larger than what is free anywhere."""
    x = case["input"]
    apps = [v for k, v in x.items() if re.fullmatch(r"app\d+", k)]
    if any("am_on" in a or "reserved_on" in a for a in apps):
        yield from surgery(case)
    else:
        yield "-", "lacks:kills-when-room-is-taken", {}

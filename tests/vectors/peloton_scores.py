"""Which host comes first, as calls: Peloton's formula makes a score of each host,
by which the engine chooses. The best has 0, and those that are alike to the
formula the same score."""

from fractions import Fraction

from peloton import KINDS, number

PLACED = (*KINDS, "ports")
UNKNOWN = ("-", "lacks:other-fields", {})


def scores_of(keys):
    """Of keys of which the least comes first."""
    places = {key: i for i, key in enumerate(sorted(set(keys)))}
    return [-places[key] for key in keys]


def units_of(amounts, kinds):
    return [round(number(amounts.get(k, 0)) * 10 ** 6) for k in kinds]


def order(scores, want, drained=None):
    """Hosts of the same score are in the order given, or any; so the call says
    what each has, and not which it is."""
    return "host_order", None, {
        "score": scores, "drained": drained or [0] * len(scores), "want": want}


def place_mimir(case):
    """The host with most free: of disk, then of memory, cpu, gpu."""
    x = case["in"]
    hosts, task = x["hosts"], x["task"]
    if set(x) - {"task", "hosts"} or set(task) - set(PLACED) or any(
            set(h) - {"name", *PLACED} for h in hosts):
        yield UNKNOWN
        return
    keys = [tuple(-number(h.get(k, 0))
                  for k in ("disk", "memory", "cpu", "gpu")) for h in hosts]
    yield "scored_host", None, {
        "task": units_of(task, PLACED), "score": scores_of(keys),
        "capacity": [v for h in hosts for v in units_of(h, PLACED)],
        "want": case["expect"]}


def host_rank_defrag(case):
    """Those with least come first: of gpu, then of cpu, memory, disk."""
    hosts = case["in"]

    def key(amounts):
        return tuple(number(amounts.get(k, 0))
                     for k in ("gpu", "cpu", "memory", "disk"))

    if any(set(h) - set(KINDS) for h in hosts.values()):
        yield UNKNOWN
        return
    keys = [key(h) for h in hosts.values()]
    scores = scores_of(keys)
    known = dict(zip(keys, scores))
    yield order(scores, [known.get(key(h), "?") for h in case["expect"]])


def cost_of(tasks, most):
    """What ending the tasks of a host costs, dearest parts first."""
    def weight(pool):
        return Fraction(max(most.values()), most[pool]) if most[pool] else 0

    return (sum(t["controller"] for t in tasks), len(tasks),
            sum(t["priority"] * weight(t["pool"]) for t in tasks),
            -Fraction(sum(t["start"] for t in tasks), max(len(tasks), 1)))


def host_score(case):
    """Hosts to hand to others: those without tasks first; none of which a task
    may not be preempted."""
    x = case["in"]
    hosts = [x["tasks"].get(h, []) for h in x["hosts"]]
    known = {"pool", "priority", "nonpreemptible", "controller", "start"}
    if set(x) - {"hosts", "tasks"} or any(
            set(t) != known for tasks in hosts for t in tasks):
        yield UNKNOWN
        return
    most = {}
    for t in (t for tasks in hosts for t in tasks):
        most[t["pool"]] = max(most.get(t["pool"], 0), t["priority"])
    scores = scores_of([(len(tasks) > 0, cost_of(tasks, most))
                        for tasks in hosts])
    yield order(scores, [scores[x["hosts"].index(h)] for h in case["expect"]],
                [int(any(t["nonpreemptible"] for t in tasks))
                 for tasks in hosts])


CALLS = {"place_mimir": place_mimir, "host_rank_defrag": host_rank_defrag,
         "host_score": host_score}

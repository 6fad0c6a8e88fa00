"""Stories of the fair scheduler that the engine retells: heartbeats and what
each starts, applications that come and go, waits for places. The input goes
along as it is; what the engine has no word for is told apart here. The C runner
does not tell stories: these calls (py_...) are for the one in Python."""

import json
from fractions import Fraction


def story(name, case):
    text = json.dumps(case["input"], separators=(",", ":"))
    want = json.dumps(case["expect"], separators=(",", ":"))
    return name, None, {"story": text, "told": want}


def fs_max_apps(case):
    """Users that are bounded are queues of a tree of limits."""
    if any(op["op"] not in ("add", "remove") for op in case["input"]["ops"]):
        yield "-", "lacks:operation", {}
        return
    yield story("py_apps", case)


def is_by_memory(x):
    """Is memory the dominant kind of every ask?"""
    memory, *rest = x["cluster"]
    return all(Fraction(a["capability"][0], memory) >= Fraction(v, r)
               for app in x["apps"] for a in app["asks"]
               for v, r in zip(a["capability"][1:], rest) if r)


def fs_trace(case):
    x = case["input"]
    options = x.get("options", {})
    each = options if isinstance(options, list) else [options]
    said = [(set(x) - {"resource_types", "cluster", "queues", "apps", "nodes",
                       "heartbeats", "options"}),
            *(set(o) - {"multiple", "max_assign", "dynamic"} for o in each),
            *(set(q) - {"path", "policy", "weight", "max"}
              for q in x["queues"]),
            *(set(a) - {"id", "queue", "start", "asks"} for a in x["apps"]),
            *(set(ask) - {"capability", "count"} for a in x["apps"]
              for ask in a["asks"])]
    half = any(o.get("multiple") and o.get("dynamic", True) for o in each)
    if any(said):
        yield "-", "lacks:other-fields", {}
    elif half:  # a pass over a node has a bound by number, none by amount
        yield "-", "lacks:half-of-a-node", {}
    elif [sum(k) for k in zip(*x["nodes"].values())] != x["cluster"] and any(
            q.get("policy") == "drf" for q in x["queues"]):
        yield "-", "lacks:capacity-without-nodes", {}
    elif any(q.get("policy", "fair") not in ("fair", "drf", "fifo")
             for q in x["queues"]):
        yield "-", "lacks:order", {}
    elif not is_by_memory(x) and any(
            q.get("policy", "fair") == "fair" and any(
                a["queue"] == q["path"] for a in x["apps"])
            and len([a for a in x["apps"] if a["queue"] == q["path"]]) > 1
            for q in x["queues"]):
        yield "-", "lacks:order", {}
    else:
        yield story("py_heartbeats", case)


def fs_locality(case):
    """A delay of an engine is a time: chances missed have no word."""
    yield "-", "lacks:waits-by-chances", {}


def by_time(x):
    """The level by our own count, which begins when the node got a task:
    None where an instant is the end of a wait itself."""
    levels, passed, node = [], 0, x["node_delay_ms"]
    both = node + x["rack_delay_ms"]
    for op in x["ops"]:
        passed = 0 if op == "reset" else passed + op
        if passed in (node, both):
            return None
        levels.append("node" if passed < node else
                      "rack" if passed < both else "off")
    return levels


def by_looking(x):
    """The level where a wait begins anew when one was found to be over."""
    levels, now, since, at = [], 0, 0, 0
    for op in x["ops"]:
        if op == "reset":
            since, at = now, 0
        else:
            now += op
            if at < 2 and now - since > (x["node_delay_ms"],
                                         x["rack_delay_ms"])[at]:
                since, at = now, at + 1
        levels.append(("node", "rack", "off")[at])
    return levels


def fs_locality_time(case):
    """Told where both ways to count come to the same."""
    x = case["input"]
    if set(x) - {"node_delay_ms", "rack_delay_ms", "ops", "note"} or \
            by_time(x) != by_looking(x):
        yield "-", "lacks:waits-from-being-asked", {}
        return
    yield story("py_waits", case)


def fs_parse_resource(case):
    """A text of fair-scheduler.xml: amounts, or that it is refused."""
    x = case["input"]
    if set(x) - {"text", "types", "cluster", "missing_value"} or \
            x["types"][:2] != ["memory", "vcores"]:
        yield "-", "lacks:other-fields", {}
        return
    yield story("py_resource", case)

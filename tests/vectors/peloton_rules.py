"""Peloton's constraints on hosts as rules (rule.h): labels of hosts are attributes
of nodes, labels of tasks are tags of work. Text is numbered case by case."""

OPS = {"and": 1, "or": 2, "EQUAL": 3, "NOT": 4, "EXISTS": 8, "ABSENT": 9, "AT_MOST": 10, "AT_LEAST": 11}
ANSWERS = {"NO": 0, "YES": 1, "NA": 2}


class Numbers(dict):
    """Each text by a number of its own, from 1."""

    def of(self, *text):
        return self.setdefault(text, len(self) + 1)


def term(op, key=0, value=0, n=0):
    return [key, value, OPS[op], n, 0]


def host_label(names, c):
    """A host has a label once or not at all."""
    key, value = names.of(c["key"]), names.of(c["key"], c["value"])
    low = {"LT": 0, "EQ": c["req"], "GT": c["req"] + 1}[c["cond"]]
    high = {"LT": c["req"] - 1, "EQ": c["req"], "GT": 1}[c["cond"]]
    if low <= 0 and high >= 1:
        return term("EXISTS", key) + term("ABSENT", key) + term("or", n=2)
    if low > 1 or high < 0 or low > high:
        return term("EXISTS", key) + term("ABSENT", key) + term("and", n=2)
    return term("EQUAL" if low == 1 else "NOT", key, value)


def task_label(names, c):
    tag, req = names.of(c["key"], c["value"]), c["req"]
    least = term("AT_LEAST", tag, max(req + (c["cond"] == "GT"), 0))
    most = term("AT_MOST", tag, max(req - (c["cond"] == "LT"), 0))
    if c["cond"] == "LT" and req <= 0 or c["cond"] == "EQ" and req < 0:
        return term("AT_MOST", tag, 0) + term("AT_LEAST", tag, 1) + term("and", n=2)
    if c["cond"] == "EQ":
        return least + most + term("and", n=2)
    return least if c["cond"] == "GT" else most


def terms_of(names, c):
    if c["type"] == "label":
        return (host_label if c["kind"] == "HOST" else task_label)(names, c)
    parts = [part for part in (terms_of(names, one) for one in c["of"]) if part]
    return sum(parts, []) + term(c["type"], n=len(parts)) if parts else []


def known(c):
    if c["type"] == "label":
        return c["cond"] in ("LT", "EQ", "GT") and c["kind"] in ("HOST", "TASK")
    return c["type"] in ("and", "or") and all(known(one) for one in c["of"])


def constraint_eval(case):
    given, names = case["in"], Numbers()
    c, kind = given["constraint"], given["evaluator_kind"]
    once = all(n in (0, 1) for counts in given["labels"].values() for n in counts.values())
    if not known(c) or kind not in ("HOST", "TASK") or kind == "HOST" and not once:
        yield "-", "lacks:constraints-and-offers", {}
        return
    node, work = [], []
    for key, counts in given["labels"].items():
        for value, n in counts.items():
            if kind == "TASK":
                work += [names.of(key, value), n]
            elif n:
                node += [names.of(key), names.of(key, value)]
    yield "rule", None, {"flags": 1 if kind == "HOST" else 2, "terms": terms_of(names, c),
                         "node": node, "work": work, "want": [ANSWERS[case["expect"]]]}


# ---- Hosts: what one takes is what an engine starts there ----

KINDS = ("cpu", "memory", "disk", "gpu", "ports", "revocable_cpu")
MATCH, NEVER_NODE, BUSY, RULE = 0, 3, 11, 28


def row(amounts, **more):
    said = dict(amounts or {}, **more)
    return [said.get(k, 0) for k in KINDS]


def needed(given):
    """What a task takes; one that is revocable its processors from slack."""
    need = dict(given.get("need", {}), ports=given.get("ports", 0))
    if given.get("revocable"):
        need["revocable_cpu"] = need.pop("cpu", 0)
    return row(need)


def host_rule(names, given):
    """What a host is, and what tasks take: scarce kinds are left to those who
    need them, held hosts to those who were told of them, exclusive ones to those
    that name this."""
    node, terms = [], []
    marks = (("scarce", bool(given.get("scarce")) and given.get("agent_gpu", 0) > 0,
              given.get("need", {}).get("gpu", 0) > 0),
             ("held", given.get("status") == "HELD", given.get("hinted")),
             ("exclusive", given.get("host_exclusive"),
              given.get("constraint_names_exclusive")))
    for name, there, asked_for in marks:
        node += [names.of(name), 1] if there else []
        terms += [] if asked_for else term("ABSENT", names.of(name))
    said = given.get("constraint_result", "NA")
    if said != "NA":
        node += [names.of("label"), 1]
        terms += term("EQUAL", names.of("label"), 1 if said == "YES" else 2)
    return node, terms


def is_refused(names, given, node):
    """Does what the host is keep the task away?"""
    marks = node[::2]
    asked_for = {"scarce": given.get("need", {}).get("gpu", 0) > 0,
                 "held": given.get("hinted"),
                 "exclusive": given.get("constraint_names_exclusive")}
    return given.get("constraint_result") == "NO" or any(
        names.of(name) in marks and not asked for name, asked in
        asked_for.items())


def host_match(case):
    """A host that is busy placing, or kept for others, takes nothing: here it
    drains. One without an offer has nothing. Of several reasons each names one."""
    given, names = case["in"], Numbers()
    node, terms = host_rule(names, given)
    status = given.get("status") or "READY"
    busy = status not in ("READY", "HELD")
    task, have = needed(given), row(given["offer"])
    if not any(task):
        task = [1] + task[1:]
    why = {"MATCH": MATCH, "NO_OFFER": NEVER_NODE,
           "INSUFFICIENT_OFFER_RESOURCES": NEVER_NODE, "SCARCE_RESOURCES": RULE,
           "MISMATCH_CONSTRAINTS": RULE,
           "MISMATCH_STATUS": BUSY if busy else RULE}[case["expect"]]
    small = any(n > h for n, h in zip(task, have))
    refused = is_refused(names, given, node)
    exact = (NEVER_NODE if busy and (small or refused) else
             BUSY if busy else RULE if refused else
             NEVER_NODE if small else MATCH)
    rule = None
    if exact != why and why in [r for r, so in (
            (BUSY, busy), (NEVER_NODE, small), (RULE, refused)) if so]:
        rule = "size-before-state" if busy and small else "one-of-several-reasons"
    yield "host", rule, {"capacity": have, "task": task, "node": node,
                         "terms": terms, "busy": int(busy),
                         "want": [int(why == MATCH), why],
                         "exact": [int(exact == MATCH), exact]}


def host_task_limit(case):
    """As many tasks with the label as it says, and no more."""
    given = case["in"]
    yield "rule", None, {"flags": 2, "terms": term("AT_MOST", 1, given["requirement"] - 1),
                         "node": [], "work": [1, given["running_with_label"]],
                         "want": [ANSWERS["YES" if case["expect"] else "NO"]]}


def place_batch(case):
    given = case["in"]
    tasks = [row(t) for t in given["tasks"]]
    if given["spread"] or any(t != tasks[0] for t in tasks):
        yield "-", "lacks:tasks-that-differ", {}
        return
    yield "hosts", None, {"task": tasks[0], "count": len(tasks),
                          "capacity": sum((row(h) for h in given["hosts"]), []),
                          "want": case["expect"]}


CALLS = {"constraint_eval": constraint_eval, "host_match": host_match,
         "host_task_limit": host_task_limit, "place_batch": place_batch}

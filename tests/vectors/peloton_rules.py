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


CALLS = {"constraint_eval": constraint_eval}

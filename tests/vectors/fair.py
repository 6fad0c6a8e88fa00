"""Cases of fair.json as calls: fractions worked out by brute force, which an
exact library must meet to the unit."""

from fractions import Fraction
from math import lcm

import exact

ROUND = {"webster": 0, "hamilton": 1, "prefix": 2}
OUTCOME = {"ok": 0, "saturated": 1, "overcommit": 2}
INSTANTANEOUS, BY_DEMAND, LARGEST = 2, 8, 1


def column(rows, name, missing=0):
    return [row.get(name, missing) for row in rows]


def ratio(case):
    given, out = case["in"], case["out"]
    rows = given["queues"]
    for name, rounding in ROUND.items():
        if name not in out:
            continue
        fields = {"total": given["total"], "form": 0, "rounding": rounding,
                  "guarantee": column(rows, "lo"), "limit": column(rows, "hi"),
                  "weight": column(rows, "w"), "share": out[name],
                  "leftover": out["leftover"],
                  "outcome": OUTCOME[out["status"]]}
        if out.get("level") and out["status"] == "ok":
            level = Fraction(out["level"])
            fields["level"] = [level.numerator, level.denominator]
        yield "fill", None, fields


def additive(case):
    given, out = case["in"], case["out"]
    rows = given["queues"]
    for flags, name in ((0, "hamilton"), (1, "anticipated")):
        if name not in out:
            continue
        yield "fill", None, {
            "total": given["total"], "form": 1, "rounding": LARGEST,
            "flags": flags, "guarantee": column(rows, "reservation"),
            "limit": column(rows, "limit"), "demand": column(rows, "demand"),
            "weight": column(rows, "share"), "share": out[name]}


def walk(root):
    """Nodes breadth first, each with its parent's place and its path."""
    rows = [(root, -1, root["name"])]
    for place, (node, _, path) in enumerate(rows):
        for child in node.get("children", ()):
            rows.append((child, place, f"{path}/{child['name']}"))
    return rows


def tree(case):
    """What is not said of a queue bounds it nowhere, and it wants what its
    limit lets in. Below a parent, one of weight 0 counts as its floor."""
    given, out = case["in"], case["out"]
    rows = walk(given["root"])
    nodes = [node for node, _, _ in rows]
    parent, weight = [up for _, up, _ in rows], column(nodes, "w", 1)
    least, most = (column(nodes, "min"),
                   column(nodes, "max", exact.UNLIMITED))
    wants = [min(node.get("demand", top), exact.MOST)
             for node, top in zip(nodes, most)]
    queues = exact.tree(parent, [
        {"guarantee": lo, "limit": hi, "weight": w, "want": d}
        for lo, hi, w, d in zip(least, most, weight, wants)],
        given["total"], exact.INSTANTANEOUS)
    yield "share", None if all(weight) else "floor-of-weight-0", {
        "model": INSTANTANEOUS, "rounding": LARGEST, "flags": BY_DEMAND,
        "kinds": 1, "capacity": [given["total"]], "parent": parent,
        "weight": weight, "guarantee": least, "limit": most, "demand": wants,
        "share": [out.get(path, "?") for _, _, path in rows],
        "exact": [q.share for q in queues]}


def dominant(case):
    given, out = case["in"], case["out"]
    infinite = out["share"] in ("inf", None)
    share = Fraction(0 if infinite else out["share"]) * given["w"]
    kind = out["dim"] if out["dim"] is not None else -1
    yield "standing", None, {
        "usage": given["usage"], "capacity": given["capacity"],
        "weight": given["w"], "infinite": infinite,
        "ratio": [share.numerator, share.denominator], "dominant": kind}


def drf_fields(given):
    users = given["users"]
    return {"capacity": given["capacity"], "weight": column(users, "w"),
            "demand": sum((u["d"] for u in users), []),
            "most": [-1 if u["max"] is None else u["max"] for u in users],
            "least": column(users, "min")}


def drf(case):
    fields = drf_fields(case["in"])
    for name in ("tasks", "remaining"):
        fields[name] = [repr(float(Fraction(x))) for x in case["out"][name]]
    yield "level", None, fields


def drf_discrete(case):
    fields = drf_fields(case["in"])
    fields.update(case["out"])
    yield "picks", None, fields


def hdrf(case):
    given, out = case["in"], case["out"]["hdrf"]
    rows = walk(given["root"])
    kinds = len(given["capacity"])
    none = [0] * kinds
    paths = [path for _, _, path in rows]
    yield "hdrf", None, {
        "capacity": given["capacity"], "parent": [up for _, up, _ in rows],
        "weight": [node["w"] for node, _, _ in rows],
        "demand": sum((node.get("d", none) for node, _, _ in rows), []),
        "usage": sum((node.get("use", none) for node, _, _ in rows), []),
        "most": [-1 if node.get("left") is None else node["left"]
                 for node, _, _ in rows],
        "leaf": [int("children" not in node) for node, _, _ in rows],
        "first": paths.index(out["first_pick"]) if out["first_pick"] else -1,
        "final": sum((out["use"].get(path, ["?"] * kinds) for path in paths),
                     [])}


def fair_tree(case):
    rows = walk(case["in"]["root"])
    rank = case["out"]["rank"]
    yield "fair_tree", None, {
        "parent": [up for _, up, _ in rows],
        "shares": [node["shares"] for node, _, _ in rows],
        "usage": [node.get("usage", 0) for node, _, _ in rows],
        "rank": [rank.get(node["name"], "?") if "children" not in node else 0
                 for node, _, _ in rows]}


def time_weight(case):
    given, out = case["in"], case["out"]
    rows = given["queues"]
    usage = [Fraction(row["usage"]) for row in rows]
    whole = lcm(*(u.denominator for u in usage))
    yield "time_weight", None, {
        "total": given["total"], "k": int(Fraction(given["k"]) * 1000000),
        "weight": column(rows, "w"), "whole": whole,
        "usage": [int(u * whole) for u in usage],
        "portion": [repr(float(Fraction(x))) for x in out["portion"]],
        "share": out["hamilton"]}


def decay(case):
    given = case["in"]
    yield "decay", None, {"usage": given["usage"], "dt": given["dt"],
                          "half_life": given["half_life"],
                          "left": case["out"]["usage"]}


def percentile(case):
    given = case["in"]
    yield "percentile", None, {
        "num": given["num"], "den": given["den"],
        "length": [length for length, _ in given["units"]],
        "amount": [amount for _, amount in given["units"]],
        "value": case["out"]["value"]}


CALLS = {"ratio": ratio, "additive": additive, "tree": tree,
         "dominant": dominant, "drf": drf, "drf_discrete": drf_discrete,
         "hdrf": hdrf, "fair_tree": fair_tree, "time_weight": time_weight,
         "decay": decay, "percentile": percentile}
LATER = {}

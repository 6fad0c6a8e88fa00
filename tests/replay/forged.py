#!/usr/bin/env python3
"""Logs that break a rule, with figures and a digest that are made to fit: the
checker of decision logs objects to the rows themselves.

    forged.py PROGRAM
"""
import sys

import checker
from checker import PREEMPT, PREEMPT_TREE, SERVICE_NODES, find, put, renumber
from replay_check.figures import Figures


def again(kind, nth, column, word):
    """A row stands twice, the first time with another word."""
    def spoil(rows, _):
        at = find(rows, kind, nth)
        row = list(rows[at])
        row[column] = word
        rows.insert(at, row)
        return renumber(rows)
    return spoil


def back_and_forth(rows, _):
    """A task ends minus once, and then twice."""
    at = next(i for i, r in enumerate(rows)
              if r[2] == "finish" and r[5] == "1" and r[4] != "0")
    less, more = list(rows[at]), list(rows[at])
    less[5], more[4], more[5] = "-1", str(int(more[4]) - 1), "2"
    rows[at:at + 1] = [less, more]
    return renumber(rows)


def unsaid(rows, _):
    for row in rows:
        row[8] = ""
    return rows


def shorter(rows, _):
    rows[40].pop()
    return rows


def cut(most):
    """All but the first rows are missing."""
    def spoil(rows, _):
        return rows[:most]
    return spoil


def longer(rows, _):
    """A job that is submitted after the end of the run is admitted then."""
    job = checker.workload().splitlines()[141].split(",")
    rows.append(["", job[0] + "0" * 9, "admit", job[7], "", "",
                 "root." + job[3], "",
                 "cpu=%s000m;memory=%s;gpu=0m" % tuple(job[4:6]), "its turn"])
    return renumber(rows)


ROWS = [
    ("no amounts", unsaid, []),
    ("an end of no task", again("finish", 40, 5, "0"), []),
    ("ends of minus one and two", back_and_forth, []),
    ("a start for a reason unheard of", put("allocate", 40, 9,
                                            lambda _: "bad luck"), []),
    ("a start for no reason", put("allocate", 40, 9, lambda _: ""), []),
    ("room that nobody kept", put("allocate", 40, 9, lambda _:
                                  "it was reserved for the ask"), []),
    ("an end with a reason", put("finish", 40, 9, lambda _: "its turn"), []),
    ("an admission without one", put("admit", 40, 9, lambda _: ""), []),
    ("an admission of a task", put("admit", 40, 4, lambda _: "3"), []),
    ("an admission of tasks", put("admit", 40, 5, lambda _: "3"), []),
    ("an admission on a node", put("admit", 40, 7, lambda _: "3"), []),
    ("a rejection on a node", put("reject", 0, 7, lambda _: "3"), []),
    ("a start nowhere", put("allocate", 40, 7, lambda _: ""), []),
    ("a start on no number", put("allocate", 40, 7, lambda _: "x"), []),
    ("nine columns", shorter, []),
]

EARLY = [
    ("the last rows are missing", cut(-30), []),
    ("most rows are missing", cut(30), []),
    ("all rows are missing", cut(0), []),
    ("a row after the end", longer, []),
]

VICTIMS = [
    ("a notice without a reason", put("notify", 0, 9, lambda _: ""), []),
    ("a kill for its turn", put("kill", 0, 9, lambda _: "its turn"), []),
    ("room without a reason", put("reserve", 0, 9, lambda _: ""), []),
    ("let off though needed", put("withdraw", 0, 9, lambda _:
                                  "a queue below its share needs it"), []),
]


def in_part(rows, _):
    """The log ends with the first row of a gang that has several."""
    starts = [i for i, r in enumerate(rows) if r[2] == "allocate"]
    at = [a for a, b in zip(starts, starts[1:]) if rows[a][3] == rows[b][3]][-1]
    return rows[:at + 1]


def main(program):
    Figures.equal = lambda *_: None
    nodes = [word for spec in checker.NODES for word in ("--nodes", spec)]
    rounds = SERVICE_NODES + ["--preempt-every", "3"] + PREEMPT
    work = checker.workload(), checker.TREE
    others = checker.preempt_workload(), PREEMPT_TREE
    bad = checker.try_all(program, *work, nodes, ROWS)
    bad += checker.try_all(program, *work, nodes + ["--until", "60"], EARLY)
    bad += checker.try_all(program, *others, rounds, VICTIMS)
    bad += checker.try_all(program, *others, SERVICE_NODES + [
        "--gang-over", "6", "--until", "41"],
        [("a gang starts in part", in_part, [])])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

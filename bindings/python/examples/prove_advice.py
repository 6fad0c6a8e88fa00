"""A queue tree that suits what jobs did, and the proof that it helps: last
week's jobs make the advice, this week's are replayed under both trees."""

import sked
from sked import plan

HOUR = 3600 * 10**9
OBJECTIVE = 6 * HOUR  # a run of the dashboards is to end so soon


def week(first: int) -> dict[str, list]:
    """A dashboard every day, and all the while experiments, ten at a time."""
    rows = []
    for day in range(7):
        start = first + day * 24 * HOUR
        for i in range(52):
            rows.append(("labs", 2, start + i * HOUR // 3, 5 * HOUR, 10))
        rows.append(("ads", 1, start + 8 * HOUR, 2 * HOUR, 40))
    rows.sort(key=lambda row: row[2])
    names, tiers, submit, run, tasks = map(list, zip(*rows))
    return {"name": names, "tier": tiers, "submit": submit, "run": run,
            "tasks": tasks}


tree = sked.Tree.from_text("kinds cpu=1\nroot\nroot.shared\nroot.other\n")
last, this = week(0), week(7 * 24 * HOUR)
past = plan.PlanJobs([last["name"]], tier=last["tier"], tiers=2,
                     start=last["submit"],
                     end=[s + r for s, r in zip(last["submit"], last["run"])],
                     window=(0, 7 * 24 * HOUR))
advice = plan.Advice(tree, past, last["tasks"], [1], 100, anyway=True)
print(advice)

names = plan.PlanJobs([this["name"]], tier=this["tier"], tiers=2)
jobs = sked.Jobs(submit=this["submit"], run=this["run"], tasks=this["tasks"],
                 amounts=[1] * len(this["run"]),
                 queue=[tree["root.shared"].id] * len(this["run"]))
proof = advice.prove(
    tree, jobs, names, [sked.Nodes(10, [10])],
    options=sked.Options(heartbeat=60 * 10**9, shares=False),
    workflow=[0 if name == "ads" else 1 for name in this["name"]],
    tier=[1, 2], slo=[OBJECTIVE if name == "ads" else 24 * HOUR
                      for name in this["name"]])
for when, side in (("before", proof.before), ("after", proof.after)):
    for tier, row in enumerate(list(side.tiers)[:2], 1):
        print(f"tier {tier} {when}: {row.successful} of {row.workflows}")
    print(f"  dashboards wait {side.delays[0].p95 / HOUR:.1f} h at worst "
          "(95th percentile)")

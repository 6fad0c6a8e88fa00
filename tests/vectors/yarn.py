"""Cases of yarn.json and yarn-oracle.jsonl as calls."""

import victims
import yarn_compare as pair
import yarn_ideal as ideal
import yarn_lazy as lazy
import yarn_limits as limits
import yarn_users as users
import yarn_order as order
import yarn_res as res
import yarn_share as share
import yarn_story as story
import yarn_target as target

def cs_preempt(case):
    yield from target.cs_targets(case)
    yield from victims.cs_victims(case)


CALLS = {"rc_compare": res.rc_compare, "rc_fits": res.rc_fits,
         "rc_ratio": res.rc_ratio, "rc_normalize": res.rc_normalize,
         "res_mul": res.res_mul, "drf_ratios": res.drf_ratios,
         "compare": pair.compare, "compare_domain": pair.compare_domain,
         "drf_compare_rows": order.compare_rows,
         "drf_sort_rows": order.sort_rows, "queue_order": order.queue_order,
         "app_compare": order.app_compare, "app_order": order.app_order,
         "app_order_partitioned": order.app_order_partitioned,
         "random_order": order.random_order,
         "fair_share": share.fair_share,
         "fair_share_tree": share.fair_share_tree,
         "capacity_weight": share.capacity_weight,
         "capacity_percent": share.capacity_percent,
         "capacity_absolute": share.capacity_absolute,
         "capacity_vector": limits.capacity_vector,
         "am_limit": limits.am_limit,
         "leaf_trace": users.leaf_trace,
         "user_limit": users.user_limit,
         "max_applications": limits.max_applications,
         "fs_am_admit": limits.fs_am_admit,
         "fs_am_share": limits.fs_am_share,
         "fs_headroom": limits.fs_headroom,
         "fs_locality": story.fs_locality,
         "fs_locality_time": story.fs_locality_time,
         "fs_parse_resource": story.fs_parse_resource,
         "fs_max_apps": story.fs_max_apps,
         "fs_trace": story.fs_trace,
         "cs_preempt": cs_preempt, "cs_lazy": lazy.cs_lazy,
         "fs_am_preempt": victims.fs_am_preempt,
         "fs_preempt": victims.fs_preempt,
         "fs_starvation": target.fs_starvation,
         "preemption_message": target.preemption_message}


def fs_visited(case):
    """One ask for a task on n1, n2, their rack or anywhere is one demand: who
    asks first gets it, and nobody after that. To YARN asks on two nodes are
    two, unless their rack or any node came before them."""
    x = case["input"]
    hosts = {"n1": 1, "n2": 2, "/r": 3, "*": 4}
    order = x["visit_in_order"]
    theirs, seen = [], set()
    for name in order:
        covered = name in seen or seen & {"*", "/r"} or (
            seen and name in ("*", "/r"))
        theirs.append(int(not covered))
        seen |= set() if covered else {name}
    want = [int(v) for v in case["expect"]]
    exact = [int(not i) for i in range(len(order))]
    yield "visits", "one-demand" if want == theirs != exact else None, {
        "order": [hosts[v] for v in order], "want": want, "exact": exact}


CALLS["fs_visited"] = fs_visited


def ideal_allocation(case):
    yield from ideal.ideal_allocation(case)
    yield from target.oracle_targets(case)


ORACLE = {"calculator": res.calculator, "compare": pair.compare,
          "fair_share": share.fair_share,
          "ideal_allocation": ideal_allocation}

LATER = {}

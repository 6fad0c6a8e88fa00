"""Cases of yarn.json and yarn-oracle.jsonl as calls."""

CALLS = {}

ORACLE = {}

LATER = dict.fromkeys(
    ("fs_trace", "fs_max_apps", "fs_am_share", "fs_am_admit", "fs_headroom",
     "fs_locality", "fs_locality_time", "fs_visited", "leaf_trace",
     "user_limit", "am_limit", "max_applications"), "later:engine")
LATER.update(dict.fromkeys(
    ("cs_preempt", "cs_lazy", "fs_preempt", "fs_starvation", "fs_am_preempt",
     "preemption_message"), "later:preemption"))
LATER["fs_parse_resource"] = "later:importers"

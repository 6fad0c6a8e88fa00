"""Cases of peloton.json as calls."""

CALLS = {}

LATER = dict.fromkeys(
    ("admit_one", "dequeue", "task_allocation", "ready_queue", "rm_task_path",
     "placing_timeout_target", "placement_timeout_sequence", "task_timeout",
     "requeue_unplaced", "placement_backoff", "placement_cycle_done",
     "placement_all_cycles_done", "form_gangs"), "later:engine")
LATER.update(dict.fromkeys(
    ("preempt_rank", "preempt_filter", "preempt_eligible", "preempt_process",
     "give_back"), "later:preemption"))
LATER.update(dict.fromkeys(
    ("place_batch", "place_mimir", "host_match", "host_rank_defrag",
     "host_score", "host_task_limit", "constraint_eval"), "later:placement"))
LATER.update(dict.fromkeys(
    ("job_state", "job_action", "task_state_allowed", "task_action",
     "update_action", "update_instance", "update_instance_failed",
     "update_run", "update_batch", "update_ops", "instance_availability",
     "restart_backoff"), "later:lifecycle"))

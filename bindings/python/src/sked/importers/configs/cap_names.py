"""The properties of a capacity scheduler by what becomes of them."""

from __future__ import annotations

import re

PREFIX = "yarn.scheduler.capacity."
OLD_PREFIX = "mapred.capacity-scheduler."
MONITOR = "yarn.resourcemanager.monitor.capacity.preemption."
# Kept as they are; a rule says what they must look like.
KEPT = {
    "user-limit-factor": "factor", "maximum-applications": "count",
    "maximum-application-lifetime": "life",
    "default-application-lifetime": "life",
    "default-node-label-expression": "any", "reservable": "yes-no",
    "intra-queue-preemption.disable_preemption": "yes-no",
    "maximum-allocation-mb": "count", "maximum-allocation-vcores": "count",
    "maximum-allocation": "any", "auto-create-child-queue.enabled": "yes-no",
    "auto-queue-creation-v2.enabled": "yes-no",
    "ordering-policy.fair.enable-size-based-weight": "yes-no",
    "multiple-assignments-enabled": "yes-no", "average-capacity": "any",
    "allow-zero-capacity-sum": "yes-no", "unmanaged-am-allowed": "yes-no",
    "supports-priority": "yes-no", "default-application-priority": "any",
    "show-reservations-as-queues": "yes-no",
    "instantaneous-max-capacity": "any", "multi-node-sorting.policy": "any",
    "maximum-initialized-jobs-per-user": "count",
    "maximum-initialized-active-tasks": "count",
    "maximum-initialized-active-tasks-per-user": "count",
    "init-accept-jobs-factor": "count"}
KEPT_LIKE = re.compile(
    r"acl_\w+|leaf-queue-template\..*|auto-queue-creation-v2\..*|"
    r"auto-create-child-queue\..*|accessible-node-labels\..+|reservation.*|"
    r"ordering-policy\..*|user-settings\..*|intra-queue-preemption\..*|"
    r"dynamic-queue\..*|app-.*")
READ = {"capacity", "maximum-capacity", "queues", "state", "ordering-policy",
        "minimum-user-limit-percent", "maximum-am-resource-percent",
        "max-parallel-apps", "priority", "disable_preemption",
        "accessible-node-labels"}
GLOBALS = re.compile(
    r"maximum-applications|maximum-am-resource-percent|resource-calculator|"
    r"node-locality-delay|rack-locality-.*|queue-mappings.*|"
    r"mapping-rule-.*|per-node-heartbeat\..*|application\.fail-fast|"
    r"workflow-priority-mappings.*|schedule-asynchronously.*|"
    r"user-metrics\..*|global-queue-max-application|max-parallel-apps|"
    r"user\.(.*\.)?max-parallel-apps|lazy-preemption-enabled|"
    r"reservations-continue-look-all-nodes|legacy-queue-mode\.enabled|"
    r"ordering-policy\..*|minimum-user-limit-percent|user-limit-factor|"
    r"multi-node-.*|queuemanagement.*|queue-management.*|skip-allocate-.*|"
    r"maximum-.*|minimum-.*|offswitch-.*|assign-multiple.*|cache.*|"
    r"activities.*|async.*|off-switch-.*")
#: Knobs of the preemption monitor, and their rules.
KNOBS = {
    "observe_only": "yes-no", "monitoring_interval": "time",
    "max_wait_before_kill": "time", "total_preemption_per_round": "part",
    "max_ignored_over_capacity": "factor",
    "natural_termination_factor": "part",
    "select_based_on_reserved_containers": "yes-no",
    "additional_res_balance_based_on_reserved_containers": "yes-no",
    "conservative-drf": "yes-no",
    "intra-queue-preemption.enabled": "yes-no",
    "intra-queue-preemption.minimum-threshold": "part",
    "intra-queue-preemption.max-allowable-limit": "part",
    "intra-queue-preemption.preemption-order-policy": "any",
    "intra-queue-preemption.conservative-drf": "yes-no",
    "preemption-to-balance-queue-after-satisfied.enabled": "yes-no",
    "preemption-to-balance-queue-after-satisfied.max-wait-before-kill":
        "time"}


def known(setting: str) -> bool:
    """Does a queue have such a setting?"""
    return setting in READ or setting in KEPT or \
        KEPT_LIKE.fullmatch(setting) is not None


def split(rest: str) -> tuple[str, str]:
    """What stands behind a queue, as the name of one that is in no list and
    its setting; no name where the setting is the queue's own."""
    parts = rest.split(".")
    for i in range(len(parts)):
        if known(".".join(parts[i:])):
            return ".".join(parts[:i]), ".".join(parts[i:])
    return "", rest

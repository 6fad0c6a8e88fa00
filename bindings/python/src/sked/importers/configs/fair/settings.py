"""Every setting of the fair scheduler: AllocationFileLoaderService, its queue
parser and FairSchedulerConfiguration of Hadoop 3.4."""

from __future__ import annotations

from ..settings import Fate, Setting

MAPPED, NOTED, LOST, UNUSED = Fate.MAPPED, Fate.NOTED, Fate.LOST, Fate.UNUSED
S = Setting
QUEUE, LEAF, TOP = "a queue", "a leaf", "<allocations>"
ABOVE = "the queue above"
ROWS = [
    S("weight", QUEUE, "1", MAPPED, "weight", sample="3", gives="weight=3"),
    S("minResources", QUEUE, "nothing", MAPPED, "guarantee",
      sample="1024 mb, 2 vcores", gives="guarantee=cpu=2,memory=1GiB"),
    S("maxResources", QUEUE, "no bound", MAPPED, "limit",
      "queueMaxResourcesDefault", sample="1024 mb, 2 vcores",
      gives="limit=cpu=2,memory=1GiB"),
    S("maxRunningApps", QUEUE, "no bound", MAPPED, "max_running",
      "queueMaxAppsDefault", sample="5", gives="max_running=5"),
    S("maxAMShare", LEAF, "0.5", MAPPED, "am_share",
      "queueMaxAMShareDefault", "am_share=50%", sample="0.3",
      gives="am_share=30%"),
    S("schedulingPolicy", QUEUE, "fair", NOTED, "order fair_kind apps",
      "defaultQueueSchedulingPolicy", "order=fair fair_kind=memory",
      note="fair: a parent counts memory alone; a leaf too, here the dominant "
      "kind", sample="fifo", gives="apps=fifo"),
    S("minSharePreemptionTimeout", QUEUE, "never", MAPPED,
      "preempt_min_timeout", ABOVE, sample="9",
      gives="preempt_min_timeout=9s"),
    S("fairSharePreemptionTimeout", QUEUE, "never", MAPPED,
      "preempt_fair_timeout", ABOVE, sample="9",
      gives="preempt_fair_timeout=9s"),
    S("fairSharePreemptionThreshold", QUEUE, "0.5", MAPPED,
      "preempt_fair_threshold", ABOVE, sample="0.7",
      gives="preempt_fair_threshold=70%"),
    S("allowPreemptionFrom", QUEUE, "true", MAPPED, "preempt_from", ABOVE,
      sample="false", gives="preempt_from=no"),
    S("maxContainerAllocation", QUEUE, "the cluster's", LOST, "", ABOVE,
      sample="1024 mb, 2 vcores"),
    S("maxChildResources", "a parent", "no bound", LOST,
      note="of queues that are made on demand", sample="1024 mb, 2 vcores"),
    S("aclSubmitApps", QUEUE, "none; root: all", LOST, "", ABOVE,
      sample="ann"),
    S("aclAdministerApps", QUEUE, "none; root: all", LOST, "", ABOVE,
      sample="ann"),
    S("aclAdministerReservations", QUEUE, "none", LOST, sample="ann"),
    S("aclListReservations", QUEUE, "none", LOST, sample="ann"),
    S("aclSubmitReservations", QUEUE, "none", LOST, sample="ann"),
    S("reservation", LEAF, "none", LOST, sample=""),
    S("queueMaxAppsDefault", TOP, "no bound", MAPPED, "max_running",
      sample="7", gives="max_running=7"),
    S("queueMaxResourcesDefault", TOP, "no bound", MAPPED, "limit",
      sample="1024 mb, 2 vcores", gives="limit=cpu=2,memory=1GiB"),
    S("queueMaxAMShareDefault", TOP, "0.5", MAPPED, "am_share",
      sample="0.2", gives="am_share=20%"),
    S("defaultMinSharePreemptionTimeout", TOP, "never", MAPPED,
      "preempt_min_timeout of the root", sample="8"),
    S("defaultFairSharePreemptionTimeout", TOP, "never", MAPPED,
      "preempt_fair_timeout of the root", sample="8"),
    S("fairSharePreemptionTimeout", TOP, "never", MAPPED,
      "preempt_fair_timeout of the root", sample="8"),
    S("defaultFairSharePreemptionThreshold", TOP, "0.5", MAPPED,
      "preempt_fair_threshold of the root", sample="0.8"),
    S("defaultQueueSchedulingPolicy", TOP, "fair", MAPPED,
      "order fair_kind apps", sample="drf", gives="apps=fair"),
    S("userMaxAppsDefault", TOP, "no bound", LOST,
      note="`max_user_running` of the engine", sample="6"),
    S("user: maxRunningApps", TOP, "userMaxAppsDefault", LOST,
      note="limits of the engine"),
    S("queuePlacementPolicy", TOP, "specified, else user", LOST,
      note="which queue a job goes to; by default YARN makes a queue of weight "
      "1 for each user whose job names none, and the tree does not",
      sample=""),
    S("reservation-planner", TOP, "none", LOST, sample="x"),
    S("reservation-agent", TOP, "none", LOST, sample="x"),
    S("reservation-policy", TOP, "none", LOST, sample="x"),
    S("(queue default)", TOP, "YARN makes it, for jobs that name no queue",
      MAPPED, "a queue default below the root"),
    S("minMaps, minReduces", "a pool of Hadoop 1", "0", MAPPED,
      "guarantee"),
    S("maxMaps, maxReduces", "a pool of Hadoop 1", "no bound", MAPPED,
      "limit")]
ROW = {row.name: row for row in reversed(ROWS)}
PLACEMENT = ROW["queuePlacementPolicy"]
DEFAULT_QUEUE = ROW["(queue default)"]
POLICY, AM_SHARE = ROW["schedulingPolicy"], ROW["maxAMShare"]

"""The elements of a fair-scheduler.xml: what they are called now, what they
were called in Hadoop 1, and what becomes of them."""

from __future__ import annotations

POLICIES = {"fair": "fair", "drf": "drf", "fifo": "fifo"}
CLASSES = {"fairsharepolicy": "fair", "fifopolicy": "fifo",
           "dominantresourcefairnesspolicy": "drf"}
OLD_NAMES = {"maxRunningJobs": "maxRunningApps",
             "poolMaxJobsDefault": "queueMaxAppsDefault",
             "userMaxJobsDefault": "userMaxAppsDefault",
             "defaultPoolSchedulingMode": "defaultQueueSchedulingPolicy"}
SAME_NAMES = {"schedulingMode": "schedulingPolicy",
              "defaultQueueSchedulingMode": "defaultQueueSchedulingPolicy"}
SLOTS = {"minMaps": ("guarantee", "maps"), "maxMaps": ("limit", "maps"),
         "minReduces": ("guarantee", "reduces"),
         "maxReduces": ("limit", "reduces")}
GLOBALS = {"queueMaxAppsDefault", "userMaxAppsDefault",
           "queueMaxResourcesDefault", "queueMaxAMShareDefault",
           "defaultMinSharePreemptionTimeout",
           "defaultFairSharePreemptionTimeout", "fairSharePreemptionTimeout",
           "defaultFairSharePreemptionThreshold",
           "defaultQueueSchedulingPolicy"}
KEPT = {"queuePlacementPolicy", "reservation-planner", "reservation-agent",
        "reservation-policy", "aclSubmitApps", "aclAdministerApps",
        "aclAdministerReservations", "aclListReservations",
        "aclSubmitReservations", "reservation", "maxContainerAllocation",
        "maxChildResources"}
TIMES = {"minSharePreemptionTimeout": "preempt_min_timeout",
         "fairSharePreemptionTimeout": "preempt_fair_timeout"}
DEFAULTS = {"defaultMinSharePreemptionTimeout": "minSharePreemptionTimeout",
            "defaultFairSharePreemptionTimeout": "fairSharePreemptionTimeout",
            "fairSharePreemptionTimeout": "fairSharePreemptionTimeout",
            "defaultFairSharePreemptionThreshold":
                "fairSharePreemptionThreshold"}

#ifndef SKED_H
#define SKED_H

/* All public headers of libsked: cluster scheduling as a library. */

#include <sched/admit.h>
#include <sched/advise.h>
#include <sched/audit.h>
#include <sched/balance.h>
#include <sched/base.h>
#include <sched/batch.h>
#include <sched/batch_run.h>
#include <sched/decision.h>
#include <sched/diff.h>
#include <sched/drf.h>
#include <sched/drf_arrays.h>
#include <sched/engine.h>
#include <sched/engine_admit.h>
#include <sched/engine_limits.h>
#include <sched/engine_place.h>
#include <sched/engine_preempt.h>
#include <sched/engine_reconcile.h>
#include <sched/event.h>
#include <sched/event_flag.h>
#include <sched/fair_tree.h>
#include <sched/fault.h>
#include <sched/fill.h>
#include <sched/hdrf.h>
#include <sched/history.h>
#include <sched/host.h>
#include <sched/ledger.h>
#include <sched/life.h>
#include <sched/life_job.h>
#include <sched/life_policy.h>
#include <sched/life_secrets.h>
#include <sched/life_update.h>
#include <sched/locality.h>
#include <sched/locality_fair.h>
#include <sched/order.h>
#include <sched/pctl.h>
#include <sched/plan.h>
#include <sched/preempt.h>
#include <sched/queue.h>
#include <sched/rank.h>
#include <sched/report.h>
#include <sched/res.h>
#include <sched/round.h>
#include <sched/route.h>
#include <sched/rule.h>
#include <sched/share.h>
#include <sched/sim.h>
#include <sched/slo.h>
#include <sched/target.h>
#include <sched/tiers.h>
#include <sched/tree.h>
#include <sched/tree_text.h>

#endif

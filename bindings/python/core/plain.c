/*
 * The calls that take handles and numbers and return a status or a number.
 * Written by tools/api from the headers; every other call is written by hand.
 */
#include "core.h"

/* clang-format off */
CALL(audit_end)
{
    sked_audit *audit;
    sked_time now;
    READ("Hq", H_AUDIT, &audit, &now);
    RUN(a, sked_audit_end(audit, now, &a.err));
    return args_end(&a, "");
}

CALL(audit_rows)
{
    sked_audit *audit;
    READ("h", H_AUDIT, &audit);
    return args_end(&a, "K", (unsigned long long)sked_audit_rows(audit));
}

CALL(audit_count)
{
    sked_audit *audit;
    int32_t code;
    READ("hi", H_AUDIT, &audit, &code);
    return args_end(&a, "K", (unsigned long long)sked_audit_count(audit, code));
}

CALL(batch_run_finish)
{
    sked_batch_run *run;
    uint32_t task;
    int64_t now;
    READ("Huq", H_BATCH_RUN, &run, &task, &now);
    RUN(a, sked_batch_run_finish(run, task, now, &a.err));
    return args_end(&a, "");
}

CALL(diff_count)
{
    sked_diff *diff;
    READ("h", H_DIFF, &diff);
    return args_end(&a, "n", (Py_ssize_t)sked_diff_count(diff));
}

CALL(drf_reserve)
{
    sked_drf *drf;
    uint32_t clients;
    READ("Hu", H_DRF, &drf, &clients);
    RUN(a, sked_drf_reserve(drf, clients, &a.err));
    return args_end(&a, "");
}

CALL(drf_remove)
{
    sked_drf *drf;
    uint32_t slot;
    READ("Hu", H_DRF, &drf, &slot);
    RUN(a, sked_drf_remove(drf, slot, &a.err));
    return args_end(&a, "");
}

CALL(drf_set_weight)
{
    sked_drf *drf;
    uint32_t slot;
    uint32_t weight;
    READ("Huu", H_DRF, &drf, &slot, &weight);
    RUN(a, sked_drf_set_weight(drf, slot, weight, &a.err));
    return args_end(&a, "");
}

CALL(drf_activate)
{
    sked_drf *drf;
    uint32_t slot;
    int active;
    READ("Hui", H_DRF, &drf, &slot, &active);
    RUN(a, sked_drf_activate(drf, slot, active, &a.err));
    return args_end(&a, "");
}

CALL(drf_next)
{
    sked_drf *drf;
    READ("h", H_DRF, &drf);
    return args_end(&a, "I", (unsigned)sked_drf_next(drf));
}

CALL(drf_clients)
{
    sked_drf *drf;
    READ("h", H_DRF, &drf);
    return args_end(&a, "I", (unsigned)sked_drf_clients(drf));
}

CALL(drf_active)
{
    sked_drf *drf;
    READ("h", H_DRF, &drf);
    return args_end(&a, "I", (unsigned)sked_drf_active(drf));
}

CALL(drf_is_active)
{
    sked_drf *drf;
    uint32_t slot;
    READ("hu", H_DRF, &drf, &slot);
    return args_end(&a, "i", sked_drf_is_active(drf, slot));
}

CALL(drf_slot)
{
    sked_drf *drf;
    uint64_t key;
    READ("hQ", H_DRF, &drf, &key);
    return args_end(&a, "I", (unsigned)sked_drf_slot(drf, key));
}

CALL(drf_key)
{
    sked_drf *drf;
    uint32_t slot;
    READ("hu", H_DRF, &drf, &slot);
    return args_end(&a, "K", (unsigned long long)sked_drf_key(drf, slot));
}

CALL(drf_digest)
{
    sked_drf *drf;
    READ("h", H_DRF, &drf);
    return args_end(&a, "K", (unsigned long long)sked_drf_digest(drf));
}

CALL(drf_check)
{
    sked_drf *drf;
    READ("h", H_DRF, &drf);
    RUN(a, sked_drf_check(drf, &a.err));
    return args_end(&a, "");
}

CALL(engine_commit)
{
    sked_engine *engine;
    sked_tree *tree;
    sked_time now;
    READ("Hhq", H_ENGINE, &engine, H_TREE, &tree, &now);
    RUN(a, sked_engine_commit(engine, tree, now, &a.err));
    return args_end(&a, "");
}

CALL(engine_next_time)
{
    sked_engine *engine;
    READ("h", H_ENGINE, &engine);
    return args_end(&a, "L", (long long)sked_engine_next_time(engine));
}

CALL(engine_digest)
{
    sked_engine *engine;
    READ("h", H_ENGINE, &engine);
    return args_end(&a, "K", (unsigned long long)sked_engine_digest(engine));
}

CALL(engine_state_digest)
{
    sked_engine *engine;
    READ("h", H_ENGINE, &engine);
    return args_end(&a, "K",
                    (unsigned long long)sked_engine_state_digest(engine));
}

CALL(engine_check)
{
    sked_engine *engine;
    READ("h", H_ENGINE, &engine);
    RUN(a, sked_engine_check(engine, &a.err));
    return args_end(&a, "");
}

CALL(engine_commit_limits)
{
    sked_engine *engine;
    uint32_t which;
    sked_tree *tree;
    sked_time now;
    READ("Huhq", H_ENGINE, &engine, &which, H_TREE, &tree, &now);
    RUN(a, sked_engine_commit_limits(engine, which, tree, now, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_set_full)
{
    sked_hdrf *tree;
    uint32_t kinds;
    READ("Hu", H_HDRF, &tree, &kinds);
    RUN(a, sked_hdrf_set_full(tree, kinds, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_set_weight)
{
    sked_hdrf *tree;
    uint32_t node;
    uint32_t weight;
    READ("Huu", H_HDRF, &tree, &node, &weight);
    RUN(a, sked_hdrf_set_weight(tree, node, weight, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_block)
{
    sked_hdrf *tree;
    uint32_t leaf;
    int blocked;
    READ("Hui", H_HDRF, &tree, &leaf, &blocked);
    RUN(a, sked_hdrf_block(tree, leaf, blocked, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_next)
{
    sked_hdrf *tree;
    READ("h", H_HDRF, &tree);
    return args_end(&a, "I", (unsigned)sked_hdrf_next(tree));
}

CALL(hdrf_allocate)
{
    sked_hdrf *tree;
    uint32_t leaf;
    int64_t tasks;
    READ("Huq", H_HDRF, &tree, &leaf, &tasks);
    RUN(a, sked_hdrf_allocate(tree, leaf, tasks, &a.err));
    return args_end(&a, "");
}

CALL(hdrf_digest)
{
    sked_hdrf *tree;
    READ("h", H_HDRF, &tree);
    return args_end(&a, "K", (unsigned long long)sked_hdrf_digest(tree));
}

CALL(hdrf_check)
{
    sked_hdrf *tree;
    READ("h", H_HDRF, &tree);
    RUN(a, sked_hdrf_check(tree, &a.err));
    return args_end(&a, "");
}

CALL(history_settle)
{
    sked_history *history;
    sked_time time;
    READ("Hq", H_HISTORY, &history, &time);
    RUN(a, sked_history_settle(history, time, &a.err));
    return args_end(&a, "");
}

CALL(history_forget)
{
    sked_history *history;
    sked_time time;
    READ("Hq", H_HISTORY, &history, &time);
    RUN(a, sked_history_forget(history, time, &a.err));
    return args_end(&a, "");
}

CALL(history_check)
{
    sked_history *history;
    READ("h", H_HISTORY, &history);
    RUN(a, sked_history_check(history, &a.err));
    return args_end(&a, "");
}

CALL(history_digest)
{
    sked_history *history;
    READ("h", H_HISTORY, &history);
    return args_end(&a, "K", (unsigned long long)sked_history_digest(history));
}

CALL(ledger_reserve)
{
    sked_ledger *ledger;
    size_t queues;
    READ("Hn", H_LEDGER, &ledger, &queues);
    RUN(a, sked_ledger_reserve(ledger, queues, &a.err));
    return args_end(&a, "");
}

CALL(ledger_follow)
{
    sked_ledger *ledger;
    sked_tree *tree;
    READ("Hh", H_LEDGER, &ledger, H_TREE, &tree);
    RUN(a, sked_ledger_follow(ledger, tree, &a.err));
    return args_end(&a, "");
}

CALL(ledger_version)
{
    sked_ledger *ledger;
    READ("h", H_LEDGER, &ledger);
    return args_end(&a, "K", (unsigned long long)sked_ledger_version(ledger));
}

CALL(ledger_decay)
{
    sked_ledger *ledger;
    sked_time now;
    READ("Hq", H_LEDGER, &ledger, &now);
    RUN(a, sked_ledger_decay(ledger, now, &a.err));
    return args_end(&a, "");
}

CALL(ledger_check)
{
    sked_ledger *ledger;
    READ("h", H_LEDGER, &ledger);
    RUN(a, sked_ledger_check(ledger, &a.err));
    return args_end(&a, "");
}

CALL(ledger_digest)
{
    sked_ledger *ledger;
    READ("h", H_LEDGER, &ledger);
    return args_end(&a, "K", (unsigned long long)sked_ledger_digest(ledger));
}

CALL(life_secrets_set)
{
    sked_life_secrets *secrets;
    uint64_t job;
    uint64_t task;
    uint64_t reference;
    READ("HQQQ", H_LIFE_SECRETS, &secrets, &job, &task, &reference);
    RUN(a, sked_life_secrets_set(secrets, job, task, reference, &a.err));
    return args_end(&a, "");
}

CALL(life_secrets_forget)
{
    sked_life_secrets *secrets;
    uint64_t job;
    READ("HQ", H_LIFE_SECRETS, &secrets, &job);
    sked_life_secrets_forget(secrets, job);
    return args_end(&a, "");
}

CALL(life_update_tell)
{
    sked_life_update *update;
    uint32_t event;
    READ("Hu", H_LIFE_UPDATE, &update, &event);
    RUN(a, sked_life_update_tell(update, event, &a.err));
    return args_end(&a, "");
}

CALL(locality_transfers)
{
    sked_locality *locality;
    int64_t load;
    READ("hq", H_LOCALITY, &locality, &load);
    return args_end(&a, "K",
                    (unsigned long long)sked_locality_transfers(locality, load));
}

CALL(locality_load)
{
    sked_locality *locality;
    uint64_t transfers;
    READ("hQ", H_LOCALITY, &locality, &transfers);
    return args_end(&a, "L",
                    (long long)sked_locality_load(locality, transfers));
}

CALL(locality_live_remove)
{
    sked_locality_live *live;
    uint32_t block;
    READ("Hu", H_LOCALITY_LIVE, &live, &block);
    RUN(a, sked_locality_live_remove(live, block, &a.err));
    return args_end(&a, "");
}

CALL(locality_live_down)
{
    sked_locality_live *live;
    uint32_t lost;
    READ("Hu", H_LOCALITY_LIVE, &live, &lost);
    RUN(a, sked_locality_live_down(live, lost, &a.err));
    return args_end(&a, "");
}

CALL(locality_live_host)
{
    sked_locality_live *live;
    uint32_t block;
    READ("hu", H_LOCALITY_LIVE, &live, &block);
    return args_end(&a, "I", (unsigned)sked_locality_live_host(live, block));
}

CALL(locality_live_least_load)
{
    sked_locality_live *live;
    READ("h", H_LOCALITY_LIVE, &live);
    return args_end(&a, "I", (unsigned)sked_locality_live_least_load(live));
}

CALL(locality_live_transfers)
{
    sked_locality_live *live;
    uint32_t load;
    READ("hu", H_LOCALITY_LIVE, &live, &load);
    return args_end(&a, "K",
                    (unsigned long long)sked_locality_live_transfers(live, load));
}

CALL(order_reserve)
{
    sked_order *order;
    size_t queues;
    READ("Hn", H_ORDER, &order, &queues);
    RUN(a, sked_order_reserve(order, queues, &a.err));
    return args_end(&a, "");
}

CALL(order_digest)
{
    sked_order *order;
    READ("h", H_ORDER, &order);
    return args_end(&a, "K", (unsigned long long)sked_order_digest(order));
}

CALL(order_check)
{
    sked_order *order;
    READ("h", H_ORDER, &order);
    RUN(a, sked_order_check(order, &a.err));
    return args_end(&a, "");
}

CALL(plan_count)
{
    sked_plan *plan;
    READ("h", H_PLAN, &plan);
    return args_end(&a, "n", (Py_ssize_t)sked_plan_count(plan));
}

CALL(plan_skipped)
{
    sked_plan *plan;
    READ("h", H_PLAN, &plan);
    return args_end(&a, "n", (Py_ssize_t)sked_plan_skipped(plan));
}

CALL(schema_kinds)
{
    sked_schema *schema;
    READ("h", H_SCHEMA, &schema);
    return args_end(&a, "n", (Py_ssize_t)sked_schema_kinds(schema));
}

CALL(schema_same)
{
    sked_schema *a_;
    sked_schema *b;
    READ("hh", H_SCHEMA, &a_, H_SCHEMA, &b);
    RUN(a, sked_schema_same(a_, b, &a.err));
    return args_end(&a, "");
}

CALL(round_reserve)
{
    sked_round *round;
    size_t marks;
    READ("Hn", H_ROUND, &round, &marks);
    RUN(a, sked_round_reserve(round, marks, &a.err));
    return args_end(&a, "");
}

CALL(round_offer_count)
{
    sked_round *round;
    uint64_t key;
    READ("hQ", H_ROUND, &round, &key);
    return args_end(&a, "I", (unsigned)sked_round_offer_count(round, key));
}

CALL(round_mark_count)
{
    sked_round *round;
    uint64_t key;
    READ("hQ", H_ROUND, &round, &key);
    return args_end(&a, "I", (unsigned)sked_round_mark_count(round, key));
}

CALL(round_next)
{
    sked_round *round;
    READ("h", H_ROUND, &round);
    return args_end(&a, "L", (long long)sked_round_next(round));
}

CALL(round_digest)
{
    sked_round *round;
    READ("h", H_ROUND, &round);
    return args_end(&a, "K", (unsigned long long)sked_round_digest(round));
}

CALL(round_check)
{
    sked_round *round;
    READ("h", H_ROUND, &round);
    RUN(a, sked_round_check(round, &a.err));
    return args_end(&a, "");
}

CALL(route_remove)
{
    sked_route *router;
    uint64_t id;
    READ("HQ", H_ROUTER, &router, &id);
    RUN(a, sked_route_remove(router, id, &a.err));
    return args_end(&a, "");
}

CALL(route_digest)
{
    sked_route *router;
    READ("h", H_ROUTER, &router);
    return args_end(&a, "K", (unsigned long long)sked_route_digest(router));
}

CALL(route_check)
{
    sked_route *router;
    READ("h", H_ROUTER, &router);
    RUN(a, sked_route_check(router, &a.err));
    return args_end(&a, "");
}

CALL(share_reserve)
{
    sked_share *share;
    size_t queues;
    uint32_t kinds;
    READ("Hnu", H_SHARE, &share, &queues, &kinds);
    RUN(a, sked_share_reserve(share, queues, kinds, &a.err));
    return args_end(&a, "");
}

CALL(share_check)
{
    sked_share *share;
    READ("h", H_SHARE, &share);
    RUN(a, sked_share_check(share, &a.err));
    return args_end(&a, "");
}

CALL(share_digest)
{
    sked_share *share;
    READ("h", H_SHARE, &share);
    return args_end(&a, "K", (unsigned long long)sked_share_digest(share));
}

CALL(sim_withdraw)
{
    sked_sim *sim;
    uint32_t job;
    READ("Hu", H_SIM, &sim, &job);
    RUN(a, sked_sim_withdraw(sim, job, &a.err));
    return args_end(&a, "");
}

CALL(target_digest)
{
    sked_target *target;
    READ("h", H_TARGET, &target);
    return args_end(&a, "K", (unsigned long long)sked_target_digest(target));
}

CALL(target_check)
{
    sked_target *target;
    READ("h", H_TARGET, &target);
    RUN(a, sked_target_check(target, &a.err));
    return args_end(&a, "");
}

CALL(timeline_reserve)
{
    sked_timeline *timeline;
    size_t spans;
    READ("Hn", H_TIMELINE, &timeline, &spans);
    RUN(a, sked_timeline_reserve(timeline, spans, &a.err));
    return args_end(&a, "");
}

CALL(timeline_remove)
{
    sked_timeline *timeline;
    uint64_t span;
    READ("HQ", H_TIMELINE, &timeline, &span);
    RUN(a, sked_timeline_remove(timeline, span, &a.err));
    return args_end(&a, "");
}

CALL(timeline_spans)
{
    sked_timeline *timeline;
    READ("h", H_TIMELINE, &timeline);
    return args_end(&a, "n", (Py_ssize_t)sked_timeline_spans(timeline));
}

CALL(timeline_kinds)
{
    sked_timeline *timeline;
    READ("h", H_TIMELINE, &timeline);
    return args_end(&a, "I", (unsigned)sked_timeline_kinds(timeline));
}

CALL(timeline_digest)
{
    sked_timeline *timeline;
    READ("h", H_TIMELINE, &timeline);
    return args_end(&a, "K",
                    (unsigned long long)sked_timeline_digest(timeline));
}

CALL(timeline_check)
{
    sked_timeline *timeline;
    READ("h", H_TIMELINE, &timeline);
    RUN(a, sked_timeline_check(timeline, &a.err));
    return args_end(&a, "");
}

CALL(tree_reserve)
{
    sked_tree *tree;
    size_t queues;
    size_t text;
    READ("Hnn", H_TREE, &tree, &queues, &text);
    RUN(a, sked_tree_reserve(tree, queues, text, &a.err));
    return args_end(&a, "");
}

CALL(tree_move)
{
    sked_tree *tree;
    sked_queue_id queue;
    sked_queue_id parent;
    READ("HQQ", H_TREE, &tree, &queue, &parent);
    RUN(a, sked_tree_move(tree, queue, parent, &a.err));
    return args_end(&a, "");
}

CALL(tree_set)
{
    sked_tree *tree;
    sked_queue_id queue;
    int32_t attribute;
    int64_t value;
    READ("HQiq", H_TREE, &tree, &queue, &attribute, &value);
    RUN(a, sked_tree_set(tree, queue, attribute, value, &a.err));
    return args_end(&a, "");
}

CALL(tree_confine)
{
    sked_tree *tree;
    sked_queue_id queue;
    READ("HQ", H_TREE, &tree, &queue);
    RUN(a, sked_tree_confine(tree, queue, &a.err));
    return args_end(&a, "");
}

CALL(tree_discard)
{
    sked_tree *tree;
    READ("H", H_TREE, &tree);
    RUN(a, sked_tree_discard(tree, &a.err));
    return args_end(&a, "");
}

CALL(tree_commit)
{
    sked_tree *tree;
    int32_t mode;
    READ("Hi", H_TREE, &tree, &mode);
    RUN(a, sked_tree_commit(tree, mode, &a.err));
    return args_end(&a, "");
}

CALL(tree_root)
{
    sked_tree *tree;
    READ("h", H_TREE, &tree);
    return args_end(&a, "K", (unsigned long long)sked_tree_root(tree));
}

CALL(tree_version)
{
    sked_tree *tree;
    READ("h", H_TREE, &tree);
    return args_end(&a, "K", (unsigned long long)sked_tree_version(tree));
}

CALL(tree_shape)
{
    sked_tree *tree;
    READ("h", H_TREE, &tree);
    return args_end(&a, "K", (unsigned long long)sked_tree_shape(tree));
}

CALL(tree_count)
{
    sked_tree *tree;
    READ("h", H_TREE, &tree);
    return args_end(&a, "n", (Py_ssize_t)sked_tree_count(tree));
}

CALL(tree_check)
{
    sked_tree *tree;
    READ("h", H_TREE, &tree);
    RUN(a, sked_tree_check(tree, &a.err));
    return args_end(&a, "");
}

CALL(tree_digest)
{
    sked_tree *tree;
    READ("h", H_TREE, &tree);
    return args_end(&a, "K", (unsigned long long)sked_tree_digest(tree));
}

PyMethodDef plain_methods[] = {
    METHOD(audit_end),
    METHOD(audit_rows),
    METHOD(audit_count),
    METHOD(batch_run_finish),
    METHOD(diff_count),
    METHOD(drf_reserve),
    METHOD(drf_remove),
    METHOD(drf_set_weight),
    METHOD(drf_activate),
    METHOD(drf_next),
    METHOD(drf_clients),
    METHOD(drf_active),
    METHOD(drf_is_active),
    METHOD(drf_slot),
    METHOD(drf_key),
    METHOD(drf_digest),
    METHOD(drf_check),
    METHOD(engine_commit),
    METHOD(engine_next_time),
    METHOD(engine_digest),
    METHOD(engine_state_digest),
    METHOD(engine_check),
    METHOD(engine_commit_limits),
    METHOD(hdrf_set_full),
    METHOD(hdrf_set_weight),
    METHOD(hdrf_block),
    METHOD(hdrf_next),
    METHOD(hdrf_allocate),
    METHOD(hdrf_digest),
    METHOD(hdrf_check),
    METHOD(history_settle),
    METHOD(history_forget),
    METHOD(history_check),
    METHOD(history_digest),
    METHOD(ledger_reserve),
    METHOD(ledger_follow),
    METHOD(ledger_version),
    METHOD(ledger_decay),
    METHOD(ledger_check),
    METHOD(ledger_digest),
    METHOD(life_secrets_set),
    METHOD(life_secrets_forget),
    METHOD(life_update_tell),
    METHOD(locality_transfers),
    METHOD(locality_load),
    METHOD(locality_live_remove),
    METHOD(locality_live_down),
    METHOD(locality_live_host),
    METHOD(locality_live_least_load),
    METHOD(locality_live_transfers),
    METHOD(order_reserve),
    METHOD(order_digest),
    METHOD(order_check),
    METHOD(plan_count),
    METHOD(plan_skipped),
    METHOD(schema_kinds),
    METHOD(schema_same),
    METHOD(round_reserve),
    METHOD(round_offer_count),
    METHOD(round_mark_count),
    METHOD(round_next),
    METHOD(round_digest),
    METHOD(round_check),
    METHOD(route_remove),
    METHOD(route_digest),
    METHOD(route_check),
    METHOD(share_reserve),
    METHOD(share_check),
    METHOD(share_digest),
    METHOD(sim_withdraw),
    METHOD(target_digest),
    METHOD(target_check),
    METHOD(timeline_reserve),
    METHOD(timeline_remove),
    METHOD(timeline_spans),
    METHOD(timeline_kinds),
    METHOD(timeline_digest),
    METHOD(timeline_check),
    METHOD(tree_reserve),
    METHOD(tree_move),
    METHOD(tree_set),
    METHOD(tree_confine),
    METHOD(tree_discard),
    METHOD(tree_commit),
    METHOD(tree_root),
    METHOD(tree_version),
    METHOD(tree_shape),
    METHOD(tree_count),
    METHOD(tree_check),
    METHOD(tree_digest),
    {NULL, NULL, 0, NULL},
};

/* What is said of a gang over nodes, and of no other ask. */
#include "base/fail.h"
#include "engine/gang.h"

/* May tasks of a gang share nodes that nothing else shares? Such nodes are
 * taken whole when the gang starts, and a task that starts later would take a
 * whole node more. SKED_OK or SKED_ERR_ARG. */
static sked_status check_bunch(const sked_event *event, sked_event_gang gang,
                               sked_error *err)
{
    if (!(event->flags & SKED_ASK_SPREAD)) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "only a gang over nodes has nodes to itself");
    }
    if (gang.at_once == event->count) return SKED_OK;
    return skedi_fail(err, SKED_ERR_ARG,
                      "an elastic gang has one task on a node of its own",
                      (skedi_fault){.got = gang.per_node, .limit = 1});
}

/* Are its count and what starts together multiples of `per_node`? SKED_OK or
 * SKED_ERR_ARG. */
static sked_status check_exact(const sked_event *event, sked_event_gang gang,
                               sked_error *err)
{
    if (!(event->flags & SKED_ASK_SPREAD) || gang.per_node == INT32_MAX) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "an exact gang is over nodes, with per_node");
    }
    int whole = event->count % gang.per_node == 0;
    if (whole && gang.at_once % gang.per_node == 0) return SKED_OK;
    return skedi_fail(
        err, SKED_ERR_ARG,
        whole ? "at_once is no multiple of per_node"
              : "count is no multiple of per_node",
        (skedi_fault){.got = whole ? (int64_t)gang.at_once : event->count,
                      .limit = gang.per_node});
}

sked_status skedi_gang_check(const sked_event *event, sked_event_gang gang,
                             sked_error *err)
{
    if (gang.per_node > INT32_MAX) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "per_node is out of range",
            (skedi_fault){.got = gang.per_node, .limit = INT32_MAX});
    }
    if (gang.at_once > event->count) {
        return skedi_fail(
            err, SKED_ERR_RANGE, "at_once is out of range",
            (skedi_fault){.got = gang.at_once, .limit = event->count});
    }
    if (event->flags & SKED_ASK_EXCLUSIVE && event->flags & SKED_ASK_GANG &&
        gang.per_node != 1) {
        sked_status rc = check_bunch(event, gang, err);
        if (rc != SKED_OK) return rc;
    }
    if (event->flags & SKED_ASK_PREFER_SAME && !gang.same) {
        return skedi_fail_plain(err, SKED_ERR_ARG,
                                "a value of no attribute is preferred");
    }
    return event->flags & SKED_ASK_EXACT ? check_exact(event, gang, err)
                                         : SKED_OK;
}

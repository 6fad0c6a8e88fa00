/* Quarantine of nodes on which tasks fail; each quarantine lasts twice as long
 * as the last. */
#include <sched/life_policy.h>

#include "life/life.h"

#include "base/arith.h"
#include "base/versioned.h"

SKEDI_NO_TAIL_PADDING(sked_life_node_options, nodes_ppm);
_Static_assert(sizeof(sked_life_record) == 32, "frozen");

enum {
    LIFE_QUARANTINE_V1 = SKEDI_SIZE_THROUGH(sked_life_node_options, nodes_ppm)
};

#define LIFE_TEN_MINUTES (INT64_C(600) * 1000000000)

static sked_status quarantine_in(sked_life_node_options *o,
                                 const sked_life_node_options *theirs,
                                 sked_error *err)
{
    if (skedi_struct_in(o, sizeof *o, theirs, LIFE_QUARANTINE_V1)) {
        return skedi_fail_version(err, "options");
    }
    if (o->within_ns < 0 || o->first_ns < 0 || o->most_ns < 0 ||
        o->nodes_ppm < 0 || o->nodes_ppm > SKED_PPM) {
        return skedi_fail_plain(err, SKED_ERR_RANGE,
                                "no such quarantine can be");
    }
    if (!o->failures) o->failures = 5;
    if (!o->within_ns) o->within_ns = LIFE_TEN_MINUTES;
    if (!o->first_ns) o->first_ns = LIFE_TEN_MINUTES;
    if (!o->most_ns) o->most_ns = 144 * LIFE_TEN_MINUTES;
    if (!o->nodes_ppm) o->nodes_ppm = SKED_PPM / 10;
    return SKED_OK;
}

/* May another node be out? One node may always be out. */
static int may_be_out(const sked_life_nodes *nodes, int64_t ppm)
{
    uint64_t rem, most = skedi_muldiv(nodes->n, (uint64_t)ppm, SKED_PPM, &rem);

    return nodes->out < most || nodes->out == 0;
}

static void put_out(sked_life_record *node, sked_time now,
                    const sked_life_node_options *o, sked_life_nodes *nodes)
{
    if (node->times < UINT32_MAX) node->times++;
    node->out = 1;
    node->failures = 0;
    node->until = skedi_life_later(
        now, sked_life_backoff(node->times, o->first_ns, o->most_ns));
    nodes->out++;
}

sked_status sked_life_node_fail(sked_life_record *node, sked_time now,
                                const sked_life_node_options *options,
                                sked_life_nodes *nodes, sked_error *err)
{
    sked_life_node_options o;

    const char *missing = !node ? "node" : !nodes ? "nodes" : NULL;
    if (missing) return skedi_fail_null(err, missing);
    if (node->reserved) return skedi_fail_reserved(err, "node");
    sked_status rc = quarantine_in(&o, options, err);
    if (rc != SKED_OK) return rc;
    if (sked_life_node_is_out(node, now, nodes)) return SKED_OK;
    if (!node->failures || now > skedi_life_later(node->from, o.within_ns)) {
        node->from = now;
        node->failures = 0;
    }
    if (node->failures < UINT32_MAX) node->failures++;
    /* On probation, the first failure is enough. */
    int enough = node->failures >= o.failures || node->times > 0;
    if (enough && may_be_out(nodes, o.nodes_ppm)) {
        put_out(node, now, &o, nodes);
    }
    return SKED_OK;
}

void sked_life_node_succeed(sked_life_record *node)
{
    if (node && !node->out) *node = (sked_life_record){0};
}

int sked_life_node_is_out(sked_life_record *node, sked_time now,
                          sked_life_nodes *nodes)
{
    if (!node || !node->out) return 0;
    if (now < node->until) return 1;
    node->out = 0;
    if (nodes && nodes->out) nodes->out--;
    return 0;
}

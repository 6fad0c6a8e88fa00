/*
 * Is a plan of locality under fairness what its header says, and its bound
 * right? Counts everything again from the definitions and nothing else.
 */
#include "locality/fair.h"

#include <string.h>

#include "base/fail.h"
#include "base/versioned.h"

typedef struct fair_check {
    const skedi_fair_blocks *in;
    const sked_locality_fair_result *result;
    uint32_t *wants; /* by queue */
    uint32_t *runs;  /* by queue */
    uint32_t *load;  /* by host */
    uint64_t local;
    uint64_t transfers;
    uint64_t cut;
} fair_check;

static sked_status unfair(sked_error *err, const char *message, uint32_t row)
{
    return skedi_fail(err, SKED_ERR_INVALID, message,
                      (skedi_fault){.row = (int64_t)row + 1});
}

/* One block: where it runs, and whether the cut counts it. */
static sked_status check_fair_block(fair_check *c, uint32_t b, sked_error *err)
{
    const skedi_fair_blocks *in = c->in;
    const uint32_t *row = in->replica + (size_t)b * in->replicas;
    uint32_t q = fair_queue_of(in, b), h = c->result->host[b];
    int is_local = 0, outside = 0;

    for (uint32_t k = 0; k < in->replicas; k++) {
        if (row[k] == SKED_LOCALITY_NO_HOST) continue;
        is_local |= row[k] == h;
        outside |= !c->result->host_cut[row[k]];
    }
    c->cut += outside && !c->result->queue_cut[q];
    if (h == SKED_LOCALITY_NO_HOST) return SKED_OK;
    if (h >= in->hosts) return unfair(err, "a block runs on no host", b);
    c->runs[q]++;
    c->load[h]++;
    c->local += (uint64_t)is_local;
    c->transfers += (uint64_t)!is_local;
    return SKED_OK;
}

static sked_status check_fair_sums(fair_check *c, sked_error *err)
{
    const skedi_fair_blocks *in = c->in;

    for (uint32_t q = 0; q < in->queues; q++) {
        if (c->runs[q] != c->wants[q]) {
            return unfair(err, "a queue runs more or less than its share", q);
        }
        if (c->result->queue_cut[q]) c->cut += c->wants[q];
    }
    for (uint32_t h = 0; h < in->hosts; h++) {
        uint32_t slots = in->slots ? in->slots[h] : 1;
        if (c->load[h] > slots) {
            return unfair(err, "a host runs more than its slots", h);
        }
        if (c->result->host_cut[h]) c->cut += slots;
    }
    if (c->local != c->result->local || c->transfers != c->result->transfers) {
        return unfair(err, "local blocks or transfers are miscounted", 0);
    }
    if (c->cut == c->result->bound) return SKED_OK;
    return unfair(err, "the bound is not that of the cut", 0);
}

static sked_status check_fair_plan(fair_check *c, sked_error *err)
{
    sked_status rc = skedi_fair_wants(c->in, c->wants, err);

    for (uint32_t b = 0; b < c->in->blocks && rc == SKED_OK; b++) {
        rc = check_fair_block(c, b, err);
    }
    return rc == SKED_OK ? check_fair_sums(c, err) : rc;
}

sked_status sked_locality_fair_verify(const sked_locality_fair_input *input,
                                      const sked_locality_fair_result *result,
                                      const sked_host *host, sked_error *err)
{
    skedi_fair_blocks in;
    skedi_hooks hooks;
    sked_status rc = skedi_fair_take(&in, input, host, &hooks, err);

    if (rc != SKED_OK) return rc;
    rc = skedi_fair_columns(in.blocks, result, err);
    if (rc != SKED_OK) return rc;
    fair_check c = {.in = &in, .result = result};
    c.wants = skedi_new(&hooks.mem, in.queues, sizeof *c.wants);
    c.runs = skedi_new(&hooks.mem, in.queues, sizeof *c.runs);
    c.load = skedi_new(&hooks.mem, in.hosts, sizeof *c.load);
    rc = c.wants && c.runs && c.load ? check_fair_plan(&c, err)
                                     : skedi_fail_memory(err);
    skedi_free(&hooks.mem, c.wants, in.queues, sizeof *c.wants);
    skedi_free(&hooks.mem, c.runs, in.queues, sizeof *c.runs);
    skedi_free(&hooks.mem, c.load, in.hosts, sizeof *c.load);
    return rc;
}

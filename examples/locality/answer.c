/* From the table of replicas to the answer. */
#include <stdlib.h>
#include <string.h>

#include "locality.h"

static int failed(input_fault *fault, const sked_error *err, const blocks *b)
{
    char own[16];

    if (err->row >= 0 && (uint64_t)err->row < b->hosts) {
        return input_fail(fault, 0, 0, "host %.80s: %s",
                          host_name(b, (uint32_t)err->row, own), err->message);
    }
    return input_fail(fault, 0, 0, "%s", err->message);
}

/* Costs do not matter to what is exact; a search by steps goes its own way. */
static int find_joint(answer *a, const locality_options *o, sked_error *err)
{
    sked_locality_search_options search = {.struct_size = sizeof search,
                                           .compute = (uint64_t)o->compute,
                                           .transfer = (uint64_t)o->transfer};

    if (o->method == BY_AREA) search.method = SKED_LOCALITY_SEARCH_AREA;
    if (o->method == BY_FORWARD) search.method = SKED_LOCALITY_SEARCH_FORWARD;
    a->joint.struct_size = sizeof a->joint;
    return sked_locality_search(a->locality, &search, &a->joint, err) ==
           SKED_OK;
}

static int find_curve(answer *a, sked_error *err)
{
    (void)!sked_locality_curve(a->locality, NULL, 0, &a->n, NULL);
    a->curve = malloc((a->n + 1) * sizeof *a->curve);
    if (!a->curve) {
        snprintf(err->message, sizeof err->message, "does not fit in memory");
        err->row = -1;
        return 0;
    }
    return sked_locality_curve(a->locality, a->curve, a->n, &a->n, err) ==
           SKED_OK;
}

/* Fewest transfers, and of these the fewest beyond a rack. */
static int find_plan(answer *a, const blocks *b, sked_error *err)
{
    sked_locality_plan_options plan = {.struct_size = sizeof plan,
                                       .load = a->joint.point.load,
                                       .rack = b->has_racks ? b->rack : NULL,
                                       .in_rack = (int64_t)b->block.n + 1,
                                       .beyond = (int64_t)b->block.n + 2};

    a->plan.struct_size = sizeof a->plan;
    a->plan.host = malloc((size_t)b->block.n * sizeof *a->plan.host + 1);
    if (!a->plan.host) {
        snprintf(err->message, sizeof err->message, "does not fit in memory");
        err->row = -1;
        return 0;
    }
    return sked_locality_plan(a->locality, &a->in, &plan, NULL, &a->plan,
                              err) == SKED_OK;
}

static int make_all(answer *a, const blocks *b, const locality_options *o,
                    sked_error *err)
{
    sked_locality_options how = {.struct_size = sizeof how};
    static const uint8_t no_choice[] = {SKED_LOCALITY_NO_REPLICA};

    if (o->method == BY_ONLINE) how.method = SKED_LOCALITY_METHOD_ONLINE;
    if (o->method == BY_EQUILIBRIUM)
        how.method = SKED_LOCALITY_METHOD_EQUILIBRIUM;
    a->is_exact = how.method == SKED_LOCALITY_METHOD_EXACT;
    if (sked_locality_new(&a->in, &how, NULL, &a->locality, err) != SKED_OK) {
        return 0;
    }
    if (a->is_exact) {
        const uint8_t *choice = sked_locality_choice(a->locality);
        a->is_verified = sked_locality_verify(&a->in,
                                              b->block.n ? choice : no_choice,
                                              sked_locality_levels(a->locality),
                                              NULL, err) == SKED_OK;
        if (!a->is_verified) return 0;
    }
    a->is_possible = sked_locality_floor(a->locality) != SKED_UNLIMITED;
    if (!a->is_possible) return 1;
    return find_joint(a, o, err) && find_curve(a, err) &&
           (!a->is_exact || find_plan(a, b, err));
}

int answer_make(answer *a, const blocks *b, const locality_options *o,
                input_fault *fault)
{
    sked_error err;

    *a = (answer){.in = {.struct_size = sizeof a->in,
                         .blocks = b->block.n,
                         .hosts = b->hosts,
                         .replicas = b->width,
                         .replica = b->replica,
                         .ticks = b->ticks,
                         .committed = b->committed,
                         .cores = b->cores,
                         .limit = b->limit}};
    if (make_all(a, b, o, &err)) return 1;
    snprintf(fault->file, sizeof fault->file, "%s",
             o->hosts_file ? o->hosts_file
             : o->file     ? o->file
                           : "example");
    return failed(fault, &err, b);
}

void answer_free(answer *a)
{
    sked_locality_free(a->locality);
    free(a->curve);
    free(a->plan.host);
}

const char *host_name(const blocks *b, uint32_t host, char *own)
{
    if (host < b->host.n) return b->host.text[host];
    snprintf(own, 16, "#%u", host - b->host.n + 1);
    return own;
}

/* Prints the library's answers for the inputs, as text or as CSV. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../workload/print.h"
#include "balance.h"

static const char *const kind_unit[KINDS] = {"m", "B", "m"};
static const char *const kind_name[KINDS] = {"cpu", "mem_bytes", "gpu"};

static int failed(sked_status status, const sked_error *err, input_fault *fault)
{
    if (status == SKED_ERR_NOMEM) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    return input_fail(fault, 0, 0, "%s",
                      err->message[0] ? err->message
                                      : sked_status_name(status));
}

static sked_balance_input input_of(const inputs *in, const balance_options *o)
{
    sked_balance_input made = {.struct_size = sizeof made,
                               .kinds = KINDS,
                               .max_moves = o->max_moves,
                               .buckets = in->buckets,
                               .clusters = in->cluster.n,
                               .workflows = in->workflow.n,
                               .percentile_ppm = o->percentile_ppm,
                               .ceiling_ppm = o->ceiling_ppm,
                               .capacity = in->capacity,
                               .instance = in->has_instance ? in->instance
                                                            : NULL,
                               .zone = in->zone_of,
                               .usage = in->usage,
                               .tier = in->tier,
                               .home = in->home,
                               .allowed = in->allowed};

    return made;
}

/* Billionths as a percentage with two places, to the nearest. */
static void print_percent(int64_t part)
{
    int64_t hundredths = part / 100000 + (part % 100000 >= 50000);

    printf("%" PRId64 ".%02d %%", hundredths / 100, (int)(hundredths % 100));
}

static void print_objective(const char *name, const sked_balance_objective *o)
{
    printf("%-8s above the ceiling ", name);
    print_percent(o->excess);
    fputs(", in all ", stdout);
    print_percent(o->sum);
    fputc('\n', stdout);
}

/* ---- Moves ---- */

typedef struct moved {
    sked_balance_result result;
    sked_balance_move *move;
    size_t cap;
} moved;

static int make_moves(moved *m, const inputs *in, const balance_options *o,
                      input_fault *fault)
{
    sked_balance_input asked = input_of(in, o);
    sked_error err = {0};

    m->cap = in->workflow.n;
    m->move = calloc(m->cap, sizeof *m->move);
    m->result.struct_size = sizeof m->result;
    m->result.cluster = calloc(in->workflow.n, sizeof *m->result.cluster);
    m->result.utilisation = calloc(in->cluster.n,
                                   sizeof *m->result.utilisation);
    if (!m->move || !m->result.cluster || !m->result.utilisation) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    sked_status status = sked_balance(&asked, NULL, &m->result, m->move, m->cap,
                                      &err);
    return status == SKED_OK || failed(status, &err, fault);
}

static void print_moves(const moved *m, const inputs *in)
{
    printf("%u of %u workflows move between %u clusters%s\n\n", m->result.moves,
           in->workflow.n, in->cluster.n,
           m->result.complete ? "" : " (the search was ended)");
    print_objective("before", &m->result.before);
    print_objective("after", &m->result.after);
    print_objective("bound", &m->result.bound);
    if (m->result.moves) fputc('\n', stdout);
    for (uint32_t i = 0; i < m->result.moves; i++) {
        const sked_balance_move *one = &m->move[i];
        printf("%u. %s: %s (then ", i + 1, in->workflow.text[one->workflow],
               in->cluster.text[one->from]);
        print_percent(one->from_utilisation);
        printf(") -> %s (then ", in->cluster.text[one->to]);
        print_percent(one->to_utilisation);
        fputs(")\n", stdout);
    }
    fputc('\n', stdout);
    for (uint32_t c = 0; c < in->cluster.n; c++) {
        printf("%-16s ", in->cluster.text[c]);
        print_percent(m->result.utilisation[c]);
        fputc('\n', stdout);
    }
}

/* workflow,from,to: every workflow, whether it moves or not. */
static void csv_places(const inputs *in, const uint32_t *cluster)
{
    puts("workflow,from,to");
    for (uint32_t w = 0; w < in->workflow.n; w++) {
        print_field(stdout, in->workflow.text[w]);
        fputc(',', stdout);
        print_field(stdout, in->cluster.text[in->home[w]]);
        fputc(',', stdout);
        if (cluster[w] != SKED_BALANCE_NOWHERE) {
            print_field(stdout, in->cluster.text[cluster[w]]);
        }
        fputc('\n', stdout);
    }
}

int balance_run(const inputs *in, const balance_options *o, int *found,
                input_fault *fault)
{
    moved m = {0};
    int ok = make_moves(&m, in, o, fault);

    if (ok && o->csv) csv_places(in, m.result.cluster);
    if (ok && !o->csv) print_moves(&m, in);
    *found = ok && m.result.after.excess > 0;
    free(m.move);
    free(m.result.cluster);
    free(m.result.utilisation);
    return ok;
}

/* ---- Parts of a cluster ---- */

typedef struct parts {
    sked_balance_result result;
    int64_t *instances; /* parts */
    int64_t *stranded;  /* parts x KINDS */
} parts;

static int make_parts(parts *p, const inputs *in, const balance_options *o,
                      input_fault *fault)
{
    sked_balance_input asked = input_of(in, o);
    sked_error err = {0};
    size_t n = in->cluster.n;

    if (!in->has_instance) {
        return input_fail(fault, 0, 0,
                          "has no column instance_cpu, "
                          "instance_mem_bytes or instance_gpu");
    }
    p->result.struct_size = sizeof p->result;
    p->result.cluster = calloc(in->workflow.n, sizeof *p->result.cluster);
    p->instances = calloc(n, sizeof *p->instances);
    p->stranded = calloc(n * KINDS, sizeof *p->stranded);
    if (!p->result.cluster || !p->instances || !p->stranded) {
        return input_fail(fault, 0, 0, "does not fit in memory");
    }
    sked_status status = sked_balance_split(&asked, NULL, &p->result,
                                            p->instances, p->stranded, &err);
    return status == SKED_OK || failed(status, &err, fault);
}

static void print_parts(const parts *p, const inputs *in)
{
    fputs("capacity in use: ", stdout);
    print_percent(p->result.before.sum);
    fputs(" before, ", stdout);
    print_percent(p->result.after.sum);
    fputs(" after, ", stdout);
    print_percent(p->result.bound.sum);
    fputs(" at least\n\n", stdout);
    for (uint32_t c = 0; c < in->cluster.n; c++) {
        printf("%-16s %" PRId64 " instances; stranded", in->cluster.text[c],
               p->instances[c]);
        for (int k = 0; k < KINDS; k++) {
            printf(" %s ", kind_name[k]);
            print_amount(stdout, kind_unit[k],
                         p->stranded[(size_t)c * KINDS + (size_t)k]);
        }
        const char *between = "\n  ";
        for (uint32_t w = 0; w < in->workflow.n; w++) {
            if (p->result.cluster[w] != c) continue;
            printf("%s%s", between, in->workflow.text[w]);
            between = " ";
        }
        fputc('\n', stdout);
    }
}

int split_run(const inputs *in, const balance_options *o, input_fault *fault)
{
    parts p = {0};
    int ok = make_parts(&p, in, o, fault);

    if (ok && o->csv) csv_places(in, p.result.cluster);
    if (ok && !o->csv) print_parts(&p, in);
    free(p.result.cluster);
    free(p.instances);
    free(p.stranded);
    return ok;
}

/* ---- A zone that is lost ---- */

static void print_tiers(const sked_balance_evacuation *tier, const inputs *in,
                        const uint32_t *cluster)
{
    for (uint32_t t = 0; t < SKED_MAX_TIERS; t++) {
        if (tier[t].asked == 0) continue;
        printf("tier %u: %u of %u workflows have a place (at most %u could)\n",
               t + 1, tier[t].placed, tier[t].asked, tier[t].most);
    }
    fputc('\n', stdout);
    for (uint32_t w = 0; w < in->workflow.n; w++) {
        if (cluster[w] == in->home[w]) continue;
        printf("%s: %s -> %s\n", in->workflow.text[w],
               in->cluster.text[in->home[w]],
               cluster[w] == SKED_BALANCE_NOWHERE
                   ? "nowhere"
                   : in->cluster.text[cluster[w]]);
    }
}

int evacuate_run(const inputs *in, const balance_options *o, int *found,
                 input_fault *fault)
{
    static sked_balance_evacuation tier[SKED_MAX_TIERS];
    sked_balance_input asked = input_of(in, o);
    sked_error err = {0};
    uint32_t zone = names_find(&in->zone, o->zone, strlen(o->zone));
    uint32_t *cluster = calloc(in->workflow.n, sizeof *cluster);

    if (zone == NAMES_FULL) {
        free(cluster);
        return input_fail(fault, 0, 0, "no cluster is in zone %.80s", o->zone);
    }
    if (!cluster) return input_fail(fault, 0, 0, "does not fit in memory");
    sked_status status = sked_balance_evacuate(&asked, zone, NULL, cluster,
                                               tier, &err);
    int ok = status == SKED_OK || failed(status, &err, fault);
    if (ok && o->csv) csv_places(in, cluster);
    if (ok && !o->csv) print_tiers(tier, in, cluster);
    for (uint32_t t = 0; ok && t < SKED_MAX_TIERS; t++) {
        *found |= tier[t].placed < tier[t].asked;
    }
    free(cluster);
    return ok;
}

/* ---- Racks ---- */

static void print_stripes(const inputs *in, const balance_options *o,
                          const uint32_t *part, const uint32_t *reach)
{
    for (uint32_t p = 0; p < o->parts; p++) {
        uint32_t n = 0;
        for (uint32_t h = 0; h < in->workflow.n; h++) n += part[h] == p;
        printf("part %u: %u hosts, %u of %u within its racks\n", p, n, reach[p],
               in->workflow.n);
        if (n == 0) continue;
        fputc(' ', stdout);
        for (uint32_t h = 0; h < in->workflow.n; h++) {
            if (part[h] == p) printf(" %s", in->workflow.text[h]);
        }
        fputc('\n', stdout);
    }
}

static void csv_stripes(const inputs *in, const uint32_t *part)
{
    puts("host,rack,part");
    for (uint32_t h = 0; h < in->workflow.n; h++) {
        print_field(stdout, in->workflow.text[h]);
        fputc(',', stdout);
        print_field(stdout, in->rack.text[in->rack_of[h]]);
        printf(",%u\n", part[h]);
    }
}

int stripe_run(const inputs *in, const balance_options *o, input_fault *fault)
{
    sked_error err = {0};
    uint32_t *part = calloc(in->workflow.n, sizeof *part);
    uint32_t *reach = calloc(o->parts, sizeof *reach);
    int ok = part && reach;

    if (!ok) (void)input_fail(fault, 0, 0, "does not fit in memory");
    if (ok) {
        sked_status status = sked_route_stripe(
            in->rack_of, in->workflow.n, o->parts, NULL, part, reach, &err);
        ok = status == SKED_OK || failed(status, &err, fault);
    }
    if (ok && o->csv) csv_stripes(in, part);
    if (ok && !o->csv) print_stripes(in, o, part, reach);
    free(part);
    free(reach);
    return ok;
}

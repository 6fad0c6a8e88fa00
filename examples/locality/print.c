/* The answer: for a person, as JSON, as CSV, as a picture. */
#include <stdlib.h>
#include <string.h>

#include "../workload/print.h"
#include "../workload/wide.h"
#include "locality.h"

/* Prints a cost, a whole number of 10^-decimals, as a decimal number without
 * zeros at the end. */
static void print_cost(FILE *file, sked_wide cost, int decimals)
{
    char digits[WIDE_TEXT], text[2 * WIDE_TEXT];
    size_t length = strlen(wide_text(wide_of(cost.low, cost.high), digits));
    size_t after = (size_t)decimals, zeros = 0;

    if (length <= after) zeros = after + 1 - length;
    memset(text, '0', zeros);
    memcpy(text + zeros, digits, length + 1);
    length += zeros;
    fprintf(file, "%.*s", (int)(length - after), text);
    while (after > 0 && text[length - 1] == '0') {
        length--;
        after--;
    }
    if (after > 0) {
        fprintf(file, ".%.*s", (int)after, text + length - after);
    }
}

/* ---- For a person ---- */

/* The load to explain: the cheapest load. If the cheapest load needs no
 * avoidable transfer, the load is one less. */
static int64_t explained_load(const answer *a)
{
    int64_t load = a->joint.point.load;

    if (a->joint.point.transfers > sked_locality_unplaced(a->locality)) {
        return load;
    }
    return load > 0 ? load - 1 : 0;
}

static void print_bottleneck(FILE *file, const answer *a, const blocks *b)
{
    int64_t load = explained_load(a);
    uint64_t m = sked_locality_transfers(a->locality, load), held;
    uint32_t *hosts = malloc((size_t)b->hosts * sizeof *hosts);
    size_t n;
    char own[16];

    if (hosts && sked_locality_bottleneck(a->locality, load, hosts, b->hosts,
                                          &n, &held, NULL) == SKED_OK) {
        fprintf(file,
                "\nwhy: %zu hosts hold %llu blocks that lie nowhere else; by "
                "%lld they end %llu,\nso %llu must be transferred:",
                n, (unsigned long long)held, (long long)load,
                (unsigned long long)(held - m), (unsigned long long)m);
        for (size_t i = 0; i < n && i < 10; i++) {
            fprintf(file, " %s", host_name(b, hosts[i], own));
        }
        fprintf(file, "%s\n", n > 10 ? " ..." : n ? "" : " none");
    }
    free(hosts);
}

/* The ends of a long curve, and what is around the chosen point. */
static int is_shown(const answer *a, size_t i, size_t chosen)
{
    return i < 3 || i + 3 > a->n || (i + 3 > chosen && i < chosen + 3);
}

static void print_curve(FILE *file, const answer *a, const locality_options *o)
{
    size_t chosen = 0;
    int left_out = 0;

    while (chosen < a->n && a->curve[chosen].load != a->joint.point.load) {
        chosen++;
    }
    fprintf(file, "\n%12s %12s\n", "load", "transfers");
    for (size_t i = 0; i < a->n; i++) {
        if (!is_shown(a, i, chosen)) {
            if (!left_out) fprintf(file, "%12s\n", "...");
            left_out = 1;
            continue;
        }
        left_out = 0;
        fprintf(file, "%12lld %12llu", (long long)a->curve[i].load,
                (unsigned long long)a->curve[i].transfers);
        if (i == chosen) {
            fputs("  <- cheapest: ", file);
            print_cost(file, a->joint.cost, o->decimals);
        }
        fputc('\n', file);
    }
}

void answer_print(FILE *file, const answer *a, const blocks *b,
                  const locality_options *o)
{
    uint64_t lost = sked_locality_unplaced(a->locality);

    fprintf(file, "%u blocks, %u hosts, %llu replicas\n", b->block.n, b->hosts,
            (unsigned long long)b->replicas);
    if (lost) {
        fprintf(file, "%llu blocks have no replica that a host can serve\n",
                (unsigned long long)lost);
    }
    if (!a->is_possible) {
        fputs("the quotas leave fewer places than blocks\n", file);
        return;
    }
    fprintf(file, "least load: %lld%s\n",
            (long long)sked_locality_least_load(a->locality),
            a->is_verified ? ", proved" : "");
    print_curve(file, a, o);
    if (a->is_exact && b->has_racks) {
        fprintf(file, "\nof %llu transfers %llu stay in a rack\n",
                (unsigned long long)(a->plan.in_rack + a->plan.beyond),
                (unsigned long long)a->plan.in_rack);
    }
    if (o->explain && a->is_exact) print_bottleneck(file, a, b);
}

/* ---- JSON ---- */

static void json_joint(FILE *file, const answer *a, const locality_options *o)
{
    if (!a->is_possible) {
        fputs("\"least_load\":null,\"transfers_at_least_load\":null,"
              "\"joint\":null",
              file);
        return;
    }
    int64_t least = sked_locality_least_load(a->locality);
    fprintf(file,
            "\"least_load\":%lld,\"transfers_at_least_load\":%llu,"
            "\"joint\":{\"load\":%lld,\"transfers\":%llu,\"cost\":",
            (long long)least,
            (unsigned long long)sked_locality_transfers(a->locality, least),
            (long long)a->joint.point.load,
            (unsigned long long)a->joint.point.transfers);
    print_cost(file, a->joint.cost, o->decimals);
    fputc('}', file);
}

static void json_explained(FILE *file, const answer *a, const blocks *b)
{
    int64_t load = explained_load(a);
    uint32_t *hosts = malloc((size_t)b->hosts * sizeof *hosts);
    uint64_t held = 0;
    size_t n = 0;
    char own[16];

    if (hosts && sked_locality_bottleneck(a->locality, load, hosts, b->hosts,
                                          &n, &held, NULL) == SKED_OK) {
        fprintf(file, ",\"bottleneck\":{\"load\":%lld,\"blocks\":%llu,",
                (long long)load, (unsigned long long)held);
        fputs("\"hosts\":[", file);
        for (size_t i = 0; i < n; i++) {
            if (i) fputc(',', file);
            print_string(file, host_name(b, hosts[i], own));
        }
        fputs("]}", file);
    }
    free(hosts);
}

void answer_json(FILE *file, const answer *a, const blocks *b,
                 const locality_options *o)
{
    const int64_t *level = sked_locality_levels(a->locality);
    char own[16];

    fprintf(file, "{\"blocks\":%u,\"hosts\":%u,\"replicas\":%llu,", b->block.n,
            b->hosts, (unsigned long long)b->replicas);
    json_joint(file, a, o);
    fputs(",\"curve\":[", file);
    for (size_t i = 0; i < a->n; i++) {
        fprintf(file, "%s[%lld,%llu]", i ? "," : "",
                (long long)a->curve[i].load,
                (unsigned long long)a->curve[i].transfers);
    }
    fputs("],\"certificate\":{\"levels\":[", file);
    for (uint32_t h = 0; level && h < b->hosts; h++) {
        fprintf(file, "%s%lld", h ? "," : "", (long long)level[h]);
    }
    fputs("],\"hosts\":[", file);
    for (uint32_t h = 0; level && h < b->hosts; h++) {
        if (h) fputc(',', file);
        print_string(file, host_name(b, h, own));
    }
    fprintf(file, "]},\"verified\":%s", a->is_verified ? "true" : "false");
    fprintf(file, ",\"unplaced\":%llu",
            (unsigned long long)sked_locality_unplaced(a->locality));
    if (a->is_exact && a->is_possible) {
        fprintf(file,
                ",\"plan\":{\"local\":%llu,\"in_rack\":%llu,\"beyond\":%llu}",
                (unsigned long long)a->plan.local,
                (unsigned long long)a->plan.in_rack,
                (unsigned long long)a->plan.beyond);
        if (o->explain) json_explained(file, a, b);
    }
    fputs("}\n", file);
}

/* ---- CSV ---- */

/* True if the host is among a block's replicas. */
static int holds(const blocks *b, uint32_t block, uint32_t host)
{
    const uint32_t *row = b->replica + (size_t)block * b->width;

    for (uint32_t k = 0; k < b->width; k++) {
        if (row[k] == host) return 1;
    }
    return 0;
}

void answer_assign(FILE *file, const answer *a, const blocks *b)
{
    const uint8_t *choice = sked_locality_choice(a->locality);
    char own[16];

    fputs("block,host,transfer\n", file);
    for (uint32_t i = 0; i < b->block.n; i++) {
        uint32_t host = SKED_LOCALITY_NO_HOST;
        if (a->plan.host) {
            host = a->plan.host[i];
        } else if (choice[i] != SKED_LOCALITY_NO_REPLICA) {
            host = b->replica[(size_t)i * b->width + choice[i]];
        }
        print_field(file, b->block.text[i]);
        fputc(',', file);
        if (host != SKED_LOCALITY_NO_HOST)
            print_field(file, host_name(b, host, own));
        fprintf(file, ",%d\n",
                host == SKED_LOCALITY_NO_HOST || !holds(b, i, host));
    }
}

/* ---- SVG: what is chosen is said above, clear of the curve ---- */

enum { LEFT = 90, TOP = 40, WIDE = 560, HIGH = 320 };

typedef struct plot_scale {
    int64_t from;
    int64_t to;
    uint64_t most;
} plot_scale;

static double plot_x(const plot_scale *s, int64_t load)
{
    int64_t span = s->to > s->from ? s->to - s->from : 1;

    return LEFT + WIDE * ((double)(load - s->from) / (double)span);
}

static double plot_y(const plot_scale *s, uint64_t transfers)
{
    uint64_t most = s->most ? s->most : 1;

    return TOP + HIGH - HIGH * ((double)transfers / (double)most);
}

static void plot_axes(FILE *file, const plot_scale *s)
{
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
            "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
            "<path d=\"M%d %dv%dh%d\" stroke=\"black\" fill=\"none\"/>\n"
            "<text x=\"%d\" y=\"%d\">transfers</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">load of the last "
            "host</text>\n",
            LEFT + WIDE + 60, TOP + HIGH + 60, LEFT, TOP, HIGH, WIDE, LEFT,
            TOP - 14, LEFT + WIDE, TOP + HIGH + 44);
    for (uint64_t i = 0, last = UINT64_MAX; i <= 4; i++) {
        uint64_t m = s->most / 4 * i + s->most % 4 * i / 4;
        if (m == last) continue;
        last = m;
        fprintf(file,
                "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%llu</text>\n",
                LEFT - 8, plot_y(s, m) + 4, (unsigned long long)m);
    }
    for (int64_t i = 0, last = -1; i <= 4; i++) {
        int64_t span = s->to - s->from;
        int64_t load = s->from + span / 4 * i + span % 4 * i / 4;
        if (load == last) continue;
        last = load;
        fprintf(
            file,
            "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%lld</text>\n",
            plot_x(s, load), TOP + HIGH + 18, (long long)load);
    }
}

/* A load with as many transfers as the load before is drawn as a step; points
 * closer than half a pixel are left out. */
static void plot_curve(FILE *file, const answer *a, const plot_scale *s)
{
    double last = -1;

    fprintf(file, "<path fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2\" "
                  "d=\"");
    for (size_t i = 0; i < a->n; i++) {
        double x = plot_x(s, a->curve[i].load);
        if (i > 0 && i + 1 < a->n && x < last + 0.5) continue;
        last = x;
        if (i == 0) {
            fprintf(file, "M%.2f %.2f", x, plot_y(s, a->curve[i].transfers));
        } else {
            fprintf(file, "H%.2fV%.2f", x, plot_y(s, a->curve[i].transfers));
        }
    }
    fputs("\"/>\n", file);
}

void answer_plot(FILE *file, const answer *a, const locality_options *o)
{
    plot_scale s = {0, 1, 1};

    if (a->n) {
        s = (plot_scale){a->curve[0].load, a->curve[a->n - 1].load,
                         a->curve[0].transfers};
    }
    plot_axes(file, &s);
    if (a->n) {
        double x = plot_x(&s, a->joint.point.load);
        double y = plot_y(&s, a->joint.point.transfers);
        plot_curve(file, a, &s);
        fprintf(file,
                "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"5\" fill=\"#d55e00\"/>\n"
                "<text x=\"%d\" y=\"%d\" text-anchor=\"end\" "
                "fill=\"#b34700\">load %lld, %llu transfers, cost ",
                x, y, LEFT + WIDE, TOP - 14, (long long)a->joint.point.load,
                (unsigned long long)a->joint.point.transfers);
        print_cost(file, a->joint.cost, o->decimals);
        fputs("</text>\n", file);
    }
    fputs("</svg>\n", file);
}

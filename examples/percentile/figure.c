/*
 * The bundled units: a month of three queues. The first queue repeats the
 * example of the percentile algorithm: in use for 240 of 720 hours, in five
 * spans. The four smaller spans have 228 hours, 95 per cent.
 */
#include <stdlib.h>
#include <string.h>

#include "percentile.h"

const char bundled_units[] = "key,length_s,amount\n"
                             "ads.etl.tier1,360000,3\n"
                             "ads.etl.tier1,720000,0\n"
                             "ads.etl.tier1,64800,12\n"
                             "ads.etl.tier1,576000,0\n"
                             "ads.etl.tier1,180000,5\n"
                             "ads.etl.tier1,43200,20\n"
                             "ads.etl.tier1,432000,0\n"
                             "ads.etl.tier1,216000,8\n"
                             "ads.report.tier2,432000,4\n"
                             "ads.report.tier2,360000,0\n"
                             "ads.report.tier2,540000,6\n"
                             "ads.report.tier2,72000,15\n"
                             "ads.report.tier2,792000,0\n"
                             "ads.report.tier2,396000,9\n"
                             "search.adhoc.default,864000,6\n"
                             "search.adhoc.default,108000,14\n"
                             "search.adhoc.default,900000,7\n"
                             "search.adhoc.default,216000,3\n"
                             "search.adhoc.default,504000,9\n";

uint32_t bundled_tier(const char *key)
{
    if (strstr(key, ".tier1")) return 1;
    return strstr(key, ".tier2") ? 2 : 3;
}

typedef struct span {
    uint32_t tu;
    int64_t hours;
    int64_t amount;
} span;

static int by_amount(const void *a, const void *b)
{
    const span *x = a, *y = b;

    return (x->amount > y->amount) - (x->amount < y->amount);
}

/* Left: the spans in order of time. Right: the spans in use, sorted and
 * summed. */
void figure_print(FILE *file, const result *r)
{
    span left[16], right[16];
    uint32_t n = 0, used = 0;
    int64_t sum = 0;

    for (uint32_t i = 0; i < r->in.n && n < 16; i++) {
        if (r->in.key[i] != 0) continue;
        left[n] = (span){n, (r->in.end[i] - r->in.start[i]) / 3600000000000,
                         r->in.amount[(size_t)i * KINDS] / 1000};
        if (left[n].amount) right[used++] = left[n];
        n++;
    }
    qsort(right, used, sizeof *right, by_amount);
    fprintf(file,
            "%s: a month as time units, and those in use by instances\n\n"
            "  unit  hours  instances      unit  hours  instances  sum of "
            "hours\n",
            r->in.keys.text[0]);
    for (uint32_t i = 0; i < n; i++) {
        fprintf(file, "  tu%-3u %5lld %10lld", left[i].tu,
                (long long)left[i].hours, (long long)left[i].amount);
        if (i < used) {
            int64_t total = r->row[0].total.in_use / 3600000000000;
            sum += right[i].hours;
            fprintf(file, "      tu%-3u %5lld %10lld  %6lld = %5.1f %%",
                    right[i].tu, (long long)right[i].hours,
                    (long long)right[i].amount, (long long)sum,
                    100.0 * (double)sum / (double)total);
        }
        fputc('\n', file);
    }
    fputs("\n95 % of the time in use are covered by tu0, tu4, tu7 and tu2: 12 "
          "instances.\nThe 20 of tu5 would stand idle for all but 5 % of "
          "it.\n\n",
          file);
}

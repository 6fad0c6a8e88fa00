/*
 * Numbers of the text form: whole, durations and ratios.
 *
 * Durations and ratios are a decimal times a unit and must come out whole:
 * 0.5s is 500000000 ns, while 0.3333333 is no number of parts per million and
 * is refused rather than rounded.
 */
#include "tree/text/value.h"

typedef struct duration_unit {
    char name[4];
    uint64_t ns;
} duration_unit;

/* Largest first: writing takes the first that divides. */
static const duration_unit duration_units[] = {
    {"d", UINT64_C(86400000000000)},
    {"h", UINT64_C(3600000000000)},
    {"m", UINT64_C(60000000000)},
    {"s", UINT64_C(1000000000)},
    {"ms", 1000000},
    {"us", 1000},
    {"ns", 1},
};

enum {
    DURATION_UNITS = sizeof duration_units / sizeof *duration_units,
    SECONDS = 3, /* the unit of nothing at all: 0s */
    PERCENT = 10000
};

sked_status skedi_value_int(const char *text, size_t n, int64_t *value)
{
    skedi_reader r = skedi_read_from(text, n);
    uint64_t size;

    int minus = skedi_read_char(&r, '-');
    sked_status rc = skedi_read_u64(&r, &size);
    if (rc != SKED_OK) return rc;
    if (r.at != r.end) return SKED_ERR_SYNTAX;
    if (size > INT64_MAX) return SKED_ERR_RANGE;
    *value = minus ? -(int64_t)size : (int64_t)size;
    return SKED_OK;
}

/* Which unit the rest of the text is; DURATION_UNITS: none. */
static int unit_here(skedi_reader *r)
{
    int i = 0;

    for (; i < DURATION_UNITS; i++) {
        skedi_reader to = *r;
        if (!skedi_read_word(&to, duration_units[i].name)) continue;
        if (to.at == to.end) break;
    }
    return i;
}

sked_status skedi_value_duration(const char *text, size_t n, int64_t *ns)
{
    skedi_reader r = skedi_read_from(text, n);
    skedi_decimal x;
    uint64_t sum = 0;

    sked_status rc = skedi_read_decimal(&r, &x);
    if (rc != SKED_OK) return rc;
    int unit = unit_here(&r);
    if (unit < DURATION_UNITS) {
        rc = skedi_decimal_times(x, duration_units[unit].ns, SKEDI_EXACT,
                                 INT64_MAX - 1, &sum);
    } else if (n != 1 || *text != '0') {
        rc = SKED_ERR_SYNTAX;
    }
    if (rc == SKED_OK) *ns = (int64_t)sum;
    return rc;
}

void skedi_write_duration(skedi_writer *w, int64_t ns)
{
    int unit = ns == 0 ? SECONDS : 0;

    while ((uint64_t)ns % duration_units[unit].ns != 0) unit++;
    skedi_write_u64(w, (uint64_t)ns / duration_units[unit].ns);
    skedi_write_text(w, duration_units[unit].name);
}

sked_status skedi_value_ratio(const char *text, size_t n, int64_t *ppm)
{
    skedi_reader r = skedi_read_from(text, n);
    skedi_decimal x;
    uint64_t sum;

    sked_status rc = skedi_read_decimal(&r, &x);
    if (rc != SKED_OK) return rc;
    uint64_t scale = skedi_read_char(&r, '%') ? PERCENT : SKED_PPM;
    if (r.at != r.end) return SKED_ERR_SYNTAX;
    rc = skedi_decimal_times(x, scale, SKEDI_EXACT, INT64_MAX - 1, &sum);
    if (rc == SKED_OK) *ppm = (int64_t)sum;
    return rc;
}

void skedi_write_ratio(skedi_writer *w, int64_t ppm)
{
    skedi_write_decimal(w, (uint64_t)ppm / PERCENT, (uint64_t)ppm % PERCENT, 4);
    skedi_write_char(w, '%');
}

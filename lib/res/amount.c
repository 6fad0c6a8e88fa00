/*
 * One amount in text. Reading is exact: digits and suffix become a fraction of
 * the unit, and a remainder is refused or rounded as requested. Writing tries
 * every form and keeps the shortest; the plain form comes first.
 */
#include "res/amount.h"

#include <string.h>

#include "base/arith.h"
#include "base/fail.h"

static const char prefixes[] = "KMGTPE";

#define UNLIMITED_WORD "unlimited"

/* 1000^exponent or 1024^exponent; exponent from 0 to 6. */
static uint64_t prefix_scale(uint32_t exponent, int binary)
{
    uint64_t scale = 1;

    while (exponent-- > 0) scale *= binary ? 1024 : 1000;
    return scale;
}

/* Passes K, Ki, M ... and returns the factor. */
static uint64_t pass_prefix(skedi_reader *r)
{
    if (skedi_read_char(r, 'k')) return 1000;
    for (uint32_t e = 0; prefixes[e]; e++) {
        if (skedi_read_char(r, prefixes[e])) {
            return prefix_scale(e + 1, skedi_read_char(r, 'i'));
        }
    }
    return 1;
}

/* x * 1000, exactly. Returns 0 if the product does not fit; the product is then
 * too large for an amount. */
static int times_thousand(skedi_decimal *x)
{
    uint64_t whole, part = x->part, rem = 0;

    for (; x->places < 3; x->places++) part *= 10;
    x->places -= 3;
    uint64_t up = skedi_power_of_ten(x->places);
    if (x->whole > UINT64_MAX / 1000 - 1) return 0;
    whole = x->whole * 1000 + part / up;
    rem = part % up;
    x->whole = whole;
    x->part = rem;
    return 1;
}

/* Passes a suffix and turns `x`, the number before the suffix, into units. */
static sked_status pass_suffix(skedi_reader *r, skedi_unit unit,
                               skedi_decimal x, int rounding, uint64_t *units)
{
    const uint64_t most = (uint64_t)SKED_AMOUNT_MAX;

    if (unit == SKEDI_MILLI && skedi_read_char(r, 'm')) {
        return skedi_decimal_times(x, 1, rounding, most, units);
    }
    uint64_t scale = pass_prefix(r);
    if (unit == SKEDI_BYTES) (void)skedi_read_char(r, 'B');
    if (unit == SKEDI_MILLI && !times_thousand(&x)) return SKED_ERR_RANGE;
    return skedi_decimal_times(x, scale, rounding, most, units);
}

static sked_status refuse(sked_status rc, const char *reason, const char **why)
{
    *why = reason;
    return rc;
}

/* Why `x` with the suffix at `r` is out of range. */
static const char *range_reason(skedi_unit unit, skedi_decimal x,
                                skedi_reader r)
{
    uint64_t units;

    if (x.more) return "too many decimals";
    if (pass_suffix(&r, unit, x, SKED_ROUNDING_DOWN, &units) == SKED_OK) {
        return "finer than the unit";
    }
    return "above 2^62 units";
}

sked_status skedi_amount_read(skedi_reader *r, skedi_unit unit, int rounding,
                              int64_t *amount, const char **why)
{
    skedi_decimal x;
    skedi_reader to = *r;
    uint64_t units = 0;

    if (skedi_read_word(r, UNLIMITED_WORD)) {
        *amount = SKED_UNLIMITED;
        return SKED_OK;
    }
    if (skedi_read_peek(r) == '-') {
        return refuse(SKED_ERR_RANGE, "negative", why);
    }
    sked_status rc = skedi_read_decimal(&to, &x);
    if (rc == SKED_ERR_RANGE) return refuse(rc, "above 2^62 units", why);
    if (rc != SKED_OK) return refuse(rc, "number expected", why);

    skedi_reader suffix = to;
    rc = pass_suffix(&to, unit, x, rounding, &units);
    if (rc != SKED_OK) return refuse(rc, range_reason(unit, x, suffix), why);
    *r = to;
    *amount = (int64_t)units;
    return SKED_OK;
}

/* A text under construction: the shortest text until now; n 0: none yet. */
typedef struct shortest {
    char text[SKED_AMOUNT_TEXT_MAX];
    size_t n;
} shortest;

/* Keeps the text of `units` / `scale` and a suffix, if at most three decimals
 * are exact and the text is shorter. */
static void try_form(shortest *best, uint64_t units, uint64_t scale,
                     const char *suffix)
{
    char text[SKED_AMOUNT_TEXT_MAX];
    skedi_writer w = {text, sizeof text, 0};
    uint64_t rem;

    uint64_t part = skedi_muldiv(units % scale, 1000, scale, &rem);
    if (rem != 0) return;
    skedi_write_decimal(&w, units / scale, part, 3);
    skedi_write_text(&w, suffix);
    if (best->n > 0 && w.n >= best->n) return;
    memcpy(best->text, text, w.n);
    best->n = w.n;
}

static void try_prefixes(shortest *best, uint64_t units, int binary)
{
    for (uint32_t e = 0; prefixes[e]; e++) {
        const char with_i[] = {prefixes[e], 'i', 'B', 0};
        const char without[] = {prefixes[e], 'B', 0};
        try_form(best, units, prefix_scale(e + 1, binary),
                 binary ? with_i : without);
    }
}

void skedi_amount_write(skedi_writer *w, skedi_unit unit, int64_t amount,
                        int form)
{
    uint64_t units = (uint64_t)amount;
    shortest best = {.n = 0};

    if (amount == SKED_UNLIMITED) {
        skedi_write_text(w, UNLIMITED_WORD);
        return;
    }
    if (form == SKED_FORM_LOG) {
        skedi_write_u64(w, units);
        if (unit == SKEDI_MILLI) skedi_write_char(w, 'm');
        return;
    }
    try_form(&best, units, unit == SKEDI_MILLI ? 1000 : 1, "");
    if (unit == SKEDI_MILLI) try_form(&best, units, 1, "m");
    if (unit == SKEDI_BYTES) {
        try_prefixes(&best, units, 1);
        try_prefixes(&best, units, 0);
    }
    skedi_write_bytes(w, best.text, best.n);
}

sked_status sked_amount_parse(const char *unit, const char *text, size_t length,
                              int32_t rounding, int64_t *amount,
                              sked_error *err)
{
    skedi_unit kind;
    const char *why = "nothing may stand behind an amount";
    int64_t found;

    if (!unit) return skedi_fail_null(err, "unit");
    if (!text) return skedi_fail_null(err, "text");
    if (!amount) return skedi_fail_null(err, "amount");
    if (!skedi_unit_of(unit, &kind)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "unit is none of m, B, 1");
    }
    if (!skedi_is_rounding(rounding)) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "no such rounding");
    }
    skedi_reader r = skedi_read_from(text, length);
    sked_status rc = skedi_amount_read(&r, kind, rounding, &found, &why);
    if (rc == SKED_OK && r.at < r.end) rc = SKED_ERR_SYNTAX;
    if (rc != SKED_OK) {
        return skedi_fail(
            err, rc, why,
            (skedi_fault){.line = 1, .column = skedi_read_column(&r, r.at)});
    }
    *amount = found;
    return SKED_OK;
}

sked_status sked_amount_format(const char *unit, int64_t amount, int32_t form,
                               char *text)
{
    skedi_unit kind;
    skedi_writer w = {text, SKED_AMOUNT_TEXT_MAX, 0};

    if (!unit || !text || !skedi_unit_of(unit, &kind) ||
        (form != SKED_FORM_SHORT && form != SKED_FORM_LOG)) {
        return SKED_ERR_ARG;
    }
    if (!skedi_is_amount(amount)) return SKED_ERR_RANGE;
    skedi_amount_write(&w, kind, amount, form);
    return skedi_write_end(&w);
}

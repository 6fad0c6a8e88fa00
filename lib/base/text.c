/*
 * Reads and writes numbers in text without the C library, whose results depend
 * on the locale. A reader never passes its end and needs no NUL. A writer
 * continues to count after its memory is full, hence a single pass yields the
 * size.
 */
#include "base/text.h"

#include <string.h>

#include "base/arith.h"

enum { DECIMAL_PLACES = 18 };

skedi_reader skedi_read_from(const char *text, size_t length)
{
    return (skedi_reader){text, text + length, text, 1};
}

int skedi_read_peek(const skedi_reader *r)
{
    return r->at < r->end ? (unsigned char)*r->at : -1;
}

void skedi_read_blanks(skedi_reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t')) r->at++;
}

int skedi_read_char(skedi_reader *r, char c)
{
    if (r->at == r->end || *r->at != c) return 0;
    r->at++;
    return 1;
}

int skedi_read_word(skedi_reader *r, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0) return 0;
    r->at += n;
    return 1;
}

uint32_t skedi_read_column(const skedi_reader *r, const char *at)
{
    return (uint32_t)(at - r->line_start) + 1;
}

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* Sets x to x * 10 + digit. Returns 0 if the result is 2^64 or above. */
static int push_digit(uint64_t *x, int digit)
{
    if (*x > UINT64_MAX / 10) return 0;
    uint64_t next = *x * 10 + (uint64_t)(digit - '0');
    if (next < *x) return 0;
    *x = next;
    return 1;
}

sked_status skedi_read_u64(skedi_reader *r, uint64_t *x)
{
    skedi_reader to = *r;
    uint64_t value = 0;

    if (!is_digit(skedi_read_peek(&to))) return SKED_ERR_SYNTAX;
    for (; is_digit(skedi_read_peek(&to)); to.at++) {
        if (!push_digit(&value, *to.at)) return SKED_ERR_RANGE;
    }
    *r = to;
    *x = value;
    return SKED_OK;
}

sked_status skedi_read_decimal(skedi_reader *r, skedi_decimal *x)
{
    skedi_reader to = *r;
    skedi_decimal value = {0, 0, 0, 0};

    sked_status rc = skedi_read_u64(&to, &value.whole);
    if (rc != SKED_OK) return rc;
    if (skedi_read_char(&to, '.')) {
        if (!is_digit(skedi_read_peek(&to))) return SKED_ERR_SYNTAX;
        for (; is_digit(skedi_read_peek(&to)); to.at++) {
            if (value.places == DECIMAL_PLACES) {
                value.more |= *to.at != '0';
                continue;
            }
            (void)push_digit(&value.part, *to.at); /* 18 digits always fit */
            value.places++;
        }
    }
    *r = to;
    *x = value;
    return SKED_OK;
}

uint64_t skedi_power_of_ten(uint32_t exponent)
{
    uint64_t power = 1;

    while (exponent-- > 0) power *= 10;
    return power;
}

sked_status skedi_decimal_times(skedi_decimal x, uint64_t scale, int mode,
                                uint64_t most, uint64_t *out)
{
    uint64_t rem, den = skedi_power_of_ten(x.places);
    skedi_u128 whole = skedi_u128_mul(x.whole, scale);

    uint64_t part = skedi_muldiv(x.part, scale, den, &rem);
    if (mode == SKEDI_EXACT && (rem > 0 || x.more)) return SKED_ERR_RANGE;
    /* The digits that were cut off cannot reach the next half if each half is a
     * whole number of units in the last place. */
    if (x.more && den % (2 * scale) != 0) return SKED_ERR_RANGE;
    part += (uint64_t)(skedi_rounds_up(rem, den, mode) ||
                       (mode == SKEDI_UP && x.more));
    skedi_u128 sum = skedi_u128_add(whole, skedi_u128_of(part));
    if (skedi_u128_cmp(sum, skedi_u128_of(most)) > 0) return SKED_ERR_RANGE;
    *out = skedi_u128_low(sum);
    return SKED_OK;
}

void skedi_write_bytes(skedi_writer *w, const char *bytes, size_t n)
{
    if (w->n < w->cap) {
        size_t left = w->cap - w->n;
        memcpy(w->text + w->n, bytes, n < left ? n : left);
    }
    w->n += n;
}

void skedi_write_char(skedi_writer *w, char c)
{
    skedi_write_bytes(w, &c, 1);
}

void skedi_write_text(skedi_writer *w, const char *text)
{
    skedi_write_bytes(w, text, strlen(text));
}

void skedi_write_u64(skedi_writer *w, uint64_t x)
{
    char digits[20];
    size_t at = sizeof digits;

    do {
        digits[--at] = (char)('0' + x % 10);
        x /= 10;
    } while (x > 0);
    skedi_write_bytes(w, digits + at, sizeof digits - at);
}

void skedi_write_i64(skedi_writer *w, int64_t x)
{
    if (x < 0) skedi_write_char(w, '-');
    skedi_write_u64(w, x < 0 ? 0 - (uint64_t)x : (uint64_t)x);
}

void skedi_write_decimal(skedi_writer *w, uint64_t whole, uint64_t part,
                         uint32_t places)
{
    uint64_t den = skedi_power_of_ten(places);

    skedi_write_u64(w, whole);
    if (part > 0) skedi_write_char(w, '.');
    while (part > 0) {
        den /= 10;
        skedi_write_char(w, (char)('0' + part / den));
        part %= den;
    }
}

sked_status skedi_write_end(skedi_writer *w)
{
    if (w->n >= w->cap) {
        if (w->cap > 0) w->text[w->cap - 1] = 0;
        return SKED_ERR_RANGE;
    }
    w->text[w->n] = 0;
    return SKED_OK;
}

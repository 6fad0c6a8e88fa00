/*
 * The nodes that a job may use: the attributes in --nodes, and rules over
 * attributes in the column `needs`.
 *
 * The library stores a whole number under one key and any other value under a
 * second key. '=' therefore means the same text, '<' and '>' compare numbers,
 * and a number is never compared with a text.
 */
#include <stdlib.h>
#include <string.h>

#include "replay.h"

enum { RULES_DEEP = 64, RULES_DIGITS = 18, RULES_LONG = 1000 };

static const char signs[] = " \t&|()=!<>";

/* ---- Keys and values ---- */

/* The key of the library for numbers, or texts, of a key. */
static uint64_t key_of(uint32_t key, int is_number)
{
    return (uint64_t)key * 2 + 1 + (uint64_t)is_number;
}

static int is_whole(const char *text, size_t length, int64_t *number)
{
    int negative = length > 0 && *text == '-';
    size_t at = (size_t)negative;

    *number = 0;
    if (at == length || length - at > RULES_DIGITS) return 0;
    for (; at < length; at++) {
        if (text[at] < '0' || text[at] > '9') return 0;
        *number = *number * 10 + (text[at] - '0');
    }
    /* "07" and "-0" are texts: their numbers are written otherwise */
    if (text[negative] == '0' && length > 1) return 0;
    if (negative) *number = -*number;
    return 1;
}

/* ---- Attributes of nodes ---- */

static int push_attribute(replay_rules *r, sked_rule_attribute one)
{
    if (r->n_attributes == r->attributes_cap) {
        size_t cap = r->attributes_cap * 2 + 64;
        sked_rule_attribute *more = realloc(r->attributes, cap * sizeof *more);
        if (!more) return 0;
        r->attributes = more;
        r->attributes_cap = cap;
    }
    r->attributes[r->n_attributes++] = one;
    return 1;
}

/* "key=value". */
static int read_attribute(replay_rules *r, const char *word, size_t length,
                          input_fault *fault)
{
    size_t key = 0;
    int64_t number;

    while (key < length && !strchr(signs, word[key])) key++;
    size_t value = key + 1;
    while (value < length && !strchr(signs, word[value])) value++;
    if (length > RULES_LONG) {
        return input_fail(fault, 0, 0, "an attribute of more than %d bytes",
                          RULES_LONG);
    }
    if (key == 0 || value != length || word[key] != '=' || value == key + 1) {
        return input_fail(fault, 0, 0, "%.*s is not \"key=value\"",
                          (int)(length < 100 ? length : 100), word);
    }
    const char *text = word + key + 1;
    uint32_t name = names_number(&r->keys, word, key), known = 0;
    int whole = is_whole(text, length - key - 1, &number);
    if (!whole) {
        known = names_number(&r->values, text, length - key - 1);
        number = known;
    }
    if (name == NAMES_FULL || known == NAMES_FULL) return fault_memory(fault);
    return push_attribute(r,
                          (sked_rule_attribute){key_of(name, whole), number}) ||
           fault_memory(fault);
}

static int read_attributes(replay_rules *r, const char *text,
                           input_fault *fault)
{
    size_t first = r->n_attributes;

    while (text && *(text += strspn(text, " \t"))) {
        size_t length = strcspn(text, " \t");
        if (!read_attribute(r, text, length, fault)) return 0;
        text += length;
    }
    if (r->n_attributes - first <= SKED_MAX_RULE_ATTRIBUTES &&
        r->n_attributes <= INT32_MAX) {
        return 1;
    }
    return input_fail(fault, 0, 0, "more than %d attributes",
                      SKED_MAX_RULE_ATTRIBUTES);
}

/* ---- Rules ---- */

/* The reader of a rule: the position, and the terms. */
typedef struct rule_reader {
    replay_rules *r;
    const workload_job *job; /* the first job with the rule */
    const char *start;
    const char *at;
    size_t first; /* the rule's first term */
    int deep;
    input_fault *fault;
} rule_reader;

static int rule_fail(const rule_reader *in, const char *why, const char *word,
                     size_t length)
{
    uint64_t column = in->job->needs_at + (uint64_t)(in->at - in->start);

    if (length > 100) length = 100;
    return input_fail(in->fault, in->job->line, column, "needs: %s%.*s", why,
                      (int)length, word);
}

static int push_term(rule_reader *in, uint32_t op, uint64_t key, int64_t value,
                     uint64_t n)
{
    replay_rules *r = in->r;

    if (r->n_terms - in->first == SKED_MAX_RULE_TERMS) {
        return rule_fail(in, "more than 1024 terms", "", 0);
    }
    if (r->n_terms == r->terms_cap) {
        size_t cap = r->terms_cap * 2 + 64;
        sked_rule_term *more = cap > INT32_MAX
                                   ? NULL
                                   : realloc(r->terms, cap * sizeof *more);
        if (!more) return fault_memory(in->fault);
        r->terms = more;
        r->terms_cap = cap;
    }
    r->terms[r->n_terms++] = (sked_rule_term){
        .key = key, .value = value, .n = n, .op = op};
    return 1;
}

static char next_sign(rule_reader *in)
{
    in->at += strspn(in->at, " \t");
    return *in->at;
}

/* A word of a key or a value; returns the length, 0: no word. */
static size_t read_rule_word(rule_reader *in, const char **word)
{
    (void)next_sign(in);
    *word = in->at;
    return strcspn(in->at, signs);
}

/* Both keys of a key: of numbers and of texts. */
static int push_both(rule_reader *in, uint32_t op, uint32_t join, uint32_t key)
{
    return push_term(in, op, key_of(key, 0), 0, 0) &&
           push_term(in, op, key_of(key, 1), 0, 0) &&
           push_term(in, join, 0, 0, 2);
}

/* Reads the value after a key and a comparison. */
static int read_value(rule_reader *in, uint32_t op, uint32_t key)
{
    const char *word;
    size_t length = read_rule_word(in, &word);
    int64_t value;

    if (!length) return rule_fail(in, "a value is missing", "", 0);
    int whole = is_whole(word, length, &value);
    int compares = op == SKED_RULE_OP_LESS || op == SKED_RULE_OP_GREATER;
    if (compares && !whole) {
        return rule_fail(in, "not a whole number: ", word, length);
    }
    if (!whole) { /* any text has a number, even if no node has the text */
        uint32_t known = names_number(&in->r->values, word, length);
        if (known == NAMES_FULL) return fault_memory(in->fault);
        value = known;
    }
    in->at += length;
    return push_term(in, op, key_of(key, whole), value, 0);
}

/* "key", "!key", "key=value", "key!=value", "key<value" or "key>value". */
static int read_comparison(rule_reader *in)
{
    const char *word;
    int absent = next_sign(in) == '!';

    in->at += absent;
    size_t length = read_rule_word(in, &word);
    if (!length) return rule_fail(in, "a key is missing", "", 0);
    uint32_t key = names_find(&in->r->keys, word, length);
    if (key == NAMES_FULL) {
        return rule_fail(in, "no node has an attribute ", word, length);
    }
    in->at += length;
    char sign = next_sign(in);
    int not_equal = sign == '!' && in->at[1] == '=';
    if (absent) {
        return push_both(in, SKED_RULE_OP_ABSENT, SKED_RULE_OP_AND, key);
    }
    if (!not_equal && (sign == 0 || !strchr("=<>", sign))) {
        return push_both(in, SKED_RULE_OP_EXISTS, SKED_RULE_OP_OR, key);
    }
    in->at += 1 + not_equal;
    return read_value(in,
                      sign == '='   ? SKED_RULE_OP_EQUAL
                      : sign == '<' ? SKED_RULE_OP_LESS
                      : sign == '>' ? SKED_RULE_OP_GREATER
                                    : SKED_RULE_OP_NOT,
                      key);
}

static int read_joined(rule_reader *in, char sign);

static int read_unit(rule_reader *in)
{
    if (next_sign(in) != '(') return read_comparison(in);
    if (in->deep == RULES_DEEP) {
        return rule_fail(in, "more than 64 brackets in each other", "", 0);
    }
    in->deep++;
    in->at++;
    if (!read_joined(in, '|')) return 0;
    if (next_sign(in) != ')') return rule_fail(in, "a ) is missing", "", 0);
    in->at++;
    in->deep--;
    return 1;
}

/* Reads units joined by '&', or '&' groups joined by '|', which binds less. */
static int read_joined(rule_reader *in, char sign)
{
    uint64_t n = 0;

    do {
        in->at += n > 0; /* the sign */
        if (!(sign == '|' ? read_joined(in, '&') : read_unit(in))) return 0;
        n++;
    } while (next_sign(in) == sign);
    if (n == 1) return 1;
    return push_term(in, sign == '|' ? SKED_RULE_OP_OR : SKED_RULE_OP_AND, 0, 0,
                     n);
}

/* Reads the rule of a job, the first job with the rule. */
static int read_rule(replay_rules *r, const workload *work,
                     const workload_job *job, input_fault *fault)
{
    const char *text = work->rules.text[job->needs - 1];
    rule_reader in = {r, job, text, text, r->n_terms, 0, fault};

    if (!read_joined(&in, '|')) return 0;
    if (next_sign(&in)) {
        return rule_fail(&in, "'&' or '|' is missing", "", 0);
    }
    r->rule_offsets[++r->n_rules] = (int32_t)r->n_terms;
    return 1;
}

/* ---- Together ---- */

int rules_read(replay_plan *plan, input_fault *fault)
{
    replay_rules *r = &plan->rules;
    const workload *work = &plan->work;
    size_t jobs = work->n, specs = plan->n_specs;
    char file[sizeof fault->file];

    r->attribute_offsets = calloc(specs + 1, sizeof *r->attribute_offsets);
    r->rule_offsets = calloc((size_t)work->rules.n + 1,
                             sizeof *r->rule_offsets);
    r->row = calloc((size_t)work->rules.n + 1, sizeof *r->row);
    r->of_job = calloc(jobs + 1, sizeof *r->of_job);
    if (!r->attribute_offsets || !r->rule_offsets || !r->row || !r->of_job) {
        return fault_memory(fault);
    }
    memcpy(file, fault->file, sizeof file);
    snprintf(fault->file, sizeof fault->file, "--nodes");
    for (size_t s = 0; s < specs; s++) {
        if (!read_attributes(r, plan->specs[s].attributes, fault)) return 0;
        r->attribute_offsets[s + 1] = (int32_t)r->n_attributes;
    }
    memcpy(fault->file, file, sizeof file);
    for (size_t i = 0; i < jobs; i++) {
        uint32_t text = work->jobs[i].needs;
        if (!text) continue;
        if (!r->row[text]) {
            if (!read_rule(r, work, &work->jobs[i], fault)) return 0;
            r->row[text] = (uint32_t)r->n_rules;
        }
        r->of_job[i] = r->row[text];
    }
    return 1;
}

void rules_free(replay_plan *plan)
{
    replay_rules *r = &plan->rules;

    names_free(&r->keys);
    names_free(&r->values);
    free(r->attribute_offsets);
    free(r->attributes);
    free(r->rule_offsets);
    free(r->terms);
    free(r->row);
    free(r->of_job);
}

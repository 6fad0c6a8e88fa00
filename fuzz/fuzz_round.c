/*
 * A program of selections, ends and reads: rounds stay sound, nobody is told
 * twice of one mark, and what is stopped was marked and due. Between them
 * candidates are ranked: a permutation, whose first few are the first of all.
 */
#include <sched/rank.h>
#include <sched/round.h>

#include <stdlib.h>
#include <string.h>

#include "input.h"

enum { ROWS = 8, MOST = 40, ACTIONS = 256 };

#define MUST(cond) ((cond) ? (void)0 : abort())

static void must_follow(const sked_round_action *a, sked_time now)
{
    MUST(a->count > 0 && a->key > 0);
    MUST(a->what == SKED_ROUND_ORDER_NOTIFY ||
         a->what == SKED_ROUND_ORDER_KILL ||
         a->what == SKED_ROUND_ORDER_WITHDRAW ||
         a->what == SKED_ROUND_ORDER_OFFER);
    MUST(a->what != SKED_ROUND_ORDER_NOTIFY || a->deadline >= now);
    MUST(a->what != SKED_ROUND_ORDER_KILL || a->deadline <= now);
    MUST(a->what != SKED_ROUND_ORDER_OFFER || a->deadline <= now);
    MUST((a->what == SKED_ROUND_ORDER_KILL) ==
         ((a->flags & SKED_ROUND_MARK_FLAG_PREEMPTED) != 0));
}

static void op_select(sked_round *round, fuzz_input *in, sked_time now)
{
    uint64_t key[ROWS];
    uint32_t count[ROWS], n = (uint32_t)fuzz_u64(in, 1) % (ROWS + 1);
    int64_t amount[ROWS];
    sked_time since[ROWS];
    uint8_t strict[ROWS];
    sked_round_action action[ACTIONS];
    size_t found;
    sked_round_input wanted = {.struct_size = sizeof wanted,
                               .n = n,
                               .key = key,
                               .count = count,
                               .amount = amount,
                               .unsaved_since = since,
                               .strict = strict};

    for (uint32_t i = 0; i < n; i++) {
        key[i] = fuzz_u64(in, 1) % 12;
        count[i] = (uint32_t)fuzz_u64(in, 1) % 9;
        amount[i] = (int64_t)fuzz_u64(in, 1) - 1;
        since[i] = (sked_time)fuzz_u64(in, 2);
        strict[i] = fuzz_u64(in, 1) > 200;
    }
    uint64_t before = sked_round_digest(round);
    if (sked_round_update(round, &wanted, now, NULL) != SKED_OK) {
        MUST(sked_round_digest(round) == before);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        MUST(sked_round_mark_count(round, key[i]) >= count[i]);
    }
    MUST(sked_round_take(round, action, ACTIONS, &found, NULL) == SKED_OK);
    for (size_t i = 0; i < found; i++) must_follow(&action[i], now);
}

static void op_end(sked_round *round, fuzz_input *in)
{
    uint64_t key = fuzz_u64(in, 1) % 12;
    uint32_t count = (uint32_t)fuzz_u64(in, 1) % 6;
    uint32_t before = sked_round_mark_count(round, key);

    MUST(sked_round_end(round, &key, &count, 1, NULL) == SKED_OK);
    uint32_t after = sked_round_mark_count(round, key);
    MUST(after == (before > count ? before - count : 0));
}

static void op_claim(sked_round *round, fuzz_input *in, sked_time now)
{
    uint64_t key = fuzz_u64(in, 1) % 12;
    uint32_t count = (uint32_t)fuzz_u64(in, 1) % 6;
    uint32_t offered = sked_round_offer_count(round, key);
    uint64_t before = sked_round_digest(round);
    sked_status rc = sked_round_claim(round, &key, &count, 1, now, NULL);

    MUST((rc == SKED_OK) == (key > 0 && count > 0 && count <= offered));
    if (rc != SKED_OK) {
        MUST(sked_round_digest(round) == before);
        return;
    }
    MUST(sked_round_offer_count(round, key) == offered - count);
}

static void op_copy(sked_round **round)
{
    sked_round *copy;

    MUST(sked_round_copy(*round, NULL, &copy, NULL) == SKED_OK);
    MUST(sked_round_digest(*round) == sked_round_digest(copy));
    sked_round_free(*round);
    *round = copy;
}

static void op_rank(fuzz_input *in)
{
    int32_t keys[SKED_RANK_KEY_HOST];
    int64_t host[MOST];
    sked_time started[MOST];
    uint8_t state[MOST];
    uint32_t whole[MOST], some[MOST], n = (uint32_t)fuzz_u64(in, 1) % MOST;
    uint32_t top = n ? 1 + (uint32_t)fuzz_u64(in, 1) % n : 0;
    uint8_t seen[MOST] = {0};
    sked_rank_input columns = {.struct_size = sizeof columns,
                               .n = n,
                               .n_keys = (uint32_t)fuzz_u64(in, 1) % 4,
                               .keys = keys,
                               .state = state,
                               .started = started,
                               .submitted = host,
                               .host = host};

    for (int i = 0; i < 4; i++) keys[i] = (int32_t)fuzz_u64(in, 1) % 12;
    for (uint32_t i = 0; i < n; i++) {
        unsigned bytes = (unsigned)fuzz_u64(in, 1) % 9;
        host[i] = (int64_t)fuzz_u64(in, bytes);
        started[i] = (int64_t)fuzz_u64(in, bytes) - 1;
        state[i] = (uint8_t)fuzz_u64(in, 1);
    }
    if (sked_rank_order(&columns, 0, NULL, whole, NULL) != SKED_OK) return;
    MUST(sked_rank_order(&columns, top, NULL, some, NULL) == SKED_OK);
    for (uint32_t i = 0; i < n; i++) {
        MUST(whole[i] < n && !seen[whole[i]]);
        seen[whole[i]] = 1;
        MUST(i >= top || some[i] == whole[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, data + size};
    sked_round_options options = {.struct_size = sizeof options,
                                  .flags = (uint32_t)fuzz_u64(&in, 1) &
                                           SKED_ROUND_FLAG_LAZY,
                                  .grace_ns = (int64_t)fuzz_u64(&in, 1) - 1};
    sked_time now = 0;
    sked_round *round;

    if (fuzz_u64(&in, 1) > 200) options.flags |= SKED_ROUND_FLAG_OBSERVE;
    MUST(sked_round_new(&options, NULL, &round, NULL) == SKED_OK);
    while (fuzz_more(&in)) {
        switch (fuzz_u64(&in, 1) % 6) {
        case 0: op_end(round, &in); break;
        case 1: op_copy(&round); break;
        case 2: op_rank(&in); break;
        case 3: op_claim(round, &in, now); break;
        default: now += (sked_time)fuzz_u64(&in, 1); op_select(round, &in, now);
        }
        MUST(sked_round_check(round, NULL) == SKED_OK);
    }
    sked_round_free(round);
    return 0;
}

/* When the twin's shares are made anew, and of what. */
#include "ref_engine_alone.h"
#include "ref_engine_may.h"

#include <stdlib.h>
#include <string.h>

#include "tree/attr.h"

void ref_engine_forget_shares(ref_engine *r)
{
    for (int p = 0; p < REF_PARTS; p++) ref_joint_close(&r->shares[p].made);
}

/* Does placement look at shares at all? */
static int looks_at_shares(const skedi_image *image)
{
    int looks = image->number[SKEDI_AT_GUARANTEE_PPM] ||
                image->amount[SKEDI_AT_GUARANTEE] ||
                image->amount[SKEDI_AT_LEND] ||
                image->number[SKEDI_AT_AM_SHARE];

    for (uint32_t row = 0; row < image->n; row++) {
        looks |= image->order[row] == SKED_ORDER_POLICY_SHARE ||
                 image->order[row] == SKED_ORDER_POLICY_UTILISATION ||
                 image->order[row] == SKED_ORDER_POLICY_PRIORITY;
    }
    return looks;
}

/* What leaves want in the partition: what runs there, and what is open. */
static size_t wants(const ref_engine *r, uint32_t partition, ref_want *want)
{
    const skedi_image *image = skedi_tree_image(r->tree);
    size_t n = 0;

    for (size_t i = 0; i < r->asks; i++) {
        const ref_ask *a = &r->ask[i];
        int64_t count = ref_engine_in_line(r, a, partition) ? ref_engine_open(a)
                                                            : 0;
        uint32_t row = skedi_image_row(image, r->job[a->job].queue);
        for (size_t g = 0; g < r->groups; g++) {
            const ref_group *group = &r->group[g];
            if (group->state == REF_OVER || group->ask != i ||
                r->node[group->node].partition != partition) {
                continue;
            }
            if (!group->own) {
                count += group->count;
            } else {
                want[n++] = (ref_want){row, ref_engine_times(r, group),
                                       group->gang, group->amount};
            }
        }
        if (count == 0) continue;
        want[n++] = (ref_want){row, count, a->gang, a->task};
    }
    return n;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * UINT64_C(0x9E3779B97F4A7C15);
    return x ^ x >> 29;
}

/* A number that stands for what is wanted. */
static uint64_t sum_of(const ref_engine *r, const ref_want *want, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t h = mixed(want[i].row + UINT64_C(77) +
                           ((uint64_t)want[i].gang << 32));
        for (uint32_t k = 0; k < r->kinds; k++) {
            h = mixed(h ^ (uint64_t)want[i].task[k]);
        }
        sum += h * (uint64_t)want[i].count;
    }
    return sum;
}

void ref_engine_moved(ref_engine *r, const ref_ask *ask)
{
    for (uint32_t p = 0; p < REF_PARTS; p++) {
        r->shares[p].moved |= ask->partition == p ||
                              ask->partition == SKED_ANY_PARTITION;
    }
}

void ref_engine_look_at_wants(ref_engine *r)
{
    ref_want *want = calloc(r->asks + r->groups + 1, sizeof *want);

    if (!want) abort();
    for (uint32_t p = 0; p < REF_PARTS; p++) {
        ref_shares *s = &r->shares[p];
        uint64_t demand = sum_of(r, want, wants(r, p, want));
        s->moved |= s->demand != demand;
        s->demand = demand;
    }
    free(want);
}

void ref_engine_shares(ref_engine *r, uint32_t partition)
{
    ref_shares *s = &r->shares[partition];
    const skedi_image *image = skedi_tree_image(r->tree);
    ref_want *want = calloc(r->asks + r->groups + 1, sizeof *want);

    if (!want) abort();
    if (!looks_at_shares(image)) {
        free(want);
        return;
    }
    size_t n = wants(r, partition, want);
    uint64_t demand = sum_of(r, want, n);
    s->moved |= s->demand != demand;
    s->demand = demand;
    if (!s->made.image || s->changed || s->moved) {
        ref_books b = ref_books_open(r, partition);
        ref_joint_shares(&b.bounds, want, n);
        ref_joint_close(&s->made);
        s->made = b.bounds;
        memset(&b.bounds, 0, sizeof b.bounds);
        ref_books_close(&b);
        s->made.said = s->made.limit = NULL;
        s->changed = 0;
        s->moved = 0;
    }
    free(want);
}

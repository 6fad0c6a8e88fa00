/*
 * The users that one line names. They are gathered and put into the draft as
 * one list when the line ends: setting them one by one would write the list
 * anew for each.
 */
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"
#include "tree/text/reading.h"
#include "tree/users.h"

static const char *said_name(const skedi_reading *r, uint32_t i)
{
    return r->user_bytes + r->users[i].name;
}

sked_status skedi_reading_user(skedi_reading *r, const skedi_span *key,
                               const char *name, uint32_t weight)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    void *users = r->users, *bytes = r->user_bytes;
    size_t n = strlen(name) + 1;

    int room = skedi_ensure(mem, &users, &r->users_cap, r->n_users + 1,
                            sizeof *r->users);
    r->users = users;
    room = room && skedi_ensure(mem, &bytes, &r->user_bytes_cap,
                                r->user_bytes_used + n, 1);
    r->user_bytes = bytes;
    if (!room) {
        return skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room for a user");
    }
    r->users[r->n_users++] = (skedi_said_user){r->user_bytes_used, weight, 0,
                                               *key};
    memcpy(r->user_bytes + r->user_bytes_used, name, n);
    r->user_bytes_used += n;
    return SKED_OK;
}

static int by_name(const void *ctx, uint32_t a, uint32_t b)
{
    const skedi_reading *r = ctx;

    return strcmp(said_name(r, a), said_name(r, b));
}

/* Marks the users that were named before. */
static void mark_repeats(skedi_reading *r, const uint32_t *order)
{
    for (size_t i = 1; i < r->n_users; i++) {
        if (by_name(r, order[i - 1], order[i]) != 0) continue;
        r->users[order[i]].again = 1;
    }
}

static void tell_repeats(skedi_reading *r)
{
    for (size_t i = 0; i < r->n_users; i++) {
        if (!r->users[i].again) continue;
        skedi_reading_tell(r, skedi_reading_fault(r, SKED_FAULT_DUPLICATE_KEY,
                                                  &r->users[i].key, 0));
    }
}

sked_status skedi_tree_put_users(sked_tree *tree, uint32_t slot,
                                 const char *list, sked_error *err)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];
    size_t bytes = skedi_users_bytes(list);

    const char *old = skedi_tree_users(tree, q->users);

    if (!old && !list) return SKED_OK;
    if (!skedi_tree_text_ensure(tree, bytes)) {
        return skedi_fail_plain(err, SKED_ERR_NOMEM, "no room for users");
    }
    draft->text_bytes += (uint64_t)bytes - skedi_users_bytes(old);
    q->users = list ? skedi_tree_text_put(tree, list, bytes) : 0;
    skedi_draft_touch(draft, slot, SKEDI_TOUCH_TEXT);
    skedi_tree_note(tree, SKEDI_EDIT_USER, slot,
                    list ? skedi_hash_of(list, bytes, 0) : 0);
    return SKED_OK;
}

/* Puts the list, in the order of names. */
static sked_status put_said(skedi_reading *r, const uint32_t *order)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    size_t room = skedi_users_bytes_of(r->n_users, r->user_bytes_used), at = 0;

    char *list = skedi_new(mem, room, 1);
    if (!list) {
        return skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room for users");
    }
    for (size_t i = 0; i < r->n_users; i++) {
        at = skedi_users_append(list, at, said_name(r, order[i]),
                                r->users[order[i]].weight);
    }
    sked_status rc = skedi_tree_put_users(r->tree, r->slot, list, r->err);
    skedi_free(mem, list, room, 1);
    return rc;
}

static sked_status put_sorted(skedi_reading *r, uint32_t *order)
{
    for (size_t i = 0; i < r->n_users; i++) order[i] = (uint32_t)i;
    skedi_sort(order, order + r->n_users, r->n_users, by_name, r);
    mark_repeats(r, order);
    tell_repeats(r);
    if (r->slot == SKEDI_NO_SLOT || r->n > 0) return SKED_OK;
    return put_said(r, order);
}

sked_status skedi_reading_line_ends(skedi_reading *r)
{
    skedi_mem *mem = &r->tree->hooks.mem;
    size_t n = 2 * r->n_users; /* an order, and room to sort it */

    if (n == 0) return SKED_OK;
    uint32_t *order = skedi_new(mem, n, sizeof *order);
    if (!order) {
        return skedi_fail_plain(r->err, SKED_ERR_NOMEM, "no room for users");
    }
    sked_status rc = put_sorted(r, order);
    skedi_free(mem, order, n, sizeof *order);
    r->n_users = 0;
    r->user_bytes_used = 0;
    return rc;
}

void skedi_reading_free(skedi_reading *r)
{
    skedi_mem *mem = &r->tree->hooks.mem;

    skedi_free(mem, r->cursor, r->n_cursor, sizeof *r->cursor);
    skedi_free(mem, r->decoded, r->decoded_cap, 1);
    skedi_free(mem, r->users, r->users_cap, sizeof *r->users);
    skedi_free(mem, r->user_bytes, r->user_bytes_cap, 1);
}

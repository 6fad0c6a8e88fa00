/*
 * Edits the draft: adds, moves, renames and removes queues, and sets
 * attributes. Each edit first does every step that can fail. Then the edit
 * changes links, table and history, which cannot fail.
 */
#include <string.h>

#include "base/fail.h"
#include "base/hash.h"
#include "tree/handle.h"
#include "tree/users.h"

/* Confining edits to a part of the tree, and discarding edits. */

sked_status sked_tree_confine(sked_tree *tree, sked_queue_id queue,
                              sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    if (skedi_draft_slot(&tree->draft, queue) == SKEDI_NO_SLOT) {
        skedi_fault at = {.queue = queue};
        return skedi_fail(err, SKED_ERR_STALE, "no such queue in the draft",
                          at);
    }
    tree->confined = queue;
    return SKED_OK;
}

/* Drops the name entries and the slots that only the draft has. */
static void additions_drop(skedi_draft *draft)
{
    for (uint32_t s = draft->n_slots; s-- > 0;) {
        skedi_slot *q = &draft->slot[s];
        int live = q->flags & SKEDI_SLOT_LIVE;
        int shown = q->flags & SKEDI_SLOT_SHOWN;
        if (live && (!shown || q->flags & SKEDI_SLOT_REKEYED)) {
            skedi_names_drop(&draft->names, q->hash, s);
        }
        if (live && !shown) skedi_draft_give(draft, s);
    }
}

/* Restores a slot as the commit shows the queue, without the children. */
static void slot_restore(sked_tree *tree, const skedi_image *image,
                         uint32_t row)
{
    uint32_t slot = (uint32_t)image->id[row];
    skedi_slot *q = &tree->draft.slot[slot];

    q->parent = q->first = q->last = q->next = q->prev = SKEDI_NO_SLOT;
    q->n_children = 0;
    q->name = image->name[row];
    q->label = image->label[row];
    q->users = image->users[row];
    q->line = image->line[row];
    q->depth = image->depth[row];
    q->flags = SKEDI_SLOT_LIVE | SKEDI_SLOT_SHOWN;
    if (row == 0) return;

    uint32_t parent = (uint32_t)image->id[image->parent[row]];
    const char *name = skedi_tree_text(tree, q->name);
    q->hash = skedi_piece_hash(skedi_piece_of(name), parent);
    skedi_draft_link(&tree->draft, slot, parent);
}

static void numbers_restore(skedi_draft *draft, const skedi_image *image,
                            uint32_t index)
{
    int64_t *to = draft->number[index].at;

    if (!to) return;
    for (uint32_t r = 0; r < image->n; r++) {
        to[(uint32_t)image->id[r]] = skedi_image_number(image, index, r);
    }
}

static void amounts_restore(skedi_draft *draft, const skedi_image *image,
                            uint32_t index)
{
    int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + index));
    int64_t *to = draft->amount[index].at;

    for (uint32_t k = 0; to && k < image->kinds; k++) {
        const int64_t *from = skedi_image_amounts(image, index, k);
        for (uint32_t r = 0; r < image->n; r++) {
            size_t slot = (uint32_t)image->id[r];
            to[slot * image->kinds + k] = from ? from[r] : rest;
        }
    }
}

static uint64_t text_bytes_of(const sked_tree *tree)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint64_t bytes = skedi_tree_text_size(tree, image->file);

    for (uint32_t r = 0; r < image->n; r++) {
        bytes += skedi_tree_text_bytes(tree, (uint32_t)image->id[r]);
    }
    return bytes;
}

sked_status sked_tree_discard(sked_tree *tree, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    const skedi_image *image = skedi_tree_live(tree);
    skedi_draft *draft = &tree->draft;

    additions_drop(draft);
    for (uint32_t r = 0; r < image->n; r++) slot_restore(tree, image, r);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        numbers_restore(draft, image, i);
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        amounts_restore(draft, image, i);
    }
    skedi_draft_untouch(draft);
    skedi_texts_cut(&tree->texts[tree->text_live], tree->mark);
    draft->n = image->n;
    draft->file = image->file;
    draft->key = image->key;
    draft->text_bytes = text_bytes_of(tree);
    return SKED_OK;
}

static int lies_below(const sked_tree *tree, uint32_t slot, int inside)
{
    const skedi_draft *draft = &tree->draft;

    if (!inside) slot = draft->slot[slot].parent;
    while (slot != SKEDI_NO_SLOT) {
        if (skedi_slot_id(draft, slot) == tree->confined) return 1;
        slot = draft->slot[slot].parent;
    }
    return 0;
}

sked_status skedi_tree_open(const sked_tree *tree, sked_queue_id queue,
                            int inside, uint32_t *slot, sked_error *err)
{
    skedi_fault at = {.queue = queue};

    *slot = skedi_draft_slot(&tree->draft, queue);
    if (*slot == SKEDI_NO_SLOT) {
        return skedi_fail(err, SKED_ERR_STALE, "no such queue in the draft",
                          at);
    }
    if (tree->confined != skedi_slot_id(&tree->draft, 0) &&
        !lies_below(tree, *slot, inside)) {
        return skedi_fail(err, SKED_ERR_STATE,
                          "queue is outside the part that may be edited", at);
    }
    return SKED_OK;
}

void skedi_tree_note(sked_tree *tree, int what, uint32_t slot, uint64_t value)
{
    uint64_t key = skedi_key_mix(tree->draft.key, (uint64_t)what << 32 | slot);

    tree->draft.key = skedi_key_mix(key, value);
}

static void tree_note_text(sked_tree *tree, int what, uint32_t slot,
                           const char *text)
{
    skedi_tree_note(tree, what, slot, skedi_hash_of(text, strlen(text), 0));
}

static sked_status name_check(const char *name, sked_error *err)
{
    if (name && *name) return SKED_OK;
    return skedi_fail_plain(err, SKED_ERR_ARG, "a queue needs a name");
}

/* Is the name free below `parent`? A name held by `self` counts as free. */
static sked_status name_free(const sked_tree *tree, uint32_t parent,
                             const char *name, uint32_t self, sked_error *err)
{
    uint32_t held = skedi_draft_child(tree, parent, skedi_piece_of(name));

    if (held == SKEDI_NO_SLOT || held == self) return SKED_OK;
    skedi_fault at = {.queue = skedi_slot_id(&tree->draft, held)};
    return skedi_fail(err, SKED_ERR_EXISTS, "a sibling has that name", at);
}

int skedi_tree_text_ensure(sked_tree *tree, size_t bytes)
{
    return skedi_texts_ensure(&tree->texts[tree->text_live], &tree->hooks.mem,
                              bytes);
}

skedi_text skedi_tree_text_put(sked_tree *tree, const void *from, size_t bytes)
{
    return skedi_texts_put(&tree->texts[tree->text_live], from, bytes);
}

static sked_status limits_check(const sked_tree *tree, uint32_t parent,
                                sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    skedi_fault at = {.queue = skedi_slot_id(draft, parent),
                      .got = draft->n + INT64_C(1),
                      .limit = tree->max_queues};

    if (draft->n >= tree->max_queues) {
        return skedi_fail(err, SKED_ERR_RANGE, "too many queues", at);
    }
    at.got = draft->slot[parent].depth + 2;
    at.limit = tree->max_depth;
    if (at.got > at.limit) {
        return skedi_fail(err, SKED_ERR_RANGE, "the tree gets too deep", at);
    }
    return SKED_OK;
}

static int slot_ensure(sked_tree *tree)
{
    skedi_draft *draft = &tree->draft;
    size_t cap = draft->cap;

    if (draft->free != SKEDI_NO_SLOT || draft->n_slots < cap) return 1;
    return skedi_draft_ensure(draft, &tree->hooks.mem, cap + cap / 2 + 8);
}

static void slot_add(sked_tree *tree, uint32_t parent, const char *name,
                     uint32_t slot)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];

    q->name = skedi_tree_text_put(tree, name, strlen(name) + 1);
    q->hash = skedi_piece_hash(skedi_piece_of(name), parent);
    q->depth = (uint8_t)(draft->slot[parent].depth + 1);
    skedi_draft_link(draft, slot, parent);
    skedi_names_put(&draft->names, q->hash, slot);
    draft->text_bytes += strlen(name) + 1;
    draft->reshaped = 1;
    skedi_tree_note(tree, SKEDI_EDIT_ADD, slot, parent);
    tree_note_text(tree, SKEDI_EDIT_RENAME, slot, name);
    q->birth = draft->key;
}

sked_status sked_tree_add(sked_tree *tree, sked_queue_id parent,
                          const char *name, sked_queue_id *id, sked_error *err)
{
    uint32_t above, slot;

    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = name_check(name, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, parent, 1, &above, err);
    if (rc == SKED_OK) rc = limits_check(tree, above, err);
    if (rc == SKED_OK) {
        rc = name_free(tree, above, name, SKEDI_NO_SLOT, err);
    }
    if (rc != SKED_OK) return rc;
    if (!slot_ensure(tree) || !skedi_tree_text_ensure(tree, strlen(name) + 1)) {
        return skedi_fail_memory(err);
    }

    slot = skedi_draft_take(&tree->draft);
    slot_add(tree, above, name, slot);
    if (id) *id = skedi_slot_id(&tree->draft, slot);
    return SKED_OK;
}

/* Updates the name entry of a slot after its name or parent changed. The entry
 * of the committed name stays until the next commit. */
static void slot_rekey(sked_tree *tree, uint32_t slot)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];
    const char *name = skedi_tree_text(tree, q->name);
    int shown = q->flags & SKEDI_SLOT_SHOWN;

    if (shown && !(q->flags & SKEDI_SLOT_REKEYED)) {
        q->flags |= SKEDI_SLOT_REKEYED;
    } else {
        skedi_names_drop(&draft->names, q->hash, slot);
    }
    q->hash = skedi_piece_hash(skedi_piece_of(name), q->parent);
    skedi_names_put(&draft->names, q->hash, slot);
}

static int name_ensure(sked_tree *tree, const char *name)
{
    return skedi_tree_text_ensure(tree, strlen(name) + 1);
}

/* Renames a queue. The caller has reserved the memory. */
static void slot_rename(sked_tree *tree, uint32_t slot, const char *name)
{
    skedi_slot *q = &tree->draft.slot[slot];
    const char *old = skedi_tree_text(tree, q->name);

    if (strcmp(old, name) == 0) return;
    tree->draft.text_bytes += (uint64_t)strlen(name) - strlen(old);
    q->name = skedi_tree_text_put(tree, name, strlen(name) + 1);
    if (slot != 0) slot_rekey(tree, slot);
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
    tree_note_text(tree, SKEDI_EDIT_RENAME, slot, name);
}

sked_status sked_tree_rename(sked_tree *tree, sked_queue_id queue,
                             const char *name, sked_error *err)
{
    uint32_t slot;

    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = name_check(name, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc != SKED_OK) return rc;

    if (slot != 0) {
        rc = name_free(tree, tree->draft.slot[slot].parent, name, slot, err);
    }
    if (rc != SKED_OK) return rc;
    if (!name_ensure(tree, name)) {
        return skedi_fail_memory(err);
    }
    slot_rename(tree, slot, name);
    return SKED_OK;
}

/* The number of levels in the subtree of `top`, including `top`. */
static uint32_t draft_levels(const skedi_draft *draft, uint32_t top)
{
    uint32_t deepest = draft->slot[top].depth;

    for (uint32_t s = top; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(draft, top, s, 0)) {
        if (draft->slot[s].depth > deepest) deepest = draft->slot[s].depth;
    }
    return deepest - draft->slot[top].depth + 1u;
}

static int contains(const skedi_draft *draft, uint32_t top, uint32_t slot)
{
    while (slot != SKEDI_NO_SLOT && slot != top) {
        slot = draft->slot[slot].parent;
    }
    return slot == top;
}

static sked_status move_check(const sked_tree *tree, uint32_t slot,
                              uint32_t parent, const char *name,
                              sked_error *err)
{
    const skedi_draft *draft = &tree->draft;
    skedi_fault at = {.queue = skedi_slot_id(draft, slot)};

    if (contains(draft, slot, parent)) { /* the root holds every queue */
        return skedi_fail(err, SKED_ERR_ARG, "a queue cannot go below itself",
                          at);
    }
    at.got = draft->slot[parent].depth + INT64_C(1) + draft_levels(draft, slot);
    at.limit = tree->max_depth;
    if (at.got > at.limit) {
        return skedi_fail(err, SKED_ERR_RANGE, "the tree gets too deep", at);
    }
    return name_free(tree, parent, name, slot, err);
}

static void deepen(skedi_draft *draft, uint32_t top)
{
    for (uint32_t s = top; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(draft, top, s, 0)) {
        uint32_t parent = draft->slot[s].parent;
        draft->slot[s].depth = (uint8_t)(draft->slot[parent].depth + 1);
    }
}

static void slot_move(sked_tree *tree, uint32_t slot, uint32_t above)
{
    skedi_draft_unlink(&tree->draft, slot);
    skedi_draft_link(&tree->draft, slot, above);
    deepen(&tree->draft, slot);
    slot_rekey(tree, slot);
    tree->draft.reshaped = 1;
    skedi_tree_note(tree, SKEDI_EDIT_MOVE, slot, above);
}

sked_status skedi_tree_place(sked_tree *tree, sked_queue_id queue,
                             sked_queue_id parent, const char *name,
                             sked_error *err)
{
    uint32_t slot, above;

    sked_status rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, parent, 1, &above, err);
    if (rc != SKED_OK) return rc;
    const char *old = skedi_tree_text(tree, tree->draft.slot[slot].name);
    rc = move_check(tree, slot, above, name ? name : old, err);
    if (rc != SKED_OK) return rc;
    if (name && !name_ensure(tree, name)) {
        return skedi_fail_memory(err);
    }

    if (name) slot_rename(tree, slot, name);
    slot_move(tree, slot, above);
    return SKED_OK;
}

sked_status sked_tree_move(sked_tree *tree, sked_queue_id queue,
                           sked_queue_id parent, sked_error *err)
{
    if (!tree) return skedi_fail_null(err, "tree");
    return skedi_tree_place(tree, queue, parent, NULL, err);
}

/*
 * Removes queues from the draft, children before parents. A slot that the last
 * commit shows stays allocated, outside the draft, until the next commit.
 */

void skedi_tree_drop(sked_tree *tree, uint32_t slot)
{
    skedi_draft *draft = &tree->draft;
    skedi_slot *q = &draft->slot[slot];
    int shown = q->flags & SKEDI_SLOT_SHOWN;

    if (!shown || q->flags & SKEDI_SLOT_REKEYED) {
        skedi_names_drop(&draft->names, q->hash, slot);
    }
    draft->text_bytes -= skedi_tree_text_bytes(tree, slot);
    skedi_draft_unlink(draft, slot);
    skedi_tree_note(tree, SKEDI_EDIT_REMOVE, slot, 0);
    draft->reshaped = 1;
    draft->n--;
    q->flags = SKEDI_SLOT_SHOWN;
    if (!shown) skedi_draft_give(draft, slot);
}

uint32_t skedi_draft_lowest(const skedi_draft *draft, uint32_t slot)
{
    while (draft->slot[slot].first != SKEDI_NO_SLOT) {
        slot = draft->slot[slot].first;
    }
    return slot;
}

uint32_t skedi_draft_upward(const skedi_draft *draft, uint32_t top,
                            uint32_t slot)
{
    if (slot == top) return SKEDI_NO_SLOT;
    uint32_t next = draft->slot[slot].next;
    return next == SKEDI_NO_SLOT ? draft->slot[slot].parent
                                 : skedi_draft_lowest(draft, next);
}

void skedi_tree_cut(sked_tree *tree, uint32_t top)
{
    skedi_draft *draft = &tree->draft;

    for (uint32_t s = skedi_draft_lowest(draft, top), next; s != SKEDI_NO_SLOT;
         s = next) {
        next = skedi_draft_upward(draft, top, s);
        skedi_tree_drop(tree, s);
    }
}

/*
 * Sets attributes with numbers and amounts in the draft. A column of values is
 * checked completely, then memory is reserved, then the values are written. The
 * call therefore sets all values or none.
 */

/* Lists of users' weights: see users.h for the form. */

enum { NUMBER = 4 };

static uint32_t number_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static void number_put_at(char *at, uint32_t number)
{
    unsigned char *b = (unsigned char *)at;

    for (unsigned i = 0; i < NUMBER; i++) {
        b[i] = (unsigned char)(number >> 8 * i);
    }
}

static size_t entry_bytes(const char *user)
{
    return NUMBER + strlen(user) + 1;
}

size_t skedi_users_bytes(const char *list)
{
    return list ? number_at(list) : 0;
}

/* The offset of the entry of `user`, or the offset at which to insert `user`.
 * `*there` is the size of the existing entry, or 0. */
static size_t user_place(const char *list, const char *user, size_t *there)
{
    size_t bytes = skedi_users_bytes(list), at = NUMBER;

    *there = 0;
    while (at < bytes) {
        int order = strcmp(list + at + NUMBER, user);
        if (order > 0) break;
        size_t size = entry_bytes(list + at + NUMBER);
        if (order == 0) *there = size;
        if (order == 0) break;
        at += size;
    }
    return at;
}

int64_t skedi_users_find(const char *list, const char *user)
{
    size_t there, at = user_place(list, user, &there);

    return there ? (int64_t)number_at(list + at) : -1;
}

int skedi_users_next(const char *list, size_t *at, const char **user,
                     uint32_t *weight)
{
    if (*at == 0) *at = NUMBER;
    if (*at >= skedi_users_bytes(list)) return 0;
    *weight = number_at(list + *at);
    *user = list + *at + NUMBER;
    *at += entry_bytes(*user);
    return 1;
}

size_t skedi_users_bytes_of(size_t n, size_t names)
{
    return NUMBER + n * NUMBER + names;
}

size_t skedi_users_append(char *list, size_t bytes, const char *user,
                          uint32_t weight)
{
    if (bytes == 0) bytes = NUMBER;
    number_put_at(list + bytes, weight);
    memcpy(list + bytes + NUMBER, user, strlen(user) + 1);
    bytes += entry_bytes(user);
    number_put_at(list, (uint32_t)bytes);
    return bytes;
}

size_t skedi_users_size_with(const char *list, const char *user, int64_t weight)
{
    size_t there, bytes = list ? skedi_users_bytes(list) : NUMBER;

    (void)user_place(list, user, &there);
    bytes -= there;
    if (weight >= 0) bytes += entry_bytes(user);
    return bytes == NUMBER ? 0 : bytes;
}

void skedi_users_write(char *to, const char *list, const char *user,
                       int64_t weight)
{
    size_t there, at = user_place(list, user, &there), put = at;
    size_t bytes = skedi_users_bytes(list);

    if (list) memcpy(to, list, at);
    if (weight >= 0) {
        number_put_at(to + put, (uint32_t)weight);
        memcpy(to + put + NUMBER, user, strlen(user) + 1);
        put += entry_bytes(user);
    }
    at += there;
    if (at < bytes) memcpy(to + put, list + at, bytes - at);
    number_put_at(to, (uint32_t)skedi_users_size_with(list, user, weight));
}

/*
 * Texts of the draft: labels and users' weights. Also the data that the text
 * form stores: line numbers and the file's name.
 */

size_t skedi_tree_text_size(const sked_tree *tree, skedi_text text)
{
    return text ? strlen(skedi_tree_text(tree, text)) + 1 : 0;
}

const char *skedi_tree_users(const sked_tree *tree, skedi_text users)
{
    return users ? skedi_tree_text(tree, users) : NULL;
}

size_t skedi_tree_text_bytes(const sked_tree *tree, uint32_t slot)
{
    const skedi_slot *q = &tree->draft.slot[slot];

    return skedi_tree_text_size(tree, q->name) +
           skedi_tree_text_size(tree, q->label) +
           skedi_users_bytes(skedi_tree_users(tree, q->users));
}

/* Replaces a text by `now`. The caller has reserved the memory. */
static void text_swap(sked_tree *tree, skedi_text *held, const char *now)
{
    size_t bytes = *now ? strlen(now) + 1 : 0;

    tree->draft.text_bytes += (uint64_t)bytes -
                              skedi_tree_text_size(tree, *held);
    *held = bytes ? skedi_tree_text_put(tree, now, bytes) : 0;
}

sked_status sked_tree_set_text(sked_tree *tree, sked_queue_id queue,
                               int32_t attribute, const char *text,
                               sked_error *err)
{
    uint32_t slot;

    if (!tree) return skedi_fail_null(err, "tree");
    if (!skedi_attr_of(attribute, SKEDI_SHAPE_TEXT)) {
        skedi_fault at = {.got = attribute};
        return skedi_fail(err, SKED_ERR_ARG, "no such attribute", at);
    }
    sked_status rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc != SKED_OK) return rc;
    skedi_slot *q = &tree->draft.slot[slot];
    if (!text) text = "";
    if (strcmp(skedi_tree_text(tree, q->label), text) == 0) return SKED_OK;
    if (!skedi_tree_text_ensure(tree, strlen(text) + 1)) {
        return skedi_fail_memory(err);
    }

    text_swap(tree, &q->label, text);
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
    tree_note_text(tree, SKEDI_EDIT_TEXT, slot, text);
    return SKED_OK;
}

static sked_status user_check(const char *user, int64_t weight, sked_error *err)
{
    const skedi_attr *attr = skedi_attr_at(SKEDI_AT_WEIGHT);
    skedi_fault at = {.got = weight, .limit = attr->high};

    if (!user || !*user) {
        return skedi_fail_plain(err, SKED_ERR_ARG, "a user needs a name");
    }
    if (weight == SKED_UNSET || skedi_attr_takes(attr, 1, weight)) {
        return SKED_OK;
    }
    return skedi_fail(err, SKED_ERR_RANGE, "weight is out of range", at);
}

/* Writes the new list; `weight` -1 leaves the user out. */
static sked_status user_put(sked_tree *tree, uint32_t slot, const char *user,
                            int64_t weight, sked_error *err)
{
    skedi_slot *q = &tree->draft.slot[slot];
    const char *list = skedi_tree_users(tree, q->users);
    size_t bytes = skedi_users_size_with(list, user, weight);
    skedi_text text = 0;

    if (bytes > 0) {
        if (!skedi_tree_text_ensure(tree, bytes)) {
            return skedi_fail_memory(err);
        }
        char *to = skedi_texts_claim(&tree->texts[tree->text_live], bytes,
                                     &text);
        skedi_users_write(to, list, user, weight);
    }
    tree->draft.text_bytes += (uint64_t)bytes - skedi_users_bytes(list);
    q->users = text;
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
    tree_note_text(tree, SKEDI_EDIT_USER, slot, user);
    skedi_tree_note(tree, SKEDI_EDIT_USER, slot, (uint64_t)weight);
    return SKED_OK;
}

sked_status sked_tree_set_user_weight(sked_tree *tree, sked_queue_id queue,
                                      const char *user, int64_t weight,
                                      sked_error *err)
{
    uint32_t slot;

    if (!tree) return skedi_fail_null(err, "tree");
    sked_status rc = user_check(user, weight, err);
    if (rc == SKED_OK) rc = skedi_tree_open(tree, queue, 0, &slot, err);
    if (rc != SKED_OK) return rc;

    const char *list = skedi_tree_users(tree, tree->draft.slot[slot].users);
    if (weight == SKED_UNSET) weight = -1;
    if (skedi_users_find(list, user) == weight) return SKED_OK;
    return user_put(tree, slot, user, weight, err);
}

sked_status sked_tree_user_weight(const sked_tree *tree, sked_queue_id queue,
                                  const char *user, int64_t *weight)
{
    if (!tree || !user || !weight) return SKED_ERR_ARG;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return SKED_ERR_STALE;

    skedi_text users = skedi_tree_live(tree)->users[row];
    int64_t found = skedi_users_find(skedi_tree_users(tree, users), user);
    *weight = found < 0 ? 1 : found;
    return SKED_OK;
}

const char *sked_tree_get_text(const sked_tree *tree, sked_queue_id queue,
                               int32_t attribute)
{
    if (!tree || !skedi_attr_of(attribute, SKEDI_SHAPE_TEXT)) return NULL;
    uint32_t row = skedi_image_row(skedi_tree_live(tree), queue);
    if (row == SKEDI_NO_ROW) return NULL;
    return skedi_tree_text(tree, skedi_tree_live(tree)->label[row]);
}

void skedi_tree_set_line(sked_tree *tree, uint32_t slot, uint32_t line)
{
    skedi_slot *q = &tree->draft.slot[slot];

    if (q->line == line) return;
    q->line = line;
    skedi_draft_touch(&tree->draft, slot, SKEDI_TOUCH_TEXT);
}

int skedi_tree_set_file(sked_tree *tree, const char *file)
{
    skedi_draft *draft = &tree->draft;

    if (strcmp(skedi_tree_text(tree, draft->file), file) == 0) return 1;
    if (!skedi_tree_text_ensure(tree, strlen(file) + 1)) return 0;
    text_swap(tree, &draft->file, file);
    skedi_draft_touch(draft, 0, SKEDI_TOUCH_TEXT);
    return 1;
}

/* The work of setting an attribute of many queues. A single queue is a column
 * with a single row. */
typedef struct set_work {
    const skedi_attr *attr;
    uint32_t index;
    const sked_queue_id *queues;
    const int64_t *values; /* n, or n x kinds, or NULL: the default */
    size_t n;
    int lone; /* 1: a single queue; errors name no row */
} set_work;

static skedi_fault row_fault(const set_work *work, size_t i)
{
    skedi_fault at = {.queue = work->queues[i]};

    if (!work->lone) at.row = (int64_t)i + 1;
    return at;
}

/* Returns `rc`, whose reason is in `err`, after adding the row to `err`. */
static sked_status at_row(const set_work *work, size_t i, sked_status rc,
                          sked_error *err)
{
    if (err && !work->lone) err->row = (int64_t)i;
    return rc;
}

static sked_status number_check(const sked_tree *tree, const set_work *work,
                                size_t i, sked_error *err)
{
    const skedi_attr *attr = work->attr;
    int64_t value = work->values[i];

    if (value == SKED_UNSET) return SKED_OK;
    if (skedi_attr_takes(attr, tree->draft.kinds, value)) return SKED_OK;
    skedi_fault at = row_fault(work, i);
    at.got = value;
    at.limit = value < attr->low ? attr->low : attr->high;
    return skedi_fail(err, SKED_ERR_RANGE, "value is out of range", at);
}

static sked_status amounts_check(const sked_tree *tree, const set_work *work,
                                 size_t i, sked_error *err)
{
    uint32_t kinds = tree->draft.kinds;

    for (uint32_t k = 0; work->values && k < kinds; k++) {
        int64_t amount = work->values[i * kinds + k];
        if (skedi_attr_takes(work->attr, kinds, amount)) continue;
        skedi_fault at = row_fault(work, i);
        at.kind = (int32_t)k + 1;
        at.got = amount;
        at.limit = amount < 0 ? 0 : SKED_AMOUNT_MAX;
        return skedi_fail(err, SKED_ERR_RANGE, "amount is out of range", at);
    }
    return SKED_OK;
}

static sked_status set_check(const sked_tree *tree, const set_work *work,
                             sked_error *err)
{
    uint32_t slot;

    for (size_t i = 0; i < work->n; i++) {
        sked_status rc = skedi_tree_open(tree, work->queues[i], 0, &slot, err);
        if (rc != SKED_OK) return at_row(work, i, rc, err);
        rc = work->attr->shape == SKEDI_SHAPE_NUMBER
                 ? number_check(tree, work, i, err)
                 : amounts_check(tree, work, i, err);
        if (rc != SKED_OK) return rc;
    }
    return SKED_OK;
}

/* A guarantee or a limit is either a part or an amount. Setting either form
 * clears the attribute `other`. */
static int other_of(const skedi_attr *attr, uint32_t *other)
{
    switch (attr->id) {
    case SKED_QUEUE_GUARANTEE_PPM: *other = SKEDI_AT_GUARANTEE; return 1;
    case SKED_QUEUE_LIMIT_PPM: *other = SKEDI_AT_LIMIT; return 1;
    case SKED_QUEUE_GUARANTEE: *other = SKEDI_AT_GUARANTEE_PPM; return 1;
    case SKED_QUEUE_LIMIT: *other = SKEDI_AT_LIMIT_PPM; return 1;
    default: return 0;
    }
}

void skedi_tree_number_put(sked_tree *tree, uint32_t slot, uint32_t index,
                           int64_t value)
{
    skedi_draft *draft = &tree->draft;

    if (skedi_draft_number(draft, index, slot) == value) return;
    draft->number[index].at[slot] = value;
    draft->used |= SKEDI_TOUCH_NUMBER(index);
    skedi_draft_touch(draft, slot, SKEDI_TOUCH_NUMBER(index));
    skedi_tree_note(tree, SKEDI_EDIT_SET + (int)index, slot, (uint64_t)value);
}

/* `amounts` NULL: at rest. */
static void amounts_put(sked_tree *tree, uint32_t slot, uint32_t index,
                        const int64_t *amounts)
{
    skedi_draft *draft = &tree->draft;
    int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + index));
    int what = SKEDI_EDIT_SET + SKEDI_NUMBERS + (int)index, changed = 0;

    if (!draft->amount[index].at) return; /* stays at rest */
    int64_t *at = draft->amount[index].at + (size_t)slot * draft->kinds;
    for (uint32_t k = 0; k < draft->kinds; k++) {
        int64_t value = amounts ? amounts[k] : rest;
        if (at[k] == value) continue;
        at[k] = value;
        changed = 1;
        skedi_tree_note(tree, what, slot, k);
        draft->key = skedi_key_mix(draft->key, (uint64_t)value);
    }
    if (!changed) return;
    draft->used |= SKEDI_TOUCH_AMOUNT(index);
    skedi_draft_touch(draft, slot, SKEDI_TOUCH_AMOUNT(index));
}

static void number_write(sked_tree *tree, const set_work *work, size_t i)
{
    uint32_t slot = (uint32_t)work->queues[i], other;
    int64_t value = work->values[i];

    if (value == SKED_UNSET) {
        value = skedi_attr_rest(work->attr);
    } else if (other_of(work->attr, &other)) {
        amounts_put(tree, slot, other, NULL);
    }
    skedi_tree_number_put(tree, slot, work->index, value);
}

static void amounts_write(sked_tree *tree, const set_work *work, size_t i)
{
    uint32_t slot = (uint32_t)work->queues[i], other;
    const int64_t *values = work->values;

    if (values && other_of(work->attr, &other)) {
        skedi_tree_number_put(tree, slot, other, SKED_UNSET);
    }
    if (values) values += i * tree->draft.kinds;
    amounts_put(tree, slot, work->index, values);
}

/* Are all values at rest? The column is then not needed. */
static int all_rest(const sked_tree *tree, const set_work *work)
{
    int64_t rest = skedi_attr_rest(work->attr);
    int number = work->attr->shape == SKEDI_SHAPE_NUMBER;
    size_t n = number ? work->n : work->n * tree->draft.kinds;

    for (size_t i = 0; work->values && i < n; i++) {
        int unset = number && work->values[i] == SKED_UNSET;
        if (!unset && work->values[i] != rest) return 0;
    }
    return 1;
}

static int column_reserve(sked_tree *tree, const set_work *work)
{
    skedi_mem *mem = &tree->hooks.mem;

    if (all_rest(tree, work)) return 1;
    if (work->attr->shape == SKEDI_SHAPE_NUMBER) {
        return skedi_draft_number_ensure(&tree->draft, mem, work->index);
    }
    return skedi_draft_amount_ensure(&tree->draft, mem, work->index);
}

static sked_status set_rows(sked_tree *tree, const set_work *work,
                            sked_error *err)
{
    sked_status rc = set_check(tree, work, err);

    if (rc != SKED_OK) return rc;
    if (!column_reserve(tree, work)) {
        return skedi_fail_memory(err);
    }
    for (size_t i = 0; i < work->n; i++) {
        if (work->attr->shape == SKEDI_SHAPE_NUMBER) {
            number_write(tree, work, i);
        } else {
            amounts_write(tree, work, i);
        }
    }
    return SKED_OK;
}

/* Finds the attribute of the work, or fails. */
static sked_status work_check(const sked_tree *tree, set_work *work,
                              int32_t attribute, uint8_t shape, sked_error *err)
{
    work->attr = skedi_attr_of(attribute, shape);
    if (!tree) return skedi_fail_null(err, "tree");
    if (!work->attr) {
        skedi_fault at = {.got = attribute};
        return skedi_fail(err, SKED_ERR_ARG, "no such attribute", at);
    }
    work->index = skedi_attr_index(work->attr);
    if (work->n == 0 || (work->queues && (work->values || work->lone))) {
        return SKED_OK;
    }
    return skedi_fail_null(err, work->queues ? "values" : "queues");
}

sked_status sked_tree_set(sked_tree *tree, sked_queue_id queue,
                          int32_t attribute, int64_t value, sked_error *err)
{
    set_work work = {.queues = &queue, .values = &value, .n = 1, .lone = 1};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_NUMBER,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

sked_status sked_tree_set_vec(sked_tree *tree, sked_queue_id queue,
                              int32_t attribute, const int64_t *amounts,
                              sked_error *err)
{
    set_work work = {.queues = &queue, .values = amounts, .n = 1, .lone = 1};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_AMOUNTS,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

sked_status sked_tree_set_column(sked_tree *tree, int32_t attribute,
                                 const sked_queue_id *queues,
                                 const int64_t *values, size_t n,
                                 sked_error *err)
{
    set_work work = {.queues = queues, .values = values, .n = n};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_NUMBER,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

sked_status sked_tree_set_column_vec(sked_tree *tree, int32_t attribute,
                                     const sked_queue_id *queues,
                                     const int64_t *amounts, size_t n,
                                     sked_error *err)
{
    set_work work = {.queues = queues, .values = amounts, .n = n};
    sked_status rc = work_check(tree, &work, attribute, SKEDI_SHAPE_AMOUNTS,
                                err);

    return rc == SKED_OK ? set_rows(tree, &work, err) : rc;
}

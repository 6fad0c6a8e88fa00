/*
 * A hash of the content of draft and commit: queues with ids, names, order and
 * attributes. Slots, memory, history and lines do not count.
 */
#include <string.h>

#include "base/hash.h"
#include "tree/handle.h"
#include "tree/users.h"

static void digest_text(skedi_hash *hash, const char *text)
{
    skedi_hash_bytes(hash, text, strlen(text) + 1);
}

static void digest_texts(skedi_hash *hash, const sked_tree *tree,
                         skedi_text name, skedi_text label, skedi_text users)
{
    const char *list = skedi_tree_users(tree, users);
    uint32_t none = 0;

    digest_text(hash, skedi_tree_text(tree, name));
    digest_text(hash, skedi_tree_text(tree, label));
    if (list) {
        skedi_hash_bytes(hash, list, skedi_users_bytes(list));
    } else {
        skedi_hash_u32(hash, none);
    }
}

static void digest_slot(skedi_hash *hash, const sked_tree *tree, uint32_t slot)
{
    const skedi_draft *draft = &tree->draft;
    const skedi_slot *q = &draft->slot[slot];

    skedi_hash_u64(hash, skedi_slot_id(draft, slot));
    skedi_hash_u32(hash, q->n_children);
    digest_texts(hash, tree, q->name, q->label, q->users);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        skedi_hash_u64(hash, (uint64_t)skedi_draft_number(draft, i, slot));
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        const int64_t *at = skedi_draft_amounts(draft, i, slot);
        int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + i));
        for (uint32_t k = 0; k < draft->kinds; k++) {
            skedi_hash_u64(hash, (uint64_t)(at ? at[k] : rest));
        }
    }
}

static void digest_row(skedi_hash *hash, const sked_tree *tree, uint32_t row)
{
    const skedi_image *image = skedi_tree_live(tree);

    skedi_hash_u64(hash, image->id[row]);
    skedi_hash_u32(hash, skedi_image_children(image, row));
    digest_texts(hash, tree, image->name[row], image->label[row],
                 image->users[row]);
    for (uint32_t i = 0; i < SKEDI_NUMBERS; i++) {
        skedi_hash_u64(hash, (uint64_t)skedi_image_number(image, i, row));
    }
    for (uint32_t i = 0; i < SKEDI_AMOUNTS; i++) {
        int64_t rest = skedi_attr_rest(skedi_attr_at(SKEDI_NUMBERS + i));
        for (uint32_t k = 0; k < image->kinds; k++) {
            const int64_t *at = skedi_image_amounts(image, i, k);
            skedi_hash_u64(hash, (uint64_t)(at ? at[row] : rest));
        }
    }
}

uint64_t sked_tree_digest(const sked_tree *tree)
{
    skedi_hash hash;

    if (!tree) return 0;
    skedi_hash_start(&hash, 0);
    for (uint32_t s = 0; s != SKEDI_NO_SLOT;
         s = skedi_draft_next(&tree->draft, 0, s, 0)) {
        digest_slot(&hash, tree, s);
    }
    for (uint32_t r = 0; r < skedi_tree_live(tree)->n; r++) {
        digest_row(&hash, tree, r);
    }
    return skedi_hash_end(&hash);
}

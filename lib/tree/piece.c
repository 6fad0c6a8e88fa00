/* Looking queues up by name, in draft and commit. */
#include <string.h>

#include "base/hash.h"
#include "tree/handle.h"

skedi_piece skedi_piece_of(const char *name)
{
    skedi_piece piece = {name, strlen(name), 0};

    return piece;
}

int skedi_piece_is(skedi_piece piece, const char *name)
{
    for (size_t i = 0; i < piece.length; i++, name++) {
        if (piece.escaped && piece.at[i] == '\\') i++;
        if (piece.at[i] != *name) return 0; /* a name's NUL differs too */
    }
    return *name == 0;
}

static void hash_escaped(skedi_hash *hash, skedi_piece piece)
{
    for (size_t i = 0; i < piece.length; i++) {
        if (piece.at[i] == '\\') i++;
        skedi_hash_bytes(hash, piece.at + i, 1);
    }
}

uint32_t skedi_piece_hash(skedi_piece piece, uint32_t parent_slot)
{
    skedi_hash hash;

    if (!piece.escaped) {
        return (uint32_t)skedi_hash_of(piece.at, piece.length, parent_slot);
    }
    skedi_hash_start(&hash, parent_slot);
    hash_escaped(&hash, piece);
    return (uint32_t)skedi_hash_end(&hash);
}

uint32_t skedi_draft_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece)
{
    const skedi_draft *draft = &tree->draft;
    uint32_t hash = skedi_piece_hash(piece, parent), slot;

    for (size_t at = hash; skedi_names_next(&draft->names, hash, &at, &slot);) {
        const skedi_slot *q = &draft->slot[slot];
        if (!(q->flags & SKEDI_SLOT_LIVE) || q->parent != parent) continue;
        if (skedi_piece_is(piece, skedi_tree_text(tree, q->name))) return slot;
    }
    return SKEDI_NO_SLOT;
}

uint32_t skedi_image_child(const sked_tree *tree, uint32_t parent,
                           skedi_piece piece)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t hash = skedi_piece_hash(piece, (uint32_t)image->id[parent]), slot;
    const skedi_names *names = &tree->draft.names;

    for (size_t at = hash; skedi_names_next(names, hash, &at, &slot);) {
        if (slot >= image->n_slots) continue;
        uint32_t row = image->row_of[slot];
        if (row == SKEDI_NO_ROW || image->parent[row] != (int32_t)parent) {
            continue;
        }
        const char *name = skedi_tree_text(tree, image->name[row]);
        if (skedi_piece_is(piece, name)) return row;
    }
    return SKEDI_NO_ROW;
}

void skedi_names_forget(sked_tree *tree, uint32_t slot)
{
    const skedi_image *image = skedi_tree_live(tree);
    uint32_t row = image->row_of[slot];
    uint32_t parent = (uint32_t)image->id[image->parent[row]];
    const char *name = skedi_tree_text(tree, image->name[row]);

    skedi_names_drop(&tree->draft.names,
                     skedi_piece_hash(skedi_piece_of(name), parent), slot);
}

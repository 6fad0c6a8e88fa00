/* Writing paths, in draft and commit. */
#include "tree/path_text.h"

#include <string.h>

enum { PATH_LEVELS = 4 * SKED_MAX_DEPTH }; /* what a depth can count */

static int is_path_special(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f || strchr(" =\"#\\", c);
}

void skedi_write_name(skedi_writer *w, const char *name, int dots)
{
    for (; *name; name++) {
        int escaped = is_path_special(*name) || (dots && *name == '.');
        if (escaped) skedi_write_char(w, '\\');
        skedi_write_char(w, *name);
    }
}

static void write_pieces(skedi_writer *w, const sked_tree *tree,
                         const skedi_text *names, size_t n)
{
    while (n-- > 0) {
        skedi_write_name(w, skedi_tree_text(tree, names[n]), 1);
        if (n > 0) skedi_write_char(w, '.');
    }
}

void skedi_write_draft_path(skedi_writer *w, const sked_tree *tree,
                            uint32_t slot)
{
    skedi_text names[PATH_LEVELS];
    size_t n = 0;

    for (; slot != SKEDI_NO_SLOT; slot = tree->draft.slot[slot].parent) {
        names[n++] = tree->draft.slot[slot].name;
    }
    write_pieces(w, tree, names, n);
}

void skedi_write_image_path(skedi_writer *w, const sked_tree *tree,
                            uint32_t row)
{
    const skedi_image *image = skedi_tree_live(tree);
    skedi_text names[SKED_MAX_DEPTH];
    size_t n = 0;

    for (; row != 0; row = (uint32_t)image->parent[row]) {
        names[n++] = image->name[row];
    }
    names[n++] = image->name[0];
    write_pieces(w, tree, names, n);
}

/*
 * Linear probing, at most half full; a removal shifts the cells behind it
 * back, so that there are no tombstones and a probe ends at the first empty
 * cell. Nothing ever iterates the table: its order means nothing.
 */
#include "tree/names.h"

#include <string.h>

static void cell_place(skedi_name_cell *cells, size_t cap, skedi_name_cell cell)
{
    size_t at = cell.hash & (cap - 1);

    while (cells[at].slot) at = (at + 1) & (cap - 1);
    cells[at] = cell;
}

int skedi_names_ensure(skedi_names *names, skedi_mem *mem, size_t n)
{
    size_t cap = names->cap ? names->cap : 8;

    while (cap < n * 2) cap *= 2;
    if (cap == names->cap) return 1;
    skedi_name_cell *cells = skedi_new(mem, cap, sizeof *cells);
    if (!cells) return 0;

    for (size_t i = 0; i < names->cap; i++) {
        if (names->cell[i].slot) cell_place(cells, cap, names->cell[i]);
    }
    skedi_free(mem, names->cell, names->cap, sizeof *cells);
    names->cell = cells;
    names->cap = cap;
    return 1;
}

void skedi_names_put(skedi_names *names, uint32_t hash, uint32_t slot)
{
    skedi_name_cell cell = {hash, slot + 1};

    cell_place(names->cell, names->cap, cell);
    names->n++;
}

void skedi_names_drop(skedi_names *names, uint32_t hash, uint32_t slot)
{
    size_t mask = names->cap - 1, hole = hash & mask;
    skedi_name_cell *cells = names->cell;

    while (cells[hole].slot != slot + 1 || cells[hole].hash != hash) {
        hole = (hole + 1) & mask;
    }
    for (size_t at = (hole + 1) & mask; cells[at].slot; at = (at + 1) & mask) {
        size_t home = cells[at].hash & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;
        cells[hole] = cells[at];
        hole = at;
    }
    cells[hole] = (skedi_name_cell){0};
    names->n--;
}

int skedi_names_next(const skedi_names *names, uint32_t hash, size_t *at,
                     uint32_t *slot)
{
    size_t mask = names->cap - 1, i = *at & mask;

    while (names->cell[i].slot) {
        size_t here = i;
        i = (i + 1) & mask;
        if (names->cell[here].hash != hash) continue;
        *slot = names->cell[here].slot - 1;
        *at = i;
        return 1;
    }
    return 0;
}

int skedi_names_copy(skedi_names *into, skedi_mem *mem, const skedi_names *from)
{
    skedi_name_cell *cells = skedi_new(mem, from->cap, sizeof *cells);

    if (!cells) return 0;
    memcpy(cells, from->cell, from->cap * sizeof *cells);
    *into = *from;
    into->cell = cells;
    return 1;
}

void skedi_names_free(skedi_names *names, skedi_mem *mem)
{
    skedi_free(mem, names->cell, names->cap, sizeof *names->cell);
    *names = (skedi_names){0};
}

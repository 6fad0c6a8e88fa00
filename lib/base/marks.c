/* Sets of numbers: memory for both levels, and the search from a given
 * number. */
#include "base/marks.h"

#include <string.h>

void skedi_marks_free(skedi_mem *mem, skedi_marks *marks)
{
    skedi_free(mem, marks->word, skedi_marks_words(marks->cap),
               sizeof *marks->word);
    skedi_free(mem, marks->summary, skedi_marks_words(marks->cap / 64),
               sizeof *marks->summary);
}

int skedi_marks_reserve(skedi_mem *mem, skedi_marks *marks, size_t cap)
{
    skedi_marks next = {.cap = cap};

    if (marks->word && cap <= marks->cap) return 1;
    next.word = skedi_new(mem, skedi_marks_words(cap), sizeof *next.word);
    next.summary = skedi_new(mem, skedi_marks_words(cap / 64),
                             sizeof *next.summary);
    if (!next.word || !next.summary) {
        skedi_marks_free(mem, &next);
        return 0;
    }
    if (marks->word) {
        memcpy(next.word, marks->word,
               skedi_marks_words(marks->cap) * sizeof *next.word);
        memcpy(next.summary, marks->summary,
               skedi_marks_words(marks->cap / 64) * sizeof *next.summary);
        skedi_marks_free(mem, marks);
    }
    *marks = next;
    return 1;
}

uint32_t skedi_marks_from(const skedi_marks *marks, uint32_t from)
{
    uint64_t here = marks->word[from / 64] >> from % 64;
    size_t next = (size_t)from / 64 + 1, s = next / 64;
    uint64_t words;

    if (here) return from + skedi_ctz64(here);
    if (s >= skedi_marks_words(marks->cap / 64)) return SKEDI_MARKS_END;
    words = marks->summary[s] & UINT64_MAX << next % 64;
    while (words == 0) {
        if (++s == skedi_marks_words(marks->cap / 64)) return SKEDI_MARKS_END;
        words = marks->summary[s];
    }
    next = s * 64 + skedi_ctz64(words);
    return (uint32_t)next * 64 + skedi_ctz64(marks->word[next]);
}

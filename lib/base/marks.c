/* Memory for sets of numbers: both levels come and go together. */
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

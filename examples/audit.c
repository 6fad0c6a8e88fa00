/* Judges the history of a scheduler that puts two tasks of three cores on a
 * node of four, and prints the story. */
#include <sched/audit.h>

#include <stdio.h>

int main(void)
{
    const int64_t amounts[] = {4, 3}; /* the node, a task */
    const sked_audit_row rows[] = {
        {.type = SKED_AUDIT_ROW_NODE, .key = 7, .amounts = 0},
        {.type = SKED_AUDIT_ROW_JOB, .key = 1, .amounts = -1},
        {.type = SKED_AUDIT_ROW_TASKS,
         .key = 1,
         .of = 1,
         .count = 2,
         .amounts = 1},
        {.time = 5,
         .type = SKED_AUDIT_ROW_START,
         .key = 1,
         .on = 7,
         .count = 2,
         .amounts = -1},
    };
    sked_audit_options options = {
        .struct_size = sizeof options, .kinds = 1, .idle_ns = 10};
    sked_audit *audit;
    sked_error err;
    char line[256];

    if (sked_audit_new(&options, NULL, &audit, &err) != SKED_OK ||
        sked_audit_add(audit, rows, 4, amounts, 2, NULL, &err) != SKED_OK ||
        sked_audit_end(audit, 9, &err) != SKED_OK) {
        fprintf(stderr, "row %lld: %s\n", (long long)err.row, err.message);
        return 1;
    }
    for (size_t i = 0;
         sked_audit_format(audit, i, line, sizeof line, NULL) == SKED_OK; i++) {
        puts(line);
    }
    uint64_t n = sked_audit_count(audit, SKED_AUDIT_CODE_NODE_OVER);
    sked_audit_free(audit);
    return n == 1 ? 0 : 1;
}

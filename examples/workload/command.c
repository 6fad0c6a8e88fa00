/* Command lines: every argument is an option with a value, or a flag. */
#include "command.h"

#include <stdio.h>
#include <string.h>

#include <sched/sked.h>

enum { COMMAND_DONE = 1, COMMAND_BAD = 3 }; /* exit status plus one */

int command_fault(const char *program, const char *name, const char *why)
{
    fprintf(stderr, "%s: %s %s (see --help)\n", program, name, why);
    return COMMAND_BAD;
}

/* Answers --help and --version. Returns 0 for any other argument. */
static int command_answer(const command *c, const char *name)
{
    if (!strcmp(name, "--help")) {
        fputs(c->usage, stdout);
        return COMMAND_DONE;
    }
    if (!strcmp(name, "--version")) {
        printf("%s %d.%d.%d\n", c->program, SKED_VERSION_MAJOR,
               SKED_VERSION_MINOR, SKED_VERSION_PATCH);
        return COMMAND_DONE;
    }
    return 0;
}

int command_read(const command *c, void *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        int rc = command_answer(c, name);
        if (rc) return rc;
        if (!c->has_value(name)) {
            rc = c->read_flag(options, name);
        } else if (i + 1 == argc) {
            rc = command_fault(c->program, name, c->no_value);
        } else {
            rc = c->read_valued(options, name, argv[++i]);
        }
        if (rc) return rc;
    }
    return 0;
}

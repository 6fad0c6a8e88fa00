/* Command lines: an argument is an option with a value, a flag or the file. */
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

/* Reads a flag, or else takes the argument as the file. */
static int command_flag(const command *c, void *options, const char **file,
                        const char *name)
{
    int rc = c->read_flag(options, name);

    if (rc >= 0) return rc;
    if (name[0] == '-' && name[1]) {
        return command_fault(c->program, name, c->no_option);
    }
    if (*file) return command_fault(c->program, name, c->second_file);
    *file = name;
    return 0;
}

int command_read(const command *c, void *options, const char **file, int argc,
                 char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *name = argv[i];
        int rc = command_answer(c, name);
        if (rc) return rc;
        if (!c->has_value(name)) {
            rc = command_flag(c, options, file, name);
        } else if (i + 1 == argc) {
            rc = command_fault(c->program, name, c->no_value);
        } else {
            rc = c->read_valued(options, name, argv[++i]);
        }
        if (rc) return rc;
    }
    return 0;
}

#ifndef WORKLOAD_COMMAND_H
#define WORKLOAD_COMMAND_H

/* The command line of a program: options with a value, flags, one file. */

/* The part of a command line in which programs differ. A reader returns 0,
 * or the number from command_fault(). `read_flag` returns -1 for an unknown
 * name. */
typedef struct command {
    const char *program;
    const char *usage;       /* the text of --help */
    const char *no_value;    /* fault of a last option without a value */
    const char *no_option;   /* fault of an unknown option */
    const char *second_file; /* fault of another file */
    int (*has_value)(const char *name);
    int (*read_valued)(void *options, const char *name, const char *value);
    int (*read_flag)(void *options, const char *name);
} command;

/* Prints one line about an option. Returns the exit status 2 plus one. */
int command_fault(const char *program, const char *name, const char *why);

/*
 * Reads all arguments in order into `options` and stops at the first fault. An
 * argument without a leading "-", or "-" alone, goes to `*file`, which is NULL
 * before the call. Prints the answer to --help or --version. Returns 0 if the
 * program goes on, else the exit status plus one.
 */
int command_read(const command *c, void *options, const char **file, int argc,
                 char **argv);

#endif

/* The command-line programs, as they are, for `python -m sked`. Each may run
 * once in a process: a program begins with its variables as they were made. */
#include "core.h"

#include <stdio.h>

int sked_program_replay(int argc, char **argv);

enum { MOST_WORDS = 1024 };

CALL(program)
{
    const char *name;
    PyObject *words;
    char *word[MOST_WORDS + 1];
    READ("sO", &name, &words);

    Py_ssize_t n = PyTuple_Check(words) ? PyTuple_Size(words) : -1;
    if (n < 0 || n > MOST_WORDS) {
        PyErr_SetString(PyExc_ValueError,
                        "needs a tuple of not too many words");
        return args_fail(&a);
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        word[i] = PyBytes_AsString(PyTuple_GetItem(words, i));
        if (!word[i]) return args_fail(&a);
    }
    word[n] = NULL;
    args_go(&a);
    int status = sked_program_replay((int)n, word);
    fflush(stdout);
    fflush(stderr);
    args_back(&a);
    return args_end(&a, "i", status);
}

PyMethodDef program_methods[] = {METHOD(program), {NULL, NULL, 0, NULL}};

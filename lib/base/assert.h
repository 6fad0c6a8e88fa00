#ifndef SKEDI_ASSERT_H
#define SKEDI_ASSERT_H

/*
 * SKEDI_ASSERT(condition) states a precondition or an invariant. A build with
 * SKEDI_DEBUG (debug builds, sanitizers, fuzzing) evaluates the condition and
 * traps if the condition is false. A debugger or a sanitizer then shows the
 * line. Other builds compile the condition and never evaluate the condition;
 * the library then imports no function for assertions. A condition has no side
 * effect. Bad input of a host is an error with a status, never an assertion.
 */

#if !defined(SKEDI_DEBUG)
#define SKEDI_ASSERT(condition) ((void)sizeof(!(condition)))
#elif defined(__GNUC__)
#define SKEDI_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#define SKEDI_ASSERT(condition)                                                \
    ((condition) ? (void)0 : (void)*(volatile char *)0)
#endif

#endif

/* context_test.h - a context for all tests of a program, created and destroyed with the group. */
#ifndef PLUMB_SOLVER_CONTEXT_TEST_H
#define PLUMB_SOLVER_CONTEXT_TEST_H

#include <stdint.h>

#include "plumb.h"

static plumb_context *context;

static int32_t backend = PLUMB_BACKEND_AUTO; /* a program may set another one before it makes the context */

static inline int make_context(void **state)
{
    (void)state;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = backend;
    return plumb_context_create(&options, &context) == PLUMB_OK ? 0 : -1;
}

static inline int end_context(void **state)
{
    (void)state;
    plumb_context_destroy(context);
    return 0;
}

#endif

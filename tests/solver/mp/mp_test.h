/* mp_test.h - systems from texts, for the tests of arithmetic with any number of digits. */
#ifndef PLUMB_SOLVER_MP_TEST_H
#define PLUMB_SOLVER_MP_TEST_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static inline plumb_system *parse(const char *text)
{
    plumb_system *s = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &s, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return s;
}

#endif

/* t_memory.c - the memory that there is, and refusals that tell what is needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory/memory.h"

static void there_is_memory(void **state)
{
    (void)state;
    const int64_t there = plumb_memory_available();
    assert_true(there > 1 << 24);
    assert_true(plumb_memory_has(0) && plumb_memory_has(1 << 20));
    assert_false(plumb_memory_has(INT64_MAX - 1) && there < INT64_MAX);
}

static void refusals_tell_what_is_needed(void **state)
{
    (void)state;
    char line[128] = "";
    assert_int_equal(plumb_memory_check(1 << 20, "a test", line, sizeof line), PLUMB_OK);
    assert_string_equal(line, "");
    assert_int_equal(plumb_memory_check(INT64_C(8) << 50, "a test", line, sizeof line), PLUMB_ERR_MEMORY);
    assert_non_null(strstr(line, "a test needs 9.01e+06 GB of memory, "));
    assert_non_null(strstr(line, " GB are available"));
    assert_string_equal(line, plumb_last_message());
}

static void sizes_saturate(void **state)
{
    (void)state;
    assert_true(plumb_memory_add(1, 2, 3) == 7 && plumb_memory_add(0, INT64_MAX, 1) == INT64_MAX);
    assert_true(plumb_memory_add(1, INT64_MAX, 1) == INT64_MAX &&
                plumb_memory_add(0, INT64_C(1) << 40, 1 << 30) == INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_memory),
        cmocka_unit_test(refusals_tell_what_is_needed),
        cmocka_unit_test(sizes_saturate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

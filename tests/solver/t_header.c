/* t_header.c - tests the constants and texts of the public header, and that all of it compiles. */
#include "plumb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

_Static_assert(PLUMB_D == 1 && PLUMB_DD == 2 && PLUMB_QD == 4, "a precision is its number of limbs");
_Static_assert(offsetof(plumb_context_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_lsq_report, size) == 0, "so do reports");
_Static_assert(offsetof(plumb_lsq_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_track_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_newton_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_homotopy_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_mixed_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_certify_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_solve_options, size) == 0, "option structs begin with their size");

/* Structs that the library fills end with room for later versions. */
#define ENDS_WITH_ROOM(type)                                                                   \
    _Static_assert(offsetof(type, reserved) + sizeof(((type *)0)->reserved) == sizeof(type) && \
                       sizeof(((type *)0)->reserved) >= 16,                                    \
                   "room to grow at the end of " #type)
ENDS_WITH_ROOM(plumb_isa_info);
ENDS_WITH_ROOM(plumb_device_info);
ENDS_WITH_ROOM(plumb_text_error);
ENDS_WITH_ROOM(plumb_newton_report);
ENDS_WITH_ROOM(plumb_mixed_report);
ENDS_WITH_ROOM(plumb_path_record);
ENDS_WITH_ROOM(plumb_path_step);
ENDS_WITH_ROOM(plumb_matrix_info);
ENDS_WITH_ROOM(plumb_matrix);
ENDS_WITH_ROOM(plumb_solution_record);
ENDS_WITH_ROOM(plumb_solve_report);
ENDS_WITH_ROOM(plumb_certificate);
_Static_assert(sizeof(plumb_path_record) % 8 == 0, "records have no padding at their end");

static void status_text_is_there_for_every_code(void **state)
{
    (void)state;
    for (int code = 0; code < PLUMB_STATUS_COUNT; code++) {
        const char *text = plumb_status_text((plumb_status)code);
        assert_non_null(text);
        for (int other = 0; other < code; other++)
            assert_string_not_equal(text, plumb_status_text((plumb_status)other));
    }
    assert_non_null(plumb_status_text((plumb_status)-1));
    assert_non_null(plumb_status_text(PLUMB_STATUS_COUNT));
}

static void prec_name_goes_both_ways(void **state)
{
    (void)state;
    for (int32_t prec = -1; prec < 9; prec++) {
        const char *name = plumb_prec_name(prec);
        int known = prec == PLUMB_D || prec == PLUMB_DD || prec == PLUMB_QD;
        assert_int_equal(name != NULL, known);
        if (known)
            assert_int_equal(plumb_prec_from_name(name), prec);
    }
    assert_int_equal(plumb_prec_from_name("td"), 0);
    assert_int_equal(plumb_prec_from_name(""), 0);
}

static void op_name_is_there_for_every_operation(void **state)
{
    (void)state;
    for (int op = 0; op < PLUMB_OP_COUNT; op++)
        assert_non_null(plumb_op_name((plumb_op)op));
    assert_null(plumb_op_name(PLUMB_OP_COUNT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_text_is_there_for_every_code),
        cmocka_unit_test(prec_name_goes_both_ways),
        cmocka_unit_test(op_name_is_there_for_every_operation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* t_header.c - tests the constants and texts of the public header, and that all of it compiles. */
#include "plumb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

_Static_assert(PLUMB_D == 1 && PLUMB_DD == 2 && PLUMB_QD == 4, "a precision is its number of limbs");
_Static_assert(offsetof(plumb_context_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_lsq_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_gemm_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_triangle_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_lsq_auto_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_track_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_newton_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_homotopy_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_mixed_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_digits_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_certify_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_start_options, size) == 0, "option structs begin with their size");
_Static_assert(offsetof(plumb_solve_options, size) == 0, "option structs begin with their size");

/* Structs that the library fills end with room for later versions. */
#define ENDS_WITH_ROOM(type)                                                                   \
    _Static_assert(offsetof(type, reserved) + sizeof(((type *)0)->reserved) == sizeof(type) && \
                       sizeof(((type *)0)->reserved) >= 16,                                    \
                   "room to grow at the end of " #type)
ENDS_WITH_ROOM(plumb_isa_info);
ENDS_WITH_ROOM(plumb_device_info);
ENDS_WITH_ROOM(plumb_text_error);
ENDS_WITH_ROOM(plumb_gemm_report);
ENDS_WITH_ROOM(plumb_lsq_report);
ENDS_WITH_ROOM(plumb_newton_report);
ENDS_WITH_ROOM(plumb_mixed_report);
ENDS_WITH_ROOM(plumb_path_record);
ENDS_WITH_ROOM(plumb_path_step);
ENDS_WITH_ROOM(plumb_track_report);
ENDS_WITH_ROOM(plumb_matrix_info);
ENDS_WITH_ROOM(plumb_matrix);
ENDS_WITH_ROOM(plumb_solution_record);
ENDS_WITH_ROOM(plumb_solve_report);
ENDS_WITH_ROOM(plumb_certificate);
ENDS_WITH_ROOM(plumb_digits_report);
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

static const char *op_name(int32_t op)
{
    return plumb_op_name((plumb_op)op);
}

static const char *path_name(int32_t code)
{
    return code >= 0 && code < PLUMB_PATH_CODES ? plumb_path_text((plumb_path_code)code) : NULL;
}

static void names_go_both_ways(void **state)
{
    (void)state;
    static const struct {
        const char *(*name)(int32_t number);
        int32_t (*from_name)(const char *name);
        int32_t count;
        const char *last;
    } cases[] = {
        {plumb_status_name, plumb_status_from_name, PLUMB_STATUS_COUNT, "PLUMB_ERR_STOPPED"},
        {plumb_backend_name, plumb_backend_from_name, PLUMB_BACKEND_GPU + 1, "gpu"},
        {op_name, plumb_op_from_name, PLUMB_OP_COUNT, "dot"},
        {plumb_format_name, plumb_format_from_name, PLUMB_FORMAT_COUNT, "json"},
        {plumb_method_name, plumb_method_from_name, PLUMB_METHOD_LU + 1, "lu"},
        {plumb_operand_name, plumb_operand_from_name, PLUMB_OPERAND_ADJOINT + 1, "adjoint"},
        {plumb_gemm_method_name, plumb_gemm_method_from_name, PLUMB_GEMM_RESIDUES + 1, "residues"},
        {plumb_solution_kind_name, plumb_solution_kind_from_name, PLUMB_SOLUTION_CLUSTER + 1, "cluster"},
        {plumb_newton_name, plumb_newton_from_name, PLUMB_NEWTON_CODES, "nonfinite"},
        {plumb_digits_name, plumb_digits_from_name, PLUMB_DIGITS_CODES, "nonfinite"},
        {plumb_mixed_name, plumb_mixed_from_name, PLUMB_MIXED_NONZERO + 1, "nonzero"},
        {path_name, plumb_path_from_name, PLUMB_PATH_CODES, "beyond the largest size"},
        {plumb_start_name, plumb_start_from_name, PLUMB_START_POLYHEDRAL + 1, "polyhedral"},
        {plumb_certify_name, plumb_certify_from_name, PLUMB_CERTIFY_CODES, "not finite"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        for (int32_t number = 0; number < cases[k].count; number++) {
            assert_non_null(cases[k].name(number));
            assert_int_equal(cases[k].from_name(cases[k].name(number)), number);
        }
        assert_string_equal(cases[k].name(cases[k].count - 1), cases[k].last);
        assert_null(cases[k].name(-1));
        assert_null(cases[k].name(cases[k].count));
        assert_int_equal(cases[k].from_name(NULL), -1);
        assert_int_equal(cases[k].from_name(""), -1);
        assert_int_equal(cases[k].from_name("none of them"), -1);
    }
    char path[16];
    for (int32_t format = PLUMB_FORMAT_AUTO + 1; format < PLUMB_FORMAT_COUNT; format++) {
        snprintf(path, sizeof path, "a.%s", plumb_format_name(format));
        assert_int_equal(plumb_format_of_path(path), format);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_text_is_there_for_every_code),
        cmocka_unit_test(prec_name_goes_both_ways),
        cmocka_unit_test(op_name_is_there_for_every_operation),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

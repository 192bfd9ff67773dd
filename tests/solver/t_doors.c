/* t_doors.c - every public call refuses NULL and numbers that stand for nothing, with a line that says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_context *context;
static plumb_system *sys;
static plumb_homotopy *homotopy;
static plumb_solutions *solutions;
static plumb_view a, x, ends, device_like;

static int set_up(void **state)
{
    static const char text[] = "x^2 - 1;";
    static const char *const names[] = {"x"};
    (void)state;
    assert_int_equal(plumb_context_create(NULL, &context), PLUMB_OK);
    assert_int_equal(plumb_system_parse(text, strlen(text), &sys, NULL), PLUMB_OK);
    assert_int_equal(plumb_homotopy_create(sys, sys, NULL, &homotopy), PLUMB_OK);
    assert_int_equal(plumb_solutions_create(1, 1, PLUMB_D, names, &solutions), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, &a), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, &x), PLUMB_OK);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 1, 1, 1, &ends), PLUMB_OK);
    a.data[0] = x.data[0] = 1.0;
    device_like = a;
    device_like.where = 7;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    plumb_array_destroy(context, &a);
    plumb_array_destroy(context, &x);
    plumb_array_destroy(context, &ends);
    plumb_solutions_destroy(solutions);
    plumb_homotopy_destroy(homotopy);
    plumb_system_destroy(sys);
    plumb_context_destroy(context);
    return 0;
}

#define REFUSED(call) assert_int_equal(call, PLUMB_ERR_ARGUMENT)

static void calls_without_a_context(void **state)
{
    plumb_view v;
    plumb_matrix matrix;
    plumb_matrix_info info;
    plumb_system *made;
    plumb_solutions *list;
    plumb_solution_record record;
    plumb_homotopy *h;
    plumb_isa_info isa;
    double d = 1.0;
    char text[64];
    int64_t count;
    (void)state;
    REFUSED(plumb_isa_query(-1, &isa));
    REFUSED(plumb_isa_query(1000, &isa));
    REFUSED(plumb_isa_query(0, NULL));
    REFUSED(plumb_context_create(NULL, NULL));
    REFUSED(plumb_view_init(NULL, NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL));
    REFUSED(plumb_view_init(&v, NULL, 2, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL));
    REFUSED(plumb_view_init(&v, NULL, PLUMB_HOST, 3, PLUMB_REAL, 1, 1, 1, NULL));
    REFUSED(plumb_view_init(&v, NULL, PLUMB_HOST, PLUMB_D, 0, 1, 1, 1, NULL));
    REFUSED(plumb_view_init(&v, NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, -1, 1, 1, NULL));
    REFUSED(plumb_pack(NULL, &a));
    REFUSED(plumb_pack(&d, NULL));
    REFUSED(plumb_unpack(NULL, &d));
    REFUSED(plumb_unpack(&a, NULL));
    REFUSED(plumb_number_read("1", 1, 3, &d, NULL, NULL));
    REFUSED(plumb_number_read("1", 1, PLUMB_D, NULL, NULL, NULL));
    REFUSED(plumb_number_read(NULL, 1, PLUMB_D, &d, NULL, NULL));
    REFUSED(plumb_number_write(3, &d, 0, text, sizeof text, NULL));
    REFUSED(plumb_number_write(PLUMB_D, NULL, 0, text, sizeof text, NULL));
    REFUSED(plumb_number_write(PLUMB_D, &d, -1, text, sizeof text, NULL));
    REFUSED(plumb_number_write(PLUMB_D, &d, 0, NULL, 8, NULL));
    REFUSED(plumb_complex_write(PLUMB_D, &d, NULL, 0, text, sizeof text, NULL));
    REFUSED(plumb_number_write_hex(-1, &d, text, sizeof text, NULL));
    REFUSED(plumb_matrix_query(NULL, 3, &info, NULL));
    REFUSED(plumb_matrix_query("x", 1, NULL, NULL));
    REFUSED(plumb_matrix_read("%%MatrixMarket matrix array real general\n1 1\n1\n", 47, 3, &matrix, NULL));
    REFUSED(plumb_matrix_read("x", 1, PLUMB_D, NULL, NULL));
    REFUSED(plumb_table_read("1", 1, 3, &matrix, NULL));
    REFUSED(plumb_table_read("1", 1, PLUMB_D, NULL, NULL));
    REFUSED(plumb_table_read(NULL, 1, PLUMB_D, &matrix, NULL));
    REFUSED(plumb_matrix_read_file(NULL, PLUMB_D, &matrix, NULL));
    REFUSED(plumb_matrix_write(NULL, PLUMB_FORMAT_MTX, 0, text, sizeof text, NULL));
    REFUSED(plumb_matrix_write(&a, PLUMB_FORMAT_PHC, 0, text, sizeof text, NULL));
    REFUSED(plumb_matrix_write(&a, (plumb_format)-1, 0, text, sizeof text, NULL));
    REFUSED(plumb_matrix_write(&a, PLUMB_FORMAT_COUNT, 0, text, sizeof text, NULL));
    REFUSED(plumb_matrix_write(&a, PLUMB_FORMAT_MTX, -1, text, sizeof text, NULL));
    REFUSED(plumb_matrix_write(&a, PLUMB_FORMAT_MTX, 0, NULL, 8, NULL));
    REFUSED(plumb_matrix_write(&device_like, PLUMB_FORMAT_MTX, 0, text, sizeof text, NULL));
    REFUSED(plumb_matrix_write_file(&a, NULL, PLUMB_FORMAT_MTX, 0));
    REFUSED(plumb_system_parse(NULL, 3, &made, NULL));
    REFUSED(plumb_system_parse("x;", 2, NULL, NULL));
    REFUSED(plumb_system_parse_equations(NULL, 1, &made, NULL));
    REFUSED(plumb_system_parse_equations((const char *const[]){"x"}, INT64_MIN, &made, NULL));
    REFUSED(plumb_system_parse_equations((const char *const[]){"x"}, 1, NULL, NULL));
    REFUSED(plumb_system_create(0, 1, NULL, NULL, NULL, NULL, &made));
    REFUSED(plumb_system_create(1, 1, NULL, NULL, NULL, NULL, &made));
    REFUSED(plumb_system_create_exact(1, INT64_MAX, &(int64_t){0}, NULL, NULL, NULL, &made));
    REFUSED(plumb_system_write(NULL, PLUMB_FORMAT_PHC, text, sizeof text, NULL));
    REFUSED(plumb_system_write(sys, PLUMB_FORMAT_NPY, text, sizeof text, NULL));
    REFUSED(plumb_system_write(sys, PLUMB_FORMAT_PHC, NULL, 8, NULL));
    REFUSED(plumb_system_read_file(NULL, &made, NULL));
    REFUSED(plumb_system_write_file(sys, NULL, PLUMB_FORMAT_PHC));
    REFUSED(plumb_solutions_create(-1, 1, PLUMB_D, NULL, &list));
    REFUSED(plumb_solutions_create(1, 0, PLUMB_D, NULL, &list));
    REFUSED(plumb_solutions_create(1, 1, 3, NULL, &list));
    REFUSED(plumb_solutions_create(1, 1, PLUMB_D, NULL, NULL));
    REFUSED(plumb_solutions_create(1, 1, PLUMB_D, (const char *const[]){NULL}, &list));
    REFUSED(plumb_solutions_create(1, 1, PLUMB_D, (const char *const[]){"x\ny"}, &list));
    REFUSED(plumb_solutions_get(NULL, 0, &x));
    REFUSED(plumb_solutions_get(solutions, 0, NULL));
    REFUSED(plumb_solutions_get(solutions, INT64_MAX, &x));
    REFUSED(plumb_solutions_set(solutions, -1, &x));
    REFUSED(plumb_solutions_get_record(solutions, 1, &record));
    REFUSED(plumb_solutions_get_record(solutions, 0, NULL));
    REFUSED(plumb_solutions_set_record(solutions, INT64_MIN, &record));
    REFUSED(plumb_solutions_read(NULL, 1, PLUMB_D, &list, NULL));
    REFUSED(plumb_solutions_read("", 0, 5, &list, NULL));
    REFUSED(plumb_solutions_read("", 0, PLUMB_D, NULL, NULL));
    REFUSED(plumb_solutions_write(solutions, PLUMB_FORMAT_MTX, text, sizeof text, NULL));
    REFUSED(plumb_solutions_write(NULL, PLUMB_FORMAT_PHC, text, sizeof text, NULL));
    REFUSED(plumb_solutions_write_file(solutions, NULL, PLUMB_FORMAT_PHC));
    REFUSED(plumb_system_start(NULL, 1, &made));
    REFUSED(plumb_system_start(sys, 1, NULL));
    REFUSED(plumb_system_start_count(NULL, &count));
    REFUSED(plumb_system_start_count(sys, NULL));
    REFUSED(plumb_system_start_solutions(NULL, 0, &x));
    REFUSED(plumb_system_start_solutions(sys, 0, NULL));
    REFUSED(plumb_system_start_solutions(sys, INT64_MAX, &x));
    REFUSED(plumb_homotopy_create(NULL, sys, NULL, &h));
    REFUSED(plumb_homotopy_create(sys, NULL, NULL, &h));
    REFUSED(plumb_homotopy_create(sys, sys, NULL, NULL));
    assert_true(strlen(plumb_last_message()) > 0);
}

static void calls_with_a_context(void **state)
{
    plumb_view v;
    plumb_factor *factor;
    plumb_newton_report report;
    plumb_path_record record;
    plumb_info info;
    (void)state;
    REFUSED(plumb_array_create(NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, &v));
    REFUSED(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL));
    REFUSED(plumb_array_create(context, 2, PLUMB_D, PLUMB_REAL, 1, 1, 1, &v));
    REFUSED(plumb_array_create(context, PLUMB_HOST, 0, PLUMB_REAL, 1, 1, 1, &v));
    REFUSED(plumb_array_create(context, PLUMB_HOST, PLUMB_D, 3, 1, 1, 1, &v));
    REFUSED(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, -1, &v));
    REFUSED(plumb_copy(NULL, &a, &x, NULL));
    REFUSED(plumb_copy(context, NULL, &x, NULL));
    REFUSED(plumb_copy(context, &a, NULL, NULL));
    REFUSED(plumb_copy(context, &device_like, &x, NULL));
    REFUSED(plumb_map(context, (plumb_op)-1, &a, &a, NULL, &x, NULL));
    REFUSED(plumb_map(context, PLUMB_OP_COUNT, &a, &a, NULL, &x, NULL));
    REFUSED(plumb_map(context, PLUMB_OP_ADD, NULL, &a, NULL, &x, NULL));
    REFUSED(plumb_map(context, PLUMB_OP_ADD, &a, NULL, NULL, &x, NULL));
    REFUSED(plumb_map(context, PLUMB_OP_ADD, &a, &a, NULL, NULL, NULL));
    REFUSED(plumb_map(NULL, PLUMB_OP_ADD, &a, &a, NULL, &x, NULL));
    REFUSED(plumb_stream_wait(NULL, NULL));
    REFUSED(plumb_qr(NULL, &a, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(plumb_qr(context, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    REFUSED(plumb_lsq(NULL, &a, &a, &x, NULL, NULL, NULL, NULL));
    REFUSED(plumb_lsq(context, NULL, &a, &x, NULL, NULL, NULL, NULL));
    REFUSED(plumb_lsq(context, &a, NULL, &x, NULL, NULL, NULL, NULL));
    REFUSED(plumb_lsq(context, &a, &a, NULL, NULL, NULL, NULL, NULL));
    REFUSED(plumb_lsq(context, &device_like, &a, &x, NULL, NULL, NULL, NULL));
    REFUSED(plumb_lsq_auto(context, &a, &a, &x, NULL, NULL, -1.0, NULL, NULL));
    REFUSED(plumb_lsq_auto(context, &a, &a, &x, NULL, NULL, 0.0 / 0.0, NULL, NULL));
    REFUSED(plumb_lsq_auto(context, &a, NULL, &x, NULL, NULL, 10.0, NULL, NULL));
    REFUSED(plumb_lsq_batch(context, NULL, &a, &x, NULL, &info, NULL));
    REFUSED(plumb_lsq_batch(NULL, &a, &a, &x, NULL, &info, NULL));
    REFUSED(plumb_factor_create(context, NULL, NULL, NULL, &factor));
    REFUSED(plumb_factor_create(context, &a, NULL, NULL, NULL));
    REFUSED(plumb_factor_solve(context, NULL, &a, &x, NULL, NULL, NULL));
    REFUSED(plumb_system_eval(NULL, sys, &x, &a, NULL, NULL));
    REFUSED(plumb_system_eval(context, NULL, &x, &a, NULL, NULL));
    REFUSED(plumb_system_eval(context, sys, NULL, &a, NULL, NULL));
    REFUSED(plumb_system_eval(context, sys, &x, NULL, NULL, NULL));
    REFUSED(plumb_newton(NULL, sys, &x, NULL, &report));
    REFUSED(plumb_newton(context, NULL, &x, NULL, &report));
    REFUSED(plumb_newton(context, sys, NULL, NULL, &report));
    REFUSED(plumb_newton(context, sys, &x, NULL, NULL));
    REFUSED(plumb_newton_refine(context, sys, &x, 0.0, NULL, &report));
    REFUSED(plumb_newton_refine(context, sys, &x, 0.0 / 0.0, NULL, &report));
    REFUSED(plumb_newton_refine(context, sys, &x, 10.0, NULL, NULL));
    REFUSED(plumb_newton_step(context, NULL, &x, NULL, NULL, NULL));
    REFUSED(plumb_newton_step(context, sys, NULL, NULL, NULL, NULL));
    REFUSED(plumb_track(NULL, homotopy, &x, &ends, NULL, &record));
    REFUSED(plumb_track(context, NULL, &x, &ends, NULL, &record));
    REFUSED(plumb_track(context, homotopy, NULL, &ends, NULL, &record));
    REFUSED(plumb_track(context, homotopy, &x, NULL, NULL, &record));
    REFUSED(plumb_track(context, homotopy, &x, &ends, NULL, NULL));
    assert_true(strlen(plumb_context_message(context)) > 0);
}

static void questions_about_nothing_have_an_answer(void **state)
{
    (void)state;
    assert_string_equal(plumb_status_text((plumb_status)-1), "unknown status");
    assert_string_equal(plumb_status_text((plumb_status)1000), "unknown status");
    assert_null(plumb_prec_name(3));
    assert_int_equal(plumb_prec_from_name(NULL), 0);
    assert_null(plumb_op_name((plumb_op)-1));
    assert_null(plumb_op_name(PLUMB_OP_COUNT));
    assert_non_null(plumb_newton_text((plumb_newton_code)-1));
    assert_non_null(plumb_path_text((plumb_path_code)1000));
    assert_int_equal(plumb_format_of_path(NULL), PLUMB_FORMAT_AUTO);
    assert_string_equal(plumb_context_message(NULL), "");
    assert_null(plumb_context_isa(NULL));
    assert_int_equal(plumb_context_threads(NULL), 0);
    assert_int_equal(plumb_context_backend(NULL), 0);
    assert_int_equal(plumb_system_equations(NULL), 0);
    assert_int_equal(plumb_system_unknowns(NULL), 0);
    assert_null(plumb_system_name(NULL, 0));
    assert_null(plumb_system_name(sys, -1));
    assert_null(plumb_system_name(sys, INT64_MAX));
    assert_null(plumb_system_note(NULL, 0));
    assert_null(plumb_system_note(sys, INT64_MAX));
    assert_null(plumb_system_note(sys, INT64_MIN));
    assert_int_equal(plumb_system_degree(sys, INT64_MIN), -1);
    assert_int_equal(plumb_system_terms(NULL, 0), 0);
    assert_int_equal(plumb_solutions_count(NULL), 0);
    assert_null(plumb_solutions_name(solutions, 5));
    plumb_array_destroy(NULL, NULL);
    plumb_array_destroy(context, NULL);
    plumb_factor_destroy(NULL);
    plumb_matrix_destroy(NULL);
    plumb_solutions_destroy(NULL);
    plumb_system_destroy(NULL);
    plumb_homotopy_destroy(NULL);
    plumb_context_destroy(NULL);
    (void)plumb_device_count(NULL, 0);
    assert_int_not_equal(plumb_device_query(-1, NULL), PLUMB_OK);
    assert_int_not_equal(plumb_device_query(1000, &(plumb_device_info){.usable = 0}), PLUMB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_without_a_context),
        cmocka_unit_test(calls_with_a_context),
        cmocka_unit_test(questions_about_nothing_have_an_answer),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}

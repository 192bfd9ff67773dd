/* t_context.c - tests contexts, the arrays they create, and the information about the library and the computer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static void status_text_knows_every_code(void **state)
{
    (void)state;
    for (int s = 0; s < PLUMB_STATUS_COUNT; s++)
        assert_true(strlen(plumb_status_text((plumb_status)s)) > 3);
    assert_string_equal(plumb_status_text(PLUMB_OK), "success");
    assert_string_equal(plumb_status_text(PLUMB_ERR_STOPPED), "stopped on request");
    assert_string_equal(plumb_status_text(PLUMB_STATUS_COUNT), "unknown status");
    assert_string_equal(plumb_status_text((plumb_status)-1), "unknown status");
}

static void version_is_the_headers(void **state)
{
    (void)state;
    char expected[32];
    snprintf(expected, sizeof expected, "%d.%d.%d", PLUMB_VERSION_MAJOR, PLUMB_VERSION_MINOR, PLUMB_VERSION_PATCH);
    assert_string_equal(plumb_version(), expected);
}

static void prec_name_goes_there_and_back(void **state)
{
    (void)state;
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    for (int i = 0; i < 3; i++)
        assert_int_equal(plumb_prec_from_name(plumb_prec_name(precisions[i])), precisions[i]);
    assert_null(plumb_prec_name(3));
    assert_null(plumb_prec_name(0));
    assert_int_equal(plumb_prec_from_name("td"), 0);
    assert_int_equal(plumb_prec_from_name(NULL), 0);
}

static void op_name_follows_the_list(void **state)
{
    (void)state;
    assert_string_equal(plumb_op_name(PLUMB_OP_ADD), "add");
    assert_string_equal(plumb_op_name(PLUMB_OP_DOT), "dot");
    assert_null(plumb_op_name(PLUMB_OP_COUNT));
    assert_null(plumb_op_name((plumb_op)-1));
}

static void isa_query_has_one_best(void **state)
{
    (void)state;
    int best = 0;
    int32_t lanes = 0;
    plumb_isa_info info;
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        assert_int_equal(plumb_isa_query(i, &info), PLUMB_OK);
        assert_true(info.lanes >= lanes); /* slowest first */
        lanes = info.lanes;
        assert_true(!info.best || info.usable);
        best += info.best;
    }
    assert_int_equal(best, 1);
    assert_int_equal(plumb_isa_query(0, &info), PLUMB_OK);
    assert_string_equal(info.name, "scalar");
    assert_int_equal(plumb_isa_query(-1, &info), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_isa_query(plumb_isa_count(), &info), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_isa_query(0, NULL), PLUMB_ERR_ARGUMENT);
}

static void device_count_gives_a_reason(void **state)
{
    (void)state;
    char why[256] = "?";
    int32_t count = plumb_device_count(why, sizeof why);
    assert_true(count >= 0);
    assert_true(count > 0 ? why[0] == 0 : strlen(why) > 5 && !strchr(why, '\n'));
    printf("device_count_gives_a_reason: %d %s\n", (int)count, why);
    assert_int_equal(plumb_device_count(NULL, 0), count);
    plumb_device_info info;
    assert_int_equal(plumb_device_query(0, NULL), PLUMB_ERR_ARGUMENT);
    assert_int_not_equal(plumb_device_query(count, &info), PLUMB_OK);
    for (int32_t i = 0; i < count; i++) {
        assert_int_equal(plumb_device_query(i, &info), PLUMB_OK);
        assert_true(info.memory_total > 0 && info.name[0]);
        assert_true(info.usable ? !info.why[0] : info.why[0]);
    }
}

static plumb_context *create(const plumb_context_options *options)
{
    plumb_context *context = NULL;
    assert_int_equal(plumb_context_create(options, &context), PLUMB_OK);
    assert_non_null(context);
    return context;
}

static void create_takes_the_best_by_default(void **state)
{
    (void)state;
    plumb_context *context = create(NULL);
    for (int32_t i = 0; i < plumb_isa_count(); i++) {
        plumb_isa_info info;
        assert_int_equal(plumb_isa_query(i, &info), PLUMB_OK);
        assert_int_equal(info.best, strcmp(info.name, plumb_context_isa(context)) == 0);
    }
    assert_true(plumb_context_threads(context) >= 1);
    assert_string_equal(plumb_context_message(context), "");
    int32_t backend = plumb_context_backend(context);
    assert_true(backend == PLUMB_BACKEND_CPU || (backend == PLUMB_BACKEND_GPU && plumb_device_count(NULL, 0) > 0));
    plumb_context_destroy(context);
    plumb_context_destroy(NULL);
}

static void create_obeys_its_options(void **state)
{
    (void)state;
    plumb_context_options options;
    plumb_context_options_init(&options);
    assert_int_equal(options.size, sizeof options);
    char name[] = "scalar";
    options.isa = name, options.threads = 3, options.backend = PLUMB_BACKEND_CPU;
    plumb_context *context = create(&options);
    name[0] = 'x'; /* the context keeps no pointer to it */
    assert_string_equal(plumb_context_isa(context), "scalar");
    assert_int_equal(plumb_context_threads(context), 3);
    assert_int_equal(plumb_context_backend(context), PLUMB_BACKEND_CPU);
    assert_int_equal(plumb_stream_wait(context, NULL), PLUMB_OK);
    plumb_context_destroy(context);
}

static void create_takes_an_older_struct(void **state)
{
    (void)state;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.size = offsetof(plumb_context_options, isa);
    options.threads = 2;
    options.isa = (const char *)1; /* beyond the size: must not be looked at */
    plumb_context *context = create(&options);
    assert_int_equal(plumb_context_threads(context), 2);
    plumb_context_destroy(context);
}

static void create_refuses_bad_options(void **state)
{
    (void)state;
    plumb_context_options good, bad;
    plumb_context_options_init(&good);
    plumb_context *context = (plumb_context *)&good;
    assert_int_equal(plumb_context_create(&good, NULL), PLUMB_ERR_ARGUMENT);
    bad = good, bad.size = 0;
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_ARGUMENT);
    assert_null(context);
    struct {
        plumb_context_options options;
        uint64_t unknown;
    } longer = {good, 1}; /* a field of a later version that is set */
    longer.options.size = sizeof longer;
    assert_int_equal(plumb_context_create(&longer.options, &context), PLUMB_ERR_ARGUMENT);
    bad = good, bad.threads = -1;
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_ARGUMENT);
    bad = good, bad.threads = INT32_MAX;
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_ARGUMENT);
    bad = good, bad.backend = 3;
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_ARGUMENT);
    bad = good, bad.device = -1;
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_ARGUMENT);
    bad = good, bad.isa = "abacus";
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_UNSUPPORTED);
    bad = good, bad.backend = PLUMB_BACKEND_GPU, bad.device = 1000;
    assert_int_equal(plumb_context_create(&bad, &context), PLUMB_ERR_NO_DEVICE);
}

static void array_create_is_zero_and_aligned(void **state)
{
    (void)state;
    plumb_context *context = create(NULL);
    plumb_view view;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 7, 5, 3, &view), PLUMB_OK);
    assert_int_equal((uintptr_t)view.data % 64, 0);
    assert_int_equal(view.next, 7 * 5 * 8);
    for (int64_t i = 0; i < view.next * 3; i++)
        assert_true(view.data[i] == 0.0);
    plumb_array_destroy(context, &view);
    assert_null(view.data);
    plumb_array_destroy(context, &view);
    plumb_array_destroy(context, NULL);

    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 0, 5, 3, &view), PLUMB_OK);
    plumb_array_destroy(context, &view);
    plumb_context_destroy(context);
}

static void array_create_names_what_is_wrong(void **state)
{
    (void)state;
    plumb_context *context = create(NULL);
    plumb_view view;
    assert_int_equal(plumb_array_create(NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, &view), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "view"));
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, 5, PLUMB_REAL, 1, 1, 1, &view), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(plumb_context_message(context), "precision 5"));
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_REAL, INT64_MAX, INT64_MAX, 1, &view),
                     PLUMB_ERR_SIZE);
    assert_non_null(strstr(plumb_context_message(context), "too large"));
    if (plumb_device_count(NULL, 0) == 0) {
        char why[256];
        (void)plumb_device_count(why, sizeof why);
        assert_int_equal(plumb_array_create(context, PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 1, 1, 1, &view),
                         PLUMB_ERR_NO_DEVICE);
        assert_string_equal(plumb_context_message(context), why);
    }
    plumb_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(status_text_knows_every_code),     cmocka_unit_test(version_is_the_headers),
        cmocka_unit_test(prec_name_goes_there_and_back),    cmocka_unit_test(op_name_follows_the_list),
        cmocka_unit_test(isa_query_has_one_best),           cmocka_unit_test(device_count_gives_a_reason),
        cmocka_unit_test(create_takes_the_best_by_default), cmocka_unit_test(create_obeys_its_options),
        cmocka_unit_test(create_takes_an_older_struct),     cmocka_unit_test(create_refuses_bad_options),
        cmocka_unit_test(array_create_is_zero_and_aligned), cmocka_unit_test(array_create_names_what_is_wrong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* t_message.c - tests that a failure without a context has its line of text, in the thread that made the call, and
 * never an older one. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "plumb.h"

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

/* The call failed so, and its line holds a word. A line of another failure, made before, must not stand in for it. */
#define ASSERT_SAID(call, status, word)                                                       \
    do {                                                                                      \
        plumb_isa_info other;                                                                 \
        assert_int_equal(plumb_isa_query(-7, &other), PLUMB_ERR_ARGUMENT);                    \
        assert_non_null(strstr(plumb_last_message(), "-7"));                                  \
        assert_int_equal(call, status);                                                       \
        if (!strstr(plumb_last_message(), word) || strchr(plumb_last_message(), '\n'))        \
            fail_msg("%s: \"%s\", expected \"%s\" in it", #call, plumb_last_message(), word); \
    } while (0)

static void failures_without_a_context_have_a_line(void **state)
{
    (void)state;
    plumb_system *one = parse("x^2 - 1;"), *two = parse("x*y - 1; y + 2;"), *constant = parse("2\n x + y; 3;"), *made;
    plumb_homotopy *homotopy;
    plumb_context *context;
    plumb_view x;
    double limbs[PLUMB_QD] = {1.0};
    int64_t count;
    char buffer[4];

    plumb_context_options options;
    plumb_context_options_init(&options);
    options.isa = "abacus";
    ASSERT_SAID(plumb_context_create(&options, &context), PLUMB_ERR_UNSUPPORTED, "abacus");
    plumb_context_options_init(&options);
    options.threads = -1;
    ASSERT_SAID(plumb_context_create(&options, &context), PLUMB_ERR_ARGUMENT, "threads");
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_GPU;
    options.device = 1000;
    ASSERT_SAID(plumb_context_create(&options, &context), PLUMB_ERR_NO_DEVICE, "");
    assert_true(strlen(plumb_last_message()) > 5);
    ASSERT_SAID(plumb_context_create(NULL, NULL), PLUMB_ERR_ARGUMENT, "context");
    ASSERT_SAID(plumb_copy(NULL, NULL, NULL, NULL), PLUMB_ERR_ARGUMENT, "context");

    plumb_device_info device;
    ASSERT_SAID(plumb_device_query(1000, &device), PLUMB_ERR_NO_DEVICE, "");
    ASSERT_SAID(plumb_isa_query(0, NULL), PLUMB_ERR_ARGUMENT, "NULL");
    ASSERT_SAID(plumb_view_init(&x, NULL, PLUMB_HOST, 3, PLUMB_REAL, 1, 1, 1, NULL), PLUMB_ERR_ARGUMENT, "precision 3");
    ASSERT_SAID(plumb_view_init(&x, NULL, PLUMB_HOST, PLUMB_D, PLUMB_REAL, INT64_MAX, 2, 1, NULL), PLUMB_ERR_SIZE,
                "too large");
    assert_int_equal(plumb_view_init(&x, NULL, PLUMB_DEVICE, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, NULL), PLUMB_OK);
    x.data = limbs;
    ASSERT_SAID(plumb_pack(limbs, &x), PLUMB_ERR_ARGUMENT, "host");
    ASSERT_SAID(plumb_unpack(NULL, limbs), PLUMB_ERR_ARGUMENT, "NULL");

    ASSERT_SAID(plumb_number_read("1..5", 4, PLUMB_D, limbs, NULL, NULL), PLUMB_ERR_PARSE, "line 1, column 3");
    ASSERT_SAID(plumb_number_write(PLUMB_D, limbs, -1, buffer, sizeof buffer, NULL), PLUMB_ERR_ARGUMENT, "digits");
    ASSERT_SAID(plumb_number_write(PLUMB_D, limbs, 30, buffer, sizeof buffer, NULL), PLUMB_ERR_BUFFER, "buffer");
    ASSERT_SAID(plumb_system_parse("x +;", 4, &made, NULL), PLUMB_ERR_PARSE, "line 1, column 4");
    ASSERT_SAID(plumb_system_write(one, PLUMB_FORMAT_NPY, NULL, 0, NULL), PLUMB_ERR_ARGUMENT, "format");
    ASSERT_SAID(plumb_system_write(one, PLUMB_FORMAT_PHC, buffer, 2, NULL), PLUMB_ERR_BUFFER, "buffer");

    ASSERT_SAID(plumb_system_start(constant, 1, &made), PLUMB_ERR_ARGUMENT, "constant");
    ASSERT_SAID(plumb_system_start(NULL, 1, &made), PLUMB_ERR_ARGUMENT, "target");
    ASSERT_SAID(plumb_system_start_count(two, &count), PLUMB_ERR_ARGUMENT, "");
    assert_true(strlen(plumb_last_message()) > 10);
    x.where = PLUMB_HOST;
    ASSERT_SAID(plumb_system_start_solutions(one, 2, &x), PLUMB_ERR_ARGUMENT, "there are 2");
    ASSERT_SAID(plumb_homotopy_create(one, two, NULL, &homotopy), PLUMB_ERR_ARGUMENT, "equations");
    plumb_homotopy_options how;
    plumb_homotopy_options_init(&how);
    how.gamma[0] = (double)NAN;
    ASSERT_SAID(plumb_homotopy_create(one, one, &how, &homotopy), PLUMB_ERR_NONFINITE, "gamma");

    assert_int_equal(plumb_system_start_count(one, &count), PLUMB_OK);
    assert_string_equal(plumb_last_message(), ""); /* a call that succeeds takes the line away */
    plumb_system_destroy(one);
    plumb_system_destroy(two);
    plumb_system_destroy(constant);
}

static void *fail_elsewhere(void *data)
{
    (void)data;
    plumb_isa_info info;
    const int fresh = plumb_last_message()[0] == 0, failed = plumb_isa_query(-9, &info) == PLUMB_ERR_ARGUMENT;
    return fresh && failed && strstr(plumb_last_message(), "-9") ? data : NULL;
}

static void each_thread_has_its_own(void **state)
{
    (void)state;
    plumb_isa_info info;
    pthread_t thread;
    void *good = NULL;
    assert_int_equal(plumb_isa_query(-8, &info), PLUMB_ERR_ARGUMENT);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &info), 0);
    assert_int_equal(pthread_join(thread, &good), 0);
    assert_ptr_equal(good, &info);
    assert_non_null(strstr(plumb_last_message(), "-8"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(failures_without_a_context_have_a_line),
        cmocka_unit_test(each_thread_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

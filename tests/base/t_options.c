/* t_options.c - tests structs that begin with their size: shorter, longer and impossible ones, in the helper and in
 * every call that takes options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/options.h"

typedef struct small {
    size_t size;
    int64_t a, b;
} small;

/* The same of a later version. */
typedef struct large {
    small known;
    int64_t more;
} large;

static void take_copies_what_both_know(void **state)
{
    (void)state;
    char line[128] = "";
    small options = {sizeof options, 1, 2};
    assert_int_equal(plumb_options_take(NULL, &options, line, sizeof line), PLUMB_OK);
    assert_true(options.a == 1 && options.b == 2);

    small older = {offsetof(small, b), 7, 8};
    assert_int_equal(plumb_options_take(&older, &options, line, sizeof line), PLUMB_OK);
    assert_true(options.a == 7 && options.b == 2 && options.size == sizeof options);

    large newer = {{sizeof newer, 3, 4}, 0};
    assert_int_equal(plumb_options_take(&newer, &options, line, sizeof line), PLUMB_OK);
    assert_true(options.a == 3 && options.b == 4 && options.size == sizeof options);
    assert_string_equal(line, "");
}

static void take_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    char line[128] = "";
    small options = {sizeof options, 1, 2};
    large newer = {{sizeof newer, 3, 4}, 5};
    assert_int_equal(plumb_options_take(&newer, &options, line, sizeof line), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(line, plumb_version()));
    assert_true(options.a == 1 && options.b == 2);
    static const size_t sizes[] = {0, sizeof(size_t) - 1, (size_t)-1, 1 << 20};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        small bad = {sizes[k], 3, 4};
        assert_int_equal(plumb_options_take(&bad, &options, line, sizeof line), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(line, "_init"));
    }
}

static void report_fills_what_both_know(void **state)
{
    (void)state;
    const small report = {sizeof report, 5, 6};
    small older = {offsetof(small, b), 0, 9};
    plumb_report_give(&report, &older);
    assert_true(older.a == 5 && older.b == 9 && older.size == offsetof(small, b));
    large newer = {{sizeof newer, 0, 0}, 11};
    plumb_report_give(&report, &newer);
    assert_true(newer.known.a == 5 && newer.known.b == 6 && newer.more == 11);
    assert_int_equal(newer.known.size, sizeof report); /* tells how much was filled */
    plumb_report_give(&report, NULL);
    small never_set = {0, 1, 2};
    assert_int_equal(plumb_report_check(&never_set, NULL, 0), PLUMB_ERR_ARGUMENT);
    assert_int_equal(plumb_report_check(NULL, NULL, 0), PLUMB_OK);
}

/* ---- Every call that takes options --------------------------------------------------------------------------------------- */

typedef struct setting {
    plumb_context *context;
    plumb_system *system;
    plumb_homotopy *homotopy;
    plumb_view a, x;
} setting;

static plumb_status call_context(const setting *s, const void *options)
{
    (void)s;
    plumb_context *made = NULL;
    plumb_status status = plumb_context_create(options, &made);
    plumb_context_destroy(made);
    return status;
}

static plumb_status call_lsq(const setting *s, const void *options)
{
    plumb_view x = s->x;
    return plumb_lsq(s->context, &s->a, &s->a, &x, NULL, NULL, options, NULL);
}

static plumb_status call_qr(const setting *s, const void *options)
{
    return plumb_qr(s->context, &s->a, NULL, NULL, NULL, NULL, options, NULL);
}

static plumb_status call_batch(const setting *s, const void *options)
{
    plumb_view x = s->x;
    return plumb_lsq_batch(s->context, &s->a, &s->a, &x, NULL, NULL, options);
}

static plumb_status call_factor(const setting *s, const void *options)
{
    plumb_factor *factor = NULL;
    plumb_status status = plumb_factor_create(s->context, &s->a, options, NULL, &factor);
    plumb_factor_destroy(s->context, factor);
    return status;
}

static plumb_status call_newton(const setting *s, const void *options)
{
    plumb_view x = s->x;
    plumb_newton_report report;
    return plumb_newton(s->context, s->system, &x, options, &report);
}

static plumb_status call_homotopy(const setting *s, const void *options)
{
    plumb_homotopy *made = NULL;
    plumb_status status = plumb_homotopy_create(s->system, s->system, options, &made);
    plumb_homotopy_destroy(made);
    return status;
}

static plumb_status call_track(const setting *s, const void *options)
{
    plumb_path_record record;
    plumb_view ends;
    assert_int_equal(plumb_array_create(s->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, 1, 1, 1, &ends), PLUMB_OK);
    plumb_status status = plumb_track(s->context, s->homotopy, &s->x, &ends, options, &record);
    plumb_array_destroy(s->context, &ends);
    return status;
}

#define INIT(name)                             \
    static size_t name##_init(void *options)   \
    {                                          \
        plumb_##name##_options_init(options);  \
        return sizeof(plumb_##name##_options); \
    }
INIT(context)
INIT(lsq)
INIT(newton)
INIT(homotopy)
INIT(track)

static void every_call_has_the_same_rule(void **state)
{
    (void)state;
    static const struct {
        size_t (*init)(void *);
        plumb_status (*call)(const setting *, const void *);
    } calls[] = {{context_init, call_context},   {lsq_init, call_lsq},    {lsq_init, call_qr},
                 {lsq_init, call_batch},         {lsq_init, call_factor}, {newton_init, call_newton},
                 {homotopy_init, call_homotopy}, {track_init, call_track}};
    setting s = {0};
    static const char text[] = "x^2 - 1;";
    assert_int_equal(plumb_context_create(NULL, &s.context), PLUMB_OK);
    assert_int_equal(plumb_system_parse(text, strlen(text), &s.system, NULL), PLUMB_OK);
    assert_int_equal(plumb_homotopy_create(s.system, s.system, NULL, &s.homotopy), PLUMB_OK);
    assert_int_equal(plumb_array_create(s.context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, &s.a), PLUMB_OK);
    assert_int_equal(plumb_array_create(s.context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, &s.x), PLUMB_OK);
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
        _Alignas(16) unsigned char options[2048] = {0};
        s.a.data[0] = s.x.data[0] = 1.0;
        const size_t known = calls[k].init(options), longer = known + 24, none = 0, huge = SIZE_MAX;
        assert_int_equal(calls[k].call(&s, NULL), PLUMB_OK);
        assert_int_equal(calls[k].call(&s, options), PLUMB_OK);
        memcpy(options, &longer, sizeof longer); /* of a newer header, and nothing new is asked for */
        assert_int_equal(calls[k].call(&s, options), PLUMB_OK);
        options[known + 8] = 1; /* something is */
        assert_int_equal(calls[k].call(&s, options), PLUMB_ERR_ARGUMENT);
        memcpy(options, &none, sizeof none);
        assert_int_equal(calls[k].call(&s, options), PLUMB_ERR_ARGUMENT);
        memcpy(options, &huge, sizeof huge);
        assert_int_equal(calls[k].call(&s, options), PLUMB_ERR_ARGUMENT);
    }
    plumb_array_destroy(s.context, &s.a);
    plumb_array_destroy(s.context, &s.x);
    plumb_homotopy_destroy(s.homotopy);
    plumb_system_destroy(s.system);
    plumb_context_destroy(s.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take_copies_what_both_know),
        cmocka_unit_test(take_refuses_what_it_does_not_know),
        cmocka_unit_test(report_fills_what_both_know),
        cmocka_unit_test(every_call_has_the_same_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

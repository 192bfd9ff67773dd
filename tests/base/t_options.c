/* t_options.c - tests structs that begin with their size: shorter, longer and impossible ones, and fields out of their
 * range, in the helper and in every call that takes options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/call/options.h"

typedef struct small {
    size_t size;
    int64_t a, b;
} small;

/* The same of a later version. */
typedef struct large {
    small known;
    int64_t more;
} large;

static const option_field fields[] = {OPTION_RANGE(small, a, OPTION_INT64, 1.0, 100.0),
                                      OPTION_RANGE(small, b, OPTION_INT64, 2.0, (double)INFINITY), OPTION_END};

static void take_copies_what_both_know(void **state)
{
    (void)state;
    char line[128] = "";
    small options = {sizeof options, 1, 2};
    assert_int_equal(plumb_options_take(NULL, &options, fields, line, sizeof line), PLUMB_OK);
    assert_true(options.a == 1 && options.b == 2);

    small older = {offsetof(small, b), 7, 8};
    assert_int_equal(plumb_options_take(&older, &options, fields, line, sizeof line), PLUMB_OK);
    assert_true(options.a == 7 && options.b == 2 && options.size == sizeof options);

    large newer = {{sizeof newer, 3, 4}, 0};
    assert_int_equal(plumb_options_take(&newer, &options, fields, line, sizeof line), PLUMB_OK);
    assert_true(options.a == 3 && options.b == 4 && options.size == sizeof options);
    assert_string_equal(line, "");
}

static void take_refuses_what_it_does_not_know(void **state)
{
    (void)state;
    char line[128] = "";
    small options = {sizeof options, 1, 2};
    large newer = {{sizeof newer, 3, 4}, 5};
    assert_int_equal(plumb_options_take(&newer, &options, fields, line, sizeof line), PLUMB_ERR_ARGUMENT);
    assert_non_null(strstr(line, plumb_version()));
    assert_true(options.a == 1 && options.b == 2);
    static const size_t sizes[] = {0, sizeof(size_t) - 1, (size_t)-1, 1 << 20};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        small bad = {sizes[k], 3, 4};
        assert_int_equal(plumb_options_take(&bad, &options, fields, line, sizeof line), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(line, "_init"));
    }
}

static void take_refuses_fields_out_of_range(void **state)
{
    (void)state;
    static const small bad[] = {{sizeof(small), 0, 2},
                                {sizeof(small), 101, 2},
                                {sizeof(small), INT64_MIN, 2},
                                {sizeof(small), 1, 1},
                                {sizeof(small), 1, INT64_MIN}};
    small options = {sizeof options, 50, 60};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        char line[128] = "";
        assert_int_equal(plumb_options_take(&bad[k], &options, fields, line, sizeof line), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(line, k < 3 ? "options: a is" : "options: b is"));
        assert_true(options.a == 50 && options.b == 60);
    }
    const small good = {sizeof good, 100, INT64_MAX};
    assert_int_equal(plumb_options_take(&good, &options, fields, NULL, 0), PLUMB_OK);
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

static plumb_status call_auto(const setting *s, const void *options)
{
    plumb_view x = s->x;
    return plumb_lsq_auto(s->context, &s->a, &s->a, &x, NULL, NULL, 5.0, options, NULL);
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
    plumb_factor_destroy(factor);
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
INIT(lsq_auto)
INIT(newton)
INIT(homotopy)
INIT(track)

typedef plumb_status option_call(const setting *, const void *);

static const struct {
    size_t (*init)(void *);
    option_call *call;
} calls[] = {{context_init, call_context},   {lsq_init, call_lsq},     {lsq_init, call_qr},
             {lsq_init, call_batch},         {lsq_init, call_factor},  {newton_init, call_newton},
             {homotopy_init, call_homotopy}, {track_init, call_track}, {lsq_auto_init, call_auto}};

static setting begin(void)
{
    setting s = {0};
    static const char text[] = "x^2 - 1;";
    assert_int_equal(plumb_context_create(NULL, &s.context), PLUMB_OK);
    assert_int_equal(plumb_system_parse(text, strlen(text), &s.system, NULL), PLUMB_OK);
    assert_int_equal(plumb_homotopy_create(s.system, s.system, NULL, &s.homotopy), PLUMB_OK);
    assert_int_equal(plumb_array_create(s.context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, &s.a), PLUMB_OK);
    assert_int_equal(plumb_array_create(s.context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1, &s.x), PLUMB_OK);
    return s;
}

static void end(setting *s)
{
    plumb_array_destroy(s->context, &s->a);
    plumb_array_destroy(s->context, &s->x);
    plumb_homotopy_destroy(s->homotopy);
    plumb_system_destroy(s->system);
    plumb_context_destroy(s->context);
}

static void every_call_has_the_same_rule(void **state)
{
    (void)state;
    setting s = begin();
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
    end(&s);
}

/* ---- Every field of every struct ----------------------------------------------------------------------------------------- */

/* A value that no call may accept; 4 or 8 bytes. */
typedef struct bad_field {
    option_call *call;
    size_t (*init)(void *);
    size_t offset, size;
    int64_t value;
    double real; /* used if value is 0 */
} bad_field;

#define BAD(call, name, field, value)                                      \
    {                                                                      \
        call_##call, name##_init, offsetof(plumb_##name##_options, field), \
            sizeof(((plumb_##name##_options *)0)->field), value, 0.0       \
    }
#define BAD_REAL(call, name, field, real)                                                                    \
    {                                                                                                        \
        call_##call, name##_init, offsetof(plumb_##name##_options, field), sizeof(double), 0, (double)(real) \
    }
#define BAD_FLAG(call, name, field) BAD(call, name, field, -9), BAD(call, name, field, 2)
#define BAD_PREC(call, name, field) BAD(call, name, field, 3), BAD(call, name, field, -1), BAD(call, name, field, 8)

static void every_field_is_checked_at_the_door(void **state)
{
    (void)state;
    static const bad_field bad[] = {
        BAD(context, context, backend, -1),
        BAD(context, context, backend, 3),
        BAD(context, context, device, -1),
        BAD(context, context, threads, -1),
        BAD(context, context, threads, 1025),
        BAD(lsq, lsq, method, -1),
        BAD(lsq, lsq, method, 3),
        BAD_PREC(lsq, lsq, factor_prec),
        BAD_PREC(batch, lsq, factor_prec),
        BAD_PREC(qr, lsq, factor_prec),
        BAD_PREC(factor, lsq, factor_prec),
        BAD_FLAG(lsq, lsq, pivot),
        BAD_FLAG(lsq, lsq, reorthogonalize),
        BAD_FLAG(lsq, lsq, orthogonality),
        BAD(lsq, lsq, rounded, 3),
        BAD(factor, lsq, rounded, -1),
        BAD(auto, lsq_auto, rounded, 3),
        BAD(auto, lsq_auto, rounded, -2),
        BAD(auto, lsq_auto, reserved, 1),
        BAD(newton, newton, max_steps, -1),
        BAD(newton, newton, max_steps, INT64_MIN),
        BAD_REAL(newton, newton, tolerance, -1.0),
        BAD_REAL(newton, newton, tolerance, NAN),
        BAD_REAL(newton, newton, tolerance, INFINITY),
        BAD_PREC(newton, newton, jacobian_prec),
        BAD(newton, newton, reserved, 1),
        BAD_FLAG(homotopy, homotopy, projective),
        BAD_FLAG(homotopy, homotopy, unscaled),
        BAD_PREC(track, track, prec),
        BAD_FLAG(track, track, endgame),
        BAD(track, track, max_winding, -1),
        BAD(track, track, max_winding, 1025),
        BAD(track, track, reruns, 9),
        BAD(track, track, reruns, -1),
        BAD(track, track, max_steps, -1),
        BAD_REAL(track, track, tolerance, -1.0),
        BAD_REAL(track, track, tolerance, 1.0),
        BAD_REAL(track, track, tolerance, NAN),
        BAD_REAL(track, track, turn, 0.0),
        BAD_REAL(track, track, turn, 2.0),
        BAD_REAL(track, track, turn, NAN),
        BAD_REAL(track, track, largest, 0.0),
        BAD_REAL(track, track, largest, 99.0),
        BAD_REAL(track, track, largest, NAN),
        BAD_REAL(track, track, min_step, 1.0),
        BAD_REAL(track, track, min_step, NAN),
        BAD_REAL(track, track, max_seconds, -1.0),
        BAD_REAL(track, track, max_seconds, NAN),
    };
    setting s = begin();
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        _Alignas(16) unsigned char options[2048] = {0};
        s.a.data[0] = s.x.data[0] = 1.0;
        bad[k].init(options);
        if (bad[k].value == 0)
            memcpy(options + bad[k].offset, &bad[k].real, sizeof bad[k].real);
        else if (bad[k].size == sizeof(int64_t))
            memcpy(options + bad[k].offset, &bad[k].value, sizeof bad[k].value);
        else
            memcpy(options + bad[k].offset, &(int32_t){(int32_t)bad[k].value}, sizeof(int32_t));
        if (bad[k].call(&s, options) != PLUMB_ERR_ARGUMENT)
            fail_msg("entry %zu of the list was accepted", k);
    }
    end(&s);
}

static void refinement_with_a_bad_precision_is_refused(void **state)
{
    (void)state;
    setting s = begin();
    static const int32_t precs[] = {3, -1, 8, INT32_MAX, INT32_MIN};
    for (size_t k = 0; k < sizeof precs / sizeof precs[0]; k++) {
        plumb_lsq_options options;
        plumb_lsq_options_init(&options);
        options.method = PLUMB_METHOD_REFINED;
        options.factor_prec = precs[k];
        assert_int_equal(call_lsq(&s, &options), PLUMB_ERR_ARGUMENT);
        assert_non_null(strstr(plumb_context_message(s.context), "factor_prec"));
    }
    end(&s);
}

static void init_functions_take_null(void **state)
{
    (void)state;
    plumb_context_options_init(NULL);
    plumb_lsq_options_init(NULL);
    plumb_lsq_auto_options_init(NULL);
    plumb_newton_options_init(NULL);
    plumb_homotopy_options_init(NULL);
    plumb_track_options_init(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(take_copies_what_both_know),
        cmocka_unit_test(take_refuses_what_it_does_not_know),
        cmocka_unit_test(take_refuses_fields_out_of_range),
        cmocka_unit_test(every_call_has_the_same_rule),
        cmocka_unit_test(every_field_is_checked_at_the_door),
        cmocka_unit_test(refinement_with_a_bad_precision_is_refused),
        cmocka_unit_test(init_functions_take_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

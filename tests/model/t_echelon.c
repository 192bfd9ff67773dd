/* t_echelon.c - tests the reduced echelon form of a system: combinations of equations give the form of the equations themselves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/system/echelon.h"

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return system;
}

static plumb_system *form_of(const char *text)
{
    plumb_system *system = parse(text), *form = NULL;
    assert_int_equal(plumb_system_echelon(system, &form), PLUMB_OK);
    plumb_system_destroy(system);
    return form;
}

static bool are_equal(const plumb_system *a, const plumb_system *b)
{
    bool equal = a->equations == b->equations && a->equation[a->equations] == b->equation[b->equations];
    for (int64_t k = 0; equal && k < a->equation[a->equations]; k++) {
        const system_term *p = &a->terms[k], *q = &b->terms[k];
        equal = mpq_equal(p->re, q->re) && mpq_equal(p->im, q->im) && p->count == q->count;
        for (int32_t i = 0; equal && i < p->count; i++)
            equal = a->factors[p->first + i].unknown == b->factors[q->first + i].unknown &&
                    a->factors[p->first + i].exponent == b->factors[q->first + i].exponent;
    }
    return equal;
}

static void combinations_are_undone(void **state)
{
    static const char *const cases[][2] = {
        {"x^2 - 10^20*x + 1/3; y^2 + 5*y - 7/10^20;",
         "2*(x^2 - 10^20*x + 1/3) - 3*(y^2 + 5*y - 7/10^20); (x^2 - 10^20*x + 1/3) + (y^2 + 5*y - 7/10^20);"},
        {"x^2 - i*x; x*y - (3+2*i);", "(1+i)*(x^2 - i*x) + (x*y - (3+2*i)); (x^2 - i*x) - 5*i*(x*y - (3+2*i));"}};
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        plumb_system *expected = parse(cases[k][0]), *form = form_of(cases[k][1]);
        assert_non_null(form);
        assert_true(are_equal(form, expected));
        plumb_system_destroy(expected);
        plumb_system_destroy(form);
    }
}

static void forms_without_fewer_terms_are_not_made(void **state)
{
    (void)state;
    assert_null(form_of("x^2 - 3*x; y^2 - 5;"));             /* it is one */
    assert_null(form_of("x^2 - 3*y; 2*x^2 - 6*y;"));         /* dependent equations */
    assert_null(form_of("x^2 + 3*x + 1; x^2 + y^2 + 7*y;")); /* combining them would add terms */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations_are_undone),
        cmocka_unit_test(forms_without_fewer_terms_are_not_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

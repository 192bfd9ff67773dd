/* start_form.c - see start_form.h. */
#include "model/homotopy/start_form.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/memory/size.h"
#include "model/system/polynomial.h"

plumb_status plumb_start_check(const plumb_system *target, char *message, size_t size)
{
    if (target->equations != target->unknowns || target->unknowns < 1)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "found %lld equations in %lld unknowns, expected as many equations as unknowns",
                         (long long)target->equations, (long long)target->unknowns);
    for (int64_t i = 0; i < target->equations; i++) {
        int64_t degree = plumb_system_degree(target, i);
        if (degree < 1)
            return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "equation %lld is %s, expected an unknown in it",
                             (long long)i + 1, degree < 0 ? "zero" : "constant");
        if (degree > POLY_MOST_EXPONENT)
            return plumb_say(PLUMB_ERR_RANGE, message, size, "equation %lld has degree %lld, expected at most %d",
                             (long long)i + 1, (long long)degree, POLY_MOST_EXPONENT);
    }
    return PLUMB_OK;
}

/* The only unknown of an equation a x^d - c; -1 if the equation has another form. */
static int64_t unknown_of(const plumb_system *s, int64_t equation)
{
    const system_term *term = &s->terms[s->equation[equation]];
    if (plumb_system_terms(s, equation) != 2 || term[0].count != 1 || term[1].count != 0)
        return -1;
    return s->factors[term[0].first].unknown;
}

/* True if the equation has the form a x^d, which is what c = 0 gives. */
static bool has_no_constant(const plumb_system *s, int64_t equation)
{
    return plumb_system_terms(s, equation) == 1 && s->terms[s->equation[equation]].count == 1;
}

/* Computes the weights from the last unknown to the first, and the number of solutions. */
static void weigh(start_form *form)
{
    int64_t weight = 1;
    form->count = 1;
    for (int64_t u = form->system->unknowns - 1; u >= 0; u--) {
        form->weight[u] = weight;
        if (!size_mul(weight, start_power(form, u)->degree, &weight)) {
            weight = INT64_MAX;
            form->count = -1;
        }
    }
    if (form->count > 0)
        form->count = weight;
}

/* Finds the equation of each unknown. */
static plumb_status assign(start_form *form, char *message, size_t size)
{
    const int64_t n = form->system->unknowns;
    for (int64_t u = 0; u < n; u++)
        form->equation[u] = -1;
    for (int64_t i = 0; i < n; i++) {
        int64_t unknown = unknown_of(form->system, i);
        if (unknown < 0 && has_no_constant(form->system, i))
            return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                             "equation %lld has no constant term, expected a x^d - c with c not zero",
                             (long long)i + 1);
        if (unknown < 0)
            return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "equation %lld is not of the form a x^d - c",
                             (long long)i + 1);
        if (form->equation[unknown] >= 0)
            return plumb_say(PLUMB_ERR_ARGUMENT, message, size, "equations %lld and %lld have the same unknown",
                             (long long)form->equation[unknown] + 1, (long long)i + 1);
        form->equation[unknown] = i;
    }
    return PLUMB_OK;
}

plumb_status plumb_start_form(const plumb_system *start, start_form *form, char *message, size_t size)
{
    const int64_t n = start->unknowns;
    *form = (start_form){.system = start};
    if (start->denominators != NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size, SYSTEM_HAS_DENOMINATORS);
    if (start->equations != n || n < 1)
        return plumb_say(PLUMB_ERR_ARGUMENT, message, size,
                         "found %lld equations in %lld unknowns, expected a x^d - c for each unknown",
                         (long long)start->equations, (long long)n);
    form->equation = malloc((size_t)n * sizeof *form->equation);
    form->weight = malloc((size_t)n * sizeof *form->weight);
    if (form->equation == NULL || form->weight == NULL) {
        plumb_start_form_clear(form);
        return plumb_say(PLUMB_ERR_MEMORY, message, size, "out of memory");
    }
    plumb_status status = assign(form, message, size);
    if (status == PLUMB_OK)
        weigh(form);
    else
        plumb_start_form_clear(form);
    return status;
}

void plumb_start_form_clear(start_form *form)
{
    free(form->equation);
    free(form->weight);
    *form = (start_form){.system = NULL};
}

plumb_status plumb_system_start_count(const plumb_system *start, int64_t *count)
{
    start_form form;
    if (start == NULL || count == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", start == NULL ? "start" : "count");
    *count = 0;
    plumb_call_begin();
    plumb_status status = plumb_start_form(start, &form, NULL, 0);
    if (status != PLUMB_OK)
        return plumb_call_end(status);
    if (form.count > 0)
        *count = form.count;
    else
        status = plumb_say(PLUMB_ERR_SIZE, NULL, 0, "the start system has more than 2^63 - 1 solutions");
    plumb_start_form_clear(&form);
    return plumb_call_end(status);
}

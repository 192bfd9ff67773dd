/* create.c - systems from arrays of exponents and coefficients: plumb_system_create takes numbers,
 * plumb_system_create_exact texts. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "model/name.h"
#include "model/system/polynomial.h"
#include "text/number/number.h"
#include "text/system/make.h"
#include "text/system/names.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

/* The arrays of one call, and where coefficients come from. */
typedef struct term_arrays {
    int64_t equations, unknowns;
    const int64_t *first;
    const int32_t *exponents;
    const plumb_view *numbers; /* or */
    const char *const *texts;
} term_arrays;

/* ---- Coefficients ------------------------------------------------------------------------------------------------ */

/* The exact sum of the limbs of one part of entry k. */
static plumb_status sum_limbs(const plumb_view *view, int64_t k, int32_t part, mpq_t sum)
{
    mpq_t limb;
    bool finite = true;
    mpq_init(limb);
    mpq_set_ui(sum, 0, 1);
    for (int32_t c = 0; c < view->prec && finite; c++) {
        const double value = view->data[(part * view->prec + c) * view->plane + k];
        finite = isfinite(value);
        if (finite) {
            mpq_set_d(limb, value);
            mpq_add(sum, sum, limb);
        }
    }
    mpq_clear(limb);
    return finite ? PLUMB_OK : SAY(PLUMB_ERR_NONFINITE, "coefficient %lld is not finite", (long long)k + 1);
}

static plumb_status get_coefficient(const term_arrays *from, int64_t k, mpq_t re, mpq_t im)
{
    if (from->numbers) {
        plumb_status status = sum_limbs(from->numbers, k, 0, re);
        mpq_set_ui(im, 0, 1);
        if (status == PLUMB_OK && from->numbers->parts == PLUMB_COMPLEX)
            status = sum_limbs(from->numbers, k, 1, im);
        return status;
    }
    plumb_text_error error = {.line = 0};
    if (!from->texts || !from->texts[k])
        return SAY(PLUMB_ERR_ARGUMENT, "coefficient %lld is NULL", (long long)k + 1);
    plumb_status status = plumb_complex_exact(from->texts[k], strlen(from->texts[k]), re, im, &error);
    return status == PLUMB_OK ? PLUMB_OK : SAY(status, "coefficient %lld: %s", (long long)k + 1, error.message);
}

/* ---- Terms ------------------------------------------------------------------------------------------------------- */

/* The factors of term k; room for all unknowns. */
static plumb_status get_factors(const term_arrays *from, int64_t k, system_factor *factors, int32_t *count,
                                int64_t *degree)
{
    const int32_t *exponent = from->exponents + k * from->unknowns;
    *count = 0;
    *degree = 0;
    for (int64_t i = 0; i < from->unknowns; i++) {
        if (exponent[i] < 0 || exponent[i] > POLY_MOST_EXPONENT)
            return SAY(PLUMB_ERR_RANGE, "term %lld: the exponent of unknown %lld is %d, expected 0 to %d",
                       (long long)k + 1, (long long)i + 1, (int)exponent[i], POLY_MOST_EXPONENT);
        if (exponent[i] > 0)
            factors[(*count)++] = (system_factor){(int32_t)i, exponent[i]};
        *degree += exponent[i];
    }
    return *degree <= INT32_MAX ? PLUMB_OK
                                : SAY(PLUMB_ERR_RANGE, "term %lld: the degree is too large", (long long)k + 1);
}

static plumb_status add_terms(const term_arrays *from, int64_t equation, system_factor *factors, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t k = from->first[equation]; k < from->first[equation + 1] && status == PLUMB_OK; k++) {
        int32_t count = 0;
        int64_t degree = 0;
        status = get_factors(from, k, factors, &count, &degree);
        if (status == PLUMB_OK)
            status = get_coefficient(from, k, re, im);
        if (status == PLUMB_OK)
            status = plumb_poly_append(p, re, im, factors, count, (int32_t)degree);
    }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static plumb_status check_names(const char *const *names, int64_t count)
{
    system_names seen = {.name = NULL};
    plumb_status status = PLUMB_OK;
    for (int64_t i = 0; i < count && status == PLUMB_OK; i++) {
        if (!name_is_valid(names[i]))
            status = SAY(PLUMB_ERR_ARGUMENT,
                         "name %lld: found \"%.40s\", expected letters, digits and '_', no digit first, and not i",
                         (long long)i + 1, names[i] ? names[i] : "");
        else if (plumb_names_find(&seen, names[i], strlen(names[i])) >= 0)
            status = SAY(PLUMB_ERR_ARGUMENT, "two unknowns have the name %.40s", names[i]);
        else
            status = plumb_names_add(&seen, names[i], strlen(names[i]));
    }
    plumb_names_clear(&seen);
    return status;
}

static plumb_status build(const term_arrays *from, polynomial *p, const char *const *names, plumb_system **system)
{
    if (names)
        return plumb_system_build(p, from->equations, names, from->unknowns, system);
    return plumb_system_number(p, from->equations, from->unknowns, system);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static plumb_status check(const term_arrays *from, const char *const *names, plumb_system **system)
{
    if (!system)
        return SAY(PLUMB_ERR_ARGUMENT, "system is NULL");
    *system = NULL;
    if (from->equations < 1 || from->unknowns < 1 || from->unknowns > INT32_MAX)
        return SAY(PLUMB_ERR_ARGUMENT, "found %lld equations in %lld unknowns, expected at least one of each",
                   (long long)from->equations, (long long)from->unknowns);
    if (!from->first)
        return SAY(PLUMB_ERR_ARGUMENT, "first is NULL");
    for (int64_t e = 0; e < from->equations; e++)
        if (from->first[0] != 0 || from->first[e + 1] < from->first[e])
            return SAY(PLUMB_ERR_ARGUMENT, "first: expected 0 and then numbers that do not decrease");
    const int64_t terms = from->first[from->equations];
    if (terms > 0 && (!from->exponents || (!from->numbers && !from->texts)))
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", from->exponents ? "coefficients" : "exponents");
    if (from->numbers) {
        plumb_status status = plumb_view_check(from->numbers, "coefficients", NULL, 0);
        if (status != PLUMB_OK)
            return status;
        if (from->numbers->where != PLUMB_HOST || from->numbers->rows != terms || from->numbers->cols != 1 ||
            from->numbers->batch != 1)
            return SAY(PLUMB_ERR_ARGUMENT, "coefficients: expected a view of %lld x 1 on the host", (long long)terms);
    }
    return names ? check_names(names, from->unknowns) : PLUMB_OK;
}

static plumb_status create(const term_arrays *from, const char *const *names, plumb_system **system)
{
    plumb_status status = check(from, names, system);
    if (status != PLUMB_OK)
        return status;
    polynomial *p = calloc((size_t)from->equations, sizeof *p);
    system_factor *factors = calloc((size_t)from->unknowns, sizeof *factors);
    if (!p || !factors)
        status = PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e < from->equations && status == PLUMB_OK; e++)
        status = add_terms(from, e, factors, &p[e]);
    if (status == PLUMB_OK)
        status = build(from, p, names, system);
    for (int64_t e = 0; p && e < from->equations; e++)
        plumb_poly_clear(&p[e]);
    free(p);
    free(factors);
    return status;
}

plumb_status plumb_system_create(int64_t equations, int64_t unknowns, const int64_t *first, const int32_t *exponents,
                                 const plumb_view *coefficients, const char *const *names, plumb_system **system)
{
    const term_arrays from = {equations, unknowns, first, exponents, coefficients, NULL};
    plumb_call_begin();
    return plumb_call_end(create(&from, names, system));
}

plumb_status plumb_system_create_exact(int64_t equations, int64_t unknowns, const int64_t *first,
                                       const int32_t *exponents, const char *const *coefficients,
                                       const char *const *names, plumb_system **system)
{
    const term_arrays from = {equations, unknowns, first, exponents, NULL, coefficients};
    plumb_call_begin();
    return plumb_call_end(create(&from, names, system));
}

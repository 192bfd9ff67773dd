/* terms.c - the terms of a system read back, as plumb_system_create and plumb_system_create_exact take them. */
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/memory/reserve.h"
#include "model/system/polynomial.h"
#include "text/number/number.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

static plumb_status check_equation(const plumb_system *system, int64_t equation)
{
    if (!system)
        return SAY(PLUMB_ERR_ARGUMENT, "system is NULL");
    if (equation < 0 || equation >= system->equations)
        return SAY(PLUMB_ERR_ARGUMENT, "equation is %lld, expected 0 to %lld", (long long)equation,
                   (long long)system->equations - 1);
    return PLUMB_OK;
}

static plumb_status check_numbers(const plumb_view *view, int64_t terms)
{
    char message[200] = "";
    plumb_status status = plumb_view_check(view, "coefficients", message, sizeof message);
    if (status != PLUMB_OK)
        return SAY(status, "%s", message);
    if (view->where != PLUMB_HOST)
        return SAY(PLUMB_ERR_ARGUMENT, "coefficients is to be on the host");
    if (view->rows != terms || view->cols != 1 || view->batch != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "coefficients is %lld x %lld x %lld, expected %lld x 1 x 1: one row per term",
                   (long long)view->rows, (long long)view->cols, (long long)view->batch, (long long)terms);
    return PLUMB_OK;
}

/* Rounds x to entry k of a view. */
static plumb_status round_part(mpq_srcptr x, const plumb_view *view, int64_t k, int32_t part)
{
    double limbs[PLUMB_QD];
    number_exact exact = {.kind = NUMBER_RATIONAL, .base = 10};
    exact.value[0] = *x; /* is only read */
    plumb_status status = plumb_exact_to_limbs(&exact, view->prec, limbs);
    if (status == PLUMB_ERR_RANGE)
        return SAY(status, "the coefficient of term %lld is beyond the largest double", (long long)k);
    for (int32_t c = 0; c < view->prec && status == PLUMB_OK; c++)
        view->data[(part * view->prec + c) * view->plane + k] = limbs[c];
    return status;
}

plumb_status plumb_system_get_terms(const plumb_system *system, int64_t equation, int32_t *exponents,
                                    plumb_view *coefficients)
{
    plumb_call_begin();
    plumb_status status = check_equation(system, equation);
    if (status != PLUMB_OK)
        return plumb_call_end(status);
    const int64_t count = plumb_system_terms(system, equation);
    const system_term *terms = system->terms + system->equation[equation];
    if (coefficients)
        status = check_numbers(coefficients, count);
    for (int64_t k = 0; k < count && coefficients && status == PLUMB_OK; k++) {
        if (coefficients->parts == PLUMB_REAL && mpq_sgn(terms[k].im) != 0)
            status = SAY(PLUMB_ERR_ARGUMENT, "the coefficient of term %lld is not real, coefficients is", (long long)k);
        if (status == PLUMB_OK)
            status = round_part(terms[k].re, coefficients, k, 0);
        if (status == PLUMB_OK && coefficients->parts == PLUMB_COMPLEX)
            status = round_part(terms[k].im, coefficients, k, 1);
    }
    if (status != PLUMB_OK || !exponents)
        return plumb_call_end(status);
    for (int64_t k = 0; k < count; k++) {
        int32_t *powers = exponents + k * system->unknowns;
        memset(powers, 0, (size_t)system->unknowns * sizeof *powers);
        for (int32_t f = 0; f < terms[k].count; f++)
            powers[system->factors[terms[k].first + f].unknown] = system->factors[terms[k].first + f].exponent;
    }
    return plumb_call_end(PLUMB_OK);
}

/* Copies a text with its final 0, if there is room for it. */
static plumb_status give(const char *text, char *buffer, size_t size, size_t *needed)
{
    const size_t length = strlen(text) + 1;
    if (needed)
        *needed = length;
    if (length > size)
        return PLUMB_ERR_BUFFER;
    memcpy(buffer, text, length);
    return PLUMB_OK;
}

plumb_status plumb_system_write_coefficient(const plumb_system *system, int64_t equation, int64_t term, int32_t part,
                                            char *buffer, size_t size, size_t *needed)
{
    plumb_call_begin();
    plumb_status status = check_equation(system, equation);
    if (status == PLUMB_OK && (term < 0 || term >= plumb_system_terms(system, equation)))
        status = SAY(PLUMB_ERR_ARGUMENT, "term is %lld, but equation %lld has %lld terms", (long long)term,
                     (long long)equation, (long long)plumb_system_terms(system, equation));
    if (status == PLUMB_OK && part != 0 && part != 1)
        status = SAY(PLUMB_ERR_ARGUMENT, "part is %d, expected 0 (real) or 1 (imaginary)", (int)part);
    if (status == PLUMB_OK && !buffer && size > 0)
        status = SAY(PLUMB_ERR_ARGUMENT, "buffer is NULL");
    if (status != PLUMB_OK)
        return plumb_call_end(status);
    if (size > 0)
        buffer[0] = 0;
    const system_term *t = &system->terms[system->equation[equation] + term];
    mpq_srcptr x = part == 0 ? t->re : t->im;
    char *text = NULL;
    if (reserve_limbs(4 * coefficient_limbs(x)))
        text = malloc(mpz_sizeinbase(mpq_numref(x), 10) + mpz_sizeinbase(mpq_denref(x), 10) + 3);
    status = text ? give(mpq_get_str(text, 10, x), buffer, size, needed) : PLUMB_ERR_MEMORY;
    free(text);
    return plumb_call_end(status);
}

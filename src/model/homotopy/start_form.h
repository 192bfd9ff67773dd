/* start_form.h - start systems of total degree: one equation a x^d = c per unknown, with a and c not zero and d at
 * least 1. Their solutions are known and numbered in a mixed radix: each digit of k is the number of a root, and the
 * digit of the last unknown is the lowest. */
#ifndef PLUMB_MODEL_HOMOTOPY_START_FORM_H
#define PLUMB_MODEL_HOMOTOPY_START_FORM_H

#include "model/system/system.h"

typedef struct start_form {
    const plumb_system *system;
    int64_t *equation; /* for each unknown the equation that contains it */
    int64_t *weight;   /* for each unknown the number of consecutive solutions with the same root, or INT64_MAX */
    int64_t count;     /* number of solutions, or -1 if it exceeds INT64_MAX */
} start_form;

/* Checks whether the target has a start system of this form. If not, returns PLUMB_ERR_ARGUMENT, or PLUMB_ERR_RANGE
 * if a degree exceeds POLY_MOST_EXPONENT, and one line that gives the reason. */
PLUMB_USE_RESULT plumb_status plumb_start_check(const plumb_system *target, char *message, size_t size);

/* Recognises a start system of this form. Otherwise returns PLUMB_ERR_ARGUMENT and one line that gives the reason.
 * The system must outlive the form. */
PLUMB_USE_RESULT plumb_status plumb_start_form(const plumb_system *start, start_form *form, char *message, size_t size);
void plumb_start_form_clear(start_form *form);

/* The terms a x^d and -c of the equation of an unknown. */
static inline const system_term *start_power(const start_form *form, int64_t unknown)
{
    return &form->system->terms[form->system->equation[form->equation[unknown]]];
}

static inline const system_term *start_constant(const start_form *form, int64_t unknown)
{
    return start_power(form, unknown) + 1;
}

/* The number of the root that solution k has in an unknown. */
static inline int64_t start_digit(const start_form *form, int64_t unknown, int64_t k)
{
    return k / form->weight[unknown] % start_power(form, unknown)->degree;
}

#endif

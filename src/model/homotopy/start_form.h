/* start_form.h - start systems of total degree: one equation a x^d = c an unknown, a and c not zero, d at least 1. Their
 * solutions are known, and counted: number k has the digits of k, each the number of a root, the last unknown's the lowest. */
#ifndef PLUMB_MODEL_HOMOTOPY_START_FORM_H
#define PLUMB_MODEL_HOMOTOPY_START_FORM_H

#include "model/system/system.h"

typedef struct start_form {
    const plumb_system *system;
    int64_t *equation; /* of each unknown: the one it is in */
    int64_t
        *weight;   /* of each unknown: how many solutions in a row have the same root of it; INT64_MAX from there on */
    int64_t count; /* of all solutions, or -1 beyond INT64_MAX */
} start_form;

/* Is there a start system for the target? PLUMB_ERR_ARGUMENT, or PLUMB_ERR_RANGE when a degree is above POLY_MOST_EXPONENT, and one
 * line that says why not. */
PLUMB_USE_RESULT plumb_status plumb_start_check(const plumb_system *target, char *message, size_t size);

/* Recognises a start system; PLUMB_ERR_ARGUMENT and one line when it is none. The system must outlive the form. */
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

/* Which root of an unknown solution k has. */
static inline int64_t start_digit(const start_form *form, int64_t unknown, int64_t k)
{
    return k / form->weight[unknown] % start_power(form, unknown)->degree;
}

#endif

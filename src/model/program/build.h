/* build.h - the state shared by the steps that compile a system. */
#ifndef PLUMB_MODEL_PROGRAM_BUILD_H
#define PLUMB_MODEL_PROGRAM_BUILD_H

#include <stdbool.h>

#include "model/program/program.h"

/* A power that the program computes, with exponent at least 2. */
typedef struct program_power {
    int32_t unknown, exponent;
    int32_t slot;
} program_power;

/* A distinct product of powers of k unknowns, `raised` of them with an exponent above 1. */
typedef struct program_product {
    const system_factor *factors; /* unknowns ascending; those of the first term that contains it */
    int32_t k, raised;
    int64_t term;         /* the first term that contains it */
    bool plain;           /* no derivatives are needed */
    int32_t group, place; /* set when groups have been formed */
} program_product;

typedef struct program_build {
    const plumb_system *system;
    eval_program *p;
    program_power *powers; /* by unknown, then exponent */
    int64_t power_count;
    program_product *products; /* by group, then place */
    int64_t product_count;
    int64_t *term_product; /* for each term its product, or -1 if it has fewer than two unknowns */
    int64_t slots;         /* slots assigned so far */
} program_build;

static inline int64_t program_terms(const plumb_system *system)
{
    return system->equation[system->equations];
}

/* The number of unknowns that derivatives are taken by. */
static inline int64_t program_differentiated(const plumb_system *system)
{
    return system->unknowns - system->parameters;
}

/* Allocates count zeroed elements of the given size (one element if count is 0); NULL if memory is exhausted. */
void *program_array(int64_t count, size_t size);

/* count rounded up to a multiple of PROGRAM_PAD. */
static inline int64_t program_padded(int64_t count)
{
    return (count + PROGRAM_PAD - 1) / PROGRAM_PAD * PROGRAM_PAD;
}

/* Assigns count slots, padded. Returns false if there would be too many slots. */
bool program_take_slots(program_build *b, int64_t count, int32_t *first);

/* The slot of x^exponent; the program computes this power if exponent > 1. */
int32_t program_power_slot(const program_build *b, int32_t unknown, int32_t exponent);

/* The slot of the value of a term without its coefficient, and that of its derivative with respect to factor j
 * without the exponent. */
int32_t program_term_value(const program_build *b, int64_t term);
int32_t program_term_derivative(const program_build *b, int64_t term, int32_t j);

/* The steps, in this order. */
plumb_status program_build_powers(program_build *b);
plumb_status program_build_groups(program_build *b);
plumb_status program_build_sums(program_build *b);

#endif

/* powers.c - determines which powers of the unknowns a program computes, and in which order. */
#include <stdlib.h>

#include "model/program/build.h"

static int compare_powers(const void *left, const void *right)
{
    const program_power *x = left, *y = right;
    if (x->unknown != y->unknown)
        return x->unknown < y->unknown ? -1 : 1;
    return (x->exponent > y->exponent) - (x->exponent < y->exponent);
}

static int64_t sort_and_thin(program_power *powers, int64_t count)
{
    int64_t kept = 0;
    qsort(powers, (size_t)count, sizeof *powers, compare_powers);
    for (int64_t i = 0; i < count; i++)
        if (kept == 0 || compare_powers(&powers[kept - 1], &powers[i]) != 0)
            powers[kept++] = powers[i];
    return kept;
}

/* Adds x^n, x^(n-1) and the powers they are made from, down to the square. The halves of two neighbouring exponents
 * are neighbours again. */
static int64_t add_with_halves(program_power *powers, int64_t count, int32_t unknown, int32_t exponent)
{
    for (int32_t high = exponent; high > 1; high -= high / 2) {
        powers[count++] = (program_power){unknown, high, 0};
        if (high > 2)
            powers[count++] = (program_power){unknown, high - 1, 0};
    }
    return count;
}

/* The level l with 2^(l-1) < exponent <= 2^l. */
static int level_of(int32_t exponent)
{
    return 32 - __builtin_clz((unsigned)exponent - 1);
}

int32_t program_power_slot(const program_build *b, int32_t unknown, int32_t exponent)
{
    if (exponent == 0)
        return 0;
    if (exponent == 1)
        return 1 + unknown;
    const program_power key = {unknown, exponent, 0};
    const program_power *found = bsearch(&key, b->powers, (size_t)b->power_count, sizeof *b->powers, compare_powers);
    return found->slot;
}

/* Collects the powers that terms need, x^e and x^(e-1), and the powers these are made from. */
static plumb_status collect(program_build *b)
{
    const plumb_system *system = b->system;
    int64_t factor_count = 0, count = 0, most = 0;
    for (int64_t t = 0; t < program_terms(system); t++)
        factor_count += system->terms[t].count;
    program_power *asked = program_array(factor_count, sizeof *asked);
    if (!asked)
        return PLUMB_ERR_MEMORY;
    for (int64_t t = 0; t < program_terms(system); t++)
        for (int32_t j = 0; j < system->terms[t].count; j++) {
            const system_factor *f = &system->factors[system->terms[t].first + j];
            asked[count++] = (program_power){f->unknown, f->exponent, 0};
        }
    count = sort_and_thin(asked, count);
    for (int64_t i = 0; i < count; i++)
        most += asked[i].exponent > 1 ? 2 * (int64_t)level_of(asked[i].exponent) : 0;
    b->powers = program_array(most, sizeof *b->powers);
    for (int64_t i = 0; b->powers && i < count; i++)
        b->power_count = add_with_halves(b->powers, b->power_count, asked[i].unknown, asked[i].exponent);
    free(asked);
    if (!b->powers)
        return PLUMB_ERR_MEMORY;
    b->power_count = sort_and_thin(b->powers, b->power_count);
    return PLUMB_OK;
}

plumb_status program_build_powers(program_build *b)
{
    eval_program *p = b->p;
    int64_t next = 0, room = 0, in_level[PROGRAM_LEVELS] = {0};
    plumb_status status = collect(b);
    if (status != PLUMB_OK)
        return status;
    for (int64_t i = 0; i < b->power_count; i++)
        in_level[level_of(b->powers[i].exponent) - 1]++;
    for (int l = 0; l < PROGRAM_LEVELS; l++)
        room += program_padded(in_level[l]);
    if (room > INT32_MAX)
        return PLUMB_ERR_SIZE;
    p->a = program_array(room, sizeof *p->a);
    p->b = program_array(room, sizeof *p->b);
    if (!p->a || !p->b)
        return PLUMB_ERR_MEMORY;
    for (int l = 0; l < PROGRAM_LEVELS; l++) { /* there is no empty level below a nonempty one */
        program_level *level = &p->level[l];
        if (in_level[l] == 0)
            break;
        level->first = (int32_t)next;
        next += program_padded(in_level[l]);
        if (!program_take_slots(b, in_level[l], &level->to))
            return PLUMB_ERR_SIZE;
        p->level_count = l + 1;
    }
    for (int64_t i = 0; i < b->power_count; i++) {
        program_level *level = &p->level[level_of(b->powers[i].exponent) - 1];
        b->powers[i].slot = level->to + level->count++;
    }
    for (int64_t i = 0; i < b->power_count; i++) {
        const program_power *x = &b->powers[i];
        const program_level *level = &p->level[level_of(x->exponent) - 1];
        int32_t place = level->first + (x->slot - level->to), half = x->exponent / 2;
        p->a[place] = program_power_slot(b, x->unknown, x->exponent - half);
        p->b[place] = program_power_slot(b, x->unknown, half);
    }
    p->products = p->value_products = b->power_count;
    return PLUMB_OK;
}

/* system.c - see system.h. */
#include "model/system/system.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"
#include "model/program/program.h"
#include "model/system/polynomial.h"

/* ---- Notes ----------------------------------------------------------------------------------------------------- */

void plumb_notes_add(system_notes *notes, const char *format, ...)
{
    char line[320];
    va_list arguments;
    if (notes->count >= SYSTEM_MOST_NOTES)
        return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    const size_t size = strlen(line) + 1;
    char *copy = malloc(size);
    if (copy == NULL)
        return;
    memcpy(copy, line, size);
    notes->text[notes->count++] = copy;
}

void plumb_notes_clear(system_notes *notes)
{
    for (int32_t i = 0; i < notes->count; i++)
        free(notes->text[i]);
    notes->count = 0;
}

const char *plumb_system_note(const plumb_system *system, int64_t index)
{
    return system != NULL && index >= 0 && index < system->notes.count ? system->notes.text[index] : NULL;
}

/* ---- Systems --------------------------------------------------------------------------------------------------- */

void plumb_system_destroy(plumb_system *system)
{
    if (system == NULL)
        return;
    for (int64_t i = 0; system->names != NULL && i < system->unknowns; i++)
        free(system->names[i]);
    for (int64_t i = 0; system->terms != NULL && i < system->equation[system->equations]; i++) {
        mpq_clear(system->terms[i].re);
        mpq_clear(system->terms[i].im);
    }
    free(system->names);
    free(system->equation);
    free(system->terms);
    free(system->factors);
    plumb_program_free(system->program);
    free(system->moduli);
    plumb_notes_clear(&system->notes);
    for (int64_t i = 0; system->divisors != NULL && i < system->equations; i++)
        free(system->divisors[i].list);
    free(system->divisors);
    plumb_system_destroy(system->denominators);
    free(system);
}

/* Allocates count zeroed entries, at least one; NULL if they do not fit. */
static void *new_array(int64_t count, size_t entry)
{
    int64_t bytes;
    if (!size_mul(count, (int64_t)entry, &bytes))
        return NULL;
    return calloc((size_t)(count > 0 ? count : 1), entry);
}

static bool copy_names(plumb_system *s, const char *const *names)
{
    for (int64_t i = 0; i < s->unknowns; i++) {
        size_t size = strlen(names[i]) + 1;
        s->names[i] = malloc(size);
        if (s->names[i] == NULL)
            return false;
        memcpy(s->names[i], names[i], size);
    }
    return true;
}

/* Moves the terms of p to equation i. */
static void move_terms(plumb_system *s, int64_t i, polynomial *p, int64_t *used)
{
    int64_t first = s->equation[i];
    for (int64_t k = 0; k < p->count; k++) {
        s->terms[first + k] = p->terms[k];
        s->terms[first + k].first += *used;
    }
    if (p->used > 0)
        memcpy(s->factors + *used, p->factors, (size_t)p->used * sizeof *s->factors);
    *used += p->used;
    s->equation[i + 1] = first + p->count;
    p->count = 0;
    plumb_poly_clear(p);
}

plumb_status plumb_system_build(polynomial *polynomials, int64_t equations, const char *const *names, int64_t unknowns,
                                plumb_system **system)
{
    int64_t terms = 0, factors = 0, starts;
    *system = NULL;
    if (!size_add(equations, 1, &starts))
        return PLUMB_ERR_SIZE;
    for (int64_t i = 0; i < equations; i++)
        if (!size_add(terms, polynomials[i].count, &terms) || !size_add(factors, polynomials[i].used, &factors))
            return PLUMB_ERR_SIZE;
    plumb_system *s = calloc(1, sizeof *s);
    if (s == NULL)
        return PLUMB_ERR_MEMORY;
    s->equations = equations;
    s->unknowns = unknowns;
    s->names = new_array(unknowns, sizeof *s->names);
    s->equation = new_array(starts, sizeof *s->equation);
    s->factors = new_array(factors, sizeof *s->factors);
    s->terms = s->equation != NULL ? new_array(terms, sizeof *s->terms) : NULL;
    if (s->names == NULL || s->terms == NULL || s->factors == NULL || !copy_names(s, names)) {
        plumb_system_destroy(s);
        return PLUMB_ERR_MEMORY;
    }
    int64_t used = 0;
    for (int64_t i = 0; i < equations; i++)
        move_terms(s, i, &polynomials[i], &used);
    *system = s;
    return PLUMB_OK;
}

plumb_status plumb_system_divide(plumb_system *system, polynomial *denominators, int64_t count,
                                 system_divisors *divisors)
{
    plumb_system *made = NULL;
    system_divisors *lists = new_array(system->equations, sizeof *lists);
    plumb_status status = lists != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = plumb_system_build(denominators, count, (const char *const *)system->names, system->unknowns, &made);
    if (status != PLUMB_OK) {
        free(lists);
        return status;
    }
    for (int64_t i = 0; i < system->equations; i++) {
        lists[i] = divisors[i];
        divisors[i] = (system_divisors){.list = NULL};
    }
    system->denominators = made;
    system->divisors = lists;
    return PLUMB_OK;
}

plumb_status plumb_system_numerators(const plumb_system *system, int64_t first, int64_t count,
                                     plumb_system **numerators)
{
    polynomial *p = new_array(count, sizeof *p);
    plumb_status status = p != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    *numerators = NULL;
    for (int64_t i = 0; i < count && status == PLUMB_OK; i++)
        for (int64_t k = system->equation[first + i]; k < system->equation[first + i + 1] && status == PLUMB_OK; k++) {
            const system_term *t = &system->terms[k];
            status = plumb_poly_append(&p[i], t->re, t->im, system->factors + t->first, t->count, t->degree);
        }
    if (status == PLUMB_OK)
        status = plumb_system_build(p, count, (const char *const *)system->names, system->unknowns, numerators);
    if (status == PLUMB_OK)
        (*numerators)->declared = system->declared;
    for (int64_t i = 0; p != NULL && i < count; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    return status;
}

int64_t plumb_system_denominators(const plumb_system *system)
{
    return system != NULL && system->denominators != NULL ? system->denominators->equations : 0;
}

int64_t plumb_system_equations(const plumb_system *system)
{
    return system != NULL ? system->equations : 0;
}

int64_t plumb_system_unknowns(const plumb_system *system)
{
    return system != NULL ? system->unknowns : 0;
}

int64_t plumb_system_parameters(const plumb_system *system)
{
    return system != NULL ? system->declared : 0;
}

const char *plumb_system_name(const plumb_system *system, int64_t unknown)
{
    return system != NULL && unknown >= 0 && unknown < system->unknowns ? system->names[unknown] : NULL;
}

int64_t plumb_system_find_unknown(const plumb_system *system, const char *name, size_t length)
{
    for (int64_t v = 0; v < system->unknowns; v++)
        if (strlen(system->names[v]) == length && memcmp(system->names[v], name, length) == 0)
            return v;
    return -1;
}

/* Terms of higher degree come first. */
int64_t plumb_system_degree(const plumb_system *system, int64_t equation)
{
    if (system == NULL || equation < 0 || equation >= system->equations)
        return -1;
    int64_t first = system->equation[equation];
    return first < system->equation[equation + 1] ? system->terms[first].degree : -1;
}

int64_t plumb_system_terms(const plumb_system *system, int64_t equation)
{
    if (system == NULL || equation < 0 || equation >= system->equations)
        return 0;
    return system->equation[equation + 1] - system->equation[equation];
}

static int same_terms(const plumb_system *a, const system_term *s, const plumb_system *b, const system_term *t)
{
    if (s->count != t->count || s->degree != t->degree || !mpq_equal(s->re, t->re) || !mpq_equal(s->im, t->im))
        return 0;
    for (int32_t i = 0; i < s->count; i++) {
        const system_factor *f = &a->factors[s->first + i], *g = &b->factors[t->first + i];
        if (f->unknown != g->unknown || f->exponent != g->exponent)
            return 0;
    }
    return 1;
}

static int same_divisors(const system_divisors *a, const system_divisors *b)
{
    if (a->count != b->count)
        return 0;
    for (int32_t i = 0; i < a->count; i++)
        if (a->list[i].denominator != b->list[i].denominator || a->list[i].exponent != b->list[i].exponent)
            return 0;
    return 1;
}

static int same_denominators(const plumb_system *a, const plumb_system *b)
{
    if (a->denominators == NULL || b->denominators == NULL)
        return a->denominators == b->denominators;
    for (int64_t i = 0; i < a->equations; i++)
        if (!same_divisors(&a->divisors[i], &b->divisors[i]))
            return 0;
    return plumb_system_same(a->denominators, b->denominators);
}

int plumb_system_same(const plumb_system *a, const plumb_system *b)
{
    if (a->equations != b->equations || a->unknowns != b->unknowns || a->declared != b->declared)
        return 0;
    for (int64_t i = 0; i < a->unknowns; i++)
        if (strcmp(a->names[i], b->names[i]) != 0)
            return 0;
    for (int64_t i = 0; i <= a->equations; i++)
        if (a->equation[i] != b->equation[i])
            return 0;
    for (int64_t i = 0; i < a->equation[a->equations]; i++)
        if (!same_terms(a, &a->terms[i], b, &b->terms[i]))
            return 0;
    return same_denominators(a, b);
}

int plumb_system_bezout(const plumb_system *system, mpz_t bezout)
{
    mpz_set_ui(bezout, 1);
    if (system->equations != system->unknowns)
        return 0;
    for (int64_t i = 0; i < system->equations; i++) {
        int64_t degree = plumb_system_degree(system, i);
        if (degree < 0)
            return 0;
        mpz_mul_ui(bezout, bezout, (unsigned long)degree);
    }
    return 1;
}

/* family.c - the classical families of systems. Indices start at 0 here: unknown i is x(i+1). */
#include <stdio.h>
#include <stdlib.h>

#include "text/system/make.h"

/* p += coefficient * the product of the factors, which are sorted. */
static plumb_status add(polynomial *p, long coefficient, const system_factor *factors, int64_t count)
{
    int32_t degree = 0;
    for (int64_t i = 0; i < count; i++)
        degree += factors[i].exponent;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    mpq_set_si(re, coefficient, 1);
    plumb_status status = plumb_poly_append(p, re, im, factors, (int32_t)count, degree);
    mpq_clears(re, im, NULL);
    return status;
}

static system_factor power(int64_t unknown, int64_t exponent)
{
    return (system_factor){.unknown = (int32_t)unknown, .exponent = (int32_t)exponent};
}

/* p += coefficient * x_i x_j */
static plumb_status add_pair(polynomial *p, long coefficient, int64_t i, int64_t j)
{
    if (i == j)
        return add(p, coefficient, (system_factor[]){power(i, 2)}, 1);
    return add(p, coefficient, (system_factor[]){power(i < j ? i : j, 1), power(i < j ? j : i, 1)}, 2);
}

static plumb_status add_unknown(polynomial *p, long coefficient, int64_t i)
{
    return add(p, coefficient, (system_factor[]){power(i, 1)}, 1);
}

/* For d = 1 .. n-1 the sum over i of the product of d consecutive unknowns, indices modulo n; the product of all = 1. */
static plumb_status fill_cyclic(int64_t n, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    system_factor *factors = malloc((size_t)n * sizeof *factors);
    if (factors == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t d = 1; d <= n; d++)
        for (int64_t i = 0; i < (d < n ? n : 1) && status == PLUMB_OK; i++) {
            int64_t beyond = i + d > n ? i + d - n : 0, count = 0; /* indices that wrapped around come first */
            for (int64_t j = 0; j < beyond; j++)
                factors[count++] = power(j, 1);
            for (int64_t j = i; j < i + d - beyond; j++)
                factors[count++] = power(j, 1);
            status = add(&p[d - 1], 1, factors, d);
        }
    free(factors);
    return status == PLUMB_OK ? add(&p[n - 1], -1, NULL, 0) : status;
}

/* For k = 0 .. n-1 the sum over l = -n .. n of u_|l| u_|k-l| = u_k, u_i = 0 for i > n; u_0 + 2 (u_1 + ... + u_n) = 1. */
static plumb_status fill_katsura(int64_t n, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < n && status == PLUMB_OK; k++) {
        for (int64_t l = -n; l <= n && status == PLUMB_OK; l++) {
            int64_t i = llabs(l), j = llabs(k - l);
            if (j <= n)
                status = add_pair(&p[k], 1, i, j);
        }
        if (status == PLUMB_OK)
            status = add_unknown(&p[k], -1, k);
    }
    for (int64_t i = 0; i <= n && status == PLUMB_OK; i++)
        status = add_unknown(&p[n], i == 0 ? 1 : 2, i);
    return status == PLUMB_OK ? add(&p[n], -1, NULL, 0) : status;
}

/* 10 x_i (sum over j <> i of x_j^2) - 11 x_i + 10 */
static plumb_status fill_noon(int64_t n, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        for (int64_t j = 0; j < n && status == PLUMB_OK; j++)
            if (j < i)
                status = add(&p[i], 10, (system_factor[]){power(j, 2), power(i, 1)}, 2);
            else if (j > i)
                status = add(&p[i], 10, (system_factor[]){power(i, 1), power(j, 2)}, 2);
        if (status == PLUMB_OK)
            status = add_unknown(&p[i], -11, i);
        if (status == PLUMB_OK)
            status = add(&p[i], 10, NULL, 0);
    }
    return status;
}

/* For k = 1 .. n-1, (x_k + sum over i = 1 .. n-k-1 of x_i x_(i+k)) x_n = k; x_1 + ... + x_(n-1) = -1. */
static plumb_status fill_eco(int64_t n, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 1; k < n && status == PLUMB_OK; k++) {
        status = add_pair(&p[k - 1], 1, k - 1, n - 1);
        for (int64_t i = 0; i < n - k - 1 && status == PLUMB_OK; i++)
            status = add(&p[k - 1], 1, (system_factor[]){power(i, 1), power(i + k, 1), power(n - 1, 1)}, 3);
        if (status == PLUMB_OK)
            status = add(&p[k - 1], -(long)k, NULL, 0);
    }
    for (int64_t i = 0; i < n - 1 && status == PLUMB_OK; i++)
        status = add_unknown(&p[n - 1], 1, i);
    return status == PLUMB_OK ? add(&p[n - 1], 1, NULL, 0) : status;
}

/* For i = 1 .. n, 2 (x_1^(i+1) - x_2^(i+1) + x_3^(i+1) - ...) = 1. */
static plumb_status fill_reimer(int64_t n, polynomial *p)
{
    plumb_status status = PLUMB_OK;
    for (int64_t i = 0; i < n && status == PLUMB_OK; i++) {
        for (int64_t j = 0; j < n && status == PLUMB_OK; j++)
            status = add(&p[i], j % 2 == 0 ? 2 : -2, (system_factor[]){power(j, i + 2)}, 1);
        if (status == PLUMB_OK)
            status = add(&p[i], -1, NULL, 0);
    }
    return status;
}

const system_family plumb_system_families[] = {
    {"cyclic", 2, 200, "cyclic n-roots", fill_cyclic, 0},
    {"katsura", 1, 500, "Katsura's magnetism, n+1 equations", fill_katsura, 1},
    {"noon", 2, 500, "Noonburg's neural network, times 10", fill_noon, 0},
    {"eco", 2, 500, "Morgan's economics", fill_eco, 0},
    {"reimer", 1, 500, "Reimer's alternating sums of powers", fill_reimer, 0},
    {NULL, 0, 0, NULL, NULL, 0},
};

plumb_status plumb_system_number(polynomial *polynomials, int64_t equations, int64_t unknowns, plumb_system **system)
{
    enum { NAME = 24 };
    char *text = malloc((size_t)unknowns * NAME);
    const char **names = malloc((size_t)unknowns * sizeof *names);
    plumb_status status = text != NULL && names != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < unknowns && status == PLUMB_OK; i++) {
        names[i] = text + i * NAME;
        snprintf(text + i * NAME, NAME, "x%lld", (long long)i + 1);
    }
    if (status == PLUMB_OK)
        status = plumb_system_build(polynomials, equations, names, unknowns, system);
    free(text);
    free(names);
    return status;
}

plumb_status plumb_system_number_unknowns(polynomial *polynomials, int64_t equations, plumb_system **system)
{
    return plumb_system_number(polynomials, equations, equations, system);
}

plumb_status plumb_system_family_make(const system_family *family, int64_t n, plumb_system **system)
{
    *system = NULL;
    if (n < family->least || n > family->most)
        return PLUMB_ERR_ARGUMENT;
    int64_t equations = n + family->more;
    polynomial *p = calloc((size_t)equations, sizeof *p);
    if (p == NULL)
        return PLUMB_ERR_MEMORY;
    plumb_status status = family->fill(n, p);
    for (int64_t i = 0; i < equations && status == PLUMB_OK; i++)
        status = plumb_poly_normalise(&p[i]);
    if (status == PLUMB_OK)
        status = plumb_system_number_unknowns(p, equations, system);
    for (int64_t i = 0; i < equations; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    return status;
}

/* series.c - see series.h. */
#include "solver/mp/series.h"

#include <stdlib.h>
#include <string.h>

/* The number of monomials; more than MP_MOST_MONOMIALS: some number above it. */
static int64_t count_monomials(int64_t variables, int64_t order)
{
    int64_t count = 1;
    for (int64_t k = 1; k <= variables && count <= MP_MOST_MONOMIALS; k++)
        count = count * (order + k) / k; /* exact: a binomial coefficient */
    return count;
}

bool mp_shape_fits(int64_t variables, int64_t order)
{
    return variables >= 1 && order >= 0 && order <= MP_MOST_ORDER &&
           count_monomials(variables, order) <= MP_MOST_MONOMIALS;
}

/* Lists the monomials: each one of the last degree times the variables from its last one on. parent and by: of which it was made. */
static void list_monomials(mp_shape *s, int32_t *parent, int8_t *by)
{
    int64_t count = 1, from = 0;
    s->end[0] = 1;
    for (int64_t degree = 1; degree <= s->order; degree++) {
        const int64_t to = count;
        for (int64_t k = from; k < to; k++)
            for (int64_t i = k == 0 ? 0 : by[k]; i < s->variables; i++) {
                memcpy(s->exponents + count * s->variables, s->exponents + k * s->variables, (size_t)s->variables);
                s->exponents[count * s->variables + i]++;
                s->degree[count] = (int8_t)degree;
                parent[count] = (int32_t)k;
                by[count++] = (int8_t)i;
            }
        from = to;
        s->end[degree] = count;
    }
}

/* The monomial k times variable i. */
static int32_t times_variable(const mp_shape *s, int64_t k, int64_t i)
{
    const int64_t n = s->variables, degree = s->degree[k] + 1;
    if (degree > s->order)
        return -1;
    for (int64_t next = s->end[degree - 1]; next < s->end[degree]; next++) {
        bool same = true;
        for (int64_t j = 0; j < n && same; j++)
            same = s->exponents[next * n + j] == s->exponents[k * n + j] + (j == i);
        if (same)
            return (int32_t)next;
    }
    return -1;
}

static void list_products(mp_shape *s, const int32_t *parent, const int8_t *by, int32_t *next)
{
    for (int64_t k = 0; k < s->count; k++)
        for (int64_t i = 0; i < s->variables; i++)
            next[k * s->variables + i] = times_variable(s, k, i);
    for (int64_t i = 0; i < s->count; i++) {
        s->product[i * s->count] = (int32_t)i;
        for (int64_t j = 1; j < s->count; j++) {
            const int32_t before = s->product[i * s->count + parent[j]];
            s->product[i * s->count + j] = before < 0 ? -1 : next[before * s->variables + by[j]];
        }
    }
}

plumb_status mp_shape_make(int64_t variables, int64_t order, mp_shape *s)
{
    *s = (mp_shape){.variables = variables, .order = order};
    if (!mp_shape_fits(variables, order))
        return PLUMB_ERR_SIZE;
    s->count = count_monomials(variables, order);
    s->exponents = calloc((size_t)(s->count * variables), sizeof *s->exponents);
    s->degree = calloc((size_t)s->count, sizeof *s->degree);
    s->end = calloc((size_t)order + 1, sizeof *s->end);
    s->product = calloc((size_t)(s->count * s->count), sizeof *s->product);
    int32_t *parent = calloc((size_t)s->count, sizeof *parent);
    int32_t *next = calloc((size_t)(s->count * variables), sizeof *next);
    int8_t *by = calloc((size_t)s->count, sizeof *by);
    const bool good = s->exponents && s->degree && s->end && s->product && parent && next && by;
    if (good) {
        list_monomials(s, parent, by);
        list_products(s, parent, by, next);
    }
    free(parent);
    free(next);
    free(by);
    return good ? PLUMB_OK : PLUMB_ERR_MEMORY;
}

void mp_shape_clear(mp_shape *s)
{
    free(s->exponents);
    free(s->degree);
    free(s->end);
    free(s->product);
    *s = (mp_shape){.variables = 0};
}

int64_t mp_series_mul(const mp_shape *s, int64_t degree, mp_complex *z, const mp_complex *x, const mp_complex *y,
                      mp_complex *temporary)
{
    int64_t products = 0;
    for (int64_t k = 0; k < s->end[degree]; k++)
        mp_set_zero(&z[k]);
    for (int64_t i = 0; i < s->end[degree]; i++) {
        if (mp_is_zero(&x[i]))
            continue;
        for (int64_t j = 0; j < s->end[degree - s->degree[i]]; j++) {
            if (mp_is_zero(&y[j]))
                continue;
            mp_add_product(&z[s->product[i * s->count + j]], &x[i], &y[j], temporary);
            products++;
        }
    }
    return products;
}

/* random.c - makes random systems of a given shape.
 *
 * A monomial that is already present is drawn again, so the monomials of a polynomial are a uniform sample of all
 * possible ones. Even drawing all of them takes only a logarithmic factor longer. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/size.h"
#include "base/number/random.h"
#include "text/matrix/random.h"
#include "text/system/make.h"

typedef struct monomial_maker {
    plumb_random random;
    int32_t *unknowns;      /* a permutation of all unknowns */
    system_factor *factors; /* the monomial just drawn */
    int64_t dimension, variables, degree;
    int64_t *slot; /* hash table: 0, or 1 + the index of a term */
    int64_t slots;
} monomial_maker;

/* The number of monomials, or some number that is at least `enough` if there are that many. */
static int64_t count_monomials(int64_t dimension, int64_t variables, int64_t degree, int64_t enough)
{
    mpz_t count, power;
    mpz_inits(count, power, NULL);
    mpz_bin_uiui(count, (unsigned long)dimension, (unsigned long)variables);
    mpz_ui_pow_ui(power, (unsigned long)degree, (unsigned long)variables);
    mpz_mul(count, count, power);
    int64_t result = mpz_cmp_si(count, (long)enough) >= 0 ? enough : mpz_get_si(count);
    mpz_clears(count, power, NULL);
    return result;
}

static int by_unknown(const void *a, const void *b)
{
    int32_t x = ((const system_factor *)a)->unknown, y = ((const system_factor *)b)->unknown;
    return (x > y) - (x < y);
}

static void draw(monomial_maker *m)
{
    for (int64_t i = 0; i < m->variables; i++) { /* the first steps of a shuffle */
        int64_t j = i + (int64_t)plumb_random_below(&m->random, (uint64_t)(m->dimension - i));
        int32_t chosen = m->unknowns[j];
        m->unknowns[j] = m->unknowns[i];
        m->unknowns[i] = chosen;
        m->factors[i].unknown = chosen;
        m->factors[i].exponent = 1 + (int32_t)plumb_random_below(&m->random, (uint64_t)m->degree);
    }
    qsort(m->factors, (size_t)m->variables, sizeof *m->factors, by_unknown);
}

/* Records the monomial just drawn as the next term of p. Returns false if it is already present. */
static bool note(monomial_maker *m, const polynomial *p)
{
    uint64_t h = 0;
    size_t bytes = (size_t)m->variables * sizeof *m->factors;
    for (int64_t i = 0; i < m->variables; i++) {
        h = (h ^ (uint64_t)m->factors[i].unknown) * UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ (uint64_t)m->factors[i].exponent ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    }
    for (h ^= h >> 32;; h++) {
        int64_t *slot = &m->slot[h & (uint64_t)(m->slots - 1)];
        if (*slot == 0) {
            *slot = p->count + 1;
            return true;
        }
        const system_factor *there = p->factors != NULL ? p->factors + p->terms[*slot - 1].first : m->factors;
        if (memcmp(there, m->factors, bytes) == 0)
            return false;
    }
}

/* Makes one polynomial; re and im are the parts of its coefficients. */
static plumb_status fill(monomial_maker *m, polynomial *p, int64_t monomials, const double *re, const double *im)
{
    plumb_status status = PLUMB_OK;
    mpq_t x, y;
    mpq_inits(x, y, NULL);
    memset(m->slot, 0, (size_t)m->slots * sizeof *m->slot);
    for (int64_t k = 0; k < monomials && status == PLUMB_OK; k++) {
        int32_t degree = 0;
        do
            draw(m);
        while (!note(m, p));
        for (int64_t i = 0; i < m->variables; i++)
            degree += m->factors[i].exponent;
        mpq_set_d(x, re[k]);
        mpq_set_d(y, im[k]);
        status = plumb_poly_append(p, x, y, m->factors, (int32_t)m->variables, degree);
    }
    mpq_clears(x, y, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

static plumb_status fill_all(monomial_maker *m, polynomial *p, int64_t monomials, double *coefficients)
{
    plumb_view view;
    plumb_status status =
        plumb_view_init(&view, coefficients, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, monomials, m->dimension, 1, NULL);
    if (status == PLUMB_OK)
        status = plumb_random_matrix(&view, 1, 0, plumb_random_next(&m->random));
    for (int64_t i = 0; i < m->dimension && status == PLUMB_OK; i++)
        status = fill(m, &p[i], monomials, view.data + i * view.col, view.data + view.plane + i * view.col);
    return status;
}

plumb_status plumb_system_random(int64_t dimension, int64_t monomials, int64_t variables, int64_t degree, uint64_t seed,
                                 plumb_system **system)
{
    int64_t terms, factors;
    *system = NULL;
    if (dimension < 1 || monomials < 1 || variables < 1 || variables > dimension || degree < 1 ||
        degree > POLY_MOST_EXPONENT)
        return PLUMB_ERR_ARGUMENT;
    if (!size_mul(dimension, monomials, &terms) || terms > SYSTEM_MOST_MADE || !size_mul(terms, variables, &factors) ||
        factors > 20 * (int64_t)SYSTEM_MOST_MADE)
        return PLUMB_ERR_SIZE;
    if (count_monomials(dimension, variables, degree, monomials) < monomials)
        return PLUMB_ERR_ARGUMENT;
    monomial_maker m = {.random = plumb_random_start(seed),
                        .dimension = dimension,
                        .variables = variables,
                        .degree = degree,
                        .slots = 16};
    while (m.slots < 2 * monomials)
        m.slots *= 2;
    m.unknowns = malloc((size_t)dimension * sizeof *m.unknowns);
    m.factors = malloc((size_t)variables * sizeof *m.factors);
    m.slot = malloc((size_t)m.slots * sizeof *m.slot);
    double *coefficients = malloc((size_t)terms * 2 * sizeof *coefficients);
    polynomial *p = calloc((size_t)dimension, sizeof *p);
    plumb_status status = PLUMB_ERR_MEMORY;
    if (m.unknowns != NULL && m.factors != NULL && m.slot != NULL && coefficients != NULL && p != NULL) {
        for (int64_t i = 0; i < dimension; i++)
            m.unknowns[i] = (int32_t)i;
        status = fill_all(&m, p, monomials, coefficients);
    }
    if (status == PLUMB_OK)
        status = plumb_system_number_unknowns(p, dimension, system);
    for (int64_t i = 0; p != NULL && i < dimension; i++)
        plumb_poly_clear(&p[i]);
    free(p);
    free(coefficients);
    free(m.slot);
    free(m.factors);
    free(m.unknowns);
    return status;
}

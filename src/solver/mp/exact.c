/* exact.c - see exact.h. */
#include "solver/mp/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A prime for which -1 is a square. Products of two residues fit into 64 bits. */
static const uint64_t PRIME = 2147483629;

enum {
    MOST_BITS = 100000,     /* of numbers in exact evaluations */
    MOST_MONOMIALS = 3000,  /* columns of a matrix */
    MOST_ORDER = 64,        /* of a Macaulay matrix */
    MOST_ENTRIES = 6000000, /* of a matrix */
};
static const double MOST_WORK = 1e9; /* products of an elimination */

/* ---- Rational points ----------------------------------------------------------------------------------------------- */

/* The simplest rational number within error of x, by continued fractions. False if its denominator is too large to be no accident. */
static bool simplest(mpfr_srcptr near, double error, mpq_t result)
{
    const double most_bits = -0.5 * fmax(error, -(double)mpfr_get_prec(near)) - 2.0;
    mpq_t x, rest, apart, part;
    mpz_t whole, p[3], q[3];
    bool found = false;
    const bool good = mpfr_number_p(near) != 0;
    mpq_inits(x, rest, apart, part, NULL);
    mpz_init(whole);
    for (int k = 0; k < 3; k++)
        mpz_inits(p[k], q[k], NULL);
    if (good)
        mpfr_get_q(x, near);
    mpz_set_ui(p[1], 1); /* convergents p / q: p_k = a p_(k-1) + p_(k-2) */
    mpz_set_ui(q[0], 1); /* entries 0: before the last, 1: the last */
    mpq_set(rest, x);
    for (int k = 0; k < 2000 && good && !found; k++) {
        mpz_fdiv_q(whole, mpq_numref(rest), mpq_denref(rest));
        mpz_mul(p[2], whole, p[1]), mpz_add(p[2], p[2], p[0]);
        mpz_mul(q[2], whole, q[1]), mpz_add(q[2], q[2], q[0]);
        mpz_swap(p[0], p[1]), mpz_swap(p[1], p[2]);
        mpz_swap(q[0], q[1]), mpz_swap(q[1], q[2]);
        if (mpz_cmpabs_ui(q[1], 1) > 0 && (double)mpz_sizeinbase(q[1], 2) > most_bits)
            break;
        mpz_set(mpq_numref(result), p[1]);
        mpz_set(mpq_denref(result), q[1]);
        mpq_canonicalize(result);
        mpq_sub(apart, x, result);
        found = rational_log2(apart) <= error;
        mpz_set(mpq_numref(part), whole);
        mpz_set_ui(mpq_denref(part), 1);
        mpq_sub(rest, rest, part);
        if (mpq_sgn(rest) == 0)
            break;
        mpq_inv(rest, rest);
    }
    mpq_clears(x, rest, apart, part, NULL);
    mpz_clear(whole);
    for (int k = 0; k < 3; k++)
        mpz_clears(p[k], q[k], NULL);
    return found;
}

static void multiply(mpq_t re, mpq_t im, const mpq_t a, const mpq_t b, mpq_t s[3])
{
    mpq_mul(s[0], re, a), mpq_mul(s[1], im, b), mpq_sub(s[2], s[0], s[1]);
    mpq_mul(s[0], re, b), mpq_mul(s[1], im, a), mpq_add(im, s[0], s[1]);
    mpq_set(re, s[2]);
}

/* The bits that the value of a term has at most, about. */
static double bits_of_term(const plumb_system *system, const system_term *t, const exact_point *point)
{
    double bits = 0.0;
    for (int32_t i = 0; i < t->count; i++) {
        const system_factor *f = &system->factors[t->first + i];
        for (int part = 0; part < 2; part++) {
            mpq_srcptr x = point->x[2 * f->unknown + part];
            bits += f->exponent * (double)(mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2));
        }
    }
    return bits;
}

/* The value of an equation; false if it would have too many digits. s: temporary numbers. */
static bool evaluate(const plumb_system *system, int64_t equation, const exact_point *point, mpq_t sum[2], mpq_t s[5])
{
    mpq_set_ui(sum[0], 0, 1);
    mpq_set_ui(sum[1], 0, 1);
    for (int64_t k = system->equation[equation]; k < system->equation[equation + 1]; k++) {
        const system_term *t = &system->terms[k];
        if (bits_of_term(system, t, point) > MOST_BITS)
            return false;
        mpq_set(s[3], t->re);
        mpq_set(s[4], t->im);
        for (int32_t i = 0; i < t->count; i++) {
            const system_factor *f = &system->factors[t->first + i];
            for (int32_t j = 0; j < f->exponent && (mpq_sgn(s[3]) || mpq_sgn(s[4])); j++)
                multiply(s[3], s[4], point->x[2 * f->unknown], point->x[2 * f->unknown + 1], s);
        }
        mpq_add(sum[0], sum[0], s[3]);
        mpq_add(sum[1], sum[1], s[4]);
    }
    return true;
}

static bool solves(const plumb_system *system, const exact_point *point)
{
    mpq_t sum[2], s[5];
    bool zero = true;
    mpq_inits(sum[0], sum[1], s[0], s[1], s[2], s[3], s[4], NULL);
    for (int64_t e = 0; e < system->equations && zero; e++)
        zero = evaluate(system, e, point, sum, s) && mpq_sgn(sum[0]) == 0 && mpq_sgn(sum[1]) == 0;
    mpq_clears(sum[0], sum[1], s[0], s[1], s[2], s[3], s[4], NULL);
    return zero;
}

static bool make_point(int64_t unknowns, exact_point *point)
{
    *point = (exact_point){.x = calloc((size_t)(2 * unknowns) + 1, sizeof *point->x), .unknowns = unknowns};
    for (int64_t k = 0; point->x && k < 2 * unknowns; k++)
        mpq_init(point->x[k]);
    return point->x != NULL;
}

bool exact_point_map(const plumb_system *system, const exact_point *point, exact_point *values)
{
    mpq_t s[5];
    bool good = make_point(system->equations, values);
    mpq_inits(s[0], s[1], s[2], s[3], s[4], NULL);
    for (int64_t e = 0; e < system->equations && good; e++)
        good = evaluate(system, e, point, values->x + 2 * e, s);
    mpq_clears(s[0], s[1], s[2], s[3], s[4], NULL);
    return good;
}

bool exact_point_find(const plumb_system *system, const mp_complex *x, double error, exact_point *point)
{
    const int64_t n = system->unknowns;
    bool good = make_point(n, point);
    for (int64_t k = 0; k < 2 * n && good; k++)
        good = simplest(k % 2 ? x[k / 2].im : x[k / 2].re, error, point->x[k]);
    return good && solves(system, point);
}

bool exact_point_find_limbs(const plumb_system *system, const double *x, int32_t limbs, double error,
                            exact_point *point)
{
    const int64_t n = system->unknowns, bits = 2200; /* all that limbs can be apart */
    *point = (exact_point){.x = NULL};
    mp_complex *exact = mp_make(n, bits);
    for (int64_t i = 0; exact && i < n; i++)
        mp_set_limbs(&exact[i], x + 2 * i * limbs, x + (2 * i + 1) * limbs, limbs);
    const bool found = exact && exact_point_find(system, exact, fmax(error, -200.0), point);
    mp_free(exact, exact ? n : 0);
    return found;
}

void exact_point_clear(exact_point *point)
{
    for (int64_t k = 0; point->x && k < 2 * point->unknowns; k++)
        mpq_clear(point->x[k]);
    free(point->x);
    *point = (exact_point){.x = NULL};
}

void exact_point_limbs(const exact_point *point, double *x, int32_t limbs)
{
    mpq_t rest, part;
    mpq_inits(rest, part, NULL);
    for (int64_t k = 0; k < 2 * point->unknowns; k++) {
        mpq_set(rest, point->x[k]);
        for (int32_t c = 0; c < limbs; c++) {
            /* The nearest double, because GMP truncates: one more limb corrects it. */
            double limb = mpq_get_d(rest);
            mpq_set_d(part, limb);
            mpq_sub(part, rest, part);
            limb += mpq_get_d(part);
            x[k * limbs + c] = limb;
            mpq_set_d(part, limb);
            mpq_sub(rest, rest, part);
        }
    }
    mpq_clears(rest, part, NULL);
}

/* ---- Residues ------------------------------------------------------------------------------------------------------ */

static uint64_t power(uint64_t x, uint64_t e)
{
    uint64_t result = 1;
    for (x %= PRIME; e; e >>= 1, x = x * x % PRIME)
        if (e & 1)
            result = result * x % PRIME;
    return result;
}

/* A square root of -1. */
static uint64_t imaginary_unit(void)
{
    for (uint64_t a = 2;; a++) {
        const uint64_t root = power(a, (PRIME - 1) / 4);
        if (root * root % PRIME == PRIME - 1)
            return root;
    }
}

static bool residue(const mpq_t x, uint64_t *r)
{
    const uint64_t denominator = mpz_fdiv_ui(mpq_denref(x), PRIME);
    if (denominator == 0)
        return false;
    *r = mpz_fdiv_ui(mpq_numref(x), PRIME) * power(denominator, PRIME - 2) % PRIME;
    return true;
}

static bool complex_residue(const mpq_t re, const mpq_t im, uint64_t unit, uint64_t *r)
{
    uint64_t a, b;
    if (!residue(re, &a) || !residue(im, &b))
        return false;
    *r = (a + b * unit) % PRIME;
    return true;
}

/* ---- Monomials ----------------------------------------------------------------------------------------------------- */

/* All exponent vectors of n unknowns up to a degree, by degree. */
typedef struct monomials {
    int64_t n, count;
    int8_t *exponents;           /* n per monomial */
    int64_t end[MOST_ORDER + 1]; /* monomials of degree at most k are those before end[k] */
    int64_t *table;              /* their hash table: numbers, or -1 */
    int64_t slots;
} monomials;

static uint64_t hash(const int8_t *exponents, int64_t n)
{
    uint64_t h = 0x9e3779b97f4a7c15;
    for (int64_t i = 0; i < n; i++)
        h = (h ^ (uint64_t)(uint8_t)exponents[i]) * 0x100000001b3;
    return h ^ h >> 29;
}

static int64_t find_monomial(const monomials *m, const int8_t *exponents)
{
    for (uint64_t s = hash(exponents, m->n) % (uint64_t)m->slots;; s = (s + 1) % (uint64_t)m->slots)
        if (m->table[s] < 0 ||
            memcmp(m->exponents + m->table[s] * m->n, exponents, (size_t)m->n * sizeof *exponents) == 0)
            return m->table[s];
}

static void add_monomial(monomials *m, int64_t k)
{
    uint64_t s = hash(m->exponents + k * m->n, m->n) % (uint64_t)m->slots;
    while (m->table[s] >= 0)
        s = (s + 1) % (uint64_t)m->slots;
    m->table[s] = k;
}

/* Adds the monomials of the next degree: each one of the last degree times the unknowns from its last one on. False if there are too
 * many. */
static bool next_degree(monomials *m, int64_t degree)
{
    const int64_t from = degree > 1 ? m->end[degree - 2] : 0, to = m->end[degree - 1], n = m->n;
    for (int64_t k = from; k < to; k++) {
        int64_t last = n - 1;
        while (last > 0 && m->exponents[k * n + last] == 0)
            last--;
        for (int64_t i = last; i < n; i++) {
            if (m->count == MOST_MONOMIALS)
                return false;
            memcpy(m->exponents + m->count * n, m->exponents + k * n, (size_t)n);
            m->exponents[m->count * n + i]++;
            add_monomial(m, m->count++);
        }
    }
    m->end[degree] = m->count;
    return true;
}

static bool begin_monomials(int64_t n, monomials *m)
{
    *m = (monomials){.n = n,
                     .exponents = calloc((size_t)(n * MOST_MONOMIALS), sizeof *m->exponents),
                     .slots = 4 * MOST_MONOMIALS + 1};
    m->table = malloc((size_t)m->slots * sizeof *m->table);
    if (!m->exponents || !m->table)
        return false;
    for (int64_t s = 0; s < m->slots; s++)
        m->table[s] = -1;
    add_monomial(m, m->count++);
    m->end[0] = 1;
    return true;
}

static void end_monomials(monomials *m)
{
    free(m->exponents);
    free(m->table);
}

/* ---- Taylor series and Macaulay matrices --------------------------------------------------------------------------- */

typedef struct taylor {
    const plumb_system *system;
    const uint64_t *x; /* residues of the point */
    const monomials *monomials;
    int64_t degree;  /* up to which the series are computed */
    uint64_t *value; /* coefficients of one equation */
    int8_t *exponents;
} taylor;

/* Adds c times the product of (x_i + y_i)^e_i over the factors first .. last - 1, truncated. */
static void add_term(taylor *t, uint64_t c, const system_factor *first, const system_factor *last, int64_t degree)
{
    if (first == last) {
        const int64_t k = find_monomial(t->monomials, t->exponents);
        t->value[k] = (t->value[k] + c) % PRIME;
        return;
    }
    const uint64_t x = t->x[first->unknown];
    uint64_t binomial = 1;
    for (int32_t j = 0; j <= first->exponent && degree + j <= t->degree; j++) {
        const uint64_t factor = binomial * power(x, (uint64_t)(first->exponent - j)) % PRIME;
        t->exponents[first->unknown] = (int8_t)j;
        if (factor != 0)
            add_term(t, c * factor % PRIME, first + 1, last, degree + j);
        binomial = binomial * (uint64_t)(first->exponent - j) % PRIME * power((uint64_t)j + 1, PRIME - 2) % PRIME;
    }
    t->exponents[first->unknown] = 0;
}

/* The rank of a matrix with rows of residues, which is overwritten. */
static int64_t rank_of(uint64_t *a, int64_t rows, int64_t columns)
{
    int64_t rank = 0;
    for (int64_t c = 0; c < columns && rank < rows; c++) {
        int64_t r = rank;
        while (r < rows && a[r * columns + c] == 0)
            r++;
        if (r == rows)
            continue;
        for (int64_t j = c; j < columns && r != rank; j++) {
            const uint64_t swap = a[r * columns + j];
            a[r * columns + j] = a[rank * columns + j];
            a[rank * columns + j] = swap;
        }
        const uint64_t inverse = power(a[rank * columns + c], PRIME - 2);
        for (r = rank + 1; r < rows; r++) {
            if (a[r * columns + c] == 0)
                continue;
            const uint64_t factor = PRIME - a[r * columns + c] * inverse % PRIME;
            for (int64_t j = c; j < columns; j++)
                a[r * columns + j] = (a[r * columns + j] + factor * a[rank * columns + j]) % PRIME;
        }
        rank++;
    }
    return rank;
}

/* The nullity of the Macaulay matrix of an order; -1: too large. */
static int64_t nullity(const plumb_system *system, const uint64_t *x, const uint64_t *coefficients, const monomials *m,
                       int64_t order)
{
    const int64_t columns = m->end[order], shifts = m->end[order - 1], rows = shifts * system->equations, n = m->n;
    if (rows * columns > MOST_ENTRIES || (double)rows * (double)columns * (double)columns > MOST_WORK)
        return -1;
    uint64_t *a = calloc((size_t)(rows * columns), sizeof *a), *value = calloc((size_t)columns, sizeof *value);
    int8_t *exponents = calloc((size_t)n, sizeof *exponents);
    int64_t result = -1;
    if (a && value && exponents) {
        taylor t = {system, x, m, order, value, exponents};
        for (int64_t e = 0; e < system->equations; e++) {
            memset(value, 0, (size_t)columns * sizeof *value);
            for (int64_t k = system->equation[e]; k < system->equation[e + 1]; k++) {
                const system_factor *f = system->factors + system->terms[k].first;
                add_term(&t, coefficients[k], f, f + system->terms[k].count, 0);
            }
            for (int64_t s = 0; s < shifts; s++)
                for (int64_t k = 0; k < columns; k++) {
                    int64_t degree = 0;
                    for (int64_t i = 0; i < n; i++) {
                        exponents[i] = (int8_t)(m->exponents[k * n + i] + m->exponents[s * n + i]);
                        degree += exponents[i];
                    }
                    if (value[k] != 0 && degree <= order)
                        a[(e * shifts + s) * columns + find_monomial(m, exponents)] = value[k];
                }
            memset(exponents, 0, (size_t)n);
        }
        result = columns - rank_of(a, rows, columns);
    }
    free(a);
    free(value);
    free(exponents);
    return result;
}

int64_t exact_multiplicity(const plumb_system *system, const exact_point *point, int64_t most)
{
    const int64_t n = system->unknowns, terms = system->equation[system->equations];
    const uint64_t unit = imaginary_unit();
    uint64_t *x = calloc((size_t)n, sizeof *x), *coefficients = calloc((size_t)terms + 1, sizeof *coefficients);
    monomials m = {.n = 0};
    bool good = x && coefficients && begin_monomials(n, &m);
    for (int64_t i = 0; i < n && good; i++)
        good = complex_residue(point->x[2 * i], point->x[2 * i + 1], unit, &x[i]);
    for (int64_t k = 0; k < terms && good; k++)
        good = complex_residue(system->terms[k].re, system->terms[k].im, unit, &coefficients[k]);
    int64_t before = 1, result = -1;
    for (int64_t order = 1; order <= MOST_ORDER && good && result < 0; order++) {
        good = next_degree(&m, order);
        const int64_t now = good ? nullity(system, x, coefficients, &m, order) : -1;
        good = now >= 0;
        if (good && (now == before || (most > 0 && now >= most)))
            result = now;
        before = now;
    }
    end_monomials(&m);
    free(x);
    free(coefficients);
    return result;
}

/* exact.c - see exact.h. */
#include "solver/mp/exact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solver/mp/series.h"

/* A prime for which -1 is a square. Products of two residues fit into 64 bits. */
static const uint64_t PRIME = 2147483629;

enum {
    MOST_BITS = 100000, /* of numbers in exact evaluations */
};
static const double MOST_WORK = 1e9;          /* products for a multiplicity */
static const double MOST_COUNTING_WORK = 1e9; /* and of those for the number of solutions */

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

/* ---- The rank of the Jacobian -------------------------------------------------------------------------------------- */

/* Row e of the Jacobian. False if a coefficient has no residue. */
static bool make_row(const plumb_system *s, int64_t e, const uint64_t *x, uint64_t unit, uint64_t *row)
{
    memset(row, 0, (size_t)s->unknowns * sizeof *row);
    for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
        const system_term *t = &s->terms[k];
        const system_factor *f = &s->factors[t->first];
        uint64_t c;
        if (!complex_residue(t->re, t->im, unit, &c))
            return false;
        for (int32_t by = 0; by < t->count; by++) {
            uint64_t product = c * ((uint64_t)f[by].exponent % PRIME) % PRIME;
            for (int32_t i = 0; i < t->count; i++)
                product = product * power(x[f[i].unknown], (uint64_t)(f[i].exponent - (i == by))) % PRIME;
            row[f[by].unknown] = (row[f[by].unknown] + product) % PRIME;
        }
    }
    return true;
}

int64_t exact_rank(const plumb_system *system, const exact_point *point)
{
    const int64_t m = system->equations, n = system->unknowns;
    const uint64_t unit = imaginary_unit();
    uint64_t *x = calloc((size_t)n + 1, sizeof *x), *a = calloc((size_t)(m * n) + 1, sizeof *a);
    bool good = x && a;
    int64_t rank = 0;
    for (int64_t i = 0; i < n && good; i++)
        good = complex_residue(point->x[2 * i], point->x[2 * i + 1], unit, &x[i]);
    for (int64_t e = 0; e < m && good; e++)
        good = make_row(system, e, x, unit, a + e * n);
    for (int64_t j = 0; j < n && good; j++) {
        int64_t pivot = rank;
        while (pivot < m && a[pivot * n + j] == 0)
            pivot++;
        if (pivot == m)
            continue;
        for (int64_t k = 0; k < n; k++) {
            const uint64_t keep = a[rank * n + k];
            a[rank * n + k] = a[pivot * n + k];
            a[pivot * n + k] = keep;
        }
        const uint64_t inverse = power(a[rank * n + j], PRIME - 2);
        for (int64_t e = rank + 1; e < m; e++) {
            const uint64_t factor = (PRIME - a[e * n + j]) * inverse % PRIME;
            for (int64_t k = j; k < n && factor != 0; k++)
                a[e * n + k] = (a[e * n + k] + factor * a[rank * n + k]) % PRIME;
        }
        rank++;
    }
    free(x);
    free(a);
    return good ? rank : 0;
}

/* ---- The dual space of a point ------------------------------------------------------------------------------------- */

/* A functional on polynomials that vanishes on the ideal. The first one is the value at the point. Every other one is 0 at the polynomial 1, and
 * is given by what it becomes after a product with y_i, the distance of unknown i from the point: sums of functionals before it. */
typedef struct functional {
    int64_t before;        /* functionals of lower order */
    uint64_t *parts;       /* coefficient of functional p after a product with y_i: parts[i * before + p] */
    int64_t unknown, part; /* where it has a 1, and later functionals a 0 */
} functional;

typedef struct dual {
    const plumb_system *system;
    const uint64_t *x, *coefficients; /* residues of the point, and of the terms */
    functional *list;
    int64_t count, room;
    double work;
} dual;

/* Conditions on the parts of a further functional: rows in echelon form, each with a 1 as its first entry. */
typedef struct conditions {
    int64_t columns;
    uint64_t **row; /* by the column of its first entry; NULL: none */
    bool *fixed;    /* columns that are 0 */
    uint64_t *room; /* for one more row */
} conditions;

static bool begin_conditions(const dual *d, conditions *c)
{
    const int64_t m = d->count, n = d->system->unknowns;
    *c = (conditions){.columns = n * m};
    c->row = calloc((size_t)c->columns, sizeof *c->row);
    c->fixed = calloc((size_t)c->columns, sizeof *c->fixed);
    c->room = calloc((size_t)c->columns, sizeof *c->room);
    for (int64_t j = 1; j < m && c->fixed; j++)
        c->fixed[d->list[j].unknown * m + d->list[j].part] = true;
    return c->row && c->fixed && c->room;
}

static void end_conditions(conditions *c)
{
    for (int64_t k = 0; k < c->columns && c->row; k++)
        free(c->row[k]);
    free(c->row);
    free(c->fixed);
    free(c->room);
}

/* Adds what is left of the row in `room` after elimination. False without memory, or after too much work. */
static bool add_condition(dual *d, conditions *c)
{
    uint64_t *a = c->room;
    for (int64_t k = 0; k < c->columns; k++) {
        if (c->fixed[k])
            a[k] = 0;
        if (a[k] == 0)
            continue;
        d->work += (double)(c->columns - k);
        if (!c->row[k]) {
            const uint64_t inverse = power(a[k], PRIME - 2);
            c->row[k] = calloc((size_t)c->columns, sizeof *a);
            for (int64_t j = k; j < c->columns && c->row[k]; j++)
                c->row[k][j] = c->fixed[j] ? 0 : a[j] * inverse % PRIME;
            return c->row[k] != NULL && d->work <= MOST_WORK;
        }
        const uint64_t *b = c->row[k], factor = PRIME - a[k];
        for (int64_t j = k; j < c->columns; j++)
            a[j] = (a[j] + factor * b[j]) % PRIME;
    }
    return d->work <= MOST_WORK;
}

/* Products with y_i and y_l are the same in either order. */
static bool add_exchanges(dual *d, conditions *c, int64_t i, int64_t l)
{
    const int64_t m = d->count, last = m > 1 ? d->list[m - 1].before : 0;
    bool good = true;
    for (int64_t p = 0; p < last && good; p++) {
        memset(c->room, 0, (size_t)c->columns * sizeof *c->room);
        for (int64_t j = 1; j < m; j++) {
            const functional *f = &d->list[j];
            if (p < f->before) {
                c->room[i * m + j] = f->parts[l * f->before + p];
                c->room[l * m + j] = (PRIME - f->parts[i * f->before + p]) % PRIME;
            }
        }
        d->work += (double)c->columns;
        good = add_condition(d, c);
    }
    return good;
}

/* The values of all functionals at g y_i + g x_i, from those at g. */
static void multiply_values(dual *d, int64_t i, uint64_t *values, uint64_t *room)
{
    const uint64_t x = d->x[i];
    for (int64_t j = 0; j < d->count; j++) {
        const functional *f = &d->list[j];
        uint64_t sum = x * values[j] % PRIME;
        for (int64_t p = 0; p < f->before; p++)
            if (f->parts[i * f->before + p] != 0)
                sum = (sum + f->parts[i * f->before + p] * values[p]) % PRIME;
        d->work += (double)f->before;
        room[j] = sum;
    }
    memcpy(values, room, (size_t)d->count * sizeof *values);
}

/* Adds the value of a further functional at a term, as a linear form in its parts, to `room` of the conditions. values, form and room: for
 * this function, as many numbers as functionals, columns, and functionals. */
static bool add_term_value(dual *d, conditions *c, int64_t term, uint64_t *values, uint64_t *form, uint64_t *room)
{
    const system_term *t = &d->system->terms[term];
    const int64_t m = d->count;
    memset(values, 0, (size_t)m * sizeof *values);
    memset(form, 0, (size_t)c->columns * sizeof *form);
    values[0] = 1;
    for (const system_factor *f = d->system->factors + t->first; f < d->system->factors + t->first + t->count; f++)
        for (int32_t k = 0; k < f->exponent && d->work <= MOST_WORK; k++) {
            const int64_t i = f->unknown;
            for (int64_t j = 0; j < c->columns; j++)
                form[j] = form[j] * d->x[i] % PRIME;
            for (int64_t p = 0; p < m; p++)
                form[i * m + p] = (form[i * m + p] + values[p]) % PRIME;
            multiply_values(d, i, values, room);
            d->work += (double)c->columns;
        }
    for (int64_t j = 0; j < c->columns; j++)
        c->room[j] = (c->room[j] + d->coefficients[term] * form[j]) % PRIME;
    return d->work <= MOST_WORK;
}

/* A further functional vanishes at the equations; at their multiples it does because those before it do. */
static bool add_equations(dual *d, conditions *c)
{
    const size_t m = (size_t)d->count;
    uint64_t *values = calloc(2 * m, sizeof *values), *form = calloc((size_t)c->columns, sizeof *form);
    bool good = values && form;
    for (int64_t e = 0; e < d->system->equations && good; e++) {
        memset(c->room, 0, (size_t)c->columns * sizeof *c->room);
        for (int64_t t = d->system->equation[e]; t < d->system->equation[e + 1] && good; t++)
            good = add_term_value(d, c, t, values, form, values + m);
        good = good && add_condition(d, c);
    }
    free(values);
    free(form);
    return good;
}

/* Adds the functional that has a 1 in a column which the conditions leave free, and 0 in the other free ones. */
static bool add_functional(dual *d, const conditions *c, int64_t column, int64_t before)
{
    if (d->count == d->room) {
        functional *list = realloc(d->list, (size_t)(2 * d->room + 16) * sizeof *list);
        if (!list)
            return false;
        d->list = list;
        d->room = 2 * d->room + 16;
    }
    uint64_t *u = calloc((size_t)c->columns, sizeof *u);
    if (!u)
        return false;
    u[column] = 1;
    for (int64_t k = column - 1; k >= 0; k--) {
        uint64_t sum = 0;
        for (int64_t j = k + 1; j <= column && c->row[k]; j++)
            if (u[j] != 0)
                sum = (sum + c->row[k][j] * u[j]) % PRIME;
        d->work += c->row[k] ? (double)(column - k) : 0.0;
        u[k] = (PRIME - sum) % PRIME;
    }
    d->list[d->count++] =
        (functional){.before = before, .parts = u, .unknown = column / before, .part = column % before};
    return true;
}

/* Adds the functionals of the next order. False without memory, or after too much work. */
static bool next_order(dual *d)
{
    const int64_t n = d->system->unknowns, before = d->count;
    conditions c;
    bool good = begin_conditions(d, &c) && add_equations(d, &c);
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = i + 1; l < n && good; l++)
            good = add_exchanges(d, &c, i, l);
    for (int64_t k = 0; k < c.columns && good; k++)
        if (!c.row[k] && !c.fixed[k])
            good = add_functional(d, &c, k, before) && d->work <= MOST_WORK;
    end_conditions(&c);
    return good;
}

static int32_t degree_of(const plumb_system *system, int64_t equation)
{
    int32_t most = 0;
    for (int64_t t = system->equation[equation]; t < system->equation[equation + 1]; t++)
        most = system->terms[t].degree > most ? system->terms[t].degree : most;
    return most;
}

/* Bezout's bound of the multiplicity of an isolated solution: the product of the degrees, of the highest ones if there are more equations than
 * unknowns. Infinity with fewer. */
static double most_multiplicity(const plumb_system *system)
{
    double product = system->equations >= system->unknowns ? 1.0 : (double)INFINITY;
    for (int64_t e = 0; e < system->equations; e++) {
        int64_t higher = 0;
        for (int64_t k = 0; k < system->equations; k++)
            higher +=
                degree_of(system, k) > degree_of(system, e) || (degree_of(system, k) == degree_of(system, e) && k < e);
        product *= higher < system->unknowns ? (double)degree_of(system, e) : 1.0;
    }
    return product;
}

int64_t exact_multiplicity(const plumb_system *system, const exact_point *point, int64_t most)
{
    const int64_t n = system->unknowns, terms = system->equation[system->equations];
    const uint64_t unit = imaginary_unit();
    uint64_t *x = calloc((size_t)n, sizeof *x), *coefficients = calloc((size_t)terms + 1, sizeof *coefficients);
    dual d = {system, x, coefficients, calloc(1, sizeof *d.list), .count = 1, .room = 1};
    bool good = x && coefficients && d.list;
    for (int64_t i = 0; i < n && good; i++)
        good = complex_residue(point->x[2 * i], point->x[2 * i + 1], unit, &x[i]);
    for (int64_t k = 0; k < terms && good; k++)
        good = complex_residue(system->terms[k].re, system->terms[k].im, unit, &coefficients[k]);
    const double bound = most_multiplicity(system);
    int64_t result = -1;
    while (good && result < 0) {
        const int64_t before = d.count;
        good = next_order(&d) && (double)d.count <= bound;
        if (good && (d.count == before || (most > 0 && d.count >= most)))
            result = d.count;
    }
    for (int64_t j = 0; j < d.count && d.list; j++)
        free(d.list[j].parts);
    free(d.list);
    free(x);
    free(coefficients);
    return result;
}

/* ---- The number of solutions --------------------------------------------------------------------------------------- */

/* Polynomials with different leading monomials, and products with unknowns that are yet to be made. */
typedef struct echelon {
    mp_shape shape; /* higher monomials are larger */
    uint64_t **row; /* in the order in which they were found; coefficients up to the leading one, which is 1 */
    int64_t *lead;  /* of each row */
    int64_t *owner; /* of each monomial: the row that it leads, or -1 */
    int64_t rows;
    uint64_t *room;
    double work;
} echelon;

/* Takes multiples of rows away from `room`, whose coefficients from `lead` on are the only ones that are not zero, and makes a row of what
 * is left. False without memory. */
static bool add_row(echelon *e, int64_t lead)
{
    uint64_t *a = e->room;
    for (; lead >= 0; lead--) {
        if (a[lead] == 0)
            continue;
        if (e->owner[lead] < 0)
            break;
        const uint64_t *b = e->row[e->owner[lead]], factor = PRIME - a[lead];
        for (int64_t j = 0; j <= lead; j++)
            a[j] = (a[j] + factor * b[j]) % PRIME;
        e->work += (double)lead;
    }
    if (lead < 0)
        return true;
    uint64_t *row = malloc((size_t)(lead + 1) * sizeof *row);
    if (!row)
        return false;
    const uint64_t inverse = power(a[lead], PRIME - 2);
    for (int64_t j = 0; j <= lead; j++)
        row[j] = a[j] * inverse % PRIME;
    e->row[e->rows] = row;
    e->lead[e->rows] = lead;
    e->owner[lead] = e->rows++;
    return true;
}

/* The equation as a row. */
static bool add_equation(echelon *e, const plumb_system *system, int64_t equation, const uint64_t *coefficients)
{
    const mp_shape *s = &e->shape;
    memset(e->room, 0, (size_t)s->count * sizeof *e->room);
    for (int64_t t = system->equation[equation]; t < system->equation[equation + 1]; t++) {
        int64_t monomial = 0;
        for (int64_t f = system->terms[t].first; f < system->terms[t].first + system->terms[t].count; f++)
            for (int32_t k = 0; k < system->factors[f].exponent; k++)
                monomial = s->product[monomial * s->count + 1 + system->factors[f].unknown];
        e->room[monomial] = (e->room[monomial] + coefficients[t]) % PRIME;
    }
    return add_row(e, s->count - 1);
}

/* Multiplies all rows of degree below `degree` that were not multiplied yet by all unknowns. */
static bool multiply_rows(echelon *e, bool *multiplied, int64_t degree)
{
    const mp_shape *s = &e->shape;
    bool good = true;
    for (int64_t r = 0; r < e->rows && good; r++) {
        if (multiplied[r] || s->degree[e->lead[r]] >= degree)
            continue;
        multiplied[r] = true;
        for (int64_t i = 0; i < s->variables && good; i++) {
            memset(e->room, 0, (size_t)s->end[degree] * sizeof *e->room);
            for (int64_t k = 0; k <= e->lead[r]; k++)
                e->room[s->product[k * s->count + 1 + i]] = e->row[r][k];
            good = add_row(e, s->end[degree] - 1) && e->work <= MOST_COUNTING_WORK;
        }
    }
    return good;
}

/* The number of monomials that lead no row, up to the first degree after which all of the next one do; -1: there is no such degree. */
static int64_t count_rest(const echelon *e, int64_t degree)
{
    const mp_shape *s = &e->shape;
    int64_t rest = 0;
    for (int64_t d = 0; d <= degree; d++) {
        int64_t free_ones = 0;
        for (int64_t k = d > 0 ? s->end[d - 1] : 0; k < s->end[d]; k++)
            free_ones += e->owner[k] < 0;
        if (free_ones == 0)
            return rest;
        rest += free_ones;
    }
    return -1;
}

static bool begin_echelon(const plumb_system *system, echelon *e)
{
    int64_t order = 1, most = 1;
    *e = (echelon){.rows = 0};
    for (int64_t k = 0; k < system->equations; k++)
        most = degree_of(system, k) > most ? degree_of(system, k) : most;
    while (mp_shape_fits(system->unknowns, order + 1))
        order++;
    if (order <= most || mp_shape_make(system->unknowns, order, &e->shape) != PLUMB_OK)
        return false;
    const size_t count = (size_t)e->shape.count;
    e->row = calloc(count, sizeof *e->row);
    e->lead = calloc(count, sizeof *e->lead);
    e->owner = malloc(count * sizeof *e->owner);
    e->room = calloc(count, sizeof *e->room);
    for (size_t k = 0; k < count && e->owner; k++)
        e->owner[k] = -1;
    return e->row && e->lead && e->owner && e->room;
}

static void end_echelon(echelon *e)
{
    for (int64_t r = 0; r < e->rows; r++)
        free(e->row[r]);
    free(e->row);
    free(e->lead);
    free(e->owner);
    free(e->room);
    mp_shape_clear(&e->shape);
}

bool exact_has_at_most(const plumb_system *system, int64_t solutions)
{
    const int64_t terms = system->equation[system->equations];
    const uint64_t unit = imaginary_unit();
    uint64_t *coefficients = calloc((size_t)terms + 1, sizeof *coefficients);
    echelon e = {.rows = 0};
    bool good = coefficients && begin_echelon(system, &e), found = false;
    bool *multiplied = good ? calloc((size_t)e.shape.count, sizeof *multiplied) : NULL;
    good = good && multiplied;
    for (int64_t k = 0; k < terms && good; k++)
        good = complex_residue(system->terms[k].re, system->terms[k].im, unit, &coefficients[k]);
    for (int64_t degree = 1; good && !found && degree <= e.shape.order; degree++) {
        for (int64_t k = 0; k < system->equations && good; k++)
            if (degree_of(system, k) == degree)
                good = add_equation(&e, system, k, coefficients);
        good = good && multiply_rows(&e, multiplied, degree);
        const int64_t rest = good ? count_rest(&e, degree) : -1;
        found = rest >= 0 && rest <= solutions;
    }
    end_echelon(&e);
    free(multiplied);
    free(coefficients);
    return found;
}

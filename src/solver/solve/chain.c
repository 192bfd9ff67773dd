/* chain.c - see chain.h. */
#include "solver/solve/chain.h"

#include <math.h>
#include <stdlib.h>

#include "model/system/polynomial.h"
#include "solver/mp/disc.h"
#include "solver/mp/system.h"
#include "solver/mp/univariate/isolate.h"

enum {
    MOST_BITS = 32768,         /* of discs, */
    MOST_DOUBTFUL_BITS = 4096, /* and after which a number that may be zero is taken for one that is */
    MOST_EXACT_BITS = 2048,    /* of rational numbers that are kept exactly, */
    MOST_SUM_BITS = 100000,    /* and of their products */
    MOST_NODES = 65536         /* maximum number of solutions of the equations so far */
};

static const int64_t MOST_MULTIPLICITY = (int64_t)1 << 46; /* so that the sum over all nodes is a number */

/* Products of one limb, about. */
static const double MOST_WORK = 1e9;

/* The equation that determines an unknown when those before it are known, and its degree in that unknown. */
typedef struct chain_step {
    int64_t equation;
    int32_t unknown, degree;
} chain_step;

typedef struct chain_value {
    disc at;
    double scale; /* log2 of the size of what it was computed from: much smaller errors tell what is zero */
    mpq_t *exact; /* real and imaginary part, or NULL */
} chain_value;

/* A root of an equation of the chain over a root of the ones before it. */
typedef struct chain_node {
    int64_t parent; /* in the level before */
    int64_t multiplicity;
    chain_value value;
} chain_node;

typedef struct chain_level {
    chain_node *list;
    int64_t count, room;
} chain_level;

typedef struct chain {
    const plumb_system *system;
    const mp_roots_options *options;
    int64_t n, bits, most_degree;
    chain_step *step;
    chain_level *level;     /* one per step */
    const chain_value **at; /* of each unknown, at the node that is worked on; NULL: not known there */
    disc *coefficient;      /* of the powers of the next unknown, most_degree + 1 of them, */
    double *size;           /* and log2 of the sizes of their terms */
    disc term, power, square;
    mp_complex *temporary; /* 3 */
    double spent;
    bool doubtful; /* something may be zero, or roots may be the same */
} chain;

/* ---- The order ----------------------------------------------------------------------------------------------------- */

/* The degree of an equation in an unknown. */
static int32_t degree_in(const plumb_system *s, int64_t equation, int32_t unknown)
{
    int32_t degree = 0;
    for (int64_t k = s->equation[equation]; k < s->equation[equation + 1]; k++)
        for (int32_t i = 0; i < s->terms[k].count; i++) {
            const system_factor *f = &s->factors[s->terms[k].first + i];
            if (f->unknown == unknown && f->exponent > degree)
                degree = f->exponent;
        }
    return degree;
}

/* The number of unknowns of an equation that are not known yet, at most 2; *one is one of them. */
static int count_open(const plumb_system *s, int64_t equation, const bool *known, int32_t *one)
{
    int32_t first = -1;
    for (int64_t k = s->equation[equation]; k < s->equation[equation + 1]; k++)
        for (int32_t i = 0; i < s->terms[k].count; i++) {
            const int32_t u = s->factors[s->terms[k].first + i].unknown;
            if (known[u] || u == first)
                continue;
            if (first >= 0)
                return 2;
            first = u;
        }
    *one = first;
    return first >= 0;
}

/* Finds the next equation, of the lowest degree in the unknown that it determines. Those that are used, or have all of their unknowns known, are
 * marked; the latter make the system overdetermined. */
static bool find_step(const plumb_system *s, const bool *known, const bool *used, chain_step *step)
{
    step->equation = -1;
    for (int64_t e = 0; e < s->equations; e++) {
        int32_t u;
        if (used[e])
            continue;
        const int open = count_open(s, e, known, &u);
        if (open == 0)
            return false;
        const int32_t degree = open == 1 ? degree_in(s, e, u) : 0;
        if (open == 1 && (step->equation < 0 || degree < step->degree))
            *step = (chain_step){e, u, degree};
        if (step->equation >= 0 && step->degree == 1)
            return true;
    }
    return step->equation >= 0;
}

/* True if the system is triangular. */
static bool find_order(chain *c)
{
    const plumb_system *s = c->system;
    bool *known = calloc((size_t)(s->unknowns + s->equations), sizeof *known);
    bool *used = known + s->unknowns, good = known != NULL;
    for (int64_t k = 0; k < c->n && good; k++) {
        good = find_step(s, known, used, &c->step[k]);
        if (!good)
            break;
        known[c->step[k].unknown] = true;
        used[c->step[k].equation] = true;
        c->most_degree = c->step[k].degree > c->most_degree ? c->step[k].degree : c->most_degree;
    }
    free(known);
    return good;
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static void clear_value(chain_value *v)
{
    disc_clear(&v->at);
    if (v->exact)
        mpq_clears(v->exact[0], v->exact[1], NULL);
    free(v->exact);
    *v = (chain_value){.exact = NULL};
}

static bool is_short(mpq_srcptr x)
{
    return mpz_sizeinbase(mpq_numref(x), 2) + mpz_sizeinbase(mpq_denref(x), 2) <= MOST_EXACT_BITS;
}

/* Keeps the exact value of a root, too, if it is short; it moves. */
static void set_value(const chain *c, mp_root *root, double scale, chain_value *v)
{
    disc_init(&v->at, c->bits);
    v->scale = scale;
    if (root->exact) {
        disc_set_rational(&v->at, root->exact[0], root->exact[1]);
        if (!is_short(root->exact[0]) || !is_short(root->exact[1]))
            return;
        v->exact = root->exact;
        root->exact = NULL;
        return;
    }
    const disc found = {.z = root->z, .radius = root->radius, .real = mpfr_zero_p(root->z.im) != 0};
    disc_set(&v->at, &found);
}

static plumb_status add_node(chain *c, int64_t k, int64_t parent, int64_t multiplicity, chain_node **node)
{
    chain_level *level = &c->level[k];
    if (level->count == MOST_NODES)
        return PLUMB_ERR_SIZE;
    if (level->count == level->room) {
        const int64_t room = 2 * level->room + 8;
        chain_node *list = realloc(level->list, (size_t)room * sizeof *list);
        if (!list)
            return PLUMB_ERR_MEMORY;
        level->list = list;
        level->room = room;
    }
    *node = &level->list[level->count++];
    **node = (chain_node){.parent = parent, .multiplicity = multiplicity};
    return PLUMB_OK;
}

/* Sets the values of the unknowns that are known at a node of level k - 1. */
static void gather(chain *c, int64_t k, int64_t node)
{
    for (int64_t j = k; j < c->n; j++)
        c->at[c->step[j].unknown] = NULL;
    for (int64_t j = k - 1; j >= 0; j--) {
        const chain_node *there = &c->level[j].list[node];
        c->at[c->step[j].unknown] = &there->value;
        node = there->parent;
    }
}

/* ---- Coefficients of the powers of the next unknown ---------------------------------------------------------------- */

/* The exponent of the next unknown in a term. */
static int32_t power_of(const chain *c, const system_term *t, int32_t unknown)
{
    for (int32_t i = 0; i < t->count; i++)
        if (c->system->factors[t->first + i].unknown == unknown)
            return c->system->factors[t->first + i].exponent;
    return 0;
}

/* Is the coefficient of a power known exactly, and not by too long numbers? power -1: are all of them? */
static bool is_exact(const chain *c, const chain_step *step, int32_t power)
{
    const plumb_system *s = c->system;
    for (int64_t k = s->equation[step->equation]; k < s->equation[step->equation + 1]; k++) {
        const system_term *t = &s->terms[k];
        double bits = 0.0;
        if (power >= 0 && power_of(c, t, step->unknown) != power)
            continue;
        for (int32_t i = 0; i < t->count; i++) {
            const system_factor *f = &s->factors[t->first + i];
            if (f->unknown == step->unknown)
                continue;
            const mpq_t *exact = c->at[f->unknown]->exact;
            if (!exact)
                return false;
            for (int part = 0; part < 2; part++)
                bits += f->exponent * (double)(mpz_sizeinbase(mpq_numref(exact[part]), 2) +
                                               mpz_sizeinbase(mpq_denref(exact[part]), 2));
        }
        if (bits > MOST_SUM_BITS)
            return false;
    }
    return true;
}

/* (re, im) *= (x, y), which may be the same */
static void multiply_exact(mpq_ptr re, mpq_ptr im, mpq_srcptr x, mpq_srcptr y)
{
    mpq_t s, t, u;
    mpq_inits(s, t, u, NULL);
    mpq_mul(s, re, x);
    mpq_mul(t, im, y);
    mpq_sub(s, s, t);
    mpq_mul(t, re, y);
    mpq_mul(u, im, x);
    mpq_add(im, t, u);
    mpq_set(re, s);
    mpq_clears(s, t, u, NULL);
}

/* (re, im) times x^exponent */
static void multiply_by_power(mpq_ptr re, mpq_ptr im, const mpq_t *x, int32_t exponent)
{
    mpq_t a, b;
    mpq_inits(a, b, NULL);
    mpq_set(a, x[0]);
    mpq_set(b, x[1]);
    for (; exponent > 0; exponent >>= 1) {
        if (exponent & 1)
            multiply_exact(re, im, a, b);
        if (exponent > 1)
            multiply_exact(a, b, a, b);
    }
    mpq_clears(a, b, NULL);
}

/* Appends the terms with their exact coefficients as terms in the next unknown alone (power -1), or those of one power as constants. */
static plumb_status append_exact(const chain *c, const chain_step *step, int32_t power, polynomial *p)
{
    const plumb_system *s = c->system;
    plumb_status status = PLUMB_OK;
    mpq_t re, im;
    mpq_inits(re, im, NULL);
    for (int64_t k = s->equation[step->equation]; k < s->equation[step->equation + 1] && status == PLUMB_OK; k++) {
        const system_term *t = &s->terms[k];
        const int32_t own = power_of(c, t, step->unknown);
        if (power >= 0 && own != power)
            continue;
        mpq_set(re, t->re);
        mpq_set(im, t->im);
        for (int32_t i = 0; i < t->count; i++) {
            const system_factor *f = &s->factors[t->first + i];
            if (f->unknown != step->unknown)
                multiply_by_power(re, im, c->at[f->unknown]->exact, f->exponent);
        }
        const system_factor factor = {0, own};
        const bool has_factor = power < 0 && own > 0;
        status = plumb_poly_append(p, re, im, &factor, has_factor, has_factor ? own : 0);
    }
    mpq_clears(re, im, NULL);
    return status == PLUMB_OK ? plumb_poly_normalise(p) : status;
}

/* The disc of a term without the next unknown. */
static void evaluate_term(chain *c, const system_term *t, int32_t unknown)
{
    disc_set_rational(&c->term, t->re, t->im);
    for (int32_t i = 0; i < t->count; i++) {
        const system_factor *f = &c->system->factors[t->first + i];
        if (f->unknown == unknown)
            continue;
        disc_power(&c->power, &c->at[f->unknown]->at, f->exponent, &c->square, c->temporary);
        disc_mul(&c->term, &c->term, &c->power, c->temporary);
        c->spent += (4.0 + log2((double)f->exponent)) * (4.0 + (double)c->bits / 64.0);
    }
}

static void set_zero(disc *x)
{
    mpfr_set_zero(x->z.re, 1);
    mpfr_set_zero(x->z.im, 1);
    x->radius = -(double)INFINITY;
    x->real = true;
}

/* The discs of all coefficients. One that is exactly zero has no radius. */
static plumb_status find_coefficients(chain *c, const chain_step *step)
{
    const plumb_system *s = c->system;
    plumb_status status = PLUMB_OK;
    for (int32_t e = 0; e <= step->degree; e++) {
        set_zero(&c->coefficient[e]);
        c->size[e] = -(double)INFINITY;
    }
    for (int64_t k = s->equation[step->equation]; k < s->equation[step->equation + 1]; k++) {
        const int32_t e = power_of(c, &s->terms[k], step->unknown);
        evaluate_term(c, &s->terms[k], step->unknown);
        c->size[e] = fmax(c->size[e], disc_most(&c->term));
        disc_add(&c->coefficient[e], &c->coefficient[e], &c->term);
    }
    for (int32_t e = 0; e <= step->degree && status == PLUMB_OK; e++) {
        polynomial constant = {.terms = NULL};
        if (!disc_may_be_zero(&c->coefficient[e]) || !is_exact(c, step, e))
            continue;
        status = append_exact(c, step, e, &constant);
        if (status == PLUMB_OK && constant.count > 0)
            disc_set_rational(&c->coefficient[e], constant.terms[0].re, constant.terms[0].im);
        else
            set_zero(&c->coefficient[e]);
        plumb_poly_clear(&constant);
    }
    return status;
}

/* ---- Roots of exact polynomials ------------------------------------------------------------------------------------ */

static double largest_root(const mp_roots *roots)
{
    double most = -(double)INFINITY;
    for (int64_t k = 0; k < roots->count; k++)
        most = fmax(most, mp_log2(&roots->list[k].z));
    return most;
}

static plumb_status add_roots(chain *c, int64_t k, int64_t parent, int64_t multiplicity, mp_roots *roots)
{
    plumb_status status = PLUMB_OK;
    const double scale = largest_root(roots);
    for (int64_t j = 0; j < roots->count && status == PLUMB_OK; j++) {
        chain_node *node;
        if (multiplicity > MOST_MULTIPLICITY / roots->list[j].multiplicity)
            return PLUMB_ERR_SIZE;
        status = add_node(c, k, parent, multiplicity * roots->list[j].multiplicity, &node);
        if (status == PLUMB_OK)
            set_value(c, &roots->list[j], scale, &node->value);
    }
    return status;
}

/* A zero polynomial has a line of zeros; a constant has none. */
static plumb_status step_exactly(chain *c, int64_t k, int64_t parent, int64_t multiplicity)
{
    static const char *const names[] = {"x"};
    mp_roots_options options = *c->options;
    mp_roots roots = {.list = NULL};
    polynomial p = {.terms = NULL};
    plumb_system *one = NULL;
    options.digits = (double)c->bits * log10(2.0);
    options.rational = true;
    plumb_status status = append_exact(c, &c->step[k], -1, &p);
    if (status == PLUMB_OK && p.count == 0)
        status = PLUMB_ERR_SIZE;
    const bool has_roots = status == PLUMB_OK && p.terms[0].degree > 0;
    if (has_roots)
        status = plumb_system_build(&p, 1, names, 1, &one);
    if (has_roots && status == PLUMB_OK)
        status = mp_roots_find(one, &options, &roots);
    if (has_roots && status == PLUMB_OK)
        status = add_roots(c, k, parent, multiplicity, &roots);
    c->spent += (double)roots.degree * (double)roots.degree * 100.0 * (4.0 + (double)c->bits / 64.0);
    mp_roots_clear(&roots);
    plumb_system_destroy(one);
    plumb_poly_clear(&p);
    return status;
}

/* ---- Roots of polynomials whose coefficients are discs ------------------------------------------------------------- */

/* The polynomial of the centres, times a power of 2. PLUMB_ERR_SIZE if sizes are too different. */
static plumb_status take_centres(const chain *c, int32_t degree, gauss_poly *p)
{
    mpfr_exp_t least = 0, most = 0;
    bool some = false;
    for (int32_t e = 0; e <= degree; e++)
        for (int part = 0; part < 2; part++) {
            mpfr_srcptr x = part == 0 ? c->coefficient[e].z.re : c->coefficient[e].z.im;
            if (mpfr_zero_p(x))
                continue;
            const mpfr_exp_t high = mpfr_get_exp(x), low = high - (mpfr_exp_t)c->bits;
            least = !some || low < least ? low : least;
            most = !some || high > most ? high : most;
            some = true;
        }
    if (most - least > 4 * MOST_BITS)
        return PLUMB_ERR_SIZE;
    plumb_status status = gauss_make(degree, p);
    for (int32_t e = 0; e <= degree && status == PLUMB_OK; e++)
        for (int part = 0; part < 2; part++) {
            mpz_ptr to = part == 0 ? p->re[e] : p->im[e];
            mpfr_srcptr x = part == 0 ? c->coefficient[e].z.re : c->coefficient[e].z.im;
            if (mpfr_zero_p(x))
                continue;
            const mpfr_exp_t exponent = mpfr_get_z_2exp(to, x);
            mpz_mul_2exp(to, to, (mp_bitcnt_t)(exponent - least));
        }
    return status;
}

/* Approximations of the roots, as many as the degree. PLUMB_ERR_SIZE: they are too close to each other. */
static plumb_status approximate(chain *c, int32_t degree, mp_complex *z)
{
    gauss_poly p = {.re = NULL};
    mp_complex *found = NULL;
    double *radius = calloc((size_t)degree, sizeof *radius);
    mp_roots_options options = *c->options;
    bool real = true;
    for (int32_t e = 0; e <= degree; e++)
        real = real && c->coefficient[e].real;
    options.digits = (double)c->bits * log10(2.0);
    options.anywhere = true;
    options.most_bits = 4 * c->bits;
    c->spent += 100.0 * (double)degree * (double)degree * (4.0 + (double)c->bits / 64.0);
    plumb_status status = radius ? take_centres(c, degree, &p) : PLUMB_ERR_MEMORY;
    const int64_t zeros = status == PLUMB_OK ? gauss_split_zeros(&p) : 0;
    if (zeros > 1)
        status = PLUMB_ERR_SIZE;
    if (status == PLUMB_OK && p.degree > 0)
        status = mp_isolate(&p, &options, &found, radius);
    for (int64_t k = 0; status == PLUMB_OK && k < degree - zeros; k++)
        mp_set(&z[k], &found[k]);
    if (status == PLUMB_OK && zeros > 0) {
        mpfr_set_zero(z[degree - 1].re, 1);
        mpfr_set_zero(z[degree - 1].im, 1);
    }
    mp_free(found, found ? degree - zeros : 0);
    free(radius);
    gauss_clear(&p);
    return status;
}

/* log2 |z_i - z_j| */
static double distance(chain *c, const mp_complex *z, int32_t i, int32_t j)
{
    mp_sub(&c->temporary[2], &z[i], &z[j]);
    return mp_log2(&c->temporary[2]);
}

/* log2 of the radius of a disc around z_i, as in roots.h; the value there is that of the discs of the coefficients. */
static double find_radius(chain *c, int32_t degree, const mp_complex *z, int32_t i)
{
    const disc *lead = &c->coefficient[degree];
    double radius = log2((double)degree) + 1.0 - log2_difference(mp_log2(&lead->z), lead->radius);
    disc_set(&c->term, lead);
    mp_set(&c->power.z, &z[i]);
    c->power.radius = -(double)INFINITY;
    c->power.real = mpfr_zero_p(z[i].im) != 0;
    for (int32_t e = degree - 1; e >= 0; e--) {
        disc_mul(&c->term, &c->term, &c->power, c->temporary);
        disc_add(&c->term, &c->term, &c->coefficient[e]);
    }
    for (int32_t j = 0; j < degree; j++)
        radius -= j == i ? 0.0 : distance(c, z, i, j);
    return radius + disc_most(&c->term);
}

static bool are_disjoint(chain *c, int32_t degree, const mp_complex *z, const double *radius)
{
    for (int32_t i = 0; i < degree; i++)
        for (int32_t j = 0; j < i; j++)
            if (!(distance(c, z, i, j) > fmax(radius[i], radius[j]) + 1.125))
                return false;
    return true;
}

/* Adds the roots. The discs of a real polynomial with centres on the real axis have real roots: the conjugate of the root is in it, too. */
static plumb_status add_discs(chain *c, int64_t k, const chain_node *above, int64_t parent, int32_t degree,
                              const mp_complex *z, const double *radius)
{
    const int64_t multiplicity = above->multiplicity;
    plumb_status status = PLUMB_OK;
    bool real = true;
    for (int32_t e = 0; e <= degree; e++)
        real = real && c->coefficient[e].real;
    for (int32_t i = 0; i < degree && status == PLUMB_OK; i++) {
        chain_node *node;
        status = add_node(c, k, parent, multiplicity, &node);
        if (status != PLUMB_OK)
            continue;
        disc_init(&node->value.at, c->bits);
        mp_set(&node->value.at.z, &z[i]);
        node->value.at.radius = radius[i];
        node->value.at.real = real && mpfr_zero_p(z[i].im);
        node->value.scale = mp_log2_largest(z, degree);
    }
    return status;
}

static plumb_status step_to_roots(chain *c, int64_t k, const chain_node *above, int64_t parent, int32_t degree)
{
    mp_complex *z = mp_make(degree, c->bits);
    double *radius = calloc((size_t)degree, sizeof *radius);
    plumb_status status = z && radius ? approximate(c, degree, z) : PLUMB_ERR_MEMORY;
    c->doubtful = c->doubtful || status == PLUMB_ERR_SIZE;
    status = status == PLUMB_ERR_SIZE ? PLUMB_OK : status;
    for (int32_t i = 0; i < degree && status == PLUMB_OK && !c->doubtful; i++)
        radius[i] = find_radius(c, degree, z, i);
    c->doubtful = c->doubtful || (status == PLUMB_OK && !are_disjoint(c, degree, z, radius));
    if (status == PLUMB_OK && !c->doubtful)
        status = add_discs(c, k, above, parent, degree, z, radius);
    mp_free(z, z ? degree : 0);
    free(radius);
    return status;
}

/* The root of a linear equation. */
static plumb_status step_to_quotient(chain *c, int64_t k, const chain_node *above, int64_t parent)
{
    chain_node *node;
    plumb_status status = add_node(c, k, parent, above->multiplicity, &node);
    if (status != PLUMB_OK)
        return status;
    disc *x = &node->value.at;
    disc_init(x, c->bits);
    disc_div(x, &c->coefficient[0], &c->coefficient[1], c->temporary);
    mpfr_neg(x->z.re, x->z.re, MPFR_RNDN);
    mpfr_neg(x->z.im, x->z.im, MPFR_RNDN);
    node->value.scale = c->size[0] - mp_log2(&c->coefficient[1].z);
    return PLUMB_OK;
}

static bool is_exactly_zero(const disc *x)
{
    return mpfr_zero_p(x->z.re) && mpfr_zero_p(x->z.im) && !isfinite(x->radius);
}

/* ---- Coefficients that are exactly zero at irrational numbers ------------------------------------------------------ */

/* The only unknown of the coefficient of a power, if that has an equation of its own: the number of its step; otherwise -1. */
static int64_t find_own_step(const chain *c, const chain_step *step, int32_t power)
{
    const plumb_system *s = c->system;
    int32_t only = -1;
    for (int64_t k = s->equation[step->equation]; k < s->equation[step->equation + 1]; k++) {
        const system_term *t = &s->terms[k];
        for (int32_t i = 0; i < t->count && power_of(c, t, step->unknown) == power; i++) {
            const int32_t u = s->factors[t->first + i].unknown;
            if (u != step->unknown && only >= 0 && u != only)
                return -1;
            only = u != step->unknown ? u : only;
        }
    }
    for (int64_t j = 0; j < c->n && only >= 0; j++) {
        bool alone = c->step[j].unknown == only;
        for (int64_t k = s->equation[c->step[j].equation]; k < s->equation[c->step[j].equation + 1] && alone; k++)
            alone = s->terms[k].count == 0 || (s->terms[k].count == 1 && s->factors[s->terms[k].first].unknown == only);
        if (alone)
            return j;
    }
    return -1;
}

/* The coefficient of a power as a polynomial in its only unknown. */
static plumb_status take_coefficient(const chain *c, const chain_step *step, int32_t power, gauss_poly *p)
{
    const plumb_system *s = c->system;
    polynomial made = {.terms = NULL};
    plumb_status status = PLUMB_OK;
    for (int64_t k = s->equation[step->equation]; k < s->equation[step->equation + 1] && status == PLUMB_OK; k++) {
        const system_term *t = &s->terms[k];
        if (power_of(c, t, step->unknown) != power)
            continue;
        const int32_t exponent = t->degree - power;
        const system_factor factor = {0, exponent};
        status = plumb_poly_append(&made, t->re, t->im, &factor, exponent > 0, exponent);
    }
    if (status == PLUMB_OK)
        status = plumb_poly_normalise(&made);
    if (status == PLUMB_OK)
        status = gauss_from_terms(made.terms, made.count, p);
    plumb_poly_clear(&made);
    return status;
}

/* True if p, up to a factor, is proven not to be zero at a disc. */
static bool is_not_zero_at(chain *c, const gauss_poly *p, const disc *x)
{
    set_zero(&c->term);
    for (int64_t k = p->degree; k >= 0; k--) {
        disc_mul(&c->term, &c->term, x, c->temporary);
        disc_set_integers(&c->power, p->re[k], p->im[k]);
        disc_add(&c->term, &c->term, &c->power);
    }
    return !disc_may_be_zero(&c->term);
}

/* An unknown with an equation of its own is a root of exactly one of the parts of the square-free factors of that: those in common with the
 * coefficient, and the rests. If it is a root of no rest, then the coefficient is zero there. */
static plumb_status find_zero(chain *c, const chain_step *step, int32_t power, bool *is_zero)
{
    const plumb_system *s = c->system;
    const int64_t own = find_own_step(c, step, power);
    gauss_poly p = {.re = NULL}, q = {.re = NULL};
    gauss_factors factors = {.factor = NULL};
    *is_zero = false;
    if (own < 0)
        return PLUMB_OK;
    const int64_t first = s->equation[c->step[own].equation], end = s->equation[c->step[own].equation + 1];
    plumb_status status = gauss_from_terms(s->terms + first, end - first, &p);
    if (status == PLUMB_OK)
        status = take_coefficient(c, step, power, &q);
    if (status == PLUMB_OK)
        status = gauss_square_free(&p, &factors);
    bool none = status == PLUMB_OK;
    for (int64_t k = 0; k < factors.count && status == PLUMB_OK && none; k++) {
        gauss_poly common = {.re = NULL}, rest = {.re = NULL}, other = {.re = NULL};
        status = gauss_divide_out(&factors.factor[k], &q, &common, &rest, &other);
        none = status == PLUMB_OK && is_not_zero_at(c, &rest, &c->at[c->step[own].unknown]->at);
        gauss_clear(&common), gauss_clear(&rest), gauss_clear(&other);
    }
    *is_zero = none;
    gauss_factors_clear(&factors);
    gauss_clear(&p), gauss_clear(&q);
    return status == PLUMB_ERR_SIZE ? PLUMB_OK : status;
}

static plumb_status step_by_discs(chain *c, int64_t k, const chain_node *above, int64_t parent)
{
    int32_t degree = c->step[k].degree;
    plumb_status status = find_coefficients(c, &c->step[k]);
    if (status != PLUMB_OK)
        return status;
    for (bool is_zero = true; is_zero && status == PLUMB_OK;) {
        while (degree > 0 && is_exactly_zero(&c->coefficient[degree]))
            degree--;
        is_zero = false;
        if (disc_may_be_zero(&c->coefficient[degree]) && !is_exactly_zero(&c->coefficient[degree]))
            status = find_zero(c, &c->step[k], degree, &is_zero);
        if (is_zero)
            set_zero(&c->coefficient[degree]);
    }
    if (status != PLUMB_OK)
        return status;
    if (degree == 0 && is_exactly_zero(&c->coefficient[0]))
        return PLUMB_ERR_SIZE; /* a line of zeros */
    if (disc_may_be_zero(&c->coefficient[degree])) {
        c->doubtful = true;
        return PLUMB_OK;
    }
    if (degree == 0)
        return PLUMB_OK;
    return degree == 1 ? step_to_quotient(c, k, above, parent) : step_to_roots(c, k, above, parent, degree);
}

/* ---- All of it ----------------------------------------------------------------------------------------------------- */

static void clear_levels(chain *c)
{
    for (int64_t k = 0; c->level && k < c->n; k++) {
        for (int64_t j = 0; j < c->level[k].count; j++)
            clear_value(&c->level[k].list[j].value);
        free(c->level[k].list);
        c->level[k] = (chain_level){.list = NULL};
    }
}

static plumb_status extend(chain *c, int64_t k, int64_t node)
{
    static const chain_node root = {.multiplicity = 1};
    const chain_node above = k > 0 ? c->level[k - 1].list[node] : root;
    gather(c, k, node);
    if (c->spent > MOST_WORK)
        return PLUMB_ERR_SIZE;
    if (c->options->stop && c->options->stop(c->options->data))
        return PLUMB_ERR_STOPPED;
    return is_exact(c, &c->step[k], -1) ? step_exactly(c, k, node, above.multiplicity)
                                        : step_by_discs(c, k, &above, node);
}

/* One pass with a number of bits. */
static plumb_status find_levels(chain *c)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 0; k < c->n && status == PLUMB_OK && !c->doubtful; k++) {
        const int64_t count = k > 0 ? c->level[k - 1].count : 1;
        for (int64_t j = 0; j < count && status == PLUMB_OK && !c->doubtful; j++)
            status = extend(c, k, j);
    }
    return status;
}

static void free_work(chain *c)
{
    for (int64_t e = 0; c->coefficient && e <= c->most_degree; e++)
        disc_clear(&c->coefficient[e]);
    disc_clear(&c->term), disc_clear(&c->power), disc_clear(&c->square);
    mp_free(c->temporary, c->temporary ? 3 : 0);
    free(c->coefficient);
    free(c->size);
    c->coefficient = NULL;
    c->size = NULL;
    c->temporary = NULL;
    c->term = c->power = c->square = (disc){.radius = 0.0};
}

static plumb_status make_work(chain *c)
{
    c->coefficient = calloc((size_t)c->most_degree + 1, sizeof *c->coefficient);
    c->size = calloc((size_t)c->most_degree + 1, sizeof *c->size);
    c->temporary = mp_make(3, c->bits);
    if (!c->coefficient || !c->size || !c->temporary)
        return PLUMB_ERR_MEMORY;
    for (int64_t e = 0; e <= c->most_degree; e++)
        disc_init(&c->coefficient[e], c->bits);
    disc_init(&c->term, c->bits), disc_init(&c->power, c->bits), disc_init(&c->square, c->bits);
    return PLUMB_OK;
}

/* ---- Points -------------------------------------------------------------------------------------------------------- */

/* Is it known well enough? bits: relative to its modulus; of zero: relative to what it was computed from. A part that is not known to be zero, or
 * not to be, has as many bits as that. */
static bool is_accurate(const chain_value *v, double bits, double bits_of_zero)
{
    const double radius = v->at.radius, size = mp_log2(&v->at.z);
    if (v->exact || !isfinite(radius))
        return true;
    if (size <= radius)
        return radius <= v->scale - bits_of_zero;
    const bool has_parts = mp_real_log2(v->at.z.re) > radius && (v->at.real || mp_real_log2(v->at.z.im) > radius);
    return radius <= size - (has_parts ? bits : fmax(bits, bits_of_zero));
}

static plumb_status make_point(const chain *c, int64_t multiplicity, chain_point *p)
{
    *p = (chain_point){
        .multiplicity = multiplicity, .z = mp_make(c->n, c->bits), .radius = calloc((size_t)c->n, sizeof *p->radius)};
    if (!p->z || !p->radius)
        return PLUMB_ERR_MEMORY;
    for (int64_t u = 0; u < c->n; u++) {
        const chain_value *v = c->at[u];
        mp_set(&p->z[u], &v->at.z);
        p->radius[u] = v->at.radius;
    }
    mp_round_to_zero(p->z, c->n, p->radius, 0.0);
    for (int64_t u = 0; u < c->n; u++)
        if (!isfinite(mp_log2(&p->z[u])))
            p->radius[u] = -(double)INFINITY;
    return PLUMB_OK;
}

/* Makes points of the last level; *accurate: they are known well enough. */
static plumb_status make_points(chain *c, chain_points *points, bool *accurate)
{
    const chain_level *last = &c->level[c->n - 1];
    const double bits = c->options->digits * log2(10.0), zero = (double)mp_bits_for(c->system, 512, 2);
    plumb_status status = PLUMB_OK;
    *accurate = true;
    for (int64_t k = 0; k < c->n && *accurate; k++)
        for (int64_t j = 0; j < c->level[k].count && *accurate; j++)
            *accurate = is_accurate(&c->level[k].list[j].value, bits, zero);
    if (!*accurate)
        return PLUMB_OK;
    points->list = calloc((size_t)last->count + 1, sizeof *points->list);
    if (!points->list)
        return PLUMB_ERR_MEMORY;
    for (int64_t j = 0; j < last->count && status == PLUMB_OK; j++) {
        gather(c, c->n, j);
        points->degree += last->list[j].multiplicity;
        status = make_point(c, last->list[j].multiplicity, &points->list[points->count++]);
    }
    return status;
}

/* More and more bits, until everything is known. */
static plumb_status solve(chain *c, chain_points *points)
{
    const double wanted = c->options->digits * log2(10.0);
    plumb_status status = PLUMB_OK;
    bool done = false;
    for (c->bits = 128 + 64 * (int64_t)ceil(wanted / 64.0); status == PLUMB_OK && !done; c->bits *= 2) {
        c->doubtful = false;
        status = make_work(c);
        if (status == PLUMB_OK)
            status = find_levels(c);
        if (status == PLUMB_OK && !c->doubtful)
            status = make_points(c, points, &done);
        free_work(c);
        clear_levels(c);
        if (status == PLUMB_OK && !done && 2 * c->bits > (c->doubtful ? MOST_DOUBTFUL_BITS : MOST_BITS))
            status = PLUMB_ERR_SIZE;
    }
    return status;
}

/* One equation in one unknown: its roots, with their condition numbers. */
static plumb_status solve_one(const plumb_system *system, const mp_roots_options *options, chain_points *points)
{
    mp_roots roots;
    plumb_status status = mp_roots_find(system, options, &roots);
    if (status != PLUMB_OK)
        return status;
    points->list = calloc((size_t)roots.count + 1, sizeof *points->list);
    status = points->list ? PLUMB_OK : PLUMB_ERR_MEMORY;
    points->degree = roots.degree;
    for (int64_t k = 0; k < roots.count && status == PLUMB_OK; k++) {
        const mp_root *r = &roots.list[k];
        chain_point *p = &points->list[points->count++];
        *p = (chain_point){.multiplicity = r->multiplicity,
                           .condition = r->condition,
                           .z = mp_make(1, mpfr_get_prec(r->z.re)),
                           .radius = malloc(sizeof *p->radius)};
        if (!p->z || !p->radius) {
            status = PLUMB_ERR_MEMORY;
            continue;
        }
        mp_set(&p->z[0], &r->z);
        p->radius[0] = r->radius;
    }
    mp_roots_clear(&roots);
    return status;
}

static plumb_status solve_many(const plumb_system *system, const mp_roots_options *options, chain_points *points)
{
    chain c = {.system = system, .options = options, .n = system->unknowns};
    c.step = calloc((size_t)c.n, sizeof *c.step);
    c.level = calloc((size_t)c.n, sizeof *c.level);
    c.at =
        calloc((size_t)c.n, sizeof(const chain_value *)); /* NOLINT(bugprone-sizeof-expression): these are pointers */
    plumb_status status = c.step && c.level && c.at ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = find_order(&c) ? solve(&c, points) : PLUMB_ERR_SIZE;
    free(c.step);
    free(c.level);
    free(c.at);
    return status;
}

plumb_status plumb_chain_solve(const plumb_system *system, const mp_roots_options *options, chain_points *points)
{
    *points = (chain_points){.unknowns = system->unknowns};
    if (system->equations != system->unknowns)
        return PLUMB_ERR_SIZE;
    plumb_status status =
        system->unknowns == 1 ? solve_one(system, options, points) : solve_many(system, options, points);
    if (status != PLUMB_OK)
        plumb_chain_clear(points);
    return status;
}

void plumb_chain_clear(chain_points *points)
{
    for (int64_t k = 0; k < points->count; k++) {
        mp_free(points->list[k].z, points->list[k].z ? points->unknowns : 0);
        free(points->list[k].radius);
    }
    free(points->list);
    *points = (chain_points){.list = NULL};
}

/* gauss.c - see gauss.h. */
#include "solver/mp/univariate/gauss.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PRIMES = 20000 }; /* results of 600,000 bits */

/* ---- Polynomials --------------------------------------------------------------------------------------------------- */

plumb_status gauss_make(int64_t degree, gauss_poly *p)
{
    const size_t count = (size_t)(degree + 1);
    *p = (gauss_poly){.degree = degree, .re = calloc(2 * count + 1, sizeof *p->re)};
    if (!p->re)
        return PLUMB_ERR_MEMORY;
    p->im = p->re + count;
    for (size_t k = 0; k < 2 * count; k++)
        mpz_init(p->re[k]);
    mpz_init_set_ui(p->below, 1);
    return PLUMB_OK;
}

void gauss_clear(gauss_poly *p)
{
    for (int64_t k = 0; p->re && k <= p->degree; k++)
        mpz_clears(p->re[k], p->im[k], NULL);
    if (p->re)
        mpz_clear(p->below);
    free(p->re);
    *p = (gauss_poly){.re = NULL};
}

bool gauss_is_real(const gauss_poly *p)
{
    for (int64_t k = 0; k <= p->degree; k++)
        if (mpz_sgn(p->im[k]) != 0)
            return false;
    return true;
}

static plumb_status copy(const gauss_poly *p, gauss_poly *to)
{
    plumb_status status = gauss_make(p->degree, to);
    for (int64_t k = 0; k <= p->degree && status == PLUMB_OK; k++) {
        mpz_set(to->re[k], p->re[k]);
        mpz_set(to->im[k], p->im[k]);
    }
    if (status == PLUMB_OK)
        mpz_set(to->below, p->below);
    return status;
}

static plumb_status make_one(gauss_poly *p)
{
    plumb_status status = gauss_make(0, p);
    if (status == PLUMB_OK)
        mpz_set_ui(p->re[0], 1);
    return status;
}

/* Divides numerators and denominator by what they have in common. */
static void reduce(gauss_poly *p)
{
    mpz_t common;
    mpz_init_set(common, p->below);
    for (int64_t k = 0; k <= p->degree && mpz_cmp_ui(common, 1) != 0; k++) {
        mpz_gcd(common, common, p->re[k]);
        mpz_gcd(common, common, p->im[k]);
    }
    for (int64_t k = 0; k <= p->degree && mpz_cmp_ui(common, 1) != 0; k++) {
        mpz_divexact(p->re[k], p->re[k], common);
        mpz_divexact(p->im[k], p->im[k], common);
    }
    mpz_divexact(p->below, p->below, common);
    mpz_clear(common);
}

/* p * (re + i im) */
static void scale(gauss_poly *p, mpz_srcptr re, mpz_srcptr im)
{
    mpz_t real;
    mpz_init(real);
    for (int64_t k = 0; k <= p->degree; k++) {
        mpz_mul(real, p->re[k], re);
        mpz_submul(real, p->im[k], im);
        mpz_mul(p->im[k], p->im[k], re);
        mpz_addmul(p->im[k], p->re[k], im);
        mpz_swap(p->re[k], real);
    }
    mpz_clear(real);
}

/* Divides p by its highest coefficient: multiplies by the conjugate of that, and divides by the square of its modulus. */
static void make_monic(gauss_poly *p)
{
    mpz_t re, im;
    mpz_init_set(re, p->re[p->degree]);
    mpz_init(im);
    mpz_neg(im, p->im[p->degree]);
    scale(p, re, im);
    mpz_set(p->below, p->re[p->degree]);
    reduce(p);
    mpz_clears(re, im, NULL);
}

/* to = x * below, an integer */
static void clear_denominator(mpq_srcptr x, mpz_srcptr below, mpz_ptr to)
{
    mpz_divexact(to, below, mpq_denref(x));
    mpz_mul(to, to, mpq_numref(x));
}

plumb_status gauss_from_terms(const system_term *terms, int64_t count, gauss_poly *p)
{
    plumb_status status = gauss_make(terms[0].degree, p);
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        mpz_lcm(p->below, p->below, mpq_denref(terms[k].re));
        mpz_lcm(p->below, p->below, mpq_denref(terms[k].im));
    }
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        clear_denominator(terms[k].re, p->below, p->re[terms[k].degree]);
        clear_denominator(terms[k].im, p->below, p->im[terms[k].degree]);
    }
    if (status == PLUMB_OK)
        make_monic(p);
    return status;
}

plumb_status gauss_from_system(const plumb_system *system, gauss_poly *p)
{
    const int64_t first = system->equation[0], end = system->equation[1];
    *p = (gauss_poly){.re = NULL};
    if (system->equations != 1 || system->unknowns != 1 || end == first)
        return PLUMB_ERR_ARGUMENT;
    return gauss_from_terms(system->terms + first, end - first, p);
}

int64_t gauss_split_zeros(gauss_poly *p)
{
    int64_t zeros = 0;
    while (mpz_sgn(p->re[zeros]) == 0 && mpz_sgn(p->im[zeros]) == 0)
        zeros++;
    for (int64_t k = 0; zeros > 0 && k + zeros <= p->degree; k++) {
        mpz_swap(p->re[k], p->re[k + zeros]);
        mpz_swap(p->im[k], p->im[k + zeros]);
    }
    for (int64_t k = p->degree - zeros + 1; k <= p->degree; k++)
        mpz_clears(p->re[k], p->im[k], NULL);
    p->degree -= zeros;
    return zeros;
}

plumb_status gauss_conjugate(const gauss_poly *p, gauss_poly *conjugate)
{
    plumb_status status = copy(p, conjugate);
    for (int64_t k = 0; k <= p->degree && status == PLUMB_OK; k++)
        mpz_neg(conjugate->im[k], conjugate->im[k]);
    return status;
}

static plumb_status differentiate(const gauss_poly *p, gauss_poly *slope)
{
    plumb_status status = gauss_make(p->degree - 1, slope);
    for (int64_t k = 1; k <= p->degree && status == PLUMB_OK; k++) {
        mpz_mul_ui(slope->re[k - 1], p->re[k], (unsigned long)k);
        mpz_mul_ui(slope->im[k - 1], p->im[k], (unsigned long)k);
    }
    if (status == PLUMB_OK)
        mpz_set(slope->below, p->below);
    return status;
}

/* a -= b, where the degree of b is not larger. */
static void subtract(gauss_poly *a, const gauss_poly *b)
{
    mpz_t zero;
    mpz_init(zero);
    scale(a, b->below, zero);
    for (int64_t k = 0; k <= b->degree; k++) {
        mpz_submul(a->re[k], b->re[k], a->below);
        mpz_submul(a->im[k], b->im[k], a->below);
    }
    mpz_mul(a->below, a->below, b->below);
    while (a->degree >= 0 && mpz_sgn(a->re[a->degree]) == 0 && mpz_sgn(a->im[a->degree]) == 0) {
        mpz_clears(a->re[a->degree], a->im[a->degree], NULL);
        a->degree--;
    }
    reduce(a);
    mpz_clear(zero);
}

/* Is numerator of a * numerator of b = factor * numerator of c? */
static bool is_product(const gauss_poly *a, const gauss_poly *b, const gauss_poly *c, mpz_srcptr factor)
{
    mpz_t re, im;
    bool same = a->degree + b->degree == c->degree;
    mpz_inits(re, im, NULL);
    for (int64_t k = 0; k <= c->degree && same; k++) {
        mpz_mul(re, factor, c->re[k]);
        mpz_mul(im, factor, c->im[k]);
        for (int64_t j = k > b->degree ? k - b->degree : 0; j <= k && j <= a->degree; j++) {
            mpz_submul(re, a->re[j], b->re[k - j]);
            mpz_addmul(re, a->im[j], b->im[k - j]);
            mpz_submul(im, a->re[j], b->im[k - j]);
            mpz_submul(im, a->im[j], b->re[k - j]);
        }
        same = mpz_sgn(re) == 0 && mpz_sgn(im) == 0;
    }
    mpz_clears(re, im, NULL);
    return same;
}

/* ---- Modulo a prime ------------------------------------------------------------------------------------------------ */

/* A prime below 2^31 for which -1 is a square, with a root of it. */
typedef struct field {
    uint64_t prime, unit;
} field;

static uint64_t power(uint64_t x, uint64_t exponent, uint64_t prime)
{
    uint64_t result = 1;
    for (; exponent > 0; exponent >>= 1, x = x * x % prime)
        if (exponent & 1)
            result = result * x % prime;
    return result;
}

/* The next smaller one. */
static field next_field(uint64_t below)
{
    mpz_t p;
    mpz_init_set_ui(p, (unsigned long)below);
    do
        mpz_sub_ui(p, p, 1);
    while (mpz_fdiv_ui(p, 4) != 1 || mpz_probab_prime_p(p, 30) == 0);
    field f = {.prime = mpz_get_ui(p)};
    mpz_clear(p);
    for (uint64_t a = 2; f.unit * f.unit % f.prime != f.prime - 1; a++)
        f.unit = power(a, (f.prime - 1) / 4, f.prime);
    return f;
}

/* Coefficients modulo a prime; degree -1: zero. */
typedef struct image {
    int64_t degree;
    uint64_t *c;
} image;

static void trim(image *a)
{
    while (a->degree >= 0 && a->c[a->degree] == 0)
        a->degree--;
}

/* The numerator of p, with this value of i. */
static void reduce_to(const gauss_poly *p, uint64_t prime, uint64_t unit, image *a)
{
    a->degree = p->degree;
    for (int64_t k = 0; k <= p->degree; k++)
        a->c[k] = (mpz_fdiv_ui(p->re[k], prime) + mpz_fdiv_ui(p->im[k], prime) * unit) % prime;
    trim(a);
}

/* Divides a by b; a becomes the remainder, and quotient, if there is one, gets room for the others. */
static void divide(image *a, const image *b, uint64_t prime, image *quotient)
{
    const uint64_t inverse = power(b->c[b->degree], prime - 2, prime);
    if (quotient)
        quotient->degree = a->degree - b->degree;
    for (int64_t k = a->degree - b->degree; k >= 0; k--) {
        const uint64_t q = a->c[k + b->degree] * inverse % prime, minus = prime - q;
        if (quotient)
            quotient->c[k] = q;
        for (int64_t j = 0; j <= b->degree && q != 0; j++)
            a->c[k + j] = (a->c[k + j] + minus * b->c[j]) % prime;
    }
    trim(a);
}

static void set_image(image *to, const image *from)
{
    to->degree = from->degree;
    memcpy(to->c, from->c, (size_t)(from->degree + 1) * sizeof *to->c);
}

/* What is computed for one prime and one value of i. */
typedef struct images {
    image a, b, common, a_rest, b_rest, work;
} images;

static bool make_images(int64_t degree, images *m)
{
    image *all[] = {&m->a, &m->b, &m->common, &m->a_rest, &m->b_rest, &m->work};
    bool good = true;
    for (int k = 0; k < 6; k++) {
        all[k]->c = calloc((size_t)degree + 2, sizeof *all[k]->c);
        good = good && all[k]->c;
    }
    return good;
}

static void free_images(images *m)
{
    free(m->a.c), free(m->b.c), free(m->common.c);
    free(m->a_rest.c), free(m->b_rest.c), free(m->work.c);
}

/* Euclid's algorithm; the result has the highest coefficient `lead`. */
static void find_common(images *m, uint64_t prime, uint64_t lead)
{
    set_image(&m->common, &m->a);
    set_image(&m->work, &m->b);
    while (m->work.degree >= 0) {
        divide(&m->common, &m->work, prime, NULL);
        const image swap = m->common;
        m->common = m->work;
        m->work = swap;
    }
    const uint64_t factor = power(m->common.c[m->common.degree], prime - 2, prime) * lead % prime;
    for (int64_t k = 0; k <= m->common.degree; k++)
        m->common.c[k] = m->common.c[k] * factor % prime;
}

/* The quotients of a and b by the common divisor with highest coefficient 1, which has `lead` here. */
static void find_rests(images *m, uint64_t prime, uint64_t lead)
{
    image *rest[2] = {&m->a_rest, &m->b_rest};
    for (int k = 0; k < 2; k++) {
        set_image(&m->work, k ? &m->b : &m->a);
        divide(&m->work, &m->common, prime, rest[k]);
        for (int64_t j = 0; j <= rest[k]->degree; j++)
            rest[k]->c[j] = rest[k]->c[j] * lead % prime;
    }
}

/* ---- Chinese remainders -------------------------------------------------------------------------------------------- */

/* Common divisors whose numbers are known modulo a product of primes. Numerators are integers if the common divisor is multiplied by the
 * denominator of a, which is its highest numerator: by Gauss's lemma, since Gaussian integers have unique factors. */
typedef struct lifted {
    const gauss_poly *a, *b;
    bool real;
    gauss_poly common, a_rest, b_rest;
    mpz_t modulus;
    images at[2]; /* for both values of i */
} lifted;

/* The number of x within half the modulus gets the residue r modulo the prime, too. Returns whether it was right before. */
static bool extend(mpz_ptr x, uint64_t r, mpz_srcptr modulus, uint64_t inverse, uint64_t prime)
{
    const uint64_t now = mpz_fdiv_ui(x, prime), step = (r + prime - now) % prime * inverse % prime;
    if (step > prime / 2)
        mpz_submul_ui(x, modulus, prime - step);
    else
        mpz_addmul_ui(x, modulus, step);
    return step == 0;
}

/* From the images for i = unit and i = -unit. */
static bool extend_all(lifted *l, gauss_poly *p, const image *plus, const image *minus, const field *f)
{
    const uint64_t prime = f->prime, inverse = power(mpz_fdiv_ui(l->modulus, prime), prime - 2, prime);
    const uint64_t half = (prime + 1) / 2, half_unit = power(2 * f->unit % prime, prime - 2, prime);
    bool same = true;
    for (int64_t k = 0; k <= p->degree; k++) {
        if (l->real) {
            same &= extend(p->re[k], plus->c[k], l->modulus, inverse, prime);
            continue;
        }
        const uint64_t sum = plus->c[k] + minus->c[k], apart = plus->c[k] + prime - minus->c[k];
        same &= extend(p->re[k], sum % prime * half % prime, l->modulus, inverse, prime);
        same &= extend(p->im[k], apart % prime * half_unit % prime, l->modulus, inverse, prime);
    }
    return same;
}

static void forget(lifted *l)
{
    gauss_clear(&l->common);
    gauss_clear(&l->a_rest);
    gauss_clear(&l->b_rest);
}

/* The results have these degrees from now on, and nothing is known of them. */
static plumb_status restart(lifted *l, int64_t degree)
{
    forget(l);
    mpz_set_ui(l->modulus, 1);
    plumb_status status = gauss_make(degree, &l->common);
    if (status == PLUMB_OK)
        status = gauss_make(l->a->degree - degree, &l->a_rest);
    return status == PLUMB_OK ? gauss_make(l->b->degree - degree, &l->b_rest) : status;
}

/* Computes the images for a prime. False if it is not to be used: the degrees are not those for almost all primes. */
static bool take_images(lifted *l, const field *f)
{
    const uint64_t lead = mpz_fdiv_ui(l->a->below, f->prime);
    for (int k = 0; k < (l->real ? 1 : 2); k++) {
        images *m = &l->at[k];
        const uint64_t unit = k ? f->prime - f->unit : f->unit;
        reduce_to(l->a, f->prime, unit, &m->a);
        reduce_to(l->b, f->prime, unit, &m->b);
        if (m->a.degree < l->a->degree || m->b.degree < l->b->degree)
            return false;
        find_common(m, f->prime, lead);
    }
    return l->real || l->at[0].common.degree == l->at[1].common.degree;
}

/* Adds the result of a prime; *same: it was known before. */
static plumb_status add_prime(lifted *l, const field *f, bool *same)
{
    const uint64_t lead = mpz_fdiv_ui(l->a->below, f->prime);
    *same = false;
    if (!take_images(l, f) || l->at[0].common.degree > l->common.degree)
        return PLUMB_OK;
    const int64_t degree = l->at[0].common.degree;
    plumb_status status = degree < l->common.degree || !l->common.re ? restart(l, degree) : PLUMB_OK;
    if (status != PLUMB_OK || degree == 0)
        return status;
    for (int k = 0; k < (l->real ? 1 : 2); k++)
        find_rests(&l->at[k], f->prime, lead);
    const bool first = extend_all(l, &l->common, &l->at[0].common, &l->at[1].common, f);
    const bool second = extend_all(l, &l->a_rest, &l->at[0].a_rest, &l->at[1].a_rest, f);
    const bool third = extend_all(l, &l->b_rest, &l->at[0].b_rest, &l->at[1].b_rest, f);
    mpz_mul_ui(l->modulus, l->modulus, f->prime);
    *same = first && second && third;
    return status;
}

/* A common divisor of the degree that it has modulo a prime is the greatest one. */
static bool is_right(const lifted *l)
{
    return is_product(&l->common, &l->a_rest, l->a, l->a->below) &&
           is_product(&l->common, &l->b_rest, l->b, l->a->below);
}

static plumb_status give_trivial(lifted *l)
{
    forget(l);
    plumb_status status = make_one(&l->common);
    if (status == PLUMB_OK)
        status = copy(l->a, &l->a_rest);
    return status == PLUMB_OK ? copy(l->b, &l->b_rest) : status;
}

static plumb_status lift(lifted *l)
{
    field f = {.prime = (uint64_t)1 << 31};
    for (int primes = 0; primes < MOST_PRIMES; primes++) {
        bool same;
        f = next_field(f.prime);
        plumb_status status = add_prime(l, &f, &same);
        if (status != PLUMB_OK)
            return status;
        if (l->common.re && l->common.degree == 0)
            return give_trivial(l);
        if (same && is_right(l))
            return PLUMB_OK;
    }
    return PLUMB_ERR_SIZE;
}

plumb_status gauss_divide_out(const gauss_poly *a, const gauss_poly *b, gauss_poly *common, gauss_poly *a_rest,
                              gauss_poly *b_rest)
{
    lifted l = {.a = a, .b = b, .real = gauss_is_real(a) && gauss_is_real(b), .common = {.degree = INT64_MAX}};
    const int64_t most = a->degree > b->degree ? a->degree : b->degree;
    mpz_init(l.modulus);
    const bool good = make_images(most, &l.at[0]) && (l.real || make_images(most, &l.at[1]));
    plumb_status status = good ? lift(&l) : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK && l.common.degree > 0) {
        mpz_set(l.common.below, a->below);
        mpz_set(l.a_rest.below, a->below);
        mpz_set(l.b_rest.below, b->below);
        reduce(&l.common), reduce(&l.a_rest), reduce(&l.b_rest);
    }
    if (status != PLUMB_OK)
        forget(&l);
    *common = l.common, *a_rest = l.a_rest, *b_rest = l.b_rest;
    free_images(&l.at[0]);
    free_images(&l.at[1]);
    mpz_clear(l.modulus);
    return status;
}

/* ---- Square-free factors ------------------------------------------------------------------------------------------- */

void gauss_factors_clear(gauss_factors *factors)
{
    for (int64_t k = 0; k < factors->count; k++)
        gauss_clear(&factors->factor[k]);
    free(factors->factor);
    free(factors->multiplicity);
    *factors = (gauss_factors){.factor = NULL};
}

/* Takes p over, if it is not constant. */
static void add_factor(gauss_factors *factors, gauss_poly *p, int64_t multiplicity)
{
    if (p->degree == 0) {
        gauss_clear(p);
        return;
    }
    factors->factor[factors->count] = *p;
    factors->multiplicity[factors->count++] = multiplicity;
    *p = (gauss_poly){.re = NULL};
}

/* One step of Yun's algorithm: c is the product of the factors of multiplicity k and more, and d is 0 at the roots of all but those of
 * multiplicity k. */
static plumb_status take_factor(gauss_factors *factors, gauss_poly *c, gauss_poly *d, int64_t k)
{
    gauss_poly factor = {.re = NULL}, c_rest = {.re = NULL}, d_rest = {.re = NULL}, slope = {.re = NULL};
    plumb_status status = gauss_divide_out(c, d, &factor, &c_rest, &d_rest);
    if (status == PLUMB_OK)
        status = differentiate(&c_rest, &slope);
    if (status == PLUMB_OK) {
        subtract(&d_rest, &slope);
        add_factor(factors, &factor, k);
    }
    gauss_clear(c);
    gauss_clear(d);
    *c = c_rest, *d = d_rest;
    gauss_clear(&factor);
    gauss_clear(&slope);
    return status;
}

static plumb_status take_factors(gauss_factors *factors, gauss_poly *c, gauss_poly *d)
{
    plumb_status status = PLUMB_OK;
    for (int64_t k = 1; status == PLUMB_OK && c->degree > 0; k++) {
        if (d->degree < 0) {
            add_factor(factors, c, k);
            return status;
        }
        status = take_factor(factors, c, d, k);
    }
    return status;
}

plumb_status gauss_square_free(const gauss_poly *p, gauss_factors *factors)
{
    gauss_poly slope = {.re = NULL}, common = {.re = NULL}, c = {.re = NULL}, d = {.re = NULL}, c_slope = {.re = NULL};
    *factors = (gauss_factors){.factor = calloc((size_t)p->degree + 1, sizeof *factors->factor),
                               .multiplicity = calloc((size_t)p->degree + 1, sizeof *factors->multiplicity)};
    plumb_status status = factors->factor && factors->multiplicity ? PLUMB_OK : PLUMB_ERR_MEMORY;
    if (status == PLUMB_OK)
        status = differentiate(p, &slope);
    if (status == PLUMB_OK)
        status = gauss_divide_out(p, &slope, &common, &c, &d);
    if (status == PLUMB_OK)
        status = differentiate(&c, &c_slope);
    if (status == PLUMB_OK) {
        subtract(&d, &c_slope);
        status = take_factors(factors, &c, &d);
    }
    gauss_clear(&slope), gauss_clear(&common), gauss_clear(&c), gauss_clear(&d), gauss_clear(&c_slope);
    if (status != PLUMB_OK)
        gauss_factors_clear(factors);
    return status;
}

/* near_misses.c - a campaign: is anything false ever certified?
 *
 * The systems are p_i(y_i) = 0 with y = M x for a unimodular integer matrix M, and p_i a product of factors (y - r)^k with rational r:
 * simple roots, multiple ones, roots that are 10^-12 to 10^-40 apart, conjugate pairs with imaginary parts of 10^-5 to 10^-50, or, with
 * coefficients that are not real, one of such a pair alone. So all zeros x = M^-1 r are known exactly. Unknowns are scaled, and equations
 * that repeat others, exactly or but for 10^-30, make some systems overdetermined. Points are near misses: zeros with an error of 10^-2 to
 * 10^-70 in some coordinates or in all, points between two close zeros, the middle of a conjugate pair, the same zero again, zeros of higher
 * multiplicity, in all precisions.
 *
 * Points that are a million times closer to a simple zero than that is to any other are expected to be certified; those that are not are
 * counted as missed.
 *
 * Every certificate is compared with the truth in rational arithmetic: its box must contain exactly one zero, of multiplicity one; "real",
 * "not real", "positive" and "not positive" must be true of it; boxes that are called distinct must have different zeros, and those that are
 * called the same must share one. Of overdetermined systems a box may contain one solution at most, and none if it is excluded.
 *
 *   near_misses [COUNT [SEED [FIRST]]]
 *
 * Problem k is made from SEED and k alone: COUNT 1 and FIRST k repeat it, and print it. COUNT is a number of problems, of four points each
 * on average. The exit status is 1 after a false claim, 77 without the library that makes certificates. */
#include <gmp.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number/random.h"
#include "model/certificates.h"
#include "plumb.h"
#include "text/number/number.h"

enum { MOST_UNKNOWNS = 3, MOST_ROOTS = 5, MOST_ZEROS = 125, MOST_POINTS = 6, TEXT = 1 << 16 };

static plumb_random rng;

static int64_t below(int64_t n)
{
    return (int64_t)plumb_random_below(&rng, (uint64_t)n);
}

typedef struct root {
    mpq_t re, im;
    int multiplicity;
} root;

typedef struct zero {
    mpq_t re[MOST_UNKNOWNS], im[MOST_UNKNOWNS];
    int multiplicity;
} zero;

typedef struct problem {
    int n, roots[MOST_UNKNOWNS];
    root root[MOST_UNKNOWNS][MOST_ROOTS];
    long m[MOST_UNKNOWNS][MOST_UNKNOWNS]; /* upper triangular, with ones */
    int scale[MOST_UNKNOWNS];             /* x_j times 10^scale in the equations */
    bool real;                            /* all coefficients are */
    int place[MOST_UNKNOWNS]; /* of x_j among the unknowns of the system, in the order in which they appear */
    int more;                 /* 0: square; 1: an equation is repeated; 2: with a constant changed */
    zero zero[MOST_ZEROS];
    int zeros;
    char text[TEXT];
} problem;

static problem the; /* one at a time */

/* ---- Numbers ------------------------------------------------------------------------------------------------------ */

static void power_of_ten(mpq_t x, int exponent)
{
    mpz_t p;
    mpz_init(p);
    mpz_ui_pow_ui(p, 10, (unsigned long)abs(exponent));
    mpq_set_ui(x, 1, 1);
    if (exponent >= 0)
        mpq_set_z(x, p);
    else
        mpq_set_den(x, p);
    mpz_clear(p);
}

/* +-(1 .. 999)/100 times a power of ten. */
static void random_size(mpq_t x, int exponent)
{
    mpq_t p;
    mpq_init(p);
    power_of_ten(p, exponent);
    const long size = 1 + below(999), sign = below(2) ? 1 : -1; /* in this order on every machine */
    mpq_set_si(x, sign * size, 100);
    mpq_canonicalize(x);
    mpq_mul(x, x, p);
    mpq_clear(p);
}

/* ---- Systems ------------------------------------------------------------------------------------------------------ */

static root *add_root(int i, mpq_srcptr re, mpq_srcptr im, int multiplicity)
{
    root *r = &the.root[i][the.roots[i]++];
    mpq_set(r->re, re);
    mpq_set(r->im, im);
    r->multiplicity = multiplicity;
    return r;
}

static void make_roots(int i)
{
    mpq_t re, im, gap;
    mpq_init(re);
    mpq_init(im);
    mpq_init(gap);
    the.roots[i] = 0;
    do {
        random_size(re, 0);
        mpq_set_ui(im, 0, 1);
        switch (below(6)) {
        case 0: /* a simple root, perhaps zero */
            if (below(4) == 0)
                mpq_set_ui(re, 0, 1);
            add_root(i, re, im, 1);
            break;
        case 1: /* a multiple one */
            add_root(i, re, im, 2);
            break;
        case 2: /* two that are close */
        case 3:
            add_root(i, re, im, 1);
            random_size(gap, -12 - (int)below(29));
            mpq_add(re, re, gap);
            add_root(i, re, im, 1);
            break;
        default: /* a conjugate pair, or half of one */
            random_size(im, -5 - (int)below(46));
            add_root(i, re, im, 1);
            if (the.real) {
                mpq_neg(im, im);
                add_root(i, re, im, 1);
            }
        }
    } while (the.roots[i] < MOST_ROOTS - 1 && below(3) == 0);
    mpq_clear(re);
    mpq_clear(im);
    mpq_clear(gap);
}

/* Roots that happen to be equal are one of higher multiplicity. */
static void merge_roots(int i)
{
    for (int a = 0; a < the.roots[i]; a++)
        for (int b = a + 1; b < the.roots[i]; b++)
            if (mpq_equal(the.root[i][a].re, the.root[i][b].re) && mpq_equal(the.root[i][a].im, the.root[i][b].im)) {
                the.root[i][a].multiplicity += the.root[i][b].multiplicity;
                mpq_swap(the.root[i][b].re, the.root[i][the.roots[i] - 1].re);
                mpq_swap(the.root[i][b].im, the.root[i][the.roots[i] - 1].im);
                the.root[i][b].multiplicity = the.root[i][--the.roots[i]].multiplicity;
                b--;
            }
}

/* x from y by back substitution: y_i = sum over j of m_ij 10^scale_j x_j. */
static void make_zeros(void)
{
    int choice[MOST_UNKNOWNS] = {0};
    mpq_t t, p;
    mpq_init(t);
    mpq_init(p);
    for (the.zeros = 0;;) {
        zero *z = &the.zero[the.zeros++];
        z->multiplicity = 1;
        for (int i = the.n - 1; i >= 0; i--) {
            const root *r = &the.root[i][choice[i]];
            z->multiplicity *= r->multiplicity;
            mpq_set(z->re[i], r->re);
            mpq_set(z->im[i], r->im);
            for (int j = i + 1; j < the.n; j++) {
                power_of_ten(p, the.scale[j]);
                mpq_set_si(t, the.m[i][j], 1);
                mpq_mul(p, p, t);
                mpq_mul(t, p, z->re[j]);
                mpq_sub(z->re[i], z->re[i], t);
                mpq_mul(t, p, z->im[j]);
                mpq_sub(z->im[i], z->im[i], t);
            }
            power_of_ten(p, -the.scale[i]);
            mpq_mul(z->re[i], z->re[i], p);
            mpq_mul(z->im[i], z->im[i], p);
        }
        int i = 0;
        while (i < the.n && ++choice[i] == the.roots[i])
            choice[i++] = 0;
        if (i == the.n)
            break;
    }
    mpq_clear(t);
    mpq_clear(p);
}

static char *put(char *at, const char *text)
{
    const size_t length = strlen(text);
    if (at + length + 1 > the.text + TEXT) {
        fprintf(stderr, "the text of a problem is too long\n");
        abort();
    }
    memcpy(at, text, length + 1);
    return at + length;
}

static char *put_rational(char *at, mpq_srcptr x)
{
    char *text = mpq_get_str(NULL, 10, x);
    at = put(put(put(at, "("), text), ")");
    free(text);
    return at;
}

static char *put_equation(char *at, int i, bool changed)
{
    char piece[64];
    for (int k = 0; k < the.roots[i]; k++) {
        at = put(at, k > 0 ? "*(" : "(");
        for (int j = i; j < the.n; j++)
            if (the.m[i][j] != 0) {
                snprintf(piece, sizeof piece, "%+ld*1e%d*x%d", the.m[i][j], the.scale[j], j + 1);
                at = put(at, piece);
            }
        at = put_rational(put(at, " - "), the.root[i][k].re);
        at = put(put_rational(put(at, " - "), the.root[i][k].im), "*i)");
        snprintf(piece, sizeof piece, "^%d", the.root[i][k].multiplicity);
        at = put(at, piece);
    }
    return put(at, changed ? " + 1e-30;\n" : ";\n");
}

static void make_problem(void)
{
    the.n = 1 + (int)below(MOST_UNKNOWNS);
    the.real = below(4) != 0;
    the.more = below(6) == 0 ? 1 + (int)below(2) : 0;
    for (int i = 0; i < the.n; i++) {
        the.scale[i] = below(4) == 0 ? (int)below(21) - 10 : 0;
        for (int j = 0; j < the.n; j++)
            the.m[i][j] = i == j ? 1 : j > i ? below(5) - 2 : 0;
        make_roots(i);
        merge_roots(i);
    }
    make_zeros();
    char *at = the.text;
    for (int i = 0; i < the.n; i++)
        at = put_equation(at, i, false);
    if (the.more > 0)
        put_equation(at, (int)below(the.n), the.more == 2);
}

/* ---- Points ------------------------------------------------------------------------------------------------------- */

static void make_point(zero *point, const zero *before)
{
    const zero *z = &the.zero[below(the.zeros)], *other = &the.zero[below(the.zeros)];
    mpq_t t, weight;
    const int kind = (int)below(8);
    mpq_init(t);
    mpq_init(weight);
    if (kind == 0 && before)
        z = before; /* again, or almost */
    mpq_set_si(weight, kind == 1 ? 1 : (long)below(101), kind == 1 ? 2 : 100);
    mpq_canonicalize(weight);
    for (int i = 0; i < the.n; i++)
        for (int part = 0; part < 2; part++) {
            mpq_ptr to = part ? point->im[i] : point->re[i];
            mpq_set(to, part ? z->im[i] : z->re[i]);
            if (kind == 1 || kind == 2) { /* between two zeros */
                mpq_sub(t, part ? other->im[i] : other->re[i], to);
                mpq_mul(t, t, weight);
                mpq_add(to, to, t);
            }
        }
    const int digits = 2 + (int)below(69);
    for (int i = 0; i < the.n && kind >= 3; i++)
        for (int part = 0; part < 2; part++)
            if (below(3) != 0) {
                random_size(t, -digits);
                mpq_add(part ? point->im[i] : point->re[i], part ? point->im[i] : point->re[i], t);
            }
    for (int i = 0; i < the.n && below(4) == 0; i++)
        mpq_set_ui(point->im[i], 0, 1); /* on the real axis */
    mpq_clear(t);
    mpq_clear(weight);
}

static void round_point(const zero *point, plumb_view *x, int64_t k)
{
    double limbs[PLUMB_QD];
    for (int i = 0; i < the.n; i++)
        for (int part = 0; part < 2; part++) {
            char *text = mpq_get_str(NULL, 10, part ? point->im[i] : point->re[i]);
            if (plumb_number_read(text, strlen(text), x->prec, limbs, NULL, NULL) != PLUMB_OK) {
                fprintf(stderr, "%s cannot be read\n", text);
                abort();
            }
            for (int32_t c = 0; c < x->prec; c++)
                x->data[k * x->next + (part * x->prec + c) * x->plane + the.place[i]] = limbs[c];
            free(text);
        }
}

/* The largest difference of a part, in the unknowns as the equations have them. */
static double distance(const zero *a, const zero *b)
{
    double largest = 0.0;
    mpq_t t, p;
    mpq_init(t);
    mpq_init(p);
    for (int i = 0; i < the.n; i++)
        for (int part = 0; part < 2; part++) {
            mpq_sub(t, part ? a->im[i] : a->re[i], part ? b->im[i] : b->re[i]);
            mpq_abs(t, t);
            power_of_ten(p, the.scale[i]);
            mpq_mul(t, t, p);
            largest = fmax(largest, mpq_get_d(t));
        }
    mpq_clear(t);
    mpq_clear(p);
    return largest;
}

/* True if a zero is simple, and the point far closer to it than any other zero. */
static bool is_good(const zero *point, double rounding)
{
    for (int z = 0; z < the.zeros; z++) {
        const double far = distance(point, &the.zero[z]) + rounding;
        bool good = the.zero[z].multiplicity == 1;
        for (int other = 0; other < the.zeros && good; other++)
            good = other == z || distance(&the.zero[z], &the.zero[other]) > 1e6 * far;
        if (good)
            return true;
    }
    return false;
}

/* ---- The truth ---------------------------------------------------------------------------------------------------- */

static struct {
    int64_t problems, points, boxes, squared, excluded, real, not_real, positive, distinct, same, undecided, good,
        missed, lies;
} seen;

static void lie(int64_t number, int64_t point, const char *what)
{
    printf("problem %lld, point %lld: %s\n", (long long)number, (long long)point, what);
    seen.lies++;
}

static bool within(mpq_srcptr value, const char *centre, const char *radius)
{
    mpq_t c, r, none;
    plumb_text_error error;
    mpq_init(c);
    mpq_init(r);
    mpq_init(none);
    if (plumb_complex_exact(centre, strlen(centre), c, none, &error) != PLUMB_OK ||
        plumb_complex_exact(radius, strlen(radius), r, none, &error) != PLUMB_OK) {
        fprintf(stderr, "%s or %s cannot be read: %s\n", centre, radius, error.message);
        abort();
    }
    mpq_sub(c, c, value);
    mpq_abs(c, c);
    const bool in = mpq_cmp(c, r) <= 0;
    mpq_clear(c);
    mpq_clear(r);
    mpq_clear(none);
    return in;
}

/* The number of zeros in a box; *which is the last of them. */
static int zeros_in(const plumb_certificates *c, int64_t k, int *which)
{
    int count = 0;
    *which = -1;
    for (int z = 0; z < the.zeros; z++) {
        bool in = true;
        for (int i = 0; i < the.n && in; i++) {
            char **number = certificate_number(c, k, the.place[i]);
            in = within(the.zero[z].re[i], number[CERTIFICATE_RE], number[CERTIFICATE_RADIUS]) &&
                 within(the.zero[z].im[i], number[CERTIFICATE_IM], number[CERTIFICATE_RADIUS]);
        }
        if (in) {
            count++;
            *which = z;
        }
    }
    return count;
}

static bool is_real(const zero *z)
{
    for (int i = 0; i < the.n; i++)
        if (mpq_sgn(z->im[i]) != 0)
            return false;
    return true;
}

static bool is_positive(const zero *z)
{
    for (int i = 0; i < the.n; i++)
        if (mpq_sgn(z->re[i]) <= 0)
            return false;
    return is_real(z);
}

static void judge_square(int64_t number, int64_t k, const plumb_certificate *r, int count, int which)
{
    if (r->code != PLUMB_CERTIFIED)
        lie(number, k, "a square system was squared up");
    if (count != 1) {
        lie(number, k, count == 0 ? "no zero in the box" : "several zeros in the box");
        return;
    }
    const zero *z = &the.zero[which];
    if (z->multiplicity != 1)
        lie(number, k, "the zero is multiple");
    if ((r->real == 1 && !is_real(z)) || (r->real == -1 && is_real(z)))
        lie(number, k, "real or not is false");
    if ((r->positive == 1 && !is_positive(z)) || (r->positive == -1 && is_positive(z)))
        lie(number, k, "positive or not is false");
}

/* The solutions of a system with a repeated equation are the zeros, and it can be left out; with a changed one there are none. */
static void judge_overdetermined(int64_t number, int64_t k, const plumb_certificate *r, int count, int which)
{
    if (r->code == PLUMB_CERTIFIED && the.more != 1)
        lie(number, k, "a system without solutions was certified");
    else if (r->code == PLUMB_CERTIFIED)
        judge_square(number, k, r, count, which);
    if (the.more == 1 && count > 1)
        lie(number, k, "several solutions in the box");
    if (the.more == 1 && r->code == PLUMB_CERTIFY_EXCLUDED && count > 0)
        lie(number, k, "a solution was excluded");
}

static void judge(int64_t number, const plumb_certificates *c)
{
    int which[MOST_POINTS];
    for (int64_t k = 0; k < c->count; k++) {
        const plumb_certificate *r = &c->record[k];
        which[k] = -1;
        seen.points++;
        if (!certificate_has_box(r))
            continue;
        const int count = zeros_in(c, k, &which[k]);
        seen.boxes++;
        seen.squared += r->code == PLUMB_CERTIFY_SQUARED;
        seen.excluded += r->code == PLUMB_CERTIFY_EXCLUDED;
        seen.real += r->real == 1;
        seen.not_real += r->real == -1;
        seen.positive += r->positive == 1;
        seen.distinct += r->distinct == 1;
        seen.same += r->distinct == -1;
        seen.undecided += r->distinct == 0;
        if (the.more == 0)
            judge_square(number, k, r, count, which[k]);
        else
            judge_overdetermined(number, k, r, count, which[k]);
    }
    for (int64_t k = 0; k < c->count && the.more == 0; k++) {
        const plumb_certificate *r = &c->record[k];
        for (int64_t l = 0; r->distinct == 1 && l < k; l++)
            if (c->record[l].distinct == 1 && which[l] == which[k])
                lie(number, k, "two boxes that are called distinct have the same zero");
        if (r->distinct == -1 && (r->same_as < 0 || r->same_as >= k || which[r->same_as] != which[k]))
            lie(number, k, "two boxes that are called the same have different zeros");
    }
}

/* ---- The campaign ------------------------------------------------------------------------------------------------- */

static void run(plumb_context *context, int64_t number, uint64_t seed, bool shown)
{
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD, PLUMB_QD};
    plumb_system *system = NULL;
    plumb_certificates *c = NULL;
    plumb_certify_options options;
    plumb_text_error error;
    plumb_view x;
    static zero point[2];
    bool good[MOST_POINTS];
    static bool ready;
    for (int k = 0; k < 2 && !ready; k++)
        for (int i = 0; i < MOST_UNKNOWNS; i++) {
            mpq_init(point[k].re[i]);
            mpq_init(point[k].im[i]);
        }
    ready = true;
    rng = plumb_random_start(seed * 1000003 + (uint64_t)number);
    make_problem();
    const int64_t points = 2 + below(MOST_POINTS - 1);
    if (shown)
        printf("%s", the.text);
    if (plumb_system_parse(the.text, strlen(the.text), &system, &error) != PLUMB_OK ||
        plumb_system_unknowns(system) != the.n) {
        printf("problem %lld cannot be read: %s\n%s", (long long)number, error.message, the.text);
        abort();
    }
    for (int i = 0; i < the.n; i++)
        the.place[strtol(plumb_system_name(system, i) + 1, NULL, 10) - 1] = i;
    if (plumb_array_create(context, PLUMB_HOST, precisions[below(4)], PLUMB_COMPLEX, the.n, 1, points, &x) != PLUMB_OK)
        abort();
    for (int64_t k = 0; k < points; k++) {
        zero *now = &point[k % 2], *before = &point[(k + 1) % 2];
        make_point(now, k > 0 ? before : NULL);
        round_point(now, &x, k);
        good[k] =
            the.more < 2 &&
            is_good(now, 1e12 * pow(2.0, -53.0 * x.prec)); /* a bound of what rounding moves: sizes are below 1e12 */
    }
    plumb_certify_options_init(&options);
    options.seed = (uint64_t)number;
    if (plumb_certify(context, system, &x, &options, &c) != PLUMB_OK) {
        printf("problem %lld: %s\n", (long long)number, plumb_context_message(context));
        abort();
    }
    for (int64_t k = 0; shown && k < points; k++) {
        char text[8192];
        if (plumb_certificates_write(c, k, text, sizeof text, NULL) == PLUMB_OK)
            printf("%s\n", text);
    }
    judge(number, c);
    for (int64_t k = 0; k < points; k++) {
        const bool missed = good[k] && c->record[k].code > PLUMB_CERTIFY_EXCLUDED;
        seen.good += good[k];
        seen.missed += missed;
        if (missed && shown)
            printf("point %lld is missed\n", (long long)k);
    }
    seen.problems++;
    plumb_certificates_destroy(c);
    plumb_array_destroy(context, &x);
    plumb_system_destroy(system);
}

int main(int argc, char **argv)
{
    const int64_t count = argc > 1 ? strtoll(argv[1], NULL, 10) : 25000,
                  first = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;
    const uint64_t seed = argc > 2 ? (uint64_t)strtoll(argv[2], NULL, 10) : 1;
    char why[256];
    plumb_context *context;
    plumb_context_options options;
    if (!plumb_certify_available(why, sizeof why)) {
        printf("no certificates: %s\n", why);
        return 77;
    }
    plumb_context_options_init(&options);
    options.threads = 1;
    if (plumb_context_create(&options, &context) != PLUMB_OK)
        return 2;
    for (int i = 0; i < MOST_UNKNOWNS; i++) {
        for (int k = 0; k < MOST_ROOTS; k++) {
            mpq_init(the.root[i][k].re);
            mpq_init(the.root[i][k].im);
        }
        for (int z = 0; z < MOST_ZEROS; z++) {
            mpq_init(the.zero[z].re[i]);
            mpq_init(the.zero[z].im[i]);
        }
    }
    for (int64_t k = first; k < first + count; k++)
        run(context, k, seed, count == 1);
    printf("%lld problems, %lld points: %lld boxes (%lld squared up, %lld excluded), %lld real, %lld not real, %lld "
           "positive, "
           "%lld distinct, %lld the same, %lld neither; %lld of %lld good points missed; %lld false claims\n",
           (long long)seen.problems, (long long)seen.points, (long long)seen.boxes, (long long)seen.squared,
           (long long)seen.excluded, (long long)seen.real, (long long)seen.not_real, (long long)seen.positive,
           (long long)seen.distinct, (long long)seen.same, (long long)seen.undecided, (long long)seen.missed,
           (long long)seen.good, (long long)seen.lies);
    plumb_context_destroy(context);
    return seen.lies > 0;
}

/* box.c - Krawczyk's test once more, in intervals.
 *
 * For the box X with centre c and radii r, K = c - Y g(c) + (I - Y J(X)) (X - c) is computed in rectangles; if it lies in the
 * interior of X, then g has exactly one zero in X (docs/certification.md). Y is an approximate inverse of the Jacobian at c, by
 * Gaussian elimination; it may be any matrix. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/certify/check/check.h"
#include "cli/certify/check/interval.h"

typedef struct box_work {
    const check_file *file;
    int64_t m, n;
    mpfr_prec_t bits;
    rectangle *centre, *x, *spread; /* c, X, X - c: n each */
    rectangle *value, *slope;       /* the equations of the system (m), their derivatives (m x n) */
    rectangle *g, *j;               /* the square system: n, n x n */
    rectangle *y;                   /* n x n, single points */
    rectangle *t;                   /* three numbers */
    mpfr_t *a;                      /* the matrix that is eliminated, n x 2n complex numbers */
    interval_scratch scratch;
} box_work;

enum { MORE_BITS = 64, ATTEMPTS = 3 };

static bool work_create(box_work *w)
{
    const int64_t m = w->m, n = w->n;
    w->centre = rectangles_create(n, w->bits);
    w->x = rectangles_create(n, w->bits);
    w->spread = rectangles_create(n, w->bits);
    w->value = rectangles_create(m, w->bits);
    w->slope = rectangles_create(m * n, w->bits);
    w->g = rectangles_create(n, w->bits);
    w->j = rectangles_create(n * n, w->bits);
    w->y = rectangles_create(n * n, w->bits);
    w->t = rectangles_create(3, w->bits);
    w->a = malloc((size_t)(4 * n * n + 1) * sizeof *w->a);
    for (int64_t k = 0; w->a && k < 4 * n * n; k++)
        mpfr_init2(w->a[k], w->bits);
    scratch_init(&w->scratch, w->bits);
    return w->centre && w->x && w->spread && w->value && w->slope && w->g && w->j && w->y && w->t && w->a;
}

static void work_destroy(box_work *w)
{
    const int64_t m = w->m, n = w->n;
    rectangles_destroy(w->centre, n);
    rectangles_destroy(w->x, n);
    rectangles_destroy(w->spread, n);
    rectangles_destroy(w->value, m);
    rectangles_destroy(w->slope, m * n);
    rectangles_destroy(w->g, n);
    rectangles_destroy(w->j, n * n);
    rectangles_destroy(w->y, n * n);
    rectangles_destroy(w->t, 3);
    for (int64_t k = 0; w->a && k < 4 * n * n; k++)
        mpfr_clear(w->a[k]);
    free(w->a);
    scratch_clear(&w->scratch);
}

/* ---- Evaluation --------------------------------------------------------------------------------------------------- */

/* result = the term, or its derivative by factor number `by` (-1: none), at x. */
static void evaluate_term(box_work *w, const system_term *term, const rectangle *x, int32_t by, rectangle *result)
{
    const system_factor *factor = w->file->system->factors + term->first;
    rectangle *power = &w->t[2];
    rectangle_set_rational(result, term->re, term->im);
    for (int32_t k = 0; k < term->count; k++) {
        const int32_t exponent = factor[k].exponent - (k == by);
        rectangle_power(power, x + factor[k].unknown, exponent, &w->scratch);
        rectangle_mul(result, result, power, &w->scratch);
        if (k == by)
            rectangle_mul_int(result, result, factor[k].exponent);
    }
}

static void evaluate(box_work *w, const rectangle *x, bool slopes)
{
    const plumb_system *s = w->file->system;
    for (int64_t e = 0; e < w->m; e++) {
        rectangle_zero(&w->value[e]);
        for (int64_t v = 0; slopes && v < w->n; v++)
            rectangle_zero(&w->slope[e * w->n + v]);
        for (int64_t k = s->equation[e]; k < s->equation[e + 1]; k++) {
            const system_term *term = &s->terms[k];
            evaluate_term(w, term, x, -1, &w->t[0]);
            rectangle_add(&w->value[e], &w->value[e], &w->t[0]);
            for (int32_t i = 0; slopes && i < term->count; i++) {
                rectangle *to = &w->slope[e * w->n + s->factors[term->first + i].unknown];
                evaluate_term(w, term, x, i, &w->t[0]);
                rectangle_add(to, to, &w->t[0]);
            }
        }
    }
}

/* The square system from what was evaluated. */
static void combine(box_work *w, bool slopes)
{
    for (int64_t i = 0; i < w->n; i++) {
        rectangle_zero(&w->g[i]);
        for (int64_t v = 0; slopes && v < w->n; v++)
            rectangle_zero(&w->j[i * w->n + v]);
        for (int64_t e = 0; e < w->m; e++) {
            const long by = w->file->square ? w->file->square[i * w->m + e] : e == i;
            if (by == 0)
                continue;
            rectangle_mul_int(&w->t[0], &w->value[e], by);
            rectangle_add(&w->g[i], &w->g[i], &w->t[0]);
            for (int64_t v = 0; slopes && v < w->n; v++) {
                rectangle_mul_int(&w->t[0], &w->slope[e * w->n + v], by);
                rectangle_add(&w->j[i * w->n + v], &w->j[i * w->n + v], &w->t[0]);
            }
        }
    }
}

/* ---- The inverse -------------------------------------------------------------------------------------------------- */

static mpfr_ptr entry(const box_work *w, int64_t row, int64_t column, int part)
{
    return w->a[(row * 2 * w->n + column) * 2 + part];
}

/* row -= by * pivot row, with the complex number by = (re, im), from column first on. */
static void eliminate(box_work *w, int64_t row, int64_t pivot, mpfr_srcptr re, mpfr_srcptr im, mpfr_ptr t)
{
    for (int64_t c = 0; c < 2 * w->n; c++) {
        mpfr_fmms(t, re, entry(w, pivot, c, 0), im, entry(w, pivot, c, 1), MPFR_RNDN);
        mpfr_sub(entry(w, row, c, 0), entry(w, row, c, 0), t, MPFR_RNDN);
        mpfr_fmma(t, re, entry(w, pivot, c, 1), im, entry(w, pivot, c, 0), MPFR_RNDN);
        mpfr_sub(entry(w, row, c, 1), entry(w, row, c, 1), t, MPFR_RNDN);
    }
}

/* Multiplies the row by 1 / (its entry in this column). */
static void divide(box_work *w, int64_t row, int64_t column, mpfr_t t[4])
{
    mpfr_fmma(t[0], entry(w, row, column, 0), entry(w, row, column, 0), entry(w, row, column, 1),
              entry(w, row, column, 1), MPFR_RNDN);
    mpfr_div(t[1], entry(w, row, column, 0), t[0], MPFR_RNDN);
    mpfr_div(t[2], entry(w, row, column, 1), t[0], MPFR_RNDN);
    mpfr_neg(t[2], t[2], MPFR_RNDN);
    for (int64_t c = 0; c < 2 * w->n; c++) {
        mpfr_fmms(t[3], t[1], entry(w, row, c, 0), t[2], entry(w, row, c, 1), MPFR_RNDN);
        mpfr_fmma(t[0], t[1], entry(w, row, c, 1), t[2], entry(w, row, c, 0), MPFR_RNDN);
        mpfr_set(entry(w, row, c, 0), t[3], MPFR_RNDN);
        mpfr_set(entry(w, row, c, 1), t[0], MPFR_RNDN);
    }
}

/* The row from `from` on whose entry in the column is largest relative to its other entries. */
static int64_t find_pivot(const box_work *w, int64_t from, mpfr_t t[4])
{
    int64_t best = from;
    mpfr_set_si(t[0], -1, MPFR_RNDN);
    for (int64_t r = from; r < w->n; r++) {
        mpfr_set_zero(t[1], 1);
        for (int64_t c = from; c < w->n; c++) {
            mpfr_hypot(t[2], entry(w, r, c, 0), entry(w, r, c, 1), MPFR_RNDN);
            mpfr_max(t[1], t[1], t[2], MPFR_RNDN);
        }
        mpfr_hypot(t[2], entry(w, r, from, 0), entry(w, r, from, 1), MPFR_RNDN);
        if (mpfr_zero_p(t[1]))
            continue;
        mpfr_div(t[2], t[2], t[1], MPFR_RNDN);
        if (mpfr_greater_p(t[2], t[0])) {
            mpfr_set(t[0], t[2], MPFR_RNDN);
            best = r;
        }
    }
    return best;
}

/* w->y = the inverse of the middle of w->j, approximately. */
static void invert(box_work *w)
{
    const int64_t n = w->n;
    mpfr_t t[4];
    for (int k = 0; k < 4; k++)
        mpfr_init2(t[k], w->bits);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < n; c++) {
            const rectangle *z = &w->j[i * n + c];
            mpfr_add(entry(w, i, c, 0), z->re.low, z->re.high, MPFR_RNDN);
            mpfr_add(entry(w, i, c, 1), z->im.low, z->im.high, MPFR_RNDN);
            mpfr_div_2ui(entry(w, i, c, 0), entry(w, i, c, 0), 1, MPFR_RNDN);
            mpfr_div_2ui(entry(w, i, c, 1), entry(w, i, c, 1), 1, MPFR_RNDN);
            mpfr_set_ui(entry(w, i, n + c, 0), i == c, MPFR_RNDN);
            mpfr_set_zero(entry(w, i, n + c, 1), 1);
        }
    for (int64_t k = 0; k < n; k++) {
        const int64_t pivot = find_pivot(w, k, t);
        for (int64_t c = 0; c < 2 * n && pivot != k; c++)
            for (int part = 0; part < 2; part++)
                mpfr_swap(entry(w, k, c, part), entry(w, pivot, c, part));
        divide(w, k, k, t);
        for (int64_t r = 0; r < n; r++)
            if (r != k) {
                mpfr_set(t[0], entry(w, r, k, 0), MPFR_RNDN);
                mpfr_set(t[1], entry(w, r, k, 1), MPFR_RNDN);
                eliminate(w, r, k, t[0], t[1], t[2]);
            }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < n; c++) {
            rectangle *z = &w->y[i * n + c];
            mpfr_set(z->re.low, entry(w, i, n + c, 0), MPFR_RNDD); /* the same precision: exact */
            mpfr_set(z->re.high, entry(w, i, n + c, 0), MPFR_RNDU);
            mpfr_set(z->im.low, entry(w, i, n + c, 1), MPFR_RNDD);
            mpfr_set(z->im.high, entry(w, i, n + c, 1), MPFR_RNDU);
        }
    for (int k = 0; k < 4; k++)
        mpfr_clear(t[k]);
}

/* ---- The test ----------------------------------------------------------------------------------------------------- */

/* c, X and X - c as rectangles that contain them. */
static void set_box(box_work *w, const check_claim *claim)
{
    for (int64_t i = 0; i < w->n; i++) {
        rectangle *d = &w->spread[i];
        rectangle_set_rational(&w->centre[i], claim->re[i], claim->im[i]);
        mpfr_set_q(d->re.high, claim->radius[i], MPFR_RNDU);
        mpfr_neg(d->re.low, d->re.high, MPFR_RNDD);
        mpfr_set(d->im.high, d->re.high, MPFR_RNDU);
        mpfr_set(d->im.low, d->re.low, MPFR_RNDD);
        rectangle_add(&w->x[i], &w->centre[i], d);
    }
}

static bool inside(const interval *k, mpfr_srcptr radius)
{
    return mpfr_number_p(k->low) && mpfr_number_p(k->high) && mpfr_cmpabs(k->low, radius) < 0 &&
           mpfr_cmpabs(k->high, radius) < 0;
}

/* True if K - c lies in the interior of X - c. */
static bool contracts(box_work *w, const check_claim *claim)
{
    const int64_t n = w->n;
    rectangle *sum = rectangles_create(n, w->bits);
    bool good = sum != NULL;
    mpfr_t radius;
    mpfr_init2(radius, w->bits);
    for (int64_t i = 0; i < n && good; i++) /* - Y g(c) */
        for (int64_t k = 0; k < n; k++) {
            rectangle_mul(&w->t[0], &w->y[i * n + k], &w->g[k], &w->scratch);
            rectangle_sub(&sum[i], &sum[i], &w->t[0]);
        }
    if (good) {
        evaluate(w, w->x, true);
        combine(w, true);
    }
    for (int64_t i = 0; i < n && good; i++) {
        for (int64_t c = 0; c < n; c++) { /* entry (i, c) of I - Y J(X) */
            if (i == c)
                rectangle_one(&w->t[1]);
            else
                rectangle_zero(&w->t[1]);
            for (int64_t k = 0; k < n; k++) {
                rectangle_mul(&w->t[0], &w->y[i * n + k], &w->j[k * n + c], &w->scratch);
                rectangle_sub(&w->t[1], &w->t[1], &w->t[0]);
            }
            rectangle_mul(&w->t[0], &w->t[1], &w->spread[c], &w->scratch);
            rectangle_add(&sum[i], &sum[i], &w->t[0]);
        }
        mpfr_set_q(radius, claim->radius[i], MPFR_RNDD);
        good = inside(&sum[i].re, radius) && inside(&sum[i].im, radius);
    }
    mpfr_clear(radius);
    rectangles_destroy(sum, n);
    return good;
}

/* True if one of the equations of the system has no zero in the box: f(c) + f'(X) (X - c). */
static bool excludes(box_work *w)
{
    bool excluded = false;
    evaluate(w, w->x, true);
    evaluate(w, w->centre, false);
    for (int64_t e = 0; e < w->m; e++) {
        rectangle *sum = &w->value[e];
        for (int64_t v = 0; v < w->n; v++) {
            rectangle_mul(&w->t[0], &w->slope[e * w->n + v], &w->spread[v], &w->scratch);
            rectangle_add(sum, sum, &w->t[0]);
        }
        excluded |= !rectangle_has_zero(sum);
    }
    return excluded;
}

static bool attempt(const check_file *file, check_claim *claim, mpfr_prec_t bits, bool *memory)
{
    box_work w = {.file = file, .m = file->system->equations, .n = file->system->unknowns, .bits = bits};
    bool proven = false;
    claim->why[0] = '\0';
    *memory = work_create(&w);
    if (*memory) {
        set_box(&w, claim);
        evaluate(&w, w.centre, true);
        combine(&w, true);
        invert(&w);
        proven = contracts(&w, claim);
        if (!proven)
            snprintf(claim->why, sizeof claim->why, "the box does not contract");
        if (proven && claim->verdict == CHECK_EXCLUDED && !(proven = excludes(&w)))
            snprintf(claim->why, sizeof claim->why, "no equation excludes a zero from the box");
    }
    work_destroy(&w);
    return proven;
}

bool check_box(const check_file *file, check_claim *claim)
{
    mpfr_prec_t bits = claim->bits + MORE_BITS;
    bool memory = true;
    for (int k = 0; k < ATTEMPTS && memory; k++, bits *= 2)
        if (attempt(file, claim, bits, &memory))
            break;
    return memory;
}

/* ---- The point ---------------------------------------------------------------------------------------------------- */

/* far = the largest distance of a part of x from that of the centre in unknown i. */
static void find_distance(const check_claim *claim, int64_t i, mpq_t far, mpq_t t)
{
    mpq_sub(far, claim->record.re[i], claim->re[i]);
    mpq_abs(far, far);
    mpq_sub(t, claim->record.im[i], claim->im[i]);
    mpq_abs(t, t);
    if (mpq_cmp(t, far) > 0)
        mpq_set(far, t);
}

/* Replaces q by a number with few bits that is at least as large, so that radii do not grow with the digits of x. */
static void round_up(mpq_t q)
{
    mpfr_t t;
    mpfr_init2(t, MORE_BITS);
    mpfr_set_q(t, q, MPFR_RNDU);
    if (mpfr_number_p(t))
        mpfr_get_q(q, t);
    mpfr_clear(t);
}

/* How radii grow until the box contains x: all by the same factor, all to twice the largest distance, or each as far as it has to. Which
 * of them contracts depends on the sizes of the unknowns. */
typedef enum growth { GROW_ALIKE, GROW_EQUAL, GROW_ALONE, GROWTHS } growth;

static void enlarge(const check_claim *claim, int64_t n, growth how, mpq_t *radius)
{
    mpq_t far, t, factor, largest;
    mpq_inits(far, t, factor, largest, NULL);
    mpq_set_ui(factor, 1, 1);
    for (int64_t i = 0; i < n; i++) {
        find_distance(claim, i, far, t);
        mpq_set(radius[i], mpq_cmp(far, claim->radius[i]) > 0 ? far : claim->radius[i]);
        mpq_div(t, radius[i], claim->radius[i]);
        if (mpq_cmp(t, factor) > 0)
            mpq_set(factor, t);
        if (mpq_cmp(far, largest) > 0)
            mpq_set(largest, far);
    }
    mpq_add(largest, largest, largest);
    for (int64_t i = 0; i < n; i++) {
        if (how == GROW_ALIKE)
            mpq_mul(radius[i], claim->radius[i], factor);
        else if (how == GROW_EQUAL && mpq_cmp(largest, radius[i]) > 0)
            mpq_set(radius[i], largest);
        round_up(radius[i]);
    }
    mpq_clears(far, t, factor, largest, NULL);
}

static bool contains_point(const check_claim *claim, int64_t n)
{
    bool inside = true;
    mpq_t far, t;
    mpq_inits(far, t, NULL);
    for (int64_t i = 0; i < n && inside; i++) {
        find_distance(claim, i, far, t);
        inside = mpq_cmp(far, claim->radius[i]) <= 0;
    }
    mpq_clears(far, t, NULL);
    return inside;
}

bool check_point(const check_file *file, check_claim *claim)
{
    const int64_t n = file->system->unknowns;
    if (!claim->record.re || contains_point(claim, n))
        return true;
    check_claim larger = *claim;
    bool memory = true, proven = false;
    larger.verdict = CHECK_CERTIFIED;
    larger.radius = malloc((size_t)n * sizeof *larger.radius);
    if (!larger.radius)
        return false;
    for (int64_t i = 0; i < n; i++)
        mpq_init(larger.radius[i]);
    for (growth how = GROW_ALIKE; how < GROWTHS && memory && !proven; how++) {
        enlarge(claim, n, how, larger.radius);
        proven = attempt(file, &larger, claim->bits + MORE_BITS, &memory);
    }
    if (memory && !proven)
        snprintf(claim->why, sizeof claim->why, "x does not belong to the zero in the box");
    for (int64_t i = 0; i < n; i++)
        mpq_clear(larger.radius[i]);
    free(larger.radius);
    return memory;
}

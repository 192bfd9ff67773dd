/* covariance.c - how well least squares determines x: sigma^2 (A^H A)^-1 with sigma^2 = |b - A x|^2 / (m - n).
 *
 * A = Q R gives (A^H A)^-1 = Z Z^H with Z = R^-1. R has the precision of x. Z is found from it by substitution, row by row
 * from the last, and multiplied out with 64 bits more than the precision has, so that what is left is the error of R:
 * relative to the entries on the diagonal, about the condition number of A times the unit roundoff. References: any text on
 * linear regression; Golub and Van Loan, Matrix Computations, section 5.3. */
#include <mpfr.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/matrices.h"
#include "app/report.h"
#include "base/memory/reserve.h"
#include "cli/lsq/lsq.h"

enum { EXTRA_BITS = 64, MANTISSA = 53 };

/* A complex number; im stays 0 in real problems and is not used. */
typedef struct entry {
    mpfr_t re, im;
} entry;

typedef struct triangle {
    int64_t n;
    bool is_complex;
    mpfr_prec_t bits;
    entry *z; /* upper triangular, entry (i, j) at j * n + i */
    mpfr_t term;
} triangle;

static entry *at(const triangle *t, int64_t i, int64_t j)
{
    return &t->z[j * t->n + i];
}

static void set_limbs(mpfr_t to, const double *limbs, int32_t prec)
{
    mpfr_set_d(to, limbs[0], MPFR_RNDN);
    for (int32_t c = 1; c < prec; c++)
        mpfr_add_d(to, to, limbs[c], MPFR_RNDN);
}

/* Limb by limb, each the nearest double to what remains; x is used up. */
static void store_limbs(const plumb_view *view, int64_t i, int64_t j, int32_t part, mpfr_t x)
{
    double *to = view->data + part * view->prec * view->plane + j * view->col + i;
    for (int32_t c = 0; c < view->prec; c++) {
        double limb = mpfr_get_d(x, MPFR_RNDN);
        to[c * view->plane] = limb + 0.0; /* no negative zeros */
        mpfr_sub_d(x, x, limb, MPFR_RNDN);
    }
}

/* sum += a b, or a conj(b). */
static void add_product(const triangle *t, entry *sum, const entry *a, const entry *b, bool conjugate, mpfr_t term)
{
    mpfr_mul(term, a->re, b->re, MPFR_RNDN);
    mpfr_add(sum->re, sum->re, term, MPFR_RNDN);
    if (!t->is_complex)
        return;
    mpfr_mul(term, a->im, b->im, MPFR_RNDN);
    (conjugate ? mpfr_add : mpfr_sub)(sum->re, sum->re, term, MPFR_RNDN);
    mpfr_mul(term, a->im, b->re, MPFR_RNDN);
    mpfr_add(sum->im, sum->im, term, MPFR_RNDN);
    mpfr_mul(term, a->re, b->im, MPFR_RNDN);
    (conjugate ? mpfr_sub : mpfr_add)(sum->im, sum->im, term, MPFR_RNDN);
}

/* Inverts the triangle in place, column by column from the first: z_jj = 1 / r_jj, and above it
 * z_ij = -(sum over k from i to j-1 of z_ik r_kj) z_jj. Column j is replaced from its top down, so the r_kj still needed, those
 * with k >= i, are there. The diagonal of R is real and positive. */
static void invert(triangle *t, entry *sum)
{
    for (int64_t j = 0; j < t->n; j++) {
        mpfr_ui_div(at(t, j, j)->re, 1, at(t, j, j)->re, MPFR_RNDN);
        mpfr_set_zero(at(t, j, j)->im, 1);
        for (int64_t i = 0; i < j; i++) {
            mpfr_set_zero(sum->re, 1);
            mpfr_set_zero(sum->im, 1);
            for (int64_t k = i; k < j; k++)
                add_product(t, sum, at(t, i, k), at(t, k, j), false, t->term);
            mpfr_mul(at(t, i, j)->re, sum->re, at(t, j, j)->re, MPFR_RNDN);
            mpfr_neg(at(t, i, j)->re, at(t, i, j)->re, MPFR_RNDN);
            mpfr_mul(at(t, i, j)->im, sum->im, at(t, j, j)->re, MPFR_RNDN);
            mpfr_neg(at(t, i, j)->im, at(t, i, j)->im, MPFR_RNDN);
        }
    }
}

/* Entry (i, j) of Z Z^H, j >= i. */
static void product_entry(const triangle *t, int64_t i, int64_t j, entry *sum, mpfr_t term)
{
    mpfr_set_zero(sum->re, 1);
    mpfr_set_zero(sum->im, 1);
    for (int64_t k = j; k < t->n; k++)
        add_product(t, sum, at(t, i, k), at(t, j, k), true, term);
}

/* sigma^2 of a right-hand side. */
static void variance(const lsq_run *run, int64_t side, mpfr_t to)
{
    double limbs[PLUMB_QD];
    app_entry(&run->residual, 0, 0, side, 0, limbs);
    set_limbs(to, limbs, run->residual.prec);
    mpfr_sqr(to, to, MPFR_RNDN);
    mpfr_div_ui(to, to, (unsigned long)(run->m - run->n), MPFR_RNDN);
}

static void fill(lsq_run *run, const triangle *t, mpfr_t sigma2, entry *sum, mpfr_t scaled)
{
    mpfr_t term;
    mpfr_init2(term, t->bits);
    for (int64_t i = 0; i < t->n; i++) {
        product_entry(t, i, i, sum, term);
        for (int64_t side = 0; side < run->errors.cols; side++) {
            variance(run, side, sigma2);
            mpfr_mul(scaled, sum->re, sigma2, MPFR_RNDN);
            mpfr_sqrt(scaled, scaled, MPFR_RNDN);
            store_limbs(&run->errors, i, side, 0, scaled);
        }
    }
    variance(run, 0, sigma2);
    for (int64_t i = 0; run->covariance.data != NULL && i < t->n; i++)
        for (int64_t j = i; j < t->n; j++) {
            product_entry(t, i, j, sum, term);
            for (int32_t part = 0; part < run->covariance.parts; part++) {
                mpfr_mul(scaled, part == 0 ? sum->re : sum->im, sigma2, MPFR_RNDN);
                mpfr_set(term, scaled, MPFR_RNDN);
                store_limbs(&run->covariance, i, j, part, scaled);
                if (part == 1)
                    mpfr_neg(term, term, MPFR_RNDN);
                if (i != j)
                    store_limbs(&run->covariance, j, i, part, term);
            }
        }
    mpfr_clear(term);
}

static int triangle_create(triangle *t, const plumb_view *r)
{
    *t = (triangle){.n = r->cols, .is_complex = r->parts == PLUMB_COMPLEX, .bits = MANTISSA * r->prec + EXTRA_BITS};
    t->z = calloc((size_t)(t->n * t->n), sizeof *t->z); /* R is as large, and was made */
    if (t->z == NULL || !reserve_limbs(t->n * t->n * (t->bits / 64 + 4))) {
        free(t->z);
        t->z = NULL;
        return app_fail("lsq", "out of memory");
    }
    mpfr_init2(t->term, t->bits);
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i <= j; i++) {
            double limbs[PLUMB_QD];
            entry *e = at(t, i, j);
            mpfr_inits2(t->bits, e->re, e->im, (mpfr_ptr)0);
            app_entry(r, 0, i, j, 0, limbs);
            set_limbs(e->re, limbs, r->prec);
            app_entry(r, 0, i, j, 1, limbs);
            set_limbs(e->im, limbs, r->prec);
        }
    return APP_OK;
}

static void triangle_clear(triangle *t)
{
    if (t->z == NULL)
        return;
    for (int64_t j = 0; j < t->n; j++)
        for (int64_t i = 0; i <= j; i++)
            mpfr_clears(at(t, i, j)->re, at(t, i, j)->im, (mpfr_ptr)0);
    free(t->z);
    mpfr_clear(t->term);
}

/* R of A = Q R. A dependent column is an error, also where --pivot found a solution. */
static int factor(const lsq_run *run, plumb_context *context, const plumb_view *a, plumb_view *r)
{
    int result = app_array_create("lsq", context, a->prec, a->parts, a->cols, a->cols, r);
    if (result != APP_OK)
        return result;
    plumb_info info = 0;
    plumb_status status = plumb_qr(context, a, NULL, r, NULL, &info, NULL, NULL);
    if (info > 0)
        return app_fail(NULL, "%s: column %lld depends numerically on those before it: there are no standard errors",
                        app_input_name(run->words->file[0]), (long long)info);
    return status == PLUMB_OK ? APP_OK : app_context_fail("lsq", context, status);
}

int lsq_covariance(lsq_run *run, plumb_context *context, const plumb_view *a)
{
    plumb_view r = {.data = NULL};
    triangle t = {.z = NULL};
    int32_t prec = run->x.prec;
    int result = factor(run, context, a, &r);
    if (result == APP_OK)
        result = app_array_create("lsq", context, prec, PLUMB_REAL, run->n, run->x.cols, &run->errors);
    if (result == APP_OK && run->words->covariance != NULL)
        result = app_array_create("lsq", context, prec, a->parts, run->n, run->n, &run->covariance);
    if (result == APP_OK)
        result = triangle_create(&t, &r);
    if (result == APP_OK) {
        entry sum;
        mpfr_t sigma2, scaled;
        mpfr_inits2(t.bits, sum.re, sum.im, sigma2, scaled, (mpfr_ptr)0);
        invert(&t, &sum);
        fill(run, &t, sigma2, &sum, scaled);
        mpfr_clears(sum.re, sum.im, sigma2, scaled, (mpfr_ptr)0);
    }
    triangle_clear(&t);
    plumb_array_destroy(context, &r);
    return result;
}

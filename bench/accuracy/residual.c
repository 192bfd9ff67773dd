/* residual.c - max |a_ij - (QR)_ij|, evaluated far beyond the precision of A, Q and R.
 *
 * With b bits, every product and sum has a relative error of at most 2^-b: at least 22 digits smaller than the errors of Q and R. */
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

#include "bench/accuracy/accuracy.h"

enum { ENTRIES = ACCURACY_N * ACCURACY_N };

struct accuracy_oracle {
    mpfr_t q[2][ENTRIES], r[2][ENTRIES]; /* real and imaginary parts, column by column */
    mpfr_t sum[2], product;
};

static mpfr_prec_t bits_for(int32_t prec)
{
    return prec == PLUMB_D ? 128 : prec == PLUMB_DD ? 192 : 320;
}

accuracy_oracle *accuracy_oracle_create(int32_t prec)
{
    accuracy_oracle *o = malloc(sizeof *o);
    if (o == NULL)
        return NULL;
    mpfr_prec_t bits = bits_for(prec);
    for (int part = 0; part < 2; part++) {
        for (int k = 0; k < ENTRIES; k++) {
            mpfr_init2(o->q[part][k], bits);
            mpfr_init2(o->r[part][k], bits);
        }
        mpfr_init2(o->sum[part], bits);
    }
    mpfr_init2(o->product, bits);
    return o;
}

void accuracy_oracle_destroy(accuracy_oracle *o)
{
    if (o == NULL)
        return;
    for (int part = 0; part < 2; part++) {
        for (int k = 0; k < ENTRIES; k++) {
            mpfr_clear(o->q[part][k]);
            mpfr_clear(o->r[part][k]);
        }
        mpfr_clear(o->sum[part]);
    }
    mpfr_clear(o->product);
    free(o);
    mpfr_free_cache();
}

/* The sum of the limbs of one part of entry (i, j). */
static void read_entry(mpfr_t out, const plumb_view *view, int part, int64_t i, int64_t j)
{
    const double *limb = view->data + (int64_t)part * view->prec * view->plane + j * view->col + i;
    mpfr_set_d(out, limb[0], MPFR_RNDN);
    for (int32_t k = 1; k < view->prec; k++)
        mpfr_add_d(out, out, limb[k * view->plane], MPFR_RNDN);
}

static void read_matrix(mpfr_t (*out)[ENTRIES], const plumb_view *view)
{
    for (int part = 0; part < 2; part++)
        for (int64_t j = 0; j < ACCURACY_N; j++)
            for (int64_t i = 0; i < ACCURACY_N; i++)
                read_entry(out[part][i + j * ACCURACY_N], view, part, i, j);
}

/* sum -= q r for complex numbers. */
static void subtract_product(accuracy_oracle *o, int64_t q, int64_t r)
{
    for (int part = 0; part < 2; part++) { /* of q; the part of r follows from that of the sum */
        mpfr_mul(o->product, o->q[part][q], o->r[part][r], MPFR_RNDN);
        if (part == 0)
            mpfr_sub(o->sum[0], o->sum[0], o->product, MPFR_RNDN);
        else
            mpfr_add(o->sum[0], o->sum[0], o->product, MPFR_RNDN);
        mpfr_mul(o->product, o->q[part][q], o->r[1 - part][r], MPFR_RNDN);
        mpfr_sub(o->sum[1], o->sum[1], o->product, MPFR_RNDN);
    }
}

double accuracy_residual(accuracy_oracle *o, const plumb_view *a, const plumb_view *q, const plumb_view *r)
{
    double largest = 0;
    read_matrix(o->q, q);
    read_matrix(o->r, r);
    for (int64_t j = 0; j < ACCURACY_N; j++)
        for (int64_t i = 0; i < ACCURACY_N; i++) {
            for (int part = 0; part < 2; part++)
                read_entry(o->sum[part], a, part, i, j);
            for (int64_t k = 0; k <= j; k++)
                subtract_product(o, i + k * ACCURACY_N, k + j * ACCURACY_N);
            double e = hypot(mpfr_get_d(o->sum[0], MPFR_RNDN), mpfr_get_d(o->sum[1], MPFR_RNDN));
            if (!(e <= largest) && !isnan(largest)) /* keeps a NaN */
                largest = e;
        }
    return largest;
}

/* hermite.c - see hermite.h. By column operations on [E; I], row after row: the columns from the diagonal on are
 * combined by Euclid's algorithm until one entry of the row is left. The column with the smallest entry is always subtracted
 * from the others, which keeps the entries small (Havas, Majewski and Matthews 1998). */
#include "model/cells/hermite.h"

#include <gmp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/memory/size.h"

/* Column-major: column k has the n entries of H and then the n entries of U. */
typedef struct hermite_work {
    int64_t n;
    mpz_t *m, q;
} hermite_work;

static mpz_t *column(const hermite_work *w, int64_t k)
{
    return w->m + k * 2 * w->n;
}

/* Column `to` -= q * column `from`. */
static void subtract(hermite_work *w, int64_t to, int64_t from)
{
    for (int64_t i = 0; i < 2 * w->n; i++)
        mpz_submul(column(w, to)[i], w->q, column(w, from)[i]);
}

/* Leaves one entry of row j in the columns from j on, in column j, and makes it positive. Returns false if there is
 * none. */
static bool clear_row(hermite_work *w, int64_t j)
{
    for (;;) {
        int64_t least = -1, others = 0;
        for (int64_t k = j; k < w->n; k++)
            if (mpz_sgn(column(w, k)[j]) != 0) {
                others++;
                if (least < 0 || mpz_cmpabs(column(w, k)[j], column(w, least)[j]) < 0)
                    least = k;
            }
        if (others == 0)
            return false;
        for (int64_t i = 0; least != j && i < 2 * w->n; i++)
            mpz_swap(column(w, least)[i], column(w, j)[i]);
        if (others == 1)
            break;
        for (int64_t k = j + 1; k < w->n; k++)
            if (mpz_sgn(column(w, k)[j]) != 0) {
                mpz_tdiv_q(w->q, column(w, k)[j], column(w, j)[j]);
                subtract(w, k, j);
            }
    }
    bool negative = mpz_sgn(column(w, j)[j]) < 0;
    for (int64_t i = 0; negative && i < 2 * w->n; i++)
        mpz_neg(column(w, j)[i], column(w, j)[i]);
    return true;
}

/* Reduces the entries to the left of the diagonal, from the first row to the last: later rows do not change earlier
 * ones. */
static void reduce(hermite_work *w)
{
    for (int64_t j = 0; j < w->n; j++)
        for (int64_t k = 0; k < j; k++) {
            mpz_fdiv_q(w->q, column(w, k)[j], column(w, j)[j]);
            if (mpz_sgn(w->q) != 0)
                subtract(w, k, j);
        }
}

plumb_status plumb_hermite(int64_t n, const int64_t *e, int64_t *h, int64_t *u)
{
    int64_t entries;
    if (n < 0 || !size_mul(2 * n, n, &entries))
        return PLUMB_ERR_SIZE;
    hermite_work w = {.n = n, .m = calloc((size_t)(entries + 1), sizeof *w.m)};
    if (w.m == NULL)
        return PLUMB_ERR_MEMORY;
    mpz_init(w.q);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < 2 * n; i++)
            mpz_init_set_si(column(&w, k)[i], i < n ? (long)e[i * n + k] : i - n == k);
    bool regular = true, fits = true;
    for (int64_t j = 0; regular && j < n; j++)
        regular = clear_row(&w, j);
    if (regular)
        reduce(&w);
    for (int64_t k = 0; k < n; k++)
        for (int64_t i = 0; i < 2 * n; i++) {
            mpz_t *entry = &column(&w, k)[i];
            fits = fits && mpz_fits_slong_p(*entry);
            int64_t *to = i < n ? &h[i * n + k] : &u[(i - n) * n + k];
            *to = regular && fits ? mpz_get_si(*entry) : 0;
            mpz_clear(*entry);
        }
    mpz_clear(w.q);
    free(w.m);
    return !regular ? PLUMB_ERR_SINGULAR : fits ? PLUMB_OK : PLUMB_ERR_SIZE;
}

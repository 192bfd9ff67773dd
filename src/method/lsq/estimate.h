/* estimate.h - how accurate a solution by modified Gram-Schmidt is, estimated in double from the triangle of its factorisation.
 *
 * Both machines use it: the processor on its own arrays, a GPU after it has sent the leading limbs of the triangle to the host. */
#ifndef PLUMB_METHOD_LSQ_ESTIMATE_H
#define PLUMB_METHOD_LSQ_ESTIMATE_H

#include "plumb.h"

/* The triangle of the scaled columns, leading limbs only: R = diag(sqrt s) C with a unit diagonal of C that is not stored. */
typedef struct lsq_triangle {
    const double *re,
        *im; /* c_kj at [k*ld + j], k < j; of right-hand side j >= cols the solution; im NULL: real numbers */
    const double *square;    /* s_k, k < rank */
    const double *norm;      /* at [j], j >= cols: the norm of the residual of right-hand side j */
    const int32_t *exponent; /* column j was multiplied by 2^-exponent[j], right-hand sides included */
    int64_t ld, rows, cols, rank, all;
    int32_t prec;
} lsq_triangle;

/* condition: an upper estimate of the condition number of the scaled columns, by inverting the triangle in double; at most a factor
 * of n above the truth, infinite where the inverse overflows. digits (or NULL): estimated number of correct decimal digits in the
 * largest entry of each column of x, the minimum over the columns. PLUMB_ERR_MEMORY without a message. */
plumb_status lsq_estimate(const lsq_triangle *t, double *condition, double *digits);

/* The number of correct decimal digits that a relative error leaves in this precision: between 0 and all of them. */
double lsq_digits(int32_t prec, double error);

/* What turns an absolute error of the scaled solution in column j of x into one relative to the largest entry of the solution: the
 * largest 2^-exponent[k] over the largest 2^-exponent[k] |x_k|. */
double lsq_amplify(const plumb_view *x, int64_t j, const int32_t *exponent);

#endif

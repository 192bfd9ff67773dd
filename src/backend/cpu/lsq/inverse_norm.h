/* inverse_norm.h - estimates the norm of the inverse of a matrix that is only available through solves. */
#ifndef PLUMB_BACKEND_CPU_LSQ_INVERSE_NORM_H
#define PLUMB_BACKEND_CPU_LSQ_INVERSE_NORM_H

#include <stdint.h>

/* v = A^-1 v, or v = A^-H v when adjoint; re and im hold n numbers each. */
typedef void (*inverse_apply)(const void *data, int adjoint, double *re, double *im);

/* An estimate of the 1-norm of A^-1, at most the truth and rarely below a third of it. work: 2 n doubles. Infinite when a solve
 * overflows. */
double plumb_inverse_norm(int64_t n, inverse_apply apply, const void *data, double *work);

#endif

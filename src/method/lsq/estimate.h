/* estimate.h - how accurate the solution of a least-squares problem is, estimated in double from the triangle of a factorisation by
 * modified Gram-Schmidt.
 *
 * Both machines use it: the CPU on its own arrays, a GPU after it has sent the leading limbs of the triangle to the host. */
#ifndef PLUMB_METHOD_LSQ_ESTIMATE_H
#define PLUMB_METHOD_LSQ_ESTIMATE_H

#include <stdbool.h>

#include "base/os/team.h"
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
    int32_t threads; /* of the team (or NULL), at most; the results do not depend on them */
    struct team *team;
} lsq_triangle;

/* What the inverse of the triangle says about errors, for columns k < rank. */
typedef struct lsq_inverse {
    double *row;      /* norm of row k of the inverse of R */
    double *column;   /* norm of column k of R */
    double *modulus;  /* room for the moduli of a solution */
    double *re, *im;  /* entry (k, j), k <= j, of the inverse at [j*(j+1)/2 + k]; im NULL: real numbers */
    double condition; /* Frobenius norm of R times that of its inverse; infinite where the inverse overflows */
    double scaled;    /* the same with columns scaled to norm 1: at most as large */
    int64_t rows, rank;
} lsq_inverse;

/* PLUMB_ERR_MEMORY without a message; there is nothing to free then. */
plumb_status lsq_inverse_make(const lsq_triangle *t, lsq_inverse *inverse);
void lsq_inverse_free(lsq_inverse *inverse);

/* True if the triangle of a factor in this precision is so uncertain that nothing can be claimed of a solution by it. */
bool lsq_is_noise(const lsq_inverse *inverse, int32_t factor_prec);

/* One right-hand side and its solution. Everything is scaled: the right-hand side was multiplied by 2^-shift. */
typedef struct lsq_answer {
    const double *modulus;     /* |x_k| of the scaled solution, k < rank */
    const int32_t *exponent;   /* column k of A was multiplied by 2^-exponent[k] */
    double residual;           /* norm of the scaled residual; 0 where there are as many rows as columns */
    int32_t shift;             /* in [-5000, 5000] */
    int32_t prec, factor_prec; /* of x and of the triangle; the latter is lower after refinement */
    double correction;         /* last correction of a refinement relative to x; 0 otherwise */
} lsq_answer;

/* The estimated number of correct decimal digits in the largest entry of the solution. */
double lsq_claim(const lsq_inverse *inverse, const lsq_answer *answer);

/* The problem itself, on the host, with everything unscaled: column k < rank of the triangle is column order[k] of a (NULL: column
 * k). */
typedef struct lsq_data {
    const plumb_view *a, *b, *x;
    const int64_t *order;
} lsq_data;

/* The same for right-hand side number `side`. If the claim is low, it is made once more from the residual, which is
 * computed without rounding. PLUMB_ERR_MEMORY without a message. */
plumb_status lsq_claim_checked(const lsq_inverse *inverse, const lsq_answer *answer, const lsq_data *data, int64_t side,
                               double *digits);

/* All of this for a solution in the precision of its triangle; data may be NULL: then nothing is checked. condition: an upper estimate of the condition number of the scaled
 * columns; at most a factor of n above the truth, infinite where the inverse overflows. digits (or NULL): the minimum over the
 * right-hand sides. PLUMB_ERR_MEMORY without a message. */
plumb_status lsq_estimate(const lsq_triangle *t, const lsq_data *data, double *condition, double *digits);

/* A solution x of least norm of A^H x = b, where the triangle is that of A: the conjugate transpose of the matrix of the problem.
 * Everything is scaled: x by 2^-shift, and row k of the problem by 2^-exponent[k]. */
typedef struct lsq_least {
    const int32_t *exponent; /* of the columns of A */
    int32_t shift, prec;
    int32_t factor_prec;  /* of the triangle, after refinement; 0: prec */
    double correction;    /* last correction of a refinement relative to x; 0 otherwise */
    double norm, largest; /* of x; both 0 at first */
} lsq_least;

/* Adds an entry of x. */
void lsq_least_entry(lsq_least *least, double re, double im);

/* The estimated number of correct decimal digits in the largest entry of x. */
double lsq_claim_least(const lsq_inverse *inverse, const lsq_least *least);

/* The number of correct decimal digits that a relative error leaves in this precision: between 0 and all of them. */
double lsq_digits(int32_t prec, double error);

#endif

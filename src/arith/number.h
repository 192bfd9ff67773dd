/* number.h - num is real or cplx, depending on PLUMB_PARTS, and num_add is its addition, so that algorithms for real
 * and complex numbers are written once. */
#ifndef PLUMB_ARITH_NUMBER_H
#define PLUMB_ARITH_NUMBER_H

#include "arith/complex.h"

/* Functions that only one of the two kinds has, defined for the other. */
LANE_FN real real_conj(real a) { return a; }
LANE_FN real real_re(real a) { return a; }
LANE_FN real real_mul_real(real a, real b) { return real_mul(a, b); }
LANE_FN real_acc real_acc_add_conj(real_acc s, real a, real b) { return real_acc_add(s, a, b); }
LANE_FN real real_mul_real_fine(real a, real b) { return real_product_fine(a, b); } /* rounded once */
LANE_FN cplx cplx_mul_real_fine(cplx a, real b)
{
    return cplx_make(real_product_fine(a.re, b), real_product_fine(a.im, b));
}
LANE_FN real cplx_re(cplx a) { return a.re; }
LANE_FN cplx cplx_spread(const double *p, int64_t plane)
{
    return cplx_make(real_spread(p, plane), real_spread(p + PLUMB_LIMBS * plane, plane));
}
LANE_FN cplx cplx_of_copies(const double *p)
{
    return cplx_make(real_of_copies(p), real_of_copies(p + PLUMB_LIMBS * LANE_COPIES));
}

#if PLUMB_PARTS == 1
#define num real
#define NUM_FN(name) real_##name
#define NUM_NAME(prefix) REAL_JOIN(prefix##_real_, PLUMB_PREC) /* a separate name for each kind and precision */
#else
#define num cplx
#define NUM_FN(name) cplx_##name
#define NUM_NAME(prefix) REAL_JOIN(prefix##_cplx_, PLUMB_PREC)
#endif

#define num_load NUM_FN(load)
#define num_spread NUM_FN(spread)
#define num_of_copies NUM_FN(of_copies)
#define num_store NUM_FN(store)
#define num_re NUM_FN(re)
#define num_neg NUM_FN(neg)
#define num_conj NUM_FN(conj)
#define num_abs NUM_FN(abs) /* a real number */
#define num_scale NUM_FN(scale)
#define num_add NUM_FN(add)
#define num_sub NUM_FN(sub)
#define num_mul NUM_FN(mul)
#define num_sqr NUM_FN(sqr)
#define num_div NUM_FN(div)
#define num_inv NUM_FN(inv)
#define num_sqrt NUM_FN(sqrt)
#define num_fma NUM_FN(fma)
#define num_add_d NUM_FN(add_d)
#define num_mul_d NUM_FN(mul_d)
#define num_div_d NUM_FN(div_d)
#define num_mul_real NUM_FN(mul_real)
#define num_mul_real_fine NUM_FN(mul_real_fine)
#define num_rest NUM_FN(rest)
#define num_acc NUM_FN(acc)
#define num_acc_zero NUM_FN(acc_zero)
#define num_acc_of NUM_FN(acc_of)
#define num_acc_add NUM_FN(acc_add)
#define num_acc_sub NUM_FN(acc_sub)
#define num_acc_add_conj NUM_FN(acc_add_conj)
#define num_acc_value NUM_FN(acc_value)

#endif

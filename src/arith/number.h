/* number.h - real or complex, as this compilation has it (PLUMB_PARTS): num is real or cplx, and algorithms that treat both
 * alike are written once. */
#ifndef PLUMB_ARITH_NUMBER_H
#define PLUMB_ARITH_NUMBER_H

#include "arith/complex.h"

#if PLUMB_PARTS == 1
#define num real
#define num_load real_load
#define num_spread real_spread
#define num_store real_store
#define num_add real_add
#define num_neg real_neg
#define num_mul_real real_mul
#define num_re(x) (x)
#define num_acc real_acc
#define num_acc_zero real_acc_zero
#define num_acc_of real_acc_of
#define num_acc_sub real_acc_sub
#define num_acc_add_conj real_acc_add
#define num_acc_value real_acc_value
#else
LANE_FN cplx cplx_spread(const double *p, int64_t plane)
{
    return cplx_make(real_spread(p, plane), real_spread(p + PLUMB_LIMBS * plane, plane));
}
#define num cplx
#define num_load cplx_load
#define num_spread cplx_spread
#define num_store cplx_store
#define num_add cplx_add
#define num_neg cplx_neg
#define num_mul_real cplx_mul_real
#define num_re(x) ((x).re)
#define num_acc cplx_acc
#define num_acc_zero cplx_acc_zero
#define num_acc_of cplx_acc_of
#define num_acc_sub cplx_acc_sub
#define num_acc_add_conj cplx_acc_add_conj
#define num_acc_value cplx_acc_value
#endif

#endif

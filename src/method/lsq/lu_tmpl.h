/* lu_tmpl.h - Gaussian elimination, written once and compiled for each precision, kind and machine; see lu.h. */
#include "arith/number.h"
#include "method/lsq/lu.h"

#define LU_FN(name) REAL_JOIN(lu_##name##_, PLUMB_PREC)
#define LU_W(i, j) (job->w + (i)*job->ld + (j)), job->w_plane
#define LU_INVERSE(k) (job->inverse + (k)), job->inverse_plane

#if PLUMB_PARTS == 1
#define lu_num_inv real_inv
#define lu_num_mul real_mul
#else
#define lu_num_inv cplx_inv
#define lu_num_mul cplx_mul
#endif

static void LU_FN(invert)(const lu_job *given, int64_t k)
{
    const lu_job value = *given, *job = &value;
    num_store(LU_INVERSE(k), lu_num_inv(num_spread(LU_W(k, k))), 1);
}

static void LU_FN(eliminate)(const lu_job *given, int64_t k, int64_t first, int64_t last)
{
    const lu_job value = *given, *job = &value;
    num inverse = num_spread(LU_INVERSE(k));
    for (int64_t i = first; i < last; i++) {
        num l = lu_num_mul(num_spread(LU_W(i, k)), inverse);
        num_store(LU_W(i, k), l, 1);
        for (int64_t j = k + 1; j < job->all; j += LANE_WIDTH) {
            num_acc rest = num_acc_of(num_load(LU_W(i, j), LANE_WIDTH));
            rest = num_acc_sub(rest, l, num_load(LU_W(k, j), LANE_WIDTH));
            num_store(LU_W(i, j), num_acc_value(rest), LANE_WIDTH);
        }
    }
}

/* x_k = (w_k,rhs - sum over j > k of w_kj x_j) / w_kk, in place, one lane of right-hand sides at a time. */
static void LU_FN(back)(const lu_job *given)
{
    const lu_job value = *given, *job = &value;
    for (int64_t r = job->n; r < job->all; r += LANE_WIDTH)
        for (int64_t k = job->n - 1; k >= 0; k--) {
            num_acc x = num_acc_of(num_load(LU_W(k, r), LANE_WIDTH));
            for (int64_t j = k + 1; j < job->n; j++)
                x = num_acc_sub(x, num_spread(LU_W(k, j)), num_load(LU_W(j, r), LANE_WIDTH));
            num_store(LU_W(k, r), lu_num_mul(num_acc_value(x), num_spread(LU_INVERSE(k))), LANE_WIDTH);
        }
}

#define LU_KERNELS                                   \
    {                                                \
        LU_FN(invert), LU_FN(eliminate), LU_FN(back) \
    }

/* residual_tmpl.h - residuals and corrections, written once and compiled for each precision, kind and machine; see
 * residual.h. */
#include "arith/number.h"
#include "method/lsq/residual.h"

#define RESIDUAL_FN(name) REAL_JOIN(residual_##name##_, PLUMB_PREC)

#if PLUMB_PARTS == 1
#define residual_num_zero real_set(0.0)
#define residual_num_conj(x) (x)
#define residual_num_add real_add
#define residual_num_sub real_sub
#else
#define residual_num_zero cplx_make(real_set(0.0), real_set(0.0))
#define residual_num_conj cplx_conj
#define residual_num_add cplx_add
#define residual_num_sub cplx_sub
#endif

/* The number of products that are added one after the other, and the maximum number of partial sums that wait for
 * another of their size: one for each bit of the number of blocks. */
enum { RESIDUAL_BLOCK = 16, RESIDUAL_WAITING = 64 };

/* The negated product of rows i.. of A with x, summed pairwise: blocks, pairs of blocks, pairs of pairs, and so on.
 * A^H r is a sum over many rows that cancels. Refinement multiplies its rounding errors by the square of the
 * condition number, and in a plain sum they would grow with the square root of the number of rows. */
static num RESIDUAL_FN(minus_product)(const residual_job *job, const double *a, const double *x, int count)
{
    num waiting[RESIDUAL_WAITING];
    int top = 0;
    for (int64_t block = 0, j = 0; j < job->inner; block++) {
        int64_t end = job->inner - j > RESIDUAL_BLOCK ? j + RESIDUAL_BLOCK : job->inner;
        num value = residual_num_zero;
        for (; j < end; j++)
            value = num_rest(value, num_load(a + j * job->a_col, job->a_plane, count), num_spread(x + j, job->x_plane));
        for (int64_t bits = block; bits & 1; bits >>= 1)
            value = residual_num_add(waiting[--top], value);
        waiting[top++] = value;
    }
    num all = waiting[--top];
    while (top > 0)
        all = residual_num_add(waiting[--top], all);
    return all;
}

static void RESIDUAL_FN(residual)(const residual_job *given, int64_t first, int64_t last)
{
    const residual_job value = *given, *job = &value;
    for (int64_t p = 0; p < job->rhs; p++)
        for (int64_t i = first; i < last; i += LANE_WIDTH) {
            int count = last - i < LANE_WIDTH ? (int)(last - i) : LANE_WIDTH;
            num rest = RESIDUAL_FN(minus_product)(job, job->a + i, job->x + p * job->x_col, count);
            if (job->b)
                rest = residual_num_add(num_load(job->b + p * job->b_col + i, job->b_plane, count), rest);
            num_store(job->r + p * job->r_col + i, job->r_plane, rest, count);
        }
}

static void RESIDUAL_FN(norms)(const residual_job *given, double *norm, int64_t norm_plane)
{
    const residual_job value = *given, *job = &value;
    for (int64_t p = 0; p < job->rhs; p++) {
        num_acc sum = num_acc_zero();
        for (int64_t i = 0; i < job->rows; i++) {
            num r = num_spread(job->r + p * job->r_col + i, job->r_plane);
            sum = num_acc_add_conj(sum, r, r);
        }
        real_store(norm + p, norm_plane, real_sqrt(num_re(num_acc_value(sum))), 1);
    }
}

#define CORRECT_Q(i, k) num_spread(job->w + (i)*job->ld + (k), job->w_plane)
#define CORRECT_R(k, j) num_spread(job->c + (k)*job->ld + (j), job->c_plane)
#define CORRECT_F(i) (job->w + (i)*job->ld + rhs), job->w_plane
#define CORRECT_X(k) (job->c + (k)*job->ld + rhs), job->c_plane
#define CORRECT_Z(k) (z + (k)*z_ld + rhs - job->cols), z_plane

/* 1 / r_kk, which is real. */
static real RESIDUAL_FN(pivot)(const mgs_job *job, int64_t k)
{
    return real_inv(real_spread(job->c + k * job->ld + k, job->c_plane));
}

/* f -= t q_k. */
static void RESIDUAL_FN(take)(const mgs_job *job, int64_t rhs, int64_t k, num t)
{
    for (int64_t i = 0; i < job->rows; i++) {
        num_acc rest = num_acc_of(num_load(CORRECT_F(i), LANE_WIDTH));
        num_store(CORRECT_F(i), num_acc_value(num_acc_sub(rest, t, CORRECT_Q(i, k))), LANE_WIDTH);
    }
}

/* q_k^H f. */
static num RESIDUAL_FN(along)(const mgs_job *job, int64_t rhs, int64_t k)
{
    num_acc sum = num_acc_zero();
    for (int64_t i = 0; i < job->rows; i++)
        sum = num_acc_add_conj(sum, CORRECT_Q(i, k), num_load(CORRECT_F(i), LANE_WIDTH));
    return num_acc_value(sum);
}

static void RESIDUAL_FN(correct_lane)(const mgs_job *job, int64_t rhs, double *z, int64_t z_plane, int64_t z_ld)
{
    for (int64_t k = 0; z && k < job->cols; k++) {
        num_acc rest = num_acc_of(num_load(CORRECT_Z(k), LANE_WIDTH));
        for (int64_t i = 0; i < k; i++)
            rest = num_acc_sub(rest, residual_num_conj(CORRECT_R(i, k)), num_load(CORRECT_Z(i), LANE_WIDTH));
        num_store(CORRECT_Z(k), num_mul_real(num_acc_value(rest), RESIDUAL_FN(pivot)(job, k)), LANE_WIDTH);
    }
    for (int64_t k = 0; k < job->cols; k++) {
        num part = RESIDUAL_FN(along)(job, rhs, k);
        num_store(CORRECT_X(k), z ? residual_num_sub(part, num_load(CORRECT_Z(k), LANE_WIDTH)) : part, LANE_WIDTH);
        RESIDUAL_FN(take)(job, rhs, k, part);
    }
    for (int64_t k = job->cols - 1; z && k >= 0; k--)
        RESIDUAL_FN(take)
    (job, rhs, k, residual_num_sub(RESIDUAL_FN(along)(job, rhs, k), num_load(CORRECT_Z(k), LANE_WIDTH)));
    for (int64_t k = job->cols - 1; k >= 0; k--) {
        num_acc x = num_acc_of(num_load(CORRECT_X(k), LANE_WIDTH));
        for (int64_t j = k + 1; j < job->cols; j++)
            x = num_acc_sub(x, CORRECT_R(k, j), num_load(CORRECT_X(j), LANE_WIDTH));
        num_store(CORRECT_X(k), num_mul_real(num_acc_value(x), RESIDUAL_FN(pivot)(job, k)), LANE_WIDTH);
    }
}

static void RESIDUAL_FN(correct)(const mgs_job *given, double *z, int64_t z_plane, int64_t z_ld)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t rhs = job->cols; rhs < job->all; rhs += LANE_WIDTH)
        RESIDUAL_FN(correct_lane)(job, rhs, z, z_plane, z_ld);
}

#define RESIDUAL_KERNELS                                                            \
    {                                                                               \
        LANE_WIDTH, RESIDUAL_FN(residual), RESIDUAL_FN(norms), RESIDUAL_FN(correct) \
    }

/* mgs_tmpl.h - modified Gram-Schmidt, written once and compiled for each precision, kind and machine; see mgs.h. */
#include <math.h>

#include "method/lsq/mgs_number.h"

/* Columns are projected and removed in MGS_SUMS lanes at a time. */
#ifndef MGS_SUMS
#define MGS_SUMS 1
#endif

/* The largest modulus of the parts of a column, all limbs, or infinity if one of them is not finite. */
static double MGS_FN(largest)(const double *column, int64_t plane, int64_t rows)
{
    enum { SIDE_BY_SIDE = 4 };
    double all[LANE_WIDTH], most = 0.0;
    lane largest[SIDE_BY_SIDE];
    lane_mask finite[SIDE_BY_SIDE];
    LANE_UNROLL
    for (int l = 0; l < SIDE_BY_SIDE; l++) {
        largest[l] = lane_set(0.0);
        finite[l] = lane_eq(largest[l], largest[l]);
    }
    for (int p = 0; p < PLUMB_PARTS * PLUMB_LIMBS; p++, column += plane) {
        int64_t i = 0;
        for (; i + SIDE_BY_SIDE * LANE_WIDTH <= rows; i += SIDE_BY_SIDE * LANE_WIDTH) {
            LANE_UNROLL
            for (int l = 0; l < SIDE_BY_SIDE; l++) {
                const lane a = lane_abs(lane_load(column + i + l * LANE_WIDTH));
                finite[l] = lane_mask_and(finite[l], lane_is_finite(a));
                largest[l] = lane_select(lane_lt(largest[l], a), a, largest[l]);
            }
        }
        for (; i < rows; i += LANE_WIDTH) {
            const int64_t left = rows - i;
            const lane a =
                lane_abs(left < LANE_WIDTH ? lane_load_part(column + i, (int)left, 0.0) : lane_load(column + i));
            finite[0] = lane_mask_and(finite[0], lane_is_finite(a));
            largest[0] = lane_select(lane_lt(largest[0], a), a, largest[0]);
        }
    }
    LANE_UNROLL
    for (int l = 1; l < SIDE_BY_SIDE; l++) {
        finite[0] = lane_mask_and(finite[0], finite[l]);
        largest[0] = lane_select(lane_lt(largest[0], largest[l]), largest[l], largest[0]);
    }
    lane_store(all, lane_select(finite[0], largest[0], lane_set((double)INFINITY)));
    for (int l = 0; l < LANE_WIDTH; l++)
        most = all[l] > most ? all[l] : most;
    return most;
}

/* c_kj = a_k^H a_j for some lanes from column j on. */
LANE_FN void MGS_FN(project_lanes)(const mgs_job *job, int64_t k, int64_t j, int lanes)
{
    num_acc sum[MGS_SUMS];
    LANE_UNROLL
    for (int l = 0; l < lanes; l++)
        sum[l] = num_acc_zero();
    for (int64_t i = 0; i < job->rows; i++) {
        const num q = num_spread(MGS_W(i, k));
        LANE_UNROLL
        for (int l = 0; l < lanes; l++)
            sum[l] = num_acc_add_conj(sum[l], q, num_load(MGS_W(i, j + l * LANE_WIDTH), LANE_WIDTH));
    }
    LANE_UNROLL
    for (int l = 0; l < lanes; l++)
        num_store(MGS_C(k, j + l * LANE_WIDTH), num_acc_value(sum[l]), LANE_WIDTH);
}

static void MGS_FN(project)(const mgs_job *given, int64_t k, int64_t first, int64_t last)
{
    const mgs_job value = *given, *job = &value;
    int64_t j = first;
    for (; MGS_SUMS > 1 && j + (MGS_SUMS - 1) * LANE_WIDTH < last; j += MGS_SUMS * LANE_WIDTH)
        MGS_FN(project_lanes)(job, k, j, MGS_SUMS);
    for (; j < last; j += LANE_WIDTH)
        MGS_FN(project_lanes)(job, k, j, 1);
}

static void MGS_FN(divide)(const mgs_job *given, int64_t k, int64_t first)
{
    const mgs_job value = *given, *job = &value;
    real inverse = real_inv(real_spread(job->s + k, job->s_plane));
    for (int64_t j = first; j < job->all; j += LANE_WIDTH)
        num_store(MGS_C(k, j), num_mul_real(num_load(MGS_C(k, j), LANE_WIDTH), inverse), LANE_WIDTH);
}

/* a_j -= c_kj a_k for some lanes from column j on. */
LANE_FN void MGS_FN(remove_lanes)(const mgs_job *job, int64_t k, int64_t j, int lanes)
{
    num c[MGS_SUMS];
    LANE_UNROLL
    for (int l = 0; l < lanes; l++)
        c[l] = num_load(MGS_C(k, j + l * LANE_WIDTH), LANE_WIDTH);
    for (int64_t i = 0; i < job->rows; i++) {
        const num q = num_spread(MGS_W(i, k));
        LANE_UNROLL
        for (int l = 0; l < lanes; l++) {
            const num a = num_load(MGS_W(i, j + l * LANE_WIDTH), LANE_WIDTH);
            num_store(MGS_W(i, j + l * LANE_WIDTH), num_rest(a, c[l], q), LANE_WIDTH);
        }
    }
}

static void MGS_FN(remove)(const mgs_job *given, int64_t k, int64_t first, int64_t last)
{
    const mgs_job value = *given, *job = &value;
    int64_t j = first;
    for (; MGS_SUMS > 1 && j + (MGS_SUMS - 1) * LANE_WIDTH < last; j += MGS_SUMS * LANE_WIDTH)
        MGS_FN(remove_lanes)(job, k, j, MGS_SUMS);
    for (; j < last; j += LANE_WIDTH)
        MGS_FN(remove_lanes)(job, k, j, 1);
}

static void MGS_FN(squares)(const mgs_job *given, int64_t first, int64_t last)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t j = first; j < last; j += LANE_WIDTH) {
        num_acc sum = num_acc_zero();
        for (int64_t i = 0; i < job->rows; i++) {
            num a = num_load(MGS_W(i, j), LANE_WIDTH);
            sum = num_acc_add_conj(sum, a, a);
        }
        num_store(MGS_C(job->cols, j), num_acc_value(sum), LANE_WIDTH);
    }
}

/* With A = W C and W = V D, where C and D have a unit diagonal (not stored; a square norm is in its place), A = V (D
 * C). The product is formed column by column, because lanes across columns would meet the diagonals at different
 * rows. Row k needs rows l > k, so the rows are processed from the top. */
static void MGS_FN(compose)(const mgs_job *given, const mgs_job *second)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t k = 0; k < job->rank; k++)
        for (int64_t j = k + 1; j < job->all; j++) {
            int64_t last = j < job->rank ? j : job->rank;
            num_acc sum = num_acc_of(num_load(MGS_C(k, j), 1));
            for (int64_t l = k + 1; l < last; l++)
                sum = num_acc_sub(sum, num_neg(num_load(second->c + k * second->ld + l, second->c_plane, 1)),
                                  num_load(MGS_C(l, j), 1));
            num more = num_load(second->c + k * second->ld + j, second->c_plane, 1);
            num_store(MGS_C(k, j), num_add(num_acc_value(sum), more), 1);
        }
}

static void MGS_FN(triangle)(const mgs_job *given)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t k = 0; k < job->rank; k++) {
        real root = real_sqrt(real_spread(job->s + k, job->s_plane));
        for (int64_t j = k + 1; j < job->all; j += LANE_WIDTH)
            num_store(MGS_C(k, j), num_mul_real_fine(num_load(MGS_C(k, j), LANE_WIDTH), root), LANE_WIDTH);
        real_store(job->c + k * job->ld + k, job->c_plane, root, 1);
#if PLUMB_PARTS == 2
        real_store(job->c + PLUMB_LIMBS * job->c_plane + k * job->ld + k, job->c_plane, real_set(0.0), 1);
#endif
    }
}

static void MGS_FN(residuals)(const mgs_job *given)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t j = job->cols; j < job->all; j += LANE_WIDTH)
        real_store(job->c + job->cols * job->ld + j, job->c_plane,
                   real_sqrt(real_load(job->c + job->cols * job->ld + j, job->c_plane, LANE_WIDTH)), LANE_WIDTH);
}

/* The error of 1/root would enter every product q_k r_kj; one Newton step reduces it to one rounding. */
static void MGS_FN(normalize)(const mgs_job *given)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t j = 0; j < job->rank; j += LANE_WIDTH) {
        int count = job->rank - j < LANE_WIDTH ? (int)(job->rank - j) : LANE_WIDTH;
        real root = real_sqrt(real_load(job->s + j, job->s_plane, count)), inverse = real_inv(root);
        inverse = real_rest(inverse, real_sub(real_product_fine(root, inverse), real_set(1.0)), inverse);
        for (int64_t i = 0; i < job->rows; i++)
            num_store(MGS_W(i, j), num_mul_real_fine(num_load(MGS_W(i, j), count), inverse), count);
    }
}

/* x_k = c_k,rhs - sum over j > k of c_kj x_j, in place, one lane of right-hand sides at a time. */
static void MGS_FN(back)(const mgs_job *given)
{
    const mgs_job value = *given, *job = &value;
    for (int64_t r = job->cols; r < job->all; r += LANE_WIDTH)
        for (int64_t k = job->rank - 2; k >= 0; k--) {
            num_acc x = num_acc_of(num_load(MGS_C(k, r), LANE_WIDTH));
            for (int64_t j = k + 1; j < job->rank; j++)
                x = num_acc_sub(x, num_spread(MGS_C(k, j)), num_load(MGS_C(j, r), LANE_WIDTH));
            num_store(MGS_C(k, r), num_acc_value(x), LANE_WIDTH);
        }
}

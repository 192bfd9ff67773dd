/* mgs_batch_tmpl.h - modified Gram-Schmidt on a group of systems, one a place of a lane: see mgs_batch.h.
 *
 * Every operation on numbers here has its twin in mgs_tmpl.h, with the same operands in the same order. */
#include "arith/number.h"
#include "method/mgs_batch.h"

#define BATCH_FN(name) REAL_JOIN(mgs_batch_##name##_, PLUMB_PREC)

/* Doubles from an entry to the next, in arrays of numbers and of real numbers. */
enum { BATCH_NUM = PLUMB_PARTS * PLUMB_LIMBS * LANE_WIDTH, BATCH_REAL = PLUMB_LIMBS * LANE_WIDTH };

#define BATCH_LOAD(p) num_load((p), LANE_WIDTH, LANE_WIDTH)
#define BATCH_STORE(p, x) num_store((p), LANE_WIDTH, (x), LANE_WIDTH)
#define BATCH_W(j) (job->w + (j)*job->rows * BATCH_NUM)
#define BATCH_C(k, j) (job->c + ((j)*job->cols + (k)) * BATCH_NUM)

/* The real part of a^H a; the imaginary part is nobody's. */
LANE_FN real BATCH_FN(square)(const double *a, int64_t rows)
{
    real_acc sum = real_acc_zero();
    for (int64_t i = 0; i < rows; i++, a += BATCH_NUM) {
        num x = BATCH_LOAD(a);
#if PLUMB_PARTS == 2
        sum = real_acc_add(real_acc_add(sum, x.re, x.re), x.im, x.im);
#else
        sum = real_acc_add(sum, x, x);
#endif
    }
    return real_acc_value(sum);
}

/* c = q^H a / s, a -= c q. */
static void BATCH_FN(take)(const double *q, double *a, double *c, const double *inverse, int64_t rows)
{
    num_acc sum = num_acc_zero();
    for (int64_t i = 0; i < rows; i++)
        sum = num_acc_add_conj(sum, BATCH_LOAD(q + i * BATCH_NUM), BATCH_LOAD(a + i * BATCH_NUM));
    num f = num_mul_real(num_acc_value(sum), real_load(inverse, LANE_WIDTH, LANE_WIDTH));
    BATCH_STORE(c, f);
    for (int64_t i = 0; i < rows; i++) {
        num_acc rest = num_acc_of(BATCH_LOAD(a + i * BATCH_NUM));
        rest = num_acc_sub(rest, f, BATCH_LOAD(q + i * BATCH_NUM));
        BATCH_STORE(a + i * BATCH_NUM, num_acc_value(rest));
    }
}

#if MGS_BATCH_COLUMNS == 2
/* The same for two columns a and b, which share the loads of q and hide each other's latency. */
static void BATCH_FN(take_two)(const double *q, double *a, double *b, double *c, double *d, const double *inverse,
                               int64_t rows)
{
    num_acc sum_a = num_acc_zero(), sum_b = num_acc_zero();
    for (int64_t i = 0; i < rows; i++) {
        num x = BATCH_LOAD(q + i * BATCH_NUM);
        sum_a = num_acc_add_conj(sum_a, x, BATCH_LOAD(a + i * BATCH_NUM));
        sum_b = num_acc_add_conj(sum_b, x, BATCH_LOAD(b + i * BATCH_NUM));
    }
    real factor = real_load(inverse, LANE_WIDTH, LANE_WIDTH);
    num f = num_mul_real(num_acc_value(sum_a), factor), g = num_mul_real(num_acc_value(sum_b), factor);
    BATCH_STORE(c, f);
    BATCH_STORE(d, g);
    for (int64_t i = 0; i < rows; i++) {
        num x = BATCH_LOAD(q + i * BATCH_NUM);
        num_acc rest_a = num_acc_sub(num_acc_of(BATCH_LOAD(a + i * BATCH_NUM)), f, x);
        num_acc rest_b = num_acc_sub(num_acc_of(BATCH_LOAD(b + i * BATCH_NUM)), g, x);
        BATCH_STORE(a + i * BATCH_NUM, num_acc_value(rest_a));
        BATCH_STORE(b + i * BATCH_NUM, num_acc_value(rest_b));
    }
}
#endif

/* Column j, up to date: its square and what the columns behind it divide by, or nothing of it where it is dependent. */
static void BATCH_FN(finish)(const mgs_batch_job *job, int64_t j)
{
    real square = BATCH_FN(square)(BATCH_W(j), job->rows);
    real_store(job->s + j * BATCH_REAL, LANE_WIDTH, square, LANE_WIDTH);
    if (j >= job->cols)
        return;
    lane_mask independent = lane_lt(lane_load(job->least + j * LANE_WIDTH), real_head(square));
    real divisor = real_select(independent, square, real_set(1.0));
    real inverse = real_select(independent, real_inv(divisor), real_set(0.0));
    real_store(job->inverse + j * BATCH_REAL, LANE_WIDTH, inverse, LANE_WIDTH);
}

static void BATCH_FN(factor)(const mgs_batch_job *job)
{
    int64_t j = 0;
#if MGS_BATCH_COLUMNS == 2
    for (; j + 1 < job->all; j += 2) {
        int64_t before = j < job->cols ? j : job->cols;
        for (int64_t k = 0; k < before; k++)
            BATCH_FN(take_two)
            (BATCH_W(k), BATCH_W(j), BATCH_W(j + 1), BATCH_C(k, j), BATCH_C(k, j + 1), job->inverse + k * BATCH_REAL,
             job->rows);
        BATCH_FN(finish)(job, j);
        if (j < job->cols)
            BATCH_FN(take)
            (BATCH_W(j), BATCH_W(j + 1), BATCH_C(j, j + 1), job->inverse + j * BATCH_REAL, job->rows);
        BATCH_FN(finish)(job, j + 1);
    }
#endif
    for (; j < job->all; j++) {
        int64_t before = j < job->cols ? j : job->cols;
        for (int64_t k = 0; k < before; k++)
            BATCH_FN(take)(BATCH_W(k), BATCH_W(j), BATCH_C(k, j), job->inverse + k * BATCH_REAL, job->rows);
        BATCH_FN(finish)(job, j);
    }
}

static void BATCH_FN(back)(const mgs_batch_job *job)
{
    for (int64_t r = job->cols; r < job->all; r++)
        for (int64_t k = job->cols - 2; k >= 0; k--) {
            num_acc x = num_acc_of(BATCH_LOAD(BATCH_C(k, r)));
            for (int64_t j = k + 1; j < job->cols; j++)
                x = num_acc_sub(x, BATCH_LOAD(BATCH_C(k, j)), BATCH_LOAD(BATCH_C(j, r)));
            BATCH_STORE(BATCH_C(k, r), num_acc_value(x));
        }
}

static void BATCH_FN(solve)(const mgs_batch_job *given)
{
    const mgs_batch_job value = *given, *job = &value;
    BATCH_FN(factor)(job);
    BATCH_FN(back)(job);
    for (int64_t r = job->cols; r < job->all; r++) {
        double *norm = job->s + r * BATCH_REAL;
        real_store(norm, LANE_WIDTH, real_sqrt(real_load(norm, LANE_WIDTH, LANE_WIDTH)), LANE_WIDTH);
    }
}

/* gram_steps.cu - the residuals and corrections of a refinement, in the precision of x, or in dd where that is d. See gram.h. All sums have
 * a fixed order. */
#include <stdio.h>

#include "backend/cuda/lsq/gram/gram.h"
#include "backend/cuda/runtime/gpu.h"
#include "backend/cuda/runtime/launch.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#if PLUMB_LIMBS == 1 /* the data are in d, sums and residuals in dd */
enum { GIVEN_LIMBS = 1 };
#undef PLUMB_PREC
#undef PLUMB_LIMBS
#define PLUMB_PREC dd
#define PLUMB_LIMBS 2
#include "arith/number.h"
#undef NUM_NAME
#if PLUMB_PARTS == 1
#define NUM_NAME(prefix) prefix##_real_d
#else
#define NUM_NAME(prefix) prefix##_cplx_d
#endif
#else
enum { GIVEN_LIMBS = PLUMB_LIMBS };
#include "arith/number.h"
#endif

enum { PLANES = PLUMB_LIMBS * PLUMB_PARTS };

/* A number of the caller's arrays. */
GPU_FN num given(const double *from, int64_t plane)
{
    double limb[PLANES] = {0.0};
    LANE_UNROLL
    for (int c = 0; c < PLUMB_PARTS * GIVEN_LIMBS; c++)
        limb[c / GIVEN_LIMBS * PLUMB_LIMBS + c % GIVEN_LIMBS] = from[c * plane];
    return num_load(limb, 1, 1);
}

/* x rounded to the precision of the caller's arrays; it is stored there. */
GPU_FN num keep(double *to, int64_t plane, num x)
{
    double limb[PLANES];
    num_store(limb, 1, x, 1);
    LANE_UNROLL
    for (int c = 0; c < PLANES; c++)
        if (c % PLUMB_LIMBS < GIVEN_LIMBS)
            to[(c / PLUMB_LIMBS * GIVEN_LIMBS + c % PLUMB_LIMBS) * plane] = limb[c];
        else
            limb[c] = 0.0;
    return num_load(limb, 1, 1);
}

GPU_FN num zero(void)
{
    return num_acc_value(num_acc_zero());
}

GPU_FN double power_of_two(int e) /* from -1022 to 1023 */
{
    return __hiloint2double((e + 1023) << 20, 0);
}

GPU_FN num times_power(num x, int e)
{
    const int half = e / 2;
    return num_scale(num_scale(x, power_of_two(half)), power_of_two(e - half));
}

/* Some terms of A x: a thread has a row. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_product)(const __grid_constant__ gram_job job)
{
    const int64_t i = (int64_t)gpu_block() * GRAM_THREADS + gpu_thread(), first = gpu_block_y() * job.terms;
    if (i >= job.rows)
        return;
    const double *a = job.a.data + i, *x = job.x.data + job.side * job.x.col;
    num_acc s = num_acc_zero();
#pragma unroll 4
    for (int64_t j = first; j < first + job.terms && j < job.cols; j++)
        s = num_acc_add(s, given(a + j * job.a.col, job.a.plane), given(x + j, job.x.plane));
    num_store(job.sums + (int64_t)gpu_block_y() * PLANES * job.rows + i, job.rows, num_acc_value(s), 1);
}

/* rest = b - A x, or b. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_rest)(const __grid_constant__ gram_job job)
{
    const int64_t i = (int64_t)gpu_block() * GRAM_THREADS + gpu_thread();
    if (i >= job.rows)
        return;
    num r = given(job.b.data + job.side * job.b.col + i, job.b.plane);
    for (int s = 0; s < job.splits && !job.first; s++)
        r = num_sub(r, num_load(job.sums + (int64_t)s * PLANES * job.rows + i, job.rows, 1));
    num_store(job.rest + i, job.rows, r, 1);
}

/* The sum over all threads of a block, in thread 0. */
GPU_FN num sum_of_block(num x, double *shared)
{
    const int thread = gpu_thread();
    num_store(shared + thread, GRAM_THREADS, x, 1);
    for (int with = GRAM_THREADS / 2; with > 0; with /= 2) {
        gpu_sync();
        if (thread < with)
            num_store(
                shared + thread, GRAM_THREADS,
                num_add(num_load(shared + thread, GRAM_THREADS, 1), num_load(shared + thread + with, GRAM_THREADS, 1)),
                1);
    }
    gpu_sync();
    return num_load(shared, GRAM_THREADS, 1);
}

/* Entry j of A^H rest, for the scaled column, rounded to the precision of the factor; the unknowns of the next systems are marked as not
 * there. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_adjoint)(const __grid_constant__ gram_job job)
{
    const int64_t j = gpu_block();
    const double *a = job.a.data + j * job.a.col;
    const int exponent = job.exponent[j];
    num_acc s = num_acc_zero();
    for (int64_t i = gpu_thread(); i < job.rows; i += GRAM_THREADS)
        s = num_acc_add(s, times_power(num_conj(given(a + i, job.a.plane)), -exponent),
                        num_load(job.rest + i, job.rows, 1));
    double limb[PLANES];
    num_store(limb, 1, sum_of_block(num_acc_value(s), gpu_shared()), 1);
    if (gpu_thread() == 0)
        LANE_UNROLL
    for (int p = 0; p < PLUMB_PARTS; p++)
        LANE_UNROLL
    for (int c = 0; c < 2; c++)
        if (c < job.low)
            job.from[(job.low * p + c) * (int64_t)job.cols + j] = limb[p * PLUMB_LIMBS + c];
    if (!job.marks || gpu_thread() != 0)
        return;
    for (int k = 0; k < 2 * PLUMB_PARTS; k++)
        job.marks[(int64_t)k * job.cols + j] = gpu_of_high_word(GPU_NOT_YET);
    if (j == 0)
        job.flags[GRAM_NEXT_DOWN] = job.flags[GRAM_NEXT_UP] = 0;
}

/* The larger one; NaN if one of them is. */
GPU_FN double larger(double a, double b)
{
    return b > a || b != b ? b : a;
}

GPU_FN double largest_of_block(double x, double *shared)
{
    const int thread = gpu_thread();
    gpu_sync();
    shared[thread] = x;
    for (int with = GRAM_THREADS / 2; with > 0; with /= 2) {
        gpu_sync();
        if (thread < with)
            shared[thread] = larger(shared[thread], shared[thread + with]);
    }
    gpu_sync();
    return shared[0];
}

/* x += the correction, of which `to` is that of scaled columns. One block. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_update)(const __grid_constant__ gram_job job)
{
    double change = 0.0, largest = 0.0;
    for (int64_t j = gpu_thread(); j < job.cols; j += GRAM_THREADS) {
        double limb[PLANES];
        LANE_UNROLL
        for (int p = 0; p < PLUMB_PARTS; p++)
            LANE_UNROLL
        for (int c = 0; c < PLUMB_LIMBS; c++)
            limb[p * PLUMB_LIMBS + c] = c < 2 && c < job.low ? job.to[(job.low * p + c) * (int64_t)job.cols + j] : 0.0;
        const int exponent = job.exponent[j];
        double *place = job.x.data + job.side * job.x.col + j;
        const num old = job.first ? zero() : given(place, job.x.plane);
        const num x = keep(place, job.x.plane, num_add(old, times_power(num_load(limb, 1, 1), -exponent)));
        double now[PLANES];
        num_store(now, 1, times_power(x, exponent), 1);
        for (int p = 0; p < PLUMB_PARTS; p++) {
            change = larger(change, fabs(limb[p * PLUMB_LIMBS]));
            largest = larger(largest, fabs(now[p * PLUMB_LIMBS]));
        }
    }
    change = largest_of_block(change, gpu_shared());
    largest = largest_of_block(largest, gpu_shared());
    if (gpu_thread() == 0)
        job.words[GRAM_CHANGE] = change, job.words[GRAM_LARGEST] = largest;
}

/* The norm of the residual. One block. */
static __global__ void __launch_bounds__(GRAM_THREADS) NUM_NAME(gram_norm)(const __grid_constant__ gram_job job)
{
    double most = 0.0;
    for (int64_t i = gpu_thread(); i < job.rows; i += GRAM_THREADS)
        for (int p = 0; p < PLUMB_PARTS; p++)
            most = larger(most, fabs(job.rest[(int64_t)p * PLUMB_LIMBS * job.rows + i]));
    most = largest_of_block(most, gpu_shared());
    const int field = __double2hiint(most) >> 20 & 0x7ff, exponent = field > 0 && field < 0x7ff ? field - 1022 : 0;
    num_acc s = num_acc_zero();
    for (int64_t i = gpu_thread(); i < job.rows; i += GRAM_THREADS) {
        const num r = times_power(num_load(job.rest + i, job.rows, 1), -exponent);
        s = num_acc_add(s, num_conj(r), r);
    }
    gpu_sync();
    const num sum = sum_of_block(num_acc_value(s), gpu_shared());
    if (gpu_thread() != 0)
        return;
    const real norm = real_sqrt(num_re(sum));
    const int half = exponent / 2;
    const real scaled = real_scale(real_scale(norm, power_of_two(half)), power_of_two(exponent - half));
    double limb[PLUMB_LIMBS];
    real_store(limb, 1, scaled, 1);
    LANE_UNROLL
    for (int c = 0; c < GIVEN_LIMBS; c++)
        if (job.residual.data)
            job.residual.data[job.side * job.residual.col + c * job.residual.plane] = limb[c];
    job.words[GRAM_REST] = real_head(scaled);
}

static plumb_status launch(const void *kernel, dim3 grid, size_t shared, const gram_job *given, void *stream,
                           char *message, size_t message_size)
{
    gram_job job = *given;
    void *arguments[] = {&job};
    const cudaError_t error =
        cudaLaunchKernel(kernel, grid, dim3(GRAM_THREADS), arguments, shared, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of a refinement failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* rest = b - A x, and A^H rest. */
extern "C" plumb_status NUM_NAME(plumb_cuda_gram_rest)(const gram_job *job, void *stream, char *message, size_t size)
{
    const unsigned rows = (unsigned)((job->rows + GRAM_THREADS - 1) / GRAM_THREADS);
    plumb_status status = PLUMB_OK;
    if (!job->first)
        status = launch((const void *)NUM_NAME(gram_product), dim3(rows, (unsigned)job->splits), 0, job, stream,
                        message, size);
    return status == PLUMB_OK ? launch((const void *)NUM_NAME(gram_rest), dim3(rows), 0, job, stream, message, size)
                              : status;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gram_adjoint)(const gram_job *job, void *stream, char *message, size_t size)
{
    return launch((const void *)NUM_NAME(gram_adjoint), dim3((unsigned)job->cols),
                  GRAM_THREADS * PLANES * sizeof(double), job, stream, message, size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gram_update)(const gram_job *job, void *stream, char *message, size_t size)
{
    return launch((const void *)NUM_NAME(gram_update), dim3(1), GRAM_THREADS * sizeof(double), job, stream, message,
                  size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_gram_norm)(const gram_job *job, void *stream, char *message, size_t size)
{
    return launch((const void *)NUM_NAME(gram_norm), dim3(1), GRAM_THREADS * PLANES * sizeof(double), job, stream,
                  message, size);
}

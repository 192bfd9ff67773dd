/* mgs_columns.cu - modified Gram-Schmidt with one launch per column: the scheme of Verschelde and Yoffe (2013).
 *
 * There is one block per column. In step k each block sums a_k^H a_k and a_k^H a_j by itself, so that no block waits
 * for another: data shared between columns are only read, and the next launch is the barrier. This works on every GPU
 * and for every shape. */
#include "backend/cuda/lsq/block.h"
#include "backend/cuda/lsq/plan.h"

/* Loads column j of [A B], scaled to a largest entry in [1/2, 1); stores its exponent, whether it is finite (in
 * flags), and its square norm in double in the place of c_jj, because the diagonal is not used otherwise. */
static __global__ void NUM_NAME(mgs_columns_load)(const mgs_gpu_job job)
{
    const int64_t problem = gpu_block() / job.all;
    const int j = gpu_block() % job.all;
    const mgs_gpu_array *from = j < job.cols ? &job.a : &job.b;
    const double *column = from->data + problem * from->next + (j < job.cols ? j : j - job.cols) * from->col;
    double *w = job.w + problem * job.w_step + (int64_t)j * job.rows;
    double largest = 0.0, square = 0.0;
    int bad = 0;
    for (int c = 0; c < NUM_PLANES; c++)
        for (int i = gpu_thread(); i < job.rows; i += gpu_threads()) {
            double a = fabs(column[c * from->plane + i]);
            bad |= !lane_is_finite(a);
            largest = a > largest ? a : largest;
        }
    bad = block_any(bad, gpu_shared());
    largest = block_largest(bad ? 0.0 : largest, gpu_shared());
    const int exponent = gpu_exponent(largest);
    const gpu_power power = gpu_power_of_two(-exponent);
    for (int c = 0; c < NUM_PLANES; c++)
        for (int i = gpu_thread(); i < job.rows; i += gpu_threads()) {
            double a = gpu_scale(column[c * from->plane + i], power);
            w[c * job.w_plane + i] = a;
            square = lane_fma(c % PLUMB_LIMBS == 0 ? a : 0.0, a, square);
        }
    square = block_sum(square, gpu_shared());
    if (gpu_thread() == 0) {
        job.exponent[problem * job.all + j] = exponent;
        job.flags[problem * (job.all + MGS_FLAGS) + j] = bad;
        if (j < job.cols)
            job.c[problem * job.c_step + (int64_t)j * job.cols + j] = square;
    }
}

/* The outcome of the load, from the flags of the blocks of one problem. */
GPU_FN plumb_info first_info(const mgs_gpu_job *job, int64_t problem)
{
    int bad = 0;
    for (int j = gpu_thread(); j < job->all; j += gpu_threads())
        bad |= job->flags[problem * (job->all + MGS_FLAGS) + j];
    return block_any(bad, gpu_shared()) ? -PLUMB_ERR_NONFINITE : 0;
}

/* Step k: block j > k removes a_k from a_j; block j = k stores s_k and reports whether a_k depends on the columns
 * before it. */
static __global__ void NUM_NAME(mgs_columns_step)(const mgs_gpu_job job, const int k)
{
    const int count = job.all - k, j = k + gpu_block() % count;
    const int64_t problem = gpu_block() / count;
    double *w = job.w + problem * job.w_step, *c = job.c + problem * job.c_step;
    const double *ak = w + (int64_t)k * job.rows;
    double *aj = w + (int64_t)j * job.rows, *found = gpu_shared() + gpu_threads() / GPU_WARP * SUM_PLANES;
    plumb_info info = 0;
    if (j == k && k == 0)
        info = first_info(&job, problem);

    real_acc square_sum = real_acc_zero();
    num_acc dot_sum = num_acc_zero();
    for (int i = gpu_thread(); i < job.rows; i += gpu_threads()) {
        num a = num_load(ak + i, job.w_plane, 1);
        square_sum = acc_add_square(square_sum, a);
        if (j > k)
            dot_sum = num_acc_add_conj(dot_sum, a, num_load(aj + i, job.w_plane, 1));
    }
    real square = real_acc_value(square_sum);
    num dot = num_acc_value(dot_sum);
    gpu_sync();
    block_sums(&square, &dot, j > k, gpu_shared());
    if (gpu_thread() == 0) {
        const double least = lane_mul(job.dependent, c[(int64_t)k * job.cols + k]);
        const int independent = least < real_head(square);
        if (j > k) {
            real inverse = real_select(independent, real_inv(square), real_set(0.0));
            num coefficient = num_mul_real(dot, inverse);
            num_store(found, 1, coefficient, 1);
            num_store(c + (int64_t)j * job.cols + k, job.c_plane, coefficient, 1);
        } else {
            plumb_info *kept = &job.info[problem];
            real_store(job.s + problem * job.s_step + k, job.all, square, 1);
            if (k > 0)
                info = *kept;
            put_info(kept, job.failures, info == 0 && !independent ? k + 1 : info);
        }
    }
    if (j == k)
        return;
    gpu_sync();
    const num coefficient = num_load(found, 1, 1);
    for (int i = gpu_thread(); i < job.rows; i += gpu_threads()) {
        num_acc rest = num_acc_of(num_load(aj + i, job.w_plane, 1));
        rest = num_acc_sub(rest, coefficient, num_load(ak + i, job.w_plane, 1));
        num_store(aj + i, job.w_plane, num_acc_value(rest), 1);
    }
}

/* Computes the squared residual norms of the right-hand sides. */
static __global__ void NUM_NAME(mgs_columns_squares)(const mgs_gpu_job job)
{
    const int count = job.all - job.cols, j = job.cols + gpu_block() % count;
    const int64_t problem = gpu_block() / count;
    const double *a = job.w + problem * job.w_step + (int64_t)j * job.rows;
    real_acc sum = real_acc_zero();
    for (int i = gpu_thread(); i < job.rows; i += gpu_threads())
        sum = acc_add_square(sum, num_load(a + i, job.w_plane, 1));
    real square = real_acc_value(sum);
    num unused = num_acc_value(num_acc_zero());
    block_sums(&square, &unused, 0, gpu_shared());
    if (gpu_thread() == 0)
        real_store(job.s + problem * job.s_step + j, job.all, square, 1);
}

/* Threads per column: one per row if there are few rows. */
static int threads_for(int32_t rows)
{
    const int most = 256, least = 32;
    return rows >= most ? most : (rows + least - 1) / least * least;
}

/* Loads all columns into w as described above. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_load)(const mgs_gpu_job *given, void *stream, char *message,
                                                      size_t message_size)
{
    mgs_gpu_job job = *given;
    const int threads = threads_for(job.rows);
    void *arguments[] = {&job};
    return launch("mgs_columns_load", (const void *)NUM_NAME(mgs_columns_load), (int64_t)job.batch * job.all, threads,
                  BLOCK_SHARED(threads) * sizeof(double), arguments, stream, message, message_size);
}

/* Stores the squared residual norms of the right-hand sides in s. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_squares)(const mgs_gpu_job *given, void *stream, char *message,
                                                         size_t message_size)
{
    mgs_gpu_job job = *given;
    const int threads = threads_for(job.rows);
    void *arguments[] = {&job};
    if (job.all == job.cols)
        return PLUMB_OK;
    return launch("mgs_columns_squares", (const void *)NUM_NAME(mgs_columns_squares),
                  (int64_t)job.batch * (job.all - job.cols), threads, BLOCK_SHARED(threads) * sizeof(double), arguments,
                  stream, message, message_size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_columns)(const mgs_gpu_job *given, const mgs_plan *plan, void *stream,
                                                         char *message, size_t message_size)
{
    mgs_gpu_job job = *given;
    const int threads = threads_for(job.rows);
    const size_t shared = BLOCK_SHARED(threads) * sizeof(double);
    int k = 0;
    void *arguments[] = {&job, &k};
    (void)plan;
    plumb_status status = NUM_NAME(plumb_cuda_mgs_load)(given, stream, message, message_size);
    for (; k < job.cols && status == PLUMB_OK; k++)
        status = launch("mgs_columns_step", (const void *)NUM_NAME(mgs_columns_step),
                        (int64_t)job.batch * (job.all - k), threads, shared, arguments, stream, message, message_size);
    if (status == PLUMB_OK)
        status = NUM_NAME(plumb_cuda_mgs_squares)(given, stream, message, message_size);
    return status;
}

/* The architecture this code was compiled for; that of its PTX if it was compiled from PTX when it was loaded. */
extern "C" int NUM_NAME(plumb_cuda_mgs_code)(void)
{
    cudaFuncAttributes attributes;
    if (cudaFuncGetAttributes(&attributes, (const void *)NUM_NAME(mgs_columns_load)) == cudaSuccess)
        return attributes.ptxVersion;
    (void)cudaGetLastError();
    return 0;
}

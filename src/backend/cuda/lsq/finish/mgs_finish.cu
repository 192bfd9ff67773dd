/* mgs_finish.cu - computes results from the coefficients: back substitution, powers of two, norms of residuals; R and
 * Q. It follows any of the kernels that leave w, c, s and exponents behind (gpu.h). */
#include "backend/cuda/lsq/block.h"

enum { FINISH_THREADS = 128, TAKE_THREADS = 256 };

GPU_FN void clear_column(double *to, int64_t plane, int planes, int rows)
{
    for (int c = 0; c < planes; c++)
        for (int i = gpu_thread(); i < rows; i += gpu_threads())
            to[c * plane + i] = 0.0;
}

/* Solves rows first .. last - 1 of C x = y for one right-hand side in place, with one thread per row; later unknowns
 * have been removed from them before. Each thread removes the unknowns from its row as they become known, and rounds
 * once, at the end. */
GPU_FN void solve_group(const mgs_gpu_job *job, int64_t problem, int r, int first, int last)
{
    double *y = job->c + problem * job->c_step + (int64_t)r * job->cols, *known = gpu_shared();
    const int i = first + gpu_thread(), mine = i < last;
    const double *row = job->c + problem * job->c_step + (mine ? i : first);
    num_acc x = num_acc_of(num_load(y + (mine ? i : first), job->c_plane, 1));
    for (int k = last - 1; k >= first; k--) {
        double *slot = known + (k & 1) * NUM_PLANES; /* two slots, because a slow thread may still read the other */
        if (i == k) {
            const num value = num_acc_value(x);
            num_store(slot, 1, value, 1);
            num_store(y + k, job->c_plane, value, 1);
        }
        const num coefficient = num_load(row + (int64_t)k * job->cols, job->c_plane, 1);
        gpu_sync();
        if (mine && i < k)
            x = num_acc_sub(x, coefficient, num_load(slot, 1, 1));
    }
    gpu_sync();
}

/* One block per right-hand side. */
static __global__ void NUM_NAME(mgs_finish_group)(const mgs_gpu_job job, const int first, const int last)
{
    const int sides = job.all - job.cols;
    solve_group(&job, gpu_block() / sides, job.cols + gpu_block() % sides, first, last);
}

/* Removes unknowns first .. last - 1 from the rows before them. A block has 32 rows of a right-hand side, each
 * processed by one thread of every warp. */
static __global__ void NUM_NAME(mgs_finish_take)(const mgs_gpu_job job, const int first, const int last)
{
    const int sides = job.all - job.cols, tiles = (first + GPU_WARP - 1) / GPU_WARP, side = gpu_block() / tiles;
    const int64_t problem = side / sides;
    const int r = job.cols + side % sides, lane = gpu_thread() % GPU_WARP;
    const int i = gpu_block() % tiles * GPU_WARP + lane, share = gpu_thread() / GPU_WARP,
              shares = gpu_threads() / GPU_WARP;
    const double *c = job.c + problem * job.c_step + (i < first ? i : 0);
    double *y = job.c + problem * job.c_step + (int64_t)r * job.cols, *sums = gpu_shared();
    num_acc sum = num_acc_zero();
    for (int j = first + share; j < last; j += shares)
        sum = num_acc_sub(sum, num_load(c + (int64_t)j * job.cols, job.c_plane, 1), num_load(y + j, job.c_plane, 1));
    num_store(sums + gpu_thread(), gpu_threads(), num_acc_value(sum), 1);
    gpu_sync();
    if (share != 0 || i >= first)
        return;
    num rest = num_load(y + i, job.c_plane, 1);
    for (int t = 0; t < shares; t++)
        rest = num_add(rest, num_load(sums + t * GPU_WARP + lane, gpu_threads(), 1));
    num_store(y + i, job.c_plane, rest, 1);
}

/* Stores x, scaled back. Returns whether it is out of range. */
GPU_FN int put_unknowns(const mgs_gpu_job *job, int64_t problem, int r, double *out)
{
    const double *y = job->c + problem * job->c_step + (int64_t)r * job->cols;
    const int32_t *exponent = job->exponent + problem * job->all;
    int bad = 0;
    for (int k = gpu_thread(); k < job->cols; k += gpu_threads()) {
        double limb[NUM_PLANES];
        num_store(limb, 1, num_load(y + k, job->c_plane, 1), 1);
        bad |= put_scaled(limb, NUM_PLANES, out + k, job->x.plane, exponent[r] - exponent[k]);
    }
    return bad;
}

/* One block per right-hand side. A single one decides the outcome; of several, each records in its flag whether it is
 * in range. */
static __global__ void NUM_NAME(mgs_finish_x)(const mgs_gpu_job job)
{
    const int count = job.all - job.cols, column = gpu_block() % count, r = job.cols + column;
    const int64_t problem = gpu_block() / count;
    double *x = job.x.data + problem * job.x.next + column * job.x.col;
    double *norm = job.residual.data ? job.residual.data + problem * job.residual.next + column * job.residual.col : 0;
    const int solved = job.info[problem] == 0;
    int bad = 0;
    if (solved) {
        if (job.cols <= gpu_threads()) /* otherwise each group of unknowns had its own launch */
            solve_group(&job, problem, r, 0, job.cols);
        bad = put_unknowns(&job, problem, r, x);
        if (norm && gpu_thread() == 0) {
            double limb[PLUMB_LIMBS];
            real_store(limb, 1, real_sqrt(real_load(job.s + problem * job.s_step + r, job.all, 1)), 1);
            bad |= put_scaled(limb, PLUMB_LIMBS, norm, job.residual.plane, job.exponent[problem * job.all + r]);
        }
        bad = block_any(bad, gpu_shared());
    }
    if (!solved || bad) {
        clear_column(x, job.x.plane, NUM_PLANES, job.cols);
        if (norm)
            clear_column(norm, job.residual.plane, PLUMB_LIMBS, 1);
    }
    if (gpu_thread() == 0) {
        job.flags[problem * (job.all + MGS_FLAGS) + column] = bad;
        if (count == 1 && bad)
            put_info(job.info + problem, job.failures, -PLUMB_ERR_RANGE);
    }
}

/* Subtracts x of each solved problem from what it corrects, with one block per problem; for kernels that do not do so
 * themselves. */
static __global__ void NUM_NAME(mgs_finish_correct)(const mgs_gpu_job job)
{
    const int64_t problem = gpu_block();
    const double *x = job.x.data + problem * job.x.next;
    double *to = job.corrected.data + problem * job.corrected.next;
    for (int k = gpu_thread(); job.info[problem] == 0 && k < job.cols; k += gpu_threads())
        num_store(to + k, job.corrected.plane,
                  num_sub(num_load(to + k, job.corrected.plane, 1), num_load(x + k, job.x.plane, 1)), 1);
}

/* Computes column j of R = diag(sqrt s) C and of Q = W / sqrt s, with one block per column. */
static __global__ void NUM_NAME(mgs_finish_qr)(const mgs_gpu_job job, const mgs_gpu_array q, const mgs_gpu_array r)
{
    const int j = gpu_block() % job.cols;
    const int64_t problem = gpu_block() / job.cols;
    const double *s = job.s + problem * job.s_step, *w = job.w + problem * job.w_step + (int64_t)j * job.rows;
    const double *c = job.c + problem * job.c_step + (int64_t)j * job.cols;
    const int solved = job.info[problem] == 0, exponent = job.exponent[problem * job.all + j];
    double *q_column = q.data ? q.data + problem * q.next + j * q.col : 0;
    double *r_column = r.data ? r.data + problem * r.next + j * r.col : 0;
    int bad = 0;
    if (r_column)
        clear_column(r_column, r.plane, NUM_PLANES, job.cols);
    if (q_column && !solved)
        clear_column(q_column, q.plane, NUM_PLANES, job.rows);
    gpu_sync();
    for (int k = gpu_thread(); r_column && solved && k <= j; k += gpu_threads()) {
        const real root = real_sqrt(real_load(s + k, job.all, 1));
        double limb[NUM_PLANES] = {0.0};
        if (k < j)
            num_store(limb, 1, num_mul_real(num_load(c + k, job.c_plane, 1), root), 1);
        else
            real_store(limb, 1, root, 1);
        bad |= put_scaled(limb, NUM_PLANES, r_column + k, r.plane, exponent);
    }
    if (q_column && solved) {
        const real inverse = real_inv(real_sqrt(real_load(s + j, job.all, 1)));
        for (int i = gpu_thread(); i < job.rows; i += gpu_threads())
            num_store(q_column + i, q.plane, num_mul_real(num_load(w + i, job.w_plane, 1), inverse), 1);
    }
    bad = block_any(bad, gpu_shared());
    if (gpu_thread() == 0)
        job.flags[problem * (job.all + MGS_FLAGS) + j] = bad;
}

/* Combines the columns of one result of a problem: if one of them is out of range, the result is zero. */
typedef struct settled {
    mgs_gpu_array array[2]; /* of rows[0] x columns numbers, and rows[1] x columns */
    int32_t rows[2], planes[2], columns;
} settled;

/* One block per problem. */
static __global__ void NUM_NAME(mgs_finish_settle)(const mgs_gpu_job job, const settled results)
{
    const int64_t problem = gpu_block();
    int bad = 0;
    for (int j = gpu_thread(); j < results.columns; j += gpu_threads())
        bad |= job.flags[problem * (job.all + MGS_FLAGS) + j];
    if (!block_any(bad, gpu_shared()))
        return;
    for (int a = 0; a < 2; a++) {
        const mgs_gpu_array *to = &results.array[a];
        for (int j = 0; to->data && j < results.columns; j++)
            clear_column(to->data + problem * to->next + j * to->col, to->plane, results.planes[a], results.rows[a]);
    }
    if (gpu_thread() == 0)
        put_info(job.info + problem, job.failures, -PLUMB_ERR_RANGE);
}

static const size_t shared_bytes = BLOCK_SHARED(FINISH_THREADS) * sizeof(double);

static plumb_status settle(const mgs_gpu_job *given, const settled *results, void *stream, char *message,
                           size_t message_size)
{
    mgs_gpu_job job = *given;
    settled value = *results;
    void *arguments[] = {&job, &value};
    return launch("mgs_finish_settle", (const void *)NUM_NAME(mgs_finish_settle), job.batch, FINISH_THREADS,
                  shared_bytes, arguments, stream, message, message_size);
}

/* Back substitution for more unknowns than a block has threads, from the last group up. */
static plumb_status solve_groups(mgs_gpu_job *job, void *stream, char *message, size_t message_size)
{
    const int64_t sides = (int64_t)job->batch * (job->all - job->cols);
    plumb_status status = PLUMB_OK;
    int first = job->cols, last;
    void *arguments[] = {job, &first, &last};
    while (first > 0 && job->cols > FINISH_THREADS && status == PLUMB_OK) {
        last = first;
        first = (last - 1) / FINISH_THREADS * FINISH_THREADS;
        status = launch("mgs_finish_group", (const void *)NUM_NAME(mgs_finish_group), sides, FINISH_THREADS,
                        shared_bytes, arguments, stream, message, message_size);
        if (status == PLUMB_OK && first > 0)
            status = launch("mgs_finish_take", (const void *)NUM_NAME(mgs_finish_take), sides * ((first + 31) / 32),
                            TAKE_THREADS, (size_t)TAKE_THREADS * NUM_PLANES * sizeof(double), arguments, stream,
                            message, message_size);
    }
    return status;
}

/* Computes x and residual from c, s and the exponents. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_finish)(const mgs_gpu_job *given, void *stream, char *message,
                                                        size_t message_size)
{
    mgs_gpu_job job = *given;
    const int64_t count = job.all - job.cols;
    const int threads = job.cols > FINISH_THREADS ? FINISH_THREADS : (job.cols + 31) / 32 * 32;
    void *arguments[] = {&job};
    plumb_status status = solve_groups(&job, stream, message, message_size);
    if (status == PLUMB_OK)
        status = launch("mgs_finish_x", (const void *)NUM_NAME(mgs_finish_x), job.batch * count, threads, shared_bytes,
                        arguments, stream, message, message_size);
    if (status != PLUMB_OK || count == 1)
        return status;
    const settled results = {{job.x, job.residual}, {job.cols, 1}, {NUM_PLANES, PLUMB_LIMBS}, (int32_t)count};
    return settle(&job, &results, stream, message, message_size);
}

/* Subtracts x from what it corrects, after x and info are known. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_correct)(const mgs_gpu_job *given, void *stream, char *message,
                                                         size_t message_size)
{
    mgs_gpu_job job = *given;
    void *arguments[] = {&job};
    return launch("mgs_finish_correct", (const void *)NUM_NAME(mgs_finish_correct), job.batch, FINISH_THREADS,
                  shared_bytes, arguments, stream, message, message_size);
}

/* Computes Q and R (each may have no data) from w, c, s and the exponents. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_qr)(const mgs_gpu_job *given, const mgs_gpu_array *q,
                                                    const mgs_gpu_array *r, void *stream, char *message,
                                                    size_t message_size)
{
    mgs_gpu_job job = *given;
    mgs_gpu_array to_q = *q, to_r = *r;
    void *arguments[] = {&job, &to_q, &to_r};
    plumb_status status = launch("mgs_finish_qr", (const void *)NUM_NAME(mgs_finish_qr), (int64_t)job.batch * job.cols,
                                 FINISH_THREADS, shared_bytes, arguments, stream, message, message_size);
    if (status != PLUMB_OK)
        return status;
    const settled results = {{*q, *r}, {job.rows, job.cols}, {NUM_PLANES, NUM_PLANES}, job.cols};
    return settle(&job, &results, stream, message, message_size);
}

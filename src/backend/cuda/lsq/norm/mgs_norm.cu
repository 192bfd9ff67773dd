/* mgs_norm.cu - solutions of least norm, where there are fewer rows than columns, from the orthogonalised rows.
 *
 * A^H = W C with W^H W = S, unnormalised, by any of the families (gpu.h). C^H t = b; then from x = 0, for k = m, ..., 1,
 * x += (t_k - a_k^H x) / s_k a_k. That way the loss of orthogonality does no harm; see backend/cpu/lsq/least_norm.c, which does
 * the same with normalised columns.
 *
 * One block per right-hand side. A step takes one pass over two columns and one barrier: while a column is added, the
 * inner product with the next one is formed, and every warp sums the parts of all warps by itself. Each thread has
 * entries of x of its own, which stay in its cache. */
#include "backend/cuda/lsq/block.h"
#include "backend/cuda/lsq/norm/norm.h"

enum { NORM_THREADS = PLUMB_LIMBS > 2 ? 256 : 512, TILE = 32, TILE_ROWS = 8, NO_EXPONENT = -8000 };

/* A^H, a tile of a plane per block: with both arrays read and written along their columns. */
static __global__ void NUM_NAME(mgs_norm_adjoint)(const mgs_norm_job job)
{
    const int m = job.factor.cols, n = job.factor.rows, tiles = (m + TILE - 1) / TILE;
    const int plane = gpu_block() % NUM_PLANES, tile = gpu_block() / NUM_PLANES;
    const int i0 = tile % tiles * TILE, j0 = tile / tiles * TILE, lane = gpu_thread() % TILE;
    const double *from = job.a.data + gpu_block_y() * job.a.next + plane * job.a.plane;
    double *to = (double *)job.factor.a.data + gpu_block_y() * job.factor.a.next + plane * job.factor.a.plane;
    double *room = gpu_shared();
    for (int r = gpu_thread() / TILE; r < TILE; r += TILE_ROWS)
        if (i0 + lane < m && j0 + r < n)
            room[r * (TILE + 1) + lane] = from[(int64_t)(j0 + r) * job.a.col + i0 + lane];
    gpu_sync();
    for (int r = gpu_thread() / TILE; r < TILE; r += TILE_ROWS)
        if (i0 + r < m && j0 + lane < n) {
            const double value = room[lane * (TILE + 1) + r];
            to[(int64_t)(i0 + r) * job.factor.a.col + j0 + lane] = plane < PLUMB_LIMBS ? value : -value;
        }
}

/* One right-hand side, as its block sees it. */
typedef struct norm_side {
    const double *w, *c, *b, *inverse;
    const int32_t *exponent;
    double *t, *x;
    int shift;
} norm_side;

/* Entry k of b, scaled. */
GPU_FN num side_entry(const mgs_norm_job *job, const norm_side *s, int k)
{
    double limb[NUM_PLANES], scaled[NUM_PLANES];
    num_store(limb, 1, num_load(s->b + k, job->b.plane, 1), 1);
    (void)put_scaled(limb, NUM_PLANES, scaled, 1, -s->exponent[k] - s->shift);
    return num_load(scaled, 1, 1);
}

/* Finds the power of two of b, in every thread. Returns whether b is finite. */
GPU_FN int find_shift(const mgs_norm_job *job, norm_side *s)
{
    int largest = NO_EXPONENT, bad = 0;
    for (int k = gpu_thread(); k < job->factor.cols; k += gpu_threads())
        for (int p = 0; p < NUM_PLANES; p++) {
            const double limb = lane_abs(s->b[p * job->b.plane + k]);
            const int e = gpu_exponent(limb) - s->exponent[k];
            bad |= !lane_is_finite(limb);
            if (p % PLUMB_LIMBS == 0 && limb > 0.0 && e > largest)
                largest = e;
        }
    const int found = (int)block_largest((double)(largest - NO_EXPONENT), gpu_shared()) + NO_EXPONENT;
    s->shift = found > NO_EXPONENT ? found : 0;
    return !block_any(bad, gpu_shared());
}

GPU_FN num sum_of_warp(num a)
{
    for (int with = GPU_WARP / 2; with > 0; with /= 2)
        a = num_add(a, num_from_other(a, with));
    return a;
}

/* C^H t = b, in groups of as many unknowns as a warp has threads: first what all later groups take from earlier ones, a warp
 * per unknown, then the steps within the group in one warp. */
GPU_FN void solve_sides(const mgs_norm_job *job, const norm_side *s)
{
    const int m = job->factor.cols, lane = gpu_thread() % GPU_WARP, warps = gpu_threads() / GPU_WARP;
    const int64_t plane = job->factor.c_plane;
    for (int first = 0; first < m; first += GPU_WARP) {
        const int last = first + GPU_WARP < m ? first + GPU_WARP : m;
        GPU_ROLLED
        for (int j = first + gpu_thread() / GPU_WARP; j < last; j += warps) {
            num_acc sum = num_acc_zero();
            for (int k = lane; k < first; k += GPU_WARP)
                sum = num_acc_add_conj(sum, num_load(s->c + (int64_t)j * m + k, plane, 1), num_load(s->t + k, m, 1));
            const num all = sum_of_warp(num_acc_value(sum));
            if (lane == 0)
                num_store(s->t + j, m, num_sub(side_entry(job, s, j), all), 1);
        }
        gpu_sync();
        if (gpu_thread() < GPU_WARP) {
            const int j = first + lane < last ? first + lane : first;
            num rest = num_load(s->t + j, m, 1);
            GPU_ROLLED
            for (int k = first; k < last; k++) {
                double limb[NUM_PLANES];
                num_store(limb, 1, rest, 1);
                for (int p = 0; p < NUM_PLANES; p++)
                    limb[p] = gpu_shuffle(limb[p], k - first);
                if (k < j)
                    rest =
                        num_rest(rest, num_conj(num_load(s->c + (int64_t)j * m + k, plane, 1)), num_load(limb, 1, 1));
            }
            if (first + lane < last)
                num_store(s->t + j, m, rest, 1);
        }
        gpu_sync();
    }
}

/* x, column by column from the last. */
GPU_FN void find_solution(const mgs_norm_job *job, const norm_side *s)
{
    const int m = job->factor.cols, n = job->factor.rows, lane = gpu_thread() % GPU_WARP,
              warp = gpu_thread() / GPU_WARP, warps = gpu_threads() / GPU_WARP;
    const int64_t plane = job->factor.w_plane;
    const num zero = num_acc_value(num_acc_zero());
    double *parts = gpu_shared();
    gpu_sync();
    for (int k = m - 1; k >= 0; k--) {
        const double *column = s->w + (int64_t)k * n, *next = column - n;
        const num along =
            k < m - 1 && lane < warps ? num_load(parts + ((k & 1) * warps + lane) * NUM_PLANES, 1, 1) : zero;
        const num rest = num_sub(sum_of_warp(along), num_load(s->t + k, m, 1));
        const num change = num_mul_real(rest, real_load(s->inverse + k, m, 1));
        num_acc sum = num_acc_zero();
        GPU_ROLLED
        for (int i = gpu_thread(); i < n; i += gpu_threads()) {
            const num old = k < m - 1 ? num_load(s->x + i, n, 1) : zero;
            const num x = num_rest(old, change, num_load(column + i, plane, 1));
            num_store(s->x + i, n, x, 1);
            if (k > 0)
                sum = num_acc_add_conj(sum, num_load(next + i, plane, 1), x);
        }
        const num all = sum_of_warp(num_acc_value(sum));
        if (gpu_thread() % GPU_WARP == 0)
            num_store(parts + (((k - 1) & 1) * warps + warp) * NUM_PLANES, 1, all, 1);
        gpu_sync();
    }
}

/* The norm of b - A x, row after row, each by a warp; t is overwritten. Returns whether it is out of range. */
GPU_FN int put_residual(const mgs_norm_job *job, const norm_side *s, const mgs_gpu_array *adjoint, int64_t problem,
                        double *to)
{
    const int m = job->factor.cols, n = job->factor.rows, lane = gpu_thread() % GPU_WARP,
              warps = gpu_threads() / GPU_WARP;
    int largest = NO_EXPONENT, bad = 0;
    GPU_ROLLED
    for (int k = gpu_thread() / GPU_WARP; k < m; k += warps) {
        const double *row = adjoint->data + problem * adjoint->next + k * adjoint->col;
        const gpu_power power = gpu_power_of_two(-s->exponent[k]);
        num_acc sum = num_acc_zero();
        for (int i = lane; i < n; i += GPU_WARP) {
            double limb[NUM_PLANES];
            for (int p = 0; p < NUM_PLANES; p++)
                limb[p] = gpu_scale(row[p * adjoint->plane + i], power);
            sum = num_acc_add_conj(sum, num_load(limb, 1, 1), num_load(s->x + i, n, 1));
        }
        const num rest = num_sub(side_entry(job, s, k), sum_of_warp(num_acc_value(sum)));
        double limb[NUM_PLANES];
        num_store(limb, 1, rest, 1);
        for (int p = 0; p < NUM_PLANES; p += PLUMB_LIMBS) {
            const int e = gpu_exponent(lane_abs(limb[p])) + s->exponent[k];
            if (limb[p] != 0.0 && e > largest)
                largest = e;
        }
        if (lane == 0)
            num_store(s->t + k, m, rest, 1);
    }
    largest = (int)block_largest((double)(largest - NO_EXPONENT), gpu_shared()) + NO_EXPONENT;
    if (largest == NO_EXPONENT)
        largest = 0;
    real_acc sum = real_acc_zero();
    for (int k = gpu_thread(); k < m; k += gpu_threads()) {
        double limb[NUM_PLANES], scaled[NUM_PLANES];
        num_store(limb, 1, num_load(s->t + k, m, 1), 1);
        (void)put_scaled(limb, NUM_PLANES, scaled, 1, s->exponent[k] - largest);
        sum = acc_add_square(sum, num_load(scaled, 1, 1));
    }
    real square = real_acc_value(sum);
    num none = num_load(s->t, m, 1);
    gpu_sync();
    block_sums(&square, &none, 0, gpu_shared());
    if (gpu_thread() == 0) {
        double limb[PLUMB_LIMBS];
        real_store(limb, 1, real_sqrt(square), 1);
        bad = put_scaled(limb, PLUMB_LIMBS, to, job->residual.plane, largest + s->shift);
    }
    return bad;
}

GPU_FN void clear_numbers(double *to, int64_t plane, int planes, int count)
{
    for (int p = 0; p < planes; p++)
        for (int i = gpu_thread(); i < count; i += gpu_threads())
            to[p * plane + i] = 0.0;
}

GPU_FN void clear_side(const mgs_norm_job *job, int64_t problem, int side)
{
    clear_numbers(job->x.data + problem * job->x.next + side * job->x.col, job->x.plane, NUM_PLANES, job->factor.rows);
    if (job->residual.data)
        clear_numbers(job->residual.data + problem * job->residual.next + side * job->residual.col, job->residual.plane,
                      PLUMB_LIMBS, 1);
}

/* One block per right-hand side. */
static __global__ void __launch_bounds__(NORM_THREADS, 1) NUM_NAME(mgs_norm_solve)(const mgs_norm_job job)
{
    const int side = gpu_block() % job.rhs, m = job.factor.cols, n = job.factor.rows;
    const int64_t problem = gpu_block() / job.rhs;
    double *z = job.z + (int64_t)gpu_block() * job.z_step;
    norm_side s = {job.factor.w + problem * job.factor.w_step,
                   job.factor.c + problem * job.factor.c_step,
                   job.b.data + problem * job.b.next + side * job.b.col,
                   job.inverse + problem * job.inverse_step,
                   job.factor.exponent + problem * job.factor.all,
                   z,
                   z + (int64_t)m * NUM_PLANES,
                   0};
    int bad = NORM_FINE;
    if (!find_shift(&job, &s)) {
        bad = NORM_NONFINITE;
    } else if (job.info[problem] == 0) {
        double *x = job.x.data + problem * job.x.next + side * job.x.col;
        solve_sides(&job, &s);
        find_solution(&job, &s);
        for (int i = gpu_thread(); i < n; i += gpu_threads()) {
            double limb[NUM_PLANES];
            num_store(limb, 1, num_load(s.x + i, n, 1), 1);
            bad |= put_scaled(limb, NUM_PLANES, x + i, job.x.plane, s.shift);
        }
        if (job.residual.data)
            bad |= put_residual(&job, &s, &job.factor.a, problem,
                                job.residual.data + problem * job.residual.next + side * job.residual.col);
        bad = block_any(bad, gpu_shared()) ? NORM_OUT_OF_RANGE : NORM_FINE;
    }
    if (gpu_thread() == 0)
        job.flags[gpu_block()] = bad;
}

/* One block per problem: makes 1 / s_k. */
static __global__ void NUM_NAME(mgs_norm_invert)(const mgs_norm_job job)
{
    const int64_t problem = gpu_block();
    const int m = job.factor.cols;
    for (int k = gpu_thread(); k < m; k += gpu_threads())
        real_store(job.inverse + problem * job.inverse_step + k, m,
                   real_inv(real_load(job.factor.s + problem * job.factor.s_step + k, job.factor.all, 1)), 1);
}

/* One block per problem: if one of the right-hand sides has no solution, none has. */
static __global__ void NUM_NAME(mgs_norm_settle)(const mgs_norm_job job)
{
    const int64_t problem = gpu_block();
    int bad = NORM_FINE;
    for (int j = gpu_thread(); j < job.rhs; j += gpu_threads()) {
        const int flag = job.flags[problem * job.rhs + j];
        bad = flag > bad ? flag : bad;
    }
    bad = (int)block_largest((double)bad, gpu_shared());
    const plumb_info outcome = bad == NORM_NONFINITE      ? -PLUMB_ERR_NONFINITE
                               : bad == NORM_OUT_OF_RANGE ? -PLUMB_ERR_RANGE
                                                          : job.info[problem];
    if (outcome == 0)
        return;
    for (int j = 0; j < job.rhs; j++)
        clear_side(&job, problem, j);
    gpu_sync();
    if (gpu_thread() == 0)
        put_info(job.info + problem, job.failures, outcome);
}

static plumb_status launch_norm(const char *what, const void *kernel, dim3 grid, int threads, size_t doubles,
                                const mgs_norm_job *given, void *stream, char *message, size_t message_size)
{
    mgs_norm_job job = *given;
    void *arguments[] = {&job};
    const cudaError_t error =
        cudaLaunchKernel(kernel, grid, dim3((unsigned)threads), arguments, doubles * 8, (cudaStream_t)stream);
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of %s failed: %s", what, cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

/* Makes A^H. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_norm_begin)(const mgs_norm_job *job, void *stream, char *message,
                                                            size_t message_size)
{
    const int64_t tiles =
        (int64_t)((job->factor.cols + TILE - 1) / TILE) * ((job->factor.rows + TILE - 1) / TILE) * NUM_PLANES;
    return launch_norm("mgs_norm_adjoint", (const void *)NUM_NAME(mgs_norm_adjoint),
                       dim3((unsigned)tiles, (unsigned)job->factor.batch), TILE * TILE_ROWS, TILE * (TILE + 1), job,
                       stream, message, message_size);
}

/* Makes solutions, residuals and outcomes from the factor. */
extern "C" plumb_status NUM_NAME(plumb_cuda_mgs_norm_end)(const mgs_norm_job *job, void *stream, char *message,
                                                          size_t message_size)
{
    const int most = (job->factor.rows + GPU_WARP - 1) / GPU_WARP * GPU_WARP,
              threads = most < NORM_THREADS ? most : NORM_THREADS, warps = threads / GPU_WARP;
    const size_t sums = BLOCK_SHARED(NORM_THREADS), parts = (size_t)2 * (size_t)warps * NUM_PLANES;
    const dim3 problems((unsigned)job->factor.batch);
    plumb_status status = launch_norm("mgs_norm_invert", (const void *)NUM_NAME(mgs_norm_invert), problems, 128, 0, job,
                                      stream, message, message_size);
    if (status == PLUMB_OK && job->rhs > 0)
        status = launch_norm("mgs_norm_solve", (const void *)NUM_NAME(mgs_norm_solve),
                             dim3((unsigned)(job->factor.batch * job->rhs)), threads, parts > sums ? parts : sums, job,
                             stream, message, message_size);
    if (status == PLUMB_OK)
        status = launch_norm("mgs_norm_settle", (const void *)NUM_NAME(mgs_norm_settle), problems, 128, sums, job,
                             stream, message, message_size);
    return status;
}

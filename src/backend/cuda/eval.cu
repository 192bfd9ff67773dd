/* eval.cu - values and derivatives of a polynomial system on a GPU; eval_gpu.h has the form in which it comes.
 *
 * Where a part fits, a block takes it into shared memory together with its numbers, and one launch does all: for one point as
 * many blocks as parts, for many points each block goes on from group of points to group of points. Else numbers are in
 * global memory, and each level is a launch.
 *
 * In dd and qd the two parts of a complex number are made by two neighbouring threads, which read the same operands the other way
 * round. Numbers
 * are in planes, points of a group side by side: plane c of slot s of point i is slots[(c*count + s)*points + i]. */
#include <stdio.h>

#include <atomic>

#include "backend/cuda/eval_gpu.h"
#include "backend/cuda/gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/product.h"

/* HALVES: a thread makes one part of a number. In d it makes both: finding the operands is most of the work. */
enum {
    EVAL_PLANES = PLUMB_PARTS * PLUMB_LIMBS,
    HALVES = PLUMB_PARTS == 2 && PLUMB_LIMBS > 1,
    EACH = HALVES ? 1 : PLUMB_PARTS /* parts a thread makes */
};

/* Where a block finds the words of its part, its coefficients and its numbers. In shared memory an index is 32 bits long. */
template <typename INDEX> struct eval_place {
    const int32_t *words;
    const double *coefficients;
    double *slots;
    INDEX plane;
    int64_t first_point;
};

#if PLUMB_PARTS == 2
/* sign: 0, or the bit of it where it is to be turned. */
GPU_FN real load_signed(const double *p, int64_t plane, lane_int sign)
{
    double limb[PLUMB_LIMBS];
    LANE_UNROLL
    for (int c = 0; c < PLUMB_LIMBS; c++)
        limb[c] = lane_from_int(lane_to_int(p[c * plane]) ^ sign);
    return real_load(limb, 1, 1);
}
#endif

/* Part `half` of a product is are * first + aim * second, where first is that part of b, and second its other part, with its
 * sign turned for the real part. */
typedef struct half_factors {
    real are, aim, first, second;
} half_factors;

template <typename INDEX>
GPU_FN half_factors half_load(const double *a, INDEX a_plane, const double *b, INDEX b_plane, int half)
{
    half_factors f;
    f.are = real_load(a, a_plane, 1);
#if PLUMB_PARTS == 2
    f.aim = real_load(a + PLUMB_LIMBS * a_plane, a_plane, 1);
    f.first = real_load(b + half * PLUMB_LIMBS * b_plane, b_plane, 1);
    f.second = load_signed(b + (1 - half) * PLUMB_LIMBS * b_plane, b_plane, half ? 0 : (lane_int)1 << 63);
#else
    (void)half;
    f.first = real_load(b, b_plane, 1);
#endif
    return f;
}

GPU_FN real half_product(half_factors f)
{
#if PLUMB_PARTS == 2
    return real_acc_value(real_acc_add(real_acc_start(f.are, f.first), f.aim, f.second));
#else
    return real_mul(f.are, f.first);
#endif
}

GPU_FN real_acc half_add(real_acc sum, half_factors f)
{
    sum = real_acc_add(sum, f.are, f.first);
#if PLUMB_PARTS == 2
    sum = real_acc_add(sum, f.aim, f.second);
#endif
    return sum;
}

/* What a thread is at: an item, a point of the group, a part of the number. */
template <typename INDEX> struct eval_turn {
    INDEX item;
    int point, half;
};

template <typename INDEX> GPU_FN eval_turn<INDEX> turn_of(const eval_gpu_job *job, INDEX turn)
{
    eval_turn<INDEX> t;
    t.half = HALVES ? (int)(turn & 1) : 0;
    t.point = (int)(turn >> HALVES) & ((1 << job->log_points) - 1);
    t.item = turn >> (HALVES + job->log_points);
    return t;
}

template <typename INDEX>
GPU_FN double *slot_at(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX slot, int point)
{
    return at->slots + (slot << job->log_points) + point;
}

/* A sum, or the part of it that this thread has, to the results or to a slot. */
template <typename INDEX>
GPU_FN void put_sum(const eval_gpu_job *job, const eval_place<INDEX> *at, eval_turn<INDEX> t, const real *sum, int row,
                    int col, INDEX slot)
{
    if (row < 0) {
        double *to = slot_at(job, at, slot, t.point);
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            real_store(to + (t.half + e) * PLUMB_LIMBS * at->plane, at->plane, sum[e], 1);
    } else if (at->first_point + t.point < job->batch) {
        const mgs_gpu_array *array = col ? &job->jacobians : &job->values;
        double *to = array->data + (at->first_point + t.point) * array->next + (col ? col - 1 : 0) * array->col + row;
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            real_store(to + (t.half + e) * PLUMB_LIMBS * array->plane, array->plane, sum[e], 1);
    }
}

/* ---- The steps: turns first, first + step, ... below last << shift --------------------------------------------- */

template <typename INDEX>
GPU_FN void load_points(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX first, INDEX step)
{
    const INDEX unknowns = job->program.unknowns, turns = (unknowns + 1) << job->log_points;
    for (INDEX turn = first; turn < turns; turn += step) {
        /* Neighbouring threads read neighbouring unknowns of a point. */
        const INDEX v = turn % (unknowns + 1), i = turn / (unknowns + 1);
        const int64_t point = at->first_point + i < job->batch ? at->first_point + i : job->batch - 1;
        const double *from = job->points.data + point * job->points.next + v - 1;
        double *to = slot_at(job, at, v, (int)i);
        LANE_UNROLL
        for (int c = 0; c < EVAL_PLANES; c++)
            to[c * at->plane] = v > 0 ? from[c * job->points.plane] : c == 0 ? 1.0 : 0.0;
    }
}

template <typename INDEX>
GPU_FN void make_products(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last, INDEX first,
                          INDEX step)
{
    const int32_t *a = at->words + at->words[EVAL_A_AT], *b = at->words + at->words[EVAL_B_AT];
    const INDEX to = 1 + job->program.unknowns, turns = (last - from) << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        const INDEX i = from + t.item;
        const double *x = slot_at<INDEX>(job, at, a[i], t.point), *y = slot_at<INDEX>(job, at, b[i], t.point);
        double *product = slot_at<INDEX>(job, at, to + i, t.point);
        real made[EACH]; /* all of it before anything is stored, so that operands are read once */
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            made[e] = half_product(half_load(x, at->plane, y, at->plane, t.half + e));
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            real_store(product + (t.half + e) * PLUMB_LIMBS * at->plane, at->plane, made[e], 1);
    }
}

template <typename INDEX>
GPU_FN void make_pieces(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last, INDEX first,
                        INDEX step)
{
    const int32_t *words = at->words, *start = words + words[EVAL_PIECE_AT], *term = words + words[EVAL_TERM_AT];
    const INDEX to = 1 + job->program.unknowns + words[EVAL_PRODUCTS];
    const INDEX turns = (last - from) << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        const INDEX i = from + t.item;
        real_acc sum[EACH];
        real value[EACH];
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            sum[e] = real_acc_zero();
        for (int32_t k = start[i]; k < start[i + 1]; k++) {
            const double *coefficient = at->coefficients + k, *x = slot_at<INDEX>(job, at, term[k], t.point);
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                sum[e] = half_add(sum[e], half_load(coefficient, (INDEX)job->program.terms, x, at->plane, t.half + e));
        }
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            value[e] = real_acc_value(sum[e]);
        put_sum(job, at, t, value, words[words[EVAL_PIECE_ROW_AT] + i], words[words[EVAL_PIECE_COL_AT] + i], to + i);
    }
}

template <typename INDEX>
GPU_FN void make_folds(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last, INDEX first,
                       INDEX step)
{
    const int32_t *words = at->words, *start = words + words[EVAL_FOLD_AT], *slot = words + words[EVAL_SUMMAND_AT];
    const INDEX to = 1 + job->program.unknowns + words[EVAL_PRODUCTS] + words[EVAL_PIECES];
    const INDEX turns = (last - from) << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        const INDEX i = from + t.item;
        real sum[EACH];
        LANE_UNROLL
        for (int e = 0; e < EACH; e++) {
            const INDEX part = (t.half + e) * PLUMB_LIMBS * at->plane;
            sum[e] = real_load(slot_at<INDEX>(job, at, slot[start[i]], t.point) + part, at->plane, 1);
            for (int32_t k = start[i] + 1; k < start[i + 1]; k++)
                sum[e] = real_add(sum[e], real_load(slot_at<INDEX>(job, at, slot[k], t.point) + part, at->plane, 1));
        }
        put_sum(job, at, t, sum, words[words[EVAL_FOLD_ROW_AT] + i], words[words[EVAL_FOLD_COL_AT] + i], to + i);
    }
}

/* Zeros, as put_sum takes them. */
typedef struct zero_parts {
    real part[EACH];
} zero_parts;

GPU_FN zero_parts zero(void)
{
    zero_parts z;
    LANE_UNROLL
    for (int e = 0; e < EACH; e++)
        z.part[e] = real_set(0.0);
    return z;
}

/* The derivatives that are zero wherever the point is. */
template <typename INDEX>
GPU_FN void put_zeros(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX first, INDEX step)
{
    const int32_t *words = at->words;
    const zero_parts none = zero();
    const INDEX turns = (INDEX)words[EVAL_ZEROS] << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        put_sum(job, at, t, none.part, words[words[EVAL_ZERO_ROW_AT] + t.item], words[words[EVAL_ZERO_COL_AT] + t.item],
                (INDEX)0);
    }
}

/* ---- Everything in shared memory -------------------------------------------------------------------------------- */

static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS))
    NUM_NAME(eval_parts)(const eval_gpu_job job)
{
    const int part = gpu_block() % job.program.parts, thread = gpu_thread(), threads = gpu_threads();
    const int64_t points = (int64_t)1 << job.log_points;
    double *shared = gpu_shared();
    const double *from = job.program.parts_at + part * job.program.part_doubles;
    for (int i = thread; i < (int)job.program.part_doubles; i += threads)
        gpu_copy(shared + i, from + i);
    gpu_previous_done(); /* the program has always been there, the points may be new */
    gpu_next_may_begin();

    eval_place<int32_t> at;
    at.words = (const int32_t *)shared;
    at.coefficients = shared + job.program.words / 2;
    at.slots = shared + job.program.part_doubles;
    at.plane = job.program.slots << job.log_points;
    at.first_point = gpu_block() / job.program.parts * points;
    for (; at.first_point < job.batch; at.first_point += job.blocks * points) {
        load_points(&job, &at, thread, threads);
        gpu_copies_done();
        gpu_sync();
        const int32_t *level = at.words + at.words[EVAL_LEVEL_AT], *stage = at.words + at.words[EVAL_STAGE_AT];
        for (int l = 0; l < at.words[EVAL_LEVELS]; l++) {
            make_products(&job, &at, level[l], level[l + 1], thread, threads);
            gpu_sync();
        }
        make_pieces(&job, &at, 0, at.words[EVAL_PIECES], thread, threads);
        put_zeros(&job, &at, thread, threads);
        for (int s = 0; s < at.words[EVAL_STAGES]; s++) {
            gpu_sync();
            make_folds(&job, &at, stage[s], stage[s + 1], thread, threads);
        }
        gpu_sync(); /* the next points come where these were */
    }
}

/* ---- Numbers in global memory ----------------------------------------------------------------------------------- */

/* A thread an item, a row of blocks a group of points. */
static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS))
    NUM_NAME(eval_step)(const eval_gpu_job job, const eval_gpu_step todo)
{
    const int64_t first = (int64_t)gpu_block() * gpu_threads() + gpu_thread();
    const int64_t step = (int64_t)gpu_blocks() * gpu_threads(), group = gpu_block_y();
    eval_place<int64_t> at;
    at.words = (const int32_t *)job.program.parts_at;
    at.coefficients = job.program.parts_at + job.program.words / 2;
    at.plane = (int64_t)job.program.slots << job.log_points;
    at.slots = job.slots + group * EVAL_PLANES * at.plane;
    at.first_point = group << job.log_points;
    const zero_parts none = zero();
    switch (todo.what) {
    case EVAL_DO_LOAD:
        load_points(&job, &at, first, step);
        break;
    case EVAL_DO_PRODUCTS:
        make_products(&job, &at, todo.first, todo.last, first, step);
        break;
    case EVAL_DO_PIECES:
        make_pieces(&job, &at, todo.first, todo.last, first, step);
        break;
    case EVAL_DO_FOLDS:
        make_folds(&job, &at, todo.first, todo.last, first, step);
        break;
    default: /* entry i of the Jacobians, column by column */
        for (int64_t turn = first; turn < todo.last << (HALVES + job.log_points); turn += step) {
            const eval_turn<int64_t> t = turn_of(&job, turn);
            put_sum(&job, &at, t, none.part, (int)(t.item % job.program.equations),
                    1 + (int)(t.item / job.program.equations), (int64_t)0);
        }
    }
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

/* More shared memory than every block may have must be allowed, once on each device. */
static cudaError_t prepare(void)
{
    static std::atomic<uint64_t> prepared;
    int device = 0, most = 0;
    cudaError_t error = cudaGetDevice(&device);
    const uint64_t bit = (uint64_t)1 << (device & 63);
    if (error != cudaSuccess || (device < 64 && (prepared.load() & bit)))
        return error;
    error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (error == cudaSuccess)
        error =
            cudaFuncSetAttribute((const void *)NUM_NAME(eval_parts), cudaFuncAttributeMaxDynamicSharedMemorySize, most);
    if (error == cudaSuccess)
        prepared.fetch_or(bit);
    return error;
}

static plumb_status say(cudaError_t error, char *message, size_t message_size)
{
    if (error == cudaSuccess)
        return PLUMB_OK;
    (void)cudaGetLastError();
    snprintf(message, message_size, "launch of an evaluation failed: %s", cudaGetErrorString(error));
    return PLUMB_ERR_DEVICE;
}

extern "C" plumb_status NUM_NAME(plumb_cuda_eval_parts)(const eval_gpu_job *given, size_t shared, void *stream,
                                                        char *message, size_t message_size)
{
    eval_gpu_job job = *given;
    void *arguments[] = {&job};
    cudaLaunchAttribute attribute[1];
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned)(job.program.parts * job.blocks));
    config.blockDim = dim3(EVAL_THREADS);
    config.dynamicSmemBytes = shared;
    config.stream = (cudaStream_t)stream;
    config.attrs = attribute;
    config.numAttrs = job.early ? 1 : 0;
    /* The program comes into shared memory while the kernel before is still at work. */
    attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[0].val.programmaticStreamSerializationAllowed = 1;
    cudaError_t error = prepare();
    if (error == cudaSuccess)
        error = cudaLaunchKernelExC(&config, (const void *)NUM_NAME(eval_parts), arguments);
    return say(error, message, message_size);
}

extern "C" plumb_status NUM_NAME(plumb_cuda_eval_step)(const eval_gpu_job *given, const eval_gpu_step *step,
                                                       void *stream, char *message, size_t message_size)
{
    enum { MOST_BLOCKS = 1 << 20 };
    eval_gpu_job job = *given;
    eval_gpu_step todo = *step;
    const int64_t turns = (todo.last - todo.first) << (HALVES + job.log_points);
    int64_t blocks = (turns + EVAL_THREADS - 1) / EVAL_THREADS;
    if (blocks < 1)
        return PLUMB_OK;
    if (blocks > MOST_BLOCKS)
        blocks = MOST_BLOCKS;
    void *arguments[] = {&job, &todo};
    return say(cudaLaunchKernel((const void *)NUM_NAME(eval_step), dim3((unsigned)blocks, (unsigned)job.blocks),
                                dim3(EVAL_THREADS), arguments, 0, (cudaStream_t)stream),
               message, message_size);
}

/* eval.cu - values and derivatives of a polynomial system on a GPU; eval_gpu.h has the form in which it comes.
 *
 * Where a part fits, a block takes it into shared memory together with its numbers, and one launch does all: for one point as
 * many blocks as parts, for many points each block goes on from group of points to group of points. Else numbers are in
 * global memory, and each level is a launch.
 *
 * In dd and qd the two parts of a complex number are made by two neighbouring threads, which read the same operands the other way
 * round. The doubles of a number are side by side, so are the points of a group: slot s of point i begins at
 * slots[(s*points + i)*EVAL_PLANES].
 *
 * For one point a level is over in some hundred cycles, most of them waiting: what counts is how many instructions stand between a
 * number and the next. So lists are read ahead, addresses have few parts, and numbers come by pairs of doubles. */
#include "backend/cuda/eval_gpu.h"
#include "backend/cuda/gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/product.h"
#include "backend/cuda/eval_launch.h"
#include "backend/cuda/eval_number.h"

/* HALVES: a thread makes one part of a number. In d it makes both: finding the operands is most of the work. */
enum {
    EVAL_PLANES = PLUMB_PARTS * PLUMB_LIMBS,
    HALVES = PLUMB_PARTS == 2 && PLUMB_LIMBS > 1,
    EACH = HALVES ? 1 : PLUMB_PARTS /* parts a thread makes */
};

/* Terms of a piece whose numbers are on their way at once: as many as there are registers for. */
enum { TERMS_AT_ONCE = PLUMB_LIMBS == 1 ? EVAL_PIECE : PLUMB_LIMBS == 2 ? 2 : 1 };

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* A part of a number; of one limb, both are read together and only once. */
GPU_FN real part_at(const double *number, int part)
{
    enum { COUNT = PLUMB_LIMBS == 1 ? EVAL_PLANES : PLUMB_LIMBS };
    double v[COUNT];
    get_doubles<COUNT>(PLUMB_LIMBS == 1 ? number : number + part * PLUMB_LIMBS, v);
    return real_load(PLUMB_LIMBS == 1 ? v + part : v, 1, 1);
}

/* The parts that a thread has made. */
GPU_FN void put_parts(double *number, int half, const real *made)
{
    double v[EACH * PLUMB_LIMBS];
    LANE_UNROLL
    for (int e = 0; e < EACH; e++)
        real_store(v + e * PLUMB_LIMBS, 1, made[e], 1);
    put_doubles<EACH * PLUMB_LIMBS>(number + half * PLUMB_LIMBS, v);
}

/* Part `half` of a product is are * first + aim * second, where first is that part of b, and second its other part, with its
 * sign turned for the real part. */
typedef struct half_factors {
    real are, aim, first, second;
} half_factors;

#if PLUMB_PARTS == 2
/* a for half 1, -a for half 0: without a choice where the half is not known beforehand. */
GPU_FN real real_for_half(real a, int half)
{
    if (!HALVES)
        return half ? a : real_neg(a);
    double limb[PLUMB_LIMBS];
    const lane_int sign = half ? 0 : (lane_int)1 << 63;
    real_store(limb, 1, a, 1);
    LANE_UNROLL
    for (int c = 0; c < PLUMB_LIMBS; c++)
        limb[c] = lane_from_int(lane_to_int(limb[c]) ^ sign);
    return real_load(limb, 1, 1);
}
#endif

GPU_FN half_factors half_load(const double *a, const double *b, int half)
{
    half_factors f;
    f.are = part_at(a, 0);
#if PLUMB_PARTS == 2
    f.aim = part_at(a, 1);
    f.first = part_at(b, half);
    f.second = real_for_half(part_at(b, 1 - half), half);
#else
    (void)half;
    f.first = part_at(b, 0);
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

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* Where a thread finds the words of its part, coefficients and numbers, and what of it all it does: items first, first + step, ... of
 * a list, one half, one point of the group. In shared memory an index is 32 bits long. LOG: of the points of a group, -1 where
 * that is not known beforehand. */
template <typename INDEX, int LOG> struct eval_place {
    const eval_gpu_job *job;
    const int32_t *words, *factors;
    const double *coefficients;
    double *slots; /* of the point */
    INDEX first, step;
    int half, point;
    int64_t first_point;      /* of the group */
    double *value, *jacobian; /* of the point; NULL: there is no such point any more */

    __device__ __forceinline__ int log_points(void) const
    {
        return LOG >= 0 ? LOG : job->log_points;
    }
    __device__ __forceinline__ double *slot(INDEX s) const
    {
        return slots + (s << log_points()) * EVAL_PLANES;
    }

    /* For one of so many threads. */
    __device__ __forceinline__ void take(const eval_gpu_job *given, const double *part, double *numbers, INDEX thread,
                                         INDEX threads)
    {
        job = given;
        words = (const int32_t *)part;
        factors = words + words[EVAL_FACTORS_AT];
        coefficients = part + job->program.words / 2;
        half = HALVES ? (int)(thread & 1) : 0;
        point = (int)(thread >> HALVES) & ((1 << log_points()) - 1);
        first = thread >> (HALVES + log_points());
        step = threads >> (HALVES + log_points());
        slots = numbers + point * EVAL_PLANES;
    }
    /* To the group that begins with this point. */
    __device__ __forceinline__ void go_to(int64_t from)
    {
        const int64_t mine = from + point;
        first_point = from;
        value = mine < job->batch ? job->values.data + mine * job->values.next : nullptr;
        jacobian = job->jacobians.data + mine * job->jacobians.next;
    }
};

/* A sum, or the part of it that this thread has, to the results or to a slot. */
template <class PLACE, typename INDEX>
GPU_FN void put_sum(const PLACE *at, const real *sum, int row, int col, INDEX slot)
{
    if (row < 0) {
        put_parts(at->slot(slot), at->half, sum);
    } else if (at->value) {
        const int64_t plane = col ? at->job->jacobians.plane : at->job->values.plane;
        double *to = (col ? at->jacobian + (col - 1) * at->job->jacobians.col : at->value) + row;
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            real_store(to + (at->half + e) * PLUMB_LIMBS * plane, plane, sum[e], 1);
    }
}

/* ---- The lists ---------------------------------------------------------------------------------------------------
 *
 * They do not wait for numbers: a thread reads those of its first item before the barrier behind which the numbers are, and those of
 * the next one before it is done with this one. Where there is no such item anything will do that can be read. */

typedef struct alignas(8) eval_factors {
    int32_t a, b;
} eval_factors;

template <class PLACE, typename INDEX> GPU_FN eval_factors factors_of(const PLACE *at, INDEX item, INDEX last)
{
    return item < last ? *(const eval_factors *)(at->factors + 2 * item) : eval_factors{0, 0};
}

/* A sum: where its terms or summands begin, how many there are, the slots of them, and where it goes. */
template <int MOST> struct eval_sum {
    int32_t first, count, row, col, slot[MOST];

    /* The next slot to the front: registers have no index, and loops are not always unrolled. */
    __device__ __forceinline__ void turn(void)
    {
        LANE_UNROLL
        for (int k = 0; k + 1 < MOST; k++)
            slot[k] = slot[k + 1];
    }
};
typedef eval_sum<EVAL_PIECE> eval_piece;
typedef eval_sum<EVAL_FOLD> eval_fold;

template <int MOST, typename INDEX>
GPU_FN eval_sum<MOST> sum_of(const int32_t *words, int starts, int slots, int rows, int cols, INDEX item, INDEX last)
{
    eval_sum<MOST> s = {0, 0, 0, 0, {0}};
    if (item < last) {
        const int32_t *start = words + words[starts], *slot = words + words[slots];
        s.first = start[item];
        s.count = start[item + 1] - s.first;
        s.row = words[words[rows] + item];
        s.col = words[words[cols] + item];
        LANE_UNROLL
        for (int k = 0; k < MOST; k++)
            s.slot[k] = k < s.count ? slot[s.first + k] : 0;
    }
    return s;
}

template <class PLACE, typename INDEX> GPU_FN eval_piece piece_of(const PLACE *at, INDEX item, INDEX last)
{
    return sum_of<EVAL_PIECE>(at->words, EVAL_PIECE_AT, EVAL_TERM_AT, EVAL_PIECE_ROW_AT, EVAL_PIECE_COL_AT, item, last);
}

template <class PLACE, typename INDEX> GPU_FN eval_fold fold_of(const PLACE *at, INDEX item, INDEX last)
{
    return sum_of<EVAL_FOLD>(at->words, EVAL_FOLD_AT, EVAL_SUMMAND_AT, EVAL_FOLD_ROW_AT, EVAL_FOLD_COL_AT, item, last);
}

/* ---- The steps: items from .. last - 1, as far as they are the thread's; f, p and s are the lists of its first one --- */

/* Where unknown v - 1 of a point comes from, turn by turn: neighbouring threads have neighbouring points. */
template <class PLACE, typename INDEX> GPU_FN const double *source_of(const PLACE *at, INDEX turn)
{
    const eval_gpu_job *job = at->job;
    const INDEX v = turn >> at->log_points();
    const int64_t point = at->first_point + (turn - (v << at->log_points()));
    return job->points.data + (point < job->batch ? point : job->batch - 1) * job->points.next + v - 1;
}

template <class PLACE, typename INDEX>
GPU_FN void load_points(const PLACE *at, double *numbers, INDEX thread, INDEX threads, const double *source)
{
    const int64_t plane = at->job->points.plane;
    const INDEX points = (INDEX)1 << at->log_points();
    for (INDEX turn = thread; turn < (at->job->program.unknowns + 1) * points; turn += threads) {
        double v[EVAL_PLANES];
        LANE_UNROLL
        for (int c = 0; c < EVAL_PLANES; c++)
            v[c] = turn >= points ? source[c * plane] : c == 0 ? 1.0 : 0.0;
        put_doubles<EVAL_PLANES>(numbers + turn * EVAL_PLANES, v);
        source = source_of(at, turn + threads);
    }
}

template <class PLACE, typename INDEX>
GPU_FN void make_products(const PLACE *at, INDEX from, INDEX last, eval_factors f)
{
    const INDEX to = 1 + at->job->program.unknowns;
    for (INDEX item = from + at->first; item < last; item += at->step) {
        const double *a = at->slot(f.a), *b = at->slot(f.b);
        real made[EACH]; /* all of it before anything is stored, so that operands are read once */
        f = factors_of(at, item + at->step, last);
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            made[e] = half_product(half_load(a, b, at->half + e));
        put_parts(at->slot(to + item), at->half, made);
    }
}

template <class PLACE, typename INDEX> GPU_FN void make_pieces(const PLACE *at, INDEX from, INDEX last, eval_piece p)
{
    const INDEX to = 1 + at->job->program.unknowns + at->words[EVAL_PRODUCTS];
    for (INDEX item = from + at->first; item < last; item += at->step) {
        const double *coefficient = at->coefficients + (INDEX)p.first * EVAL_PLANES;
        real_acc sum[EACH];
        real value[EACH];
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            sum[e] = real_acc_zero();
#pragma unroll TERMS_AT_ONCE
        for (int k = 0; k < EVAL_PIECE; k++) {
            half_factors f[EACH];
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                f[e] = half_load(coefficient + k * EVAL_PLANES, at->slot(p.slot[0]), at->half + e);
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                if (k < p.count)
                    sum[e] = half_add(sum[e], f[e]);
            p.turn();
        }
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            value[e] = real_acc_value(sum[e]);
        put_sum(at, value, p.row, p.col, to + item);
        p = piece_of(at, item + at->step, last);
    }
}

/* As a tree: neighbours first, then sums of two, then of four. */
template <class PLACE, typename INDEX> GPU_FN void make_folds(const PLACE *at, INDEX from, INDEX last, eval_fold s)
{
    const INDEX to = 1 + at->job->program.unknowns + at->words[EVAL_PRODUCTS] + at->words[EVAL_PIECES];
    for (INDEX item = from + at->first; item < last; item += at->step) {
        real sum[EVAL_FOLD][EACH];
        LANE_UNROLL
        for (int k = 0; k < EVAL_FOLD; k++) {
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                sum[k][e] = part_at(at->slot(s.slot[k]), at->half + e);
        }
        LANE_UNROLL
        for (int width = 1; width < EVAL_FOLD; width *= 2) {
            LANE_UNROLL
            for (int k = 0; k + width < EVAL_FOLD; k += 2 * width) {
                LANE_UNROLL
                for (int e = 0; e < EACH; e++)
                    if (k + width < s.count)
                        sum[k][e] = real_add(sum[k][e], sum[k + width][e]);
            }
        }
        put_sum(at, sum[0], s.row, s.col, to + item);
        s = fold_of(at, item + at->step, last);
    }
}

/* The derivatives that are zero wherever the point is. */
template <class PLACE> GPU_FN void put_zeros(const PLACE *at)
{
    const int32_t *words = at->words, *row = words + words[EVAL_ZERO_ROW_AT], *col = words + words[EVAL_ZERO_COL_AT];
    const real none[2] = {real_set(0.0), real_set(0.0)};
    for (int item = (int)at->first; item < words[EVAL_ZEROS]; item += (int)at->step)
        put_sum(at, none, row[item], col[item], 0);
}

/* ---- Everything in shared memory -------------------------------------------------------------------------------- */

/* The numbers of one group of points, level by level. f: the factors of the first level. */
template <class PLACE> GPU_FN void make_all(const PLACE *at, eval_factors f, eval_piece piece)
{
    const int32_t *words = at->words, *level = words + words[EVAL_LEVEL_AT], *stage = words + words[EVAL_STAGE_AT];
    const int levels = words[EVAL_LEVELS], stages = words[EVAL_STAGES], pieces = words[EVAL_PIECES];
    int from = level[0], last = level[levels > 0];
    for (int l = 0; l < levels; l++) {
        make_products(at, from, last, f);
        from = last;
        last = level[l + 1 < levels ? l + 2 : l + 1];
        f = factors_of(at, from + at->first, last);
        gpu_sync();
    }
    make_pieces(at, 0, pieces, piece);
    put_zeros(at);
    for (int s = 0; s < stages; s++) {
        const eval_fold fold = fold_of(at, stage[s] + at->first, stage[s + 1]);
        gpu_sync();
        make_folds(at, stage[s], stage[s + 1], fold);
    }
}

template <int LOG> GPU_FN void all_parts(const eval_gpu_job &job)
{
    const int part = gpu_block() % job.program.parts, thread = gpu_thread(), threads = gpu_threads();
    const int64_t points = (int64_t)1 << LOG;
    double *shared = gpu_shared(), *numbers = shared + job.program.part_doubles;
    const double *from = job.program.parts_at + part * job.program.part_doubles;
    for (int i = thread; i < (int)job.program.part_doubles; i += threads)
        gpu_copy(shared + i, from + i);
    gpu_copies_done();
    gpu_sync();

    eval_place<int32_t, LOG> at;
    at.take(&job, shared, numbers, thread, threads);
    at.go_to(gpu_block() / job.program.parts * points);
    const int32_t *level = at.words + at.words[EVAL_LEVEL_AT];
    const eval_factors factors = factors_of(&at, level[0] + at.first, level[at.words[EVAL_LEVELS] > 0]);
    const eval_piece piece = piece_of(&at, at.first, at.words[EVAL_PIECES]);
    const double *source = source_of(&at, thread);
    gpu_previous_done(); /* the program has always been there, the points may be new */
    gpu_next_may_begin();
    while (at.first_point < job.batch) {
        load_points(&at, numbers, thread, threads, source);
        gpu_sync();
        make_all(&at, factors, piece);
        at.go_to(at.first_point + job.blocks * points);
        source = source_of(&at, thread);
        if (at.first_point < job.batch)
            gpu_sync(); /* the next points come where these were */
    }
}

/* A kernel for each logarithm of the points of a group. */
#if PLUMB_LIMBS == 1
#define EVAL_KERNELS(X) X(0) X(1) X(2) X(3)
#elif PLUMB_LIMBS == 2
#define EVAL_KERNELS(X) X(0) X(1) X(2)
#else
#define EVAL_KERNELS(X) X(0) X(1)
#endif
#define EVAL_KERNEL(log)                                                               \
    static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS)) \
        eval_parts_##log(const __grid_constant__ eval_gpu_job job)                     \
    {                                                                                  \
        all_parts<log>(job);                                                           \
    }
EVAL_KERNELS(EVAL_KERNEL)

/* ---- Numbers in global memory ----------------------------------------------------------------------------------- */

/* A thread an item, a row of blocks a group of points. */
static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS))
    NUM_NAME(eval_step)(const eval_gpu_job job, const eval_gpu_step todo)
{
    const int64_t thread = (int64_t)gpu_block() * gpu_threads() + gpu_thread();
    const int64_t threads = (int64_t)gpu_blocks() * gpu_threads(), group = gpu_block_y();
    double *numbers = job.slots + group * EVAL_PLANES * ((int64_t)job.program.slots << job.log_points);
    const real none[2] = {real_set(0.0), real_set(0.0)};
    eval_place<int64_t, -1> at;
    at.take(&job, job.program.parts_at, numbers, thread, threads);
    at.go_to(group << job.log_points);
    const int64_t first = todo.first + at.first;
    switch (todo.what) {
    case EVAL_DO_LOAD:
        load_points(&at, numbers, thread, threads, source_of(&at, thread));
        break;
    case EVAL_DO_PRODUCTS:
        make_products(&at, todo.first, todo.last, factors_of(&at, first, todo.last));
        break;
    case EVAL_DO_PIECES:
        make_pieces(&at, todo.first, todo.last, piece_of(&at, first, todo.last));
        break;
    case EVAL_DO_FOLDS:
        make_folds(&at, todo.first, todo.last, fold_of(&at, first, todo.last));
        break;
    default: /* entry i of the Jacobians, column by column */
        for (int64_t item = at.first; item < todo.last; item += at.step)
            put_sum(&at, none, (int)(item % job.program.equations), 1 + (int)(item / job.program.equations), 0);
    }
}

/* ---- Launches ---------------------------------------------------------------------------------------------------- */

static const void *const kernels[] = {
#define EVAL_ENTRY(log) (const void *)eval_parts_##log,
    EVAL_KERNELS(EVAL_ENTRY)};
static_assert(sizeof kernels / sizeof kernels[0] == EVAL_MOST_LOG(PLUMB_LIMBS) + 1, "a kernel for each group");

extern "C" plumb_status NUM_NAME(plumb_cuda_eval_parts)(const eval_gpu_job *job, size_t shared, void *stream,
                                                        char *message, size_t message_size)
{
    cudaError_t error = eval_prepare(kernels);
    if (error == cudaSuccess)
        error = eval_launch(kernels[job->log_points], job, shared, stream);
    return eval_say(error, message, message_size);
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
    return eval_say(cudaLaunchKernel((const void *)NUM_NAME(eval_step), dim3((unsigned)blocks, (unsigned)job.blocks),
                                dim3(EVAL_THREADS), arguments, 0, (cudaStream_t)stream),
               message, message_size);
}

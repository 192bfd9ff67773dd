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

/* Terms of a piece and summands of a fold whose numbers are on their way at once: as many as there are registers for. */
enum { TERMS_AT_ONCE = PLUMB_LIMBS == 1 ? EVAL_PIECE : PLUMB_LIMBS == 2 ? 2 : 1 };
enum { SUMMANDS_AT_ONCE = PLUMB_LIMBS == 4 ? 2 : EVAL_FOLD };

/* Where a block finds the words of its part, its coefficients and its numbers. In shared memory an index is 32 bits long. */
template <typename INDEX> struct eval_place {
    const int32_t *words, *a, *b; /* a, b: the factors */
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

/* ---- The lists ---------------------------------------------------------------------------------------------------
 *
 * What a turn needs of them. They do not wait for numbers: a thread reads those of its first turn before the barrier behind which
 * the numbers are, and those of the next one before it is done with this one. Where there is no such turn anything will do that
 * can be read. */

template <typename INDEX> struct eval_factors {
    INDEX a, b;
};

template <typename INDEX>
GPU_FN eval_factors<INDEX> factors_of(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last,
                                      INDEX turn)
{
    const INDEX i = from + turn_of<INDEX>(job, turn).item;
    eval_factors<INDEX> f = {0, 0};
    if (i < last)
        f.a = at->a[i], f.b = at->b[i];
    return f;
}

/* A sum: where its terms or summands begin, how many there are, the slots of them, and where it goes. */
template <typename INDEX, int MOST> struct eval_sum {
    int32_t first, count, row, col;
    INDEX slot[MOST];
};

template <typename INDEX, int MOST>
GPU_FN eval_sum<INDEX, MOST> sum_of(const eval_gpu_job *job, const int32_t *words, int starts, int slots, int rows,
                                    int cols, INDEX from, INDEX last, INDEX turn)
{
    const INDEX i = from + turn_of<INDEX>(job, turn).item;
    eval_sum<INDEX, MOST> s = {0, 0, 0, 0, {0}};
    if (i < last) {
        const int32_t *start = words + words[starts], *slot = words + words[slots];
        s.first = start[i];
        s.count = start[i + 1] - s.first;
        s.row = words[words[rows] + i];
        s.col = words[words[cols] + i];
        LANE_UNROLL
        for (int k = 0; k < MOST; k++)
            s.slot[k] = k < s.count ? slot[s.first + k] : 0;
    }
    return s;
}

/* The next slot to the front: registers have no index, and loops are not always unrolled. */
template <typename INDEX, int MOST> GPU_FN void turn_slots(eval_sum<INDEX, MOST> *s)
{
    LANE_UNROLL
    for (int k = 0; k + 1 < MOST; k++)
        s->slot[k] = s->slot[k + 1];
}

template <typename INDEX> using eval_piece = eval_sum<INDEX, EVAL_PIECE>;
template <typename INDEX> using eval_fold = eval_sum<INDEX, EVAL_FOLD>;

template <typename INDEX>
GPU_FN eval_piece<INDEX> piece_of(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last,
                                  INDEX turn)
{
    return sum_of<INDEX, EVAL_PIECE>(job, at->words, EVAL_PIECE_AT, EVAL_TERM_AT, EVAL_PIECE_ROW_AT, EVAL_PIECE_COL_AT,
                                     from, last, turn);
}

template <typename INDEX>
GPU_FN eval_fold<INDEX> fold_of(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last,
                                INDEX turn)
{
    return sum_of<INDEX, EVAL_FOLD>(job, at->words, EVAL_FOLD_AT, EVAL_SUMMAND_AT, EVAL_FOLD_ROW_AT, EVAL_FOLD_COL_AT,
                                    from, last, turn);
}

/* ---- The steps: turns first, first + step, ... of items from .. last - 1; f, p and s are the lists of the first ------- */

template <typename INDEX>
GPU_FN void load_points(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX first, INDEX step)
{
    const INDEX turns = (INDEX)(job->program.unknowns + 1) << job->log_points;
    for (INDEX turn = first; turn < turns; turn += step) {
        const INDEX v = turn >> job->log_points;
        const int i = (int)(turn - (v << job->log_points));
        const int64_t point = at->first_point + i < job->batch ? at->first_point + i : job->batch - 1;
        const double *from = job->points.data + point * job->points.next + v - 1;
        double *to = slot_at(job, at, v, i);
        LANE_UNROLL
        for (int c = 0; c < EVAL_PLANES; c++)
            to[c * at->plane] = v > 0 ? from[c * job->points.plane] : c == 0 ? 1.0 : 0.0;
    }
}

template <typename INDEX>
GPU_FN void make_products(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last, INDEX first,
                          INDEX step, eval_factors<INDEX> f)
{
    const INDEX to = 1 + job->program.unknowns + from, turns = (last - from) << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        const double *x = slot_at<INDEX>(job, at, f.a, t.point), *y = slot_at<INDEX>(job, at, f.b, t.point);
        double *product = slot_at<INDEX>(job, at, to + t.item, t.point);
        real made[EACH]; /* all of it before anything is stored, so that operands are read once */
        f = factors_of(job, at, from, last, turn + step);
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
                        INDEX step, eval_piece<INDEX> p)
{
    const INDEX to = 1 + job->program.unknowns + at->words[EVAL_PRODUCTS] + from;
    const INDEX turns = (last - from) << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        real_acc sum[EACH];
        real value[EACH];
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            sum[e] = real_acc_zero();
#pragma unroll TERMS_AT_ONCE
        for (int k = 0; k < EVAL_PIECE; k++) {
            const double *x = slot_at<INDEX>(job, at, p.slot[0], t.point);
            const double *coefficient = at->coefficients + p.first + (k < p.count ? k : 0);
            half_factors f[EACH];
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                f[e] = half_load(coefficient, (INDEX)job->program.terms, x, at->plane, t.half + e);
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                if (k < p.count)
                    sum[e] = half_add(sum[e], f[e]);
            turn_slots(&p);
        }
        LANE_UNROLL
        for (int e = 0; e < EACH; e++)
            value[e] = real_acc_value(sum[e]);
        put_sum(job, at, t, value, p.row, p.col, to + t.item);
        p = piece_of(job, at, from, last, turn + step);
    }
}

template <typename INDEX>
GPU_FN void make_folds(const eval_gpu_job *job, const eval_place<INDEX> *at, INDEX from, INDEX last, INDEX first,
                       INDEX step, eval_fold<INDEX> s)
{
    const INDEX to = 1 + job->program.unknowns + at->words[EVAL_PRODUCTS] + at->words[EVAL_PIECES] + from;
    const INDEX turns = (last - from) << (HALVES + job->log_points);
    for (INDEX turn = first; turn < turns; turn += step) {
        const eval_turn<INDEX> t = turn_of<INDEX>(job, turn);
        real sum[EACH] = {};
#pragma unroll SUMMANDS_AT_ONCE
        for (int k = 0; k < EVAL_FOLD; k++) {
            const double *x = slot_at<INDEX>(job, at, s.slot[0], t.point) + t.half * PLUMB_LIMBS * at->plane;
            real summand[EACH];
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                summand[e] = real_load(x + e * PLUMB_LIMBS * at->plane, at->plane, 1);
            LANE_UNROLL
            for (int e = 0; e < EACH; e++)
                if (k < s.count)
                    sum[e] = k == 0 ? summand[e] : real_add(sum[e], summand[e]);
            turn_slots(&s);
        }
        put_sum(job, at, t, sum, s.row, s.col, to + t.item);
        s = fold_of(job, at, from, last, turn + step);
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

/* The numbers of one group of points, level by level. f: the factors of the first level. */
GPU_FN void make_all(const eval_gpu_job *job, const eval_place<int32_t> *at, eval_factors<int32_t> f,
                     eval_piece<int32_t> piece)
{
    const int thread = gpu_thread(), threads = gpu_threads();
    const int32_t *words = at->words, *level = words + words[EVAL_LEVEL_AT], *stage = words + words[EVAL_STAGE_AT];
    const int levels = words[EVAL_LEVELS], stages = words[EVAL_STAGES], pieces = words[EVAL_PIECES];
    int from = level[0], last = level[levels > 0];
    for (int l = 0; l < levels; l++) {
        make_products(job, at, from, last, thread, threads, f);
        from = last;
        last = level[l + 1 < levels ? l + 2 : l + 1];
        f = factors_of(job, at, from, last, thread);
        gpu_sync();
    }
    make_pieces(job, at, 0, pieces, thread, threads, piece);
    put_zeros(job, at, thread, threads);
    for (int s = 0; s < stages; s++) {
        const eval_fold<int32_t> fold = fold_of(job, at, stage[s], stage[s + 1], thread);
        gpu_sync();
        make_folds(job, at, stage[s], stage[s + 1], thread, threads, fold);
    }
}

static __global__ void __launch_bounds__(EVAL_THREADS, EVAL_RESIDENT(PLUMB_LIMBS))
    NUM_NAME(eval_parts)(const eval_gpu_job job)
{
    const int part = gpu_block() % job.program.parts, thread = gpu_thread(), threads = gpu_threads();
    const int64_t points = (int64_t)1 << job.log_points;
    double *shared = gpu_shared();
    const double *from = job.program.parts_at + part * job.program.part_doubles;
    for (int i = thread; i < (int)job.program.part_doubles; i += threads)
        gpu_copy(shared + i, from + i);
    gpu_copies_done();
    gpu_sync();

    eval_place<int32_t> at;
    at.words = (const int32_t *)shared;
    at.a = at.words + at.words[EVAL_A_AT];
    at.b = at.words + at.words[EVAL_B_AT];
    at.coefficients = shared + job.program.words / 2;
    at.slots = shared + job.program.part_doubles;
    at.plane = job.program.slots << job.log_points;
    const int32_t *level = at.words + at.words[EVAL_LEVEL_AT];
    const eval_factors<int32_t> first = factors_of(&job, &at, level[0], level[at.words[EVAL_LEVELS] > 0], thread);
    const eval_piece<int32_t> piece = piece_of(&job, &at, 0, at.words[EVAL_PIECES], thread);
    gpu_previous_done(); /* the program has always been there, the points may be new */
    gpu_next_may_begin();
    at.first_point = gpu_block() / job.program.parts * points;
    while (at.first_point < job.batch) {
        load_points(&job, &at, thread, threads);
        gpu_sync();
        make_all(&job, &at, first, piece);
        at.first_point += job.blocks * points;
        if (at.first_point < job.batch)
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
    at.a = at.words + at.words[EVAL_A_AT];
    at.b = at.words + at.words[EVAL_B_AT];
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
        make_products(&job, &at, todo.first, todo.last, first, step,
                      factors_of(&job, &at, todo.first, todo.last, first));
        break;
    case EVAL_DO_PIECES:
        make_pieces(&job, &at, todo.first, todo.last, first, step, piece_of(&job, &at, todo.first, todo.last, first));
        break;
    case EVAL_DO_FOLDS:
        make_folds(&job, &at, todo.first, todo.last, first, step, fold_of(&job, &at, todo.first, todo.last, first));
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

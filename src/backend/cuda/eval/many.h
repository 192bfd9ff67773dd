/* many.h - values and derivatives of a polynomial system, each number by one thread. eval_many.cu has the kernels for many points,
 * and tracking evaluates with the threads that follow a path (backend/cuda/track/follow.cu).
 *
 * A thread computes whole numbers of one point: the powers of an unknown, the value and derivatives of a monomial, a sum. Few numbers
 * therefore go through shared memory, and threads meet only between the steps.
 *
 * Neighbouring threads have neighbouring points. A number is stored as pairs of doubles, and pair q of slot s of
 * point i begins at slots[((s*CHUNKS + q)*points + i)*WIDTH], so that eight threads that read a pair use all banks. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_MANY_H
#define PLUMB_BACKEND_CUDA_EVAL_MANY_H

#include "backend/cuda/eval/gpu.h"
#include "backend/cuda/runtime/gpu.h"

#define PLUMB_LANE_HEADER "arith/lane_cuda.h"
#include "arith/product.h"
#include "backend/cuda/eval/bunch.h"
#include "backend/cuda/eval/number.h"

/* ---- Numbers ----------------------------------------------------------------------------------------------------- */

/* Those of the kernel. */
struct many_numbers {
    typedef num number;
    typedef num_acc sum;
    enum { planes = PLUMB_PARTS * PLUMB_LIMBS, at_once = PLUMB_LIMBS == 1 ? EVAL_PIECE : PLUMB_LIMBS == 2 ? 2 : 1 };

    static __device__ __forceinline__ number load(const double *p, int64_t plane)
    {
        return num_load(p, plane, 1);
    }
    static __device__ __forceinline__ void store(double *p, int64_t plane, number a)
    {
        num_store(p, plane, a, 1);
    }
    static __device__ __forceinline__ number product(number a, number b)
    {
        return num_product(a, b);
    }
    static __device__ __forceinline__ number add(number a, number b)
    {
        return num_add(a, b);
    }
    static __device__ __forceinline__ sum none(void)
    {
        return num_acc_zero();
    }
    static __device__ __forceinline__ sum plus(sum s, number a, number b)
    {
        return num_acc_add(s, a, b);
    }
    static __device__ __forceinline__ number value(sum s)
    {
        return num_acc_value(s);
    }
};

/* Real doubles in a kernel for other numbers, with the operations of d.h: the sizes of terms. */
struct many_doubles {
    typedef double number, sum;
    enum { planes = 1, at_once = EVAL_PIECE };

    static __device__ __forceinline__ number load(const double *p, int64_t)
    {
        return *p;
    }
    static __device__ __forceinline__ void store(double *p, int64_t, number a)
    {
        *p = a;
    }
    static __device__ __forceinline__ number product(number a, number b)
    {
        return lane_mul(a, b);
    }
    static __device__ __forceinline__ number add(number a, number b)
    {
        return lane_add(a, b);
    }
    static __device__ __forceinline__ sum none(void)
    {
        return 0.0;
    }
    static __device__ __forceinline__ sum plus(sum s, number a, number b)
    {
        return lane_fma(a, b, s);
    }
    static __device__ __forceinline__ number value(sum s)
    {
        return s;
    }
};

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* How the threads that share a place meet. */
struct many_block {
    __device__ __forceinline__ void sync(void) const
    {
        gpu_sync();
    }
};

/* The work of a thread: items first, first + step, ... of a list, for one point of the group. */
template <int LOG, class NUMBERS = many_numbers, class TEAM = many_block> struct many_place {
    typedef NUMBERS numbers;
    typedef typename NUMBERS::number number;
    enum { PLANES = NUMBERS::planes, WIDTH = PLANES > 1 ? 2 : 1, CHUNKS = PLANES / WIDTH };
    TEAM team;
    const eval_gpu_job *job;
    const int32_t *words;
    const double *coefficients;
    double *slots; /* slots of the point */
    int first, step, point;
    int64_t first_point;      /* first point of the group */
    double *value, *jacobian; /* results of the point; NULL beyond the last point */

    __device__ __forceinline__ void take(const eval_gpu_job *given, const double *part, double *numbers, int thread,
                                         int threads)
    {
        job = given;
        words = (const int32_t *)part;
        coefficients = part + job->program.words / 2;
        point = thread & ((1 << LOG) - 1);
        first = thread >> LOG;
        step = threads >> LOG;
        slots = numbers + point * WIDTH;
    }
    __device__ __forceinline__ void go_to(int64_t from)
    {
        const int64_t mine = from + point;
        first_point = from;
        value = mine < job->batch ? job->values.data + mine * job->values.next : nullptr;
        jacobian = job->jacobians.data + mine * job->jacobians.next;
    }

    __device__ __forceinline__ number get(int slot) const
    {
        double v[PLANES];
        const double *from = slots + (slot * CHUNKS << LOG) * WIDTH;
        LANE_UNROLL
        for (int q = 0; q < CHUNKS; q++)
            get_doubles<WIDTH>(from + (q << LOG) * WIDTH, v + q * WIDTH);
        return NUMBERS::load(v, 1);
    }
    __device__ __forceinline__ void put(int slot, number a) const
    {
        double v[PLANES], *to = slots + (slot * CHUNKS << LOG) * WIDTH;
        NUMBERS::store(v, 1, a);
        LANE_UNROLL
        for (int q = 0; q < CHUNKS; q++) {
            if constexpr (WIDTH == 2)
                gpu_put_pair(to + (q << LOG) * WIDTH, v[q * WIDTH], v[q * WIDTH + 1]);
            else
                *to = v[0];
        }
    }
    __device__ __forceinline__ void put_result(int row, int col, number a) const
    {
        if (!value)
            return;
        if (col)
            NUMBERS::store(jacobian + (col - 1) * job->jacobians.col + row, job->jacobians.plane, a);
        else
            NUMBERS::store(value + row, job->values.plane, a);
    }
    /* Stores a sum in the results, or in a slot if row < 0. */
    __device__ __forceinline__ void put_sum(int row, int col, int slot, number a) const
    {
        if (row < 0)
            put(slot, a);
        else
            put_result(row, col, a);
    }
    __device__ __forceinline__ number coefficient(int term) const
    {
        double v[PLANES];
        get_doubles<PLANES>(coefficients + term * PLANES, v);
        return NUMBERS::load(v, 1);
    }
};

/* ---- The steps --------------------------------------------------------------------------------------------------- */

/* Loads an unknown and computes its lower powers: x^e = x^ceil(e/2) * x^floor(e/2). */
template <class PLACE> GPU_FN void load_point(const PLACE *at)
{
    const eval_gpu_job *job = at->job;
    const int32_t *powers = at->words + at->words[EVAL_POWERS_AT];
    const int64_t last = job->batch - 1, mine = at->first_point + at->point;
    const double *x = job->points.data + (mine < last ? mine : last) * job->points.next;
#pragma unroll 1
    for (int v = at->first; v < job->program.unknowns; v += at->step) {
        const int32_t *slot = powers + v * EVAL_POWERS;
        const int most = slot[0];
        typename PLACE::number power[EVAL_POWERS + 1];
        power[1] = PLACE::numbers::load(x + v, job->points.plane);
        at->put(1 + v, power[1]);
        LANE_UNROLL
        for (int e = 2; e <= EVAL_POWERS; e++) {
            if (e > most)
                break;
            power[e] = PLACE::numbers::product(power[(e + 1) / 2], power[e / 2]);
            if (slot[e - 1])
                at->put(slot[e - 1], power[e]);
        }
    }
}

template <class PLACE> GPU_FN void make_products(const PLACE *at)
{
    const int32_t *words = at->words, *factors = words + words[EVAL_FACTORS_AT], *level = words + words[EVAL_LEVEL_AT];
    for (int l = 0; l < words[EVAL_LEVELS]; l++) {
#pragma unroll 1
        for (int item = level[l] + at->first; item < level[l + 1]; item += at->step)
            at->put(1 + at->job->program.unknowns + item,
                    PLACE::numbers::product(at->get(factors[2 * item]), at->get(factors[2 * item + 1])));
        at->team.sync();
    }
}

/* Computes the bunches of K factors. next is the first one of this thread, because bunches of all sizes are dealt out
 * to the threads in turn. */
template <int K, class PLACE> GPU_FN void make_bunches_of(const PLACE *at, int next)
{
    const int32_t *table = at->words + at->words[EVAL_BUNCHES_AT];
    const int count = table[2 * K];
    const int32_t *words = at->words + table[2 * K + 1];
#pragma unroll 1
    for (; next < count; next += at->step) {
        eval_bunch<K, PLACE> bunch;
        bunch.make(at, words + next * (2 + 2 * K));
    }
    if constexpr (K < EVAL_BUNCH)
        make_bunches_of<K + 1>(at, next - count);
}

/* Sums are padded to the same number of terms: surplus terms are readable and are not added. */
template <class PLACE>
GPU_FN typename PLACE::number sum_of_piece(const PLACE *at, const int32_t *slot, int first, int count)
{
    typedef typename PLACE::numbers numbers;
    enum { TERMS_AT_ONCE = numbers::at_once };
    typename numbers::sum sum = numbers::none();
    LANE_UNROLL
    for (int k = 0; k < EVAL_PIECE; k += TERMS_AT_ONCE) {
        typename numbers::number a[TERMS_AT_ONCE], b[TERMS_AT_ONCE];
        LANE_UNROLL
        for (int t = 0; t < TERMS_AT_ONCE; t++) {
            a[t] = at->coefficient(first + k + t);
            b[t] = at->get(k + t < count ? slot[first + k + t] : 0);
        }
        LANE_UNROLL
        for (int t = 0; t < TERMS_AT_ONCE; t++)
            if (k + t < count)
                sum = numbers::plus(sum, a[t], b[t]);
    }
    return numbers::value(sum);
}

typedef struct alignas(16) sum_words {
    int32_t first, count, row, col;
} sum_words;

template <class PLACE> GPU_FN void make_sums(const PLACE *at)
{
    const int32_t *words = at->words, *slot = words + words[EVAL_TERM_AT];
    const sum_words *sums = (const sum_words *)(words + words[EVAL_SUMS_AT]);
    const int to = 1 + at->job->program.unknowns + words[EVAL_PRODUCTS];
#pragma unroll 1
    for (int item = at->first; item < words[EVAL_SUMS]; item += at->step) {
        const sum_words s = sums[item];
        typename PLACE::number sum = sum_of_piece(at, slot, s.first, s.count);
        if (s.count > EVAL_PIECE)
            sum = PLACE::numbers::add(sum, sum_of_piece(at, slot, s.first + EVAL_PIECE, s.count - EVAL_PIECE));
        at->put_sum(s.row, s.col, to + item, sum);
    }
}

/* Adds as a tree: neighbours first, then sums of two, then sums of four. */
template <class PLACE> GPU_FN void make_folds(const PLACE *at, int from, int last)
{
    const int32_t *words = at->words, *start = words + words[EVAL_FOLD_AT], *slot = words + words[EVAL_SUMMAND_AT];
    const int to = 1 + at->job->program.unknowns + words[EVAL_PRODUCTS] + words[EVAL_PIECES];
#pragma unroll 1
    for (int item = from + at->first; item < last; item += at->step) {
        const int first = start[item], count = start[item + 1] - first;
        typename PLACE::number sum[EVAL_FOLD];
        LANE_UNROLL
        for (int k = 0; k < EVAL_FOLD; k++)
            sum[k] = at->get(k < count ? slot[first + k] : 0);
        LANE_UNROLL
        for (int width = 1; width < EVAL_FOLD; width *= 2) {
            LANE_UNROLL
            for (int k = 0; k + width < EVAL_FOLD; k += 2 * width)
                if (k + width < count)
                    sum[k] = PLACE::numbers::add(sum[k], sum[k + width]);
        }
        at->put_sum(words[words[EVAL_FOLD_ROW_AT] + item], words[words[EVAL_FOLD_COL_AT] + item], to + item, sum[0]);
    }
}

/* Computes the numbers of the points of the group; all threads that share the place call. */
template <class PLACE> GPU_FN void make_group(const PLACE *at)
{
    const int32_t *words = at->words, *stage = words + words[EVAL_STAGE_AT];
    load_point(at);
    at->team.sync();
    make_products(at);
    make_bunches_of<2>(at, at->first);
    at->team.sync();
    make_sums(at);
    at->team.sync(); /* the next points may overwrite these, because folds do not read them */
    for (int s = 0; s < words[EVAL_STAGES]; s++) {
        if (s > 0)
            at->team.sync();
        make_folds(at, stage[s], stage[s + 1]);
    }
}

#endif

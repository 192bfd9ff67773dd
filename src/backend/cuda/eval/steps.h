/* steps.h - the steps of an evaluation: load the points, then compute products, pieces of sums, and sums of pieces.
 * The items of each step are shared by the threads of a block, or of all blocks. Slot s of point i of a group begins
 * at slots[(s*points + i)*EVAL_PLANES].
 *
 * For one point a level takes a few hundred cycles, mostly waiting, so the number of dependent instructions from one
 * number to the next matters. Therefore lists are read ahead, addresses have few terms, and numbers are loaded in
 * pairs of doubles. */
#ifndef PLUMB_BACKEND_CUDA_EVAL_STEPS_H
#define PLUMB_BACKEND_CUDA_EVAL_STEPS_H

#include "backend/cuda/eval/half.h"

/* The number of terms of a piece that are loaded at once: as many as there are registers for. */
enum { TERMS_AT_ONCE = PLUMB_LIMBS == 1 ? EVAL_PIECE : PLUMB_LIMBS == 2 ? 2 : 1 };

/* ---- Places ------------------------------------------------------------------------------------------------------ */

/* The location of words, coefficients and numbers of a part, and the work of a thread: items first, first + step, ...
 * of a list, one half, one point of the group. In shared memory an index has 32 bits. LOG is the logarithm of the
 * number of points of a group, or -1 if it is not known at compile time. */
template <typename INDEX, int LOG> struct eval_place {
    const eval_gpu_job *job;
    const int32_t *words, *factors;
    const double *coefficients;
    double *slots; /* slots of the point */
    INDEX first, step;
    int half, point;
    int64_t first_point;      /* first point of the group */
    double *value, *jacobian; /* results of the point; NULL beyond the last point */

    __device__ __forceinline__ int log_points(void) const
    {
        return LOG >= 0 ? LOG : job->log_points;
    }
    __device__ __forceinline__ double *slot(INDEX s) const
    {
        return slots + (s << log_points()) * EVAL_PLANES;
    }

    /* Sets up the work of one of `threads` threads. */
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
    /* Moves to the group that begins with this point. */
    __device__ __forceinline__ void go_to(int64_t from)
    {
        const int64_t mine = from + point;
        first_point = from;
        value = mine < job->batch ? job->values.data + mine * job->values.next : nullptr;
        jacobian = job->jacobians.data + mine * job->jacobians.next;
    }
};

/* Stores a sum, or the part of it that this thread has, in the results or in a slot. */
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
 * Lists do not depend on numbers: a thread reads the list of its first item before the barrier after which the
 * numbers are available, and that of the next item before it has finished the current one. If there is no such item,
 * it reads any readable words. */

typedef struct alignas(8) eval_factors {
    int32_t a, b;
} eval_factors;

template <class PLACE, typename INDEX> GPU_FN eval_factors factors_of(const PLACE *at, INDEX item, INDEX last)
{
    return item < last ? *(const eval_factors *)(at->factors + 2 * item) : eval_factors{0, 0};
}

/* A sum: the first of its terms or summands, their number, their slots, and its destination. */
template <int MOST> struct eval_sum {
    int32_t first, count, row, col, slot[MOST];

    /* Moves the next slot to the front, because registers cannot be indexed and loops are not always unrolled. */
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

/* The source of unknown v - 1 of a point, turn by turn; neighbouring threads have neighbouring points. */
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
        real made[EACH]; /* computed completely before anything is stored, so that operands are read once */
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

/* Adds as a tree: neighbours first, then sums of two, then sums of four. */
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

/* Writes the derivatives that are identically zero. */
template <class PLACE> GPU_FN void put_zeros(const PLACE *at)
{
    const int32_t *words = at->words, *row = words + words[EVAL_ZERO_ROW_AT], *col = words + words[EVAL_ZERO_COL_AT];
    const real none[2] = {real_set(0.0), real_set(0.0)};
    for (int item = (int)at->first; item < words[EVAL_ZEROS]; item += (int)at->step)
        put_sum(at, none, row[item], col[item], 0);
}

#endif

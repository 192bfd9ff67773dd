/* sides.h - right-hand sides in the kernels of mgs_registers.cu for many problems. W is one of their in_registers.
 *
 * A warp has 8 to 32 columns there, and all its slots are full if it has columns of A alone. A right-hand side among them
 * would mean one more warp, or one more slot that is almost empty. Right-hand sides are in shared memory instead, and the last
 * warp of a problem takes care of them beside its columns: all its threads share one of them, with one or two rows each. The square
 * norm of the pivot, which everybody needs, is summed beside the product with the first one. If the problem has one warp, all
 * instructions of a step are in one stream; otherwise the warp sends the inverse of the square norm to the others while they
 * multiply. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_SIDES_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_SIDES_H

#include "backend/cuda/lsq/group.h"
#include "backend/cuda/lsq/registers/registers.h"

template <class W> struct side_rows {
    static const int count = (W::height + GPU_WARP - 1) / GPU_WARP;
    num row[count];

    __device__ __forceinline__ void read(const W *w, const double *at)
    {
        LANE_UNROLL
        for (int i = 0; i < count; i++) {
            const int r = GPU_WARP * i + w->lane, there = W::height % GPU_WARP == 0 || r < W::height;
            double v[W::a_number];
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++) {
                v[2 * q] = v[2 * q + 1] = 0.0;
                gpu_get(&v[2 * q], &v[2 * q + 1], at + 2 * (q * W::height + r), there);
            }
            row[i] = num_of_limbs(v);
        }
    }
    __device__ __forceinline__ void write(const W *w, double *at) const
    {
        LANE_UNROLL
        for (int i = 0; i < count; i++) {
            const int r = GPU_WARP * i + w->lane;
            w->store_pairs(at + 2 * r, W::height, row[i], W::height % GPU_WARP == 0 || r < W::height);
        }
    }
    /* Removes the pivot times a coefficient. */
    __device__ __forceinline__ void remove(const side_rows &pivot, num c)
    {
        LANE_UNROLL
        for (int i = 0; i < count; i++)
            row[i] = rest_near(row[i], pivot.row[i], c);
    }
};

template <class W> GPU_FN double *side_at(const W *w, int s)
{
    return w->pivots + (w->slots + s) * W::step;
}

template <class W> GPU_FN void side_coefficient(const W *w, int s, int k, num c)
{
    w->store_pairs(w->kept + (SMALL_COEFFICIENTS(w->cols, w->cols + s) + k) * W::a_number, 1, num_settled(c),
                   w->lane == 0 && w->cols + s < w->all);
}

/* Loads and scales all right-hand sides; zeros if there are none. */
template <class W> GPU_FN void sides_load(W *w, const mgs_gpu_job *job)
{
    const int places = REGISTERS_SIDE_PLACES(w->cols, w->all);
    for (int s = 0; s < places; s++) {
        side_rows<W> own;
        const int j = w->cols + s, exists = j < w->all;
        rows_load<side_rows<W>::count, GPU_WARP>(job, w->problem, j, exists, w->lane, own.row);
        const int size = gpu_max(rows_largest<side_rows<W>::count>(own.row));
        double squares;
        const int power = rows_scale<side_rows<W>::count>(own.row, size, &squares);
        own.write(w, side_at(w, s));
        if (w->lane == 0 && exists)
            w->note_power(j, power, size);
    }
}

/* A step for the first right-hand side, and the square norm of the pivot. */
template <class W> struct side_step {
    side_rows<W> pivot, own;
    real_acc sum[3];
    real inverse; /* of the square norm; 0 if the column depends on others */
    int depends;

    __device__ __forceinline__ void multiply(const W *w, const double *at)
    {
        const double bound = at[W::tail];
        pivot.read(w, at);
        own.read(w, side_at(w, 0));
        sum[0] = rows_square<side_rows<W>::count>(pivot.row);
        rows_dot<side_rows<W>::count>(pivot.row, own.row, sum + 1);
        warp_sums_3(sum, w->lane);
        depends = !(real_head(sum[0]) > bound);
        inverse = real_select(!depends, inverse_near(sum[0]), real_set(0.0));
    }
    /* The other warps find the inverse where the bound was. */
    __device__ __forceinline__ void send(const W *w, double *at, gpu_barrier *barrier) const
    {
        double v[LIMBS];
        limbs_of_real(v, inverse);
        if (w->lane == 0) {
            gpu_put(at + W::tail, v[0], v[LIMBS - 1], 1);
            gpu_barrier_arrive(barrier);
        }
    }
    __device__ __forceinline__ void remove(W *w, int k)
    {
        const num c = num_loose(sum[1], sum[2], inverse);
        own.remove(pivot, c);
        own.write(w, side_at(w, 0));
        side_coefficient(w, 0, k, c);
        if (w->lane == 0)
            w->note_square(k, acc_total(sum[0]), depends);
    }
};

/* Step k for all other right-hand sides. */
template <class W> GPU_FN void sides_take_others(const W *w, int k, const double *at, real inverse)
{
#pragma unroll 1
    for (int s = 1; s < w->all - w->cols; s++) {
        side_rows<W> pivot, own;
        real_acc sum[3];
        pivot.read(w, at);
        own.read(w, side_at(w, s));
        rows_dot<side_rows<W>::count>(pivot.row, own.row, sum);
        sum[2] = sum[1];
        warp_sums_3(sum, w->lane);
        const num c = num_loose(sum[0], sum[1], inverse);
        own.remove(pivot, c);
        own.write(w, side_at(w, s));
        side_coefficient(w, s, k, c);
    }
}

/* Step k for all right-hand sides. */
template <class W> GPU_FN void sides_take(W *w, int k)
{
    double *at = w->pivots + (k - w->first) * W::step;
    side_step<W> side;
    side.multiply(w, at);
    if constexpr (!W::alone)
        side.send(w, at, w->inverted + (k - w->first));
    side.remove(w, k);
    sides_take_others(w, k, at, side.inverse);
}

/* The steps that the warp did not take with its own columns: none or the last one. */
template <class W> GPU_FN void sides_take_rest(W *w)
{
    for (int k = w->taken; k < w->cols; k++) {
        while (k - w->first >= w->slots)
            w->turn_over(w->first + w->slots);
        if constexpr (!W::alone)
            gpu_barrier_sleep(w->ready + (k - w->first), w->parity);
        sides_take(w, k);
    }
}

/* Square norms of the residuals; writes them to global memory if requested. */
template <class W> GPU_FN void sides_leave(W *w, const mgs_gpu_job *job)
{
    for (int j = w->cols; j < w->all; j++) {
        side_rows<W> own;
        own.read(w, side_at(w, j - w->cols));
        real_acc sum = rows_square<side_rows<W>::count>(own.row);
        group_sums<GPU_WARP, 1, 1>(&sum);
        if (w->lane == 0)
            w->note_square(j, acc_total(sum), 0);
        LANE_UNROLL
        for (int i = 0; i < side_rows<W>::count; i++) {
            const int row = GPU_WARP * i + w->lane;
            if (job->w && row < w->rows)
                num_store(job->w + w->problem * job->w_step + (int64_t)j * w->rows + row, job->w_plane, own.row[i], 1);
        }
    }
}

#endif

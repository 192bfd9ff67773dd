/* work.h - what a thread of the kernels of mgs_small.cu knows, and what it does: here declared only, but for where things are. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_SMALL_WORK_H
#define PLUMB_BACKEND_CUDA_LSQ_SMALL_WORK_H

#include "backend/cuda/lsq/back.h"

#if PLUMB_LIMBS == 4
#include "backend/cuda/lsq/levels.h"
#include "backend/cuda/lsq/small/origin.h"
#else
struct origins {
    static const bool along = false;
    static constexpr double *found = nullptr;
};
#endif

template <int TEAM, int SHARE, bool CLUSTER> struct small {
    static const int teams_a_warp = TEAM < GPU_WARP ? GPU_WARP / TEAM : 1;
    static const bool sends_inverse = LIMBS == 4;

    int problem, cols, all, used, share;
    int cluster, rank, slots, locals, step; /* locals: columns of this block; step: doubles from one to the next */
    int teams, own, first;                  /* teams of a block, number of this one, of the first one of this warp */
    double *columns, *received, *least, *kept;
    origins origin;
    gpu_barrier *column_ready, *inverse_ready, *column_written;
    int32_t *outcome;
    double *c, *s; /* in global memory, of this problem and thread's part; c is NULL where the kept ones are enough */
    int64_t c_plane;
    gpu_remote there, leader; /* block thread % cluster, and block 0 */
    team<TEAM> mates;

    /* Behind the entries of a column: for each warp of its team the size it found, and the least square norm of an independent
     * column; then the inverse of its square norm. */
    __device__ __forceinline__ int tail(void) const
    {
        return TEAM * (SHARE ? SHARE : share) * LIMBS;
    }
    __device__ __forceinline__ int inverse_at(void) const
    {
        return tail() + 2 * mates.warps;
    }
    __device__ __forceinline__ double *column_at(int local) const
    {
        return columns + local * step;
    }
    __device__ __forceinline__ int number(int local) const
    {
        return CLUSTER ? local * cluster + rank : local;
    }
    __device__ __forceinline__ int column_bytes(void) const
    {
        return (tail() + 2 * mates.warps) * 8;
    }

    /* In qd the other teams of the block send the entries of a column, so that its own goes on with the inverse. */
    __device__ __forceinline__ bool others_send(void) const
    {
        return CLUSTER && sends_inverse && teams > 1;
    }

    /* mgs_small_ends.h */
    __device__ void place(const mgs_gpu_job *job, const small_shape *shape);
    __device__ void load(const mgs_gpu_job *job);
    __device__ void leave(const mgs_gpu_job *job);

    /* mgs_small_send.h */
    __device__ void publish_column(int slot, double *column, double bound, int size, int mine);
    __device__ void send_whole(int other, double *to, const double *from, int doubles, gpu_barrier *ready);
    __device__ void send_for(int team, int local, int slot);
    __device__ void send_column(double *to, const double *column, gpu_barrier *ready);
    __device__ real column_square(const double *column, int size, real *inverse);
    __device__ void publish_inverse(int slot, const double *column, int size, double bound, int k, int mine);
    __device__ void note_square(int k, real square, int depends);
    __device__ void publish(int k, int slot, int local, int mine);

    /* mgs_small.cu */
    __device__ double *coefficient_place(int k, int j) const;
    __device__ void store_coefficient(int k, int j, int local, double *to, real value);
    __device__ void remove(int k, int slot, int parity, int next_slot, const double *pivot, int size, double bound,
                           int j, int local);
    __device__ void take(int k, int slot, int parity, int next_slot, int *local);
    __device__ void announce(int slot);
    __device__ void follow(int k, int slot, int parity);
    __device__ void meet(void);
    __device__ void run(const mgs_gpu_job *job, const small_shape *shape);
};

#endif

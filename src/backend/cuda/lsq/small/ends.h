/* ends.h - the beginning and the end of the kernels of mgs_small.cu: shared memory laid out, columns loaded; square norms that are
 * still to be added up, columns to global memory. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_SMALL_ENDS_H
#define PLUMB_BACKEND_CUDA_LSQ_SMALL_ENDS_H

#include "backend/cuda/lsq/small/work.h"

template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::place(const mgs_gpu_job *job, const small_shape *shape)
{
    int thread = gpu_thread();
    cluster = CLUSTER ? shape->cluster : 1;
    rank = CLUSTER ? gpu_cluster_rank() : 0;
    problem = gpu_block() / cluster;
    slots = shape->slots;
    share = SHARE ? SHARE : shape->share;
    cols = job->cols, all = job->all;
    used = job->rows * PARTS;
    locals = (all + cluster - 1) / cluster;
    step = SMALL_COLUMN_STEP(LIMBS, TEAM, share);
    teams = gpu_threads() / TEAM;
    own = thread / TEAM;
    first = thread / GPU_WARP * GPU_WARP / TEAM;
    mates.lane = thread % TEAM;
    mates.warp = mates.lane / GPU_WARP;
    mates.turn = 0;
    mates.barrier = own + 1;
    columns = gpu_shared();
    received = columns + (locals + teams_a_warp - 1) * step;
    least = received + (CLUSTER ? slots * step : 0);
    mates.exchange = least + (locals + 1) / 2 * 2 + own * 2 * mates.warps * EXCHANGE;
    column_ready =
        (gpu_barrier *)(least + (locals + 1) / 2 * 2 + (TEAM > GPU_WARP ? teams * 2 * mates.warps * EXCHANGE : 0));
    inverse_ready = column_ready + slots;
    column_written = inverse_ready + slots;
    outcome = (int32_t *)(column_written + 1);
    kept = shape->keep ? (double *)(inverse_ready + slots + 2) : nullptr;
#if PLUMB_LIMBS == 4
    origin_place(this, shape->along, (double *)(inverse_ready + slots + 2));
#endif
    c = (kept || origin.along) && !job->coefficients
            ? nullptr
            : job->c + problem * job->c_step + mates.lane % PARTS * LIMBS * job->c_plane;
    c_plane = job->c_plane;
    s = job->s + problem * job->s_step;
    if (CLUSTER) {
        there = gpu_remote_of(thread % cluster);
        leader = gpu_remote_of(0);
    }
}

template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::load(const mgs_gpu_job *job)
{
    for (int local = first; local < locals; local += teams) {
        int mine = local + own - first, j = number(mine), there = j < all;
        int64_t plane;
        const double *from = job_column(job, problem, there ? j : 0, &plane);
        double *column = column_at(mine); /* of a team without one, behind those there are */
        loaded l = column_load<TEAM, SHARE>(&mates, share, from, plane, there ? used : 0, column);
        if (there && mates.lane == 0) {
            least[mine] = lane_mul(job->dependent, l.squares);
            job->exponent[(int64_t)problem * all + j] = l.exponent;
            if (!l.finite)
                gpu_raise(outcome, MGS_NONFINITE);
        }
    }
    if (others_send())
        gpu_send_ready();
    if (TEAM > GPU_WARP)
        gpu_sync_some(mates.barrier, TEAM);
    gpu_sync_warp();
}

/* Square norms nobody has added up yet: of what is left of the right-hand sides, and of the last column where there are none;
 * and all columns to global memory, if asked for. */
template <int TEAM, int SHARE, bool CLUSTER>
__device__ __forceinline__ void small<TEAM, SHARE, CLUSTER>::leave(const mgs_gpu_job *job)
{
    int last = all > cols || sends_inverse ? cols : cols - 1;
    const int count = SHARE ? SHARE : share, entries = TEAM * count;
    for (int local = first; local < locals; local += teams) {
        int mine = local + own - first, j = number(mine), there = j < all;
        const double *column = column_at(there ? mine : 0);
        if (gpu_any(there && j >= last)) {
            int size = LIMBS > 1 ? team_max(&mates, column_size<TEAM, SHARE>(mates.lane, share, column)) : 0;
            real square = column_square(column, size, nullptr);
            if (there && j >= last)
                note_square(j, square, j < cols && !(real_head(square) > least[mine]));
        }
        for (int i = 0; there && job->w && i < count; i++) {
            int e = mates.lane + TEAM * i;
            if (e < used)
                real_store(job->w + problem * job->w_step + e % PARTS * LIMBS * job->w_plane + (int64_t)j * job->rows +
                               e / PARTS,
                           job->w_plane, entry_load(column, entries, e), 1);
        }
    }
}

#endif

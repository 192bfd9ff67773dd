/* pass.h - how columns pass from team to team and from block to block, for the kernels of mgs_panel.cu: the team that
 * has one publishes it, the couriers of other blocks fetch it.
 *
 * W is one of their panels. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_PANEL_PASS_H
#define PLUMB_BACKEND_CUDA_LSQ_PANEL_PASS_H

#include "backend/cuda/lsq/panel/sums.h"

/* The inverse of the square norm of the team's column, 0 where it depends on others. */
template <class W> GPU_FN void panel_publish_inverse(W *w)
{
    const real total = acc_total(panel_add_up_one(w, rows_square<W::rows_each>(w->own)));
    const int depends = !(real_head(total) > w->least);
    double v[LIMBS], *place = w->shared_columns + (w->column - w->first) * W::step;
    limbs_of_real(v, real_select(depends, real_set(0.0), inverse_near(total)));
    if (w->position != 0)
        return;
    if (w->column + 1 < w->first + w->columns) {
        place[W::tail] = v[0], place[W::tail + 1] = v[LIMBS - 1];
        gpu_barrier_arrive(w->done_inverse + (w->column - w->first));
    }
    LANE_UNROLL
    for (int q = 0; q < LIMBS; q++)
        gpu_word_set(w->behind + q, v[q]);
    w->note_square(w->column, total, depends);
}

/* The column is what it will be: to the others of the panel, and to other blocks. */
template <class W> GPU_FN void panel_publish(W *w)
{
    double *place = w->shared_columns + (w->column - w->first) * W::step;
    const int pivot = w->column < w->job->cols;
    if (pivot && w->column + 1 < w->first + w->columns) {
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            double v[W::a_number];
            num_store(v, 1, w->own[i], 1);
            w->store_row(place, i, v);
        }
        if (!W::apart && w->position == 0)
            place[W::tail] = w->least;
        gpu_sync_warp();
        if (gpu_arrives(w->position % GPU_WARP))
            gpu_barrier_arrive(w->done + (w->column - w->first));
    }
    LANE_UNROLL
    for (int i = 0; i < W::rows_each; i++) {
        double v[W::a_number];
        num_store(v, 1, w->own[i], 1);
        LANE_UNROLL
        for (int q = 0; q < W::a_number; q++)
            gpu_word_put(w->words[q] + W::threads * i, v[q], w->row(i) < w->job->rows);
    }
    if constexpr (W::apart) {
        if (pivot)
            panel_publish_inverse(w);
    } else if (pivot && w->position == 0)
        gpu_word_set(w->behind, w->least);
}

/* The columns before the panel, into their places, by the courier. Without branches: threads below the last row read the first. */
template <class W> GPU_FN void panel_fetch(const W *w)
{
    const double *from[W::a_number];
    LANE_UNROLL
    for (int q = 0; q < W::a_number; q++)
        from[q] = w->global_column(0) + q * w->job->w_plane;
    for (int k = 0, slot = 0, parity = 1; k < w->first && k < w->job->cols; k++) {
        if (k >= w->slots)
            gpu_barrier_sleep(w->taken + slot, parity);
        double *place = w->places + slot * W::step, v[W::rows_each][W::a_number], bound = 0.0;
        for (int missing = 1; missing;) {
            missing = 0;
            LANE_UNROLL
            for (int i = 0; i < W::rows_each; i++) {
                LANE_UNROLL
                for (int q = 0; q < W::a_number; q++)
                    v[i][q] = gpu_word_peek(from[q] + (w->row(i) < w->job->rows ? w->row(i) : 0));
            }
            if (!W::apart && w->position == 0)
                bound = gpu_word_peek(job_beside(w->job, w->problem, k));
            LANE_UNROLL
            for (int i = 0; i < W::rows_each; i++) {
                LANE_UNROLL
                for (int q = 0; q < W::a_number; q++)
                    missing |= gpu_high_word(v[i][q]) == GPU_NOT_YET;
            }
            missing |= gpu_high_word(bound) == GPU_NOT_YET;
            if (missing)
                gpu_pause();
        }
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            LANE_UNROLL
            for (int q = 0; q < W::a_number; q++)
                v[i][q] = w->row(i) < w->job->rows ? v[i][q] : 0.0;
            w->store_row(place, i, v[i]);
        }
        if (!W::apart && w->position == 0)
            place[W::tail] = bound;
        gpu_sync_warp();
        if (gpu_arrives(w->position % GPU_WARP))
            gpu_barrier_arrive(w->ready + slot);
        LANE_UNROLL
        for (int q = 0; q < W::a_number; q++)
            from[q] += w->job->rows;
        if (++slot == w->slots)
            slot = 0, parity ^= 1;
    }
}

/* The inverses for the columns before the panel, by the first thread of one more warp. */
template <class W> GPU_FN void panel_fetch_inverses(const W *w)
{
    for (int k = 0, slot = 0, parity = 1; k < w->first && k < w->job->cols; k++) {
        if (k >= w->slots)
            gpu_barrier_sleep(w->taken + slot, parity);
        double *place = w->places + slot * W::step, v[LIMBS];
        for (int missing = 1; missing;) {
            missing = 0;
            LANE_UNROLL
            for (int q = 0; q < LIMBS; q++) {
                v[q] = gpu_word_peek(job_beside(w->job, w->problem, k) + q);
                missing |= gpu_high_word(v[q]) == GPU_NOT_YET;
            }
            if (missing)
                gpu_pause();
        }
        place[W::tail] = v[0], place[W::tail + 1] = v[LIMBS - 1];
        gpu_barrier_arrive(w->ready_inverse + slot);
        if (++slot == w->slots)
            slot = 0, parity ^= 1;
    }
}

#endif

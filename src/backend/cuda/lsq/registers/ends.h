/* ends.h - the last part of the kernels of mgs_registers.cu, when the columns are orthogonal: writes results to global memory,
 * does back substitution where x was not found along with the columns (see follow.h), and computes the outcome. W is one of their
 * in_registers.
 *
 * A right-hand side is solved by a team of warps with 32 unknowns each, or 16 where both halves of a warp have the same
 * rows (see group.h). The last warp solves for its unknowns and
 * shows them to the others, some at a time, which remove them from their own rows while it goes on; then the warp
 * before it. Within a warp an unknown goes from thread to thread by a shuffle. It is normalised first, because its terms may
 * have cancelled: products with the second limb of an accumulator are rounded once only. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_ENDS_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_ENDS_H

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/group.h"
#include "backend/cuda/lsq/registers/registers.h"

/* ---- Back substitution --------------------------------------------------------------------------------------------------- */

/* Columns of coefficients that a warp has read ahead: it never waits for them, nor branches. */
enum { READ_AHEAD = LIMBS == 1 ? 4 : 2 };

/* Unknowns that a warp shows to the others at a time. */
enum { SHOWN = 8 };

/* Warps that share a right-hand side, and which of them this one is. A block with fewer warps than that has one warp do it all. */
struct back_team {
    int parts, warps, teams, number, part; /* number of teams, and the index of this one */
    double *found;                         /* unknowns, shown to the others */

    template <class W> __device__ __forceinline__ void set_up(const W *w)
    {
        const int all_warps = w->threads() / GPU_WARP;
        parts = (w->cols + W::back_rows - 1) / W::back_rows;
        warps = parts <= all_warps ? parts : 1;
        teams = all_warps, number = w->warp, part = 0;
        if (warps > 1) {
            teams = all_warps / warps < 15 ? all_warps / warps : 15; /* limited by the number of barriers */
            number = w->warp / warps, part = w->warp % warps;
        }
        found = w->pivots + number * W::step;
    }
    /* If a warp has all unknowns of the columns that a kernel for many problems takes, it sets no barriers aside for this: they
     * limit how many blocks share a multiprocessor. */
    template <class W> __device__ __forceinline__ void meet(const W *) const
    {
        if ((!W::beside || W::height > W::back_rows) && warps > 1)
            gpu_sync_some(1 + number, warps * GPU_WARP);
        else
            gpu_sync_warp();
    }
};

/* c_kj, or 0 if it does not exist; its place is that of c_0j plus k. The load is not waited for before its first use. */
GPU_FN num kept_coefficient(const double *kept, int place, int there)
{
    const double *at = kept + place * PARTS * LIMBS;
    double v[PARTS * LIMBS];
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q += 2) {
        v[q] = v[q + 1] = 0.0;
        gpu_get(&v[q], &v[q + 1], at + q, there);
    }
    return num_of_limbs(v);
}

/* The same as the threads of this warp use it, and a row minus its product with an unknown. */
template <class W> GPU_FN num factor_of(const W *w, int place, int there)
{
#if PLUMB_LIMBS == 2
    if constexpr (W::back_halves) {
        const double *at = w->kept + place * PARTS * LIMBS;
        const int sign = w->second ? (int)0x80000000u : 0;
        double v[] = {0.0, 0.0, 0.0, 0.0};
        gpu_get(&v[0], &v[1], at + w->second * LIMBS, there);
        gpu_get(&v[2], &v[3], at + (1 - w->second) * LIMBS, there);
        v[2] = gpu_flip(v[2], sign), v[3] = gpu_flip(v[3], sign);
        return num_of_limbs(v);
    }
#endif
    return kept_coefficient(w->kept, place, there);
}
template <class W> GPU_FN num_acc row_rest(num_acc rest, num c, num x)
{
#if PLUMB_LIMBS == 2
    if constexpr (W::back_halves) {
        rest.re = acc_rest(rest.re, product_loose(c.re, x.re), product_loose(c.im, x.im));
        return rest;
    }
#endif
    return rest_loose(rest, c, x);
}
/* The unknown that thread l of the warp has, or threads l of both halves, for all threads. */
template <class W> GPU_FN num unknown_of(num_acc rest, int l)
{
#if PLUMB_LIMBS == 2
    if constexpr (W::back_halves) {
        const dd x = settled(rest.re);
        return cplx_make(dd_make(gpu_shuffle(x.hi, l), gpu_shuffle(x.lo, l)),
                         dd_make(gpu_shuffle(x.hi, l + HALF_WARP), gpu_shuffle(x.lo, l + HALF_WARP)));
    }
#endif
    return num_settled(num_shuffle(cplx_make(rest.re, rest.im), l));
}

/* Removes some known unknowns, from this one on, from y_k. All loads are issued before the first one is waited for. */
template <class W> GPU_FN num_acc remove_known(const W *w, const double *found, int from, int k, num_acc rest)
{
    const int at_once = LIMBS == 1 ? SHOWN : SHOWN / 2;
    int place = SMALL_COEFFICIENTS(w->cols, from) + k;
    LANE_UNROLL
    for (int j = from; j < from + SHOWN; j += at_once) {
        num c[at_once], x[at_once];
        LANE_UNROLL
        for (int i = 0; i < at_once; i++) {
            c[i] = factor_of(w, place, j + i < w->cols);
            x[i] = kept_coefficient(found, j + i, j + i < w->cols);
            place += j + i;
        }
        LANE_UNROLL
        for (int i = 0; i < at_once; i++)
            rest = row_rest<W>(rest, c[i], x[i]);
    }
    return rest;
}

/* How often the warp of a part shows unknowns; that of the first part does not, because no warp waits for it. */
template <class W> GPU_FN int shows(const W *w, int part)
{
    const int left = w->cols - part * W::back_rows;
    return part == 0 ? 0 : left < W::back_rows ? (left + SHOWN - 1) / SHOWN : W::back_rows / SHOWN;
}

/* Solves for the unknowns of this part, after all later ones have been removed from rest. */
template <class W> GPU_FN num_acc solve_part(const W *w, const back_team *t, int part, int k, num_acc rest)
{
    const int first = part * W::back_rows, n = w->cols, line = w->lane % W::back_rows,
              last = n - first < W::back_rows ? n - first - 1 : W::back_rows - 1;
    int l = last / READ_AHEAD * READ_AHEAD + READ_AHEAD - 1; /* rows beyond the last one are zero */
    int j = first + l, place = j * (j - 1) / 2 + k;
    num c[READ_AHEAD];
    LANE_UNROLL
    for (int p = 0; p < READ_AHEAD; p++) {
        c[p] = factor_of(w, place, k < j && j < n);
        j--, place -= j;
    }
#pragma unroll 1
    for (; l >= 0; l -= READ_AHEAD) {
        LANE_UNROLL
        for (int p = 0; p < READ_AHEAD; p++) {
            const num x = unknown_of<W>(rest, l - p);
            rest = row_rest<W>(rest, c[p], x);
            c[p] = factor_of(w, place, k < j);
            j--, place -= j;
        }
        const int done = l - READ_AHEAD + 1;
        if (W::height > W::back_rows && part > 0 && done % SHOWN == 0) {
            if (line >= done && line < done + SHOWN && k < n) {
                if constexpr (W::back_halves)
                    real_store(t->found + k * W::a_number + w->second * LIMBS, 1, real_acc_value(rest.re), 1);
                else
                    num_store(t->found + k * W::a_number, 1, num_acc_value(rest), 1);
            }
            t->meet(w);
        }
    }
    return rest;
}

/* The row of a part that this thread has. */
template <class W> GPU_FN int back_row(const W *w, int part)
{
    return part * W::back_rows + w->lane % W::back_rows;
}

/* That unknown of right-hand side b; where both halves of a warp have the same rows, in the first one. */
template <class W> GPU_FN num registers_unknown(const W *w, const back_team *t, int part, int b)
{
    const int k = back_row(w, part);
    const num y = factor_of(w, SMALL_COEFFICIENTS(w->cols, b) + k, k < w->cols);
    num_acc rest = num_acc_of(y);
    for (int later = t->parts - 1; W::height > W::back_rows && later > part; later--)
        for (int some = shows(w, later) - 1; some >= 0; some--) {
            if (t->warps > 1)
                t->meet(w);
            rest = remove_known(w, t->found, later * W::back_rows + some * SHOWN, k, rest);
        }
    rest = solve_part(w, t, part, k, rest);
#if PLUMB_LIMBS == 2
    if constexpr (W::back_halves)
        rest.im = acc_of_other(rest.re, HALF_WARP);
#endif
    return num_acc_value(rest);
}

/* ---- Results ---------------------------------------------------------------------------------------------------------------- */

/* The first column whose square norm was not summed while it was a pivot. */
template <class W> GPU_FN int first_without_square(const W *w)
{
    if (W::together == 2)
        return W::by_rows ? w->cols : w->cols / 2 * 2;
    if (W::apart)
        return w->cols;
    return w->all > w->cols ? w->cols : w->cols - 1;
}

/* Sums the square norms that are still missing, of the residuals of the right-hand sides and of a last column; writes
 * all columns to global memory if requested. */
template <class W> GPU_FN void registers_leave(W *w, const mgs_gpu_job *job)
{
    const int last = first_without_square(w);
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        const int j = w->column(c);
        if (!W::beside && w->last_column(c) >= last) {
            real_acc sum = rows_square<W::rows_each>(w->own[c]);
            group_sums<W::lanes, 1, W::spacing>(&sum);
            const real total = acc_total(sum);
            if (w->position == 0 && !w->second && j >= last && j < w->all)
                w->note_square(j, total, j < w->cols && !(real_head(total) > w->least[c]));
        }
        LANE_UNROLL
        for (int i = 0; i < W::rows_each; i++) {
            const int row = W::lanes * i + w->position;
            if (job->w && j < w->end && row < w->rows && !w->second)
                num_store(job->w + w->problem * job->w_step + (int64_t)j * w->rows + row, job->w_plane, w->own[c][i],
                          1);
        }
    }
}

/* The number of doubles of the coefficients of column j. */
template <class W> GPU_FN int coefficient_doubles(const W *w, int j)
{
    return (j < w->cols ? j : w->cols) * W::a_number;
}

/* Sends the results of this warp to block 0, where they were not sent at once. */
template <class W> GPU_FN void registers_deliver(const W *w)
{
    const int last = first_without_square(w);
    gpu_send_ready();
    gpu_sync_warp();
    LANE_UNROLL
    for (int c = 0; c < W::columns_each; c++) {
        const int j = w->column(c);
        if (w->position != 0 || j >= w->all)
            continue;
        if (j > 0)
            gpu_send_many(w->keeper, w->place[c], w->place[c], coefficient_doubles(w, j), w->delivered);
        gpu_store_remote(w->keeper, w->exponent + j, w->exponent[j]);
        /* Already recorded by the warp with the next column, or with both pivots. */
        const int before = W::together == 2 ? j % 2 == 1 && j < last : j > 0 && j <= w->cols;
        LANE_UNROLL
        for (int q = 0; q < LIMBS; q++) {
            if (before)
                gpu_store_remote(w->keeper, w->squares + (j - 1) * LIMBS + q, w->squares[(j - 1) * LIMBS + q]);
            if (j >= last || (W::together == 2 && before))
                gpu_store_remote(w->keeper, w->squares + j * LIMBS + q, w->squares[j * LIMBS + q]);
        }
    }
}

/* Writes coefficients to global memory if requested. */
template <class W> GPU_FN void registers_keep_coefficients(const W *w, const mgs_gpu_job *job)
{
    for (int j = w->warp; job->coefficients && j < w->all; j += w->threads() / GPU_WARP) {
        const double *from = w->kept + SMALL_COEFFICIENTS(w->cols, j) * W::a_number;
        const int count = j < w->cols ? j : w->cols;
        for (int k = w->lane; k < count; k += GPU_WARP)
            num_store(job->c + w->problem * job->c_step + (int64_t)j * w->cols + k, job->c_plane,
                      num_of_limbs(from + k * W::a_number), 1);
    }
}

/* Writes the data for the finishing kernels or refinement to global memory. */
template <class W> GPU_FN void registers_keep(const W *w, const mgs_gpu_job *job)
{
    if (W::inside && !job->exponent) /* a path asks for x alone */
        return;
    for (int j = w->threads() - 1 - w->thread(); j < w->all; j += w->threads()) { /* the first warps solve */
        job->exponent[(int64_t)w->problem * w->all + j] = (int32_t)w->exponent[j];
        real_store(job->s + w->problem * job->s_step + j, w->all, real_of_limbs(w->squares + j * LIMBS), 1);
    }
    registers_keep_coefficients(w, job);
}

/* Stores the norm of the residual of right-hand side b, by one thread. Returns 0 if it is out of range. */
template <class W> GPU_FN int registers_residual(const W *w, const mgs_gpu_job *job, int b, int failed)
{
    int fits = 1;
    const real norm = scaled(real_sqrt(real_of_limbs(w->squares + b * LIMBS)), (int)w->exponent[b], &fits);
    real_store(result_at(&job->residual, w->problem, 0, b - w->cols, 0), job->residual.plane,
               failed ? real_set(0.0) : norm, 1);
    return fits;
}

/* The number from which x_k is subtracted; zero if there is none. */
template <class W> GPU_FN num registers_corrected(const W *w, const mgs_gpu_job *job, int k)
{
    if (!job->corrected.data || k >= w->cols)
        return cplx_make(real_set(0.0), real_set(0.0));
    return num_load(result_at(&job->corrected, w->problem, k, 0, 0), job->corrected.plane, 1);
}

/* Solves for one part of right-hand side b by this warp. Returns 0 if x is out of range. The number from which x is
 * subtracted is read before x is known. */
template <class W>
GPU_FN int registers_solve_part(const W *w, const mgs_gpu_job *job, const back_team *t, int part, int b, int failed,
                                num *corrected)
{
    const int k = back_row(w, part), power = k < w->cols ? (int)w->exponent[b] - (int)w->exponent[k] : 0;
    int fits = 1;
    *corrected = registers_corrected(w, job, k);
    num x = registers_unknown(w, t, part, b);
    x = cplx_make(scaled(x.re, power, &fits), scaled(x.im, power, &fits));
    if (k < w->cols && !(W::back_halves && w->second))
        num_store(result_at(&job->x, w->problem, k, b - w->cols, 0), job->x.plane,
                  failed ? cplx_make(real_set(0.0), real_set(0.0)) : x, 1);
    *corrected = num_sub(*corrected, x);
    return fits;
}

/* Solves right-hand side b by this warp and its team. */
template <class W>
GPU_FN void registers_solve_one(const W *w, const mgs_gpu_job *job, const back_team *t, int b, int failed)
{
    const int alone = t->warps == 1, last = alone ? t->parts - 1 : t->part, first = alone ? 0 : t->part;
    num corrected;
    for (int part = last; part >= first; part--)
        if (!registers_solve_part(w, job, t, part, b, failed, &corrected))
            *w->unfit = *w->out_of_range = 1;
    for (int lower = first - 1; lower > 0; lower--)
        for (int some = shows(w, lower); some > 0; some--)
            t->meet(w);
    t->meet(w); /* all unknowns have been read before their places are reused */
    if (!job->corrected.data || failed || *w->unfit)
        return;
    for (int part = last; part >= first; part--) {
        const int k = back_row(w, part);
        if (k >= w->cols || (W::back_halves && w->second))
            continue;
        if (last > first)
            corrected = num_sub(registers_corrected(w, job, k),
                                num_load(result_at(&job->x, w->problem, k, b - w->cols, 0), job->x.plane, 1));
        num_store(result_at(&job->corrected, w->problem, k, 0, 0), job->corrected.plane, corrected, 1);
    }
}

template <class W> GPU_FN void registers_clear(const W *w, const mgs_gpu_job *job, int b)
{
    const int rhs = b - w->cols;
    for (int k = w->lane; k < w->cols; k += GPU_WARP)
        num_store(result_at(&job->x, w->problem, k, rhs, 0), job->x.plane, cplx_make(real_set(0.0), real_set(0.0)), 1);
    if (job->residual.data && w->lane == 0)
        real_store(result_at(&job->residual, w->problem, 0, rhs, 0), job->residual.plane, real_set(0.0), 1);
}

/* What went wrong in any block, when all have met. */
template <class W> GPU_FN int registers_failed(const W *w)
{
    int failed = *w->outcome;
    if constexpr (W::apart) {
        const int other = w->lane < w->workers ? (int)w->outcomes[w->lane] : 0;
        failed = gpu_max(other > failed ? other : failed);
    } else
        for (int i = 0; W::in_cluster && i < w->workers; i++)
            failed = (int)w->outcomes[i] > failed ? (int)w->outcomes[i] : failed;
    return failed;
}

/* Called by all threads of the block that has all results. If x was found along with the columns, only for right-hand sides
 * whose x was not stable. */
template <class W> GPU_FN void registers_solve(const W *w, const mgs_gpu_job *job, int along, int failed)
{
    const int all_warps = w->threads() / GPU_WARP, from_last = along ? w->thread() : w->threads() - 1 - w->thread();
    back_team t;
    t.set_up(w);
    for (int b = w->cols + t.number; job->x.data && t.number < t.teams && b < w->all; b += t.teams)
        if (!along || !w->stable(b - w->cols))
            registers_solve_one(w, job, &t, b, failed);
    for (int b = w->cols + from_last; job->x.data && job->residual.data && b < w->all; b += w->threads())
        if (!registers_residual(w, job, b, failed))
            *w->out_of_range = 1;
    if (!w->plain)
        registers_keep(w, job);
    w->sync();
    const int beyond = !failed && *w->out_of_range;
    for (int b = w->cols + w->warp; beyond && job->x.data && b < w->all; b += all_warps)
        registers_clear(w, job, b);
    if (w->thread() == 0)
        put_info(job->info + w->problem, job->failures, beyond ? -PLUMB_ERR_RANGE : outcome_info(failed));
}

#endif

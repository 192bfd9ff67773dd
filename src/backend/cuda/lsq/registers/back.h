/* back.h - back substitution for the kernels of mgs_registers.cu: a right-hand side by a team of warps, 32 unknowns each.
 *
 * The last warp solves for its unknowns and shows them to the others, some at a time, which remove them from what is theirs while it
 * goes on; then the one before it. Within a warp an unknown goes from thread to thread by a shuffle, limbs as they are. W is one of in_registers. */
#ifndef PLUMB_BACKEND_CUDA_LSQ_REGISTERS_BACK_H
#define PLUMB_BACKEND_CUDA_LSQ_REGISTERS_BACK_H

#include "backend/cuda/lsq/back.h"
#include "backend/cuda/lsq/group.h"

/* Columns of coefficients that a warp has read ahead: it never waits for them, nor branches. */
enum { READ_AHEAD = LIMBS == 1 ? 4 : 2 };

/* Unknowns that a warp shows to the others at a time. */
enum { SHOWN = 8 };

/* Warps that share a right-hand side, and which of them this one is. A block with fewer warps than that has one warp do it all. */
struct back_team {
    int parts, warps, teams, number, part; /* teams there are, and the number of this one */
    double *found;                         /* unknowns, shown to the others */

    template <class W> __device__ __forceinline__ void set_up(const W *w)
    {
        const int all_warps = gpu_threads() / GPU_WARP;
        parts = (w->cols + GPU_WARP - 1) / GPU_WARP;
        warps = parts <= all_warps ? parts : 1;
        teams = all_warps, number = w->warp, part = 0;
        if (warps > 1) {
            teams = all_warps / warps < 15 ? all_warps / warps : 15; /* so many barriers there are */
            number = w->warp / warps, part = w->warp % warps;
        }
        found = w->pivots + number * W::step;
    }
    __device__ __forceinline__ void meet(void) const
    {
        if (warps > 1)
            gpu_sync_some(1 + number, warps * GPU_WARP);
        else
            gpu_sync_warp();
    }
};

/* c_kj, or 0 where it is not there; its place is that of c_0j plus k. Nobody waits for it but who uses it. */
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

/* What is left of y_k without some unknowns that are known, from this one on: everything is read before it is waited for. */
template <class W> GPU_FN num_acc remove_known(const W *w, const double *found, int from, int k, num_acc rest)
{
    const int at_once = LIMBS == 1 ? SHOWN : SHOWN / 2;
    int place = SMALL_COEFFICIENTS(w->cols, from) + k;
    LANE_UNROLL
    for (int j = from; j < from + SHOWN; j += at_once) {
        num c[at_once], x[at_once];
        LANE_UNROLL
        for (int i = 0; i < at_once; i++) {
            c[i] = kept_coefficient(w->kept, place, j + i < w->cols);
            x[i] = kept_coefficient(found, j + i, j + i < w->cols);
            place += j + i;
        }
        LANE_UNROLL
        for (int i = 0; i < at_once; i++)
            rest = num_acc_sub(rest, c[i], x[i]);
    }
    return rest;
}

/* How often the warp of a part shows something: not that of the first one, for which nobody waits. */
template <class W> GPU_FN int shows(const W *w, int part)
{
    const int left = w->cols - part * GPU_WARP;
    return part == 0 ? 0 : left < GPU_WARP ? (left + SHOWN - 1) / SHOWN : GPU_WARP / SHOWN;
}

/* The unknowns of this part, all later ones being removed from rest. */
template <class W> GPU_FN num_acc solve_part(const W *w, const back_team *t, int part, int k, num_acc rest)
{
    const int first = part * GPU_WARP, n = w->cols, last = n - first < GPU_WARP ? n - first - 1 : GPU_WARP - 1;
    int l = last / READ_AHEAD * READ_AHEAD + READ_AHEAD - 1; /* rows beyond the last one are zero */
    int j = first + l, place = j * (j - 1) / 2 + k;
    num c[READ_AHEAD];
    LANE_UNROLL
    for (int p = 0; p < READ_AHEAD; p++) {
        c[p] = kept_coefficient(w->kept, place, k < j && j < n);
        j--, place -= j;
    }
#pragma unroll 1
    for (; l >= 0; l -= READ_AHEAD) {
        LANE_UNROLL
        for (int p = 0; p < READ_AHEAD; p++) {
            const num x = num_shuffle(cplx_make(rest.re, rest.im), l - p);
            rest = num_acc_sub(rest, c[p], x);
            c[p] = kept_coefficient(w->kept, place, k < j);
            j--, place -= j;
        }
        const int done = l - READ_AHEAD + 1;
        if (W::height > GPU_WARP && part > 0 && done % SHOWN == 0) {
            if (w->lane >= done && w->lane < done + SHOWN && k < n)
                num_store(t->found + k * W::a_number, 1, num_acc_value(rest), 1);
            t->meet();
        }
    }
    return rest;
}

/* Unknown 32 * part + lane of right-hand side b. */
template <class W> GPU_FN num registers_unknown(const W *w, const back_team *t, int part, int b)
{
    const int k = part * GPU_WARP + w->lane;
    const double *y = w->kept + (SMALL_COEFFICIENTS(w->cols, b) + k) * W::a_number;
    num_acc rest = k < w->cols ? num_acc_of(num_of_limbs(y)) : num_acc_zero();
    for (int later = t->parts - 1; W::height > GPU_WARP && later > part; later--)
        for (int some = shows(w, later) - 1; some >= 0; some--) {
            if (t->warps > 1)
                t->meet();
            rest = remove_known(w, t->found, later * GPU_WARP + some * SHOWN, k, rest);
        }
    return num_acc_value(solve_part(w, t, part, k, rest));
}

#endif

/* mgs_registers_back.h - back substitution for the kernels of mgs_registers.cu: a right-hand side by a team of warps, 32 unknowns each.
 *
 * The last warp solves for its unknowns and shows them to the others, which remove them from what is theirs; then the one before it.
 * Within a warp an unknown goes from thread to thread by a shuffle, limbs as they are. W is one of in_registers. */
#ifndef PLUMB_CUDA_MGS_REGISTERS_BACK_H
#define PLUMB_CUDA_MGS_REGISTERS_BACK_H

#include "backend/cuda/mgs_back.h"
#include "backend/cuda/mgs_group.h"

/* Columns of coefficients that a warp has read ahead: it never waits for them, nor branches. */
enum { READ_AHEAD = LIMBS == 1 ? 4 : 2 };

/* Warps that share a right-hand side, and which of them this one is. A block with fewer warps than that has one warp do it all. */
struct back_team {
    int parts, warps, teams, number, part; /* teams there are, and the number of this one */
    double *found;                         /* unknowns, shown to the others */

    template <class W> __device__ __forceinline__ void set_up(const W *w)
    {
        const int all_warps = gpu_threads() / GPU_WARP;
        parts = (w->cols + GPU_WARP - 1) / GPU_WARP;
        warps = parts <= all_warps ? parts : 1;
        teams = all_warps / warps < 15 || warps == 1 ? all_warps / warps : 15; /* so many barriers there are */
        number = w->warp / warps;
        part = w->warp % warps;
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

/* c_kj, or 0 where it is not there; its place is that of c_0j plus k. */
GPU_FN num kept_coefficient(const double *kept, int place, int there)
{
    const double *at = kept + place * PARTS * LIMBS;
    double v[PARTS * LIMBS];
    LANE_UNROLL
    for (int q = 0; q < PARTS * LIMBS; q++)
        v[q] = there ? at[q] : 0.0;
    return num_of_limbs(v);
}

/* What is left of y_k without 32 unknowns that are known, those of a later part. */
template <class W> GPU_FN num_acc remove_known(const W *w, const double *found, int part, int k, num_acc rest)
{
    const int from = part * GPU_WARP, end = w->cols < from + GPU_WARP ? w->cols : from + GPU_WARP;
    int place = SMALL_COEFFICIENTS(w->cols, from) + k;
#pragma unroll 4
    for (int j = from; j < end; j++) {
        rest = num_acc_sub(rest, kept_coefficient(w->kept, place, 1), num_of_limbs(found + j * W::a_number));
        place += j;
    }
    return rest;
}

/* The unknowns of this part, all later ones being removed from rest. */
template <class W> GPU_FN num_acc solve_part(const W *w, int part, int k, num_acc rest)
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
    }
    return rest;
}

/* Unknown 32 * part + lane of right-hand side b. */
template <class W> GPU_FN num registers_unknown(const W *w, const back_team *t, int part, int b)
{
    const int k = part * GPU_WARP + w->lane;
    const double *y = w->kept + (SMALL_COEFFICIENTS(w->cols, b) + k) * W::a_number;
    num_acc rest = k < w->cols ? num_acc_of(num_of_limbs(y)) : num_acc_zero();
    for (int later = t->parts - 1; later > part; later--) {
        t->meet();
        rest = k < w->cols ? remove_known(w, t->found, later, k, rest) : rest;
    }
    rest = solve_part(w, part, k, rest);
    const num x = num_acc_value(rest);
    if (part > 0 && k < w->cols)
        num_store(t->found + k * W::a_number, 1, x, 1);
    return x;
}

#endif

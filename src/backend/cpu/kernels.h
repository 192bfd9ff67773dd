/* kernels.h - the tables of compiled kernels, one per instruction set.
 *
 * kernels.c is compiled once for each instruction set, precision and kind (real, complex); each compilation fills one
 * list of kernels in the order of plumb_op. NULL means that the operation does not exist for that kind (cmp of
 * complex numbers). */
#ifndef PLUMB_CPU_KERNELS_H
#define PLUMB_CPU_KERNELS_H

#include "backend/backend.h"
#include "method/eval.h"
#include "method/gemm/gemm.h"
#include "method/gemm/triangle.h"
#include "method/lsq/lu.h"
#include "method/lsq/mgs.h"
#include "method/lsq/mgs_batch.h"
#include "method/lsq/residual.h"
#include "method/track/track.h"

/* The functions of track.h for a team of one thread. */
typedef struct track_kernels {
    void (*begin)(const track_settings *s, track_path *p, int64_t number, track_view v, track_view start,
                  const double *patch);
    void (*combine)(const track_settings *s, track_path *p, track_view values, track_view jacobians,
                    const double *sizes, double *scale, track_view a, track_view b);
    int64_t (*eliminate)(track_view a, track_view b, int64_t n, int64_t right_sides, double dependent,
                         track_view factors);
    void (*decide)(const track_settings *s, track_path *p, track_view v, track_view solution, int64_t info);
    void (*act)(const track_settings *s, track_path *p, track_view v, track_view solution, int32_t action);
    void (*show)(const track_settings *s, const track_path *p, track_view v, track_view end);
    void (*finish)(const track_settings *s, const track_path *p, track_view v, track_view end);
    void (*arc)(const track_path *p, int64_t count, track_view target, track_view way, const double *bend,
                track_view to);
} track_kernels;

/* Those for several paths side by side, in method/track/many.h. */
typedef struct track_many_kernels track_many_kernels;

typedef struct prec_kernels {
    const map_kernel *map[PLUMB_COMPLEX + 1];  /* map[PLUMB_REAL or PLUMB_COMPLEX][op] */
    const mgs_kernels *mgs[PLUMB_COMPLEX + 1]; /* mgs[PLUMB_REAL or PLUMB_COMPLEX] */
    const mgs_wide_kernels *mgs_wide[PLUMB_COMPLEX + 1];
    const lu_kernels *lu[PLUMB_COMPLEX + 1];
    const residual_kernels *residual[PLUMB_COMPLEX + 1];
    const mgs_batch_kernel *mgs_batch[PLUMB_COMPLEX + 1];
    const eval_kernels *eval[PLUMB_COMPLEX + 1];
    const gemm_kernels *gemm[PLUMB_COMPLEX + 1];
    const triangle_kernels *triangle[PLUMB_COMPLEX + 1];
    const track_kernels *track; /* complex */
    const track_many_kernels *track_many;
} prec_kernels;

/* Declares the lists that the compilations for a precision and an instruction set define, and makes a table of them. */
#define PREC_KERNELS(prec, isa)                                                                                        \
    extern const map_kernel plumb_kernels_real_##prec##_##isa[], plumb_kernels_cplx_##prec##_##isa[];                  \
    extern const mgs_kernels plumb_mgs_real_##prec##_##isa, plumb_mgs_cplx_##prec##_##isa;                             \
    extern const mgs_wide_kernels plumb_mgs_wide_real_##prec##_##isa, plumb_mgs_wide_cplx_##prec##_##isa;              \
    extern const lu_kernels plumb_lu_real_##prec##_##isa, plumb_lu_cplx_##prec##_##isa;                                \
    extern const residual_kernels plumb_residual_real_##prec##_##isa, plumb_residual_cplx_##prec##_##isa;              \
    extern const mgs_batch_kernel plumb_mgs_batch_real_##prec##_##isa, plumb_mgs_batch_cplx_##prec##_##isa;            \
    extern const eval_kernels plumb_eval_real_##prec##_##isa, plumb_eval_cplx_##prec##_##isa;                          \
    extern const gemm_kernels plumb_gemm_real_##prec##_##isa, plumb_gemm_cplx_##prec##_##isa;                          \
    extern const triangle_kernels plumb_triangle_real_##prec##_##isa, plumb_triangle_cplx_##prec##_##isa;              \
    extern const track_kernels plumb_track_cplx_##prec##_##isa;                                                        \
    extern const track_many_kernels plumb_track_many_##prec##_##isa;                                                   \
    static const prec_kernels prec##_##isa##_kernels = {                                                               \
        {[PLUMB_REAL] = plumb_kernels_real_##prec##_##isa, [PLUMB_COMPLEX] = plumb_kernels_cplx_##prec##_##isa},       \
        {[PLUMB_REAL] = &plumb_mgs_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_mgs_cplx_##prec##_##isa},             \
        {[PLUMB_REAL] = &plumb_mgs_wide_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_mgs_wide_cplx_##prec##_##isa},   \
        {[PLUMB_REAL] = &plumb_lu_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_lu_cplx_##prec##_##isa},               \
        {[PLUMB_REAL] = &plumb_residual_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_residual_cplx_##prec##_##isa},   \
        {[PLUMB_REAL] = &plumb_mgs_batch_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_mgs_batch_cplx_##prec##_##isa}, \
        {[PLUMB_REAL] = &plumb_eval_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_eval_cplx_##prec##_##isa},           \
        {[PLUMB_REAL] = &plumb_gemm_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_gemm_cplx_##prec##_##isa},           \
        {[PLUMB_REAL] = &plumb_triangle_real_##prec##_##isa, [PLUMB_COMPLEX] = &plumb_triangle_cplx_##prec##_##isa},   \
        &plumb_track_cplx_##prec##_##isa,                                                                              \
        &plumb_track_many_##prec##_##isa}

typedef struct isa_kernels {
    const char *name;
    int32_t lanes;
    int (*usable)(void);                    /* true if this CPU has it */
    const prec_kernels *prec[PLUMB_QD + 1]; /* by limb count: [1], [2], [4] */
} isa_kernels;

/* Slowest first; the last usable one is the default. */
extern const isa_kernels *const plumb_cpu_isas[];
extern const int32_t plumb_cpu_isa_count;

/* Returns the named instruction set, or the best usable one if name is NULL; NULL if it is not compiled in or not
 * usable. */
const isa_kernels *plumb_cpu_isa_find(const char *name);

#endif

/* lsq.h - the data of plumb-bench lsq: what is solved and what was measured. Shared by measuring and reporting. */
#ifndef PLUMB_BENCH_LSQ_H
#define PLUMB_BENCH_LSQ_H

#include "bench/common/common.h"
#include "bench/common/peers.h"
#include "plumb.h"

enum { BENCH_LSQ_BATCH = 1024, BENCH_LSQ_SEED = 1 };

/* One list for asking, printing and JSON keys; common/peers.h describes them. */
#define BENCH_SOLVER_LIST(X)                   \
    X(SOLVER_DOUBLE, "double")                 \
    X(SOLVER_LIBQD, "libqd_fma")               \
    X(SOLVER_LIBQD_SLOPPY, "libqd_fma_sloppy") \
    X(SOLVER_ARB, "arb")                       \
    X(SOLVER_LAPACK, "lapack")                 \
    X(SOLVER_OPENBLAS, "openblas")

#define BENCH_SOLVER_ENUM(code, name) code,
enum { BENCH_SOLVER_LIST(BENCH_SOLVER_ENUM) BENCH_SOLVER_COUNT };
#undef BENCH_SOLVER_ENUM
extern const char *const bench_solver_names[BENCH_SOLVER_COUNT];

/* LSQ_ONE: one system again and again; LSQ_REFINED: the same by iterative refinement; LSQ_BATCH: many at once. */
enum { LSQ_ONE, LSQ_REFINED, LSQ_BATCH, LSQ_MODES };
extern const char *const bench_lsq_mode_names[LSQ_MODES];

typedef struct bench_solver {
    bool wanted;
    bench_times times;
    double error;
} bench_solver;

typedef struct bench_lsq_case {
    int32_t mode, prec, parts;
    int64_t n, systems;
    plumb_view a, b, x, residual;
    plumb_info *info;
    bench_times times;                       /* ns per solve */
    bench_times one_by_one;                  /* LSQ_BATCH: the systems of the batch with plumb_lsq, ns per solve */
    double error;                            /* largest |x_j - 1| of all systems */
    bool absent;                             /* the library does not support this */
    bench_solver solver[BENCH_SOLVER_COUNT]; /* LSQ_ONE */
    const struct bench_lsq_case *like;       /* the LSQ_ONE case whose peers are compared with this one; or NULL */
} bench_lsq_case;

typedef struct bench_lsq_run {
    plumb_context *context; /* one thread */
    bench_lsq_case *cases;
    int32_t case_count;
    bool quick, have_peers;
    const char *commit;
    double ghz, seconds;
    double lane_ops; /* lane operations per nanosecond that the core can issue; 0: not known */
} bench_lsq_run;

/* problems.c: the systems of a case and their solutions. Destroy them also after a failure. */
plumb_status bench_lsq_case_create(plumb_context *context, bench_lsq_case *c);
void bench_lsq_case_destroy(plumb_context *context, bench_lsq_case *c);
plumb_status bench_lsq_solve(plumb_context *context, bench_lsq_case *c);            /* all systems, in the mode */
plumb_status bench_lsq_solve_one_by_one(plumb_context *context, bench_lsq_case *c); /* all systems, with plumb_lsq */
double bench_lsq_error(const bench_lsq_case *c); /* infinity when a system was not solved */

/* The time to compare with, ns per solve: one by one for batches, the faster of the reference libraries in d, libqd with
 * FMA in dd and qd; NaN if it was not measured. */
double bench_lsq_rival(const bench_lsq_case *c);

/* The share of what the core can issue that the arithmetic of the steps of Gram-Schmidt takes; NaN for other methods, and if
 * the peak is not known. */
double bench_lsq_peak(const bench_lsq_run *run, const bench_lsq_case *c);

/* report.c */
void bench_lsq_print(const void *data, FILE *out);
void bench_lsq_json(const void *data, FILE *out);

#endif

/* eval.h - the data of plumb-bench eval: which systems, how they are evaluated, what was measured. */
#ifndef PLUMB_BENCH_EVAL_H
#define PLUMB_BENCH_EVAL_H

#include "bench/common/common.h"
#include "bench/common/peers.h"
#include "plumb.h"

/* Points of a batch, and points per call: with more, the memory that holds the Jacobians would be measured. */
enum { BENCH_EVAL_SEED = 1, BENCH_EVAL_BATCH = 10000, BENCH_EVAL_CALL = 1000 };

/* One list for asking, printing and JSON keys; bench/peers/eval_libqd.cpp is what they are. */
#define BENCH_EVALUATOR_LIST(X)     \
    X(EVALUATOR_DOUBLE, "double")   \
    X(EVALUATOR_LIBQD, "libqd_fma") \
    X(EVALUATOR_LIBQD_SLOPPY, "libqd_fma_sloppy")

#define BENCH_EVALUATOR_ENUM(code, name) code,
enum { BENCH_EVALUATOR_LIST(BENCH_EVALUATOR_ENUM) BENCH_EVALUATOR_COUNT };
#undef BENCH_EVALUATOR_ENUM
extern const char *const bench_evaluator_names[BENCH_EVALUATOR_COUNT];

/* One point after the other, each depending on the last result, on one core and on all; a batch, likewise. */
enum { EVAL_ONE, EVAL_ONE_ALL, EVAL_BATCH, EVAL_BATCH_ALL, EVAL_MODES };
extern const char *const bench_eval_mode_names[EVAL_MODES];

typedef struct bench_evaluator {
    bool wanted;
    bench_times times;
    double checksum;
} bench_evaluator;

/* Systems that are measured: also in batches, also by --quick. */
enum { BENCH_EVAL_PLANNED = 7 };
typedef struct bench_eval_planned {
    const char *name;
    int64_t n;
    bool batch, quick;
} bench_eval_planned;
extern const bench_eval_planned bench_eval_plan[BENCH_EVAL_PLANNED];

/* A system, and the work of one evaluation of it. */
typedef struct bench_eval_system {
    const char *name;
    int64_t n;
    plumb_system *system;
    int64_t products, sum_terms;       /* of complex numbers */
    double instructions[PLUMB_QD + 1]; /* of real doubles, by precision: on any vector machine, a lane of one */
} bench_eval_system;

typedef struct bench_eval_case {
    bench_eval_system *of;
    int32_t mode, prec;
    int64_t points; /* of one call */
    plumb_view x, values, jacobians;
    double start;      /* the leading limb of x that is pulled */
    bench_times times; /* ns per point */
    double checksum;
    bench_evaluator peer[BENCH_EVALUATOR_COUNT]; /* EVAL_ONE */
    const struct bench_eval_case *like;          /* the EVAL_ONE case of the same system and precision */
} bench_eval_case;

typedef struct bench_eval_run {
    plumb_context *one, *all; /* one thread; one thread per core */
    bench_eval_system *systems;
    bench_eval_case *cases;
    int32_t system_count, case_count;
    bool quick, have_peers;
    const char *commit;
    double ghz, seconds;
    double lane_ops; /* double operations per nanosecond that one core can issue, measured */
} bench_eval_run;

/* problems.c. Destroy what was created also after a failure. */
plumb_status bench_eval_system_create(bench_eval_system *s);
/* The system alone, less a constant in each equation (eight limbs each, four per part) or, with NULL, unchanged. */
plumb_status bench_eval_system_build(const char *name, int64_t n, const double *constants, plumb_system **system);
plumb_status bench_eval_case_create(plumb_context *context, bench_eval_case *c);
void bench_eval_case_destroy(plumb_context *context, bench_eval_case *c);
plumb_status bench_eval_once(plumb_context *context, bench_eval_case *c); /* all points of a call; pulls the point */
double bench_eval_checksum(const bench_eval_case *c);                     /* of the last results of the first point */

/* The smallest time in which one core can issue the instructions of an evaluation; NaN if the peak is not known. */
double bench_eval_floor_ns(const bench_eval_run *run, const bench_eval_case *c);

/* The time to compare with, ns per point; NaN if it was not measured. */
double bench_eval_rival(const bench_eval_case *c);

/* report.c */
void bench_eval_print(const void *data, FILE *out);
void bench_eval_json(const void *data, FILE *out);

#endif

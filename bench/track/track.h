/* track.h - the data of `plumb bench track`: which paths, what was measured; shared by measuring and reporting.
 *
 *   newton  one step after the other: bench_newton.h
 *   track   one path of the paper's system f, from g = f - f(x0) whose solution x0 is known
 *   many    all paths of Katsura's system from a start system of total degree
 *
 * Times are in microseconds, NaN where nothing was measured. */
#ifndef PLUMB_BENCH_TRACK_H
#define PLUMB_BENCH_TRACK_H

#include "bench/common/gpu.h"
#include "bench/newton/newton.h"

/* Two systems, their homotopy, and what solves the first, in qd. */
typedef struct bench_track_problem {
    const char *mode, *name; /* "track" or "many"; of the system */
    int64_t n;
    plumb_system *start, *target;
    plumb_homotopy *homotopy;
    plumb_view solutions; /* on the host */
} bench_track_problem;

/* What became of paths on one machine. */
typedef struct bench_track_result {
    int64_t paths;
    double us;                       /* all of them */
    int64_t steps, rejected, solves; /* together */
    int64_t codes[PLUMB_PATH_CODES]; /* paths that ended so */
    int64_t to_device, to_host;      /* bytes */
} bench_track_result;

typedef struct bench_track_case {
    const bench_track_problem *of;
    int32_t prec;
    int64_t paths;
    bench_track_result gpu, all, one; /* all cores; one core, which may have a sample only */
    bool absent;
} bench_track_case;

typedef struct bench_track_run {
    bench_gpu_machines on; /* without a GPU on.gpu is NULL */
    bench_track_problem *problems;
    bench_track_case *cases;
    int32_t problem_count, case_count;
    bench_newton_row newton[BENCH_NEWTON_ROWS];
    bool has_newton;
    bool quick, failed;
    const char *commit;
    double seconds;
} bench_track_run;

/* bench_track_problems.c: to be destroyed also after a failure. */
plumb_status bench_track_problem_create(plumb_context *context, bench_track_problem *p);
void bench_track_problem_destroy(plumb_context *context, bench_track_problem *p);

/* bench_track_case.c */
plumb_status bench_track_measure(bench_track_run *run, bench_track_case *c);
bool bench_track_agrees(const bench_track_run *run, const bench_track_case *c); /* GPU and processor: the same codes */

/* bench_track_report.c */
void bench_track_print(const bench_track_run *run, FILE *out);
void bench_track_json(const bench_track_run *run, FILE *out);

#endif

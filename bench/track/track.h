/* track.h - the data of plumb-bench track: which paths, and what was measured. Shared by measuring and reporting.
 *
 *   newton  one step after the other: bench/newton/newton.h
 *   track   one path of the paper's system f, from g = f - f(x0) whose solution x0 is known
 *   many    all paths of Katsura's system from a start system of total degree
 *
 * Times are in microseconds, NaN if not measured. */
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

/* The outcome of the paths on one machine. */
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
    bench_track_result gpu, all, one; /* all cores; one core, perhaps only a sample of the paths */
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

/* problems.c. Destroy a problem also after a failure. */
plumb_status bench_track_problem_create(plumb_context *context, bench_track_problem *p);
void bench_track_problem_destroy(plumb_context *context, bench_track_problem *p);

/* Do the paths end with the same codes on the GPU and on the processor? */
bool bench_track_agrees(const bench_track_run *run, const bench_track_case *c);

/* report.c */
void bench_track_print(const void *data, FILE *out);
void bench_track_json(const void *data, FILE *out);

#endif

/* arith.h - the data of plumb-bench arith: what was measured. Shared by measuring and reporting. */
#ifndef PLUMB_BENCH_ARITH_H
#define PLUMB_BENCH_ARITH_H

#include <stdbool.h>
#include <stdio.h>

#include "bench/common/common.h"
#include "bench/common/peak.h"

enum { BENCH_MAX_ISAS = 8 };

/* One list for asking, printing and JSON keys. libqd_fma is libqd's headers compiled with FMA, libqd_package the compiled
 * library of a distribution. */
#define BENCH_PEER_LIST(X)                 \
    X(PEER_LIBQD_FMA, "libqd_fma")         \
    X(PEER_LIBQD_PACKAGE, "libqd_package") \
    X(PEER_MPFR, "mpfr")                   \
    X(PEER_FLOAT128, "float128")

#define BENCH_PEER_ENUM(code, name) code,
enum { BENCH_PEER_LIST(BENCH_PEER_ENUM) BENCH_PEER_COUNT };
#undef BENCH_PEER_ENUM
extern const char *const bench_peer_names[BENCH_PEER_COUNT];

/* Samples of one loop, in ns per operation. */
typedef struct bench_series {
    bool wanted;
    bench_times times;
} bench_series;

double bench_best(const bench_series *s);

/* One operation in one precision, real or complex. */
typedef struct bench_case {
    plumb_op op;
    int32_t prec, parts;
    map_job job;
    int64_t operations;   /* in one run: entries, or terms of all dot products */
    double flops, others; /* vector instructions per operation: arithmetic, and all others */
    bench_series isa[BENCH_MAX_ISAS];
    bench_series peer[BENCH_PEER_COUNT];
} bench_case;

typedef struct bench_isa {
    const isa_kernels *kernels;
    const bench_peak *peak;
    bench_timer timer[PEAK_KINDS];
    double lane_ops; /* lane operations per nanosecond: the best sample of the best loop */
} bench_isa;

typedef struct bench_run {
    bench_case *cases;
    int32_t case_count, isa_count;
    bench_isa isa[BENCH_MAX_ISAS]; /* slowest first */
    bool quick, have_peers;
    double ghz, seconds;
    const char *commit;
} bench_run;

/* The time of libqd, from its headers if they have the operation, otherwise from the package; NaN if neither was measured. */
double bench_libqd(const bench_case *c, bool *package);
/* The share of the machine's issue slots that the operation used; NaN if the peak is unknown. */
double bench_peak_fraction(const bench_run *run, const bench_case *c, int32_t isa);

/* operands.c: arrays for every case; false without memory. Freed all at once. */
bool bench_operands_create(bench_run *run, double **memory);

/* report.c */
void bench_arith_print(const void *data, FILE *out);
void bench_arith_json(const void *data, FILE *out);

#endif

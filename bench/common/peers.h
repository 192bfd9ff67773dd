/* peers.h - the program plumb-peers as a partner in the benchmark: started once, asked for one sample at a time. */
#ifndef PLUMB_BENCH_COMMON_PEERS_H
#define PLUMB_BENCH_COMMON_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_peers bench_peers;

/* Starts the program at path; NULL if it cannot be started. */
bench_peers *bench_peers_start(const char *path);
void bench_peers_stop(bench_peers *peers); /* NULL is fine */

/* What it can measure, by the names of plumb-bench arith. Calls back for each case; false if it does not answer. */
typedef void (*bench_peers_found)(void *data, const char *peer, const char *op, const char *prec, const char *kind);
bool bench_peers_list(bench_peers *peers, bench_peers_found found, void *data);

/* Nanoseconds per operation; NaN if it has died or knows no such case. */
double bench_peers_sample(bench_peers *peers, const char *peer, const char *op, const char *prec, const char *kind,
                          double target_ns);

/* A least-squares problem: the m x n matrix and right-hand side that bench/lsq/matrix.h derives from the seed, given
 * to one solver of one peer. */
typedef struct bench_peers_problem {
    const char *peer; /* "libqd_fma" */
    const char *prec; /* "dd" */
    const char *kind; /* "real", "complex" */
    int64_t m, n;     /* m >= n >= 1; m * n up to 2^22 */
    uint64_t seed;
} bench_peers_problem;

/* The solvers it has:
 *
 *   double            d       the algorithm of libqd_fma in scalar doubles
 *   libqd_fma         dd, qd  modified Gram-Schmidt on [A b] and back substitution, accurate variants, FMA
 *   libqd_fma_sloppy  dd, qd  the same in the sloppy variants a packaged libqd chooses
 *   arb               dd, qd  Gaussian elimination at 106 and 212 bits; square systems only
 *   lapack, openblas  d       dgels, zgels (Householder QR) of the reference libraries and of OpenBLAS: which is faster
 *                             depends on n, so compare with the smaller time
 *
 * Which of them exist depends on the packages it was built with. Calls back for each; what: a line with method, library
 * and version. False if it does not answer. */
typedef void (*bench_peers_solver_found)(void *data, const char *peer, const char *prec, const char *kind,
                                         const char *what);
bool bench_peers_list_solvers(bench_peers *peers, bench_peers_solver_found found, void *data);

/* Nanoseconds per solve, over a sample of about target_ns (at least one solve). What is timed is the work of a caller who
 * keeps A and b and solves repeatedly: A and b are copied to where they are overwritten, in memory that exists already.
 * plumb is timed in the same way. NaN if the program has died, has no such solver, or the solver does not support the
 * shape. */
double bench_peers_time_solve(bench_peers *peers, const bench_peers_problem *problem, double target_ns);

/* Solves once and returns the largest |x_j - 1| (the solution is all ones), infinity if the solver gave up, and NaN as
 * above. */
double bench_peers_solve_error(bench_peers *peers, const bench_peers_problem *problem);

/* The program of that name beside the one that is running, in path; false if there is none. "plumb-peers", or
 * "plumb-gpu-peers" (bench/peers/gpu.cpp). */
bool bench_peers_find_named(const char *name, char *path, size_t size);

#endif

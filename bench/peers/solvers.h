// solvers.h - what a peer of plumb's least squares provides to the benchmark: a list of named solvers.
//
// A solver makes problems: the matrix of bench/lsq/matrix.h for a shape and seed, in the peer's own form, with all the
// memory it needs. What is timed is problem.solve(): it copies A and b to where they are overwritten, as a caller does
// who keeps them, and leaves x. Names are those of plumb-bench lsq: precision "dd", kind "real" or "complex".
#ifndef PLUMB_PEERS_SOLVERS_H
#define PLUMB_PEERS_SOLVERS_H

#include "bench/lsq/matrix.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

struct lsq_shape {
    int64_t m, n;
    uint64_t seed;
};

class lsq_problem
{
  public:
    virtual ~lsq_problem() = default;
    virtual void solve() = 0;
    virtual double error() = 0; // the largest |x_j - 1| of the last solve
};

struct lsq_solver {
    std::string peer, prec, kind;
    std::string what;                                                    // one line: method, library, version
    std::function<std::unique_ptr<lsq_problem>(const lsq_shape &)> make; // null for a shape it cannot solve
};

using lsq_solvers = std::vector<lsq_solver>;

// The numbers of a problem, interleaved.
struct lsq_data {
    std::vector<double> a, b;
    lsq_data(const lsq_shape &s, int limbs, int parts)
        : a(size_t(s.m * s.n * limbs * parts)), b(size_t(s.m * limbs * parts))
    {
        bench_lsq_matrix(s.seed, s.m, s.n, limbs, parts, a.data());
        bench_lsq_ones(s.m, s.n, limbs, parts, a.data(), b.data());
    }
};

void solvers_double(lsq_solvers &solvers); // peers/lsq_double.cpp
void solvers_libqd(lsq_solvers &solvers);  // peers/lsq_libqd.cpp
void solvers_eval(lsq_solvers &solvers);   // peers/eval_libqd.cpp: evaluations, see bench/eval/system.h
void solvers_arb(lsq_solvers &solvers);    // peers/lsq_arb.cpp
void solvers_lapack(lsq_solvers &solvers); // peers/lsq_lapack.cpp

// Answers the requests about least squares (see main.cpp); false when the line is none of them.
bool solvers_answer(const lsq_solvers &solvers, const char *line);
// A table on standard output: microseconds and error for a few n.
void solvers_table(const lsq_solvers &solvers);

#endif

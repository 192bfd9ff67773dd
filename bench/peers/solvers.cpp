// solvers.cpp - answers the benchmark's requests about least squares, and keeps the problems it has made: a request for
// the next sample of a problem finds its matrix, its memory and the number of runs per sample.
#include "solvers.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <map>
#include <new>

namespace
{

constexpr int64_t most_entries = int64_t(1) << 22; // of a matrix; beyond, a request is answered with "none"

struct kept_problem {
    std::unique_ptr<lsq_problem> problem; // null: the solver does not take this shape
    bench_timer timer{0};
};

std::map<std::string, kept_problem> kept;

void run_solve(void *data)
{
    static_cast<lsq_problem *>(data)->solve();
}

const lsq_solver *find_solver(const lsq_solvers &solvers, const char *peer, const char *prec, const char *kind)
{
    for (auto &s : solvers)
        if (s.peer == peer && s.prec == prec && s.kind == kind)
            return &s;
    return nullptr;
}

bool takes(const lsq_shape &s)
{
    return s.n >= 1 && s.m >= s.n && s.m <= most_entries && s.n <= most_entries / s.m;
}

kept_problem &problem_of(const lsq_solver &solver, const lsq_shape &s)
{
    std::string key = solver.peer + ' ' + solver.prec + ' ' + solver.kind + ' ' + std::to_string(s.m) + ' ' +
                      std::to_string(s.n) + ' ' + std::to_string(s.seed);
    auto found = kept.find(key);
    if (found == kept.end()) {
        kept_problem made;
        made.problem = solver.make(s);
        found = kept.emplace(key, std::move(made)).first;
    }
    return found->second;
}

double time_of(kept_problem &k, double target_ns)
{
    return bench_sample(&k.timer, run_solve, k.problem.get(), target_ns);
}

double error_of(kept_problem &k)
{
    k.problem->solve();
    return k.problem->error();
}

void list(const lsq_solvers &solvers)
{
    for (auto &s : solvers)
        std::printf("%s %s %s %s\n", s.peer.c_str(), s.prec.c_str(), s.kind.c_str(), s.what.c_str());
    std::printf("\n");
}

} // namespace

bool solvers_answer(const lsq_solvers &solvers, const char *line)
{
    char verb[16], peer[32], prec[8], kind[16];
    lsq_shape shape;
    double target_ns = 0;
    if (std::strcmp(line, "solvers\n") == 0) {
        list(solvers);
        return true;
    }
    int fields = std::sscanf(line, "%15s %31s %7s %15s %" SCNd64 " %" SCNd64 " %" SCNu64 " %lf", verb, peer, prec, kind,
                             &shape.m, &shape.n, &shape.seed, &target_ns);
    bool time = fields == 8 && !std::strcmp(verb, "time"), error = fields == 7 && !std::strcmp(verb, "error");
    if (!time && !error)
        return false;
    const lsq_solver *solver = find_solver(solvers, peer, prec, kind);
    try {
        if (solver != nullptr && takes(shape)) {
            kept_problem &k = problem_of(*solver, shape);
            if (k.problem != nullptr) {
                std::printf("%.6g\n", time ? time_of(k, target_ns) : error_of(k));
                return true;
            }
        }
    } catch (const std::bad_alloc &) {
    }
    std::printf("none\n");
    return true;
}

void solvers_table(const lsq_solvers &solvers)
{
    std::printf("\nleast squares, microseconds per solve (including the copies of A and b) and largest error of x\n");
    for (int64_t n : {16, 32, 64})
        for (auto &s : solvers) {
            kept_problem &k = problem_of(s, {n, n, 1});
            if (k.problem == nullptr)
                continue;
            double best = INFINITY;
            for (int i = 0; i < 5; i++)
                best = std::min(best, time_of(k, 5e6));
            std::printf("n = %-3" PRId64 " %-16s %-3s %-8s %11.1f us  %8.1e  %s\n", n, s.peer.c_str(), s.prec.c_str(),
                        s.kind.c_str(), 1e-3 * best, error_of(k), s.what.c_str());
        }
}

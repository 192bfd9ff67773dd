// main.cpp - plumb-peers: measures the arithmetic and solvers of other libraries as plumb-bench measures plumb's.
//
// plumb neither links nor needs what is measured here. The benchmark starts this program once, keeps it waiting on its
// standard input and asks for one sample at a time, so that both are measured side by side in one run:
//
//   list                            a line "peer op prec kind" for each case, then an empty line
//   sample PEER OP PREC KIND NS     run the case for about NS nanoseconds; answers nanoseconds per operation
//
//   solvers                         a line "peer prec kind what" for each solver, then an empty line
//   time PEER PREC KIND M N SEED NS solve the M x N problem of SEED for about NS nanoseconds; answers nanoseconds per solve
//   error PEER PREC KIND M N SEED   solve it once; the largest error of x, whose entries should all be 1
//
// A solver whose kind is paper, cyclic or katsura evaluates that system of bench/eval/system.h for N, with its Jacobian; M is
// N, and its error is a checksum.
//
// A request that no peer knows or can solve is answered with "none".
#include "peers.h"
#include "solvers.h"

#include <cstdio>
#include <cstring>

static void run_work(void *data)
{
    static_cast<peer_case *>(data)->work();
}

static double sample(peer_case &c, double target_ns)
{
    return bench_sample(&c.timer, run_work, &c, target_ns) / c.count;
}

static void list(const peer_cases &cases)
{
    for (auto &c : cases)
        std::printf("%s %s %s %s\n", c.peer.c_str(), c.op.c_str(), c.prec.c_str(), c.kind.c_str());
    std::printf("\n");
}

static void answer(peer_cases &cases, const lsq_solvers &solvers, const char *line)
{
    char peer[32], op[32], prec[8], kind[16];
    double target_ns;
    if (std::strcmp(line, "list\n") == 0) {
        list(cases);
        return;
    }
    if (solvers_answer(solvers, line))
        return;
    if (std::sscanf(line, "sample %31s %31s %7s %15s %lf", peer, op, prec, kind, &target_ns) == 5)
        for (auto &c : cases)
            if (c.peer == peer && c.op == op && c.prec == prec && c.kind == kind) {
                std::printf("%.6g\n", sample(c, target_ns));
                return;
            }
    std::printf("none\n");
}

static void serve(peer_cases &cases, const lsq_solvers &solvers)
{
    char line[256];
    while (std::fgets(line, sizeof line, stdin)) {
        answer(cases, solvers, line);
        std::fflush(stdout);
    }
}

static void table(peer_cases &cases)
{
    for (auto &c : cases) {
        double best = sample(c, 2e6);
        for (int i = 0; i < 4; i++)
            best = std::fmin(best, sample(c, 2e6));
        std::printf("%-14s %-6s %-3s %-8s %9.2f ns\n", c.peer.c_str(), c.op.c_str(), c.prec.c_str(), c.kind.c_str(),
                    best);
    }
}

static peer_cases find_cases()
{
    peer_cases cases;
#ifdef PEERS_LIBQD
    peers_libqd(cases);
#endif
#ifdef PEERS_FLOAT128
    peers_float128(cases);
#endif
#ifdef PEERS_MPFR
    peers_mpfr(cases);
#endif
    return cases;
}

static lsq_solvers find_solvers()
{
    lsq_solvers solvers;
    solvers_double(solvers);
#ifdef PEERS_LIBQD
    solvers_libqd(solvers);
    solvers_eval(solvers);
#endif
#ifdef PEERS_ARB
    solvers_arb(solvers);
#endif
#if defined(PEERS_LAPACK) || defined(PEERS_OPENBLAS)
    solvers_lapack(solvers);
#endif
    return solvers;
}

int main(int argc, char **argv)
{
    const char *usage = "usage: plumb-peers [--list | --lsq | --serve]\n"
                        "Times the arithmetic that plumb is compared with (ns an operation). --list names what can be\n"
                        "timed, --lsq times the least-squares solvers instead, and --serve answers requests on\n"
                        "standard input, as plumb-bench makes them.\n";
    const std::string mode = argc > 1 ? argv[1] : "";
    if (argc > 2 || (argc == 2 && mode != "--list" && mode != "--lsq" && mode != "--serve" && mode != "--help")) {
        std::fputs(usage, stderr);
        return 2;
    }
    if (mode == "--help") {
        std::fputs(usage, stdout);
        return 0;
    }
    if (mode == "--lsq") {
        solvers_table(find_solvers());
        return 0;
    }
    peer_cases cases = find_cases();
    if (mode == "--list")
        list(cases);
    else if (mode == "--serve")
        serve(cases, find_solvers());
    else
        table(cases);
    return 0;
}

// main.cpp - plumb-peers: measures other people's arithmetic the way `plumb bench arith` measures plumb's.
//
// plumb neither links nor needs what is measured here. The benchmark starts this program once, keeps it waiting on its
// standard input and asks for one sample at a time, so that both are measured side by side in one run:
//
//   list                            a line "peer op prec kind" for each case, then an empty line
//   sample PEER OP PREC KIND NS     run the case for about NS nanoseconds; the answer is nanoseconds an operation
//
// An unknown case is answered with "none".
#include "peers.h"

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

static void answer(peer_cases &cases, const char *line)
{
    char peer[32], op[32], prec[8], kind[16];
    double target_ns;
    if (std::strcmp(line, "list\n") == 0) {
        list(cases);
        return;
    }
    if (std::sscanf(line, "sample %31s %31s %7s %15s %lf", peer, op, prec, kind, &target_ns) == 5)
        for (auto &c : cases)
            if (c.peer == peer && c.op == op && c.prec == prec && c.kind == kind) {
                std::printf("%.6g\n", sample(c, target_ns));
                return;
            }
    std::printf("none\n");
}

static void serve(peer_cases &cases)
{
    char line[256];
    while (std::fgets(line, sizeof line, stdin)) {
        answer(cases, line);
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

int main(int argc, char **argv)
{
    const char *usage =
        "usage: plumb-peers [--list | --serve]\n"
        "Times the arithmetic that plumb is compared with (ns an operation). --serve answers requests on\n"
        "standard input, as `plumb bench arith` makes them.\n";
    const char *mode = argc > 1 ? argv[1] : "";
    if (argc > 2 ||
        (argc == 2 && std::strcmp(mode, "--list") && std::strcmp(mode, "--serve") && std::strcmp(mode, "--help"))) {
        std::fputs(usage, stderr);
        return 2;
    }
    if (!std::strcmp(mode, "--help")) {
        std::fputs(usage, stdout);
        return 0;
    }
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
    if (!std::strcmp(mode, "--list"))
        list(cases);
    else if (!std::strcmp(mode, "--serve"))
        serve(cases);
    else
        table(cases);
    return 0;
}

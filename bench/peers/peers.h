// peers.h - what a peer of plumb's arithmetic provides to the benchmark: a list of named loops.
//
// A case is one operation of one peer on arrays of BENCH_LENGTH numbers of plumb's operand distribution. Names are those
// of plumb-bench arith: op "mul", precision "dd", kind "real" or "complex".
#ifndef PLUMB_PEERS_H
#define PLUMB_PEERS_H

#include "app/sample.h"

#include <functional>
#include <string>
#include <vector>

struct peer_case {
    std::string peer, op, prec, kind;
    double count; // operations in one run of the work
    std::function<void()> work;
    bench_timer timer;
};

using peer_cases = std::vector<peer_case>;

template <class Work>
void peer_add(peer_cases &cases, const char *peer, const char *op, const char *prec, const char *kind, Work work)
{
    double count = BENCH_LENGTH;
    if (std::string(op) == "dot")
        count *= BENCH_TERMS;
    cases.push_back({peer, op, prec, kind, count, work, {0}});
}

void peers_libqd(peer_cases &cases);    // peers/libqd.cpp
void peers_mpfr(peer_cases &cases);     // peers/mpfr.cpp
void peers_float128(peer_cases &cases); // peers/float128.cpp

#endif

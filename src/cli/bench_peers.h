/* bench_peers.h - the program plumb-peers as a partner in the benchmark: started once, asked for one sample at a time. */
#ifndef PLUMB_CLI_BENCH_PEERS_H
#define PLUMB_CLI_BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct bench_peers bench_peers;

/* Starts the program at path; NULL when it cannot be started. */
bench_peers *bench_peers_start(const char *path);
void bench_peers_stop(bench_peers *peers); /* NULL is fine */

/* What it can measure, in the words of `plumb bench arith`. Calls back for each case; false when it does not answer. */
typedef void (*bench_peers_found)(void *data, const char *peer, const char *op, const char *prec, const char *kind);
bool bench_peers_list(bench_peers *peers, bench_peers_found found, void *data);

/* Nanoseconds an operation, or NaN when it has died or knows no such case. */
double bench_peers_sample(bench_peers *peers, const char *peer, const char *op, const char *prec, const char *kind,
                          double target_ns);

/* The program beside the one that is running, in path; false when it is not there. */
bool bench_peers_find(char *path, size_t size);

#endif

/* peers.c - talks to plumb-peers through a pair of pipes, line by line. bench/peers/main.cpp is the other end. */
#include "bench/common/peers.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct bench_peers {
    pid_t process;
    FILE *ask, *answer;
};

bool bench_peers_find_named(const char *name, char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size);
    if (length <= 0 || (size_t)length >= size)
        return false;
    path[length] = 0;
    char *slash = strrchr(path, '/');
    if (slash == NULL || (size_t)(slash + 1 - path) + strlen(name) + 1 > size)
        return false;
    memcpy(slash + 1, name, strlen(name) + 1);
    return access(path, X_OK) == 0;
}

/* In the child: standard input and output become the pipes. */
static void become_peers(const char *path, const int ask[2], const int answer[2])
{
    if (dup2(ask[0], STDIN_FILENO) >= 0 && dup2(answer[1], STDOUT_FILENO) >= 0) {
        close(ask[0]), close(ask[1]);
        close(answer[0]), close(answer[1]);
        execl(path, path, "--serve", (char *)NULL);
    }
    _exit(127);
}

bench_peers *bench_peers_start(const char *path)
{
    int ask[2], answer[2];
    if (access(path, X_OK) != 0)
        return NULL;
    bench_peers *peers = calloc(1, sizeof *peers);
    if (peers == NULL)
        return NULL;
    if (pipe(ask) != 0)
        goto no_ask;
    if (pipe(answer) != 0)
        goto no_answer;
    peers->process = fork();
    if (peers->process == 0)
        become_peers(path, ask, answer);
    close(ask[0]);
    close(answer[1]);
    peers->ask = fdopen(ask[1], "w");
    peers->answer = fdopen(answer[0], "r");
    if (peers->process > 0 && peers->ask != NULL && peers->answer != NULL) {
        signal(SIGPIPE, SIG_IGN); /* if it dies, writing to it fails instead of ending this program */
        return peers;
    }
    bench_peers_stop(peers);
    return NULL;

no_answer:
    close(ask[0]), close(ask[1]);
no_ask:
    free(peers);
    return NULL;
}

void bench_peers_stop(bench_peers *peers)
{
    if (peers == NULL)
        return;
    if (peers->ask != NULL)
        fclose(peers->ask); /* it ends at the end of its input */
    if (peers->answer != NULL)
        fclose(peers->answer);
    if (peers->process > 0)
        waitpid(peers->process, NULL, 0);
    free(peers);
}

bool bench_peers_list(bench_peers *peers, bench_peers_found found, void *data)
{
    char line[256], peer[32], op[32], prec[8], kind[16];
    fputs("list\n", peers->ask);
    if (fflush(peers->ask) != 0)
        return false;
    while (fgets(line, sizeof line, peers->answer) != NULL) {
        if (line[0] == '\n')
            return true;
        if (sscanf(line, "%31s %31s %7s %15s", peer, op, prec, kind) == 4)
            found(data, peer, op, prec, kind);
    }
    return false;
}

/* Sends what was asked and reads the number that answers it. */
static double read_number(bench_peers *peers)
{
    char line[256], *end;
    if (fflush(peers->ask) != 0 || fgets(line, sizeof line, peers->answer) == NULL)
        return (double)NAN;
    double number = strtod(line, &end);
    return end == line ? (double)NAN : number;
}

double bench_peers_sample(bench_peers *peers, const char *peer, const char *op, const char *prec, const char *kind,
                          double target_ns)
{
    fprintf(peers->ask, "sample %s %s %s %s %.0f\n", peer, op, prec, kind, target_ns);
    return read_number(peers);
}

bool bench_peers_list_solvers(bench_peers *peers, bench_peers_solver_found found, void *data)
{
    char line[512], peer[32], prec[8], kind[16];
    int what;
    fputs("solvers\n", peers->ask);
    if (fflush(peers->ask) != 0)
        return false;
    while (fgets(line, sizeof line, peers->answer) != NULL) {
        if (line[0] == '\n')
            return true;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%31s %7s %15s %n", peer, prec, kind, &what) == 3)
            found(data, peer, prec, kind, line + what);
    }
    return false;
}

static void ask_about(bench_peers *peers, const char *verb, const bench_peers_problem *p)
{
    fprintf(peers->ask, "%s %s %s %s %" PRId64 " %" PRId64 " %" PRIu64, verb, p->peer, p->prec, p->kind, p->m, p->n,
            p->seed);
}

double bench_peers_time_solve(bench_peers *peers, const bench_peers_problem *problem, double target_ns)
{
    ask_about(peers, "time", problem);
    fprintf(peers->ask, " %.0f\n", target_ns);
    return read_number(peers);
}

double bench_peers_solve_error(bench_peers *peers, const bench_peers_problem *problem)
{
    ask_about(peers, "error", problem);
    fputs("\n", peers->ask);
    return read_number(peers);
}

/* phc.c - see phc.h. The system goes to a file in a temporary folder, because phc reads and writes files only. */
#include "bench/solve/phc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/sample.h"

extern char **environ;

/* Starts phc with these arguments; nothing is read from or shown on the terminal. 0 if it cannot be started. */
static pid_t start(char *const *arguments)
{
    pid_t process = 0;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&process, arguments[0], &actions, NULL, arguments, environ) != 0)
        process = 0;
    posix_spawn_file_actions_destroy(&actions);
    return process;
}

/* Waits, at most this many seconds: then the process is ended. True if it ended well. */
static bool finish(pid_t process, double most)
{
    const double began = bench_now_ns();
    int status = 0;
    pid_t ended = 0;
    while (ended == 0 && (bench_now_ns() - began) * 1e-9 < most) {
        ended = waitpid(process, &status, WNOHANG);
        if (ended == 0)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    if (ended == 0) {
        kill(process, SIGKILL);
        waitpid(process, &status, 0);
        return false;
    }
    return ended == process && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Processor time of all processes that were started and have ended. */
static double processor_seconds(void)
{
    struct rusage use;
    if (getrusage(RUSAGE_CHILDREN, &use) != 0)
        return 0;
    return (double)use.ru_utime.tv_sec + 1e-6 * (double)use.ru_utime.tv_usec + (double)use.ru_stime.tv_sec +
           1e-6 * (double)use.ru_stime.tv_usec;
}

bool bench_phc_there(void)
{
    char name[] = "phc", option[] = "--version";
    pid_t process = start((char *const[]){name, option, NULL});
    return process > 0 && finish(process, 10);
}

/* The number after the last "THE SOLUTIONS" of a file; 0 without one. */
static int64_t count_solutions(const char *path)
{
    char line[4096];
    int64_t count = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, "THE SOLUTIONS", 13) == 0 && fgets(line, sizeof line, file) != NULL)
            count = strtoll(line, NULL, 10);
    if (file != NULL)
        fclose(file);
    return count;
}

bool bench_phc_solve(const plumb_system *system, int32_t prec, double most, double *seconds, int64_t *solutions)
{
    const char *parent = getenv("TMPDIR");
    char folder[512], in[600], out[600];
    char name[] = "phc", threads[] = "-t1", in_d[] = "-b", in_dd[] = "-b2", in_qd[] = "-b4";
    char *solver = prec == PLUMB_DD ? in_dd : prec == PLUMB_QD ? in_qd : in_d;
    snprintf(folder, sizeof folder, "%s/plumb-bench-XXXXXX", parent != NULL && parent[0] != 0 ? parent : "/tmp");
    if (mkdtemp(folder) == NULL)
        return false;
    snprintf(in, sizeof in, "%s/in.phc", folder);
    snprintf(out, sizeof out, "%s/out.phc", folder);
    bool good = plumb_system_write_file(system, in, PLUMB_FORMAT_PHC) == PLUMB_OK;
    if (good) {
        const double began = processor_seconds();
        pid_t process = start((char *const[]){name, solver, threads, in, out, NULL});
        good = process > 0 && finish(process, most);
        *seconds = processor_seconds() - began;
        *solutions = count_solutions(in); /* phc appends the list to its input */
    }
    unlink(in);
    unlink(out);
    rmdir(folder);
    return good;
}

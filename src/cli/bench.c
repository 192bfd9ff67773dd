/* bench.c - plumb bench: runs the program plumb-bench with the same arguments.
 *
 * The benchmarks are a program of their own. It is looked for beside the running program first, so that a build tree uses
 * its own, and then on the PATH. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "cli/cli.h"

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

static const char benchmark_program[] = "plumb-bench";

/* The path of plumb-bench in the folder of this program, or an empty string. */
static void beside_this_program(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + sizeof benchmark_program > size) {
        path[0] = 0;
        return;
    }
    memcpy(slash + 1, benchmark_program, sizeof benchmark_program);
}

static int bench(int argc, char **argv)
{
    (void)argc;
    char path[PATH_MAX];
    beside_this_program(path, sizeof path);
    if (path[0] && access(path, X_OK) == 0)
        execv(path, argv);
    else
        execvp(benchmark_program, argv);
    if (errno == ENOENT)
        return app_fail("bench",
                        "the program %s is neither beside plumb nor on the PATH; 'make' builds it in the source tree",
                        benchmark_program);
    return app_fail("bench", "%s could not be run: %s", path[0] ? path : benchmark_program, strerror(errno));
}

static const app_option options[] = {APP_OPTIONS_END};

const app_command plumb_cli_bench = {
    .name = "bench",
    .summary = "run the benchmarks (the program plumb-bench)",
    .arguments = "COMMAND [OPTIONS]",
    .about = "Runs the program plumb-bench.",
    .options = options,
    .pass_on = bench,
};

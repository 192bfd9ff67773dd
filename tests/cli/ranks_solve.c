/* ranks_solve.c - a program in C that shares the paths of plumb_solve with other ranks, if a launcher has started it.
 *
 *     mpirun -n 3 ranks_solve SYSTEM SEEDS [JOURNAL]
 *
 * Solves the system once for each seed from 1 on, and rank 0 writes the limbs of all solutions to standard output. The first system is
 * wrong on purpose if SEEDS is negative: all ranks are told that the call failed, and go on. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"

static int fail(const char *what)
{
    fprintf(stderr, "ranks_solve: rank %d: %s\n", (int)plumb_ranks_own(), what);
    return 1;
}

static int show(plumb_context *context, const plumb_solutions *s)
{
    plumb_view x;
    const int32_t prec = plumb_solutions_prec(s);
    const int64_t n = plumb_solutions_unknowns(s);
    if (plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, n, 1, 1, &x) != PLUMB_OK)
        return fail(plumb_context_message(context));
    for (int64_t k = 0; k < plumb_solutions_count(s); k++) {
        if (plumb_solutions_get(s, k, &x) != PLUMB_OK)
            return fail("a solution could not be read");
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < 2 * prec; c++)
                printf("%a ", x.data[c * x.plane + i]);
        printf("\n");
    }
    plumb_array_destroy(context, &x);
    return 0;
}

static int solve(plumb_context *context, const plumb_system *system, const plumb_solve_options *options)
{
    plumb_solutions *found = NULL;
    const plumb_status status = plumb_solve(context, system, options, &found);
    int result = 0;
    if (status != PLUMB_OK)
        result = fail(plumb_context_message(context));
    else if (plumb_ranks_own() == 0)
        result = show(context, found);
    else if (found != NULL)
        result = fail("it has solutions");
    plumb_solutions_destroy(found);
    return result;
}

/* A system with fewer equations than unknowns. */
static int solve_nothing(plumb_context *context, const plumb_solve_options *options)
{
    static const char text[] = "x + y;";
    plumb_system *system = NULL;
    plumb_solutions *found = NULL;
    if (plumb_system_parse(text, sizeof text - 1, &system, NULL) != PLUMB_OK)
        return fail("the text could not be read");
    const plumb_status status = plumb_solve(context, system, options, &found);
    plumb_system_destroy(system);
    return status == PLUMB_ERR_ARGUMENT ? 0 : fail("a system without isolated solutions was solved");
}

static int run(int count, char **words)
{
    plumb_context *context = NULL;
    plumb_system *system = NULL;
    plumb_solve_options options;
    plumb_text_error error;
    const long seeds = strtol(words[2], NULL, 10);
    static char text[1 << 16];
    FILE *in = fopen(words[1], "rb");
    const size_t length = in != NULL ? fread(text, 1, sizeof text, in) : 0;
    if (in != NULL)
        fclose(in);
    if (plumb_system_parse(text, length, &system, &error) != PLUMB_OK)
        return fail("the system could not be read");
    if (plumb_context_create(NULL, &context) != PLUMB_OK)
        return fail("no context");
    plumb_solve_options_init(&options);
    options.ranks = plumb_ranks_count() > 1;
    options.journal = count > 3 ? words[3] : NULL;
    int result = seeds < 0 ? solve_nothing(context, &options) : 0;
    for (long seed = 1; seed <= labs(seeds) && result == 0; seed++) {
        options.seed = (uint64_t)seed;
        result = solve(context, system, &options);
        if (options.journal != NULL && plumb_ranks_own() == 0)
            remove(options.journal);
    }
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    return result;
}

int main(int count, char **words)
{
    char message[512];
    if (count < 3)
        return 2;
    if (getenv("OMPI_COMM_WORLD_SIZE") != NULL && plumb_ranks_begin(message, sizeof message) != PLUMB_OK)
        return fail(message);
    return plumb_ranks_end(run(count, words));
}

/* cells.c - see cells.h. */
#include "solver/solve/cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "solver/ranks/ranks.h"
#include "text/file.h"

/* Steps in which cells of a file are enumerated again. */
enum { RECOUNT = 50000 };

static int read_file(const run_voice *voice, solve_cells *cells)
{
    const char *path = cells->path;
    char *text = NULL;
    size_t length = 0;
    cells->store.recount = RECOUNT;
    if (!path || (access(path, F_OK) != 0 && errno == ENOENT))
        return RUN_OK;
    errno = 0;
    FILE *in = fopen(path, "rb");
    const plumb_status status = in ? plumb_stream_load(in, file_may_be_text, &text, &length) : PLUMB_ERR_IO;
    const int reason = errno;
    int result = RUN_OK;
    if (status == PLUMB_ERR_MEMORY)
        result = run_no_memory(voice);
    else if (status != PLUMB_OK)
        result =
            run_misuse(voice, "%s could not be read%s%s", path, reason ? ": " : "", reason ? strerror(reason) : "");
    else if (!plumb_store_read(&cells->store, text, length))
        result = run_misuse(voice, "%s is damaged, or not a file of mixed cells of plumb %s", path, plumb_version());
    cells->were_read = result == RUN_OK;
    if (in)
        fclose(in);
    free(text);
    return result;
}

int plumb_solve_cells_take(const run_voice *voice, solve_cells *cells)
{
    ranks_message m;
    if (!cells->shared || !ranks_is_worker())
        return read_file(voice, cells);
    if (!ranks_wait(RANKS_CELLS, &m))
        return RUN_FAILED;                                    /* rank 0 has said why */
    (void)plumb_store_read(&cells->store, m.bytes, m.length); /* what is not there is enumerated again */
    free(m.bytes);
    return RUN_OK;
}

plumb_status plumb_solve_cells_plan(plumb_context *context, const plumb_system *system,
                                    const plumb_solve_options *options, solve_cells *cells, solve_plan *plan)
{
    context->cells = &cells->store;
    const plumb_status status = plumb_solve_plan_make(context, system, options, plan);
    context->cells = NULL;
    return status;
}

static int write_file(const run_voice *voice, const char *path, const char *text, size_t length)
{
    file_output output = {.file = NULL};
    int result = run_output_open(voice, &output, path);
    if (result != RUN_OK)
        return result;
    errno = 0;
    int reason = fwrite(text, 1, length, output.file) == length ? file_output_finish(&output) : errno;
    if (reason == 0)
        reason = run_output_place(voice, &output, true);
    run_output_discard(voice, &output);
    return reason == 0 ? RUN_OK : run_fail(voice, "%s could not be written: %s", path, strerror(reason));
}

int plumb_solve_cells_pass_on(const run_voice *voice, const solve_cells *cells, const solve_plan *plan)
{
    const char *path = cells->path;
    size_t length = 0;
    if (cells->store.refuted > 0)
        return run_misuse(voice, "%s does not have all mixed cells of this system, or other ones; remove it", path);
    if (cells->were_read && cells->store.found == 0 && plan->start.kind == PLUMB_START_POLYHEDRAL)
        return run_misuse(voice, "%s has the mixed cells of another system, seed or limit of work", path);
    if ((cells->shared && ranks_is_worker()) || (!cells->shared && (!path || cells->were_read)))
        return RUN_OK;
    char *text = plumb_store_write(&cells->store, &length);
    int result = text ? RUN_OK : run_no_memory(voice);
    for (int32_t k = 1; cells->shared && k < ranks_count() && result == RUN_OK; k++)
        ranks_send(k, RANKS_CELLS, text, length);
    ranks_deliver(); /* the others wait for them */
    if (result == RUN_OK && path && !cells->were_read)
        result = write_file(voice, path, text, length);
    free(text);
    return result;
}

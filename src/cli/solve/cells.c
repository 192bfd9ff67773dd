/* cells.c - mixed cells that somebody else has enumerated: rank 0 with the threads of all ranks of its computer, or an earlier run,
 * which wrote them to the file of --cells. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "cli/solve/solve.h"
#include "solver/ranks/ranks.h"

static const char command[] = "solve";

static int read_file(solve_job *job)
{
    const char *path = job->words->cells;
    unsigned char *bytes = NULL;
    size_t length = 0;
    job->cells.recount = SOLVE_RECOUNT;
    if (path == NULL || (access(path, F_OK) != 0 && errno == ENOENT))
        return APP_OK;
    int result = app_bytes_load(command, path, file_may_be_text, &bytes, &length);
    if (result == APP_OK && !plumb_store_read(&job->cells, (const char *)bytes, length))
        result = app_misuse(command, "%s is damaged, or not a file of mixed cells of plumb %s", path, plumb_version());
    job->cells_read = result == APP_OK;
    free(bytes);
    return result;
}

int solve_cells_take(solve_job *job)
{
    ranks_message m;
    if (!ranks_is_worker())
        return read_file(job);
    if (!ranks_wait(RANKS_CELLS, &m))
        return APP_FAILED;                                  /* rank 0 has said why */
    (void)plumb_store_read(&job->cells, m.bytes, m.length); /* what is not there is enumerated again */
    free(m.bytes);
    return APP_OK;
}

static int write_file(const char *path, const char *text, size_t length)
{
    app_output output = {.path = NULL};
    int result = app_output_open(command, &output, path);
    if (result != APP_OK)
        return result;
    fwrite(text, 1, length, output.file);
    return app_output_commit(command, &output);
}

int solve_cells_pass_on(const solve_job *job)
{
    const char *path = job->words->cells;
    size_t length = 0;
    if (job->cells.refuted > 0)
        return app_misuse(command, "%s does not have all mixed cells of this system, or other ones; remove it", path);
    if (job->cells_read && job->cells.found == 0 && job->plan.start.kind == PLUMB_START_POLYHEDRAL)
        return app_misuse(command, "%s has the mixed cells of another system, seed or limit of work", path);
    if (ranks_is_worker() || (!ranks_are_used() && (path == NULL || job->cells_read)))
        return APP_OK;
    char *text = plumb_store_write(&job->cells, &length);
    int result = text != NULL ? APP_OK : app_fail(command, "out of memory");
    for (int32_t k = 1; k < ranks_count() && result == APP_OK; k++)
        ranks_send(k, RANKS_CELLS, text, length);
    ranks_deliver(); /* the others wait for them */
    if (result == APP_OK && path != NULL && !job->cells_read)
        result = write_file(path, text, length);
    free(text);
    return result;
}

/* output.c - writes the solutions found, each in the precision its path ended in, so that it reads back to the same limbs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/models.h"
#include "cli/track/track.h"
#include "text/number/number.h"

static const char command[] = "track";

static bool is_wanted(const run_state *run, int64_t k)
{
    const run_path *s = &run->states[k];
    return run_path_arrived(s) || (s->line >= 0 && track_words_of(run)->all);
}

/* Room for one solution with the names of the target's unknowns. */
static plumb_status make_room(const run_job *job, plumb_solutions **room)
{
    const char **names = malloc((size_t)job->unknowns * sizeof *names);
    *room = NULL;
    if (names == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t i = 0; i < job->unknowns; i++)
        names[i] = plumb_system_name(job->target, i);
    plumb_status status = plumb_solutions_create(1, job->unknowns, PLUMB_QD, names, room);
    free(names);
    return status;
}

/* "path 7, singular endpoint, winding number 2, dd", which readers of the file pass over. */
static void remark(const plumb_path_record *record, char *text, size_t size)
{
    int used = snprintf(text, size, "path %lld, %s", (long long)record->path + 1,
                        plumb_path_text((plumb_path_code)record->code));
    if (record->winding > 0 && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, ", winding number %d", (int)record->winding);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", %s", plumb_prec_name(record->prec));
}

static plumb_status write_one(run_state *run, app_solution_writer *writer, int64_t k, plumb_solutions *s)
{
    run_found_path path = {.x = s->x};
    const plumb_path_record *record = &path.record;
    char text[160];
    s->prec = PLUMB_QD; /* the precision there is room for */
    if (!run_read(run, k, &path))
        return PLUMB_ERR_IO;
    const int32_t prec = path.prec;
    if (prec < record->prec) /* limbs that are zero were left out */
        for (int64_t i = 2 * s->unknowns - 1; i >= 0; i--)
            for (int32_t c = record->prec - 1; c >= 0; c--)
                s->x[i * record->prec + c] = c < prec ? s->x[i * prec + c] : 0;
    s->prec = prec > record->prec ? prec : record->prec;
    memset(s->t, 0, 2 * (size_t)s->prec * sizeof *s->t);
    s->t[0] = record->t;
    for (int64_t i = 0; i < 2 * s->unknowns; i++)
        plumb_number_shorten(s->prec, record->error, s->x + i * s->prec);
    s->record[0] = (solution_record){.multiplicity = record->multiplicity > 0 ? record->multiplicity : 1,
                                     .err = record->error,
                                     .rco = record->condition > 0 ? 1 / record->condition : 0,
                                     .res = record->residual};
    remark(record, text, sizeof text);
    return app_solutions_one(writer, s, 0, text);
}

static plumb_status write_all(run_state *run, FILE *out)
{
    int64_t count = 0;
    plumb_solutions *room;
    for (int64_t k = 0; k < run->job->count; k++)
        count += is_wanted(run, k);
    plumb_status status = make_room(run->job, &room);
    app_solution_writer writer = {.out = out, .format = track_words_of(run)->output_format, .system = run->job->target};
    app_solutions_begin(&writer, count);
    for (int64_t k = 0; k < run->job->count && status == PLUMB_OK && !ferror(out); k++)
        if (is_wanted(run, k))
            status = write_one(run, &writer, k, room);
    plumb_solutions_destroy(room);
    plumb_status end = app_solutions_end(&writer);
    return status != PLUMB_OK ? status : end;
}

int track_output_solutions(run_state *run)
{
    app_output output;
    const char *path = track_words_of(run)->output;
    int result = app_output_open(command, &output, path);
    if (result != APP_OK || path == NULL)
        return result;
    plumb_status status = write_all(run, output.file);
    if (status == PLUMB_OK)
        return app_output_commit(command, &output);
    app_output_discard(&output);
    return app_fail(command, "%s could not be written: %s", path, plumb_status_text(status));
}

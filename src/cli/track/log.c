/* log.c - the path log: one line for every accepted step and one for every finished path. docs/files.md describes the members. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/app.h"
#include "cli/track/track.h"

static const char command[] = "track";

static FILE *open_temporary(track_log *log)
{
    static const char name[] = "/plumb-track.XXXXXX";
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == 0)
        folder = "/tmp";
    size_t size = strlen(folder) + sizeof name;
    log->temporary = malloc(size);
    if (log->temporary == NULL)
        return NULL;
    snprintf(log->temporary, size, "%s%s", folder, name);
    int fd = mkstemp(log->temporary);
    if (fd < 0) {
        free(log->temporary);
        log->temporary = NULL;
        return NULL;
    }
    log->path = log->temporary;
    return fdopen(fd, "wb");
}

/* Opens a log to append to, after cutting off an incomplete last line; makes a new one where there is none. */
static FILE *open_again(const char *path)
{
    FILE *file = fopen(path, "r+b");
    if (file == NULL && errno == ENOENT)
        return fopen(path, "wb");
    if (file != NULL && (!track_cut_to_lines(file) || fseek(file, 0, SEEK_END) != 0)) {
        fclose(file);
        return NULL;
    }
    return file;
}

int track_log_open(const track_job *job, bool resumed, track_log *log)
{
    const track_words *words = job->words;
    *log = (track_log){.path = words->path_log, .job = job, .status = PLUMB_OK};
    if (words->path_log != NULL)
        log->file = resumed ? open_again(words->path_log) : fopen(words->path_log, "wb");
    else if (words->plot != NULL)
        log->file = open_temporary(log);
    else
        return CLI_OK;
    if (log->file != NULL)
        return CLI_OK;
    return cli_fail(command, "%s could not be written: %s", words->path_log != NULL ? words->path_log : "a path log",
                    strerror(errno));
}

void track_log_step(track_log *log, const plumb_path_step *step)
{
    if (log->file == NULL || log->status != PLUMB_OK)
        return;
    json_writer w = json_begin_line(log->file);
    json_open_object(&w, NULL);
    json_int(&w, "path", step->path + 1);
    json_int(&w, "step", step->step);
    track_t_write(&w, step->t, step->t_imag);
    json_double(&w, "size", step->size);
    log->status = track_point_write(&w, step->x, step->prec, step->unknowns, false);
    json_double(&w, "residual", step->residual);
    json_double(&w, "condition", step->condition);
    json_string(&w, "precision", plumb_prec_name(step->prec));
    json_int(&w, "corrections", step->corrections);
    json_int(&w, "rerun", step->rerun);
    json_close_object(&w);
    json_end(&w);
}

void track_log_record(track_log *log, const plumb_path_record *record)
{
    if (log->file == NULL)
        return;
    json_writer w = json_begin_line(log->file);
    json_open_object(&w, NULL);
    track_record_write(&w, record);
    json_open_array(&w, "unknowns");
    for (int64_t i = 0; i < log->job->unknowns; i++)
        json_string(&w, NULL, plumb_system_name(log->job->target, i));
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
}

int track_log_flush(track_log *log)
{
    if (log->file == NULL)
        return CLI_OK;
    errno = 0;
    if (log->status == PLUMB_OK && fflush(log->file) == 0 && !ferror(log->file))
        return CLI_OK;
    return cli_fail(command, "%s could not be written: %s", log->path,
                    log->status != PLUMB_OK ? plumb_status_text(log->status) : strerror(errno));
}

void track_log_close(track_log *log)
{
    if (log->file != NULL)
        fclose(log->file);
    if (log->temporary != NULL)
        unlink(log->temporary);
    free(log->temporary);
    *log = (track_log){.file = NULL};
}

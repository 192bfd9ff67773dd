/* log.c - the path log: one line for every accepted step and one for every finished path. docs/files.md describes the members.
 *
 * A log grows for as long as the run takes, so it is in its place from the beginning; a new one replaces an old one there. A run
 * that is resumed adds to its log, after what is not a whole line was cut off; a file that is no path log is refused
 * before that. While it is written it is locked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/clock.h"
#include "solver/run/run.h"
#include "text/lines.h"

static const double FLUSH_AFTER = 0.2; /* seconds */

static int unwritable(const run_log *log, int reason)
{
    return run_fail(log->job->voice, "%s could not be written: %s", log->path, strerror(reason));
}

static int lock(const run_log *log)
{
    pid_t holder;
    if (file_lock(log->file, &holder) == 0)
        return RUN_OK;
    return run_misuse(log->job->voice, "%s is in use: process %ld writes to it", log->path, (long)holder);
}

/* Nothing is read from a device or a pipe. */
static bool is_plain(FILE *file)
{
    struct stat there;
    return fstat(fileno(file), &there) == 0 && S_ISREG(there.st_mode);
}

static int make_new(run_log *log)
{
    int result = run_output_open(log->job->voice, &log->output, log->path);
    log->file = log->output.file;
    if (result != RUN_OK || !is_plain(log->file))
        return result;
    result = lock(log);
    const int reason = result == RUN_OK ? run_output_place(log->job->voice, &log->output, true) : 0;
    return reason == 0 ? result : unwritable(log, reason);
}

/* Is the first whole line, if there is one, that of a path log? *whole: where the last whole line ends. */
static bool is_log(FILE *file, int64_t *whole)
{
    bool good = true;
    text_lines lines = lines_begin(file);
    *whole = 0;
    while (good && lines_next(&lines) == PLUMB_OK && lines.text != NULL) {
        json_node *root = NULL;
        if (lines.number == 1 && lines.complete)
            good = json_read(lines.text, lines.length, &root, NULL) == PLUMB_OK &&
                   json_member_number(root, "path", 0) >= 1;
        json_free(root);
        *whole = lines.complete ? lines.bytes : *whole;
    }
    good = good && !ferror(file) && lines.text == NULL;
    lines_end(&lines);
    return good;
}

static int open_again(run_log *log)
{
    int64_t whole;
    struct stat there;
    if (stat(log->path, &there) != 0 || !S_ISREG(there.st_mode))
        return make_new(log);
    log->file = fopen(log->path, "r+b");
    if (log->file == NULL)
        return unwritable(log, errno);
    int result = lock(log);
    if (result != RUN_OK)
        return result;
    if (!is_log(log->file, &whole))
        return run_misuse(log->job->voice,
                          "%s is not a path log, to which a resumed run could add; it was left as it is", log->path);
    if (ftruncate(fileno(log->file), whole) != 0 || fseeko(log->file, 0, SEEK_END) != 0)
        return unwritable(log, errno);
    return RUN_OK;
}

int run_log_open(const run_job *job, bool resumed, run_log *log)
{
    *log = (run_log){.path = job->path_log, .job = job, .status = PLUMB_OK};
    if (job->path_log == NULL)
        return RUN_OK;
    return resumed ? open_again(log) : make_new(log);
}

/* Called right after a write that failed. */
static void fail(run_log *log)
{
    log->status = PLUMB_ERR_IO;
    log->failure = errno;
}

void run_log_step(run_log *log, const plumb_path_step *step)
{
    if (log->file == NULL || log->status != PLUMB_OK)
        return;
    errno = 0;
    json_writer w = json_begin_line(log->file);
    json_open_object(&w, NULL);
    json_int(&w, "path", step->path + 1);
    json_int(&w, "step", step->step);
    run_t_write(&w, step->t, step->t_imag);
    json_double(&w, "size", step->size);
    log->status = run_point_write(&w, step->x, step->prec, step->unknowns, false);
    json_double(&w, "residual", step->residual);
    json_double(&w, "condition", step->condition);
    json_string(&w, "precision", plumb_prec_name(step->prec));
    json_int(&w, "corrections", step->corrections);
    json_int(&w, "rerun", step->rerun);
    json_close_object(&w);
    json_end(&w);
    if (ferror(log->file) && log->status == PLUMB_OK)
        fail(log);
}

void run_log_record(run_log *log, const plumb_path_record *record, const double *x, int32_t prec)
{
    if (log->file == NULL || log->status != PLUMB_OK)
        return;
    errno = 0;
    json_writer w = json_begin_line(log->file);
    json_open_object(&w, NULL);
    run_record_write(&w, record);
    if (x != NULL)
        log->status = run_point_write(&w, x, prec, log->job->unknowns, false);
    json_open_array(&w, "unknowns");
    for (int64_t i = 0; i < plumb_system_unknowns(log->job->target); i++)
        json_string(&w, NULL, plumb_system_name(log->job->target, i));
    json_close_array(&w);
    json_close_object(&w);
    json_end(&w);
    if (ferror(log->file) && log->status == PLUMB_OK)
        fail(log);
}

bool run_log_flush(run_log *log, bool now)
{
    const double time = plumb_clock_seconds();
    if (log->file == NULL || log->status != PLUMB_OK || (!now && time < log->flushed + FLUSH_AFTER))
        return log->status == PLUMB_OK;
    log->flushed = time;
    errno = 0;
    if (fflush(log->file) != 0 || ferror(log->file))
        fail(log);
    return log->status == PLUMB_OK;
}

int run_log_fail(const run_log *log)
{
    const bool known = log->status == PLUMB_ERR_IO && log->failure != 0;
    return run_fail(log->job->voice, "%s could not be written: %s", log->path,
                    known ? strerror(log->failure) : plumb_status_text(log->status));
}

void run_log_close(run_log *log)
{
    if (log->output.file != NULL)
        run_output_discard(log->job->voice, &log->output);
    else if (log->file != NULL)
        fclose(log->file);
    *log = (run_log){.file = NULL};
}

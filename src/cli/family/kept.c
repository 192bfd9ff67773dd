/* kept.c - see kept.h. */
#define _GNU_SOURCE /* asprintf */
#include "cli/family/kept.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "app/run/files.h"
#include "app/run/host.h"
#include "base/os/clock.h"
#include "cli/cli.h"
#include "solver/run/header.h"
#include "solver/run/line.h"
#include "text/lines.h"

/* Seconds between two lines of the journal. */
static const double NOTE_AFTER = 2;

static int unwritable(const char *command, const char *path, int reason)
{
    return app_fail(command, "%s could not be written: %s", path, strerror(reason != 0 ? reason : EIO));
}

/* What is no file, such as a pipe, cannot be synchronised, and need not be. */
static bool reach_disk(FILE *file)
{
    return fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL);
}

/* ---- The first line ---------------------------------------------------------------------------------------------- */

static void describe(const run_job *job, run_fields *fields)
{
    static const char *const forms[] = {"", "", ".jsonl", ".csv", ".npy"};
    const family_batch *batch = job->data;
    const family_words *words = batch->words;
    size_t needed = 0;
    uint64_t hash = 0;
    char *text = NULL;
    if (plumb_family_write(batch->family, NULL, 0, &needed) == PLUMB_ERR_BUFFER && (text = malloc(needed)) != NULL &&
        plumb_family_write(batch->family, text, needed, NULL) == PLUMB_OK)
        hash = run_line_hash(LINE_SEED, text, needed);
    free(text);
    run_field_hash(fields, "the list of generic solutions", hash);
    run_field_text(fields, "the kind of the file", "%s", forms[batch->form]);
    run_field_flag(fields, "--real", words->real);
    run_field_flag(fields, "--positive", words->positive);
    run_field_flag(fields, "--count", words->count);
    run_field_flag(fields, "--special", words->anew);
    run_field_flag(fields, "--certify", words->certify);
    run_field_text(fields, "--neighbours", "%lld", (long long)words->neighbours);
}

/* The parts of a job that first lines are made of. */
static run_job job_of(const family_batch *batch, const run_voice *voice)
{
    run_job job = {.voice = voice,
                   .target = plumb_family_system(batch->family),
                   .context = batch->context,
                   .unknowns = plumb_family_unknowns(batch->family),
                   .all_paths = plumb_family_paths(batch->family),
                   .count = plumb_family_paths(batch->family),
                   .reruns = (int32_t)batch->words->reruns,
                   .data = batch,
                   .describe = describe};
    plumb_track_options_init(&job.options);
    job.options.prec = app_precision(batch->words->prec);
    job.options.seed = batch->words->seed;
    job.options.max_steps = batch->words->max_steps;
    job.options.largest = (double)INFINITY;
    return job;
}

/* ---- The other lines --------------------------------------------------------------------------------------------- */

static const char *const outcomes[] = {"generic", "special", "incomplete", "anew", "stopped"};
_Static_assert(sizeof outcomes / sizeof *outcomes == PLUMB_INSTANCE_STOPPED + 1, "a key for each outcome");

static void write_hash(json_writer *w, const char *key, uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    json_string(w, key, text);
}

/* What is in the file so far: on the disk before the line that says so. */
static int note(family_kept *kept, const family_totals *totals)
{
    run_line_writer line;
    uint64_t check;
    const char *command = kept->words->command;
    errno = 0;
    if (!reach_disk(kept->file))
        return unwritable(command, kept->part, errno);
    bool good = run_line_begin(&line);
    if (good) {
        json_int(&line.json, "targets", totals->targets);
        json_int(&line.json, "bytes", kept->bytes);
        write_hash(&line.json, "file", kept->hash);
        write_hash(&line.json, "values", kept->values);
        for (int k = 0; k <= PLUMB_INSTANCE_STOPPED; k++)
            json_int(&line.json, outcomes[k], totals->outcome[k]);
        json_int(&line.json, "real", totals->real);
        json_int(&line.json, "positive", totals->positive);
        json_int(&line.json, "certified", totals->certified);
        json_int(&line.json, "missed", totals->missed);
        json_int(&line.json, "neighbours", totals->neighbours);
        json_int(&line.json, "repaired", totals->repaired);
    }
    good = run_line_end(&line, kept->check, &check) && good;
    int result = good ? APP_OK : app_fail(command, "out of memory");
    errno = 0;
    if (good && (fwrite(line.text, 1, line.length, kept->lines) != line.length || !reach_disk(kept->lines)))
        result = unwritable(command, kept->journal, errno);
    free(line.text);
    kept->noted = plumb_clock_seconds();
    kept->holds |= result == APP_OK;
    return result;
}

static uint64_t read_hash(const json_node *line, const char *key)
{
    return strtoull(json_member_string(line, key, "0"), NULL, 16);
}

/* Reads a line with its checksum. False where it is none of ours. */
static bool read_line(const text_lines *lines, family_kept *kept, family_totals *totals)
{
    uint64_t check;
    json_node *root = NULL;
    if (!lines->complete || !run_line_check(lines->text, lines->length, kept->check, &check) ||
        json_read(lines->text, lines->length, &root, NULL) != PLUMB_OK)
        return false;
    kept->bytes = (int64_t)json_member_number(root, "bytes", 0.0);
    kept->hash = read_hash(root, "file");
    kept->values = read_hash(root, "values");
    *totals = (family_totals){.targets = (int64_t)json_member_number(root, "targets", 0.0),
                              .real = (int64_t)json_member_number(root, "real", 0.0),
                              .positive = (int64_t)json_member_number(root, "positive", 0.0),
                              .certified = (int64_t)json_member_number(root, "certified", 0.0),
                              .missed = (int64_t)json_member_number(root, "missed", 0.0),
                              .neighbours = (int64_t)json_member_number(root, "neighbours", 0.0),
                              .repaired = (int64_t)json_member_number(root, "repaired", 0.0)};
    for (int k = 0; k <= PLUMB_INSTANCE_STOPPED; k++)
        totals->outcome[k] = (int64_t)json_member_number(root, outcomes[k], 0.0);
    json_free(root);
    return true;
}

/* ---- Going on ---------------------------------------------------------------------------------------------------- */

/* Compares the first line; reads the last good one. *there: there is one. */
static int read_journal(family_kept *kept, const run_job *job, family_totals *totals, bool *there)
{
    const char *command = kept->words->command;
    char magic[HEADER_MAGIC_ROOM];
    const size_t length = run_header_magic(job->voice->command, magic);
    uint64_t check;
    text_lines lines = lines_begin(kept->lines);
    plumb_status status = lines_next(&lines);
    const bool blank = status == PLUMB_OK && lines.text == NULL;
    int result = APP_OK;
    *there = false;
    if (!blank && (status != PLUMB_OK || lines.length < length || memcmp(lines.text, magic, length) != 0 ||
                   !run_line_check(lines.text, lines.length, LINE_SEED, &check)))
        result = app_misuse(command,
                            "%s is not a journal of plumb solve --at, or one of another version; it was left as it is: "
                            "move it away or give the output another name",
                            kept->journal);
    if (result == APP_OK && !blank && kept->words->resume)
        result = run_header_compare(job, kept->journal, lines.text, lines.length, false);
    int64_t end = lines.bytes; /* of the last good line; what comes behind it was being written */
    while (result == APP_OK && !blank && (status = lines_next(&lines)) == PLUMB_OK && lines.text != NULL)
        if (read_line(&lines, kept, totals)) {
            *there = true;
            end = lines.bytes;
        }
    if (result == APP_OK && status != PLUMB_OK)
        result = app_fail(command, "%s could not be read: %s", kept->journal, plumb_status_text(status));
    if (result == APP_OK && *there && !kept->words->resume)
        result = app_misuse(command,
                            "%s holds a run that was stopped: resume it (--resume), or remove the file to start again",
                            kept->journal);
    if (result == APP_OK && (ftruncate(fileno(kept->lines), (off_t)end) != 0 || fseeko(kept->lines, 0, SEEK_END) != 0))
        result = unwritable(command, kept->journal, errno);
    lines_end(&lines);
    return result;
}

/* Cuts the file of solutions where the journal says, after it was compared. */
static int reopen(family_kept *kept)
{
    const char *command = kept->words->command;
    const int64_t last = kept->bytes;
    char buffer[1 << 16];
    uint64_t hash = LINE_SEED;
    kept->file = fopen(kept->part, "r+b");
    if (kept->file == NULL)
        return app_misuse(command, "cannot resume: %s could not be read: %s", kept->part, strerror(errno));
    int64_t at = kept->begin;
    bool good = fseeko(kept->file, kept->begin, SEEK_SET) == 0;
    while (good && at < last) {
        const size_t want = last - at < (int64_t)sizeof buffer ? (size_t)(last - at) : sizeof buffer;
        good = fread(buffer, 1, want, kept->file) == want;
        hash = good ? run_line_hash(hash, buffer, want) : hash;
        at += (int64_t)want;
    }
    if (!good || hash != kept->hash)
        return app_misuse(command, "cannot resume: %s is not what it was when %s was written", kept->part,
                          kept->journal);
    if (ftruncate(fileno(kept->file), (off_t)last) != 0 || fseeko(kept->file, (off_t)last, SEEK_SET) != 0)
        return unwritable(command, kept->part, errno);
    return APP_OK;
}

/* The file of solutions from its beginning. */
static int start(family_kept *kept, const family_batch *batch, const run_header *header, bool ours)
{
    const char *command = kept->words->command;
    kept->hash = kept->values = LINE_SEED;
    if (!ours && access(kept->part, F_OK) == 0)
        return app_misuse(command, "%s exists, and the solutions would grow there: move it away", kept->part);
    errno = 0;
    if (fseeko(kept->lines, 0, SEEK_SET) != 0 || ftruncate(fileno(kept->lines), 0) != 0 ||
        fwrite(header->line, 1, header->length, kept->lines) != header->length || !reach_disk(kept->lines))
        return unwritable(command, kept->journal, errno);
    kept->file = fopen(kept->part, "w+b");
    if (kept->file == NULL)
        return unwritable(command, kept->part, errno);
    memory_file head;
    const bool good = memory_file_begin(&head);
    if (good)
        family_write_head(batch, head.file);
    const bool whole = memory_file_end(&head) && good;
    if (whole && fwrite(head.text, 1, head.length, kept->file) == head.length) {
        kept->bytes = (int64_t)head.length;
        kept->hash = kept->begin > 0 ? kept->hash : run_line_hash(kept->hash, head.text, head.length);
    }
    free(head.text);
    return whole ? APP_OK : app_fail(command, "out of memory");
}

/* Opens the journal, or makes it, and locks it. *made: there was none. */
static int open_journal(family_kept *kept, bool *made)
{
    pid_t holder;
    const char *command = kept->words->command;
    kept->lines = fopen(kept->journal, "r+b");
    *made = kept->lines == NULL && errno == ENOENT;
    if (*made)
        kept->lines = fopen(kept->journal, "w+bx");
    if (kept->lines == NULL)
        return unwritable(command, kept->journal, errno);
    if (file_lock(kept->lines, &holder) != 0)
        return app_misuse(command, "%s is in use: another run is solving targets for this output", kept->journal);
    return APP_OK;
}

int family_kept_begin(family_kept *kept, const family_batch *batch, family_totals *totals)
{
    const family_words *words = batch->words;
    const run_voice voice = {&app_host, "solve --at", NULL};
    const run_job job = job_of(batch, &voice);
    const char *const others[] = {words->file, words->at, words->store, words->html};
    run_header header = {.line = NULL};
    bool made = false, there = false;
    *kept = (family_kept){.words = words};
    int result = app_journal_path(words->command, words->output, others, 4, words->resume, &kept->journal);
    if (result != APP_OK || kept->journal == NULL)
        return result;
    if (asprintf(&kept->part, "%s.part", words->output) < 0) {
        kept->part = NULL;
        return app_fail(words->command, "out of memory");
    }
    result = run_header_make(&job, &header);
    kept->check = header.check;
    if (result == APP_OK)
        result = open_journal(kept, &made);
    if (result == APP_OK && made && words->resume)
        app_note(words->command, "there is no %s to continue: the run starts from the beginning", kept->journal);
    if (result == APP_OK && !made)
        result = read_journal(kept, &job, totals, &there);
    kept->begin = batch->form == FORM_ARRAY ? FAMILY_ARRAY_HEADER : 0;
    if (result == APP_OK)
        result = there ? reopen(kept) : start(kept, batch, &header, !made);
    if (result != APP_OK && made && kept->lines != NULL)
        unlink(kept->journal);
    kept->holds = there;
    free(header.line);
    kept->noted = plumb_clock_seconds();
    return result;
}

void family_kept_restart(family_kept *kept)
{
    kept->values = LINE_SEED;
}

void family_kept_read(family_kept *kept, const double *limbs, int64_t count)
{
    kept->values = run_line_hash(kept->values, limbs, (size_t)count * sizeof *limbs);
}

int family_kept_add(family_kept *kept, const char *text, size_t length, const family_totals *totals)
{
    errno = 0;
    if (fwrite(text, 1, length, kept->file) != length)
        return unwritable(kept->words->command, kept->part, errno);
    kept->hash = run_line_hash(kept->hash, text, length);
    kept->bytes += (int64_t)length;
    return plumb_clock_seconds() < kept->noted + NOTE_AFTER ? APP_OK : note(kept, totals);
}

/* ---- The end ----------------------------------------------------------------------------------------------------- */

static int copy(family_kept *kept)
{
    const char *command = kept->words->command;
    app_output output = {.path = NULL};
    char buffer[1 << 16];
    int result = app_output_open(command, &output, kept->words->output);
    rewind(kept->file);
    for (size_t got; result == APP_OK && (got = fread(buffer, 1, sizeof buffer, kept->file)) > 0;)
        fwrite(buffer, 1, got, output.file); /* the commit finds out whether all of it could be written */
    if (result == APP_OK)
        result = app_output_commit(command, &output);
    app_output_discard(&output);
    return result;
}

int family_kept_commit(family_kept *kept, const family_batch *batch, const family_totals *totals, bool stopped)
{
    struct stat about;
    const char *output = kept->words->output;
    const bool is_link = lstat(output, &about) == 0 && S_ISLNK(about.st_mode);
    if (batch->form == FORM_ARRAY && fseeko(kept->file, 0, SEEK_SET) == 0)
        family_write_array_header(batch, kept->file, totals->targets);
    int result = note(kept, totals);
    if (result == APP_OK && (stopped || is_link))
        result = copy(kept);
    else if (result == APP_OK && rename(kept->part, output) != 0)
        result = unwritable(kept->words->command, output, errno);
    if (result == APP_OK && !stopped) {
        if (is_link)
            unlink(kept->part);
        unlink(kept->journal); /* before the lock ends */
    }
    return result;
}

void family_kept_end(family_kept *kept)
{
    if (kept->file != NULL && !kept->holds) { /* nothing is lost */
        unlink(kept->part);
        unlink(kept->journal);
    }
    if (kept->file != NULL)
        fclose(kept->file);
    if (kept->lines != NULL)
        fclose(kept->lines);
    free(kept->journal);
    free(kept->part);
    *kept = (family_kept){.file = NULL};
}

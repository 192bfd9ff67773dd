/* journal.c - what became of each path, written down as soon as it is known, so that nothing finished is lost.
 *
 * JSON lines beside the file of solutions: the first has everything the results depend on (track_journal_header.c), every other one
 * a path, with its end as limbs bit for bit. A path that is tracked again has a line for each time. A run that was ended in the
 * middle of a line leaves half of one, which is cut off. */
#define _POSIX_C_SOURCE 200809L /* getline, fseeko, ftruncate */
#include "cli/track/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/matrix_io.h"

static const char command[] = "track";

/* A device or a pipe has no journal beside it. */
static bool is_plain(const char *output)
{
    struct stat old;
    return output != NULL && !cli_is_stream(output) && (stat(output, &old) != 0 || S_ISREG(old.st_mode));
}

static int unwritable(const char *path)
{
    return cli_fail(command, "%s could not be written: %s", path != NULL ? path : "a temporary file", strerror(errno));
}

/* ---- Making and opening it again -------------------------------------------------------------------------------- */

static int make(const track_job *job, track_journal *journal)
{
    journal->file = journal->path != NULL ? fopen(journal->path, "w+bx") : tmpfile();
    if (journal->file == NULL && errno == EEXIST)
        return cli_misuse(command, "%s holds a run that was stopped: --resume continues it, removing it starts anew",
                          journal->path);
    if (journal->file == NULL)
        return unwritable(journal->path);
    int result = track_header_write(job, journal->file);
    journal->body = ftello(journal->file);
    return result;
}

bool track_cut_to_lines(FILE *file)
{
    char buffer[4096];
    off_t whole = 0, at = 0;
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0; at += (off_t)got)
        for (size_t i = 0; i < got; i++)
            if (buffer[i] == '\n')
                whole = at + (off_t)i + 1;
    return !ferror(file) && fflush(file) == 0 && ftruncate(fileno(file), whole) == 0 && fseeko(file, 0, SEEK_SET) == 0;
}

static int open_again(const track_job *job, track_journal *journal)
{
    if (journal->path == NULL)
        return cli_misuse(command, "--resume needs -o with a file: its journal lies beside it");
    journal->file = fopen(journal->path, "r+b");
    if (journal->file == NULL && errno == ENOENT)
        return cli_misuse(command, "there is nothing to resume: no %s", journal->path);
    if (journal->file == NULL || !track_cut_to_lines(journal->file))
        return unwritable(journal->path);
    journal->resumed = true;
    int result = track_header_check(job, journal->path, journal->file);
    journal->body = ftello(journal->file);
    return result;
}

int track_journal_open(const track_job *job, track_journal *journal)
{
    static const char suffix[] = ".journal";
    const char *output = job->words->output;
    *journal = (track_journal){.with_points = output != NULL};
    if (is_plain(output)) {
        size_t size = strlen(output) + sizeof suffix;
        journal->path = malloc(size);
        if (journal->path == NULL)
            return cli_fail(command, "out of memory");
        snprintf(journal->path, size, "%s%s", output, suffix);
    }
    return job->words->resume ? open_again(job, journal) : make(job, journal);
}

void track_journal_close(track_journal *journal, bool done)
{
    if (journal->file != NULL) {
        fclose(journal->file);
        if (done && journal->path != NULL)
            unlink(journal->path);
    }
    free(journal->path);
    *journal = (track_journal){.file = NULL};
}

/* ---- Lines ------------------------------------------------------------------------------------------------------ */

/* Limbs that are zero in all numbers need not be written: the end of a path in d needs one of four. */
static int32_t used_limbs(const double *x, int32_t prec, int64_t unknowns)
{
    int32_t used = 1;
    for (int64_t k = 0; k < 2 * unknowns; k++)
        for (int32_t c = used; c < prec; c++)
            if (x[k * prec + c] != 0)
                used = c + 1;
    return used > PLUMB_DD ? PLUMB_QD : used;
}

static plumb_status write_point(json_writer *w, const double *x, int32_t prec, int64_t unknowns)
{
    int32_t used = used_limbs(x, prec, unknowns);
    double *short_x = malloc((size_t)unknowns * 2 * PLUMB_QD * sizeof *short_x);
    if (short_x == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < 2 * unknowns; k++)
        memcpy(short_x + k * used, x + k * prec, (size_t)used * sizeof *x);
    plumb_status status = track_point_write(w, short_x, used, unknowns, true);
    free(short_x);
    return status;
}

int64_t track_journal_add(track_journal *journal, const plumb_path_record *record, const double *x, int32_t prec,
                          int64_t unknowns)
{
    if (fseeko(journal->file, 0, SEEK_END) != 0)
        return -1;
    int64_t line = ftello(journal->file);
    plumb_status status = PLUMB_OK;
    json_writer w = json_begin_line(journal->file);
    json_open_object(&w, NULL);
    track_record_write(&w, record);
    if (journal->with_points)
        status = write_point(&w, x, prec, unknowns);
    json_close_object(&w);
    json_end(&w);
    return status == PLUMB_OK && !ferror(journal->file) ? line : -1;
}

bool track_journal_flush(track_journal *journal)
{
    return fflush(journal->file) == 0 && !ferror(journal->file);
}

/* The limbs are as many as the first number has. */
static bool read_point(const json_node *list, int64_t unknowns, double *x, int32_t *prec)
{
    if (list == NULL || list->child == NULL || list->child->child == NULL || list->child->child->string == NULL)
        return false;
    *prec = 1;
    for (const char *s = list->child->child->string; *s != 0; s++)
        *prec += *s == ',';
    if (plumb_prec_name(*prec) == NULL)
        return false;
    int64_t i = 0;
    for (const json_node *pair = list->child; pair != NULL; pair = pair->next)
        for (const json_node *part = pair->child; part != NULL; part = part->next, i++)
            if (i >= 2 * unknowns || part->string == NULL ||
                plumb_number_read(part->string, strlen(part->string), *prec, x + i * *prec, NULL, NULL) != PLUMB_OK)
                return false;
    return i == 2 * unknowns;
}

static bool parse_line(const char *text, size_t length, int64_t unknowns, plumb_path_record *record, double *x,
                       int32_t *prec)
{
    json_node *root = NULL;
    bool good = json_read(text, length, &root, NULL) == PLUMB_OK && track_record_read(root, record);
    const json_node *point = json_member(root, "x");
    *prec = PLUMB_D;
    if (good && point == NULL)
        memset(x, 0, (size_t)unknowns * 2 * sizeof *x);
    else if (good)
        good = read_point(point, unknowns, x, prec);
    json_free(root);
    return good;
}

bool track_journal_read(const track_journal *journal, int64_t line, int64_t unknowns, plumb_path_record *record,
                        double *x, int32_t *prec)
{
    char *text = NULL;
    size_t room = 0;
    ssize_t length = fseeko(journal->file, line, SEEK_SET) == 0 ? getline(&text, &room, journal->file) : -1;
    bool good = length > 0 && parse_line(text, (size_t)length, unknowns, record, x, prec);
    free(text);
    return good;
}

int track_journal_scan(const track_journal *journal, const track_job *job, int32_t rerun, track_found *found,
                       void *data)
{
    char *text = NULL;
    size_t room = 0;
    int64_t at = journal->body, number = 1;
    int32_t prec;
    int result = CLI_OK;
    plumb_path_record record;
    double *x = malloc((size_t)job->unknowns * 2 * PLUMB_QD * sizeof *x);
    if (x == NULL)
        return cli_fail(command, "out of memory");
    if (fseeko(journal->file, at, SEEK_SET) != 0)
        result = cli_fail(command, "the journal could not be read");
    for (ssize_t length; result == CLI_OK && (length = getline(&text, &room, journal->file)) > 0; at += length) {
        number++;
        bool good = parse_line(text, (size_t)length, job->unknowns, &record, x, &prec) && record.path >= job->first &&
                    record.path < job->first + job->count;
        if (!good)
            result = cli_misuse(NULL, "%s:%lld: expected what became of a path", journal->path, (long long)number);
        else if (record.reruns == rerun && !found(data, &record, at, x, prec))
            result = cli_fail(command, "out of memory");
    }
    free(x);
    free(text);
    return result;
}

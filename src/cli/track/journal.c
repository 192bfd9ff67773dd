/* journal.c - the result of each path, written as soon as it is known, so that nothing finished is lost.
 *
 * JSON lines beside the file of solutions. The first line has everything the results depend on; resuming with other inputs,
 * options or another version is refused. Every other line has the record of a path and its endpoint as limbs, bit for bit. A
 * path that is tracked again has one line per time. A run that was killed in the middle of a line leaves half of one, which is
 * cut off. */
#define _POSIX_C_SOURCE 200809L /* getline, fseeko, ftruncate */
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/app.h"
#include "app/files.h"
#include "base/precision.h"
#include "cli/track/track.h"

static const char command[] = "track";

/* ---- The first line --------------------------------------------------------------------------------------------- */

/* A member for each thing that decides the bits of the results: options as they would be typed, systems and solutions as hashes of
 * what was read. The number of threads is not among them. */
enum { VALUE_ROOM = 96, MOST_FIELDS = 24 };

typedef struct header_field {
    const char *name;
    char value[VALUE_ROOM];
    bool is_hash;
} header_field;

typedef struct header {
    header_field field[MOST_FIELDS];
    int count;
    bool good;
} header;

/* FNV-1a: detects files that were confused with one another, but no forgeries. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ b[i]) * 0x100000001b3;
    return hash;
}

static const uint64_t HASH_START = 0xcbf29ce484222325;

/* A hash of the polynomials, independent of the way they were written. */
static bool hash_system(const plumb_system *system, uint64_t *hash)
{
    size_t needed = 0;
    char *text = NULL;
    bool good = plumb_system_write(system, PLUMB_FORMAT_TXT, NULL, 0, &needed) == PLUMB_ERR_BUFFER &&
                (text = malloc(needed)) != NULL &&
                plumb_system_write(system, PLUMB_FORMAT_TXT, text, needed, NULL) == PLUMB_OK;
    *hash = HASH_START;
    for (int64_t i = 0; good && i < plumb_system_unknowns(system); i++) /* in their order */
        *hash = hash_bytes(*hash, plumb_system_name(system, i), strlen(plumb_system_name(system, i)) + 1);
    *hash = good ? hash_bytes(*hash, text, needed) : 0;
    free(text);
    return good;
}

static uint64_t hash_solutions(const plumb_solutions *s)
{
    return s == NULL ? 0
                     : hash_bytes(HASH_START, s->x,
                                  (size_t)s->count * (size_t)s->unknowns * 2 * (size_t)s->prec * sizeof *s->x);
}

__attribute__((format(printf, 3, 4))) static void add(header *h, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    header_field *field = &h->field[h->count++];
    *field = (header_field){.name = name};
    vsnprintf(field->value, sizeof field->value, format, arguments);
    va_end(arguments);
}

static void add_hash(header *h, const char *name, uint64_t hash)
{
    add(h, name, "%016llx", (unsigned long long)hash);
    h->field[h->count - 1].is_hash = true;
}

static void add_real(header *h, const char *name, double value)
{
    add(h, name, "%s", "");
    if (plumb_number_write(PLUMB_D, &value, 0, h->field[h->count - 1].value, VALUE_ROOM, NULL) != PLUMB_OK)
        h->good = false;
}

static void collect(const track_job *job, header *h)
{
    uint64_t target = 0, start = 0;
    const plumb_track_options *o = &job->options;
    *h = (header){.good = hash_system(job->target, &target) && hash_system(job->start, &start)};
    add(h, "plumb", "%s", plumb_version());
    add_hash(h, "the system", target);
    int32_t backend = plumb_context_backend(job->context);
    add(h, "--backend", "%s", backend == PLUMB_BACKEND_GPU ? "gpu" : backend == PLUMB_BACKEND_CPU ? "cpu" : "auto");
    add(h, "--precision", "%s", o->prec != 0 ? plumb_prec_name(o->prec) : "auto");
    add(h, "--seed", "%llu", (unsigned long long)job->words->seed);
    add_hash(h, "--start", start);
    add_hash(h, "--start-solutions", hash_solutions(job->solutions));
    add(h, "--gamma", "%s", job->words->gamma != NULL ? job->words->gamma : "of the seed");
    add(h, "--affine", "%s", job->words->affine ? "yes" : "no");
    add(h, "--no-scale", "%s", job->words->no_scale ? "yes" : "no");
    add_real(h, "--tol", o->tolerance);
    add(h, "--max-steps", "%lld", (long long)o->most_steps);
    add_real(h, "--turn", o->turn);
    add(h, "--no-endgame", "%s", o->endgame ? "no" : "yes");
    add(h, "--max-winding", "%d", (int)o->most_winding);
    add(h, "--reruns", "%lld", (long long)job->words->reruns);
    add(h, "--paths", "%lld-%lld", (long long)job->first + 1, (long long)job->first + (long long)job->count);
}

static int header_write(const track_job *job, FILE *file)
{
    header h;
    collect(job, &h);
    json_writer w = json_begin_line(file);
    json_open_object(&w, NULL);
    for (int i = 0; i < h.count; i++)
        json_string(&w, h.field[i].name, h.field[i].value);
    json_close_object(&w);
    json_end(&w);
    if (!h.good)
        return cli_fail(command, "out of memory");
    return ferror(file) ? cli_fail(command, "the journal could not be written") : CLI_OK;
}

static int compare(const header *h, const char *path, const json_node *root)
{
    for (int i = 0; i < h->count; i++) {
        const header_field *f = &h->field[i];
        const char *was = json_member_string(root, f->name, NULL);
        if (was == NULL)
            return cli_misuse(NULL, "%s:1: expected the journal of a run of plumb track", path);
        if (strcmp(was, f->value) == 0)
            continue;
        if (f->is_hash)
            return cli_misuse(command, "cannot resume: %s differs from what it was for %s", f->name, path);
        return cli_misuse(command, "cannot resume: %s is %s, for %s it was %s", f->name, f->value, path, was);
    }
    return CLI_OK;
}

static int header_check(const track_job *job, const char *path, FILE *file)
{
    header h;
    char *line = NULL;
    size_t room = 0;
    json_node *root = NULL;
    collect(job, &h);
    if (!h.good)
        return cli_fail(command, "out of memory");
    ssize_t length = getline(&line, &room, file);
    if (length > 0 && json_read(line, (size_t)length, &root, NULL) != PLUMB_OK)
        root = NULL;
    int result = compare(&h, path, root);
    json_free(root);
    free(line);
    return result;
}

/* ---- Making and opening it again -------------------------------------------------------------------------------- */

/* Only a plain file has a journal beside it, not a device or a pipe. */
static bool is_plain(const char *output)
{
    struct stat old;
    return output != NULL && !cli_is_stream(output) && (stat(output, &old) != 0 || S_ISREG(old.st_mode));
}

static int unwritable(const char *path)
{
    return cli_fail(command, "%s could not be written: %s", path != NULL ? path : "a temporary file", strerror(errno));
}

static int make(const track_job *job, track_journal *journal)
{
    journal->file = journal->path != NULL ? fopen(journal->path, "w+bx") : tmpfile();
    if (journal->file == NULL && errno == EEXIST)
        return cli_misuse(command,
                          "%s holds a run that was stopped: --resume continues it; remove the file to start again",
                          journal->path);
    if (journal->file == NULL)
        return unwritable(journal->path);
    int result = header_write(job, journal->file);
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
    int result = header_check(job, journal->path, journal->file);
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

/* Limbs that are zero in all numbers are not written: an endpoint in d needs one limb of four. */
static int32_t used_limbs(const double *x, int32_t prec, int64_t unknowns)
{
    int32_t used = 1;
    for (int64_t k = 0; k < 2 * unknowns; k++)
        for (int32_t c = used; c < prec; c++)
            if (x[k * prec + c] != 0)
                used = c + 1;
    return precision_for(used);
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

/* Every number has as many limbs as the first one. */
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

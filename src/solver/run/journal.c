/* journal.c - the result of each path, written as soon as it is known, so that nothing finished is lost.
 *
 * A journal is a file of lines with checksums (line.h) beside the file of solutions. The first one (header.h) has everything the
 * results depend on; every other one has the record of a path and its endpoint as limbs, bit for bit. A path that is tracked
 * again has one line per time.
 *
 * Invariants:
 * - A journal comes into being with its first line, complete and on the disk; so does one that is resumed, with all lines of the
 *   old one that are good. The old file is only read, and replaced as a whole: what is no journal of ours is never changed.
 * - A line counts only with its checksum. Paths of other lines are tracked again.
 * - While a process writes a journal it holds a lock of the kernel on it, which ends with the process.
 * - Finished lines are given to the kernel within a fraction of a second, and are on the disk a few seconds later. */
#define _GNU_SOURCE /* F_DUPFD_CLOEXEC */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number/precision.h"
#include "base/os/clock.h"
#include "solver/run/header.h"
#include "solver/run/line.h"
#include "solver/run/run.h"
#include "text/lines.h"

/* Seconds after which lines are given to the kernel, and written to the disk. */
static const double FLUSH_AFTER = 0.2, SYNC_AFTER = 2;

static int unwritable(const run_voice *voice, const char *path, int reason)
{
    return run_fail(voice, "%s could not be written: %s", path != NULL ? path : "a temporary file", strerror(reason));
}

/* ---- Reading lines -------------------------------------------------------------------------------------------------- */

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

typedef enum line_state { LINE_GOOD, LINE_DAMAGED, LINE_UNKNOWN } line_state;

/* A damaged line has not its checksum; an unknown one has it, and something else than a path of this job: *key, or NULL. */
static line_state read_path(const run_journal *journal, const text_lines *line, run_found_path *path,
                            char key[LINE_KEY])
{
    uint64_t check;
    json_node *root = NULL;
    key[0] = 0;
    if (!line->complete || !run_line_check(line->text, line->length, journal->check, &check) ||
        json_read(line->text, line->length, &root, NULL) != PLUMB_OK)
        return LINE_DAMAGED;
    const char *wrong = root->kind == JSON_OBJECT ? run_record_read(root, &path->record) : "path";
    for (const json_node *m = root->kind == JSON_OBJECT ? root->child : NULL; m != NULL && wrong == NULL; m = m->next)
        if (strcmp(m->key, "x") != 0 && strcmp(m->key, LINE_CHECK) != 0 && !run_record_has(m->key))
            wrong = m->key;
    const json_node *point = json_member(root, "x");
    path->prec = PLUMB_D;
    if (wrong == NULL && !read_point(point, journal->unknowns, path->x, &path->prec))
        wrong = "x";
    if (wrong == NULL && (path->record.path < journal->first || path->record.path >= journal->first + journal->count))
        wrong = "path";
    if (wrong != NULL)
        snprintf(key, LINE_KEY, "%s", wrong);
    json_free(root);
    return wrong == NULL ? LINE_GOOD : LINE_UNKNOWN;
}

static int unreadable(const run_journal *journal, plumb_status status)
{
    const char *path = journal->path != NULL ? journal->path : "a temporary file";
    const run_voice *voice = journal->voice;
    return status == PLUMB_ERR_MEMORY ? run_no_memory(voice)
           : status == PLUMB_ERR_SIZE
               ? run_misuse(voice, "%s has a line of more than %d bytes; expected a journal", path, LINES_MOST)
               : run_fail(voice, "%s could not be read: %s", path, strerror(errno));
}

/* Calls each for every good line of a file from where it stands; counts the others. */
typedef int each_path(void *data, const text_lines *line, const run_found_path *path);
typedef struct damage {
    int64_t count, first; /* first: its number */
} damage;

static int read_paths(const run_journal *journal, FILE *file, int64_t number, each_path *each, void *data,
                      damage *found)
{
    int result = RUN_OK;
    char key[LINE_KEY];
    text_lines lines = lines_begin(file);
    run_found_path path = {.x = malloc((size_t)journal->unknowns * 2 * PLUMB_QD * sizeof *path.x)};
    *found = (damage){0};
    plumb_status status = path.x != NULL ? PLUMB_OK : PLUMB_ERR_MEMORY;
    while (result == RUN_OK && status == PLUMB_OK && (status = lines_next(&lines)) == PLUMB_OK && lines.text != NULL) {
        switch (read_path(journal, &lines, &path, key)) {
        case LINE_GOOD:
            result = each(data, &lines, &path);
            break;
        case LINE_UNKNOWN:
            result = run_misread(journal->voice,
                                 "%s:%lld: found a wrong or unknown member '%s', expected the record of a path",
                                 journal->path, (long long)number + (long long)lines.number, key);
            break;
        case LINE_DAMAGED:
            if (lines.complete && found->count++ == 0) /* a line that is not complete was being written */
                found->first = number + lines.number;
            break;
        }
    }
    if (result == RUN_OK && status != PLUMB_OK)
        result = unreadable(journal, status);
    free(path.x);
    lines_end(&lines);
    return result;
}

/* ---- What is there -------------------------------------------------------------------------------------------------- */

typedef enum journal_kind {
    HOLDS_NOTHING, /* empty, or a first line that was cut off: no obstacle */
    HOLDS_HEADER,  /* a good first line, and no other whole line */
    HOLDS_RUN,     /* a first line, good or damaged, and others */
    IS_FOREIGN     /* not a journal */
} journal_kind;

typedef struct journal_head {
    journal_kind kind;
    bool damaged;  /* the first line is */
    char *line;    /* the first line without its line break; to be freed */
    size_t length; /* of it */
    int64_t body;  /* where the other lines begin */
} journal_head;

static bool is_blank(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] != 0 && text[i] != ' ' && text[i] != '\n' && text[i] != '\r' && text[i] != '\t')
            return false;
    return true;
}

/* Is there another whole line? One that is not whole holds no path. */
static bool has_line(FILE *file)
{
    int c;
    while ((c = getc_unlocked(file)) != EOF && c != '\n')
        continue;
    return c == '\n';
}

static int count_path(void *data, const text_lines *line, const run_found_path *path)
{
    (void)line, (void)path;
    ++*(int64_t *)data;
    return RUN_OK;
}

/* Reads the first line. A damaged one, which even its beginning may be, is recognised by the lines of this job after it. */
static int read_head(const run_journal *journal, FILE *file, journal_head *head)
{
    char magic_text[HEADER_MAGIC_ROOM];
    const size_t magic = run_header_magic(journal->voice->command, magic_text);
    uint64_t check;
    *head = (journal_head){.kind = IS_FOREIGN};
    text_lines lines = lines_begin(file);
    plumb_status status = lines_next(&lines);
    if (status != PLUMB_OK && status != PLUMB_ERR_SIZE) {
        lines_end(&lines);
        return unreadable(journal, status);
    }
    const char *text = lines.text != NULL ? lines.text : "";
    const bool more = lines.complete && has_line(file);
    const bool begins = memcmp(text, magic_text, lines.length < magic ? lines.length : magic) == 0;
    const bool good = begins && lines.complete && run_line_check(text, lines.length, LINE_SEED, &check);
    head->body = lines.bytes;
    if (status == PLUMB_ERR_SIZE) /* no line has so many bytes */
        head->kind = IS_FOREIGN;
    else if (good)
        head->kind = more ? HOLDS_RUN : HOLDS_HEADER;
    else if ((begins || is_blank(text, lines.length)) && !more)
        head->kind = HOLDS_NOTHING;
    else if (begins)
        head->kind = HOLDS_RUN;
    head->damaged = !good;
    head->line = lines.memory; /* may be NULL */
    head->length = lines.length;
    if (head->kind == IS_FOREIGN || (head->kind == HOLDS_RUN && head->damaged)) {
        int64_t ours = 0;
        damage unused;
        int result = fseeko(file, head->body, SEEK_SET) == 0 ? RUN_OK : unreadable(journal, PLUMB_ERR_IO);
        if (result == RUN_OK && lines.complete)
            result = read_paths(journal, file, 1, count_path, &ours, &unused);
        head->kind = ours > 0 ? HOLDS_RUN : IS_FOREIGN;
        return result;
    }
    return RUN_OK;
}

/* ---- Making and opening it again ------------------------------------------------------------------------------------ */

static int in_use(const run_voice *voice, const char *path, pid_t holder)
{
    if (holder > 0)
        return run_misuse(voice, "%s is in use: process %ld is tracking paths for this output", path, (long)holder);
    return run_misuse(voice, "%s is in use: another run is tracking paths for this output", path);
}

static int copy_path(void *data, const text_lines *line, const run_found_path *path)
{
    (void)path;
    fwrite(line->text, 1, line->length, data);
    fputc('\n', data); /* what cannot be written is noticed before the file takes its place */
    return RUN_OK;
}

/* Makes a journal with its first line and the good lines of an old one (or NULL), and puts it in its place; with nothing old,
 * only if nothing is there: *raced is set otherwise. */
static int make(run_journal *journal, const run_header *header, FILE *old, int64_t body, damage *found, bool *raced)
{
    pid_t holder;
    file_output *output = &journal->output;
    int result = RUN_OK, reason = 0;
    if (journal->path == NULL) {
        journal->file = run_unnamed_file(journal->voice);
        if (journal->file == NULL)
            return unwritable(journal->voice, NULL, errno);
    } else if ((result = run_output_open(journal->voice, output, journal->path)) != RUN_OK) {
        return result;
    } else {
        journal->file = output->file;
    }
    fwrite(header->line, 1, header->length, journal->file);
    journal->body = (int64_t)header->length;
    if (old != NULL && body > 0)
        result = fseeko(old, body, SEEK_SET) == 0 ? read_paths(journal, old, 1, copy_path, journal->file, found)
                                                  : unreadable(journal, PLUMB_ERR_IO);
    if (result != RUN_OK)
        return result;
    if (journal->path == NULL)
        return fflush(journal->file) == 0 ? RUN_OK : unwritable(journal->voice, NULL, errno);
    reason = file_output_finish(output);
    if (reason == 0 && file_lock(journal->file, &holder) != 0)
        reason = EAGAIN; /* a file that nobody else knows */
    if (reason == 0)
        reason = run_output_place(journal->voice, output, old != NULL);
    *raced = reason == EEXIST && old == NULL;
    return reason == 0 ? RUN_OK : *raced ? RUN_FAILED : unwritable(journal->voice, journal->path, reason);
}

static int foreign(const run_voice *voice, const char *path)
{
    return run_misuse(voice,
                      "%s is not a journal of plumb %s, or one of another version; it was left as it is: move it away "
                      "or give the output another name",
                      path, voice->command);
}

/* Decides what to do with a journal that exists, and holds its lock. */
static int take_over(const run_job *job, run_journal *journal, const run_header *header, FILE *old)
{
    journal_head head;
    damage found = {0};
    bool raced = false;
    int result = read_head(journal, old, &head);
    if (result == RUN_OK && head.kind == IS_FOREIGN)
        result = foreign(journal->voice, journal->path);
    else if (result == RUN_OK && head.kind == HOLDS_RUN && !job->resume)
        result = run_misuse(job->voice,
                            "%s holds a run that was stopped: resume it (--resume), or remove the file to start again",
                            journal->path);
    else if (result == RUN_OK && job->resume && !head.damaged)
        result = run_header_compare(job, journal->path, head.line, head.length, false);
    journal->resumed = head.kind == HOLDS_RUN;
    if (result == RUN_OK)
        result = make(journal, header, old, head.kind == HOLDS_RUN ? head.body : 0, &found, &raced);
    if (result == RUN_OK && journal->resumed && (found.count > 0 || head.damaged)) {
        const long long count = (long long)found.count + head.damaged,
                        first = head.damaged ? 1 : (long long)found.first;
        run_note(job->voice,
                 "%s: %lld damaged line%s, the first is line %lld: paths whose lines are lost are tracked again",
                 journal->path, count, count == 1 ? "" : "s", first);
    }
    free(head.line);
    return result;
}

/* The file may be replaced or removed by its owner between the moments in which it is opened and locked: then once more. */
static int open_or_make(const run_job *job, run_journal *journal, const run_header *header)
{
    enum { ATTEMPTS = 100 };
    int result = RUN_OK;
    bool again = true;
    for (int k = 0; k < ATTEMPTS && again; k++) {
        pid_t holder;
        FILE *old = journal->path != NULL ? fopen(journal->path, "r+b") : NULL;
        const int reason = errno;
        again = false;
        if (old == NULL && journal->path != NULL && reason != ENOENT)
            return unwritable(journal->voice, journal->path, reason);
        if (old == NULL) {
            result = make(journal, header, NULL, 0, NULL, &again);
            if (result == RUN_OK && job->resume) /* a run that was killed before it had a journal, or another name */
                run_note(job->voice, "there is no %s to continue: the run starts from the beginning", journal->path);
        } else if (file_lock(old, &holder) != 0) {
            result = in_use(journal->voice, journal->path, holder);
        } else {
            again = !file_is_at(old, journal->path);
            result = again ? RUN_FAILED : take_over(job, journal, header, old);
        }
        if (old != NULL)
            fclose(old);
        if (again)
            run_output_discard(journal->voice, &journal->output);
    }
    return again ? run_fail(job->voice, "%s is replaced again and again by others", journal->path) : result;
}

/* A file that the run reads or writes, and that is also its journal; or NULL. */
static const char *find_same(const run_job *job, const char *path)
{
    if (job->path_log != NULL && file_same(job->path_log, path))
        return job->path_log;
    for (const char *const *part = job->parts; part != NULL && *part != NULL; part++)
        if (file_same(*part, path))
            return *part;
    return NULL;
}

int run_journal_open(const run_job *job, run_journal *journal)
{
    run_header header = {.line = NULL};
    struct stat there;
    *journal = (run_journal){.voice = job->voice, .unknowns = job->unknowns, .first = job->first, .count = job->count};
    if (job->in_memory)
        return RUN_OK;
    journal->path = job->journal != NULL ? strdup(job->journal) : NULL;
    if (job->journal != NULL && journal->path == NULL)
        return run_no_memory(job->voice);
    const char *other = journal->path != NULL ? find_same(job, journal->path) : NULL;
    if (other != NULL)
        return run_misuse(job->voice, "%s and the journal of this run, %s, are one file", other, journal->path);
    if (job->resume && journal->path == NULL)
        return run_misuse(job->voice, "resume needs a journal");
    if (journal->path != NULL && stat(journal->path, &there) == 0 && !S_ISREG(there.st_mode))
        return foreign(journal->voice, journal->path);
    int result = run_header_make(job, &header);
    journal->check = header.check;
    if (result == RUN_OK)
        result = open_or_make(job, journal, &header);
    free(header.line);
    journal->placed = result == RUN_OK && journal->path != NULL;
    journal->flushed = journal->synced = plumb_clock_seconds();
    if (result == RUN_OK && job->parts != NULL && !journal->resumed) {
        result = run_journal_merge(job, journal);
        journal->resumed = result == RUN_OK; /* what they have is not tracked again */
    }
    return result;
}

static void *close_last(void *data)
{
    int *fd = data;
    close(*fd);
    free(fd);
    return NULL;
}

/* A file that has no name any more is freed when it is closed for the last time, which takes a while if it is large. A thread does
 * that, while this one leaves the job. */
static void free_later(FILE *file)
{
    pthread_t thread;
    int *fd = malloc(sizeof *fd);
    if (fd == NULL)
        return;
    *fd = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    if (*fd >= 0 && pthread_create(&thread, NULL, close_last, fd) == 0) {
        pthread_detach(thread);
        return;
    }
    if (*fd >= 0)
        close(*fd);
    free(fd);
}

void run_journal_close(run_journal *journal, bool done)
{
    if (journal->file != NULL && !done)
        (void)run_journal_flush(journal, true);
    if (done && journal->placed) {
        unlink(journal->path); /* before the lock ends */
        free_later(journal->file);
    }
    if (journal->path != NULL)
        run_output_discard(journal->voice, &journal->output);
    else if (journal->file != NULL)
        fclose(journal->file);
    free(journal->path);
    *journal = (run_journal){.file = NULL};
}

/* ---- Writing lines -------------------------------------------------------------------------------------------------- */

int32_t run_used_limbs(const double *x, int32_t prec, int64_t unknowns)
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
    int32_t used = run_used_limbs(x, prec, unknowns);
    double *short_x = malloc((size_t)unknowns * 2 * PLUMB_QD * sizeof *short_x);
    if (short_x == NULL)
        return PLUMB_ERR_MEMORY;
    for (int64_t k = 0; k < 2 * unknowns; k++)
        memcpy(short_x + k * used, x + k * prec, (size_t)used * sizeof *x);
    plumb_status status = run_point_write(w, short_x, used, unknowns, true);
    free(short_x);
    return status;
}

static char *make_line(uint64_t seed, int64_t unknowns, const plumb_path_record *record, const double *x, int32_t prec,
                       size_t *length)
{
    run_line_writer line;
    uint64_t check;
    plumb_status status = PLUMB_OK;
    bool good = run_line_begin(&line);
    if (good)
        run_record_write(&line.json, record);
    if (good)
        status = write_point(&line.json, x, prec, unknowns);
    good = run_line_end(&line, seed, &check) && good && status == PLUMB_OK;
    *length = line.length;
    if (good)
        return line.text;
    free(line.text);
    return NULL;
}

char *run_journal_line(const run_job *job, uint64_t check, const plumb_path_record *record, const double *x,
                       size_t *length)
{
    return make_line(check, job->unknowns, record, x, job->prec, length);
}

int64_t run_journal_append(run_journal *journal, const char *line, size_t length)
{
    if (journal->failure != 0)
        return -1;
    if (journal->file == NULL)
        return 0;
    if (!journal->at_end && (fseeko(journal->file, 0, SEEK_END) != 0 || (journal->end = ftello(journal->file)) < 0)) {
        journal->failure = errno;
        return -1;
    }
    journal->at_end = true;
    const int64_t at = journal->end;
    errno = 0;
    if (fwrite(line, 1, length, journal->file) != length)
        journal->failure = errno != 0 ? errno : EIO;
    journal->end += (int64_t)length;
    return journal->failure == 0 && run_journal_flush(journal, false) ? at : -1;
}

int64_t run_journal_add(run_journal *journal, const plumb_path_record *record, const double *x, int32_t prec)
{
    size_t length = 0;
    if (journal->failure != 0)
        return -1;
    if (journal->file == NULL)
        return 0;
    char *line = make_line(journal->check, journal->unknowns, record, x, prec, &length);
    if (line == NULL)
        journal->failure = ENOMEM;
    const int64_t at = line != NULL ? run_journal_append(journal, line, length) : -1;
    free(line);
    return at;
}

bool run_journal_flush(run_journal *journal, bool now)
{
    const double time = plumb_clock_seconds();
    if (journal->file == NULL)
        return journal->failure == 0;
    if (journal->failure == 0 && (now || time > journal->flushed + FLUSH_AFTER)) {
        errno = 0;
        if (fflush(journal->file) != 0 || ferror(journal->file))
            journal->failure = errno != 0 ? errno : EIO;
        journal->flushed = time;
    }
    if (journal->failure == 0 && journal->path != NULL && (now || time > journal->synced + SYNC_AFTER)) {
        journal->failure = file_output_finish(&journal->output);
        journal->synced = plumb_clock_seconds();
        if (!journal->is_read) /* the end, which all ranks wait for, need not free these pages then */
            (void)posix_fadvise(fileno(journal->file), 0, 0, POSIX_FADV_DONTNEED);
    }
    return journal->failure == 0;
}

int run_journal_fail(const run_journal *journal)
{
    return journal->failure == ENOMEM ? run_no_memory(journal->voice)
                                      : unwritable(journal->voice, journal->path, journal->failure);
}

/* ---- Looking up ----------------------------------------------------------------------------------------------------- */

/* Reads the line that begins there, to be freed, without its line break; NULL if there is none. The position of the stream stays. */
static char *read_line(const run_journal *journal, int64_t at, size_t *length)
{
    char *text = NULL;
    size_t room = 0, have = 0;
    const char *end = NULL;
    while (end == NULL && room < LINES_MOST) {
        room = room > 0 ? 4 * room : 4096;
        char *grown = realloc(text, room);
        if (grown == NULL)
            break;
        text = grown;
        const ssize_t more = pread(fileno(journal->file), text + have, room - have, (off_t)(at + (int64_t)have));
        if (more <= 0)
            break;
        end = memchr(text + have, '\n', (size_t)more);
        have += (size_t)more;
    }
    if (end == NULL) {
        free(text);
        return NULL;
    }
    *length = (size_t)(end - text);
    text[*length] = '\0';
    return text;
}

bool run_journal_read(run_journal *journal, int64_t line, run_found_path *path)
{
    char key[LINE_KEY];
    text_lines lines = {.complete = true};
    if (fflush(journal->file) != 0) /* does nothing where all is written */
        return false;
    lines.text = read_line(journal, line, &lines.length);
    const bool good = lines.text != NULL && read_path(journal, &lines, path, key) == LINE_GOOD;
    free(lines.text);
    return good;
}

typedef struct part_scan {
    run_part_line *found;
    void *data;
} part_scan;

static int scan_part(void *data, const text_lines *line, const run_found_path *path)
{
    const part_scan *s = data;
    return s->found(s->data, path, line->number + 1, run_line_content(line->text, line->length));
}

int run_journal_read_part(const run_job *job, const char *name, FILE *file, uint64_t check, run_part_line *found,
                          void *data, int64_t *damaged, int64_t *first_damaged)
{
    damage seen;
    part_scan s = {found, data};
    char *path = strdup(name);
    const run_journal part = {.voice = job->voice,
                              .path = path,
                              .unknowns = job->unknowns,
                              .first = job->first,
                              .count = job->count,
                              .check = check};
    int result = path != NULL ? read_paths(&part, file, 1, scan_part, &s, &seen) : run_no_memory(job->voice);
    *damaged = path != NULL ? seen.count : 0;
    *first_damaged = path != NULL ? seen.first : 0;
    free(path);
    return result;
}

typedef struct scan {
    const run_journal *journal;
    int32_t rerun;
    run_found *found;
    void *data;
} scan;

static int scan_path(void *data, const text_lines *line, const run_found_path *path)
{
    const scan *s = data;
    if (path->record.reruns == s->rerun)
        s->found(s->data, path, s->journal->body + line->start);
    return RUN_OK;
}

int run_journal_scan(run_journal *journal, int32_t rerun, run_found *found, void *data)
{
    damage unused;
    scan s = {journal, rerun, found, data};
    journal->at_end = false;
    if (fseeko(journal->file, journal->body, SEEK_SET) != 0)
        return unreadable(journal, PLUMB_ERR_IO);
    return read_paths(journal, journal->file, 1, scan_path, &s, &unused);
}

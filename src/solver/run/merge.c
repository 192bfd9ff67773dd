/* merge.c - the journal of a whole run from those of its parts, which were tracked on other computers.
 *
 * A line has the result of one path in one round, and depends on nothing else: the lines of all parts together are those that one run
 * would have written, whatever the parts are, and whatever else they have. The run then goes on as one that was stopped: it
 * compares endpoints, and tracks again what must be. Lines that come several times must be equal. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "solver/run/header.h"
#include "solver/run/line.h"
#include "solver/run/run.h"
#include "text/lines.h"

/* A line that was taken. */
typedef struct merged_line {
    int64_t path, number;
    uint64_t hash;
    int32_t rerun, part;
} merged_line;

typedef struct merger {
    run_voice voice; /* of the command merge */
    const run_job *job;
    run_journal *journal;
    merged_line *lines;
    int64_t count, room;
    int32_t part; /* the one that is read now */
} merger;

static int take_line(void *data, const run_found_path *path, int64_t number, uint64_t hash)
{
    merger *m = data;
    if (m->count == m->room) {
        const int64_t room = m->room > 0 ? 2 * m->room : 1024;
        merged_line *grown = realloc(m->lines, (size_t)room * sizeof *grown);
        if (grown == NULL)
            return run_no_memory(&m->voice);
        m->lines = grown;
        m->room = room;
    }
    m->lines[m->count++] = (merged_line){path->record.path, number, hash, path->record.reruns, m->part};
    return run_journal_add(m->journal, &path->record, path->x, path->prec) >= 0 ? RUN_OK : run_journal_fail(m->journal);
}

static int unreadable(const merger *m, const char *name, int reason)
{
    return run_misuse(&m->voice, "%s could not be read: %s", name, strerror(reason));
}

/* The checksum of the first line, if it is that of a part of this job. */
static int read_head(const merger *m, const char *name, FILE *file, uint64_t *check)
{
    char magic[HEADER_MAGIC_ROOM];
    const size_t length = run_header_magic(m->job->voice->command, magic);
    text_lines lines = lines_begin(file);
    int result = RUN_OK;
    if (lines_next(&lines) != PLUMB_OK || lines.text == NULL || lines.length < length ||
        memcmp(lines.text, magic, length) != 0)
        result = run_misuse(&m->voice, "%s is not a journal of plumb %s", name, m->job->voice->command);
    else if (!lines.complete || !run_line_check(lines.text, lines.length, LINE_SEED, check))
        result = run_misread(
            &m->voice, "%s:1: the first line is damaged, so the others cannot be checked; leave this part out", name);
    else
        result = run_header_compare(m->job, name, lines.text, lines.length, true);
    if (result == RUN_OK && fseeko(file, lines.bytes, SEEK_SET) != 0)
        result = unreadable(m, name, errno);
    lines_end(&lines);
    return result;
}

static int read_part(merger *m, const char *name)
{
    int64_t damaged = 0, first = 0;
    uint64_t check = 0;
    FILE *file = fopen(name, "rb");
    if (file == NULL)
        return unreadable(m, name, errno);
    int result = read_head(m, name, file, &check);
    if (result == RUN_OK)
        result = run_journal_read_part(m->job, name, file, check, take_line, m, &damaged, &first);
    if (result == RUN_OK && damaged > 0)
        run_note(&m->voice, "%s: %lld damaged line%s, the first is line %lld", name, (long long)damaged,
                 damaged == 1 ? "" : "s", (long long)first);
    fclose(file);
    return result;
}

static int by_path(const void *a, const void *b)
{
    const merged_line *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    return (x->rerun > y->rerun) - (x->rerun < y->rerun);
}

/* Lines of one path and round must be equal. */
static int compare_lines(const merger *m)
{
    for (int64_t k = 1; k < m->count; k++) {
        const merged_line *a = &m->lines[k - 1], *b = &m->lines[k];
        if (by_path(a, b) == 0 && a->hash != b->hash)
            return run_misuse(&m->voice, "path %lld ends differently in %s, line %lld, and in %s, line %lld",
                              (long long)a->path + 1, m->job->parts[a->part], (long long)a->number,
                              m->job->parts[b->part], (long long)b->number);
    }
    return RUN_OK;
}

/* "3-7, 12, 40-41 and more": paths that no part has; their number. */
static int64_t list_missing(const merger *m, char *text, size_t size)
{
    const int64_t first = m->job->first, last = first + m->job->count;
    int64_t missing = 0, k = 0;
    size_t used = 0;
    text[0] = '\0';
    for (int64_t path = first; path < last;) {
        while (k < m->count && (m->lines[k].path < path || m->lines[k].rerun > 0))
            k++;
        const int64_t next = k < m->count ? m->lines[k].path : last;
        if (next > path) {
            const char *comma = missing > 0 ? ", " : "";
            missing += next - path;
            char range[64];
            if (next - path == 1)
                snprintf(range, sizeof range, "%s%lld", comma, (long long)path + 1);
            else
                snprintf(range, sizeof range, "%s%lld-%lld", comma, (long long)path + 1, (long long)next);
            if (used + strlen(range) + sizeof " and more" < size)
                used += (size_t)snprintf(text + used, size - used, "%s", range);
            else if (used + sizeof " and more" < size) {
                snprintf(text + used, size - used, " and more");
                used = size;
            }
        }
        path = next + 1;
    }
    return missing;
}

static int check_whole(const merger *m)
{
    char ranges[400];
    const int64_t missing = list_missing(m, ranges, sizeof ranges);
    if (missing == 0 || m->job->fill)
        return RUN_OK;
    return run_misuse(&m->voice, "no part has path%s %s; fill (--fill) tracks %s here", missing == 1 ? "" : "s", ranges,
                      missing == 1 ? "it" : "them");
}

int run_journal_merge(const run_job *job, run_journal *journal)
{
    merger m = {.voice = {job->voice->host, "merge", job->voice->data}, .job = job, .journal = journal};
    int result = RUN_OK;
    for (; job->parts[m.part] != NULL && result == RUN_OK; m.part++)
        result = read_part(&m, job->parts[m.part]);
    if (result == RUN_OK && m.count > 0)
        qsort(m.lines, (size_t)m.count, sizeof *m.lines, by_path);
    if (result == RUN_OK)
        result = compare_lines(&m);
    if (result == RUN_OK)
        result = check_whole(&m);
    free(m.lines);
    if (result == RUN_OK && !run_journal_flush(journal, true))
        result = run_journal_fail(journal);
    return result;
}

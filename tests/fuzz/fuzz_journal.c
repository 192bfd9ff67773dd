/* fuzz_journal.c - any bytes at all as the lines of a journal.
 *
 *     tests/fuzz/run journal 60
 *
 * Few changes keep a checksum, so the lines get the checksums that belong to them, unless the first byte is '!'. What
 * is accepted must be the record of a path of the run, in its range, with a point of a known precision; written again
 * and read again it is the same. What is refused has one message. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "solver/run/header.h"
#include "solver/run/line.h"
#include "solver/run/run.h"

enum { UNKNOWNS = 2, PATHS = 1000 };

/* Instead of those of solver/run/host.c: messages are counted. */
#define TAKES_MESSAGES(name, status)                          \
    int name(const run_voice *voice, const char *format, ...) \
    {                                                         \
        va_list arguments;                                    \
        (void)voice;                                          \
        va_start(arguments, format);                          \
        take_message(format, arguments);                      \
        va_end(arguments);                                    \
        return status;                                        \
    }
TAKES_MESSAGES(run_misuse, RUN_MISUSE)
TAKES_MESSAGES(run_misread, RUN_MISUSE)
TAKES_MESSAGES(run_fail, RUN_FAILED)

int run_no_memory(const run_voice *voice)
{
    return run_fail(voice, "out of memory");
}

/* Only where a journal is opened. */
void run_note(const run_voice *voice, const char *format, ...)
{
    (void)voice, (void)format;
    abort();
}

int run_output_open(const run_voice *voice, file_output *output, const char *path)
{
    (void)voice, (void)output, (void)path;
    abort();
}

int run_output_place(const run_voice *voice, file_output *output, bool replace)
{
    (void)voice, (void)output, (void)replace;
    abort();
}

void run_output_discard(const run_voice *voice, file_output *output)
{
    (void)voice, (void)output;
    abort();
}

FILE *run_unnamed_file(const run_voice *voice)
{
    (void)voice;
    abort();
}

int run_header_make(const run_job *job, run_header *header)
{
    (void)job, (void)header;
    abort();
}

int run_header_compare(const run_job *job, const char *path, const char *line, size_t length, bool is_part)
{
    (void)job, (void)path, (void)line, (void)length, (void)is_part;
    abort();
}

size_t run_header_magic(const char *command, char magic[HEADER_MAGIC_ROOM])
{
    (void)command, (void)magic;
    abort();
}

const char *plumb_path_text(plumb_path_code code)
{
#define PATH_TEXT(name, text) text,
    static const char *const texts[] = {PLUMB_PATH_LIST(PATH_TEXT)};
#undef PATH_TEXT
    return (int)code >= 0 && code < PLUMB_PATH_CODES ? texts[code] : "unknown code";
}

/* The lines of the input, each without its last brace and with its checksum. To be freed. */
static char *with_checksums(const char *text, size_t size, uint64_t seed, size_t *length)
{
    char *out = NULL;
    FILE *file = open_memstream(&out, length);
    CHECK(file != NULL);
    for (const char *at = text, *end = text + size; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t used = (size_t)((stop != NULL ? stop : end) - at);
        if (used > 0 && at[used - 1] == '}')
            used--;
        fwrite(at, 1, used, file);
        fprintf(file, ", \"" LINE_CHECK "\": \"%016" PRIx64 "\"}\n", run_line_hash(seed, at, used));
        at = stop != NULL ? stop + 1 : end;
    }
    CHECK(fclose(file) == 0);
    return out;
}

static void take_path(void *data, const run_found_path *path, int64_t line)
{
    const plumb_path_record *r = &path->record;
    int64_t *accepted = data;
    plumb_path_record again;
    json_node *node = NULL;
    char *text = NULL;
    size_t length = 0;
    ++*accepted;
    CHECK(line >= 0 && r->path >= 0 && r->path < PATHS && r->code >= 0 && r->code < PLUMB_PATH_CODES);
    CHECK(plumb_prec_name(r->prec) != NULL && plumb_prec_name(r->max_prec) != NULL &&
          plumb_prec_name(path->prec) != NULL);
    CHECK(r->winding >= 0 && r->reruns >= 0 && r->steps >= 0 && r->rejected >= 0 && r->solves >= 0);
    FILE *file = open_memstream(&text, &length);
    CHECK(file != NULL);
    json_writer w = json_begin_line(file);
    json_open_object(&w, NULL);
    run_record_write(&w, r);
    json_close_object(&w);
    CHECK(fclose(file) == 0);
    CHECK(json_read(text, length, &node, NULL) == PLUMB_OK && run_record_read(node, &again) == NULL);
    CHECK(again.path == r->path && again.code == r->code && again.prec == r->prec && again.steps == r->steps);
    CHECK(again.winding == r->winding && again.reruns == r->reruns && again.max_prec == r->max_prec);
    json_free(node);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "a journal";
    const uint64_t seed = 12345;
    char *text = NULL;
    size_t length = size;
    int64_t accepted = 0;
    if (size > 0 && data[0] != '!')
        text = with_checksums((const char *)data, size, seed, &length);
    FILE *file =
        length > 0 ? fmemopen(text != NULL ? text : (void *)(uintptr_t)data, length, "rb") : fopen("/dev/null", "rb");
    CHECK(file != NULL);
    run_journal journal = {.file = file, .path = name, .unknowns = UNKNOWNS, .count = PATHS, .check = seed};
    for (int32_t rerun = 0; rerun < 2; rerun++) {
        messages = 0;
        int result = run_journal_scan(&journal, rerun, take_path, &accepted);
        CHECK((result == RUN_OK) == (messages == 0) && messages <= 1);
    }
    fclose(file);
    free(text);
    return 0;
}

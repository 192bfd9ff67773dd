/* line.c - see line.h. */
#include "solver/run/line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DIGITS = 16 };
static const char before[] = ", \"" LINE_CHECK "\": \"", after[] = "\"}";

const uint64_t LINE_SEED = 0xcbf29ce484222325;

uint64_t run_line_hash(uint64_t seed, const void *bytes, size_t length)
{
    const unsigned char *b = bytes;
    uint64_t hash = seed;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ b[i]) * 0x100000001b3;
    return hash;
}

bool run_line_begin(run_line_writer *line)
{
    *line = (run_line_writer){.text = NULL};
    if (!memory_file_begin(&line->memory))
        return false;
    line->json = json_begin_line(line->memory.file);
    json_open_object(&line->json, NULL);
    return true;
}

bool run_line_end(run_line_writer *line, uint64_t seed, uint64_t *check)
{
    bool good = line->memory.file != NULL && fflush(line->memory.file) == 0 && !line->memory.failed;
    if (good) {
        char hex[DIGITS + 1];
        *check = run_line_hash(seed, line->memory.text, line->memory.length);
        snprintf(hex, sizeof hex, "%0*" PRIx64, DIGITS, *check);
        json_string(&line->json, LINE_CHECK, hex);
        json_close_object(&line->json);
        json_end(&line->json);
    }
    good &= memory_file_end(&line->memory);
    line->text = line->memory.text;
    line->length = line->memory.length;
    return good;
}

bool run_line_check(const char *text, size_t length, uint64_t seed, uint64_t *check)
{
    const size_t tail = sizeof before - 1 + DIGITS + sizeof after - 1;
    char expected[sizeof before + DIGITS + sizeof after];
    if (length < tail)
        return false;
    *check = run_line_hash(seed, text, length - tail);
    snprintf(expected, sizeof expected, "%s%0*" PRIx64 "%s", before, DIGITS, *check, after);
    return memcmp(text + length - tail, expected, tail) == 0;
}

uint64_t run_line_content(const char *text, size_t length)
{
    const size_t tail = sizeof before - 1 + DIGITS + sizeof after - 1;
    return run_line_hash(LINE_SEED, text, length > tail ? length - tail : 0);
}

/* file.c - see file.h. */
#include "text/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/call/message.h"
#include "base/memory/memory.h"
#include "text/memory_file.h"
#include "text/output.h"

/* ---- Formats ----------------------------------------------------------------------------------------------------- */

static const char *const endings[PLUMB_FORMAT_COUNT] = {
#define FORMAT_ENDING(code, ending) ending,
    PLUMB_FORMAT_LIST(FORMAT_ENDING)
#undef FORMAT_ENDING
};

static bool ends_in(const char *path, const char *ending)
{
    const size_t length = strlen(path), tail = strlen(ending);
    return tail > 0 && length > tail && strcmp(path + length - tail, ending) == 0;
}

plumb_format plumb_format_of_path(const char *path)
{
    for (int k = 0; path && k < PLUMB_FORMAT_COUNT; k++)
        if (ends_in(path, endings[k]))
            return (plumb_format)k;
    return path && ends_in(path, ".sol") ? PLUMB_FORMAT_PHC : PLUMB_FORMAT_AUTO;
}

plumb_status plumb_file_format(const char *path, plumb_format given, const plumb_format *possible, plumb_format *format)
{
    char list[80] = "";
    *format = given != PLUMB_FORMAT_AUTO ? given : path ? plumb_format_of_path(path) : possible[0];
    for (const plumb_format *p = possible; *p != PLUMB_FORMAT_AUTO; p++) {
        if (*p == *format)
            return PLUMB_OK;
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", endings[*p]);
    }
    if (given == PLUMB_FORMAT_AUTO)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "path: found '%.200s', expected a name that ends in one of %s",
                         path, list);
    return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "format: found number %d, expected the one of %s", (int)given, list);
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

static plumb_status failed(plumb_status status, const char *path, const char *what, plumb_text_error *error)
{
    char reason[128] = "";
    if (errno == 0 || strerror_r(errno, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "%s", plumb_status_text(status));
    if (error) {
        *error = (plumb_text_error){.line = 0};
        snprintf(error->message, sizeof error->message, "%.120s: %s", path, reason);
    }
    return plumb_say(status, NULL, 0, "%s %.256s: %s", what, path, reason);
}

bool file_may_be_text(const unsigned char *bytes, size_t length)
{
    const size_t most = (size_t)1 << 34, looked_at = 4096;
    return length < most && memchr(bytes, 0, length < looked_at ? length : looked_at) == NULL;
}

bool file_may_be_matrix(const unsigned char *bytes, size_t length)
{
    return (length > 0 && bytes[0] == 0x93) || file_may_be_text(bytes, length);
}

plumb_status plumb_stream_load(FILE *in, file_may_be *may_be, char **bytes, size_t *length)
{
    enum { CHUNK = 1 << 16 };
    size_t room = 0;
    *bytes = NULL;
    *length = 0;
    do {
        if (*length == room) {
            const size_t more = room < CHUNK ? CHUNK : room;
            char *larger = plumb_memory_has((int64_t)(room + more)) ? realloc(*bytes, room + more) : NULL;
            if (!larger)
                return PLUMB_ERR_MEMORY;
            *bytes = larger;
            room += more;
        }
        errno = 0;
        *length += fread(*bytes + *length, 1, room - *length, in);
        if (ferror(in))
            return PLUMB_ERR_IO;
    } while (!feof(in) && may_be((const unsigned char *)*bytes, *length));
    return PLUMB_OK;
}

plumb_status plumb_file_load(const char *path, file_may_be *may_be, char **bytes, size_t *length,
                             plumb_text_error *error)
{
    *bytes = NULL;
    *length = 0;
    if (!path)
        return plumb_say(PLUMB_ERR_ARGUMENT, error->message, sizeof error->message, "path is NULL");
    errno = 0;
    FILE *in = fopen(path, "rb");
    plumb_status status = in ? plumb_stream_load(in, may_be, bytes, length) : PLUMB_ERR_IO;
    if (status != PLUMB_OK)
        status = failed(status, path, "reading", error);
    if (in)
        (void)fclose(in);
    return status;
}

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

plumb_status plumb_file_save(const char *path, file_writer write, const void *what)
{
    if (!path)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "path is NULL");
    file_output output;
    int reason = file_output_open(&output, path);
    errno = 0;
    plumb_status status = reason == 0 ? write(output.file, what) : PLUMB_ERR_IO;
    if (status == PLUMB_OK && (reason = file_output_finish(&output)) == 0)
        reason = file_output_place(&output, true);
    else if (status == PLUMB_ERR_IO && reason == 0)
        reason = errno;
    const int closed = file_output_close(&output);
    if (status == PLUMB_OK && reason == 0)
        reason = closed;
    errno = reason;
    return status == PLUMB_ERR_IO || reason != 0 ? failed(PLUMB_ERR_IO, path, "writing", NULL) : status;
}

plumb_status plumb_file_to_buffer(file_writer write, const void *what, int end, void *buffer, size_t size,
                                  size_t *needed)
{
    memory_file made;
    if (needed)
        *needed = 0;
    if (!buffer && size > 0)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "buffer is NULL");
    plumb_status status = memory_file_begin(&made) ? write(made.file, what) : PLUMB_ERR_MEMORY;
    if (!memory_file_end(&made) && status == PLUMB_OK)
        status = PLUMB_ERR_MEMORY;
    const size_t all = made.length + (end ? 1 : 0);
    if (status == PLUMB_ERR_IO)
        status = PLUMB_ERR_MEMORY; /* nothing else can go wrong in memory */
    if (status == PLUMB_OK && needed)
        *needed = all;
    if (status == PLUMB_OK && all > size)
        status = plumb_say(PLUMB_ERR_BUFFER, NULL, 0, "the buffer has %zu bytes, %zu are needed", size, all);
    if (status == PLUMB_OK && buffer)
        memcpy(buffer, made.text, all);
    if (status != PLUMB_OK && end && size > 0)
        *(char *)buffer = 0;
    free(made.text);
    return status;
}

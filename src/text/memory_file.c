/* memory_file.c - see memory_file.h. */
#define _GNU_SOURCE /* fopencookie */
#include "text/memory_file.h"

#include <stdint.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static bool make_room(memory_file *m, size_t more)
{
    if (more >= SIZE_MAX / 4 - m->length)
        return false;
    if (m->length + more + 1 <= m->room)
        return true;
    const size_t room = m->length + more + 1 > 2 * m->room ? m->length + more + 1 : 2 * m->room;
    char *larger = realloc(m->text, room);
    if (larger == NULL)
        return false;
    m->text = larger;
    m->room = room;
    return true;
}

static ssize_t append(void *cookie, const char *bytes, size_t count)
{
    memory_file *m = cookie;
    m->failed = m->failed || !make_room(m, count);
    if (m->failed)
        return 0; /* an error of the stream */
    memcpy(m->text + m->length, bytes, count);
    m->length += count;
    m->text[m->length] = 0;
    return (ssize_t)count;
}

bool memory_file_begin(memory_file *m)
{
    *m = (memory_file){.file = fopencookie(m, "w", (cookie_io_functions_t){.write = append})};
    if (m->file != NULL)
        __fsetlocking(m->file,
                      FSETLOCKING_BYCALLER); /* one thread writes: locks take longer than most of what is written */
    return m->file != NULL;
}

bool memory_file_end(memory_file *m)
{
    const bool closed = m->file != NULL && fclose(m->file) == 0;
    m->file = NULL;
    if (!closed || m->failed || !make_room(m, 0))
        return false;
    m->text[m->length] = 0;
    return true;
}

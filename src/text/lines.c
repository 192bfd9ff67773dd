/* lines.c - see lines.h. */
#include "text/lines.h"

#include <stdlib.h>

text_lines lines_begin(FILE *file)
{
    return (text_lines){.file = file};
}

static bool make_room(text_lines *lines)
{
    const size_t first = 512;
    if (lines->length + 1 < lines->room)
        return true;
    const size_t room = lines->room < first ? first : 2 * lines->room;
    char *larger = realloc(lines->memory, room);
    if (larger == NULL)
        return false;
    lines->memory = larger;
    lines->room = room;
    return true;
}

plumb_status lines_next(text_lines *lines)
{
    lines->text = NULL;
    lines->length = 0;
    lines->complete = false;
    lines->start = lines->bytes;
    for (int c; !lines->complete && (c = getc_unlocked(lines->file)) != EOF;) {
        lines->bytes++;
        lines->complete = c == '\n';
        if (lines->length == LINES_MOST)
            return PLUMB_ERR_SIZE;
        if (!make_room(lines))
            return PLUMB_ERR_MEMORY;
        if (!lines->complete)
            lines->memory[lines->length++] = (char)c;
    }
    if (ferror(lines->file))
        return PLUMB_ERR_IO;
    if (lines->bytes == lines->start)
        return PLUMB_OK;
    lines->number++;
    lines->text = lines->memory;
    lines->text[lines->length] = 0;
    return PLUMB_OK;
}

void lines_end(text_lines *lines)
{
    free(lines->memory);
    *lines = (text_lines){.file = NULL};
}

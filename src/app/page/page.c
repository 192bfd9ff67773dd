/* page.c - see page.h. */
#include "app/page/page.h"

#include <string.h>

bool app_page_write(FILE *out, FILE *data)
{
    static const char mark[] = "@data@";
    const char *place = strstr(app_page_template, mark);
    if (place == NULL || fflush(data) != 0 || ferror(data) || fseek(data, 0, SEEK_SET) != 0)
        return false;
    fwrite(app_page_template, 1, (size_t)(place - app_page_template), out);
    for (int c; (c = getc(data)) != EOF;)
        if (c == '<')
            fputs("\\u003c", out);
        else
            putc(c, out);
    fputs(place + sizeof mark - 1, out);
    return !ferror(data) && !ferror(out);
}

/* json.c - writes JSON that is easy to read for programs and people.
 *
 * The two outer levels are broken into lines and deeper levels stay on one line, so that a list of results has one
 * line per result, which suits diff. The output is always valid JSON in UTF-8, independently of the locale: bytes
 * that are not UTF-8 become U+FFFD. The caller detects failed writes with ferror(out). */
#include "text/json/json.h"

#include <inttypes.h>
#include <math.h>

#include "plumb.h"
#include "text/escape.h"

json_writer json_begin(FILE *out)
{
    return (json_writer){.out = out, .depth = 0, .broken = 2, .first = true};
}

json_writer json_begin_line(FILE *out)
{
    return (json_writer){.out = out, .depth = 0, .broken = 0, .first = true};
}

void json_end(json_writer *w)
{
    fputc('\n', w->out);
}

static void start_line(json_writer *w)
{
    fputc('\n', w->out);
    for (int i = 0; i < w->depth; i++)
        fputs("  ", w->out);
}

/* Writes what precedes a value: comma, line break, key. */
static void start_value(json_writer *w, const char *key)
{
    if (!w->first)
        fputc(',', w->out);
    if (w->depth > 0 && w->depth <= w->broken)
        start_line(w);
    else if (!w->first)
        fputc(' ', w->out);
    if (key != NULL) {
        escape_json(w->out, key);
        fputs(": ", w->out);
    }
    w->first = false;
}

static void open_container(json_writer *w, const char *key, char bracket)
{
    start_value(w, key);
    fputc(bracket, w->out);
    w->depth++;
    w->first = true;
}

static void close_container(json_writer *w, char bracket)
{
    bool broken = !w->first && w->depth <= w->broken;
    w->depth--;
    if (broken)
        start_line(w);
    fputc(bracket, w->out);
    w->first = false;
}

void json_open_object(json_writer *w, const char *key)
{
    open_container(w, key, '{');
}

void json_close_object(json_writer *w)
{
    close_container(w, '}');
}

void json_open_array(json_writer *w, const char *key)
{
    open_container(w, key, '[');
}

void json_close_array(json_writer *w)
{
    close_container(w, ']');
}

void json_string(json_writer *w, const char *key, const char *value)
{
    start_value(w, key);
    if (value == NULL)
        fputs("null", w->out);
    else
        escape_json(w->out, value);
}

void json_int(json_writer *w, const char *key, int64_t value)
{
    start_value(w, key);
    fprintf(w->out, "%" PRId64, value);
}

void json_uint(json_writer *w, const char *key, uint64_t value)
{
    start_value(w, key);
    fprintf(w->out, "%" PRIu64, value);
}

void json_double(json_writer *w, const char *key, double value)
{
    start_value(w, key);
    if (!isfinite(value)) {
        fputs("null", w->out);
        return;
    }
    char text[40]; /* 17 digits, sign, point and exponent, or 26 characters positional */
    if (plumb_number_write(PLUMB_D, &value, 0, text, sizeof text, NULL) == PLUMB_OK)
        fputs(text, w->out);
    else
        fputs("null", w->out);
}

void json_bool(json_writer *w, const char *key, bool value)
{
    start_value(w, key);
    fputs(value ? "true" : "false", w->out);
}

/* json.c - writes JSON that is easy to read for programs and people.
 *
 * The two outer levels are broken into lines and deeper levels stay on one line, so that a list of results has one
 * line per result, which suits diff. The output is always valid JSON in UTF-8, independently of the locale: bytes
 * that are not UTF-8 become U+FFFD. The caller detects failed writes with ferror(out). */
#include "text/json/json.h"

#include <inttypes.h>
#include <math.h>

#include "plumb.h"

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

/* The length of the UTF-8 sequence at s, or 0 if there is none (overlong forms, surrogates and values above 10FFFF
 * are invalid). A terminating 0 stops the scan, because it is not a continuation byte. */
static int utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80)
        return 1;
    int n = s[0] >= 0xc2 && s[0] <= 0xdf ? 2 : (s[0] & 0xf0) == 0xe0 ? 3 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4 : 0;
    for (int i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))
        return 0;
    if ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

static void put_string(FILE *out, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;
    fputc('"', out);
    while (*s != 0) {
        int n = utf8_length(s);
        if (n == 0) {
            fputs("\\ufffd", out);
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            fputc('\\', out);
            fputc(*s, out);
        } else if (*s == '\n') {
            fputs("\\n", out);
        } else if (*s == '\t') {
            fputs("\\t", out);
        } else if (*s == '\r') {
            fputs("\\r", out);
        } else if (*s < 0x20 || *s == 0x7f) {
            fprintf(out, "\\u%04x", *s);
        } else {
            fwrite(s, 1, (size_t)n, out);
        }
        s += n;
    }
    fputc('"', out);
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
        put_string(w->out, key);
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
        put_string(w->out, value);
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

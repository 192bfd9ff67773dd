/* escape.c - see escape.h. */
#include "text/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

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

/* The character of a sequence of that length. */
static uint32_t utf8_code(const unsigned char *s, int length)
{
    static const unsigned char lead[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = s[0] & lead[length];
    for (int i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3f);
    return code;
}

/* How many bytes at s stand for themselves in a JSON string and are ASCII. */
static size_t plain_length(const unsigned char *s)
{
    size_t n = 0;
    while (s[n] >= 0x20 && s[n] < 0x7f && s[n] != '"' && s[n] != '\\')
        n++;
    return n;
}

void escape_json(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('"', out);
    for (;;) {
        const size_t plain = plain_length(s);
        fwrite(s, 1, plain, out);
        s += plain;
        if (*s == 0)
            break;
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

void escape_csv(FILE *out, const char *text)
{
    if (strpbrk(text, ",;\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *s = text; *s != 0; s++)
        fprintf(out, *s == '"' ? "\"\"" : "%c", *s);
    fputc('"', out);
}

void escape_xml(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    for (int n; *s != 0; s += n) {
        n = utf8_length(s);
        if (n == 0) {
            fputs("\xef\xbf\xbd", out);
            n = 1;
        } else if (*s < 0x20 || *s == 0x7f) {
            fputc(' ', out);
        } else if (strchr("<>&\"'", *s) != NULL) {
            fprintf(out, "&#%d;", *s);
        } else {
            fwrite(s, 1, (size_t)n, out);
        }
    }
}

void escape_gnuplot(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    fputc('\'', out);
    for (int n; *s != 0; s += n) {
        n = utf8_length(s);
        if (n == 0) {
            fputc('?', out);
            n = 1;
        } else if (*s < 0x20 || *s == 0x7f) {
            fputc(' ', out);
        } else if (*s == '\'') {
            fputs("''", out);
        } else {
            fwrite(s, 1, (size_t)n, out);
        }
    }
    fputc('\'', out);
}

/* Control characters, and marks that make a terminal show text in another order than it has. */
static bool is_hidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

/* The printable form of the character at s, of which it takes *taken bytes. */
static size_t show(const unsigned char *s, int *taken, char form[12])
{
    const int n = utf8_length(s);
    *taken = n > 0 ? n : 1;
    if (n == 0)
        return (size_t)snprintf(form, 12, "\\x%02x", *s);
    const uint32_t code = utf8_code(s, n);
    if (code == '\n' || code == '\t' || code == '\r')
        return (size_t)snprintf(form, 12, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    if (is_hidden(code))
        return (size_t)snprintf(form, 12, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
    memcpy(form, s, (size_t)n);
    return (size_t)n;
}

/* The length of the printable form. */
static size_t shown_length(const unsigned char *s)
{
    size_t length = 0;
    char form[12];
    for (int taken; *s != 0; s += taken)
        length += show(s, &taken, form);
    return length;
}

char *escape_line(char *out, size_t size, const char *text)
{
    static const char dots[] = "...";
    const unsigned char *s = (const unsigned char *)text;
    size_t left = shown_length(s), used = 0;
    const bool cut = left >= size;
    const size_t head = cut ? (size - sizeof dots) / 2 : left, tail = size - sizeof dots - head;
    enum { HEAD, SKIPPED, TAIL } part = cut ? HEAD : TAIL;
    while (*s != 0) {
        char form[12];
        int taken;
        const size_t length = show(s, &taken, form);
        if (part == HEAD && used + length > head) {
            memcpy(out + used, dots, sizeof dots - 1);
            used += sizeof dots - 1;
            part = SKIPPED;
        }
        if (part == SKIPPED && left <= tail)
            part = TAIL;
        if (part != SKIPPED) {
            memcpy(out + used, form, length);
            used += length;
        }
        left -= length;
        s += taken;
    }
    out[used] = 0;
    return out;
}

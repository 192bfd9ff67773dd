/* help.c - the help of a command, written from its table: names, values, ranges and defaults are those of the parser. */
#include <stdbool.h>
#include <string.h>

#include "app/app.h"
#include "app/command/command.h"

enum { WIDTH = 96, NAMES_WIDTH = 32 };

/* ---- Wrapping ----------------------------------------------------------------------------------------------------- */

/* Writes words of a line of text, broken at WIDTH; the first line begins at column, further ones at indent. */
static void wrap(FILE *out, const char *text, size_t length, int column, int indent)
{
    const char *end = text + length;
    bool first = true;
    while (text < end) {
        const char *space = memchr(text, ' ', (size_t)(end - text));
        int word = (int)((space != NULL ? space : end) - text);
        if (!first && column + 1 + word > WIDTH) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, (size_t)word, out);
        column += word;
        text += word + (space != NULL);
        first = false;
    }
    fputc('\n', out);
}

static void paragraphs(FILE *out, const char *text)
{
    while (*text != 0) {
        size_t length = strcspn(text, "\n");
        if (text[0] == ' ')
            fprintf(out, "%.*s\n", (int)length, text);
        else
            wrap(out, text, length, 0, 0);
        text += length + (text[length] == '\n');
    }
}

/* ---- Options ------------------------------------------------------------------------------------------------------ */

static void append(char *text, size_t size, const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s", more);
}

/* What values are possible, where the table limits them. */
static void append_range(const app_option *o, char *text, size_t size)
{
    char part[64];
    if (o->kind == APP_WORD) {
        for (int i = 0; o->words[i] != NULL; i++) {
            append(text, size, i == 0 ? "" : o->words[i + 1] == NULL ? " or " : ", ");
            append(text, size, o->words[i]);
        }
    } else if (o->kind == APP_COUNT && o->most < 1e12) {
        snprintf(part, sizeof part, "%.0f to %.0f", o->least, o->most);
        append(text, size, part);
    } else if (o->kind == APP_COUNT) {
        snprintf(part, sizeof part, "from %.0f", o->least);
        append(text, size, part);
    } else if (o->kind == APP_REAL) {
        snprintf(part, sizeof part, "%g to %g", o->least, o->most);
        append(text, size, part);
    }
}

/* The default that the parser starts from, as text; false when there is nothing to say. */
static bool default_text(const app_command *command, const app_option *o, char *text, size_t size)
{
    const char *at = command->defaults != NULL ? (const char *)command->defaults + o->offset : NULL;
    bool set = false;
    text[0] = 0;
    if (at == NULL || o->kind == APP_FLAG || o->kind == APP_TEXTS)
        return false;
    switch (o->kind) {
    case APP_COUNT:
        set = *(const int64_t *)at > 0 || (o->unset == NULL && o->least == 0);
        snprintf(text, size, "%lld", (long long)*(const int64_t *)at);
        break;
    case APP_REAL:
        set = *(const double *)at > 0;
        snprintf(text, size, "%g", *(const double *)at);
        break;
    case APP_SEED:
        set = true;
        snprintf(text, size, "%llu", (unsigned long long)*(const uint64_t *)at);
        break;
    case APP_WORD:
        set = *(const int32_t *)at >= 0;
        snprintf(text, size, "%s", set ? o->words[*(const int32_t *)at] : "");
        break;
    default:
        set = *(const char *const *)at != NULL;
        snprintf(text, size, "%s", set ? *(const char *const *)at : "");
    }
    if (!set)
        snprintf(text, size, "%s", o->unset != NULL ? o->unset : "");
    return text[0] != 0;
}

static void option_names(const app_option *o, char *text, size_t size)
{
    char letter[8] = "    ";
    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(text, size, "%s--%s%s%s", letter, o->name, o->value != NULL ? " " : "", o->value != NULL ? o->value : "");
}

void app_option_text(const app_command *command, const app_option *o, char *text, size_t size)
{
    char standard[128], range[256] = "";
    append_range(o, range, sizeof range);
    bool has_default = default_text(command, o, standard, sizeof standard);
    snprintf(text, size, "%s", o->help);
    if (range[0] == 0 && !has_default)
        return;
    append(text, size, " (");
    append(text, size, range);
    append(text, size, range[0] != 0 && has_default ? "; default: " : has_default ? "default: " : "");
    append(text, size, has_default ? standard : "");
    append(text, size, ")");
}

static void list_option(FILE *out, const app_command *command, const app_option *o, int width)
{
    char names[64], text[1024];
    option_names(o, names, sizeof names);
    app_option_text(command, o, text, sizeof text);
    fprintf(out, "  %-*s  ", width, names);
    if ((int)strlen(names) > width)
        fprintf(out, "\n%*s", width + 4, "");
    wrap(out, text, strlen(text), width + 4, width + 4);
}

static int names_width(const app_option *o, int width)
{
    for (; o->name != NULL; o++) {
        char names[64];
        option_names(o, names, sizeof names);
        int length = (int)strlen(names);
        if (length > width && length <= NAMES_WIDTH)
            width = length;
    }
    return width;
}

void app_help(const app_command *command, FILE *out)
{
    const char *line = command->arguments;
    for (int i = 0; *line != 0; i++) {
        size_t length = strcspn(line, "\n");
        fprintf(out, "%s %s %s%s%.*s\n", i == 0 ? "usage:" : "      ", app_program_name, command->name,
                length > 0 ? " " : "", (int)length, line);
        line += length + (line[length] == '\n');
    }
    if (command->arguments[0] == 0)
        fprintf(out, "usage: %s %s\n", app_program_name, command->name);
    fputc('\n', out);
    paragraphs(out, command->about);
    if (command->more != NULL)
        command->more(out);
    fputs("\noptions:\n", out);
    int width = names_width(app_standard_options, names_width(command->options, 0));
    for (const app_option *o = command->options; o->name != NULL; o++)
        list_option(out, command, o, width);
    const app_command standard = {.name = ""};
    for (const app_option *o = app_standard_options; o->name != NULL; o++)
        list_option(out, &standard, o, width);
    if (command->after != NULL) {
        fputc('\n', out);
        paragraphs(out, command->after);
    }
}

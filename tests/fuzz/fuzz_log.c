/* fuzz_log.c - any bytes at all as a path log, and the script that gnuplot would get.
 *
 *     tests/fuzz/run log 60
 *
 * Either there is one message, or there is something to draw; and then every line of the script is a command that this
 * program writes, a number of a data block, or its end. This is what keeps a log from running commands of its own. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "app/plot/plot.h"
#include "messages.h"

const char *plumb_path_text(plumb_path_code code)
{
#define PATH_TEXT(name, text) text,
    static const char *const texts[] = {PLUMB_PATH_LIST(PATH_TEXT)};
#undef PATH_TEXT
    return (int)code >= 0 && code < PLUMB_PATH_CODES ? texts[code] : "unknown code";
}

static bool begins_with(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

static bool is_data(const char *line)
{
    return line[strspn(line, "0123456789+-.einfatyNa ")] == 0;
}

/* A command, with its strings in single quotes. */
static void check_command(const char *line)
{
    static const char *const commands[] = {
        "set terminal svg ", "set encoding ", "set datafile ", "set multiplot", "set label ",    "unset ",
        "set lmargin ",      "set rmargin ",  "set bmargin ",  "set tmargin ",  "set xrange [",  "set yrange [",
        "set key ",          "set border ",   "set tics ",     "set xtics ",    "set ytics ",    "set grid ",
        "set title '",       "set xlabel ",   "set ylabel ",   "set format ",   "set logscale ", "plot NaN"};
    bool known = false, quoted = false;
    for (size_t k = 0; k < sizeof commands / sizeof commands[0]; k++)
        known |= begins_with(line, commands[k]);
    CHECK(known);
    for (const char *s = line; *s != 0; s++) {
        quoted ^= *s == '\'';
        CHECK(quoted || (*s != '"' && *s != '`' && *s != '!' && *s != ';' && *s != '|' && *s != '@'));
        CHECK((unsigned char)*s >= 0x20);
    }
    CHECK(!quoted);
}

static void check_script(char *script)
{
    bool in_data = false;
    for (char *line = script, *end; line != NULL && *line != 0; line = end) {
        end = strchr(line, '\n');
        CHECK(end != NULL);
        *end++ = 0;
        if (in_data && strcmp(line, "END_OF_DATA") == 0)
            in_data = false;
        else if (in_data)
            CHECK(is_data(line));
        else if (line[0] == '$' && strstr(line, " << END_OF_DATA") != NULL && isalpha((unsigned char)line[1]))
            in_data = true;
        else
            check_command(line);
    }
    CHECK(!in_data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    app_plot_data plot;
    char *script = NULL;
    size_t length = 0;
    FILE *log = size > 0 ? fmemopen((void *)(uintptr_t)data, size, "rb") : fopen("/dev/null", "rb");
    CHECK(log != NULL);
    messages = 0;
    int result = app_plot_data_read("track", log, "a log", &plot);
    CHECK((result == APP_OK) == (messages == 0) && messages <= 1);
    fclose(log);
    if (result == APP_OK) {
        FILE *out = open_memstream(&script, &length);
        CHECK(out != NULL && app_plot_draw(out, &plot));
        CHECK(fclose(out) == 0 && strlen(script) == length);
        check_script(script);
        free(script);
    }
    app_plot_data_clear(&plot);
    return 0;
}

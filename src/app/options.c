/* options.c - see options.h. */
#include "app/options.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"

/* A word that is digits only: strtoll alone would let spaces and signs through. */
static bool is_whole(const char *word)
{
    return word[0] != 0 && strspn(word, "0123456789") == strlen(word);
}

static int set_count(const char *command, const cli_option *o, const char *word)
{
    errno = 0;
    long long value = is_whole(word) ? strtoll(word, NULL, 10) : -1;
    if (value < 0 || errno != 0 || (double)value < o->least || (double)value > o->most)
        return cli_misuse(command, "%s: found '%s', expected a whole number from %.0f to %.0f", o->name, word, o->least,
                          o->most);
    *(int64_t *)o->value = value;
    return CLI_OK;
}

static int set_real(const char *command, const cli_option *o, const char *word)
{
    char *end;
    double value = strtod(word, &end);
    if (end == word || *end != 0 || !(value >= o->least && value <= o->most))
        return cli_misuse(command, "%s: found '%s', expected a number from %g to %g", o->name, word, o->least, o->most);
    *(double *)o->value = value;
    return CLI_OK;
}

static int set_seed(const char *command, const cli_option *o, const char *word)
{
    errno = 0;
    unsigned long long value = is_whole(word) ? strtoull(word, NULL, 10) : 0;
    if (!is_whole(word) || errno != 0)
        return cli_misuse(command, "%s: found '%s', expected a whole number below 2^64", o->name, word);
    *(uint64_t *)o->value = value;
    return CLI_OK;
}

static int set_value(const char *command, const cli_option *o, const char *word)
{
    switch (o->kind) {
    case CLI_COUNT:
        return set_count(command, o, word);
    case CLI_REAL:
        return set_real(command, o, word);
    case CLI_SEED:
        return set_seed(command, o, word);
    default:
        *(const char **)o->value = word;
        return CLI_OK;
    }
}

static const cli_option *find(const cli_option *option, const char *name)
{
    for (; option->name != NULL; option++)
        if (strcmp(option->name, name) == 0)
            return option;
    return NULL;
}

int cli_options_parse(const cli_options *options, int argc, char **argv, int *files)
{
    bool only_files = false;
    *files = 0;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_files && strcmp(word, "--") == 0) {
            only_files = true;
        } else if (!only_files && word[0] == '-' && word[1] != 0) {
            const cli_option *o = find(options->option, word);
            if (o == NULL)
                return cli_misuse(options->command, "unknown option '%s'; 'plumb %s --help' lists them", word,
                                  options->command);
            if (o->kind == CLI_FLAG) {
                *(bool *)o->value = true;
                continue;
            }
            if (++i == argc)
                return cli_misuse(options->command, "%s needs a value", word);
            int result = set_value(options->command, o, argv[i]);
            if (result != CLI_OK)
                return result;
        } else if (*files == options->most_files) {
            return cli_misuse(options->command, "unexpected argument '%s'; 'plumb %s --help' shows the usage", word,
                              options->command);
        } else {
            options->file[(*files)++] = word;
        }
    }
    return CLI_OK;
}

int cli_wants_help(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (cli_is_help(argv[i]))
            return 1;
    return 0;
}

int cli_option_prec(const char *command, const char *word, int32_t *prec)
{
    *prec = plumb_prec_from_name(word);
    return *prec != 0 ? CLI_OK : cli_misuse(command, "-p: found '%s', expected d, dd or qd", word);
}

int cli_option_word(const char *command, const char *option, const char *word, const char *const *words, int *index)
{
    char list[128] = "";
    for (*index = 0; words[*index] != NULL; ++*index) {
        if (strcmp(word, words[*index]) == 0)
            return CLI_OK;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s",
                 *index == 0                 ? ""
                 : words[*index + 1] == NULL ? " or "
                                             : ", ",
                 words[*index]);
    }
    return cli_misuse(command, "%s: found '%s', expected %s", option, word, list);
}

int cli_option_backend(const char *command, const char *word, int32_t *backend)
{
    static const char *const names[] = {"auto", "cpu", "gpu", NULL};
    static const int32_t backends[sizeof names / sizeof names[0]] = {PLUMB_BACKEND_AUTO, PLUMB_BACKEND_CPU,
                                                                     PLUMB_BACKEND_GPU};
    int index = 0;
    int result = cli_option_word(command, "--backend", word, names, &index);
    if (result == CLI_OK)
        *backend = backends[index];
    return result;
}

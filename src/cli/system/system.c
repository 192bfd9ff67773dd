/* system.c - plumb system: finds the subcommand; and the files they read and write. */
#include "cli/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "cli/cli.h"

static int help(void)
{
    printf("usage: plumb system COMMAND [OPTIONS]\n"
           "\n"
           "commands:\n"
           "  show     equations, unknowns, degrees, monomials and the Bezout number of a system\n"
           "  convert  write a system in one of its two forms, expanded and in order\n"
           "  random   make a random system of a given shape\n"
           "  family   make a classical system: cyclic, katsura, noon, eco, reimer\n"
           "  start    make a start system of total degree, and its solutions\n"
           "\n"
           "'plumb system COMMAND --help' has the options and their defaults; docs/files.md the format of systems.\n");
    return CLI_OK;
}

int plumb_cli_system(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } commands[] = {{"show", plumb_cli_system_show},
                    {"convert", plumb_cli_system_convert},
                    {"random", plumb_cli_system_random},
                    {"family", plumb_cli_system_family},
                    {"start", plumb_cli_system_start}};
    if (argc < 2)
        return cli_misuse("system", "no command given; 'plumb system --help' lists them");
    if (cli_is_help(argv[1]))
        return help();
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return cli_misuse("system", "found '%s', expected show, convert, random, family or start", argv[1]);
}

/* A text holds no zero bytes, and none of ours is that long. */
static bool may_be_text(const unsigned char *bytes, size_t length)
{
    const size_t most = (size_t)1 << 32;
    return length < most && memchr(bytes, 0, length < 4096 ? length : 4096) == NULL;
}

int cli_system_load(const char *command, const char *path, plumb_system **system)
{
    unsigned char *bytes = NULL;
    size_t length = 0;
    plumb_text_error error;
    *system = NULL;
    int result = cli_bytes_load(command, path, may_be_text, &bytes, &length);
    if (result == CLI_OK) {
        plumb_status status = plumb_system_parse((const char *)bytes, length, system, &error);
        if (status == PLUMB_ERR_MEMORY)
            result = cli_fail(command, "%s: out of memory", cli_input_name(path));
        else if (status != PLUMB_OK)
            result = cli_misuse(NULL, "%s:%lld:%lld: %s", cli_input_name(path), (long long)error.line,
                                (long long)error.column, error.message);
    }
    free(bytes);
    return result;
}

int cli_system_write(const char *command, const plumb_system *system, int32_t form, const char *path,
                     cli_output *output)
{
    size_t needed = 0;
    char *text = NULL;
    plumb_status status = plumb_system_write(system, form, NULL, 0, &needed);
    if (status == PLUMB_ERR_BUFFER) {
        text = malloc(needed);
        status = text != NULL ? plumb_system_write(system, form, text, needed, NULL) : PLUMB_ERR_MEMORY;
    }
    int result = status == PLUMB_OK ? cli_output_open(command, output, path)
                                    : cli_fail(command, "%s", plumb_status_text(status));
    if (result == CLI_OK) {
        fputs(text, output->file); /* a failure is found by the commit */
        if (ferror(output->file))
            result = cli_fail(command, "%s could not be written", path);
    }
    free(text);
    return result;
}

int cli_system_save(const char *command, const plumb_system *system, int32_t form, const char *path)
{
    cli_output output = {.path = NULL};
    int result = cli_system_write(command, system, form, path, &output);
    if (result == CLI_OK)
        result = cli_output_commit(command, &output);
    cli_output_discard(&output);
    return result;
}

int cli_system_form(const char *command, const char *word, int32_t *form)
{
    static const char *const forms[] = {"phc", "plain", NULL};
    int index;
    int result = cli_option_word(command, "--form", word, forms, &index);
    if (result == CLI_OK)
        *form = index == 0 ? PLUMB_SYSTEM_PHC : PLUMB_SYSTEM_PLAIN;
    return result;
}

/* make.c - plumb system random and family. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/options.h"
#include "cli/system/system.h"
#include "text/system/make.h"

static int help_random(void)
{
    printf(
        "usage: plumb system random [OPTIONS]\n"
        "\n"
        "Makes a random system with as many equations as unknowns. Each polynomial has so many distinct monomials, "
        "each\n"
        "of exactly so many unknowns chosen at random with exponents uniform from 1 to the degree; coefficients are\n"
        "random on the complex unit circle, doubles written exactly. A seed gives the same system on every machine.\n"
        "\n"
        "options:\n"
        "  --dim N        equations and unknowns (default: 32)\n"
        "  --monomials N  of each polynomial (default: 32)\n"
        "  --variables N  unknowns of each monomial (default: 5)\n"
        "  --degree N     the largest exponent, to 10000 (default: 5)\n"
        "  --seed S       a whole number below 2^64 (default: 1)\n"
        "  --form FORM    phc or plain (default: phc)\n"
        "  -o FILE        where to (default: -, standard output)\n"
        "  --help         this text\n");
    return CLI_OK;
}

int plumb_cli_system_random(int argc, char **argv)
{
    static const char command[] = "system random";
    int64_t dimension = 32, monomials = 32, variables = 5, degree = 5;
    uint64_t seed = 1;
    const char *output = "-", *word = "phc";
    const cli_option table[] = {{"--dim", CLI_COUNT, &dimension, 1, SYSTEM_MOST_MADE},
                                {"--monomials", CLI_COUNT, &monomials, 1, SYSTEM_MOST_MADE},
                                {"--variables", CLI_COUNT, &variables, 1, SYSTEM_MOST_MADE},
                                {"--degree", CLI_COUNT, &degree, 1, POLY_MOST_EXPONENT},
                                {"--seed", CLI_SEED, &seed, 0, 0},
                                {"--form", CLI_TEXT, &word, 0, 0},
                                {"-o", CLI_TEXT, &output, 0, 0},
                                {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, NULL, 0};
    int files;
    int32_t form;
    if (cli_wants_help(argc, argv))
        return help_random();
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_system_form(command, word, &form);
    if (result != CLI_OK)
        return result;
    if (variables > dimension)
        return cli_misuse(command, "--variables: found %lld, expected at most the %lld of --dim", (long long)variables,
                          (long long)dimension);
    plumb_system *system;
    plumb_status status = plumb_system_random(dimension, monomials, variables, degree, seed, &system);
    if (status == PLUMB_ERR_ARGUMENT)
        return cli_misuse(command, "--monomials: found %lld, expected fewer: there are not that many of %lld unknowns",
                          (long long)monomials, (long long)variables);
    if (status == PLUMB_ERR_SIZE)
        return cli_misuse(command, "found %lld polynomials of %lld monomials, expected at most %d monomials in all",
                          (long long)dimension, (long long)monomials, SYSTEM_MOST_MADE);
    if (status != PLUMB_OK)
        return cli_fail(command, "%s", plumb_status_text(status));
    result = cli_system_save(command, system, form, output);
    plumb_system_destroy(system);
    return result;
}

static int help_family(void)
{
    printf("usage: plumb system family NAME N [OPTIONS]\n"
           "\n"
           "Makes a classical system.\n"
           "\n"
           "names:\n");
    for (const system_family *f = plumb_system_families; f->name != NULL; f++)
        printf("  %-8s  %s; N from %lld to %lld\n", f->name, f->summary, (long long)f->least, (long long)f->most);
    printf("\n"
           "options:\n"
           "  --form FORM  phc or plain (default: phc)\n"
           "  -o FILE      where to (default: -, standard output)\n"
           "  --help       this text\n");
    return CLI_OK;
}

/* The family of that name; NULL after saying which there are. */
static const system_family *find_family(const char *command, const char *name)
{
    char list[128] = "";
    for (const system_family *f = plumb_system_families; f->name != NULL; f++) {
        if (strcmp(name, f->name) == 0)
            return f;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", f->name);
    }
    cli_misuse(command, "found '%s', expected one of %s", name, list);
    return NULL;
}

int plumb_cli_system_family(int argc, char **argv)
{
    static const char command[] = "system family";
    const char *words[2] = {NULL, NULL}, *output = "-", *word = "phc";
    const cli_option table[] = {
        {"--form", CLI_TEXT, &word, 0, 0}, {"-o", CLI_TEXT, &output, 0, 0}, {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {command, table, words, 2};
    int files;
    int32_t form;
    if (cli_wants_help(argc, argv))
        return help_family();
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_system_form(command, word, &form);
    if (result != CLI_OK)
        return result;
    if (files < 2)
        return cli_misuse(command, "expected a name and a number, as in 'cyclic 7'");
    const system_family *family = find_family(command, words[0]);
    if (family == NULL)
        return CLI_MISUSE;
    bool digits = strspn(words[1], "0123456789") == strlen(words[1]) && strlen(words[1]) < 10;
    long long n = digits ? strtoll(words[1], NULL, 10) : -1;
    if (n < family->least || n > family->most)
        return cli_misuse(command, "found '%s', expected a whole number from %lld to %lld for %s", words[1],
                          (long long)family->least, (long long)family->most, family->name);
    plumb_system *system;
    plumb_status status = plumb_system_family_make(family, n, &system);
    if (status != PLUMB_OK)
        return cli_fail(command, "%s", plumb_status_text(status));
    result = cli_system_save(command, system, form, output);
    plumb_system_destroy(system);
    return result;
}

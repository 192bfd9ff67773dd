/* make.c - plumb system random and plumb system family. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "cli/system/system.h"
#include "text/system/make.h"

/* ---- random ------------------------------------------------------------------------------------------------------- */

typedef struct random_words {
    int64_t dimension, monomials, variables, degree;
    uint64_t seed;
    int32_t form;
    const char *output;
} random_words;

static const app_option random_options[] = {
    {'n', "dim", APP_COUNT, offsetof(random_words, dimension), "N", "number of equations and unknowns", NULL, 1,
     SYSTEM_MOST_MADE, NULL},
    {0, "monomials", APP_COUNT, offsetof(random_words, monomials), "N", "monomials per polynomial", NULL, 1,
     SYSTEM_MOST_MADE, NULL},
    {0, "variables", APP_COUNT, offsetof(random_words, variables), "N", "unknowns per monomial", NULL, 1,
     SYSTEM_MOST_MADE, NULL},
    {0, "degree", APP_COUNT, offsetof(random_words, degree), "N", "largest exponent", NULL, 1, POLY_MOST_EXPONENT,
     NULL},
    APP_SEED_OPTION(random_words, seed, "of the system"),
    SYSTEM_FORM(random_words, form),
    APP_OUTPUT_OPTION(random_words, output, "write to FILE (.phc, .sol or .txt); - is standard output", NULL),
    APP_OPTIONS_END,
};

static const random_words random_defaults = {
    .dimension = 32, .monomials = 32, .variables = 5, .degree = 5, .seed = 1, .form = -1, .output = "-"};

static int make_random(const void *values)
{
    static const char command[] = "system random";
    const random_words *w = values;
    app_format format;
    int result = system_format(command, w->form, w->output, &format);
    if (result != APP_OK)
        return result;
    if (w->variables > w->dimension)
        return app_misuse(command, "--variables: found %lld, expected at most %lld, the value of --dim",
                          (long long)w->variables, (long long)w->dimension);
    plumb_system *system;
    plumb_status status = plumb_system_random(w->dimension, w->monomials, w->variables, w->degree, w->seed, &system);
    if (status == PLUMB_ERR_ARGUMENT)
        return app_misuse(command, "--monomials: found %lld, expected fewer: there are not that many of %lld unknowns",
                          (long long)w->monomials, (long long)w->variables);
    if (status == PLUMB_ERR_SIZE)
        return app_misuse(command, "found %lld polynomials of %lld monomials, expected at most %d monomials in all",
                          (long long)w->dimension, (long long)w->monomials, SYSTEM_MOST_MADE);
    if (status != PLUMB_OK)
        return app_fail(command, "%s", plumb_status_text(status));
    result = app_system_save(command, system, format, w->output);
    plumb_system_destroy(system);
    return result;
}

const app_command plumb_cli_system_random = {
    .name = "system random",
    .summary = "make a random system of a given shape",
    .arguments = "[OPTIONS]",
    .about =
        "Makes a random system with as many equations as unknowns. Every polynomial has the given number of distinct "
        "monomials; every monomial has the given number of unknowns, chosen at random, with exponents uniform from 1 "
        "to "
        "the degree. Coefficients are random on the complex unit circle, doubles written exactly. A seed gives the "
        "same "
        "system on every machine.",
    .options = random_options,
    .defaults = &random_defaults,
    .size = sizeof random_defaults,
    .run = make_random,
};

/* ---- family ------------------------------------------------------------------------------------------------------- */

typedef struct family_words {
    const char *file[2]; /* the name and the number */
    int32_t form;
    const char *output;
} family_words;

static const app_option family_options[] = {
    SYSTEM_FORM(family_words, form),
    APP_OUTPUT_OPTION(family_words, output, "write to FILE (.phc, .sol or .txt); - is standard output", NULL),
    APP_OPTIONS_END,
};

static const family_words family_defaults = {.form = -1, .output = "-"};

/* The family of that name; otherwise NULL, and a line that lists the names. */
static const system_family *find_family(const char *command, const char *name)
{
    char list[128] = "";
    for (const system_family *f = plumb_system_families; f->name != NULL; f++) {
        if (strcmp(name, f->name) == 0)
            return f;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "", f->name);
    }
    app_misuse(command, "found '%s', expected one of %s", name, list);
    return NULL;
}

static int make_family(const void *values)
{
    static const char command[] = "system family";
    const family_words *w = values;
    app_format format;
    int result = system_format(command, w->form, w->output, &format);
    if (result != APP_OK)
        return result;
    const system_family *family = find_family(command, w->file[0]);
    if (family == NULL)
        return APP_MISUSE;
    const char *number = w->file[1];
    bool digits = strspn(number, "0123456789") == strlen(number) && strlen(number) < 10;
    long long n = digits ? strtoll(number, NULL, 10) : -1;
    if (n < family->least || n > family->most)
        return app_misuse(command, "found '%s', expected a whole number from %lld to %lld for %s", number,
                          (long long)family->least, (long long)family->most, family->name);
    plumb_system *system;
    plumb_status status = plumb_system_family_make(family, n, &system);
    if (status != PLUMB_OK)
        return app_fail(command, "%s", plumb_status_text(status));
    result = app_system_save(command, system, format, w->output);
    plumb_system_destroy(system);
    return result;
}

static void list_families(FILE *out)
{
    fputs("\nnames:\n", out);
    for (const system_family *f = plumb_system_families; f->name != NULL; f++)
        fprintf(out, "  %-8s  %s; N from %lld to %lld\n", f->name, f->summary, (long long)f->least, (long long)f->most);
}

static const char *const family_files[] = {"NAME", "N", NULL};

const app_command plumb_cli_system_family = {
    .name = "system family",
    .summary = "make a classical system: cyclic, katsura, noon, eco, reimer",
    .arguments = "NAME N [OPTIONS]",
    .about = "Makes the classical system NAME of size N.",
    .more = list_families,
    .options = family_options,
    .defaults = &family_defaults,
    .size = sizeof family_defaults,
    .least_files = 2,
    .most_files = 2,
    .file_names = family_files,
    .files = offsetof(family_words, file),
    .only_words = true,
    .run = make_family,
};

/* show.c - plumb system show and convert: what a system is, and the system itself. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/options.h"
#include "cli/system/system.h"
#include "model/program/program.h"
#include "text/json/json.h"

/* What show tells of a system. */
typedef struct system_facts {
    int64_t terms;
    int64_t most_factors;        /* unknowns of the largest monomial */
    bool real;                   /* all coefficients */
    char *bezout;                /* NULL when there is none */
    int64_t products, sum_terms; /* of complex numbers, in an evaluation with the Jacobian */
} system_facts;

static bool find_facts(const plumb_system *s, system_facts *facts)
{
    *facts = (system_facts){.terms = s->equation[s->equations], .real = true};
    for (int64_t i = 0; i < facts->terms; i++) {
        facts->real = facts->real && mpq_sgn(s->terms[i].im) == 0;
        if (s->terms[i].count > facts->most_factors)
            facts->most_factors = s->terms[i].count;
    }
    const eval_program *program;
    if (plumb_program_of(s, &program) != PLUMB_OK)
        return false;
    facts->products = program->products;
    facts->sum_terms = program->sum_terms;
    mpz_t bezout;
    mpz_init(bezout);
    bool good = true;
    if (plumb_system_bezout(s, bezout)) {
        facts->bezout = malloc(mpz_sizeinbase(bezout, 10) + 2);
        good = facts->bezout != NULL;
        if (good)
            mpz_get_str(facts->bezout, 10, bezout);
    }
    mpz_clear(bezout);
    return good;
}

static void show_json(const plumb_system *s, const system_facts *facts)
{
    json_writer w = json_begin(stdout);
    json_open_object(&w, NULL);
    json_int(&w, "equations", s->equations);
    json_int(&w, "unknowns", s->unknowns);
    json_open_array(&w, "names");
    for (int64_t i = 0; i < s->unknowns; i++)
        json_string(&w, NULL, s->names[i]);
    json_close_array(&w);
    json_open_array(&w, "degrees");
    for (int64_t i = 0; i < s->equations; i++)
        json_int(&w, NULL, plumb_system_degree(s, i));
    json_close_array(&w);
    json_open_array(&w, "monomials");
    for (int64_t i = 0; i < s->equations; i++)
        json_int(&w, NULL, plumb_system_terms(s, i));
    json_close_array(&w);
    json_int(&w, "most_unknowns_in_a_monomial", facts->most_factors);
    json_string(&w, "coefficients", facts->real ? "real" : "complex");
    json_string(&w, "bezout", facts->bezout);
    json_int(&w, "products", facts->products);
    json_int(&w, "sum_terms", facts->sum_terms);
    json_close_object(&w);
    json_end(&w);
}

/* A list of numbers, equal neighbours as "5 (3x)". */
static void show_list(const char *label, const plumb_system *s,
                      int64_t (*value)(const plumb_system *system, int64_t equation))
{
    printf("%-14s", label);
    for (int64_t i = 0; i < s->equations;) {
        int64_t this = value(s, i), same = i;
        while (same < s->equations && value(s, same) == this)
            same++;
        printf("%s%lld", i > 0 ? ", " : "", (long long)this);
        if (same - i > 1)
            printf(" (%lldx)", (long long)(same - i));
        i = same;
    }
    putchar('\n');
}

static void show_text(const plumb_system *s, const system_facts *facts)
{
    enum { SOME = 12 };
    printf("%-14s%lld\n", "equations", (long long)s->equations);
    printf("%-14s%lld:", "unknowns", (long long)s->unknowns);
    for (int64_t i = 0; i < s->unknowns; i++)
        if (i < SOME || i == s->unknowns - 1)
            printf("%s %s", i > 0 ? "," : "", s->names[i]);
        else if (i == SOME)
            printf(", ...");
    putchar('\n');
    show_list("degrees", s, plumb_system_degree);
    show_list("monomials", s, plumb_system_terms);
    printf("%-14s%lld monomials of at most %lld unknowns\n", "in all", (long long)facts->terms,
           (long long)facts->most_factors);
    printf("%-14s%s\n", "coefficients", facts->real ? "real" : "complex");
    printf("%-14s%s\n", "Bezout number",
           facts->bezout != NULL         ? facts->bezout
           : s->equations != s->unknowns ? "- (not as many equations as unknowns)"
                                         : "- (an equation is zero)");
    printf("%-14s%lld products and %lld terms of sums, with the Jacobian\n", "evaluation", (long long)facts->products,
           (long long)facts->sum_terms);
}

static int help_show(void)
{
    printf("usage: plumb system show SYSTEM [--json]\n"
           "\n"
           "Reads a polynomial system ('-': standard input) and tells its equations, unknowns, degrees, monomials and\n"
           "Bezout number (the product of the degrees, exact). The degree of a zero polynomial is -1.\n"
           "\n"
           "options:\n"
           "  --json  JSON (default: text to read)\n"
           "  --help  this text\n");
    return CLI_OK;
}

int plumb_cli_system_show(int argc, char **argv)
{
    bool json = false;
    const char *path = NULL;
    const cli_option table[] = {{"--json", CLI_FLAG, &json, 0, 0}, {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {"system show", table, &path, 1};
    int files;
    if (cli_wants_help(argc, argv))
        return help_show();
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result != CLI_OK)
        return result;
    if (files == 0)
        return cli_misuse("system show", "no system given");
    plumb_system *system;
    system_facts facts = {.bezout = NULL};
    result = cli_system_load("system show", path, &system);
    if (result == CLI_OK && !find_facts(system, &facts))
        result = cli_fail("system show", "out of memory");
    if (result == CLI_OK && json)
        show_json(system, &facts);
    else if (result == CLI_OK)
        show_text(system, &facts);
    free(facts.bezout);
    plumb_system_destroy(system);
    return result;
}

static int help_convert(void)
{
    printf("usage: plumb system convert SYSTEM [OPTIONS]\n"
           "\n"
           "Reads a polynomial system ('-': standard input) and writes it expanded, equal monomials merged, terms in\n"
           "order, coefficients exact.\n"
           "\n"
           "options:\n"
           "  --form FORM  phc: PHCpack's, with the number of equations first; plain: one polynomial a line\n"
           "               (default: phc)\n"
           "  -o FILE      where to (default: -, standard output)\n"
           "  --help       this text\n");
    return CLI_OK;
}

int plumb_cli_system_convert(int argc, char **argv)
{
    const char *path = NULL, *output = "-", *word = "phc";
    const cli_option table[] = {
        {"--form", CLI_TEXT, &word, 0, 0}, {"-o", CLI_TEXT, &output, 0, 0}, {NULL, CLI_FLAG, NULL, 0, 0}};
    const cli_options options = {"system convert", table, &path, 1};
    int files;
    int32_t form;
    if (cli_wants_help(argc, argv))
        return help_convert();
    int result = cli_options_parse(&options, argc, argv, &files);
    if (result == CLI_OK)
        result = cli_system_form("system convert", word, &form);
    if (result != CLI_OK)
        return result;
    if (files == 0)
        return cli_misuse("system convert", "no system given");
    plumb_system *system;
    result = cli_system_load("system convert", path, &system);
    if (result == CLI_OK)
        result = cli_system_save("system convert", system, form, output);
    plumb_system_destroy(system);
    return result;
}

/* show.c - plumb system show, which describes a system, and plumb system convert, which writes it. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "app/app.h"
#include "app/report.h"
#include "cli/system/system.h"
#include "model/program/program.h"
#include "solver/multihomogeneous/groups.h"

/* What plumb system show reports. */
typedef struct system_facts {
    int64_t terms;
    int64_t most_factors;        /* unknowns of the largest monomial */
    bool real;                   /* all coefficients */
    char *bezout;                /* NULL when there is none */
    unknown_groups groups;       /* without a group when there are none */
    int64_t products, sum_terms; /* of complex numbers, in an evaluation with the Jacobian */
    bool measured;               /* whether the next two are known */
    plumb_mixed_report nonzero, stable;
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
    plumb_status status = facts->bezout != NULL ? plumb_groups_find(s, &facts->groups) : PLUMB_OK;
    return good && (status == PLUMB_OK || status == PLUMB_ERR_SIZE);
}

/* Computes the two mixed volumes, unless the system is not square. */
static int find_volumes(const plumb_system *s, int64_t threads, system_facts *facts)
{
    static const char command[] = "system show";
    plumb_context_options settings;
    plumb_context *context = NULL;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    settings.threads = (int32_t)threads;
    if (s->equations != s->unknowns)
        return APP_OK;
    int result = app_context_create(command, &settings, &context);
    plumb_mixed_options options;
    plumb_mixed_options_init(&options);
    for (int k = 0; result == APP_OK && k < 2; k++) {
        options.kind = k == 0 ? PLUMB_MIXED_NONZERO : PLUMB_MIXED_STABLE;
        plumb_status status = plumb_mixed_volume(context, s, &options, k == 0 ? &facts->nonzero : &facts->stable);
        if (status != PLUMB_OK)
            result = app_context_fail(command, context, status);
    }
    facts->measured = result == APP_OK;
    plumb_context_destroy(context);
    return result;
}

static bool groups_are_counted(const system_facts *facts)
{
    return facts->groups.count > 0 && facts->groups.paths < INT64_MAX;
}

static void show_json(const plumb_system *s, const system_facts *facts)
{
    json_writer w = app_report_begin(stdout, "system show");
    json_int(&w, "equations", s->equations);
    app_report_unknowns(&w, s);
    json_int(&w, "denominators", plumb_system_denominators(s));
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
    if (groups_are_counted(facts))
        json_int(&w, "multihomogeneous", facts->groups.paths);
    else
        json_string(&w, "multihomogeneous", NULL);
    json_open_array(&w, "groups");
    for (int64_t i = 0; i < s->unknowns && groups_are_counted(facts); i++)
        json_int(&w, NULL, facts->groups.of[i] + 1);
    json_close_array(&w);
    if (facts->measured) {
        json_int(&w, "mixed_volume", facts->nonzero.volume);
        json_int(&w, "stable_mixed_volume", facts->stable.volume);
    } else {
        json_string(&w, "mixed_volume", NULL);
        json_string(&w, "stable_mixed_volume", NULL);
    }
    json_int(&w, "products", facts->products);
    json_int(&w, "sum_terms", facts->sum_terms);
    app_report_end(&w);
}

/* Shows a list of numbers; three equal neighbours are shown as "5 (3x)". */
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

/* The groups of unknowns with the smallest bound: "9 with the groups {a}, {b, c}". */
static void show_groups(const plumb_system *s, const unknown_groups *groups)
{
    enum { SOME = 40 };
    int64_t shown = 0;
    printf("%-14s%lld: bounds the isolated solutions, with groups ", "", (long long)groups->paths);
    for (int32_t j = 0; j < groups->count && shown < SOME; j++) {
        const char *before = j > 0 ? ", {" : "{";
        for (int64_t u = 0; u < s->unknowns && shown < SOME; u++)
            if (groups->of[u] == j) {
                printf("%s%s", before, s->names[u]);
                before = ", ";
                shown++;
            }
        putchar('}');
    }
    puts(shown < s->unknowns ? ", ..." : "");
}

static void show_text(const plumb_system *s, const system_facts *facts, bool volumes)
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
    if (plumb_system_denominators(s) > 0)
        printf("%-14s%lld: what follows is about the numerators\n", "denominators",
               (long long)plumb_system_denominators(s));
    show_list("degrees", s, plumb_system_degree);
    show_list("monomials", s, plumb_system_terms);
    printf("%-14s%lld monomials of at most %lld unknowns\n", "in all", (long long)facts->terms,
           (long long)facts->most_factors);
    printf("%-14s%s\n", "coefficients", facts->real ? "real" : "complex");
    printf("%-14s%s\n", "Bezout number",
           facts->bezout != NULL         ? facts->bezout
           : s->equations != s->unknowns ? "- (not as many equations as unknowns)"
                                         : "- (an equation is zero)");
    if (groups_are_counted(facts) && facts->groups.count > 1)
        show_groups(s, &facts->groups);
    if (facts->measured) {
        printf("%-14s%lld: bounds the solutions without zero coordinates\n", "mixed volume",
               (long long)facts->nonzero.volume);
        printf("%-14s%lld: bounds all isolated solutions (stable mixed volume)\n", "", (long long)facts->stable.volume);
    } else if (volumes) {
        printf("%-14s- (not as many equations as unknowns)\n", "mixed volume");
    }
    printf("%-14s%lld products and %lld terms of sums, with the Jacobian\n", "evaluation", (long long)facts->products,
           (long long)facts->sum_terms);
}

typedef struct show_words {
    const char *file[1];
    app_texts equations;
    int64_t threads;
    bool volumes, json;
} show_words;

static const app_option show_options[] = {
    APP_EQUATIONS(show_words, equations),
    {0, "mixed-volume", APP_FLAG, offsetof(show_words, volumes), NULL,
     "compute the mixed volume and the stable mixed volume, which can take long for large systems", NULL, 0, 0, NULL},
    APP_THREADS(show_words, threads),
    APP_JSON(show_words, json),
    APP_OPTIONS_END,
};
static const show_words show_defaults = {.json = false};
static const char *const file_names[] = {"SYSTEM", NULL};

static int show(const void *values)
{
    const show_words *words = values;
    plumb_system *system;
    system_facts facts = {.bezout = NULL};
    int result = app_system_get("system show", words->file[0], &words->equations, &system);
    if (result == APP_OK && !find_facts(system, &facts))
        result = app_fail("system show", "out of memory");
    if (result == APP_OK && words->volumes)
        result = find_volumes(system, words->threads, &facts);
    if (result == APP_OK && words->json)
        show_json(system, &facts);
    else if (result == APP_OK)
        show_text(system, &facts, words->volumes);
    free(facts.bezout);
    plumb_groups_clear(&facts.groups);
    plumb_system_destroy(system);
    return result;
}

const app_command plumb_cli_system_show = {
    .name = "system show",
    .summary = "show equations, unknowns, degrees, monomials and the Bezout number",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]",
    .about = "Reads a polynomial system (- is standard input; PHCpack's form, plain equations, or an input file of "
             "Bertini or "
             "msolve, recognised by content) and shows its equations, unknowns, degrees, monomials "
             "and Bezout "
             "number (the product of the degrees, exact). If the number of isolated solutions has a smaller bound with "
             "groups "
             "of unknowns (the multi-homogeneous Bezout number), it shows these, too. The degree of a zero polynomial "
             "is -1. "
             "With --mixed-volume it "
             "also shows the mixed volume, which bounds the number of isolated solutions without zero coordinates, and "
             "the stable mixed volume, which bounds the number of all isolated solutions. Both are exact, and both are "
             "the number of these solutions if the coefficients are in general position.",
    .options = show_options,
    .defaults = &show_defaults,
    .size = sizeof show_defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(show_words, file),
    .run = show,
};

/* ---- convert ------------------------------------------------------------------------------------------------------ */

typedef struct convert_words {
    const char *file[1];
    app_texts equations;
    int32_t form;
    const char *output;
} convert_words;

static const app_option convert_options[] = {
    APP_EQUATIONS(convert_words, equations),
    SYSTEM_FORM(convert_words, form),
    APP_OUTPUT_OPTION(convert_words, output, "write to FILE (.phc, .sol or .txt); - is standard output", NULL),
    APP_OPTIONS_END,
};

static const convert_words convert_defaults = {.form = -1, .output = "-"};

static int convert(const void *values)
{
    const convert_words *words = values;
    plumb_system *system = NULL;
    app_format format;
    int result = system_format("system convert", words->form, words->output, &format);
    if (result == APP_OK)
        result = app_system_get("system convert", words->file[0], &words->equations, &system);
    if (result == APP_OK)
        result = app_system_save("system convert", system, format, words->output);
    plumb_system_destroy(system);
    return result;
}

const app_command plumb_cli_system_convert = {
    .name = "system convert",
    .summary = "write a system expanded and in order, in one of its two forms",
    .arguments = "SYSTEM [OPTIONS]\n"
                 "-e EQ [-e EQ]... [OPTIONS]",
    .about = "Reads a polynomial system (- is standard input; PHCpack's form, plain equations, or an input file of "
             "Bertini or "
             "msolve, recognised by content) and writes it expanded, with equal monomials merged, terms in "
             "order and coefficients exact.",
    .options = convert_options,
    .defaults = &convert_defaults,
    .size = sizeof convert_defaults,
    .least_files = 1,
    .most_files = 1,
    .file_names = file_names,
    .files = offsetof(convert_words, file),
    .run = convert,
};

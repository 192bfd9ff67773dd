/* answers.c - solves systems for the campaign answers.py by calling plumb_solve, many of them in one process.
 *
 * Each request on standard input is a line "SEED REAL POSITIVE NONZERO COUNT", followed by COUNT lines with one equation each. The answer
 * is one line of JSON: the status of the call and its message, the report, and the solutions with all limbs as hexadecimal numbers. The
 * program ends with its input. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plumb.h"

enum { MOST_EQUATIONS = 64 };

static bool read_line(char **line, size_t *size)
{
    ssize_t length = getline(line, size, stdin);
    if (length <= 0)
        return false;
    if ((*line)[length - 1] == '\n')
        (*line)[length - 1] = 0;
    return true;
}

static void print_failure(plumb_status status, const char *message)
{
    printf("{\"status\": %d, \"message\": \"", (int)status);
    for (; *message; message++)
        if (*message != '"' && *message != '\\' && *message != '\n')
            putchar(*message);
    printf("\"}\n");
}

static void print_part(const plumb_view *x, int64_t row, int part)
{
    putchar('[');
    for (int limb = 0; limb < x->prec; limb++)
        printf("%s\"%a\"", limb ? ", " : "", x->data[(part * x->prec + limb) * x->plane + row]);
    putchar(']');
}

static plumb_status print_solution(const plumb_solutions *solutions, int64_t k)
{
    plumb_view x;
    double *data = NULL;
    int64_t unknowns = plumb_solutions_unknowns(solutions), doubles = 0;
    int32_t prec = plumb_solutions_prec(solutions);
    plumb_solution_record record;
    plumb_status status = plumb_view_init(&x, NULL, PLUMB_HOST, prec, PLUMB_COMPLEX, unknowns, 1, 1, &doubles);
    if (status != PLUMB_OK)
        return status;
    data = malloc((size_t)(doubles ? doubles : 1) * sizeof *data);
    if (!data)
        return PLUMB_ERR_MEMORY;
    x.data = data;
    status = plumb_solutions_get(solutions, k, &x);
    if (status == PLUMB_OK)
        status = plumb_solutions_get_record(solutions, k, &record);
    if (status != PLUMB_OK)
        goto done;
    printf("%s{\"kind\": %d, \"multiplicity\": %" PRId64
           ", \"real\": %d, \"err\": \"%a\", \"residual\": \"%a\", \"prec\": %d, \"x\": [",
           k ? ", " : "", (int)record.kind, record.multiplicity, (int)record.real, record.error, record.residual,
           (int)(record.prec ? record.prec : prec));
    for (int64_t i = 0; i < unknowns; i++) {
        printf("%s[", i ? ", " : "");
        print_part(&x, i, 0);
        printf(", ");
        print_part(&x, i, 1);
        putchar(']');
    }
    printf("]}");
done:
    free(data);
    return status;
}

static plumb_status print_answer(const plumb_solutions *solutions)
{
    plumb_solve_report report;
    plumb_status status = plumb_solutions_report(solutions, &report);
    if (status != PLUMB_OK)
        return status;
    printf("{\"status\": 0, \"paths\": {\"total\": %" PRId64 ", \"regular\": %" PRId64 ", \"singular\": %" PRId64
           ", \"infinite\": %" PRId64,
           report.paths, report.regular, report.singular, report.infinite);
    printf(", \"not_isolated\": %" PRId64 ", \"extraneous\": %" PRId64 ", \"undecided\": %" PRId64
           ", \"failed\": %" PRId64,
           report.not_isolated, report.extraneous, report.undecided, report.failed);
    printf("}, \"unknowns\": [");
    for (int64_t i = 0; i < plumb_solutions_unknowns(solutions); i++)
        printf("%s\"%s\"", i ? ", " : "", plumb_solutions_name(solutions, i));
    printf("], \"solutions\": [");
    for (int64_t k = 0; status == PLUMB_OK && k < plumb_solutions_count(solutions); k++)
        status = print_solution(solutions, k);
    printf("]}\n");
    return status;
}

int main(void)
{
    char *line = NULL, *texts[MOST_EQUATIONS] = {NULL};
    size_t size = 0, sizes[MOST_EQUATIONS] = {0};
    plumb_context *context = NULL;
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    settings.threads = 1;
    plumb_status status = plumb_context_create(&settings, &context);
    while (status == PLUMB_OK && read_line(&line, &size)) {
        plumb_solve_options options;
        plumb_system *system = NULL;
        plumb_solutions *solutions = NULL;
        plumb_text_error where;
        int count = 0;
        plumb_solve_options_init(&options);
        char *rest = line;
        options.seed = strtoull(rest, &rest, 10);
        options.real = (int32_t)strtol(rest, &rest, 10);
        options.positive = (int32_t)strtol(rest, &rest, 10);
        options.nonzero = (int32_t)strtol(rest, &rest, 10);
        count = (int)strtol(rest, &rest, 10);
        if (*rest > ' ' || count < 1 || count > MOST_EQUATIONS) {
            fprintf(stderr, "answers: found '%s', expected SEED REAL POSITIVE NONZERO COUNT\n", line);
            status = PLUMB_ERR_PARSE;
            break;
        }
        for (int e = 0; e < count; e++)
            if (!read_line(&texts[e], &sizes[e]))
                status = PLUMB_ERR_PARSE;
        if (status != PLUMB_OK)
            break;
        plumb_status solved = plumb_system_parse_equations((const char *const *)texts, count, &system, &where);
        if (solved != PLUMB_OK) {
            print_failure(solved, where.message);
        } else {
            solved = plumb_solve(context, system, &options, &solutions);
            if (solved != PLUMB_OK)
                print_failure(solved, plumb_context_message(context));
            else
                status = print_answer(solutions);
        }
        plumb_solutions_destroy(solutions);
        plumb_system_destroy(system);
        fflush(stdout);
    }
    plumb_context_destroy(context);
    free(line);
    for (int e = 0; e < MOST_EQUATIONS; e++)
        free(texts[e]);
    return status == PLUMB_OK ? 0 : 1;
}

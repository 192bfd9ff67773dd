/* solve.c - finds all solutions of a polynomial system, and prints the real ones with 40 digits. */
#include <plumb.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints the unknowns of a real solution. */
static plumb_status print_solution(plumb_context *context, const plumb_solutions *solutions, int64_t k)
{
    const int64_t unknowns = plumb_solutions_unknowns(solutions);
    plumb_view x;
    plumb_status status =
        plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, unknowns, 1, 1, &x); /* one column */
    if (status != PLUMB_OK)
        return status;
    status = plumb_solutions_get(solutions, k, &x);
    for (int64_t i = 0; i < unknowns && status == PLUMB_OK; i++) {
        double limbs[PLUMB_QD];
        char text[100];
        for (int c = 0; c < PLUMB_QD; c++) /* limb c of the real parts is plane c of the array */
            limbs[c] = x.data[c * x.plane + i];
        status = plumb_number_write(PLUMB_QD, limbs, 40, text, sizeof text, NULL);
        if (status == PLUMB_OK)
            printf("  %s = %s\n", plumb_solutions_name(solutions, i), text);
    }
    plumb_array_destroy(context, &x);
    return status;
}

static plumb_status print_solutions(plumb_context *context, const plumb_solutions *solutions)
{
    plumb_solve_report report;
    plumb_status status = plumb_solutions_report(solutions, &report);
    for (int64_t k = 0; k < plumb_solutions_count(solutions) && status == PLUMB_OK; k++) {
        plumb_solution_record record;
        status = plumb_solutions_get_record(solutions, k, &record);
        if (status != PLUMB_OK || !record.real)
            continue;
        printf("solution %lld, multiplicity %lld\n", (long long)k + 1, (long long)record.multiplicity);
        status = print_solution(context, solutions, k);
    }
    if (status == PLUMB_OK) {
        char line[256];
        printf("%lld solutions, %lld of them real\n", (long long)report.distinct, (long long)report.real);
        if (plumb_solve_verdict(&report, line, sizeof line) != PLUMB_SOLVE_COMPLETE)
            printf("incomplete: %s\n", line);
    }
    return status;
}

int main(void)
{
    const char *const equations[] = {"x^2 + y^2 = 3", "x^2*y - y^3/3 = 1"};
    plumb_context *context = NULL;
    plumb_system *system = NULL;
    plumb_solutions *solutions = NULL;
    plumb_text_error error;
    plumb_solve_options options;
    plumb_solve_options_init(&options);
    options.digits = 40;
    plumb_status status = plumb_context_create(NULL, &context);
    if (status != PLUMB_OK) {
        fprintf(stderr, "%s\n", plumb_last_message());
        return EXIT_FAILURE;
    }
    status = plumb_system_parse_equations(equations, 2, &system, &error);
    if (status != PLUMB_OK)
        fprintf(stderr, "equation %d: %s\n", (int)error.line, error.message);
    if (status == PLUMB_OK) {
        status = plumb_solve(context, system, &options, &solutions);
        if (status == PLUMB_OK)
            status = print_solutions(context, solutions);
        if (status != PLUMB_OK)
            fprintf(stderr, "%s\n", plumb_context_message(context));
    }
    plumb_solutions_destroy(solutions);
    plumb_system_destroy(system);
    plumb_context_destroy(context);
    return status == PLUMB_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* main.c - the program plumb-bench: its commands. */
#include "app/command/completion.h"
#include "bench/bench.h"
#include "bench/common/script.h"

/* table, compare and check read results, which bench/report does; argv[0] is the command. */
static int run_script(int argc, char **argv)
{
    (void)argc;
    return bench_script_become(argv[0], (const char *const *)argv);
}

static const app_command table_command = {
    .name = "table", .summary = "write Markdown tables from results", .pass_on = run_script};
static const app_command compare_command = {
    .name = "compare",
    .summary = "put two results of one benchmark side by side, and mark what became slower",
    .pass_on = run_script};
static const app_command check_command = {
    .name = "check", .summary = "check that results are complete and accurate", .pass_on = run_script};

static int completion(const void *values);
static const app_command completion_command = APP_COMPLETION_COMMAND(completion);

static const app_command *const commands[] = {&bench_arith_command,
                                              &bench_lsq_command,
                                              &bench_gemm_command,
                                              &bench_eval_command,
                                              &bench_newton_command,
                                              &bench_track_command,
                                              &bench_parameters_command,
                                              &bench_solve_command,
                                              &bench_accuracy_command,
                                              &bench_paper_command,
                                              &table_command,
                                              &compare_command,
                                              &check_command,
                                              &completion_command,
                                              NULL};

static const app_program program = {
    .name = "plumb-bench",
    .about = "plumb-bench - benchmarks of plumb, compared with other libraries and the limits of the machine",
    .commands = commands,
    .after = "'plumb bench COMMAND' runs the same. With --json or -o FILE.json each benchmark writes its results for\n"
             "table, compare and check.\n"};

static int completion(const void *values)
{
    const app_completion_words *words = values;
    return app_completion(&program, words->file[0]);
}

int main(int argc, char **argv)
{
    return app_main(&program, argc, argv);
}

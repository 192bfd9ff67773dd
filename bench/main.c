/* main.c - the program plumb-bench: finds the benchmark and runs it. */
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "app/app.h"

static int help(void)
{
    printf("usage: plumb bench arith [OPTIONS]\n"
           "       plumb bench lsq [OPTIONS]\n"
           "       plumb bench eval [OPTIONS]\n"
           "       plumb bench newton [OPTIONS]\n"
           "       plumb bench track [OPTIONS]\n"
           "       plumb bench accuracy [OPTIONS]\n"
           "       plumb bench paper [OPTIONS]\n"
           "       plumb bench table [OPTIONS] FILE...\n"
           "\n"
           "  arith     time the arithmetic on one core, next to other libraries and to what the machine can issue\n"
           "  lsq       time least squares on one core, next to other libraries\n"
           "  eval      time the evaluation of polynomial systems with their Jacobians, next to other libraries\n"
           "  newton    time Newton steps on a polynomial system\n"
           "  track     time Newton steps and path tracking on a GPU and on the processor\n"
           "  accuracy  how exact QR is on random matrices with entries of extreme sizes\n"
           "  paper     rerun the experiments of Verschelde and Yoffe (2013) and write a page with their numbers "
           "beside ours\n"
           "  table     write Markdown tables from the files the others make with --json\n"
           "\n"
           "'plumb bench arith --help' and so on list their options.\n");
    return CLI_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2)
        return cli_misuse("bench", "what shall be measured? 'plumb bench --help' lists it");
    if (cli_is_help(argv[1]))
        return help();
    if (strcmp(argv[1], "arith") == 0)
        return plumb_cli_bench_arith(argc - 1, argv + 1);
    if (strcmp(argv[1], "lsq") == 0)
        return plumb_cli_bench_lsq(argc - 1, argv + 1);
    if (strcmp(argv[1], "eval") == 0)
        return plumb_cli_bench_eval(argc - 1, argv + 1);
    if (strcmp(argv[1], "newton") == 0)
        return plumb_cli_bench_newton(argc - 1, argv + 1);
    if (strcmp(argv[1], "track") == 0)
        return plumb_cli_bench_track(argc - 1, argv + 1);
    if (strcmp(argv[1], "accuracy") == 0)
        return plumb_cli_bench_accuracy(argc - 1, argv + 1);
    if (strcmp(argv[1], "paper") == 0)
        return plumb_cli_bench_paper(argc - 1, argv + 1);
    if (strcmp(argv[1], "table") == 0)
        return plumb_cli_bench_table(argc - 1, argv + 1);
    return cli_misuse("bench", "there is no benchmark '%s'; 'plumb bench --help' lists them", argv[1]);
}

int main(int argc, char **argv)
{
    int result = dispatch(argc, argv);
    if ((fflush(stdout) != 0 || ferror(stdout)) && result == CLI_OK)
        result = cli_fail("bench", "standard output could not be written");
    return result;
}

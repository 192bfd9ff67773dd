/* bench.h - the subcommands of the program plumb-bench. argv[0] is the name of the subcommand. */
#ifndef PLUMB_BENCH_H
#define PLUMB_BENCH_H

int plumb_cli_bench_arith(int argc, char **argv);
int plumb_cli_bench_table(int argc, char **argv);
int plumb_cli_bench_accuracy(int argc, char **argv);
int plumb_cli_bench_lsq(int argc, char **argv);
int plumb_cli_bench_eval(int argc, char **argv);
int plumb_cli_bench_newton(int argc, char **argv);
int plumb_cli_bench_paper(int argc, char **argv);
int plumb_cli_bench_track(int argc, char **argv);

#endif

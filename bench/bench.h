/* bench.h - the commands of the program plumb-bench. */
#ifndef PLUMB_BENCH_H
#define PLUMB_BENCH_H

#include "app/command/command.h"

extern const app_command bench_arith_command, bench_lsq_command, bench_eval_command, bench_newton_command,
    bench_track_command, bench_parameters_command, bench_solve_command, bench_accuracy_command, bench_paper_command,
    bench_gemm_command;

#endif

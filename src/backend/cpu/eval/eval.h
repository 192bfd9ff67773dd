/* eval.h - evaluation of programs on the CPU. */
#ifndef PLUMB_BACKEND_CPU_EVAL_H
#define PLUMB_BACKEND_CPU_EVAL_H

#include "backend/backend.h"
#include "method/eval.h"

plumb_status plumb_cpu_eval(machine *m, const eval_call *call, void *stream);

/* Runs the steps of one evaluation in order, on one thread: fills all slots after those of the point. */
void plumb_cpu_eval_run(const eval_job *job, const eval_steps *steps);

#endif

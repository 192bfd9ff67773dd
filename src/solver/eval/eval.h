/* eval.h - the coefficients of a program, rounded to a precision. */
#ifndef PLUMB_SOLVER_EVAL_H
#define PLUMB_SOLVER_EVAL_H

#include "model/program/program.h"

/* Made on the first call and kept with the program; any number of threads may ask at once. parts is PLUMB_REAL only for a
 * system whose coefficients are. PLUMB_ERR_RANGE when one is beyond the range of a double; then *term is that term. */
plumb_status plumb_system_coefficients(const plumb_system *system, const eval_program *p, int32_t prec, int32_t parts,
                                       const double **coefficients, int64_t *term);

#endif

/* eval.h - the coefficients of a program, rounded to a precision. */
#ifndef PLUMB_SOLVER_EVAL_H
#define PLUMB_SOLVER_EVAL_H

#include "model/program/program.h"

/* Returns the coefficients, which are computed on the first call and kept with the program; any number of threads may
 * call this at once. parts may be PLUMB_REAL only for a system with real coefficients. Returns PLUMB_ERR_RANGE if a
 * coefficient is out of the range of a double; *term is then its term. */
plumb_status plumb_system_coefficients(const plumb_system *system, const eval_program *p, int32_t prec, int32_t parts,
                                       const double **coefficients, int64_t *term);

/* Returns the moduli of the coefficients, real and in double precision: evaluated with them at the moduli of the
 * unknowns, the program gives the sums of the moduli of the terms. Otherwise as above. */
plumb_status plumb_system_magnitudes(const plumb_system *system, const eval_program *p, const double **magnitudes);

#endif

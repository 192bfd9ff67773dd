/* lsq.h - least squares on the CPU: every method, one problem or many, and factors that are kept. */
#ifndef PLUMB_BACKEND_CPU_LSQ_H
#define PLUMB_BACKEND_CPU_LSQ_H

#include "backend/backend.h"
#include "backend/cpu/lsq/work.h"

plumb_status plumb_cpu_lsq(machine *m, const lsq_call *given, void *stream);
void plumb_cpu_lsq_forget(struct lsq_factor *kept);

/* The methods by name. Calls of one problem with options; the outcome goes to *info (the call's info is not used). Where
 * *info is not 0 the results are undefined. */

/* Modified Gram-Schmidt, for solutions and for Q and R. */
plumb_status lsq_mgs(machine *m, const lsq_call *call, plumb_info *info);

/* The solution of least norm for a with fewer rows than columns, by modified Gram-Schmidt on its rows. *info = k > 0: row k depends on
 * those before it. */
plumb_status lsq_least_norm(machine *m, const lsq_call *call, plumb_info *info);

/* The largest entry of Q^H Q - I, with the normalised columns in w: their inner products are the coefficients of one more
 * projection. The coefficients are lost. */
double lsq_loss_of_orthogonality(lsq_work *work);

/* Gaussian elimination with partial pivoting, for square matrices. *info = k > 0: no pivot in column k. */
plumb_status lsq_lu(machine *m, const lsq_call *call, plumb_info *info);

/* A factor in a lower precision, residuals in that of x. If the corrections do not decrease, lsq_mgs in the precision
 * of x is used, as the note of the report says. */
plumb_status lsq_refined(machine *m, const lsq_call *call, plumb_info *info);

#endif

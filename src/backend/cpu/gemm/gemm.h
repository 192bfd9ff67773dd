/* gemm.h - products of matrices on the CPU. */
#ifndef PLUMB_BACKEND_CPU_GEMM_GEMM_H
#define PLUMB_BACKEND_CPU_GEMM_GEMM_H

#include "backend/backend.h"
#include "backend/gemm.h"

plumb_status plumb_cpu_gemm(machine *m, const gemm_call *call, void *stream);
plumb_status plumb_cpu_triangle(machine *m, const triangle_call *call, void *stream);
plumb_status plumb_cpu_cholesky(machine *m, const cholesky_call *call, void *stream);

#endif

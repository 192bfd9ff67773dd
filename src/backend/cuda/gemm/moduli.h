/* moduli.h - the pairwise coprime numbers of at most 256, from the largest on, and what their residues stand for. Plain C. */
#ifndef PLUMB_BACKEND_CUDA_GEMM_MODULI_H
#define PLUMB_BACKEND_CUDA_GEMM_MODULI_H

#include "backend/cuda/gemm/gpu.h"

/* The number of moduli whose product is more than four times a sum of `terms` products of two integers of GEMM_BITS bits, of
 * complex numbers twice as many; 0 if there are not enough. */
int32_t gemm_moduli_for(int64_t terms, int32_t parts);

/* Modulus number t, from 0; and its tables for numbers with this many limbs. */
int32_t gemm_modulus_number(int32_t t);
gemm_modulus gemm_modulus_of(int32_t t, int32_t limbs);

/* Fills in the tables of the Chinese remainder theorem for this many moduli. */
void gemm_combine_tables(gemm_combine_job *job, int32_t moduli);

#endif

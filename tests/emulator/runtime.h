/* runtime.h - what the files of the emulated CUDA runtime share. */
#ifndef PLUMB_EMULATOR_RUNTIME_H
#define PLUMB_EMULATOR_RUNTIME_H

#include "cuda_runtime_api.h"

/* Remembers an error for cudaGetLastError, and returns it. */
cudaError_t emu_result(cudaError_t error);

/* The emulated GPU does one thing at a time, however many threads the host has. */
void emu_lock(void);
void emu_unlock(void);

/* PLUMB_EMULATOR_MEMORY in MiB, 1024 unless set. */
size_t emu_memory_total(void);

#endif

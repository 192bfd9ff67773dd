/* memory.h - how much memory is available, before much of it is used.
 *
 * Linux overcommits memory and may kill the process that uses it. Code that is about to use many
 * megabytes therefore adds up everything that it will need and asks here first. A refusal states how much is needed
 * and how much is available. */
#ifndef PLUMB_BASE_MEMORY_MEMORY_H
#define PLUMB_BASE_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "plumb.h"

/* The bytes that this process can still use without swapping: what the kernel calls available, and no more than the
 * control group of the process allows. INT64_MAX where nothing is known. */
int64_t plumb_memory_available(void);

/* True if this number of bytes is available. Small amounts are granted without looking them up. */
bool plumb_memory_has(int64_t bytes);

/* PLUMB_OK, or PLUMB_ERR_MEMORY with a line in message (or NULL): "what needs 28.8 GB of memory, 20.1 GB are
 * available". */
PLUMB_USE_RESULT plumb_status plumb_memory_check(int64_t bytes, const char *what, char *message, size_t size);

/* Asks for large pages behind memory that was just allocated and is about to be filled, if it has many megabytes: the first use of each
 * small page takes longer than filling it. Does nothing where that is not possible. */
void plumb_memory_large(void *memory, size_t bytes);

/* Returns a + b * c, or INT64_MAX if the result does not fit. No argument is negative. */
int64_t plumb_memory_add(int64_t a, int64_t b, int64_t c);

#endif

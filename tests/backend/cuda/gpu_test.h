/* gpu_test.h - shared by the tests on a GPU: its context, and a test that is skipped, with the reason, if there is
 * none. */
#ifndef PLUMB_BACKEND_CUDA_GPU_TEST_H
#define PLUMB_BACKEND_CUDA_GPU_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "backend/backend.h"
#include "plumb.h"

static plumb_context *gpu; /* NULL where there is none */
static char no_gpu[512];

static inline int open_gpu(void **state)
{
    (void)state;
    plumb_context_options options;
    plumb_context_options_init(&options);
    if (plumb_gpu_usable(0, no_gpu, sizeof no_gpu) != PLUMB_OK)
        return 0;
    options.backend = PLUMB_BACKEND_GPU;
    return plumb_context_create(&options, &gpu) == PLUMB_OK ? 0 : -1;
}

static inline int close_gpu(void **state)
{
    (void)state;
    plumb_context_destroy(gpu);
    return 0;
}

#define SKIP_WITHOUT_GPU()                                    \
    do {                                                      \
        if (!gpu) {                                           \
            printf("skipped, there is no GPU: %s\n", no_gpu); \
            skip();                                           \
        }                                                     \
    } while (0)

static inline void assert_ok(plumb_status status)
{
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(gpu));
}

#endif

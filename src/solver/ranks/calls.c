/* calls.c - the public calls for programs that are started by a launcher of MPI. */
#include <stdio.h>

#include "plumb.h"
#include "solver/ranks/ranks.h"
#include "solver/run/host.h"

typedef struct line_taker {
    char *line;
    size_t size;
} line_taker;

static void say(const run_voice *voice, int what, plumb_status status, bool placed, const char *line)
{
    const line_taker *t = voice->data;
    (void)status, (void)placed;
    if (what != RUN_NOTE && t->line)
        snprintf(t->line, t->size, "%s", line);
}

plumb_status plumb_ranks_begin(char *message, size_t message_size)
{
    static const run_host host = {.say = say};
    static line_taker taker; /* the voice is kept until the end */
    const run_voice voice = {&host, NULL, &taker};
    if (message && message_size > 0)
        message[0] = 0;
    if (ranks_are_used())
        return PLUMB_OK;
    taker = (line_taker){message_size > 0 ? message : NULL, message_size};
    const int result = ranks_begin(&voice);
    taker = (line_taker){NULL, 0};
    return result == RUN_OK ? PLUMB_OK : PLUMB_ERR_UNSUPPORTED;
}

int32_t plumb_ranks_own(void)
{
    return ranks_own();
}

int32_t plumb_ranks_count(void)
{
    return ranks_count();
}

int32_t plumb_ranks_end(int32_t status)
{
    return (int32_t)ranks_end((int)status);
}

/* progress.c - the progress of a run, on one line of a terminal. */
#include "app/ranks/ranks.h"
#include "app/run/run.h"
#include "base/os/clock.h"

void track_progress_begin(track_progress *p, bool wanted, int64_t total, int64_t before)
{
    *p = (track_progress){.wanted = wanted,
                          .total = total,
                          .before = before,
                          .began = plumb_clock_seconds(),
                          .ranks = ranks_are_used() ? ranks_count() : 0};
}

/* "85 s", "12 min", "3.4 h". */
static const char *duration(double seconds, char *text, size_t size)
{
    if (seconds < 120)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 7200)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
    return text;
}

void track_progress_show(track_progress *p, int64_t done, int64_t failed, int32_t rerun)
{
    const double pause = 0.1; /* faster updates would not be readable */
    double now = plumb_clock_seconds();
    if (!p->wanted || now - p->last < pause)
        return;
    p->last = now;
    p->shown = true;
    fprintf(stderr, "\r\033[K%lld of %lld paths", (long long)done, (long long)p->total);
    if (rerun > 0)
        fprintf(stderr, " tracked again");
    fprintf(stderr, ", %lld failed", (long long)failed);
    double rate = (double)(done - p->before) / (now - p->began);
    char left[32];
    if (rate > 0)
        fprintf(stderr, ", %.*f/s, %s left", rate < 10 ? 2 : 0, rate,
                duration((double)(p->total - done) / rate, left, sizeof left));
    if (p->ranks > 0)
        fprintf(stderr, ", %d rank%s", (int)p->ranks, p->ranks == 1 ? "" : "s");
    fflush(stderr);
}

void track_progress_end(track_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

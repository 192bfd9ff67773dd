/* progress.c - the progress of a run, on one line of a terminal. */
#include <stdio.h>
#include <unistd.h>

#include "app/run/host.h"
#include "base/os/clock.h"
#include "solver/ranks/ranks.h"

/* There is one terminal. */
static struct {
    bool shown;            /* there is a line to erase */
    int64_t total, before; /* paths in all, and those done before this run began */
    double began, last;    /* seconds */
} now_shown;

static void begin(const run_voice *voice, int64_t total, int64_t before)
{
    (void)voice;
    now_shown.total = total;
    now_shown.before = before;
    now_shown.began = plumb_clock_seconds();
    now_shown.last = 0;
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

static void show(const run_voice *voice, int64_t done, int64_t failed, int32_t rerun)
{
    (void)voice;
    const double pause = 0.1; /* faster updates would not be readable */
    double now = plumb_clock_seconds();
    if (now - now_shown.last < pause)
        return;
    now_shown.last = now;
    now_shown.shown = true;
    fprintf(stderr, "\r\033[K%lld of %lld paths", (long long)done, (long long)now_shown.total);
    if (rerun > 0)
        fprintf(stderr, " tracked again");
    fprintf(stderr, ", %lld failed", (long long)failed);
    double rate = (double)(done - now_shown.before) / (now - now_shown.began);
    char left[32];
    if (rate > 0)
        fprintf(stderr, ", %.*f/s, %s left", rate < 10 ? 2 : 0, rate,
                duration((double)(now_shown.total - done) / rate, left, sizeof left));
    if (ranks_are_used())
        fprintf(stderr, ", %d rank%s", (int)ranks_count(), ranks_count() == 1 ? "" : "s");
    fflush(stderr);
}

static void end(const run_voice *voice)
{
    (void)voice;
    if (now_shown.shown)
        fputs("\r\033[K", stderr);
    now_shown.shown = false;
}

const run_display *app_display(bool quiet)
{
    static const run_display display = {begin, show, end};
    return !quiet && isatty(STDERR_FILENO) ? &display : NULL;
}

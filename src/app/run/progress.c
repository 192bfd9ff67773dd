/* progress.c - the progress of a run, on one line of a terminal. */
#include <stdio.h>
#include <unistd.h>

#include "app/run/host.h"
#include "base/os/clock.h"

/* There is one terminal. */
static struct {
    bool shown, again;    /* there is a line to erase; paths are tracked once more */
    const char *stopping; /* how to stop a long run, until this has been shown; or NULL */
    int64_t first, most;  /* paths done when the round began, and at most so far */
    int64_t total;        /* of the same paths; others have another number */
    double began, last;   /* seconds */
    char part[48];        /* what comes first on the line */
} now_shown = {.first = -1};

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

/* Paths that are tracked again are not done any more. */
static void begin_round(int64_t done, double now)
{
    now_shown.again = now_shown.first >= 0;
    now_shown.first = now_shown.most = done;
    now_shown.began = now;
}

/* A count with commas: "5,103". */
static const char *grouped(int64_t count, char *text, size_t size)
{
    char plain[24];
    const int length = snprintf(plain, sizeof plain, "%lld", (long long)count);
    size_t at = 0;
    for (int i = 0; i < length && at + 2 < size; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = plain[i];
    }
    text[at] = '\0';
    return text;
}

/* Once, after the first seconds of a run that will be long: what it costs, and how to stop it. The line stays. */
static void tell_cost(int64_t total, double seconds_left)
{
    const double long_run = 20.0; /* seconds */
    char count[32], left[32];
    if (now_shown.stopping == NULL || seconds_left < long_run)
        return;
    fprintf(stderr, "\r\033[K%s%s paths, about %s; %s\n", now_shown.part, grouped(total, count, sizeof count),
            duration(seconds_left, left, sizeof left), now_shown.stopping);
    now_shown.stopping = NULL;
}

static int show(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data;
    const double pause = 0.1, first_seconds = 3.0; /* faster updates would not be readable */
    const double now = plumb_clock_seconds();
    if (total != now_shown.total)
        now_shown.first = -1;
    now_shown.total = total;
    if (total > 0 && (now_shown.first < 0 || done < now_shown.most))
        begin_round(done, now);
    now_shown.most = done;
    if (now - now_shown.last < pause)
        return 0;
    now_shown.last = now;
    now_shown.shown = true;
    if (total == 0) {
        fprintf(stderr, "\r\033[K%scounting the paths of start systems", now_shown.part);
        fflush(stderr);
        return 0;
    }
    const double rate = (double)(done - now_shown.first) / (now - now_shown.began);
    if (rate > 0 && now - now_shown.began > first_seconds)
        tell_cost(total, (double)(total - done) / rate);
    fprintf(stderr, "\r\033[K%s%lld of %lld paths%s, %lld failed", now_shown.part, (long long)done, (long long)total,
            now_shown.again ? ", the last ones tracked again" : "", (long long)failed);
    char left[32];
    if (rate > 0)
        fprintf(stderr, ", %.*f/s, %s left", rate < 10 ? 2 : 0, rate,
                duration((double)(total - done) / rate, left, sizeof left));
    if (plumb_ranks_count() > 1)
        fprintf(stderr, ", %d ranks", (int)plumb_ranks_count());
    fflush(stderr);
    return 0;
}

void app_progress_part(const char *text)
{
    snprintf(now_shown.part, sizeof now_shown.part, "%s", text);
    now_shown.again = false;
    now_shown.first = -1;
}

void app_progress_end(void)
{
    if (now_shown.shown)
        fputs("\r\033[K", stderr);
    now_shown.shown = false;
}

/* Paths in MPFR take long, and their times differ too much for an estimate of the time that is left. */
static int show_mpfr(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data;
    const double pause = 0.1, now = plumb_clock_seconds();
    if (now - now_shown.last < pause)
        return 0;
    now_shown.last = now;
    now_shown.shown = true;
    fprintf(stderr, "\r\033[K%lld of %lld paths in MPFR, %lld failed", (long long)done, (long long)total,
            (long long)failed);
    fflush(stderr);
    return 0;
}

/* failed: targets of which solutions may be missing. total is 0 for a stream, whose length is unknown. */
static int show_targets(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data;
    const double pause = 0.1, now = plumb_clock_seconds();
    char count[32], all[32], left[32];
    if (now_shown.first < 0)
        begin_round(done, now);
    if (now - now_shown.last < pause)
        return 0;
    now_shown.last = now;
    now_shown.shown = true;
    const double rate = (double)(done - now_shown.first) / (now - now_shown.began);
    fprintf(stderr, "\r\033[K%s%s%s targets, %lld incomplete", grouped(done, count, sizeof count),
            total > 0 ? " of " : "", total > 0 ? grouped(total, all, sizeof all) : "", (long long)failed);
    if (rate > 0)
        fprintf(stderr, ", %.*f/s", rate < 10 ? 2 : 0, rate);
    if (rate > 0 && total > 0)
        fprintf(stderr, ", %s left", duration((double)(total - done) / rate, left, sizeof left));
    fflush(stderr);
    return 0;
}

plumb_progress app_targets_progress(bool quiet)
{
    return !quiet && isatty(STDERR_FILENO) ? show_targets : NULL;
}

plumb_progress app_mpfr_progress(bool quiet)
{
    return !quiet && isatty(STDERR_FILENO) ? show_mpfr : NULL;
}

plumb_progress app_progress(bool quiet, bool journal)
{
    now_shown.stopping = journal ? "Ctrl-C stops and keeps what is done, --resume goes on"
                                 : "Ctrl-C stops and shows what is done; a run with -o FILE can be resumed";
    return !quiet && isatty(STDERR_FILENO) ? show : NULL;
}

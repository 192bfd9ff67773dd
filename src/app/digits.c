/* digits.c - see digits.h. */
#include "app/digits.h"

#include <math.h>
#include <unistd.h>

#include "app/stop.h"
#include "base/os/clock.h"

/* ---- Calls -------------------------------------------------------------------------------------------------------- */

typedef struct progress_line {
    bool shown;
    double last; /* time of the last line */
} progress_line;

static int show_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    progress_line *line = data;
    const double now = line->shown ? plumb_clock_seconds() : 0.0;
    (void)failed;
    if (line->shown && now - line->last > 0.1) {
        fprintf(stderr, "\r\033[K%lld of %lld solutions refined", (long long)done, (long long)total);
        line->last = now;
    }
    return app_stopped();
}

plumb_status app_digits_of_points(plumb_context *context, const plumb_system *system, const plumb_view *x,
                                  int64_t digits, bool shown, plumb_digits **refined)
{
    progress_line line = {.shown = shown && isatty(STDERR_FILENO), .last = plumb_clock_seconds()};
    plumb_digits_options options;
    plumb_digits_options_init(&options);
    options.digits = digits;
    options.progress = show_progress;
    options.data = &line;
    plumb_status status = plumb_refine_digits(context, system, x, &options, refined);
    if (line.shown)
        fputs("\r\033[K", stderr);
    return status;
}

/* ---- Results ------------------------------------------------------------------------------------------------------ */

static plumb_digits_report report_of(const plumb_digits *refined, int64_t point)
{
    plumb_digits_report report = {.code = PLUMB_DIGITS_NONFINITE};
    if (plumb_digits_get(refined, point, &report) != PLUMB_OK)
        report.known = 0;
    return report;
}

int64_t app_digits_count(const plumb_digits *refined, int64_t digits)
{
    int64_t count = 0;
    for (int64_t k = 0; k < plumb_digits_count(refined); k++)
        count += report_of(refined, k).known >= digits;
    return count;
}

double app_digits_error(const plumb_digits_report *report)
{
    return fmax(pow(10.0, -(double)report->known), 0x1p-1074);
}

void app_digits_print(FILE *out, const plumb_digits *refined)
{
    int64_t seen[PLUMB_DIGITS_CODES] = {0};
    fprintf(out, "%6s  %-10s %5s %7s %9s %7s\n", "number", "outcome", "steps", "bits", "condition", "digits");
    for (int64_t k = 0; k < plumb_digits_count(refined); k++) {
        const plumb_digits_report r = report_of(refined, k);
        seen[r.code]++;
        fprintf(out, "%6lld  %-10s %5lld %7lld %9.1e %7lld\n", (long long)k + 1, plumb_digits_name(r.code),
                (long long)r.steps, (long long)r.bits, r.condition, (long long)r.known);
    }
    for (int code = PLUMB_DIGITS_REACHED + 1; code < PLUMB_DIGITS_CODES; code++)
        if (seen[code] > 0)
            fprintf(out, "%-10s  %s\n", plumb_digits_name(code), plumb_digits_text((plumb_digits_code)code));
}

void app_digits_print_number(FILE *out, const plumb_digits *refined, int64_t point, int64_t unknown)
{
    const char *im = plumb_digits_im(refined, point, unknown);
    const bool negative = im[0] == '-';
    fprintf(out, "(%s %c %s*i)", plumb_digits_re(refined, point, unknown), negative ? '-' : '+', im + negative);
}

void app_digits_json(json_writer *w, const plumb_digits *refined, int64_t point)
{
    json_open_array(w, "x");
    for (int64_t i = 0; i < plumb_digits_unknowns(refined); i++) {
        json_open_array(w, NULL);
        json_string(w, NULL, plumb_digits_re(refined, point, i));
        json_string(w, NULL, plumb_digits_im(refined, point, i));
        json_close_array(w);
    }
    json_close_array(w);
}

/* track_cases.h - homotopies for tests, made from texts, with given start solutions or of total degree; a struct
 * holds everything about one run. */
#ifndef PLUMB_SOLVER_TRACK_TRACK_CASES_H
#define PLUMB_SOLVER_TRACK_TRACK_CASES_H

#include "text/system_texts.h"

#include <math.h>

#include "model/homotopy/homotopy.h"
#include "solver/track/track.h"

typedef struct track_run {
    plumb_system *start, *target;
    plumb_homotopy *homotopy;
    plumb_view starts, ends;
    plumb_path_record *records;
    int64_t paths;
} track_run;

static inline void track_must(plumb_context *context, plumb_status status)
{
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), context ? plumb_context_message(context) : "");
}

static inline plumb_context *track_context(int32_t threads)
{
    plumb_context *context = NULL;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    options.threads = threads;
    track_must(NULL, plumb_context_create(&options, &context));
    return context;
}

/* A homotopy between two texts, with room for so many paths; ends in the precision that prec asks for. */
static inline track_run track_between(plumb_context *context, const char *start, const char *target,
                                      const plumb_homotopy_options *options, int64_t paths, int32_t prec)
{
    track_run run = {.start = parse_good(start), .target = parse_good(target), .paths = paths};
    int64_t n = plumb_system_unknowns(run.target);
    track_must(context, plumb_homotopy_create(run.start, run.target, options, &run.homotopy));
    track_must(context, plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, paths, &run.starts));
    track_must(context,
               plumb_array_create(context, PLUMB_HOST, prec ? prec : PLUMB_QD, PLUMB_COMPLEX, n, 1, paths, &run.ends));
    run.records = calloc((size_t)paths, sizeof *run.records);
    assert_non_null(run.records);
    return run;
}

/* The same from a start system of total degree, all of its solutions. */
static inline track_run track_total_degree(plumb_context *context, plumb_system *target, uint64_t seed,
                                           int32_t projective, int32_t prec)
{
    track_run run = {.target = target};
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = seed;
    options.projective = projective;
    track_must(context, plumb_system_start(target, seed, &run.start));
    track_must(context, plumb_system_start_count(run.start, &run.paths));
    track_must(context, plumb_homotopy_create(run.start, target, &options, &run.homotopy));
    int64_t n = plumb_system_unknowns(target);
    track_must(context, plumb_array_create(context, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, n, 1, run.paths, &run.starts));
    track_must(context, plumb_array_create(context, PLUMB_HOST, prec ? prec : PLUMB_QD, PLUMB_COMPLEX, n, 1, run.paths,
                                           &run.ends));
    track_must(context, plumb_system_start_solutions(run.start, 0, &run.starts));
    run.records = calloc((size_t)run.paths, sizeof *run.records);
    assert_non_null(run.records);
    return run;
}

static inline void track_run_destroy(plumb_context *context, track_run *run)
{
    plumb_array_destroy(context, &run->starts);
    plumb_array_destroy(context, &run->ends);
    plumb_homotopy_destroy(run->homotopy);
    plumb_system_destroy(run->start);
    plumb_system_destroy(run->target);
    free(run->records);
}

static inline void track_set_start(track_run *run, int64_t path, int64_t unknown, double re, double im)
{
    double *x = run->starts.data + path * run->starts.next + unknown;
    x[0] = re;
    x[run->starts.prec * run->starts.plane] = im;
}

static inline plumb_track_options track_defaults(int32_t prec, uint64_t seed)
{
    plumb_track_options options;
    plumb_track_options_init(&options);
    options.prec = prec;
    options.seed = seed;
    return options;
}

static inline void track_all(plumb_context *context, track_run *run, const plumb_track_options *options)
{
    track_must(context, plumb_track(context, run->homotopy, &run->starts, &run->ends, options, run->records));
}

/* The same as a part of a larger job. */
static inline void track_some(plumb_context *context, track_run *run, const track_part *part,
                              const plumb_track_options *options)
{
    track_must(context, track_paths(context, run->homotopy, part, &run->starts, &run->ends, options, run->records));
}

static inline double track_re(const track_run *run, int64_t path, int64_t unknown)
{
    return run->ends.data[path * run->ends.next + unknown];
}

static inline double track_im(const track_run *run, int64_t path, int64_t unknown)
{
    return run->ends.data[path * run->ends.next + run->ends.prec * run->ends.plane + unknown];
}

/* |end - (re + im i)|, all limbs of the difference; the value given is a double. */
static inline double track_off(const track_run *run, int64_t path, int64_t unknown, double re, double im)
{
    const double *x = run->ends.data + path * run->ends.next + unknown;
    double real = x[0] - re, imag = x[run->ends.prec * run->ends.plane] - im;
    for (int32_t c = 1; c < run->ends.prec; c++) {
        real += x[c * run->ends.plane];
        imag += x[(run->ends.prec + c) * run->ends.plane];
    }
    return hypot(real, imag);
}

static inline int64_t track_count(const track_run *run, int32_t code)
{
    int64_t count = 0;
    for (int64_t k = 0; k < run->paths; k++)
        count += run->records[k].code == code;
    return count;
}

/* Pairs of regular endpoints that are the same to this distance. */
static inline int64_t track_shared(const track_run *run, double distance)
{
    int64_t pairs = 0;
    for (int64_t i = 0; i < run->paths; i++)
        for (int64_t j = 0; j < i; j++) {
            double apart = 0.0;
            if (run->records[i].code != PLUMB_PATH_SUCCESS || run->records[j].code != PLUMB_PATH_SUCCESS)
                continue;
            for (int64_t k = 0; k < run->ends.rows; k++)
                apart = fmax(
                    apart, hypot(track_re(run, i, k) - track_re(run, j, k), track_im(run, i, k) - track_im(run, j, k)));
            pairs += apart < distance;
        }
    return pairs;
}

static inline void track_say(const track_run *run, int64_t path)
{
    const plumb_path_record *r = &run->records[path];
    printf("  path %lld: %s, t = %.17g, %lld steps, %lld rejected, %lld solves, %s (%s at most), winding %d, condition "
           "%.1e, error %.1e\n",
           (long long)r->path, plumb_path_text((plumb_path_code)r->code), r->t, (long long)r->steps,
           (long long)r->rejected, (long long)r->solves, plumb_prec_name(r->prec), plumb_prec_name(r->max_prec),
           (int)r->winding, r->condition, r->error);
}

#endif

/* track.c - plumb_track: checks, chooses the machine, has the stacked system compiled and rounded, and looks at what came back. Between
 * track_scale_begin and track_scale_ends all points are in the scaled unknowns of the homotopy; ends are compared in them, too. */
#include "solver/track/track.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/precision.h"
#include "method/track/moving.h"
#include "model/homotopy/homotopy.h"
#include "solver/eval/eval.h"
#include "solver/track/scale.h"

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

const char *plumb_path_text(plumb_path_code code)
{
#define PATH_TEXT(name, text) text,
    static const char *const texts[] = {PLUMB_PATH_LIST(PATH_TEXT)};
#undef PATH_TEXT
    return (int)code >= 0 && code < PLUMB_PATH_CODES ? texts[code] : "unknown code";
}

void plumb_track_options_init(plumb_track_options *options)
{
    if (options)
        *options = (plumb_track_options){.size = sizeof *options,
                                         .endgame = 1,
                                         .max_winding = 16,
                                         .reruns = 2,
                                         .max_steps = 10000,
                                         .turn = 0.6,
                                         .largest = (double)INFINITY};
}

/* ---- Checks -------------------------------------------------------------------------------------------------------------- */

static plumb_status read_options(plumb_context *context, const plumb_track_options *given, plumb_track_options *options)
{
    const double below_one = 1.0 - 0x1p-53;
    const option_field fields[] = {OPTION_PRECISION(plumb_track_options, prec),
                                   OPTION_FLAG(plumb_track_options, endgame),
                                   OPTION_RANGE(plumb_track_options, max_winding, OPTION_INT32, 1.0, 1024.0),
                                   OPTION_RANGE(plumb_track_options, reruns, OPTION_INT32, 0.0, 8.0),
                                   OPTION_RANGE(plumb_track_options, max_steps, OPTION_INT64, 1.0, (double)INFINITY),
                                   OPTION_RANGE(plumb_track_options, tolerance, OPTION_REAL, 0.0, below_one),
                                   OPTION_RANGE(plumb_track_options, turn, OPTION_REAL, DBL_MIN, 1.0),
                                   OPTION_RANGE(plumb_track_options, min_step, OPTION_REAL, 0.0, below_one),
                                   OPTION_RANGE(plumb_track_options, largest, OPTION_REAL, 100.0, (double)INFINITY),
                                   OPTION_RANGE(plumb_track_options, max_seconds, OPTION_REAL, 0.0, (double)INFINITY),
                                   OPTION_END};
    plumb_track_options_init(options);
    plumb_status status = plumb_options_take(given, options, fields, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (isinf(options->max_seconds))
        options->max_seconds = 0.0; /* no limit */
    return PLUMB_OK;
}

static plumb_status check_points(plumb_context *context, const plumb_view *view, const char *name, int64_t rows,
                                 int64_t batch)
{
    if (!view)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", name);
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (view->rows != rows || view->cols != 1)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld, expected %lld x 1", name, (long long)view->rows,
                   (long long)view->cols, (long long)rows);
    if (view->parts != PLUMB_COMPLEX || view->where != PLUMB_HOST)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is to be complex and on the host", name);
    if (view->batch != batch)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is a batch of %lld, starts of %lld", name, (long long)view->batch,
                   (long long)batch);
    return PLUMB_OK;
}

static plumb_status check(plumb_context *context, const plumb_homotopy *homotopy, const track_part *part,
                          const plumb_view *starts, const plumb_view *ends, const plumb_track_options *options,
                          const plumb_path_record *records)
{
    if (!homotopy)
        return SAY(PLUMB_ERR_ARGUMENT, "homotopy is NULL");
    const int64_t batch = part->start ? ends->batch : starts ? starts->batch : 0;
    plumb_status status =
        check_points(context, starts, "starts", homotopy->given_unknowns, part->start ? starts->batch : batch);
    if (status == PLUMB_OK)
        status = check_points(context, ends, "ends", homotopy->given_unknowns, batch);
    if (status != PLUMB_OK)
        return status;
    int32_t prec = options->prec ? options->prec : PLUMB_QD;
    if (ends->prec != prec)
        return SAY(PLUMB_ERR_ARGUMENT, "ends is in %s, expected %s, the highest precision of the paths",
                   plumb_prec_name(ends->prec), plumb_prec_name(prec));
    if (plumb_view_overlap(starts, ends))
        return SAY(PLUMB_ERR_ARGUMENT, "ends overlaps starts");
    if (!records && batch > 0)
        return SAY(PLUMB_ERR_ARGUMENT, "records is NULL");
    return PLUMB_OK;
}

/* ---- The call ------------------------------------------------------------------------------------------------------------ */

static plumb_status prepare(plumb_context *context, const plumb_homotopy *homotopy, const track_settings *settings,
                            track_call *call)
{
    plumb_status status = plumb_program_of(homotopy->stacked, &call->program);
    if (status != PLUMB_OK)
        return SAY(status, "the homotopy cannot be compiled for evaluation: %s", plumb_status_text(status));
    EACH_PRECISION (prec, settings->least_prec, settings->most_prec) {
        int64_t term = -1;
        status = plumb_system_coefficients(homotopy->stacked, call->program, prec, PLUMB_COMPLEX,
                                           &call->coefficients[prec], &term);
        if (status == PLUMB_ERR_RANGE)
            return SAY(status, "a coefficient of the homotopy is beyond the largest double");
        if (status != PLUMB_OK)
            return SAY(status, "coefficients: %s", plumb_status_text(status));
    }
    if (homotopy->moved) {
        status = plumb_program_of(homotopy->moved, &call->moved);
        call->moved_count = homotopy->moving;
        EACH_PRECISION (prec, settings->least_prec, settings->most_prec) {
            int64_t term = -1;
            if (status == PLUMB_OK)
                status = plumb_system_coefficients(homotopy->moved, call->moved, prec, PLUMB_COMPLEX,
                                                   &call->moved_coefficients[prec], &term);
        }
        if (status != PLUMB_OK)
            return SAY(status, "coefficients of the family: %s", plumb_status_text(status));
    }
    status = plumb_system_magnitudes(homotopy->stacked, call->program, &call->magnitudes);
    return status == PLUMB_OK ? PLUMB_OK : SAY(status, "coefficients: %s", plumb_status_text(status));
}

/* Terms are in the order of their degrees, the highest first. */
static int32_t highest_degree(const plumb_system *system)
{
    int32_t most = 1;
    for (int64_t i = 0; i < system->equations; i++) {
        const int64_t first = system->equation[i];
        if (first < system->equation[i + 1] && system->terms[first].degree > most)
            most = system->terms[first].degree;
    }
    return most;
}

/* Sets the sizes of scaled unknowns up to which roots are asked for, so that this holds for the given ones up to the largest that
 * the caller names, and up to which they are distinguished from infinity. The latter are those up to 10^15 in the scaled units, and up to
 * 10^12 in the given ones, or the former: larger roots are found where paths reach them, but paths to infinity would need more
 * digits to show that they do not. */
static void set_sizes(const plumb_homotopy *homotopy, double largest, track_settings *settings)
{
    const double scaled = 1e15, given = 1e12, least = 100.0, most = 1e100;
    int32_t smallest = homotopy->exponent ? INT32_MAX : 0;
    for (int64_t i = 0; homotopy->exponent && i < homotopy->given_unknowns; i++)
        smallest = homotopy->exponent[i] < smallest ? homotopy->exponent[i] : smallest;
    const double horizon = fmin(fmax(scaled, ldexp(given, -smallest)), most);
    settings->stops = !isinf(largest);
    settings->largest = settings->stops ? fmin(fmax(least, ldexp(largest, -smallest)), most) : horizon;
    settings->horizon = fmax(settings->largest, horizon);
    settings->distant = fmin(ldexp(1e7, smallest < 0 ? -smallest : 0), most);
}

/* What distant steps may count the first time: enough for well-conditioned roots of size 1e15. Paths that are tracked again are followed as far
 * as possible. */
static int64_t budget_of(const track_settings *settings, const track_part *part)
{
    const int64_t first = 100;
    const bool has_one = part->hurries && part->rerun == 0 && !settings->stops && settings->projective;
    return has_one && !settings->moving ? first : 0;
}

static track_settings settings_of(const plumb_homotopy *homotopy, const plumb_track_options *options, int32_t rerun)
{
    double shorter = ldexp(1.0, -rerun);
    return (track_settings){.equations = homotopy->equations,
                            .unknowns = homotopy->unknowns,
                            .most_steps = options->max_steps,
                            .seed = options->seed,
                            .gamma = {homotopy->gamma[0], homotopy->gamma[1]},
                            .turn = options->turn * shorter,
                            .tolerance = options->tolerance,
                            .least_step = options->min_step,
                            .shorten = shorter,
                            .projective = homotopy->projective,
                            .moving = homotopy->moving == 0 ? TRACK_FIXED
                                      : homotopy->family    ? TRACK_ARCS
                                                            : TRACK_RATES,
                            .least_prec = options->prec ? options->prec : PLUMB_D,
                            .most_prec = options->prec ? options->prec : PLUMB_QD,
                            .endgame = options->endgame,
                            .most_winding = options->max_winding,
                            .rerun = rerun,
                            .degree = highest_degree(homotopy->stacked)};
}

/* The machine: a GPU where the context asks for one, or has one and the paths are worth it; unless the caller has chosen. */
static plumb_status choose(plumb_context *context, const plumb_homotopy *homotopy, const track_part *part,
                           int64_t paths, machine **m)
{
    if (part->backend == PLUMB_BACKEND_GPU || (part->backend == PLUMB_BACKEND_AUTO &&
                                               plumb_context_tracks_on_gpu(context, paths, homotopy->given_unknowns))) {
        plumb_status status = plumb_context_machine(context, PLUMB_DEVICE, m);
        if (status == PLUMB_OK && (*m)->ops->track)
            return PLUMB_OK;
        if (context->wanted == PLUMB_BACKEND_GPU)
            return status != PLUMB_OK ? status : SAY(PLUMB_ERR_UNSUPPORTED, "this build tracks no paths on a GPU");
        context->message[0] = 0;
    }
    return plumb_context_machine(context, PLUMB_HOST, m);
}

/* Starts and ends are scaled; options have a report. */
static plumb_status track(plumb_context *context, const plumb_homotopy *homotopy, const track_part *part,
                          const plumb_view *starts, const plumb_view *ends, const plumb_track_options *options,
                          plumb_path_record *records)
{
    machine *m = NULL;
    track_settings settings = settings_of(homotopy, options, part->rerun);
    set_sizes(homotopy, options->largest, &settings);
    settings.budget = budget_of(&settings, part);
    if (part->most_prec && !options->prec)
        settings.most_prec = part->most_prec;
    track_call call = {.settings = &settings,
                       .system = homotopy->stacked,
                       .patch = homotopy->patch,
                       .moving = part->moving,
                       .given_unknowns = homotopy->given_unknowns,
                       .starts = starts,
                       .ends = ends,
                       .start = part->start,
                       .like = part->of_paths > ends->batch || part->backend != PLUMB_BACKEND_AUTO ? part->of_paths
                                                                                                   : ends->batch,
                       .count = ends->batch,
                       .records = records,
                       .most_seconds = options->max_seconds,
                       .step = options->step,
                       .data = options->data};
    for (int64_t k = 0; k < ends->batch; k++)
        records[k] = (plumb_path_record){.path = part->paths ? part->paths[k] : k};
    plumb_status status = prepare(context, homotopy, &settings, &call);
    if (status == PLUMB_OK)
        status = choose(context, homotopy, part, call.like, &m);
    if (status == PLUMB_OK) {
        options->report->backend = m == &context->cpu ? PLUMB_BACKEND_CPU : PLUMB_BACKEND_GPU;
        status = track_with_reruns(context, m, homotopy, &call, &settings, options, part->separate);
    }
    return status;
}

plumb_status track_paths(plumb_context *context, const plumb_homotopy *homotopy, const track_part *part,
                         const plumb_view *starts, plumb_view *ends, const plumb_track_options *given,
                         plumb_path_record *records)
{
    plumb_track_options options;
    plumb_track_report report = {.backend = PLUMB_BACKEND_CPU};
    track_scale scale;
    if (!context)
        return plumb_no_context();
    plumb_status status = read_options(context, given, &options);
    if (status == PLUMB_OK)
        status = check(context, homotopy, part, starts, ends, &options, records);
    if (status != PLUMB_OK)
        return status;
    plumb_track_report *const asked = options.report;
    options.report = &report;
    status = track_scale_begin(context, homotopy, &starts, ends, &options, &scale);
    if (status == PLUMB_OK)
        status = track(context, homotopy, part, starts, ends, &options, records);
    if (status == PLUMB_OK)
        status = track_scale_ends(context, &scale, ends, records);
    track_scale_end(context, &scale);
    if (status == PLUMB_OK && asked)
        *asked = report;
    return status;
}

plumb_status plumb_track(plumb_context *context, const plumb_homotopy *homotopy, const plumb_view *starts,
                         plumb_view *ends, const plumb_track_options *options, plumb_path_record *records)
{
    static const track_part all = {.paths = NULL};
    return track_paths(context, homotopy, &all, starts, ends, options, records);
}

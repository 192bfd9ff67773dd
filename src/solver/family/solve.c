/* solve.c - plumb_family_solve: the paths to a batch of targets, and what their ends are; see family.h.
 *
 * With options->neighbours, targets form groups. The first target of each group comes first, then the second one of each, and so
 * on, so that there are many paths at a time. Where all solutions of the target before it are known, paths begin there and take an arc
 * whose bend is as large as its length: singular points between real targets are missed with probability one. Whether paths
 * exchange solutions on the way does not matter; if two of them end at the same one, or one fails, a solution is lost. This shows in the
 * number of different solutions, which is known, and the target is solved from the generic solutions, as if there were no neighbour. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array/view.h"
#include "base/call/message.h"
#include "base/call/options.h"
#include "base/memory/size.h"
#include "base/number/modulus.h"
#include "base/number/random.h"
#include "base/os/team.h"
#include "method/track/moving.h"
#include "model/solutions.h"
#include "solver/family/family.h"
#include "solver/track/track.h"

/* Paths that are tracked together, which bounds the memory of a call; and on a GPU, where those at the end of a batch leave most of it idle. */
enum { TOGETHER = 1 << 15, TOGETHER_ON_GPU = 1 << 16 };

#define SAY(status, ...) plumb_say(status, context->message, sizeof context->message, __VA_ARGS__)

const char *plumb_instance_name(int32_t code)
{
    static const char *const names[] = {"generic", "special", "incomplete", "solved anew", "stopped"};
    return code >= 0 && code <= PLUMB_INSTANCE_STOPPED ? names[code] : "unknown code";
}

void plumb_family_options_init(plumb_family_options *options)
{
    if (options)
        *options = (plumb_family_options){.size = sizeof *options, .reruns = 2, .max_steps = 10000, .seed = 1};
}

/* ---- A part of the targets --------------------------------------------------------------------------------------- */

/* A call, and the targets of it that are worked on: first .. first + count - 1. */
typedef struct family_run {
    plumb_context *context;
    const plumb_family *family;
    plumb_family_options options;
    const plumb_view *targets;
    plumb_view *solutions;
    plumb_solution_record *records;
    plumb_instance *instances;
    bool real;                   /* the coefficients are real */
    int32_t prec;                /* of the solutions */
    int32_t backend;             /* the machine that tracks: PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU */
    plumb_view starts;           /* the generic solutions, where paths begin (plumb_family_translate) */
    int64_t done, failed, total; /* paths, for the progress */
    bool stopped;
    int64_t first, count;
    double *values; /* of the targets, as track_moving has them */
    bool *real_target;
    family_points *points; /* one per target; empty when it is finished */
    double *bend;
    int32_t *neighbour; /* of each target: PLUMB_NEIGHBOUR_... */
    double *near_from,
        *near_bend; /* of each target: the parameters of the one before it, and the bend of the arc from there */
    bool all_paths; /* no path of the batch stands for others */
    bool repairs;   /* paths of these targets have been counted before */
} family_run;

/* The arc from the target before. */
enum { ARC_NEAR = -1 };

/* The paths to some of the targets, and where they end. */
typedef struct family_batch {
    int64_t count;   /* targets */
    int64_t tracked; /* paths per target; the others follow by changes of signs */
    int64_t *which;
    int64_t *number;
    int32_t *row, *start;
    plumb_view starts, ends; /* starts: of arcs from a neighbour; those of others are shared */
    plumb_path_record *records;
} family_batch;

static void batch_free(plumb_context *context, family_batch *b)
{
    plumb_array_destroy(context, &b->starts);
    plumb_array_destroy(context, &b->ends);
    free(b->number);
    free(b->row);
    free(b->start);
    free(b->records);
}

/* Makes the paths to the targets of a list: all of them, or those that lead the others. */
static plumb_status batch_make(const family_run *run, int64_t *which, int64_t count, bool all_paths, family_batch *b)
{
    const plumb_family *family = run->family;
    const int64_t paths = family->paths, tracked = all_paths ? paths : family->leaders, all = count * tracked;
    plumb_context *context = run->context;
    *b = (family_batch){.count = count, .tracked = tracked, .which = which};
    b->number = malloc((size_t)all * sizeof *b->number);
    b->row = malloc((size_t)all * sizeof *b->row);
    b->start = malloc((size_t)all * sizeof *b->start);
    b->records = malloc((size_t)all * sizeof *b->records);
    if (!b->number || !b->row || !b->start || !b->records)
        return SAY(PLUMB_ERR_MEMORY, "out of memory");
    for (int64_t t = 0, k = 0; t < count; t++)
        for (int64_t i = 0; i < b->tracked; i++, k++) {
            b->number[k] = b->tracked < paths ? family->leader[i] : i;
            b->start[k] = (int32_t)b->number[k];
            b->row[k] = (int32_t)which[t];
        }
    return plumb_array_create(context, PLUMB_HOST, run->prec, PLUMB_COMPLEX, family->unknowns, 1, all, &b->ends);
}

/* The paths begin at the solutions of the target before each of them. */
static plumb_status batch_start_near(const family_run *run, family_batch *b)
{
    const plumb_status status = plumb_array_create(run->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX,
                                                   run->family->unknowns, 1, b->count * b->tracked, &b->starts);
    if (status != PLUMB_OK)
        return status;
    const int64_t n = run->family->unknowns, paths = run->family->paths, m = run->family->parameters;
    const plumb_view *from = run->solutions;
    plumb_random random = plumb_random_start(run->options.seed);
    const double re = plumb_random_unit(&random) - 0.5, im = 1.5 + plumb_random_unit(&random);
    for (int64_t t = 0; t < b->count; t++) {
        const int64_t local = b->which[t], before = run->first + local - 1;
        double *at = run->near_from + local * 2 * m, *bend = run->near_bend + local * 2 * m;
        for (int64_t k = 0; k < m; k++) {
            double way[2];
            for (int32_t part = 0; part < 2; part++) {
                const int64_t place = part * PLUMB_QD * m + k, each = 2 * PLUMB_QD * m;
                at[part * m + k] = run->values[(local - 1) * each + place];
                way[part] = at[part * m + k] - run->values[local * each + place];
            }
            bend[k] = re * way[0] - im * way[1];
            bend[m + k] = re * way[1] + im * way[0];
        }
        for (int64_t k = 0; k < paths; k++)
            for (int32_t part = 0; part < 2; part++)
                for (int32_t c = 0; c < PLUMB_QD; c++)
                    for (int64_t i = 0; i < n; i++)
                        b->starts.data[(t * paths + k) * b->starts.next + (part * PLUMB_QD + c) * b->starts.plane + i] =
                            c < run->prec ? from->data[(before * paths + k) * from->next +
                                                       (part * run->prec + c) * from->plane + i]
                                          : 0.0;
        plumb_family_clear(&b->starts, t * paths, paths, run->instances[before].error);
    }
    plumb_family_translate(run->family, &b->starts, 1.0);
    return PLUMB_OK;
}

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    family_run *run = data;
    (void)total;
    const int64_t each = run->all_paths ? 1 : run->family->paths / run->family->leaders; /* paths of an orbit, about */
    const int result =
        run->options.progress(run->options.data, run->done + done * each, run->failed + failed, run->total);
    run->stopped = run->stopped || result;
    return result;
}

/* The same on other arcs, whose paths are not counted; also while a target is solved anew. */
static int on_more(void *data)
{
    family_run *run = data;
    run->stopped = run->stopped || run->options.progress(run->options.data, run->done, run->failed, run->total);
    return run->stopped;
}
static int on_rerun(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)done, (void)failed, (void)total;
    return on_more(data);
}

/* The bend of an arc: none the first time, then random numbers of the size of the generic parameters. */
static const double *bend_of(const family_run *run, int32_t arc)
{
    plumb_random random = plumb_random_start(run->options.seed + (uint64_t)arc);
    for (int64_t k = 0; k < 2 * run->family->parameters; k++)
        run->bend[k] = 2.0 * plumb_random_unit(&random) - 1.0;
    return arc == 0 ? NULL : run->bend;
}

static plumb_status batch_track(family_run *run, family_batch *b, int32_t arc)
{
    const plumb_family *family = run->family;
    const bool last = arc > 0 && arc == run->options.reruns; /* in the highest precision */
    run->all_paths = b->tracked == family->paths;
    const bool near = arc == ARC_NEAR, first = near || (arc == 0 && !run->repairs);
    const track_moving moving = {.points = family->parameters,
                                 .row = b->row,
                                 .targets = run->values,
                                 .from = near ? run->near_from : family->from,
                                 .bend = near ? run->near_bend : bend_of(run, arc),
                                 .own = near};
    const track_part part = {.paths = b->number,
                             .of_paths = family->paths, /* of a target: bits do not depend on the other ones */
                             .rerun = near ? 0 : arc,
                             .separate = true,
                             .start = near ? NULL : b->start,
                             .backend = run->backend,
                             .moving = &moving};
    plumb_track_options options;
    plumb_track_options_init(&options);
    options.prec = last ? run->prec : run->options.prec;
    options.max_steps = run->options.max_steps;
    options.seed = run->options.seed;
    options.progress = !run->options.progress ? NULL : first ? on_progress : on_rerun;
    options.data = run;
    plumb_view starts = near ? b->starts : run->starts, ends = b->ends;
    ends.batch = b->count * b->tracked;
    const plumb_status status =
        track_paths(run->context, plumb_family_homotopy(family), &part, &starts, &ends, &options, b->records);
    plumb_family_translate(family, &ends, -1.0);
    run->done += first ? b->count * family->paths : 0;
    return status;
}

/* ---- The solutions of a target ----------------------------------------------------------------------------------- */

static int32_t digits_of(double error)
{
    const double digits = -log10(error > 0.0 ? error : 1e-64);
    return digits > 0.0 ? (int32_t)fmin(digits, 64.0) : 0;
}

static plumb_solution_record record_of(const plumb_path_record *path, bool real)
{
    return (plumb_solution_record){.multiplicity = 1,
                                   .error = path->error,
                                   .rcond = path->condition > 1.0 ? 1.0 / path->condition : 1.0,
                                   .residual = path->residual,
                                   .t = {1.0, 0.0},
                                   .kind = path->code == PLUMB_PATH_SUCCESS ? PLUMB_SOLUTION_REGULAR
                                                                            : PLUMB_SOLUTION_SINGULAR,
                                   .real = real,
                                   .prec = path->prec,
                                   .known = digits_of(path->component_error)};
}

/* Moves an entry of the arrays of the call to the next place. */
static void move_entry(const family_run *run, int64_t entry)
{
    const plumb_view *v = run->solutions;
    for (int64_t c = 0; c < 2 * v->prec; c++)
        memcpy(v->data + (entry + 1) * v->next + c * v->plane, v->data + entry * v->next + c * v->plane,
               (size_t)v->rows * sizeof *v->data);
    if (run->records)
        run->records[entry + 1] = run->records[entry];
}

/* Puts a solution into the arrays of the call: behind those that are positive, or real, or all, if it is that. */
static void put_solution(const family_run *run, int64_t target, const double *x, int64_t plane,
                         const plumb_solution_record *record, double error)
{
    plumb_instance *instance = &run->instances[target];
    const int64_t n = run->family->unknowns, first = target * run->family->paths;
    bool positive = record->real;
    for (int64_t i = 0; i < n; i++)
        positive = positive && x[i] > error * fmax(1.0, fabs(x[i]));
    const int64_t place = positive ? instance->positive : record->real ? instance->real : instance->solutions;
    for (int64_t k = instance->solutions; k > place; k--)
        move_entry(run, first + k - 1);
    double *to = run->solutions->data + (first + place) * run->solutions->next;
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < 2 * run->prec; c++)
            to[c * run->solutions->plane + i] = record->real && c >= run->prec ? 0.0 : x[c * plane + i];
    if (run->records)
        run->records[first + place] = *record;
    instance->solutions++;
    instance->real += record->real;
    instance->positive += positive;
    instance->error = fmax(instance->error, error);
}

static void put_points(const family_run *run, int64_t target, const family_points *points)
{
    const int64_t n = points->unknowns;
    for (int64_t k = 0; k < points->count && k < run->family->paths; k++) {
        const bool real = run->real && run->real_target[target - run->first] && plumb_family_point_real(points, k);
        const plumb_solution_record record = record_of(&points->record[k], real);
        put_solution(run, target, points->x + k * 2 * points->prec * n, n, &record, points->record[k].component_error);
    }
}

/* The ends of all paths of a target: entries first, first + 1, ... */
typedef struct target_ends {
    plumb_view ends;
    const plumb_path_record *records;
    int64_t first;
} target_ends;

/* The singular solutions: paths whose ends agree within their errors are one. */
static void put_singular(const family_run *run, int64_t target, const target_ends *b)
{
    const int64_t paths = run->family->paths, n = run->family->unknowns, first = b->first;
    for (int64_t k = first; k < first + paths; k++) {
        const plumb_path_record *own = &b->records[k];
        int64_t members = 0;
        bool leads = own->code == PLUMB_PATH_SINGULAR || own->code == PLUMB_PATH_NOT_ISOLATED;
        const double *x = b->ends.data + k * b->ends.next, *im = x + b->ends.prec * b->ends.plane;
        for (int64_t j = first; j < first + paths && leads; j++) {
            const plumb_path_record *other = &b->records[j];
            const double *y = b->ends.data + j * b->ends.next;
            double apart = 0.0;
            if (other->code != PLUMB_PATH_SINGULAR && other->code != PLUMB_PATH_NOT_ISOLATED)
                continue;
            for (int64_t i = 0; i < n; i++)
                apart = fmax(apart, plumb_modulus(x[i] - y[i], im[i] - y[b->ends.prec * b->ends.plane + i]) /
                                        fmax(1.0, plumb_modulus(x[i], im[i])));
            if (apart <= 64.0 * (own->component_error + other->component_error)) {
                members++;
                leads = j >= k;
            }
        }
        if (!leads || run->instances[target].solutions == paths)
            continue;
        double off = 0.0;
        for (int64_t i = 0; i < n; i++)
            off = fmax(off, fabs(im[i]) / fmax(1.0, fabs(x[i])));
        const bool real = run->real && run->real_target[target - run->first] && off <= 64.0 * own->component_error;
        plumb_solution_record record = record_of(own, real);
        record.multiplicity = members;
        put_solution(run, target, x, b->ends.plane, &record, own->component_error);
    }
}

/* Judges the target after an arc. Returns true if its paths need not be tracked again. */
static bool judge(const family_run *run, int64_t local, const target_ends *b, int32_t arc)
{
    const int64_t paths = run->family->paths, target = run->first + local;
    plumb_instance *instance = &run->instances[target];
    family_points *points = &run->points[local];
    family_account account;
    plumb_family_points_add(points, &b->ends, b->records, b->first, paths, &account);
    const bool near = arc == ARC_NEAR;
    *instance = (plumb_instance){.arcs = arc + 1 + (run->neighbour[local] != PLUMB_NEIGHBOUR_NONE),
                                 .neighbour = run->neighbour[local],
                                 .regular = account.regular,
                                 .singular = account.singular,
                                 .infinite = account.infinite,
                                 .failed = account.failed};
    const bool symmetric = !run->real || !run->real_target[local] || plumb_family_points_symmetric(points);
    const bool sound = !account.doubtful && symmetric;
    const bool generic = sound && points->count == paths;
    const bool special = !near && sound && account.failed == 0 && points->count == account.regular;
    const bool last = arc == run->options.reruns || account.stopped > 0;
    if (near && !generic && !last) { /* as if there had been no neighbour */
        plumb_family_points_clear(points);
        run->neighbour[local] = PLUMB_NEIGHBOUR_REPAIRED;
    }
    if (!generic && !last && !(special && arc > 0))
        return false;
    instance->code = account.stopped > 0 ? PLUMB_INSTANCE_STOPPED
                     : generic           ? PLUMB_INSTANCE_GENERIC
                     : special           ? PLUMB_INSTANCE_SPECIAL
                                         : PLUMB_INSTANCE_INCOMPLETE;
    if (generic) { /* whatever paths of the last arc missed, those of other arcs found */
        instance->regular = paths;
        instance->singular = instance->infinite = instance->failed = 0;
    }
    put_points(run, target, points);
    if (!generic)
        put_singular(run, target, b);
    plumb_family_points_end(points);
    return true;
}

/* ---- Targets that are not like generic ones ---------------------------------------------------------------------- */

/* Replaces the solutions of a target by those of plumb_solve, if there is room for them. */
static plumb_status put_anew(const family_run *run, int64_t target, const plumb_solutions *found,
                             const plumb_solve_report *report)
{
    const int64_t n = run->family->unknowns, count = plumb_solutions_count(found);
    plumb_instance *instance = &run->instances[target];
    plumb_context *context = run->context;
    plumb_view x = {.data = NULL};
    if (count > run->family->paths || report->not_isolated > 0)
        return PLUMB_OK;
    plumb_status status = plumb_array_create(context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, n, 1, 1, &x);
    instance->solutions = instance->real = instance->positive = 0;
    instance->error = 0.0;
    for (int64_t k = 0; k < count && status == PLUMB_OK; k++) {
        plumb_solution_record record;
        status = plumb_solutions_get(found, k, &x);
        if (status == PLUMB_OK)
            status = plumb_solutions_get_record(found, k, &record);
        if (status != PLUMB_OK)
            break;
        double limbs[2 * PLUMB_QD]; /* of an unknown, in the precision of the call */
        for (int64_t i = 0; i < n; i++) {
            for (int32_t c = 0; c < 2 * PLUMB_QD; c++)
                limbs[c] = x.data[c * x.plane + i];
            for (int32_t part = 0; part < 2; part++)
                for (int32_t c = 0; c < run->prec; c++)
                    x.data[(part * run->prec + c) * x.plane + i] = limbs[part * PLUMB_QD + c];
        }
        put_solution(run, target, x.data, x.plane, &record, record.error);
    }
    if (status == PLUMB_OK)
        instance->code = plumb_solve_verdict(report, NULL, 0) == PLUMB_SOLVE_COMPLETE ? PLUMB_INSTANCE_ANEW
                                                                                      : PLUMB_INSTANCE_INCOMPLETE;
    plumb_array_destroy(context, &x);
    return status;
}

static plumb_status solve_anew(family_run *run, int64_t target)
{
    plumb_solve_options options;
    plumb_solve_report report;
    plumb_solutions *found = NULL;
    plumb_system *system = NULL;
    plumb_context *context = run->context;
    plumb_view at = *run->targets;
    at.data += target * at.next;
    at.batch = 1;
    plumb_solve_options_init(&options);
    options.seed = run->options.seed;
    options.max_steps = run->options.max_steps;
    options.stop = run->options.progress ? on_more : NULL;
    options.data = run;
    plumb_status status = plumb_family_at(run->family, &at, &system);
    if (status != PLUMB_OK)
        return SAY(status, "the system of a target cannot be made: %s", plumb_status_text(status));
    const plumb_status solved = plumb_solve(context, system, &options, &found);
    if (solved == PLUMB_OK && plumb_solutions_report(found, &report) == PLUMB_OK)
        status = put_anew(run, target, found, &report);
    if (run->stopped)
        run->instances[target].code = PLUMB_INSTANCE_STOPPED;
    if (solved == PLUMB_ERR_MEMORY)
        status = solved;
    context->message[0] = 0; /* a system that plumb_solve refuses stays what it is */
    plumb_solutions_destroy(found);
    plumb_system_destroy(system);
    return status;
}

/* ---- All targets ------------------------------------------------------------------------------------------------- */

/* Targets that are judged after an arc, by threads that take some at a time. */
typedef struct judge_share {
    const family_run *run;
    const family_batch *b;
    int32_t arc;
    bool *done; /* of each target: its paths need not be tracked again */
    team_counter next;
    int32_t no_memory;
} judge_share;

/* Adds the paths that were not tracked, and the zeros of unknowns whose sign a change flips that leaves the solution as it is. Room for the
 * paths of one target. */
static void expand(const family_run *run, const family_batch *b, int64_t t, double *ends, plumb_path_record *records)
{
    const plumb_family *family = run->family;
    const int64_t n = family->unknowns, next = b->ends.next;
    for (int64_t k = 0; k < family->paths; k++) {
        const int64_t lead = family->place[k], from = t * b->tracked + lead;
        double *to = ends + k * next;
        memcpy(to, b->ends.data + from * next, (size_t)next * sizeof *to);
        for (int64_t c = 0; c < 2 * b->ends.prec; c++)
            for (int64_t i = 0; i < n; i++)
                if (family->zero[lead * n + i])
                    to[c * b->ends.plane + i] = 0.0;
        plumb_family_change_signs(family->signs + family->change[k] * n, to, n, 2 * b->ends.prec, b->ends.plane);
        records[k] = b->records[from];
    }
}

static void judge_some(void *data, team *t, int32_t index, int32_t threads)
{
    enum { EACH = 8 };
    judge_share *share = data;
    const family_run *run = share->run;
    const family_batch *b = share->b;
    const int64_t paths = run->family->paths;
    const bool expands = b->tracked < paths;
    double *ends = expands ? malloc((size_t)(paths * b->ends.next) * sizeof *ends) : NULL;
    plumb_path_record *records = expands ? malloc((size_t)paths * sizeof *records) : NULL;
    target_ends of = {.ends = b->ends, .records = b->records};
    (void)t, (void)index, (void)threads;
    if (expands) {
        of.ends.data = ends;
        of.records = records;
    }
    if (expands && (!ends || !records))
        __atomic_store_n(&share->no_memory, 1, __ATOMIC_RELAXED);
    for (int64_t k; (!expands || (ends && records)) && (k = team_take(&share->next, EACH)) < b->count;)
        for (int64_t i = k; i < k + EACH && i < b->count; i++) {
            if (expands)
                expand(run, b, i, ends, records);
            of.first = expands ? 0 : i * paths;
            share->done[i] = judge(run, b->which[i], &of, share->arc);
        }
    free(ends);
    free(records);
}

/* Judges all targets of a batch. A few are not worth the threads. */
static plumb_status judge_all(const family_run *run, const family_batch *b, int32_t arc, bool *done)
{
    const int64_t shared = 256; /* paths from which threads share them */
    plumb_context *context = run->context;
    judge_share share = {.run = run, .b = b, .arc = arc, .done = done};
    const int32_t threads = b->count * run->family->paths >= shared ? context->cpu.threads : 1;
    const plumb_status status =
        threads > 1 ? team_start(&context->cpu.team, threads, context->message, sizeof context->message) : PLUMB_OK;
    if (status == PLUMB_OK)
        team_run(threads > 1 ? context->cpu.team : NULL, threads, judge_some, &share);
    return status == PLUMB_OK && share.no_memory ? SAY(PLUMB_ERR_MEMORY, "out of memory") : status;
}

/* Tracks the paths to the targets of the part on one arc, and lists those that have to be tracked again. */
static plumb_status track_arc(family_run *run, int64_t *which, int64_t *count, int32_t arc)
{
    family_batch b = {.count = 0};
    int64_t left = 0;
    bool *done = calloc((size_t)*count + 1, sizeof *done);
    if (!done)
        return plumb_say(PLUMB_ERR_MEMORY, run->context->message, sizeof run->context->message, "out of memory");
    plumb_status status = batch_make(run, which, *count, arc == ARC_NEAR, &b);
    if (status == PLUMB_OK && arc == ARC_NEAR)
        status = batch_start_near(run, &b);
    if (status == PLUMB_OK)
        status = batch_track(run, &b, arc);
    if (status == PLUMB_OK)
        status = judge_all(run, &b, arc, done);
    for (int64_t t = 0; t < *count && status == PLUMB_OK; t++)
        if (!done[t])
            which[left++] = b.which[t];
    *count = left;
    free(done);
    batch_free(run->context, &b);
    return status;
}

/* Solves for the targets of a list from the generic solutions. */
static plumb_status solve_list(family_run *run, int64_t *which, int64_t count)
{
    plumb_status status = PLUMB_OK;
    for (int32_t arc = 0; count > 0 && status == PLUMB_OK; arc++)
        status = track_arc(run, which, &count, arc);
    return status;
}

/* True if paths to a target of the part can begin at the solutions of the one before it. */
static bool has_neighbour(const family_run *run, int64_t local)
{
    return run->options.neighbours > 1 && local % run->options.neighbours > 0 &&
           run->instances[run->first + local - 1].code == PLUMB_INSTANCE_GENERIC;
}

/* Solves for the targets at one place of their groups; which has room for all of the part. */
static plumb_status solve_place(family_run *run, int64_t place, int64_t group, int64_t *which)
{
    int64_t count = 0;
    plumb_status status = PLUMB_OK;
    run->repairs = false;
    for (int64_t t = place; t < run->count; t += group)
        if (!has_neighbour(run, t))
            which[count++] = t;
    status = solve_list(run, which, count);
    count = 0;
    for (int64_t t = place; t < run->count; t += group)
        if (has_neighbour(run, t)) {
            run->neighbour[t] = PLUMB_NEIGHBOUR_TAKEN;
            which[count++] = t;
        }
    if (count > 0 && status == PLUMB_OK)
        status = track_arc(run, which, &count, ARC_NEAR);
    run->repairs = true;
    return status == PLUMB_OK ? solve_list(run, which, count) : status;
}

static plumb_status solve_part(family_run *run)
{
    const plumb_family *family = run->family;
    const plumb_view *targets = run->targets;
    const int64_t m = family->parameters;
    const int64_t group = run->options.neighbours > 1 ? run->options.neighbours : 1;
    int64_t *which = malloc((size_t)run->count * sizeof *which);
    plumb_status status = which ? PLUMB_OK : PLUMB_ERR_MEMORY;
    for (int64_t t = 0; t < run->count && status == PLUMB_OK; t++) {
        run->neighbour[t] = PLUMB_NEIGHBOUR_NONE;
        run->real_target[t] = true;
        for (int64_t k = 0; k < m; k++)
            for (int32_t part = 0; part < 2; part++)
                for (int32_t c = 0; c < PLUMB_QD; c++) {
                    const bool is = part < targets->parts && c < targets->prec;
                    const double value = is ? targets->data[(run->first + t) * targets->next +
                                                            (part * targets->prec + c) * targets->plane + k]
                                            : 0.0;
                    run->values[t * 2 * PLUMB_QD * m + (part * PLUMB_QD + c) * m + k] = value;
                    run->real_target[t] = run->real_target[t] && (part == 0 || value == 0.0);
                }
        status = plumb_family_points_begin(family->paths, family->unknowns, run->prec, &run->points[t]);
    }
    if (status != PLUMB_OK)
        status = plumb_say(status, run->context->message, sizeof run->context->message, "out of memory");
    for (int64_t place = 0; place < group && place < run->count && status == PLUMB_OK; place++)
        status = solve_place(run, place, group, which);
    for (int64_t t = 0; t < run->count; t++)
        plumb_family_points_end(&run->points[t]);
    for (int64_t t = run->first; t < run->first + run->count && status == PLUMB_OK && run->options.anew; t++)
        if (run->instances[t].code == PLUMB_INSTANCE_SPECIAL || run->instances[t].code == PLUMB_INSTANCE_INCOMPLETE) {
            if (run->stopped)
                run->instances[t].code = PLUMB_INSTANCE_STOPPED;
            else
                status = solve_anew(run, t);
        }
    free(which);
    return status;
}

/* The generic solutions in the unknowns of the homotopy. */
static plumb_status make_starts(family_run *run)
{
    const plumb_view given = plumb_family_starts(run->family);
    plumb_status status =
        plumb_array_create(run->context, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, given.rows, 1, given.batch, &run->starts);
    if (status == PLUMB_OK)
        status = plumb_copy(run->context, &given, &run->starts, NULL);
    if (status == PLUMB_OK)
        plumb_family_translate(run->family, &run->starts, 1.0);
    return status;
}

static plumb_status solve_all(family_run *run)
{
    const int64_t paths = run->family->paths, m = run->family->parameters;
    const int64_t together = run->backend == PLUMB_BACKEND_GPU ? TOGETHER_ON_GPU : TOGETHER,
                  group = run->options.neighbours, room = paths < together ? together / paths : 1;
    const int64_t most = group > 1 && room > group ? room - room % group : room; /* whole groups */
    const int64_t each = most < run->targets->batch ? most : run->targets->batch;
    plumb_context *context = run->context;
    run->values = malloc((size_t)(each * 2 * PLUMB_QD * m + 1) * sizeof *run->values);
    run->bend = malloc((size_t)(2 * m) * sizeof *run->bend);
    run->real_target = malloc((size_t)(each + 1) * sizeof *run->real_target);
    run->points = calloc((size_t)(each + 1), sizeof *run->points);
    run->neighbour = calloc((size_t)(each + 1), sizeof *run->neighbour);
    run->near_from = malloc((size_t)(group > 1 ? each * 2 * m : 1) * sizeof *run->near_from);
    run->near_bend = malloc((size_t)(group > 1 ? each * 2 * m : 1) * sizeof *run->near_bend);
    plumb_status status = run->values && run->bend && run->real_target && run->points && run->neighbour &&
                                  run->near_from && run->near_bend
                              ? PLUMB_OK
                              : SAY(PLUMB_ERR_MEMORY, "out of memory");
    if (status == PLUMB_OK)
        status = make_starts(run);
    for (run->first = 0; run->first < run->targets->batch && status == PLUMB_OK; run->first += each) {
        run->count = each < run->targets->batch - run->first ? each : run->targets->batch - run->first;
        for (int64_t t = run->first; t < run->first + run->count && run->stopped; t++)
            run->instances[t] = (plumb_instance){.code = PLUMB_INSTANCE_STOPPED};
        if (!run->stopped)
            status = solve_part(run);
    }
    free(run->values);
    free(run->bend);
    free(run->real_target);
    free(run->points);
    free(run->neighbour);
    free(run->near_from);
    free(run->near_bend);
    plumb_array_destroy(context, &run->starts);
    return status;
}

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static plumb_status read_options(plumb_context *context, const plumb_family_options *given,
                                 plumb_family_options *options)
{
    static const option_field fields[] = {
        OPTION_PRECISION(plumb_family_options, prec),
        OPTION_RANGE(plumb_family_options, reruns, OPTION_INT32, 0.0, 8.0),
        OPTION_FLAG(plumb_family_options, anew),
        OPTION_RANGE(plumb_family_options, neighbours, OPTION_INT32, 0.0, 1e6),
        OPTION_RANGE(plumb_family_options, max_steps, OPTION_INT64, 1.0, (double)INFINITY),
        OPTION_END};
    plumb_family_options_init(options);
    return plumb_options_take(given, options, fields, context->message, sizeof context->message);
}

static plumb_status check_view(plumb_context *context, const plumb_view *view, const char *name, int64_t rows)
{
    if (!view)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", name);
    plumb_status status = plumb_view_check(view, name, context->message, sizeof context->message);
    if (status != PLUMB_OK)
        return status;
    if (view->rows != rows || view->cols != 1 || view->where != PLUMB_HOST)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is %lld x %lld, expected %lld x 1 on the host", name, (long long)view->rows,
                   (long long)view->cols, (long long)rows);
    return PLUMB_OK;
}

static plumb_status check(const family_run *run)
{
    plumb_context *context = run->context;
    const plumb_family *family = run->family;
    const plumb_view *targets = run->targets, *solutions = run->solutions;
    int64_t entries;
    if (!family)
        return SAY(PLUMB_ERR_ARGUMENT, "family is NULL");
    if (family->paths == 0)
        return SAY(PLUMB_ERR_ARGUMENT, "the family has no generic solutions yet (plumb_family_generic)");
    plumb_status status = check_view(context, targets, "targets", family->parameters);
    if (status == PLUMB_OK)
        status = check_view(context, solutions, "solutions", family->unknowns);
    if (status != PLUMB_OK)
        return status;
    if (!size_mul(targets->batch, family->paths, &entries) || solutions->batch != entries)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is a batch of %lld, expected %lld: %lld per target",
                   (long long)solutions->batch, (long long)targets->batch * family->paths, (long long)family->paths);
    if (solutions->parts != PLUMB_COMPLEX || solutions->prec != run->prec)
        return SAY(PLUMB_ERR_ARGUMENT, "solutions is to be complex and in %s", plumb_prec_name(run->prec));
    if (!run->instances && targets->batch > 0)
        return SAY(PLUMB_ERR_ARGUMENT, "instances is NULL");
    for (int64_t b = 0; b < targets->batch; b++)
        for (int64_t c = 0; c < (int64_t)targets->parts * targets->prec; c++)
            for (int64_t i = 0; i < targets->rows; i++)
                if (!isfinite(targets->data[b * targets->next + c * targets->plane + i]))
                    return SAY(PLUMB_ERR_NONFINITE, "target %lld: parameter %s is not finite", (long long)(b + 1),
                               plumb_system_name(family->system, family->unknowns + i));
    return PLUMB_OK;
}

bool plumb_family_is_real(const plumb_family *family)
{
    const plumb_system *system = family->system;
    for (int64_t t = 0; t < system->equation[system->equations]; t++)
        if (mpq_sgn(system->terms[t].im) != 0)
            return false;
    return true;
}

/* The paths to so many targets. */
static int64_t paths_of_job(const plumb_family *family, int64_t targets)
{
    int64_t paths;
    return size_mul(targets, family->leaders, &paths) ? paths : INT64_MAX;
}

plumb_status plumb_family_solve(plumb_context *context, const plumb_family *family, const plumb_view *targets,
                                const plumb_family_options *options, plumb_view *solutions,
                                plumb_solution_record *records, plumb_instance *instances)
{
    return plumb_family_solve_part(context, family, targets, targets ? targets->batch : 0, options, solutions, records,
                                   instances);
}

plumb_status plumb_family_solve_part(plumb_context *context, const plumb_family *family, const plumb_view *targets,
                                     int64_t job, const plumb_family_options *options, plumb_view *solutions,
                                     plumb_solution_record *records, plumb_instance *instances)
{
    family_run run = {.context = context,
                      .family = family,
                      .targets = targets,
                      .solutions = solutions,
                      .records = records,
                      .instances = instances};
    if (!context)
        return plumb_no_context();
    plumb_status status = read_options(context, options, &run.options);
    run.prec = run.options.prec ? run.options.prec : PLUMB_QD;
    if (status == PLUMB_OK)
        status = check(&run);
    if (status != PLUMB_OK || targets->batch == 0)
        return status;
    run.backend = job > 0 && plumb_context_tracks_on_gpu(context, paths_of_job(family, job), family->unknowns)
                      ? PLUMB_BACKEND_GPU
                      : PLUMB_BACKEND_CPU;
    run.real = plumb_family_is_real(family);
    run.total = targets->batch * family->paths;
    for (int64_t k = 0; k < solutions->batch; k++) {
        if (records)
            records[k] = (plumb_solution_record){.multiplicity = 0};
        for (int64_t c = 0; c < 2 * solutions->prec; c++)
            memset(solutions->data + k * solutions->next + c * solutions->plane, 0,
                   (size_t)solutions->rows * sizeof(double));
    }
    return solve_all(&run);
}

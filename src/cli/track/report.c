/* report.c - the summary of a run: numbers of paths by how they ended, as a table or as JSON. */
#include <stdlib.h>

#include "app/app.h"
#include "app/files.h"
#include "app/report.h"
#include "base/number/precision.h"
#include "cli/track/track.h"

enum { MOST_WINDING = 64, SHOWN = 10, LISTED = 1000 };

typedef struct track_counts {
    int64_t done, failed, shared; /* shared: regular endpoints that other paths have too */
    int64_t points;               /* distinct endpoints */
    int64_t code[PLUMB_PATH_CODES], prec[PRECISION_COUNT], winding[MOST_WINDING + 1];
    int64_t steps, most_steps, again; /* again: tracked more than once */
} track_counts;

static void count_path(const run_state *run, int64_t k, track_counts *c)
{
    const run_path *s = &run->states[k];
    if (s->line < 0)
        return;
    c->done++;
    c->failed += run_path_failed(s);
    c->points += run->groups[k].centre == k;
    c->shared += s->end.code == PLUMB_PATH_SUCCESS && run->groups[k].regular > 1;
    c->code[s->end.code]++;
    for (int i = 0; i < PRECISION_COUNT; i++)
        c->prec[i] += s->most_prec == plumb_precisions[i].limbs;
    if (s->end.code == PLUMB_PATH_SINGULAR)
        c->winding[s->winding < MOST_WINDING ? s->winding : MOST_WINDING]++;
    c->steps += s->steps;
    c->most_steps = s->steps > c->most_steps ? s->steps : c->most_steps;
    c->again += s->reruns > 0;
}

static track_counts count_all(const run_state *run)
{
    track_counts c = {0};
    for (int64_t k = 0; k < run->job->count; k++)
        count_path(run, k, &c);
    return c;
}

/* Calls each with the records of the first paths that satisfy the condition; false when the journal cannot be read. */
typedef void report_record(void *data, const plumb_path_record *record);
static bool for_failed(run_state *run, int most, report_record *each, void *data)
{
    run_found_path path = {.x = malloc((size_t)run->job->unknowns * 2 * PLUMB_QD * sizeof *path.x)};
    bool good = path.x != NULL;
    for (int64_t k = 0; good && k < run->job->count && most > 0; k++) {
        if (!run_path_failed(&run->states[k]))
            continue;
        good = run_read(run, k, &path);
        if (good)
            each(data, &path.record);
        most--;
    }
    free(path.x);
    return good;
}

/* ---- Text -------------------------------------------------------------------------------------------------------- */

/* Explains why a path failed. */
static void say_why(void *data, const plumb_path_record *r)
{
    FILE *out = data;
    const char *prec = plumb_prec_name(r->prec);
    fprintf(out, "path %lld: %s", (long long)r->path + 1, plumb_path_text((plumb_path_code)r->code));
    switch (r->code) {
    case PLUMB_PATH_PRECISION_EXHAUSTED:
        fprintf(out, " at t = %.10g: %s has too few digits for a condition of %.1e there", r->t, prec, r->condition);
        break;
    case PLUMB_PATH_STEP_TOO_SMALL:
        fprintf(out, " at t = %.10g: below %.1e in %s, condition %.1e", r->t, r->min_step, prec, r->condition);
        break;
    case PLUMB_PATH_TOO_MANY_STEPS:
        fprintf(out, ": %lld took it to t = %.10g", (long long)r->steps, r->t);
        break;
    case PLUMB_PATH_UNDECIDED:
        fprintf(out, ": in %s, with an error of %.1e and a condition of %.1e", prec, r->error, r->condition);
        break;
    default:
        break;
    }
    fputc('\n', out);
}

static void print_codes(FILE *out, const track_counts *c)
{
    for (int i = 0; i < PLUMB_PATH_CODES; i++) {
        if (c->code[i] == 0)
            continue;
        fprintf(out, "  %-36s%10lld", plumb_path_text((plumb_path_code)i), (long long)c->code[i]);
        const char *before = "   winding number ";
        for (int w = 1; i == PLUMB_PATH_SINGULAR && w <= MOST_WINDING; w++)
            if (c->winding[w] > 0) {
                fprintf(out, "%s%d%s: %lld", before, w, w == MOST_WINDING ? " or more" : "", (long long)c->winding[w]);
                before = ", ";
            }
        fputc('\n', out);
    }
}

static void print_scales(FILE *out, const run_job *job)
{
    const int32_t *exponent = job->homotopy->exponent;
    if (exponent == NULL)
        return;
    int32_t least = exponent[0], most = exponent[0];
    for (int64_t i = 1; i < job->unknowns; i++) {
        least = exponent[i] < least ? exponent[i] : least;
        most = exponent[i] > most ? exponent[i] : most;
    }
    fprintf(out, "  %-36s     2^%d to 2^%d\n", "unknowns scaled by", (int)least, (int)most);
}

static void print_counts(FILE *out, const run_state *run, const track_counts *c)
{
    const run_job *job = run->job;
    fprintf(out, "%lld of %lld path%s in %lld unknown%s, %s, %.3g s\n", (long long)c->done, (long long)job->count,
            job->count == 1 ? "" : "s", (long long)job->unknowns, job->unknowns == 1 ? "" : "s",
            job->options.prec != 0 ? plumb_prec_name(job->options.prec) : "auto", run->seconds);
    print_codes(out, c);
    if (c->points < c->code[PLUMB_PATH_SUCCESS] + c->code[PLUMB_PATH_SINGULAR] + c->code[PLUMB_PATH_NOT_ISOLATED])
        fprintf(out, "  %-36s%10lld\n", "distinct endpoints", (long long)c->points);
    fprintf(out, "  %-36s", "precision needed");
    for (int i = 0; i < PRECISION_COUNT; i++)
        if (c->prec[i] > 0)
            fprintf(out, "%10lld %s", (long long)c->prec[i], plumb_prec_name(plumb_precisions[i].limbs));
    fprintf(out, "\n  %-36s%10.1f per path, maximum %lld\n", "steps",
            c->done > 0 ? (double)c->steps / (double)c->done : 0, (long long)c->most_steps);
    print_scales(out, job);
    if (c->again > 0)
        fprintf(out, "  %-36s%10lld\n", "tracked again with shorter steps", (long long)c->again);
    if (c->shared > 0)
        fprintf(out, "  %-36s%10lld\n", "regular endpoints shared by paths", (long long)c->shared);
}

bool track_report_text(run_state *run)
{
    const track_words *words = track_words_of(run);
    FILE *out = app_is_stream(words->output) ? stderr : stdout; /* standard output has the solutions alone */
    track_counts c = count_all(run);
    print_counts(out, run, &c);
    bool good = for_failed(run, SHOWN, say_why, out);
    if (c.failed > SHOWN)
        fprintf(out, "and %lld more that failed\n", (long long)(c.failed - SHOWN));
    if (run->stopped)
        fprintf(out, "stopped%s\n",
                run->journal.path != NULL ? "; --resume continues" : " (with -o FILE, --resume could continue)");
    return good;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void list_record(void *data, const plumb_path_record *record)
{
    json_writer *w = data;
    json_open_object(w, NULL);
    run_record_write(w, record);
    json_close_object(w);
}

static void json_counts(json_writer *w, const track_counts *c)
{
    json_open_object(w, "paths_by_code");
    for (int i = 0; i < PLUMB_PATH_CODES; i++)
        if (i != PLUMB_PATH_STOPPED)
            json_int(w, plumb_path_text((plumb_path_code)i), c->code[i]);
    json_close_object(w);
    json_open_object(w, "paths_by_winding");
    for (int i = 1; i <= MOST_WINDING; i++)
        if (c->winding[i] > 0) {
            char number[16];
            snprintf(number, sizeof number, "%d", i);
            json_int(w, number, c->winding[i]);
        }
    json_close_object(w);
    json_open_object(w, "paths_by_precision");
    for (int i = 0; i < PRECISION_COUNT; i++)
        json_int(w, plumb_prec_name(plumb_precisions[i].limbs), c->prec[i]);
    json_close_object(w);
    json_int(w, "steps", c->steps);
    json_int(w, "most_steps", c->most_steps);
    json_int(w, "tracked_again", c->again);
    json_int(w, "shared_ends", c->shared);
    json_int(w, "distinct_ends", c->points);
}

bool track_report_json(run_state *run)
{
    const run_job *job = run->job;
    track_counts c = count_all(run);
    json_writer w = app_report_begin(stdout, "track");
    json_int(&w, "path_count", job->count);
    json_int(&w, "first_path", job->first + 1);
    json_int(&w, "done", c.done);
    json_int(&w, "failed", c.failed);
    json_bool(&w, "stopped", run->stopped);
    app_report_unknowns(&w, job->target);
    json_counts(&w, &c);
    json_string(&w, "precision", job->options.prec != 0 ? plumb_prec_name(job->options.prec) : "auto");
    app_report_backend(&w, run_is_on_gpu(job) ? PLUMB_BACKEND_GPU : PLUMB_BACKEND_CPU);
    json_int(&w, "threads", plumb_context_threads(job->context));
    json_uint(&w, "seed", job->options.seed);
    bool good = app_report_number(&w, "gamma", PLUMB_D, &job->homotopy->gamma[0], &job->homotopy->gamma[1]);
    json_open_array(&w, "scales");
    for (int64_t i = 0; i < job->unknowns && job->homotopy->exponent != NULL; i++)
        json_int(&w, NULL, job->homotopy->exponent[i]);
    json_close_array(&w);
    json_double(&w, "seconds", run->seconds);
    json_open_array(&w, "failures");
    good &= for_failed(run, LISTED, list_record, &w);
    json_close_array(&w);
    app_report_end(&w);
    return good;
}

/* batch.c - see batch.h. */
#include "cli/family/batch.h"

#include <stdlib.h>

#include "app/app.h"
#include "app/stop.h"
#include "base/number/precision.h"
#include "cli/cli.h"
#include "solver/family/family.h"

/* Paths that are tracked together; fewer targets if each has many. */
enum { MOST_PATHS = 1 << 16 };

int64_t family_batch_size(const plumb_family *family, int64_t group, int64_t most)
{
    const int64_t paths = plumb_family_paths(family);
    const int64_t room = paths >= MOST_PATHS ? 1 : MOST_PATHS / paths < most ? MOST_PATHS / paths : most;
    return group > 1 && room > group ? room - room % group : room;
}

int family_batch_begin(family_batch *batch)
{
    const family_words *words = batch->words;
    const int64_t paths = plumb_family_paths(batch->family), m = plumb_family_parameters(batch->family);
    const int32_t prec = words->prec == APP_AUTO ? PLUMB_QD : app_precision(words->prec);
    batch->limbs = malloc((size_t)(batch->each * 2 * PLUMB_QD * m) * sizeof *batch->limbs);
    batch->records = malloc((size_t)(batch->each * paths) * sizeof *batch->records);
    batch->instances = malloc((size_t)batch->each * sizeof *batch->instances);
    if (batch->limbs == NULL || batch->records == NULL || batch->instances == NULL)
        return app_fail(words->command, "out of memory");
    const plumb_status status =
        plumb_array_create(batch->context, PLUMB_HOST, prec, PLUMB_COMPLEX, plumb_family_unknowns(batch->family), 1,
                           batch->each * paths, &batch->solutions);
    return status == PLUMB_OK ? APP_OK : app_context_fail(words->command, batch->context, status);
}

void family_batch_end(family_batch *batch)
{
    free(batch->limbs);
    free(batch->records);
    free(batch->instances);
    plumb_array_destroy(batch->context, &batch->solutions);
}

void family_totals_add(family_totals *to, const family_totals *more)
{
    to->targets += more->targets;
    for (int k = 0; k <= PLUMB_INSTANCE_STOPPED; k++)
        to->outcome[k] += more->outcome[k];
    to->real += more->real;
    to->positive += more->positive;
    to->certified += more->certified;
    to->missed += more->missed;
    to->neighbours += more->neighbours;
    to->repaired += more->repaired;
}

static int on_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    (void)data, (void)done, (void)failed, (void)total;
    return app_stopped();
}

static plumb_status solve(family_batch *batch, plumb_view *targets, int64_t count)
{
    const family_words *words = batch->words;
    plumb_family_options options;
    plumb_view solutions = batch->solutions;
    plumb_family_options_init(&options);
    options.prec = app_precision(words->prec);
    options.reruns = (int32_t)words->reruns;
    options.max_steps = words->max_steps;
    options.seed = words->seed;
    options.anew = words->anew;
    options.neighbours = (int32_t)words->neighbours;
    options.progress = on_progress;
    const plumb_status status = plumb_view_init(targets, batch->limbs, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX,
                                                plumb_family_parameters(batch->family), 1, count, NULL);
    solutions.batch = count * plumb_family_paths(batch->family);
    return status != PLUMB_OK ? status
                              : plumb_family_solve_part(batch->context, batch->family, targets,
                                                        batch->targets > count ? batch->targets : count, &options,
                                                        &solutions, batch->records, batch->instances);
}

/* Certifies the solutions of target t. */
static int certify(family_batch *batch, const plumb_view *targets, int64_t t)
{
    const int64_t paths = plumb_family_paths(batch->family);
    plumb_view target = *targets, solutions = batch->solutions;
    target.data += t * target.next;
    target.batch = 1;
    solutions.data += t * paths * solutions.next;
    solutions.batch = batch->instances[t].solutions;
    return family_certify(batch->words->command, batch->context, batch->family, &target, &solutions,
                          batch->records + t * paths, batch->words->seed, &batch->proof);
}

/* Writes target t of the batch, and adds it to the totals. */
static void take(family_batch *batch, const plumb_view *targets, int64_t t, int64_t before, family_totals *totals)
{
    const plumb_instance *instance = &batch->instances[t];
    const int64_t paths = plumb_family_paths(batch->family);
    family_totals own = {.targets = 1,
                         .real = instance->real,
                         .positive = instance->positive,
                         .certified = batch->proof.counts.distinct,
                         .missed = batch->proof.missed};
    own.outcome[instance->code] = 1;
    own.neighbours = instance->neighbour != PLUMB_NEIGHBOUR_NONE;
    own.repaired = instance->neighbour == PLUMB_NEIGHBOUR_REPAIRED;
    family_write(batch, before + t + 1, instance, t * paths);
    family_totals_add(totals, &own);
    if (batch->map != NULL)
        family_map_put(batch->map, before + t, instance);
    if (batch->page != NULL)
        family_page_target(batch->page, instance, batch->limbs + t * targets->next, &batch->solutions, batch->records,
                           t * paths, batch->words->count ? 0 : family_shown(batch, instance));
}

int family_batch_solve(family_batch *batch, int64_t before, int64_t again, int64_t count, memory_file *text,
                       family_totals *totals)
{
    int result = APP_OK;
    plumb_view targets;
    *text = (memory_file){.file = NULL};
    const plumb_status status = solve(batch, &targets, count);
    if (status != PLUMB_OK)
        return app_context_fail(batch->words->command, batch->context, status);
    if (!memory_file_begin(text))
        return app_fail(batch->words->command, "out of memory");
    batch->out = text->file;
    for (int64_t t = again; t < count && result == APP_OK && batch->instances[t].code != PLUMB_INSTANCE_STOPPED; t++) {
        if (batch->words->certify)
            result = certify(batch, &targets, t);
        if (batch->words->certify && app_stopped()) /* some may have no certificate yet */
            break;
        if (result == APP_OK)
            take(batch, &targets, t, before - again, totals);
        plumb_certificates_destroy(batch->proof.certificates);
        batch->proof = (family_proof){.certificates = NULL};
    }
    plumb_certificates_destroy(batch->proof.certificates);
    batch->proof = (family_proof){.certificates = NULL};
    batch->out = NULL;
    const bool good = memory_file_end(text);
    return result == APP_OK && !good ? app_fail(batch->words->command, "out of memory") : result;
}

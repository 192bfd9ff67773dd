/* mixed_volume.c - plumb_mixed_volume: the mixed volume of a system, by enumeration of the cells of a lifting. */
#include <math.h>
#include <string.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "solver/cells/cells.h"
#include "solver/context/context.h"

void plumb_mixed_options_init(plumb_mixed_options *options)
{
    if (options)
        *options = (plumb_mixed_options){.size = sizeof *options, .kind = PLUMB_MIXED_STABLE};
}

static plumb_status measure(plumb_context *context, const plumb_system *system, const plumb_mixed_options *given,
                            plumb_mixed_report *report)
{
    static const option_field fields[] = {
        OPTION_RANGE(plumb_mixed_options, kind, OPTION_INT32, PLUMB_MIXED_STABLE, PLUMB_MIXED_NONZERO),
        OPTION_RESERVED(plumb_mixed_options, reserved),
        OPTION_RANGE(plumb_mixed_options, max_steps, OPTION_INT64, 0.0, (double)INFINITY), OPTION_END};
    plumb_mixed_options options;
    cell_supports *supports = NULL;
    mixed_cells *cells = NULL;
    if (system == NULL || report == NULL)
        return plumb_say(PLUMB_ERR_ARGUMENT, NULL, 0, "%s is NULL", system == NULL ? "system" : "report");
    *report = (plumb_mixed_report){.volume = 0};
    plumb_mixed_options_init(&options);
    plumb_status status = plumb_options_take(given, &options, fields, NULL, 0);
    if (status == PLUMB_OK)
        status = plumb_supports_of_system(system, options.kind != PLUMB_MIXED_NONZERO, &supports);
    if (status == PLUMB_OK) {
        const cells_options walk = {.seed = options.seed,
                                    .most_steps = options.max_steps,
                                    .team = &context->cpu.team,
                                    .threads = context->cpu.threads,
                                    .stable = options.kind == PLUMB_MIXED_STABLE};
        status = plumb_cells_enumerate(supports, &walk, &cells);
    }
    if (status == PLUMB_OK)
        *report = (plumb_mixed_report){
            .volume = cells->mixed_volume, .cells = cells->count, .steps = cells->steps, .liftings = cells->liftings};
    plumb_cells_destroy(cells);
    plumb_supports_destroy(supports);
    return status;
}

plumb_status plumb_mixed_volume(plumb_context *context, const plumb_system *system, const plumb_mixed_options *options,
                                plumb_mixed_report *report)
{
    if (context == NULL)
        return plumb_no_context();
    plumb_call_begin();
    plumb_status status = plumb_call_end(measure(context, system, options, report));
    if (status != PLUMB_OK) { /* the line of the thread is that of the context, too */
        char line[sizeof context->message];
        strncpy(line, plumb_last_message(), sizeof line - 1);
        line[sizeof line - 1] = '\0';
        status = plumb_say(status, context->message, sizeof context->message, "%s", line);
    }
    return status;
}

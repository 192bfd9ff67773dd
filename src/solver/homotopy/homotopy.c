/* homotopy.c - plumb_homotopy_create: draws gamma and the patch, and builds the homotopy. */
#include "model/homotopy/homotopy.h"

#include <math.h>
#include <stdlib.h>

#include "base/call/message.h"
#include "base/call/options.h"
#include "base/number/random.h"
#include "text/matrix/random.h"

#define SAY(status, ...) plumb_say(status, NULL, 0, __VA_ARGS__)

void plumb_homotopy_options_init(plumb_homotopy_options *options)
{
    if (options)
        *options = (plumb_homotopy_options){.size = sizeof *options};
}

static plumb_status take_options(const plumb_homotopy_options *given, plumb_homotopy_options *options)
{
    static const option_field fields[] = {OPTION_FLAG(plumb_homotopy_options, projective),
                                          OPTION_FLAG(plumb_homotopy_options, unscaled), OPTION_END};
    plumb_homotopy_options_init(options);
    plumb_status status = plumb_options_take(given, options, fields, NULL, 0);
    if (status != PLUMB_OK)
        return status;
    if (!isfinite(options->gamma[0]) || !isfinite(options->gamma[1]))
        return SAY(PLUMB_ERR_NONFINITE, "options: gamma is not finite");
    return PLUMB_OK;
}

static plumb_status create(const plumb_system *start, const plumb_system *target, const plumb_homotopy_options *given,
                           plumb_homotopy **homotopy)
{
    plumb_homotopy_options options;
    if (homotopy == NULL)
        return SAY(PLUMB_ERR_ARGUMENT, "homotopy is NULL");
    *homotopy = NULL;
    if (start == NULL || target == NULL)
        return SAY(PLUMB_ERR_ARGUMENT, "%s is NULL", start == NULL ? "start" : "target");
    if (start->denominators != NULL || target->denominators != NULL)
        return SAY(PLUMB_ERR_ARGUMENT, SYSTEM_HAS_DENOMINATORS);
    plumb_status status = take_options(given, &options);
    if (status == PLUMB_OK)
        status = plumb_homotopy_check(start, target, NULL, 0);
    if (status != PLUMB_OK)
        return status;

    /* Gamma and the patch have separate seeds, so that each of them is the same whether or not the other is drawn. */
    plumb_random seeds = plumb_random_start(options.seed);
    uint64_t gamma_seed = plumb_random_next(&seeds), patch_seed = plumb_random_next(&seeds);
    double *patch = NULL;
    if (options.gamma[0] == 0 && options.gamma[1] == 0)
        status = plumb_random_units(gamma_seed, 1, options.gamma);
    if (status == PLUMB_OK && options.projective) {
        int64_t count = target->unknowns + 1;
        patch = malloc((size_t)count * 2 * sizeof *patch);
        status = patch != NULL ? plumb_random_units(patch_seed, count, patch) : PLUMB_ERR_MEMORY;
    }
    if (status == PLUMB_OK)
        status = plumb_homotopy_build(start, target, options.gamma, patch, !options.unscaled, homotopy);
    free(patch);
    return status;
}

plumb_status plumb_homotopy_create(const plumb_system *start, const plumb_system *target,
                                   const plumb_homotopy_options *options, plumb_homotopy **homotopy)
{
    plumb_call_begin();
    return plumb_call_end(create(start, target, options, homotopy));
}

/* certify.c - certificates of the solutions of a target, for its exact system; see family.h. */
#include <stdlib.h>
#include <string.h>

#include "app/app.h"
#include "app/certified.h"
#include "cli/family/family.h"

int family_certify_check(const char *command)
{
    char why[256];
    return plumb_certify_available(why, sizeof why) ? APP_OK
                                                    : app_fail(command, "--certify needs FLINT with Arb: %.200s", why);
}

/* The number of regular solutions without a proof. */
static int64_t count_missed(const plumb_certificates *certificates, const plumb_solution_record *records, int64_t count)
{
    int64_t missed = 0;
    for (int64_t k = 0; k < count; k++) {
        plumb_certificate c;
        const bool has = plumb_certificates_get(certificates, k, &c) == PLUMB_OK &&
                         (c.code == PLUMB_CERTIFIED || c.code == PLUMB_CERTIFY_SQUARED) && c.distinct >= 0;
        missed += records[k].kind == PLUMB_SOLUTION_REGULAR && !has;
    }
    return missed;
}

int family_certify(const char *command, plumb_context *context, const plumb_family *family, const plumb_view *target,
                   const plumb_view *solutions, const plumb_solution_record *records, uint64_t seed,
                   family_proof *proof)
{
    plumb_certify_options options;
    plumb_system *system = NULL;
    double seconds;
    *proof = (family_proof){.certificates = NULL};
    if (solutions->batch == 0)
        return APP_OK;
    plumb_certify_options_init(&options);
    options.seed = seed;
    plumb_status status = plumb_family_at(family, target, &system);
    if (status != PLUMB_OK)
        return app_fail(command, "the system of a target cannot be made: %s", plumb_last_message());
    status = app_certify(context, system, solutions, &options, false, &proof->certificates, &seconds);
    plumb_system_destroy(system);
    if (status == PLUMB_ERR_STOPPED)
        return APP_OK; /* the run ends anyway */
    if (status != PLUMB_OK)
        return app_context_fail(command, context, status);
    proof->counts = app_certified_count(proof->certificates);
    proof->missed = count_missed(proof->certificates, records, solutions->batch);
    return APP_OK;
}

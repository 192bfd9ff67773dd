/* account.c - see account.h. */
#include "app/account.h"

#include <math.h>
#include <string.h>

void app_account(const plumb_solve_report *r, double largest, app_account_entry entry[APP_ACCOUNT])
{
    const bool far_out = isinf(largest);
    const app_account_entry all[APP_ACCOUNT] = {
        {"regular", "ended at regular solutions, each at a different one", r->regular, true},
        {"singular", "ended at singular isolated solutions or clusters, counted with multiplicity", r->singular, true},
        {"at infinity", "went to infinity", r->infinite, true},
        {far_out ? "given up far out" : "beyond --largest",
         far_out ? "were given up far out, where roots or infinity take too many steps"
                 : "ended beyond the largest size that was asked for, or were given up on the way there",
         r->beyond, r->beyond > 0},
        {"not isolated", "ended on solution sets of positive dimension", r->not_isolated, true},
        {"extraneous", "ended at points that do not solve the given equations", r->extraneous, true},
        {"undecided", "ended, but it is not known in which of these ways", r->undecided, true},
        {"failed", "did not end, or share the regular endpoint of another path", r->failed - r->unfinished, true},
        {"not tracked", "were not tracked to their ends", r->unfinished, r->unfinished > 0},
    };
    memcpy(entry, all, sizeof all);
}

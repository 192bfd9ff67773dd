// lsq_libqd.cpp - least squares in libqd's dd_real and qd_real with FMA, in the accurate variants and in the sloppy ones.
#include "libqd_sloppy.h"
#include "lsq_mgs.h"

void solvers_libqd(lsq_solvers &solvers)
{
    if (!libqd_can_run())
        return;
    const char *accurate = "modified Gram-Schmidt with libqd, accurate variants, FMA";
    add_mgs_solvers<dd_real>(solvers, "libqd_fma", "dd", accurate);
    add_mgs_solvers<qd_real>(solvers, "libqd_fma", "qd", accurate);
    const char *quick = "modified Gram-Schmidt with libqd, sloppy variants, FMA";
    add_mgs_solvers<sloppy<dd_real>>(solvers, "libqd_fma_sloppy", "dd", quick);
    add_mgs_solvers<sloppy<qd_real>>(solvers, "libqd_fma_sloppy", "qd", quick);
}

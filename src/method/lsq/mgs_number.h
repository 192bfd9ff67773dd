/* mgs_number.h - names, places of numbers and selections that the templates of modified Gram-Schmidt have in common. */
#include "arith/number.h"
#include "method/lsq/mgs.h"

#define MGS_FN(name) REAL_JOIN(mgs_##name##_, PLUMB_PREC)
#define MGS_W(i, j) (job->w + (i)*job->ld + (j)), job->w_plane
#define MGS_C(k, j) (job->c + (k)*job->ld + (j)), job->c_plane

/* a where the mask is set, otherwise b. */
LANE_FN num MGS_FN(select)(lane_mask m, num a, num b)
{
#if PLUMB_PARTS == 1
    return real_select(m, a, b);
#else
    return cplx_make(real_select(m, a.re, b.re), real_select(m, a.im, b.im));
#endif
}

/* arc_tmpl.h - the parameters of a family at p->trial.tau, on the arcs of moving.h. */
#ifndef PLUMB_METHOD_TRACK_ARC_TMPL_H
#define PLUMB_METHOD_TRACK_ARC_TMPL_H

/* Complex numbers of one limb, count of them: real parts at `from`, imaginary parts `plane` behind. */
LANE_FN cplx TRACK(single)(const double *from, int64_t plane, int count)
{
    return cplx_make(real_of(TRACK(head)(from, count)), real_of(TRACK(head)(from + plane, count)));
}

/* tau, 1 - tau and 1 - 2 tau. */
typedef struct TRACK(arc_tau) {
    cplx tau, back, turn;
} TRACK(arc_tau);

LANE_FN TRACK(arc_tau) TRACK(arc_tau_of)(const track_path *p)
{
    TRACK(arc_tau) at;
    at.tau = cplx_make(TRACK(tau_part)(p->trial.tau), TRACK(tau_part)(p->trial.tau + 2));
    at.back = cplx_make(real_sub(real_set(1.0), at.tau.re), real_neg(at.tau.im));
    at.turn = cplx_sub(at.back, at.tau);
    return at;
}

/* Parameters i .. i + places - 1 of `count`: entries of `to` become these, and those that are `count` behind them their derivatives by
 * tau. way and bend have one limb; bend may be NULL, with planes of `count`. */
LANE_FN void TRACK(arc_put)(const TRACK(arc_tau) * at, cplx goal, cplx way, const double *bend, int64_t count,
                            int64_t i, int places, track_view to)
{
    cplx along = way, slope = way;
    if (bend) {
        const cplx b = TRACK(single)(bend + i, count, places);
        slope = cplx_fma(at->turn, b, way);
        along = cplx_fma(at->back, b, way);
    }
    TRACK(put)(to, 0, i, cplx_fma(at->tau, along, goal), places);
    TRACK(put)(to, 0, count + i, slope, places);
}

/* All of them. target and to are in the precision of the path, way has one limb. */
TRACK_PART void TRACK(arc)(track_team team, const track_path *p, int64_t count, track_view target, track_view way,
                           const double *bend, track_view to)
{
    const TRACK(arc_tau) at = TRACK(arc_tau_of)(p);
    TRACK_EACH(i, count)
    {
        const int places = TRACK_COUNT(i, count);
        TRACK(arc_put)
        (&at, TRACK(get)(target, 0, i, places), TRACK(single)(way.p + i, way.plane, places), bend, count, i, places,
         to);
    }
}

#endif

/* arc_tmpl.h - the parameters of a family at p->trial.tau, on the arcs of moving.h. */
#ifndef PLUMB_METHOD_TRACK_ARC_TMPL_H
#define PLUMB_METHOD_TRACK_ARC_TMPL_H

/* Complex numbers of one limb, count of them: real parts at `from`, imaginary parts `plane` behind. */
LANE_FN cplx TRACK(single)(const double *from, int64_t plane, int count)
{
    return cplx_make(real_of(TRACK(head)(from, count)), real_of(TRACK(head)(from + plane, count)));
}

/* target and to are in the precision of the path, way has one limb, and bend (or NULL) likewise, with planes of `count`.
 * Entries 0 .. count - 1 of `to` become the parameters, and the next ones their derivatives by tau. */
TRACK_PART void TRACK(arc)(track_team team, const track_path *p, int64_t count, track_view target, track_view way,
                           const double *bend, track_view to)
{
    const cplx tau = cplx_make(TRACK(tau_part)(p->trial.tau), TRACK(tau_part)(p->trial.tau + 2));
    const cplx back = cplx_make(real_sub(real_set(1.0), tau.re), real_neg(tau.im));
    const cplx turn = cplx_sub(back, tau);
    TRACK_EACH(i, count)
    {
        const int places = TRACK_COUNT(i, count);
        const cplx goal = TRACK(get)(target, 0, i, places);
        cplx along = TRACK(single)(way.p + i, way.plane, places), slope = along;
        if (bend) {
            const cplx b = TRACK(single)(bend + i, count, places);
            slope = cplx_fma(turn, b, along);
            along = cplx_fma(back, b, along);
        }
        TRACK(put)(to, 0, i, cplx_fma(tau, along, goal), places);
        TRACK(put)(to, 0, count + i, slope, places);
    }
}

#endif

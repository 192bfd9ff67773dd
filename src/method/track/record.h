/* record.h - fills the record of a finished path, on the machine that has tracked it, and the description of an accepted step, on the host. */
#ifndef PLUMB_METHOD_TRACK_RECORD_H
#define PLUMB_METHOD_TRACK_RECORD_H

#include "method/track/track.h"
#include "plumb.h"

/* Leaves the number of the record unchanged. */
TRACK_FN void track_fill_record(const track_settings *s, const track_path *p, plumb_path_record *record)
{
    record->steps = p->count.steps;
    record->rejected = p->count.rejected;
    record->solves = p->count.solves;
    record->code = p->verdict.code;
    record->prec = p->precision.now;
    record->max_prec = p->precision.most;
    record->winding = p->mean.winding;
    record->reruns = s->rerun;
    record->multiplicity = 0;
    record->t = 1.0 - p->trial.tau[0];
    record->residual = p->terms.residual;
    record->error = p->verdict.error;
    record->condition = p->corrector.condition;
    record->min_step = p->control.least_step;
    record->component_error = 0.0;
    record->checked = record->padding = 0;
    record->reserved[0] = record->reserved[1] = 0;
}

#ifndef __CUDACC__
/* Call after a tick that accepted a point. x has 2 * prec doubles for each given unknown. */
static inline plumb_path_step track_step_of(const track_settings *s, const track_path *p, const double *x)
{
    const double *tau = p->points.at[p->points.newest];
    return (plumb_path_step){.path = p->number,
                             .step = p->count.steps,
                             .t = (1.0 - tau[0]) - tau[1],
                             .t_imag = -tau[2],
                             .size = p->shown.length,
                             .residual = p->terms.residual,
                             .condition = p->corrector.condition,
                             .prec = p->precision.now,
                             .corrections = p->shown.corrections,
                             .rerun = s->rerun,
                             .x = x,
                             .unknowns = s->unknowns - (s->projective ? 1 : 0)};
}
#endif

#endif

/* record.h - fills the record of a finished path and the description of an accepted step. Runs on the host for all
 * backends. */
#ifndef PLUMB_METHOD_TRACK_RECORD_H
#define PLUMB_METHOD_TRACK_RECORD_H

#include "method/track/tau.h"
#include "plumb.h"

/* Leaves the number of the record unchanged. */
static inline void track_fill_record(const track_settings *s, const track_path *p, plumb_path_record *record)
{
    *record = (plumb_path_record){.path = record->path,
                                  .steps = p->count.steps,
                                  .rejected = p->count.rejected,
                                  .solves = p->count.solves,
                                  .code = p->verdict.code,
                                  .prec = p->precision.now,
                                  .max_prec = p->precision.most,
                                  .winding = p->mean.winding,
                                  .reruns = s->rerun,
                                  .t = 1.0 - p->trial.tau[0],
                                  .residual = p->terms.residual,
                                  .error = p->verdict.error,
                                  .condition = p->corrector.condition,
                                  .min_step = p->control.least_step};
}

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

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
                                  .steps = p->steps,
                                  .rejected = p->rejected,
                                  .solves = p->solves,
                                  .code = p->code,
                                  .prec = p->prec,
                                  .max_prec = p->most_prec,
                                  .winding = p->winding,
                                  .reruns = s->rerun,
                                  .t = 1.0 - p->tau[0],
                                  .residual = p->residual,
                                  .error = p->error,
                                  .condition = p->condition,
                                  .min_step = p->least_step};
}

/* Call after a tick that accepted a point. x has 2 * prec doubles for each given unknown. */
static inline plumb_path_step track_step_of(const track_settings *s, const track_path *p, const double *x)
{
    const double *tau = p->at[p->newest];
    return (plumb_path_step){.path = p->number,
                             .step = p->steps,
                             .t = (1.0 - tau[0]) - tau[1],
                             .t_imag = -tau[2],
                             .size = p->shown_size,
                             .residual = p->residual,
                             .condition = p->condition,
                             .prec = p->prec,
                             .corrections = p->shown_corrections,
                             .rerun = s->rerun,
                             .x = x,
                             .unknowns = s->unknowns - (s->projective ? 1 : 0)};
}

#endif

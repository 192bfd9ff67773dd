/* work.h - what a thread needs to track paths on the processor: made once, for every precision a path may want, and used for one path
 * after the other without another allocation. */
#ifndef PLUMB_BACKEND_CPU_TRACK_WORK_H
#define PLUMB_BACKEND_CPU_TRACK_WORK_H

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/work.h"

enum { TRACK_RIGHT_SIDES = 3 };

/* Of one precision. */
typedef struct track_room {
    const track_kernels *track;
    const eval_kernels *eval;
    eval_job evaluation;
    lsq_work lsq;
    track_view vectors, values, jacobians, a, b, solution, end;
    plumb_view lsq_a, lsq_b, lsq_x; /* a, b and solution as least squares sees them */
} track_room;

typedef struct track_work {
    const eval_program *program;
    track_room room[PLUMB_QD + 1]; /* by limbs; those that the settings allow */
    double *scale;                 /* r of the path */
    double *row;                   /* powers of two for the rows */
    double *interleaved;           /* a point, for those who are shown steps */
    void *memory;
} track_work;

/* PLUMB_ERR_SIZE or PLUMB_ERR_MEMORY; then there is nothing to destroy. */
plumb_status track_work_create(const machine *m, const track_call *call, track_work *work);
void track_work_destroy(track_work *work);

/* One tick of a path whose precision is p->prec, moved to p->wants where it asks for that. */
void track_work_tick(track_work *work, const track_settings *s, track_path *p);

#endif

/* work.h - the memory of a thread that tracks paths on the CPU: allocated once for every precision that a path may
 * need, and used for one path after the other without further allocations. */
#ifndef PLUMB_BACKEND_CPU_TRACK_WORK_H
#define PLUMB_BACKEND_CPU_TRACK_WORK_H

#include "backend/cpu/kernels.h"
#include "backend/cpu/lsq/work.h"
#include "method/track/moving.h"

enum { TRACK_RIGHT_SIDES = 3 };

/* The arrays of one precision. */
typedef struct track_room {
    const track_kernels *track;
    const eval_kernels *eval;
    eval_job evaluation;
    lsq_work lsq;
    track_view vectors, values, jacobians, a, b, solution, end;
    track_view target, way, arc; /* of parameters that move on arcs: rows of 2 * points where they are both */
    int64_t row;                 /* of the targets: that which target and way have; -1: none */
    eval_job moved;     /* coefficients that are computed from parameters on arcs; without a program: these are they */
    track_view factors; /* of the elimination of square systems, whose solution is in b */
    double dependent;   /* the share of a column that is noise */
    plumb_view lsq_a, lsq_b, lsq_x; /* a, b and solution as least squares sees them, where there are more equations */
} track_room;

/* The frame of a path that has left the range of doubles (frame.h). */
typedef struct track_frame {
    int32_t is_made;                /* there is memory for it */
    int32_t is_used;                /* this path has one */
    int32_t *exponent;              /* e_i of each unknown, at most 0 */
    int32_t *change;                /* of e_i, when the frame changes */
    int32_t *place;                 /* the exponent of y_i at the newest point */
    int32_t *row;                   /* that of the largest term of each equation of h */
    int32_t *term;                  /* the power of each term of the stacked system */
    int32_t is_ready[PLUMB_QD + 1]; /* the coefficients of this precision are those of the frame */
    double *coefficients[PLUMB_QD + 1], *magnitudes;
    const track_call *call;
} track_frame;

typedef struct track_work {
    const eval_program *program;
    track_room room[PLUMB_QD + 1]; /* by limbs; only the precisions that the settings allow */
    const eval_kernels *size_eval; /* for the sizes of terms: real, in double precision */
    eval_job size_evaluation;
    const track_moving *moving; /* or NULL */
    const double *rates;        /* of the path, if coefficients move at rates */
    int64_t row;                /* of the targets: that of the path; -1: none */
    int32_t is_moved;           /* the parameters in the slots are those of the path */
    double *sizes;              /* the sums of the moduli of the terms of each equation of the stacked system */
    double *scale;              /* the sizes of the rows of the path, then their levels */
    double *interleaved;        /* a point, for reported steps */
    int64_t *entry_place;       /* where each entry of the Jacobian goes, in each plane of room.jacobians */
    track_frame frame;
    void *memory;
} track_work;

/* Returns PLUMB_ERR_SIZE or PLUMB_ERR_MEMORY on failure; then there is nothing to destroy. */
plumb_status track_work_create(const machine *m, const track_call *call, track_work *work);
void track_work_destroy(track_work *work);

/* Takes the rates or the arc of a path. Called before its first tick, and before its next one if the memory was another's since, if
 * coefficients move. */
void track_work_move(track_work *work, const track_settings *s, int64_t row);

/* Puts the parameters of a path at its tau into the slots of its precision and of the sizes of terms. */
void track_work_parameters(track_work *work, const track_settings *s, const track_path *p);

/* Runs one tick of a path in precision p->precision.now, and moves it to p->precision.wants if that differs. */
void track_work_tick(track_work *work, const track_settings *s, track_path *p);

#endif

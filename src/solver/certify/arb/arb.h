/* arb.h - what the files of the plugin share: systems, scratch memory and boxes in ball arithmetic (see ../balls.h).
 *
 * Arb is a part of FLINT since FLINT 3, and a library of its own before. Memory that FLINT allocates is not checked: FLINT
 * ends the process where there is none, as GMP does, so the caller has asked before whether there is enough. */
#ifndef PLUMB_SOLVER_CERTIFY_ARB_H
#define PLUMB_SOLVER_CERTIFY_ARB_H

#ifdef PLUMB_ARB_IN_FLINT
#include <flint/acb.h>
#include <flint/acb_mat.h>
#include <flint/fmpq.h>
#else
#include <acb.h>
#include <acb_mat.h>
#include <flint/fmpq.h>
#endif

#include "solver/certify/balls.h"

/* A power of an unknown that occurs in a term or its derivative. Powers are sorted by unknown, then by exponent. */
typedef struct balls_power {
    int32_t unknown, exponent;
} balls_power;

struct balls_system {
    const plumb_system *system;
    const int32_t *square;
    slong m, n;
    bool real; /* all coefficients are */
    slong powers;
    balls_power *power;
    slong *value,
        *less; /* per factor: the places of its power and of the power with an exponent less by one, -1: it is 1 */
    slong most_factors; /* of a term */
};

struct balls_worker {
    const balls_system *system;
    slong bits;     /* of the coefficients; 0: there are none yet */
    acb_ptr coef;   /* one per term */
    acb_ptr power;  /* at the point of the last evaluation */
    acb_ptr chain;  /* products of the first factors of a term */
    acb_ptr x;      /* the box */
    acb_ptr f, g;   /* values of the given equations, of the square system */
    acb_ptr step;   /* inverse times values */
    acb_mat_t df;   /* Jacobian of the given equations */
    acb_mat_t j;    /* of the square system */
    acb_mat_t y, r; /* inverse; I - Y J */
    mag_ptr size, bound, radius;
    acb_ptr t, u; /* one number each */
    mag_t mag, most;
};

struct balls_box {
    slong n;
    acb_ptr given, centre; /* exact: the point as it was given, and as it is now */
    acb_ptr proven;        /* the box */
    bool is_proven;
    slong *row, *col; /* exponents of the powers of two that the last Jacobian was divided by */
};

/* eval.c: values, and if wanted derivatives, of the given equations and of the square system at x, into the worker. */
void balls_eval(balls_worker *w, acb_srcptr x, slong bits, bool derivatives);

balls_system *balls_system_create(const plumb_system *system, const int32_t *square);
void balls_system_destroy(balls_system *system);
balls_worker *balls_worker_create(const balls_system *system);
void balls_worker_destroy(balls_worker *w, bool thread_ends);

/* box.c */
balls_box *balls_box_create(int64_t unknowns, int32_t prec, const double *x);
void balls_box_destroy(balls_box *box);
balls_relation balls_box_compare(const balls_box *a, const balls_box *b);
void balls_box_form(const balls_box *box, const double *weight, double *low, double *high);
char *balls_box_text(const balls_box *box, int64_t unknown, int part);
double balls_box_radius(const balls_box *box);
double balls_box_moved(const balls_box *box);

/* krawczyk.c */
bool balls_jacobian(balls_worker *w, balls_box *box, int64_t bits, int32_t prec, double *j);
balls_outcome balls_prove(balls_worker *w, balls_box *box, int64_t bits, int32_t prec, const double *y,
                          balls_verdict *verdict);

#endif

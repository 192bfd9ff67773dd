/* balls.h - what certification asks of ball arithmetic: the table of operations of a plugin.
 *
 * The plugin (arb/) is built where FLINT with Arb is found and loaded when a call needs it (load.c), so that neither the
 * library nor a program depends on FLINT. It sees the library only through this header and the plain data of a system:
 * it calls nothing, and all its results are proven bounds. How precise, and with which inverse: that is decided by
 * certify.c. docs/certification.md has the mathematics. */
#ifndef PLUMB_SOLVER_CERTIFY_BALLS_H
#define PLUMB_SOLVER_CERTIFY_BALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/system/system.h"

enum { BALLS_INTERFACE = 1 }; /* changes with everything below, and with model/system/system.h */
enum { BALLS_LEAST_BITS = 64, BALLS_MOST_BITS = 1024 }; /* precision of balls */

/* A system with as many equations as unknowns: the given one, or integer combinations of its equations. */
typedef struct balls_system balls_system;

/* The scratch memory of one thread, for one system. */
typedef struct balls_worker balls_worker;

/* A point, and the box around it once there is one. */
typedef struct balls_box balls_box;

typedef enum balls_outcome {
    BALLS_PROVEN,  /* the system has exactly one zero in the box, and it is simple */
    BALLS_INVERSE, /* the inverse is not accurate enough */
    BALLS_BITS,    /* more bits are needed */
    BALLS_AWAY     /* Newton's method does not converge from this point */
} balls_outcome;

/* What a proven box shows of its zero; 0: nothing. */
typedef struct balls_verdict {
    int32_t real;     /* 1: it is real; -1: it is not */
    int32_t positive; /* 1: it is real and all its coordinates are positive; -1: it is not so */
    int32_t excluded; /* 1: an equation that was combined with others has no zero in the box */
} balls_verdict;

typedef enum balls_relation { BALLS_DISJOINT, BALLS_OVERLAP, BALLS_INSIDE, BALLS_CONTAINS } balls_relation;

typedef struct balls_ops {
    int32_t interface; /* BALLS_INTERFACE */
    const char *plumb; /* version of plumb that the plugin was built with */
    const char *about; /* version of the arithmetic */

    /* square has unknowns rows and equations columns, row by row, or is NULL if the system is square. Both are used as long
     * as the result. NULL if there is no memory, here and below. */
    balls_system *(*system_create)(const plumb_system *system, const int32_t *square);
    void (*system_destroy)(balls_system *system);

    balls_worker *(*worker_create)(const balls_system *system);
    void (*worker_destroy)(balls_worker *worker,
                           bool thread_ends); /* thread_ends: caches of the thread are freed, too */

    /* x: per unknown 2 * prec doubles, all finite. */
    balls_box *(*box_create)(int64_t unknowns, int32_t prec, const double *x);
    void (*box_destroy)(balls_box *box);

    /* Rounds the Jacobian at the point to prec limbs, with rows and columns multiplied by powers of two such that entries are
     * at most 1 in modulus. Plane c of entry (i, j) is j[c * n * n + j * n + i]. False if a row or column vanishes. */
    bool (*jacobian)(balls_worker *worker, balls_box *box, int64_t bits, int32_t prec, double *j);

    /* Improves the point with the approximate inverse y of that matrix, and tries to prove a box around it. A box that was
     * proven before is replaced only by another that is. */
    balls_outcome (*prove)(balls_worker *worker, balls_box *box, int64_t bits, int32_t prec, const double *y,
                           balls_verdict *verdict);

    /* For proven boxes. Every answer is exact, and so are the texts: the real part of the centre, its imaginary part
     * (part 0 and 1) and the radius (2) of an unknown, in hexadecimal, to be freed. The form is the sum of weights times real
     * and imaginary parts, two weights per unknown; it lies between low and high. */
    balls_relation (*compare)(const balls_box *a, const balls_box *b);
    void (*form)(const balls_box *box, const double *weight, double *low, double *high);
    char *(*text)(const balls_box *box, int64_t unknown, int part);
    double (*radius)(const balls_box *box); /* the largest, rounded up */
    double (*moved)(
        const balls_box *box); /* largest distance of a part of the centre from that of the given point, rounded up */
} balls_ops;

/* The one symbol of the plugin. */
#define BALLS_SYMBOL "plumb_balls"
typedef const balls_ops *balls_entry(void);

/* load.c: the table, loaded on the first call; NULL, with the reason in why, if there is none. Any number of threads may call
 * it at once. */
const balls_ops *balls_load(char *why, size_t size);

#endif

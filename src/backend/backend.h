/* backend.h - the table of operations that a machine provides.
 *
 * The solver layer checks the views and divides them into runs in which every operand is contiguous, so that a
 * backend only loops. There are two machines: the CPU, which always exists and can do everything, and a GPU. */
#ifndef PLUMB_BACKEND_H
#define PLUMB_BACKEND_H

#include "base/array/runs.h"
#include "method/map.h"
#include "plumb.h"

/* One call of plumb_map: first is the job of the first run (its n is loop.length), and the others follow at the steps
 * of loop. No run is empty. */
enum { MAP_X, MAP_Y, MAP_Z, MAP_OUT };
typedef struct map_call {
    int32_t prec, parts; /* of the kernel: those of x */
    plumb_op op;
    map_job first;
    runs loop;
} map_call;

/* A batch of least-squares problems, checked: everything on the machine, one precision and kind, m >= 1, n >= 1; m < n: the solution of
 * least norm. b and x are NULL together, m >= n only: then only the columns are factored, for q and r or to keep the factor. If a
 * problem could not be solved, its entry of info has the reason, and its results are zero. */
typedef struct lsq_call {
    const plumb_view *a; /* NULL: factor is used instead */
    const plumb_view *b;
    plumb_view *x, *residual; /* residual may be NULL */
    plumb_view *q, *r;        /* each may be NULL; without right-hand sides only */
    plumb_view *corrected;    /* or NULL: x is subtracted from it; one right-hand side, not refined */
    plumb_info *info;         /* on the machine, one per problem, or NULL */
    const plumb_lsq_options
        *options;             /* the method and its variants, checked; NULL: the defaults. Its stream is not used */
    int64_t *permutation;     /* on the host, or NULL: the order of the columns; one problem */
    plumb_lsq_report *report; /* on the host, initialised, or NULL; one problem, and the call waits for its end */
    struct lsq_factor **keep; /* or NULL: receives the factor if info is 0; one problem */
    const struct lsq_factor *factor; /* or NULL: one that was kept; one problem */
    double dependent; /* a column is dependent if its norm is at most this share of its first norm; 0: rows * u */
    int64_t like;     /* choose kernels as for a batch of this size, so that the bits are equal; 0: as for this batch */
} lsq_call;

/* Values and derivatives of a program at a batch of points, checked: everything on the machine, one precision and kind. */
typedef struct eval_call {
    const struct eval_program *program;
    const double *coefficients; /* on the host, in the precision and kind of the call */
    const plumb_view *points;
    plumb_view *values, *jacobians; /* jacobians may be NULL */
    /* On a GPU: a number for each point, this many numbers apart, and points whose number is not 0 need not be evaluated; NULL: all are. */
    const int32_t *skip;
    int64_t skip_next;
} eval_call;

/* Paths to track, checked: arrays on the host, one precision each, complex. A path is tracked entirely on the
 * machine. */
typedef struct track_call {
    const struct eval_program *program; /* program of the stacked system: equations 0 .. m-1 are g, m .. 2m-1 are f */
    const double
        *coefficients[PLUMB_QD + 1];   /* by limbs, complex, on the host; for the precisions that settings allow */
    const struct track_moving *moving; /* method/track/moving.h, if settings ask for it; rows by entry */
    /* Of parameters on arcs that are not coefficients themselves: the program that computes these and their derivatives, and its
     * coefficients; NULL: they are. moved_count: of them. */
    const struct eval_program *moved;
    const double *moved_coefficients[PLUMB_QD + 1];
    int64_t moved_count;
    const double *magnitudes;              /* moduli of the coefficients: real, in double precision, on the host */
    const struct track_settings *settings; /* method/track/track.h */
    const double *patch;                   /* 2 doubles per unknown of h, or NULL unless projective */
    int64_t given_unknowns;                /* unknowns of the systems: those of h without the homogenizing one */
    const plumb_view *starts,
        *ends;                  /* given_unknowns x 1, a batch; starts in any precision, ends in the highest allowed */
    const int32_t *start;       /* by entry: the place in starts where a path begins; NULL: its own */
    int64_t like;               /* number of paths of the whole job, for which kernels are chosen */
    int64_t count;              /* number of paths to track: */
    const int64_t *entries;     /* their places in the batch and in records; NULL: 0, 1, ..., count - 1 */
    plumb_path_record *records; /* the number of the path is set already; everything else is filled in */
    double most_seconds;        /* per path; 0: no limit */
    int (*progress)(
        void *data, int64_t done,
        int64_t failed); /* paths of this call; returns not 0 to stop. Called by one thread at a time; or NULL */
    void (*step)(void *data, const plumb_path_step *step); /* likewise, or NULL */
    void (*begun)(void *data); /* called once, when another machine than the processor works on the paths; or NULL */
    void (*ended)(void *data, const int64_t *entries,
                  int64_t count); /* ends and records at these places are there, once for each; likewise, or NULL */
    int32_t at_once;              /* someone waits for ends: they are reported within seconds, not after the last one */
    void *data;
    int64_t to_device, to_host, steps; /* out: bytes moved, steps accepted */
    int32_t stopped; /* out: 1 if progress requested it; unfinished paths have the code PLUMB_PATH_STOPPED */
    /* A machine that does not follow paths out of the range of doubles lists their places here, out of order, and reports nothing
     * about them; NULL: it ends them like others. */
    int64_t *left, left_count;
    const plumb_system *system; /* the stacked system, by whose terms the processor follows such paths */
} track_call;

/* C = alpha op(A) op(B) + beta C for a batch, checked: everything on the machine, one precision and kind, no empty C; A and B may
 * have no terms. C overlaps neither A nor B. An operand with a batch of 1 is used for every matrix. */
typedef struct gemm_call {
    const plumb_view *a, *b;
    plumb_view *c;
    int32_t of_a, of_b;         /* PLUMB_OPERAND_... */
    const double *alpha, *beta; /* limbs of the real part, then of the imaginary part, on the host; NULL: 1 */
    int32_t no_terms;           /* alpha is zero: A and B are not read */
    int32_t fresh;              /* beta is zero: C is not read */
    int32_t method;             /* PLUMB_GEMM_... */
    int64_t workspace;          /* maximum number of bytes on a device */
    plumb_gemm_report *report;  /* initialised; with wait the call waits for its end and fills in everything */
    int32_t wait;
} gemm_call;

/* op(T) X = B or X op(T) = B for a batch of triangular matrices of at most TRIANGLE_BLOCK rows (backend/gemm.h), checked: X replaces B. A
 * t with a batch of 1 is used for every matrix. */
typedef struct triangle_call {
    const plumb_view *t;
    plumb_view *b;
    int32_t triangle, side, of_t, unit; /* as in plumb_triangle_options */
} triangle_call;

/* The Cholesky factors of a batch of matrices of at most TRIANGLE_BLOCK rows, which are the columns from number `first` on of larger ones.
 * info, on the machine, has the outcomes of these so far: it is set where first is 0, and otherwise changed only from 0. */
typedef struct cholesky_call {
    plumb_view *a;
    int64_t first;
    int32_t triangle;
    int32_t finish; /* 1: only clears the other half of a, and all of it where info is not 0 */
    plumb_info *info;
} cholesky_call;

typedef struct machine machine;

/* stream is a cudaStream_t, or NULL for the stream of the machine; the CPU has no streams and ignores it. */
typedef struct machine_ops {
    const char *name;
    plumb_status (*alloc)(machine *m, size_t bytes, void **memory); /* set to zero, aligned to 64 bytes or better */
    void (*release)(machine *m, void *memory);
    /* Same kind and shape; at least one of the two views lives on this machine. Returns when the host may continue:
     * at once if neither view is on the host. */
    plumb_status (*copy)(machine *m, const plumb_view *src, const plumb_view *dst, void *stream);
    plumb_status (*map)(machine *m, const map_call *call, void *stream);
    plumb_status (*wait)(machine *m, void *stream); /* also returns failures of calls without info */
    plumb_status (*lsq)(machine *m, const lsq_call *call, void *stream);
    void (*lsq_forget)(struct lsq_factor *factor); /* frees what `keep` received; NULL: this machine keeps no factors */
    void (*close)(machine *m);
    plumb_status (*eval)(machine *m, const eval_call *call, void *stream);
    plumb_status (*track)(machine *m, track_call *call, void *stream); /* NULL: this machine cannot */
    /* Memory for the arrays of a Newton step on the stream, kept from one step to the next; it is not cleared. */
    plumb_status (*scratch)(machine *m, size_t bytes, void **memory, void *stream);
    plumb_status (*gemm)(machine *m, const gemm_call *call, void *stream);
    plumb_status (*triangle)(machine *m, const triangle_call *call, void *stream);
    plumb_status (*cholesky)(machine *m, const cholesky_call *call, void *stream);
} machine_ops;

/* What tests and timings force, and what they look at afterwards. In production everything is zero, which changes nothing. */
typedef struct machine_hooks {
    int32_t track_slots;     /* maximum number of paths in flight; 0: automatic */
    int32_t track_lanes;     /* processor: 1: paths are always side by side, -1: never */
    int32_t track_walk;      /* processor: -1: no path stays in lanes from its start to its end */
    int32_t track_follow;    /* ticks per launch of paths that are followed; -1: none is; 0: automatic */
    int32_t track_eliminate; /* GPU: 1: ticks eliminate small square systems */
    int64_t *track_clocks;   /* GPU: memory there for the cycles that the steps of followed paths take; or NULL */
    double track_seconds;    /* seconds after which results are fetched; 0: as usual */
    int32_t eval_in_global;  /* always keep numbers in global memory */
    int32_t eval_many;       /* always evaluate as for many points */
    int32_t lsq_family;      /* the mgs_family to solve with; 0: chosen by the table */
    const struct mgs_plan *lsq_plan; /* launch this instead of what the table gives; or NULL */
    int32_t lsq_taken;               /* out: the mgs_family of the last call */
    int32_t
        lsq_gram; /* refinement as of large problems, whatever the shape, with a factor in this precision first; 0: by the shape */
} machine_hooks;

/* A machine of a context. ops is NULL until it is opened. */
struct machine {
    const machine_ops *ops;
    char *message; /* a failed call writes one line here */
    size_t message_size;
    const struct isa_kernels *isa; /* processor */
    int32_t threads;
    struct team *team; /* processor: the threads, once a call has needed them */
    double *work;      /* kept from one evaluation to the next */
    int64_t work_doubles;
    int32_t device; /* GPU */
    void *stream;
    struct device_scratch *scratch; /* GPU: memory that calls on its streams keep */
    int32_t *outcome;               /* GPU: failures of calls without info */
    int32_t own_graphs;             /* GPU: 1 while it tracks: the graphs recorded then end with the call */
    void *step;                     /* processor: arrays of Newton steps */
    size_t step_bytes;
    struct device_lsq *lsq;     /* state that least squares keeps from call to call */
    struct device_eval *eval;   /* state of evaluation: programs on the device */
    struct device_track *track; /* state of tracking: streams */
    machine_hooks hooks;
};

/* A triangular system, or a Cholesky factor, while it is divided (common/triangles.c): fields as in plumb_triangle_options, on the stream
 * of the caller; info, on the machine, is for factors. */
typedef struct triangles {
    machine *m;
    int32_t triangle, side, of, unit, method;
    int32_t add;       /* backend_downdate: 1: plus instead of minus */
    int64_t workspace; /* 0: 2^31 */
    void *stream;
    plumb_info *info;
} triangles;

/* X replaces B; both as in triangle_call, but of any size. */
plumb_status backend_solve_triangle(const triangles *call, const plumb_view *t, plumb_view *b);
/* The factor replaces one half of A; the other one is not defined until the machine has finished it (cholesky_call). first: 0. */
plumb_status backend_cholesky(const triangles *call, plumb_view *a, int64_t first);
/* One half of C, and some of the other one, minus V V^H (lower) or V^H V (upper). */
plumb_status backend_downdate(const triangles *call, const plumb_view *v, plumb_view *c);

plumb_status plumb_cpu_open(machine *m, const struct isa_kernels *isa, int32_t threads);

/* The bytes that a least-squares call on the CPU needs at one time in addition to its views, of which only the shapes are
 * looked at; INT64_MAX if they cannot be counted. For problems that are solved one by one. */
int64_t plumb_cpu_lsq_bytes(const lsq_call *call);

/* Opens a GPU. Returns PLUMB_ERR_NO_DEVICE, with the reason in the message, if this build, computer or GPU does not
 * support it. */
plumb_status plumb_gpu_open(machine *m, int32_t device);

/* Returns PLUMB_OK if plumb_gpu_open would find a GPU; otherwise the reason is in why. This is a cheap call. */
plumb_status plumb_gpu_usable(int32_t device, char *why, size_t why_size);

/* True if a GPU can solve this least-squares problem; otherwise the CPU solves it. */
int plumb_gpu_can_lsq(const lsq_call *call);

/* True if the library was built with CUDA. */
int plumb_gpu_built(void);

#endif

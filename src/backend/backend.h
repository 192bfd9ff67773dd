/* backend.h - what a machine must be able to do: one small table of operations.
 *
 * A job is an operation on flat arrays: the solver layer has checked the views and cut them into runs where every operand
 * is contiguous, so a backend only loops. There are two machines: the processor, which is always there and can do
 * everything, and a GPU. */
#ifndef PLUMB_BACKEND_H
#define PLUMB_BACKEND_H

#include "base/runs.h"
#include "method/map.h"
#include "plumb.h"

/* The whole of one call: first is the job of the first run (its n is loop.length), the others follow at the steps of
 * loop. No run is empty. */
enum { MAP_X, MAP_Y, MAP_Z, MAP_OUT };
typedef struct map_call {
    int32_t prec, parts; /* of the kernel: those of x */
    plumb_op op;
    map_job first;
    runs loop;
} map_call;

/* A batch of least-squares problems, checked: everything on the machine, one precision and kind, m >= n >= 1. b and x are NULL
 * together: then only the columns are factored, for q and r or to keep the factor. Where a problem could not be solved its entry
 * of info says so and its results are zero. */
typedef struct lsq_call {
    const plumb_view *a; /* NULL: a factor stands for it */
    const plumb_view *b;
    plumb_view *x, *residual; /* residual may be NULL */
    plumb_view *q, *r;        /* each may be NULL; without right-hand sides only */
    plumb_view *corrected;    /* or NULL: x is subtracted from it; one right-hand side, not refined */
    plumb_info *info;         /* on the machine, one per problem, or NULL */
    const plumb_lsq_options
        *options;             /* the method and its variants, checked; NULL: the defaults. Its stream is not used */
    int64_t *permutation;     /* on the host, or NULL: the order of the columns; one problem */
    plumb_lsq_report *report; /* on the host, initialised, or NULL; one problem, and the call waits for its end */
    struct lsq_factor **keep; /* or NULL: receives the factor where info is 0; one problem */
    const struct lsq_factor *factor; /* or NULL: one that was kept; one problem */
    double
        dependent; /* a column is dependent when its norm is at most this share of what it was; 0: rows * unit roundoff */
    int64_t like; /* choose kernels as for a batch of so many: equal choices give equal bits. 0: as for this one */
} lsq_call;

/* Values and derivatives of a program at a batch of points, checked: everything on the machine, one precision and kind. */
typedef struct eval_call {
    const struct eval_program *program;
    const double *coefficients; /* on the host, of the precision and kind */
    const plumb_view *points;
    plumb_view *values, *jacobians; /* jacobians may be NULL */
} eval_call;

/* Paths to track, checked: arrays on the host, one precision each, complex. Everything between the first and the last byte of a path
 * happens on the machine. */
typedef struct track_call {
    const struct eval_program *program; /* of the stacked system: equations 0 .. m-1 are g, m .. 2m-1 are f */
    const double
        *coefficients[PLUMB_QD + 1];       /* by limbs, complex, on the host; of the precisions that settings allow */
    const struct track_settings *settings; /* method/track.h */
    const double *patch;                   /* 2 doubles an unknown of h, or NULL unless projective */
    int64_t given_unknowns;                /* of the systems: unknowns of h less the homogenizing one */
    const plumb_view *starts,
        *ends;                  /* given_unknowns x 1, a batch; starts in any precision, ends in the highest allowed */
    int64_t count;              /* of paths to track: */
    const int64_t *entries;     /* their places in the batch and in records; NULL: 0, 1, ..., count - 1 */
    plumb_path_record *records; /* the path's number stands in it already; everything else is filled in */
    double most_seconds;        /* of a path; 0: no limit */
    int (*progress)(void *data, int64_t done,
                    int64_t failed); /* paths of this call; not 0: stop. Called by one thread at a time; or NULL */
    void (*step)(void *data, const plumb_path_step *step); /* likewise, or NULL */
    void *data;
    int64_t to_device, to_host, steps; /* out: bytes moved, steps accepted */
    int32_t stopped; /* out: progress asked for it, and paths not finished have the code PLUMB_PATH_STOPPED */
} track_call;

typedef struct machine machine;

/* stream is a cudaStream_t or NULL for the machine's own; the processor has none and ignores it. */
typedef struct machine_ops {
    const char *name;
    plumb_status (*alloc)(machine *m, size_t bytes, void **memory); /* set to zero, aligned to 64 bytes or better */
    void (*release)(machine *m, void *memory);
    /* Same kind and shape; at least one of the two views lives on this machine. Returns when the host may go on: at once
     * when neither view is on the host. */
    plumb_status (*copy)(machine *m, const plumb_view *src, const plumb_view *dst, void *stream);
    plumb_status (*map)(machine *m, const map_call *call, void *stream);
    plumb_status (*wait)(machine *m, void *stream); /* and returns failures that nobody asked for */
    plumb_status (*lsq)(machine *m, const lsq_call *call, void *stream);
    void (*lsq_forget)(struct lsq_factor *factor); /* frees what `keep` received; NULL: this machine keeps no factors */
    void (*close)(machine *m);
    plumb_status (*eval)(machine *m, const eval_call *call, void *stream);
    plumb_status (*track)(machine *m, track_call *call, void *stream); /* NULL: this machine cannot */
    /* Memory for the arrays of a Newton step on the stream, kept from one step to the next; it is not cleared. */
    plumb_status (*scratch)(machine *m, size_t bytes, void **memory, void *stream);
} machine_ops;

/* One machine as one context sees it. ops is NULL until it is opened. */
struct machine {
    const machine_ops *ops;
    char *message; /* a call that fails leaves one line here */
    size_t message_size;
    const struct isa_kernels *isa; /* processor */
    int32_t threads;
    double *work; /* kept from one evaluation to the next */
    int64_t work_doubles;
    int32_t device; /* GPU */
    void *stream;
    struct device_scratch *scratch; /* GPU: memory that calls on its streams keep */
    int32_t *outcome;               /* GPU: failures that nobody asked for */
    int32_t own_graphs;             /* GPU: 1 while it tracks: the graphs recorded then end with the call */
    void *step;                     /* processor: arrays of Newton steps */
    size_t step_bytes;
    struct device_lsq *lsq;          /* what its least squares keep from call to call */
    struct device_eval *eval;        /* what its evaluations keep: programs on the device */
    struct device_track *track;      /* what its tracking keeps: streams */
    int32_t track_slots;             /* for tests: most paths in flight; 0: chosen by the GPU */
    int32_t eval_in_global;          /* for tests: keep numbers in global memory, however few there are */
    int32_t eval_many;               /* for tests: evaluate as at many points, however few there are */
    int32_t lsq_family;              /* for tests: the mgs_family to solve with; 0: chosen by the table */
    int32_t lsq_taken;               /* for tests: the mgs_family of the last call */
    const struct mgs_plan *lsq_plan; /* for timings: what to launch, whatever the table says; or NULL */
};

plumb_status plumb_cpu_open(machine *m, const struct isa_kernels *isa, int32_t threads);

/* PLUMB_ERR_NO_DEVICE, and why in the message, when this build, this computer or this GPU cannot. */
plumb_status plumb_gpu_open(machine *m, int32_t device);

/* PLUMB_OK when plumb_gpu_open would have a GPU to open; cheap. Else the reason in why. */
plumb_status plumb_gpu_usable(int32_t device, char *why, size_t why_size);

/* Does a GPU solve this least-squares problem? What it does not, the processor does. */
int plumb_gpu_can_lsq(const lsq_call *call);

/* Was the library built with CUDA? */
int plumb_gpu_built(void);

#endif

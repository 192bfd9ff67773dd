/* plumb.h - least squares, Newton's method and path tracking in multiple-double precision.
 *
 * The only public header. C11, and C++ includes it cleanly.
 *
 * Rules that hold for every call:
 *  - Whether a call could be carried out is its plumb_status. What happened to one problem of many (a dependent
 *    column, a path that failed) is data, in the same memory as the results.
 *  - A context belongs to one thread at a time; contexts are independent of one another, so a program with several
 *    threads gives each its own. Functions without a context may be called from any thread.
 *  - The library never prints, exits, aborts or reads the environment.
 *  - Memory belongs to whoever made it: what a plumb_..._create made goes back to the matching _destroy; everything
 *    else is the caller's, and the library keeps no pointer to it after the call returns.
 *  - Sizes, strides and counts are int64_t, strides are in doubles.
 *  - The same input and options give the same bits, whatever the number of threads and the instruction set. A GPU repeats
 *    itself too; its least squares add in another order than the processor's.
 */
#ifndef PLUMB_H
#define PLUMB_H

#include <stddef.h>
#include <stdint.h>

#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 2
#define PLUMB_VERSION_PATCH 0

#if defined(__GNUC__) || defined(__clang__)
#define PLUMB_API __attribute__((visibility("default")))
#define PLUMB_USE_RESULT __attribute__((warn_unused_result))
#else
#define PLUMB_API
#define PLUMB_USE_RESULT
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Status ------------------------------------------------------------------------------------------------- */

/* One list makes the codes and their texts. Codes keep their numbers: new ones go to the end. */
#define PLUMB_STATUS_LIST(X)                                   \
    X(PLUMB_OK, "success")                                     \
    X(PLUMB_ERR_ARGUMENT, "invalid argument")                  \
    X(PLUMB_ERR_MEMORY, "out of memory")                       \
    X(PLUMB_ERR_SIZE, "size too large")                        \
    X(PLUMB_ERR_PARSE, "malformed input")                      \
    X(PLUMB_ERR_IO, "input or output failed")                  \
    X(PLUMB_ERR_BUFFER, "buffer too small")                    \
    X(PLUMB_ERR_UNSUPPORTED, "not supported by this build")    \
    X(PLUMB_ERR_NO_DEVICE, "no usable GPU")                    \
    X(PLUMB_ERR_DEVICE, "GPU error")                           \
    X(PLUMB_ERR_NONFINITE, "input holds an infinity or a NaN") \
    X(PLUMB_ERR_RANGE, "result out of range")                  \
    X(PLUMB_ERR_SINGULAR, "numerically dependent column")      \
    X(PLUMB_ERR_STOPPED, "stopped on request")

#define PLUMB_STATUS_ENUM(code, text) code,
typedef enum plumb_status { PLUMB_STATUS_LIST(PLUMB_STATUS_ENUM) PLUMB_STATUS_COUNT } plumb_status;
#undef PLUMB_STATUS_ENUM

/* "success", "invalid argument", ...; never NULL. */
PLUMB_API const char *plumb_status_text(plumb_status status);

/* One line about the last call without a context, made by the calling thread, if it failed; "" if it succeeded. */
PLUMB_API const char *plumb_last_message(void);

/* "0.2.0": the version of the library that is loaded, which may be newer than the header. */
PLUMB_API const char *plumb_version(void);

/* ---- Precisions --------------------------------------------------------------------------------------------- */

/* A precision is its number of limbs: a number is the unevaluated sum of that many doubles, each at most half a unit
 * in the last place of the one before. About 16, 32 and 64 decimal digits. */
enum { PLUMB_D = 1, PLUMB_DD = 2, PLUMB_QD = 4 };

/* "d", "dd", "qd"; NULL for anything else. And back; 0 for an unknown name. */
PLUMB_API const char *plumb_prec_name(int32_t prec);
PLUMB_API int32_t plumb_prec_from_name(const char *name);

/* ---- Machines ----------------------------------------------------------------------------------------------- */

enum { PLUMB_BACKEND_AUTO = 0, PLUMB_BACKEND_CPU = 1, PLUMB_BACKEND_GPU = 2 };

typedef struct plumb_isa_info {
    const char *name; /* "scalar", "neon", "sse2", "avx2", "avx512" */
    int32_t lanes;    /* doubles a vector */
    int32_t usable;   /* this processor has it */
    int32_t best;     /* the one chosen when nobody asks for another */
    int32_t reserved[9];
} plumb_isa_info;

/* The instruction sets compiled into the library, slowest first. */
PLUMB_API int32_t plumb_isa_count(void);
PLUMB_API plumb_status plumb_isa_query(int32_t index, plumb_isa_info *info);

typedef struct plumb_device_info {
    char name[256];
    int64_t memory_total, memory_free; /* bytes */
    int32_t capability_major, capability_minor;
    int32_t multiprocessors;
    int32_t usable;
    char why[256]; /* why it is not usable; empty when it is */
    int64_t reserved[8];
} plumb_device_info;

/* Number of GPUs. When there is none, why (if not NULL) receives the reason in one line. */
PLUMB_API int32_t plumb_device_count(char *why, size_t why_size);
PLUMB_API plumb_status plumb_device_query(int32_t index, plumb_device_info *info);

/* ---- Contexts ----------------------------------------------------------------------------------------------- */

typedef struct plumb_context plumb_context;

/* Option structs begin with their size, so that they can grow: fill them with the matching _init first. */
typedef struct plumb_context_options {
    size_t size;
    int32_t backend; /* PLUMB_BACKEND_AUTO: a GPU where one is usable and the call gains from it, else the CPU */
    int32_t device;  /* which GPU, 0 first */
    int32_t threads; /* 0: one a core */
    const char *isa; /* NULL: the best this processor has; copied */
} plumb_context_options;

PLUMB_API void plumb_context_options_init(plumb_context_options *options);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_context_create(const plumb_context_options *options /* or NULL */,
                                                             plumb_context **context);
PLUMB_API void plumb_context_destroy(plumb_context *context); /* NULL is fine */

/* One line about the last call on this context that failed; "" when none did. */
PLUMB_API const char *plumb_context_message(const plumb_context *context);

/* What the context settled on. */
PLUMB_API const char *plumb_context_isa(const plumb_context *context);
PLUMB_API int32_t plumb_context_threads(const plumb_context *context);
PLUMB_API int32_t plumb_context_backend(const plumb_context *context);

/* A CUDA stream (cudaStream_t) of the caller's, as an opaque pointer; NULL is the context's own. Calls on device arrays
 * are queued on it and return at once; calls on host arrays wait for their result. */
typedef void *plumb_stream;

PLUMB_API PLUMB_USE_RESULT plumb_status plumb_stream_wait(plumb_context *context, plumb_stream stream);

/* ---- Arrays ------------------------------------------------------------------------------------------------- */

enum { PLUMB_HOST = 0, PLUMB_DEVICE = 1 };
enum { PLUMB_REAL = 1, PLUMB_COMPLEX = 2 };

/* A batch of matrices as planes: all leading limbs, then all second limbs, and so on; limbs of the real part first,
 * then of the imaginary part. Plane c of entry (i, j) of matrix b is data[b*next + c*plane + j*col + i]: a column of a
 * plane is contiguous. A view owns nothing. A vector is a matrix with one column. */
typedef struct plumb_view {
    double *data;
    int64_t rows, cols, batch;
    int64_t plane, col, next; /* strides in doubles */
    int32_t prec;             /* PLUMB_D, PLUMB_DD, PLUMB_QD: limbs of a real number */
    int32_t parts;            /* PLUMB_REAL or PLUMB_COMPLEX */
    int32_t where;            /* PLUMB_HOST or PLUMB_DEVICE */
    int32_t reserved;         /* 0 */
} plumb_view;

/* Makes a dense view (col = rows, plane = rows*cols, next = prec*parts*plane) of memory of the caller's, and says in
 * *doubles (if not NULL) how many it spans. PLUMB_ERR_SIZE when that number does not fit. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_view_init(plumb_view *view, double *data, int32_t where, int32_t prec,
                                                        int32_t parts, int64_t rows, int64_t cols, int64_t batch,
                                                        int64_t *doubles);

/* The same with memory of the library's, set to zero, freed by plumb_array_destroy. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_array_create(plumb_context *context, int32_t where, int32_t prec,
                                                           int32_t parts, int64_t rows, int64_t cols, int64_t batch,
                                                           plumb_view *view);
PLUMB_API void plumb_array_destroy(plumb_context *context, plumb_view *view);

/* dst = src: between host and device (same precision and parts) or, on the host, between precisions (exact going up,
 * rounded to nearest going down) and from real to complex. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_copy(plumb_context *context, const plumb_view *src, plumb_view *dst,
                                                   plumb_stream stream);

/* Between planes and the interleaved form others use (an array of dd or qd structs, column by column, matrices one
 * after the other; a complex number is its real part followed by its imaginary part). Host arrays. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_pack(const double *interleaved, plumb_view *dst);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_unpack(const plumb_view *src, double *interleaved);

/* ---- Arithmetic on arrays ----------------------------------------------------------------------------------- */

/* out = op(x, y, z), entry by entry. docs/arithmetic.md gives the error bound of each. */
#define PLUMB_OP_LIST(X)                                                                            \
    X(PLUMB_OP_ADD, "add", 2)     /* x + y */                                                       \
    X(PLUMB_OP_SUB, "sub", 2)     /* x - y */                                                       \
    X(PLUMB_OP_MUL, "mul", 2)     /* x * y */                                                       \
    X(PLUMB_OP_DIV, "div", 2)     /* x / y */                                                       \
    X(PLUMB_OP_FMA, "fma", 3)     /* x * y + z, renormalised once */                                \
    X(PLUMB_OP_SQR, "sqr", 1)     /* x * x */                                                       \
    X(PLUMB_OP_INV, "inv", 1)     /* 1 / x */                                                       \
    X(PLUMB_OP_SQRT, "sqrt", 1)   /* square root, of a complex x the one with real part >= 0 */     \
    X(PLUMB_OP_ABS, "abs", 1)     /* |x|; of a complex x a real array */                            \
    X(PLUMB_OP_NEG, "neg", 1)     /* -x */                                                          \
    X(PLUMB_OP_CONJ, "conj", 1)   /* conjugate; of a real x a copy */                               \
    X(PLUMB_OP_CMP, "cmp", 2)     /* real x, y: -1, 0 or 1 in a real d array; NaN when unordered */ \
    X(PLUMB_OP_ADD_D, "add_d", 2) /* x + y, y a real array of doubles */                            \
    X(PLUMB_OP_MUL_D, "mul_d", 2) /* x * y, y a real array of doubles */                            \
    X(PLUMB_OP_DIV_D, "div_d", 2) /* x / y, y a real array of doubles */                            \
    X(PLUMB_OP_SCALE, "scale", 2) /* x * y, y a real array of powers of two: exact */               \
    X(PLUMB_OP_DOT, "dot", 2)     /* out(i) = sum over j of conj(x(i,j)) * y(i,j): one column, an accumulator */

#define PLUMB_OP_ENUM(code, name, operands) code,
typedef enum plumb_op { PLUMB_OP_LIST(PLUMB_OP_ENUM) PLUMB_OP_COUNT } plumb_op;
#undef PLUMB_OP_ENUM

/* Operands have the precision, parts and shape of out except where the list says otherwise; unused operands are NULL; out
 * may be one of the operands, but may not overlap one in any other way. All on the host or all on the device. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_map(plumb_context *context, plumb_op op, const plumb_view *x,
                                                  const plumb_view *y, const plumb_view *z, plumb_view *out,
                                                  plumb_stream stream);
PLUMB_API const char *plumb_op_name(plumb_op op); /* "add", ...; NULL outside the list */

/* ---- Numbers as text ---------------------------------------------------------------------------------------- */

typedef struct plumb_text_error {
    int64_t line, column; /* from 1 */
    char message[200];    /* what was found and what was expected */
    int64_t reserved[3];
} plumb_text_error;

/* Reads one number: an integer or rational of any length (12, -1/3), a decimal (1.5e-300), a hexadecimal (0x1.8p+1),
 * limbs as written by plumb_number_write_hex, inf, nan, or a complex number ((1.0 + 2.0*i), 1.5-2i, -i, (1/3)). White
 * space around it is passed over; anything else after it is an error. Correctly rounded: re[0] + ... + re[prec-1] is
 * the canonical expansion, each limb the nearest double to what remains. Beyond the range of a double:
 * PLUMB_ERR_RANGE; too small for one: zero. im may be NULL: then only a real number will do. docs/numbers.md has the
 * details. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_number_read(const char *text, size_t length, int32_t prec, double *re,
                                                          double *im, plumb_text_error *error /* or NULL */);

/* Writes a real number: with digits = 0 the shortest decimal that reads back to the same limbs, else so many
 * significant digits, rounded to nearest. *needed (if not NULL) receives the size including the final 0;
 * PLUMB_ERR_BUFFER when size is less (then buffer holds ""). Limbs need not be canonical: what is written then reads
 * as the expansion of their sum. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_number_write(int32_t prec, const double *limbs, int32_t digits,
                                                           char *buffer, size_t size, size_t *needed);
/* The same for "(re + im*i)". */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_complex_write(int32_t prec, const double *re, const double *im,
                                                            int32_t digits, char *buffer, size_t size, size_t *needed);
/* The limbs themselves, "[0x1.8p+1,0x0p+0]": exact, also for limbs that are not canonical. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_number_write_hex(int32_t prec, const double *limbs, char *buffer,
                                                               size_t size, size_t *needed);

/* ---- Least squares ------------------------------------------------------------------------------------------- */

/* The outcome of problem b of a batch, info[b], lies in the same memory (host or device) as the results, so that a
 * sequence of solves on a device needs no round trip: 0 solved; k > 0 column k (from 1) depends numerically on those
 * before it; below 0 the negated plumb_status that stopped it (-PLUMB_ERR_NONFINITE, -PLUMB_ERR_RANGE). A problem that
 * was not solved has zeros in x, never NaN. */
typedef int64_t plumb_info;

/* All arrays of a call are on the host, or all on the device. On the device modified Gram-Schmidt without pivoting and without a
 * second pass is queued on options->stream, nothing waits, and info (device memory there, or NULL) is written with the results;
 * only a call that asks for a report waits for its end. Other methods run on the processor, with copies there and back; the
 * note of the report says so. */

enum {
    PLUMB_METHOD_MGS = 0, /* modified Gram-Schmidt in the precision of x */
    PLUMB_METHOD_REFINED =
        1,              /* factor in a lower precision, refine with residuals in that of x; MGS where that fails */
    PLUMB_METHOD_LU = 2 /* Gaussian elimination with partial pivoting, square systems */
};

typedef struct plumb_lsq_options {
    size_t size;
    int32_t method;      /* PLUMB_METHOD_MGS */
    int32_t factor_prec; /* PLUMB_METHOD_REFINED: the precision to factor in; 0: the lowest that promises to converge */
    int32_t pivot;       /* 1: exchange columns, decide the rank, return a basic solution (MGS) */
    int32_t reorthogonalize; /* 1: modified Gram-Schmidt twice (MGS) */
    int32_t orthogonality;   /* 1: report the loss of orthogonality, which costs as much as the factorisation */
    int32_t reserved;        /* 0 */
    plumb_stream stream;
} plumb_lsq_options;

typedef struct plumb_lsq_report {
    size_t size;
    int32_t method, factor_prec; /* what was used in the end */
    int32_t steps;               /* refinement steps */
    int32_t backend;
    int64_t rank;         /* n unless columns were exchanged */
    double condition;     /* estimate for the matrix with its columns scaled to like size */
    double digits;        /* decimal digits believed right in the largest entry of x, for the data as given */
    double orthogonality; /* largest entry of Q^H Q - I, when asked for; else NaN */
    char note[256];       /* what was done instead of what was asked, and why; "" when nothing */
} plumb_lsq_report;

PLUMB_API void plumb_lsq_options_init(plumb_lsq_options *options);
PLUMB_API void plumb_lsq_report_init(plumb_lsq_report *report);

/* A = Q R for m x n with m >= n >= 1: q is m x n or NULL, r is n x n or NULL, upper triangular with a real positive
 * diagonal. With pivoting A P = Q R, and permutation (n entries on the host, or NULL) tells column k of A P. options and
 * report may be NULL; inputs are never changed. One system (batch 1). */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_qr(plumb_context *context, const plumb_view *a, plumb_view *q,
                                                 plumb_view *r, int64_t *permutation, plumb_info *info,
                                                 const plumb_lsq_options *options, plumb_lsq_report *report);

/* A x = b in the least-squares sense: b is m x p, x n x p, residual (or NULL) a real 1 x p array of the norms of b - A x. All
 * of one precision; real or complex alike. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_lsq(plumb_context *context, const plumb_view *a, const plumb_view *b,
                                                  plumb_view *x, plumb_view *residual, plumb_info *info,
                                                  const plumb_lsq_options *options, plumb_lsq_report *report);

/* plumb_lsq in the lowest precision that gives so many decimal digits of x by its own error estimate, at most that of a, b
 * and x: starts in d and goes up. The data are rounded for the lower precisions, and the estimate knows it. The result is in
 * the precision of x; report->factor_prec tells which one it took, report->digits what is believed right, and the note when
 * even the highest precision falls short. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_lsq_auto(plumb_context *context, const plumb_view *a, const plumb_view *b,
                                                       plumb_view *x, plumb_view *residual, plumb_info *info,
                                                       double digits, plumb_lsq_report *report);

/* Many systems of one shape by modified Gram-Schmidt: views with a batch, info an entry for each. On the processor the same
 * bits as one by one. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_lsq_batch(plumb_context *context, const plumb_view *a,
                                                        const plumb_view *b, plumb_view *x, plumb_view *residual,
                                                        plumb_info *info, const plumb_lsq_options *options);

/* Factor once, solve later right-hand sides by the same recurrence against the stored columns, with the bits plumb_lsq
 * would have given on the processor. Right-hand sides lie where the matrix was; in this version a factor is kept and used on the
 * host, so that with device arrays both calls wait. info[0] as above; a factor with info[0] != 0 cannot solve. */
typedef struct plumb_factor plumb_factor;

PLUMB_API PLUMB_USE_RESULT plumb_status plumb_factor_create(plumb_context *context, const plumb_view *a,
                                                            const plumb_lsq_options *options, plumb_info *info,
                                                            plumb_factor **factor);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_factor_solve(plumb_context *context, const plumb_factor *factor,
                                                           const plumb_view *b, plumb_view *x, plumb_view *residual,
                                                           plumb_info *info, plumb_stream stream);
PLUMB_API void plumb_factor_destroy(plumb_context *context, plumb_factor *factor);

/* ---- Polynomial systems -------------------------------------------------------------------------------------- */

/* A polynomial system, its coefficients exact complex rationals until a precision is chosen. It never changes, so any
 * number of threads may use it. */
typedef struct plumb_system plumb_system;

/* Reads a system in PHCpack's form (the number of equations, and of unknowns where it differs, then polynomials that end with
 * ';') or without that first line; docs/files.md has the grammar. Products and powers are expanded, equal monomials
 * merged. PLUMB_ERR_PARSE, or PLUMB_ERR_SIZE when an expansion would be too large; *system is NULL then. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_parse(const char *text, size_t length, plumb_system **system,
                                                           plumb_text_error *error /* or NULL */);
PLUMB_API void plumb_system_destroy(plumb_system *system); /* NULL is fine */
PLUMB_API int64_t plumb_system_equations(const plumb_system *system);
PLUMB_API int64_t plumb_system_unknowns(const plumb_system *system);

/* The name of an unknown, from 0, in the order of their first appearance; NULL outside. It lives as long as the system. */
PLUMB_API const char *plumb_system_name(const plumb_system *system, int64_t unknown);

/* Of an equation, from 0: the total degree (-1 of the zero polynomial and outside) and the number of terms. */
PLUMB_API int64_t plumb_system_degree(const plumb_system *system, int64_t equation);
PLUMB_API int64_t plumb_system_terms(const plumb_system *system, int64_t equation);

enum {
    PLUMB_SYSTEM_PHC = 0,  /* PHCpack's form */
    PLUMB_SYSTEM_PLAIN = 1 /* a polynomial a line, each ended by ';', and nothing before them */
};

/* Writes the system such that reading gives the same one. *needed (if not NULL) receives the size including the final 0;
 * PLUMB_ERR_BUFFER when size is less (then buffer holds ""). */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_write(const plumb_system *system, int32_t form, char *buffer,
                                                           size_t size, size_t *needed);

/* Values (equations x 1) and Jacobians (equations x unknowns; or NULL) at a batch of points (unknowns x 1), all of one
 * precision, real or complex alike, and all on the host or all on the device. Real points need a system with real coefficients;
 * any other kind of evaluation is complex throughout. On a device the call queues its work on the stream and returns; the first
 * one with a system sends it there, which waits, and later ones may be recorded into a CUDA graph. Each point has its bits,
 * however many there are. The system is compiled on the first call and its coefficients are rounded,
 * correctly, on the first call of each precision; both are kept with it, so that later calls only compute. Several threads,
 * each with its context, may evaluate one system. No view may overlap another. Where a result is beyond the range of a double,
 * it is not finite. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_eval(plumb_context *context, const plumb_system *system,
                                                          const plumb_view *points, plumb_view *values,
                                                          plumb_view *jacobians, plumb_stream stream);

/* ---- Newton's method ----------------------------------------------------------------------------------------- */

/* What became of one point; one list makes the codes and their texts. */
#define PLUMB_NEWTON_LIST(X)                                                                     \
    X(PLUMB_NEWTON_CONVERGED, "converged")                                                       \
    X(PLUMB_NEWTON_SLOW, "converges slowly: the root is singular, or not one of this precision") \
    X(PLUMB_NEWTON_DIVERGED, "diverges")                                                         \
    X(PLUMB_NEWTON_SINGULAR, "the Jacobian is singular")                                         \
    X(PLUMB_NEWTON_NONFINITE, "left the range of a double")

#define PLUMB_NEWTON_ENUM(code, text) code,
typedef enum plumb_newton_code { PLUMB_NEWTON_LIST(PLUMB_NEWTON_ENUM) PLUMB_NEWTON_CODES } plumb_newton_code;
#undef PLUMB_NEWTON_ENUM
PLUMB_API const char *plumb_newton_text(plumb_newton_code code); /* never NULL */

typedef struct plumb_newton_options {
    size_t size;
    int64_t most_steps;    /* 20 */
    double tolerance;      /* of the last correction over the largest entry of x; 0: what the precision allows */
    int32_t jacobian_prec; /* of Jacobian and factor; 0: the lowest that converges, at most that of x */
    int32_t reserved;      /* 0 */
} plumb_newton_options;

typedef struct plumb_newton_report {
    int32_t code;          /* a plumb_newton_code */
    int32_t prec;          /* in which the last residual was computed */
    int32_t jacobian_prec; /* in which the last factor was */
    int32_t quadratic;     /* 1: corrections were squared, as far as there were three of them to tell */
    int64_t steps;
    double residual;  /* largest |f_i(x)|; of an overdetermined system the norm of f(x) */
    double error;     /* forward: of the largest entry of x, relative, estimated */
    double condition; /* relative errors of terms of the system are this much larger in x, estimated */
    int64_t reserved[4];
} plumb_newton_report;

PLUMB_API void plumb_newton_options_init(plumb_newton_options *options);

/* Newton's method on a batch of points x (unknowns x 1, complex, on the host), in place; of Gauss and Newton with more equations than
 * unknowns. reports has an entry for each. Where it does not converge x is the point with the least residual seen. A root at which an
 * overdetermined system has a residual is approached linearly: converged when its corrections are small enough, slow when the
 * steps do not suffice. Points have the bits they have alone. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_newton(plumb_context *context, const plumb_system *system, plumb_view *x,
                                                     const plumb_newton_options *options, plumb_newton_report *reports);

/* The same for one point, starting in d and going up to dd and qd, at most the precision of x, until its error estimate promises
 * so many digits or its last correction is within a tolerance that is not 0, whichever comes first; most_steps in each. Converged
 * with an error above that otherwise: x has too few digits. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_newton_refine(plumb_context *context, const plumb_system *system,
                                                            plumb_view *x, double digits,
                                                            const plumb_newton_options *options,
                                                            plumb_newton_report *report);

/* One step x += dx, J dx = -f in the least-squares sense, for a batch of points, on the host or on the device; there it is queued on
 * the stream and returns at once, and a graph can record it once it has run (such a graph is good until a larger step runs on the
 * stream). info as for plumb_lsq, one a point, or NULL; dx (like x) or NULL. A point that cannot be solved stays where it is. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_newton_step(plumb_context *context, const plumb_system *system,
                                                          plumb_view *x, plumb_view *dx, plumb_info *info,
                                                          plumb_stream stream);

/* ---- Homotopies ---------------------------------------------------------------------------------------------- */

/* A start system of total degree: x_i^d_i - c_i with d_i the degree of equation i of the target, which has as many equations as
 * unknowns, none of them constant; c_i on the unit circle, made of the seed. Where the target is to be scaled (below), its terms have powers of
 * two as factors, such that unknowns are as large as in the target. PLUMB_ERR_ARGUMENT for other targets. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_start(const plumb_system *target, uint64_t seed,
                                                           plumb_system **start);

/* The number of its solutions; PLUMB_ERR_SIZE beyond 2^63 - 1. And solutions first, first + 1, ..., as many as the batch of x (unknowns
 * x 1, complex, on the host) has: made one by one, nothing is stored. start is any system of equations a x^d - c, one an
 * unknown, a and c not zero; else PLUMB_ERR_ARGUMENT. PLUMB_ERR_RANGE where the root of c/a is no normal double. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_start_count(const plumb_system *start, int64_t *count);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_start_solutions(const plumb_system *start, int64_t first,
                                                                     plumb_view *x);

/* h(x, t) = gamma (1 - t) start(x) + t target(x) for two systems with the same numbers of equations and unknowns, the former at least
 * the latter. */
typedef struct plumb_homotopy plumb_homotopy;

typedef struct plumb_homotopy_options {
    size_t size;
    uint64_t seed;      /* of gamma and of the patch */
    double gamma[2];    /* real and imaginary part; 0, 0: on the unit circle, made of the seed */
    int32_t projective; /* 1: in homogeneous coordinates on a random patch, where paths to infinity stay finite */
    /* 0: in unknowns and equations scaled by powers of two where the coefficients of the target call for it. Exact, and the same homotopy:
     * points go in and come out unscaled. 1: never. */
    int32_t unscaled;
} plumb_homotopy_options;

PLUMB_API void plumb_homotopy_options_init(plumb_homotopy_options *options);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_homotopy_create(const plumb_system *start, const plumb_system *target,
                                                              const plumb_homotopy_options *options,
                                                              plumb_homotopy **homotopy);
PLUMB_API void plumb_homotopy_destroy(plumb_homotopy *homotopy); /* NULL is fine */

/* ---- Path tracking ------------------------------------------------------------------------------------------- */

/* What became of a path: data, never an error of the call. */
#define PLUMB_PATH_LIST(X)                                        \
    X(PLUMB_PATH_SUCCESS, "success")                              \
    X(PLUMB_PATH_AT_INFINITY, "at infinity")                      \
    X(PLUMB_PATH_SINGULAR, "singular endpoint")                   \
    X(PLUMB_PATH_STEP_TOO_SMALL, "step too small")                \
    X(PLUMB_PATH_PRECISION_EXHAUSTED, "precision exhausted")      \
    X(PLUMB_PATH_TOO_MANY_STEPS, "too many steps")                \
    X(PLUMB_PATH_BAD_START, "not a solution of the start system") \
    X(PLUMB_PATH_STOPPED, "stopped")

#define PLUMB_PATH_ENUM(code, text) code,
typedef enum plumb_path_code { PLUMB_PATH_LIST(PLUMB_PATH_ENUM) PLUMB_PATH_CODES } plumb_path_code;
#undef PLUMB_PATH_ENUM
PLUMB_API const char *plumb_path_text(plumb_path_code code); /* never NULL */

/* Plain data, so that records can be stored and sent. Where the homotopy is scaled, residual, error and condition are those of the scaled
 * unknowns and equations. */
typedef struct plumb_path_record {
    int64_t path; /* its number: options->first_path for the first of a call */
    int64_t steps, rejected, solves;
    int32_t code;      /* a plumb_path_code */
    int32_t prec;      /* in which it ended */
    int32_t most_prec; /* the highest it needed on the way */
    int32_t winding;   /* number of turns after which the path closes around t = 1; 0 where no endgame was needed */
    int32_t reruns;    /* times it was tracked again with shorter steps, because its end was that of another path */
    int32_t padding;
    double t;         /* where it ended, 1 when it arrived */
    double residual;  /* largest |h_i| there */
    double error;     /* of the endpoint, relative, estimated */
    double condition; /* there, estimated, as in plumb_newton_report */
    double least_step;
    int64_t reserved[4];
} plumb_path_record;

/* An accepted step. x has 2 * prec doubles an unknown, limbs of the real part, then of the imaginary part, and is gone after the
 * call. */
typedef struct plumb_path_step {
    int64_t path, step;
    double t, t_imag; /* t_imag is not 0 on the circles of an endgame */
    double size;      /* of the step, |delta t| */
    double residual, condition;
    int32_t prec, corrections;
    int32_t rerun, padding; /* rerun is 0 the first time */
    const double *x;
    int64_t unknowns;
    int64_t reserved[4];
} plumb_path_step;

typedef struct plumb_track_options {
    size_t size;
    int32_t prec;         /* PLUMB_D, PLUMB_DD or PLUMB_QD throughout; 0: on each stretch of a path what it needs */
    int32_t endgame;      /* 1: circles around t = 1 for paths that do not get there by steps */
    int32_t most_winding; /* 16 */
    int32_t reruns;       /* 2: times paths with the same regular endpoint are tracked again with shorter steps */
    int64_t most_steps;   /* of a path, 10,000 */
    double tolerance;     /* of endpoints, relative; 0: by precision */
    double turn;          /* 0.6: most relative change of the inverse Jacobian in a step; smaller is slower and safer */
    double least_step;    /* of t; 0: by precision */
    double most_seconds;  /* of a path, 0: no limit. Breaks reproducibility */
    uint64_t seed;        /* of what a path needs of random numbers: path k has the same ones wherever it runs */
    int64_t first_path;   /* number of the first path of the call, 0 */
    const int64_t *paths; /* their numbers; NULL: first_path, first_path + 1, ... */
    int32_t rerun;        /* 0; k: steps as short as those of the k-th rerun, and records that say so */
    int32_t reserved;     /* 0 */
    /* Each may be NULL. Called by one thread at a time; of one path in its order, of different paths in any order. progress is called
     * now and then, and a result other than 0 stops cleanly: paths not finished have the code PLUMB_PATH_STOPPED. */
    int (*progress)(void *data, int64_t done, int64_t failed, int64_t total);
    void (*step)(void *data, const plumb_path_step *step);
    void *data; /* of both */
    plumb_stream stream;
} plumb_track_options;

PLUMB_API void plumb_track_options_init(plumb_track_options *options);

/* Tracks a batch of solutions of the start system (unknowns x 1, complex, on the host, any precision) to the target: ends has the same
 * shape, in the highest precision that options allow (qd when options->prec is 0), records an entry for each. The end of a path at infinity is a
 * direction whose largest entry is 1; of one that did not arrive, the last point of it. The same bits for any number of
 * threads. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_track(plumb_context *context, const plumb_homotopy *homotopy,
                                                    const plumb_view *starts, plumb_view *ends,
                                                    const plumb_track_options *options, plumb_path_record *records);

/* Bytes that the last plumb_track of this context moved between host and GPU, and steps accepted in it; 0 on the processor. */
PLUMB_API void plumb_track_traffic(const plumb_context *context, int64_t *to_device, int64_t *to_host, int64_t *steps);

#ifdef __cplusplus
}
#endif

#endif

/* plumb.h - polynomial systems, least squares and path tracking in multiple-double precision.
 *
 * This is the only public header of the library. It is C11, and C++ programs can include it as it is.
 *
 * What the library does
 *   It finds and certifies the solutions of polynomial systems, of families of them and in sets of positive dimension,
 *   tracks paths of homotopies, refines roots, and solves dense least-squares problems, in double (d), double double
 *   (dd) or quad double (qd) precision, on CPUs with the widest SIMD available and on NVIDIA GPUs.
 *
 * Statuses and outcomes
 *   Every call that can fail returns a plumb_status. The status says whether the call could be carried out. The
 *   outcome of one problem among many (a dependent column, a path that failed) is data: it is stored in info, in a
 *   report or in a record, with the results. If a caller passes no info for a least-squares problem, its outcome
 *   becomes the status. A call that fails leaves one line of text: plumb_context_message returns that of calls with a
 *   context, plumb_last_message that of calls without one.
 *
 * Contexts and threads
 *   A plumb_context holds the threads, the GPU and the scratch memory that calls use. A context may be used by one
 *   thread at a time, and contexts are independent of one another: a program with several threads gives each of them
 *   its own. Functions without a context may be called by any thread at any time. Systems and homotopies never
 *   change after they have been created, so any number of threads may use them.
 *
 * Ownership
 *   An object made by a _create, _parse or _read call is destroyed by the matching _destroy, which takes the object,
 *   allows NULL and returns nothing; the one for arrays also takes the context. All other memory
 *   belongs to the caller, and the library keeps no pointer to it after the call returns, except to device arrays of
 *   calls that are still queued on a stream. Pointers that a function returns (names, messages) belong to the
 *   library. The library never prints, exits, aborts or reads the environment.
 *
 * Host and device
 *   An array lies on the host or on the GPU (the device), as its view says. All arrays of a call lie in the same
 *   place. A call on host arrays returns when its results are there. A call on device arrays queues its work on a
 *   CUDA stream and returns at once, unless its description says otherwise.
 *
 * Reproducibility
 *   The same input and the same options give the same bits, for any number of threads and any instruction set.
 *   Batches are batch-invariant on the CPU: a problem gives the same bits alone or in a batch. A GPU gives the same
 *   bits in every run; its least squares add in another order than those of the CPU, so the last bits of the two
 *   differ.
 *
 * Structs that grow
 *   Option structs begin with their size: set them with the matching _init function, then change single fields. A
 *   program compiled with an older header passes a shorter struct, and the fields it does not have keep their
 *   defaults. A program compiled with a newer header passes a longer one, which is accepted if the bytes that the
 *   library does not know are zero, and otherwise refused with PLUMB_ERR_ARGUMENT.
 *   Structs that the library fills (reports, records, descriptions) need no initialisation. They keep their size: they end
 *   with reserved fields, which are zero, and a later version may give these a meaning, of which zero is nothing.
 *
 * Names
 *   The values of an enum have names: plumb_X_name returns the name of a value, as the program and its files use it, and NULL
 *   for a number that is no value; plumb_X_from_name returns the number of a name, and -1 for an unknown name or NULL.
 *   Names keep their meaning in later versions. Texts (plumb_X_text) explain a value to a reader.
 *
 * Sizes, strides and counts are int64_t; strides count doubles. A parameter that may be NULL is marked as such. */
#ifndef PLUMB_H
#define PLUMB_H

#include <stddef.h>
#include <stdint.h>

/* Before version 1.0 libraries with the same minor number are compatible, afterwards those with the same major
 * number. The name of the shared library and the CMake package follow this rule. */
#define PLUMB_VERSION_MAJOR 0
#define PLUMB_VERSION_MINOR 3
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

/* ---- Statuses ---------------------------------------------------------------------------------------------------- */

/* The status codes and their texts. A code keeps its number in later versions. */
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

/* Returns the text of a status, for example "invalid argument"; "unknown status" for a number that is no status. */
PLUMB_API const char *plumb_status_text(plumb_status status);

/* The name of a status is that of its constant, "PLUMB_ERR_ARGUMENT". */
PLUMB_API const char *plumb_status_name(int32_t status);
PLUMB_API int32_t plumb_status_from_name(const char *name);

/* Returns one line about the last call without a context that the calling thread made, if it failed, and "" if it
 * succeeded. A call that was given a NULL context counts as one without a context. The text is valid until the next
 * such call of the thread. */
PLUMB_API const char *plumb_last_message(void);

/* Returns the version of the library that is loaded, for example "0.3.0". It can be newer than the header. */
PLUMB_API const char *plumb_version(void);
/* Returns the version of MPFR, for example "4.2.1", which is used where quad doubles have too few digits. */
PLUMB_API const char *plumb_mpfr_version(void);

/* ---- Precisions -------------------------------------------------------------------------------------------------- */

/* A precision is named by its number of limbs: a number is the unevaluated sum of that many doubles, each at most
 * half a unit in the last place of the one before. */
enum {
    PLUMB_D = 1,  /* double: about 16 decimal digits */
    PLUMB_DD = 2, /* double double: about 32 decimal digits */
    PLUMB_QD = 4  /* quad double: about 64 decimal digits */
};

/* Returns "d", "dd" or "qd"; NULL for any other number. */
PLUMB_API const char *plumb_prec_name(int32_t prec);

/* Returns the precision with this name; 0 for an unknown name or NULL. */
PLUMB_API int32_t plumb_prec_from_name(const char *name);

/* ---- Instruction sets and GPUs ----------------------------------------------------------------------------------- */

typedef struct plumb_isa_info {
    const char *name; /* "scalar", "neon", "avx2" or "avx512" */
    int32_t lanes;    /* number of doubles in a vector */
    int32_t usable;   /* 1 if this CPU has the instruction set */
    int32_t best;     /* 1 for the one that contexts use unless another one is requested */
    int32_t reserved[9];
} plumb_isa_info;

/* Returns the number of instruction sets that were compiled into the library. */
PLUMB_API int32_t plumb_isa_count(void);

/* Describes instruction set number `index`, from 0; they are ordered from the narrowest to the widest. */
PLUMB_API plumb_status plumb_isa_query(int32_t index, plumb_isa_info *info);

typedef struct plumb_device_info {
    char name[256];
    int64_t memory_total, memory_free; /* bytes */
    int32_t capability_major, capability_minor;
    int32_t multiprocessors;
    int32_t usable; /* 1 if contexts can use it */
    char why[256];  /* why it cannot be used; "" if it can */
    int64_t reserved[8];
} plumb_device_info;

/* Returns the number of GPUs. If it is 0, why (or NULL) receives the reason in one line. */
PLUMB_API int32_t plumb_device_count(char *why, size_t why_size);

/* Describes GPU number `index`, from 0. PLUMB_ERR_NO_DEVICE if there is none with that number. */
PLUMB_API plumb_status plumb_device_query(int32_t index, plumb_device_info *info);

/* ---- Contexts ---------------------------------------------------------------------------------------------------- */

typedef struct plumb_context plumb_context;

enum {
    PLUMB_BACKEND_AUTO = 0, /* a GPU if one is usable and the call gains from it, otherwise the CPU */
    PLUMB_BACKEND_CPU = 1,
    PLUMB_BACKEND_GPU = 2 /* the GPU; creating the context fails where there is none */
};

PLUMB_API const char *plumb_backend_name(int32_t backend); /* "auto", "cpu", "gpu" */
PLUMB_API int32_t plumb_backend_from_name(const char *name);

typedef struct plumb_context_options {
    size_t size;
    int32_t backend; /* PLUMB_BACKEND_AUTO */
    int32_t device;  /* number of the GPU, from 0 */
    int32_t threads; /* maximum 1024; 0: one per core. They are started by the first call that gains from them */
    const char *isa; /* name of the instruction set, copied; NULL: the best that this CPU has */
} plumb_context_options;

PLUMB_API void plumb_context_options_init(plumb_context_options *options);

/* Creates a context. options may be NULL. Fails with PLUMB_ERR_UNSUPPORTED for an instruction set that the CPU or
 * the build does not have, and with PLUMB_ERR_NO_DEVICE if a GPU is required and none is usable; *context is then
 * NULL. The GPU itself is opened by the first call that needs it. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_context_create(const plumb_context_options *options,
                                                             plumb_context **context);

/* Destroys a context, after all work queued on its streams has ended. NULL is allowed. Arrays and factors that were
 * made with the context must be destroyed before; CUDA graphs that recorded its calls can no longer be replayed. */
PLUMB_API void plumb_context_destroy(plumb_context *context);

/* Returns one line about the last call on this context that failed, or about the last problem that could not be
 * solved; "" if there was none. The text is valid until the next call on the context. */
PLUMB_API const char *plumb_context_message(const plumb_context *context);

/* Return what the context uses: the name of the instruction set, the number of threads, and PLUMB_BACKEND_CPU or
 * PLUMB_BACKEND_GPU. */
PLUMB_API const char *plumb_context_isa(const plumb_context *context);
PLUMB_API int32_t plumb_context_threads(const plumb_context *context);
PLUMB_API int32_t plumb_context_backend(const plumb_context *context);

/* A CUDA stream (cudaStream_t) of the caller, as an opaque pointer. NULL is the context's own stream.
 *
 * Calls on device arrays can be recorded into a CUDA graph: run the call once on the stream, so that everything it
 * allocates is there, then record it. What a recorded call uses on the device stays until the context is destroyed,
 * whatever other calls are made. Calls that were recorded on one stream share the scratch memory of that stream:
 * replay their graphs one after the other, and not at the same time as other calls on the stream. A call that would
 * have to allocate while it is recorded fails with PLUMB_ERR_DEVICE. */
typedef void *plumb_stream;

/* Waits until everything queued on the stream has ended. If a least-squares problem on device arrays could not be
 * solved since the last wait, and its call was given no info, returns PLUMB_ERR_SINGULAR, PLUMB_ERR_NONFINITE or
 * PLUMB_ERR_RANGE, once; this concerns the calls of the context on all of its streams. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_stream_wait(plumb_context *context, plumb_stream stream);

/* Called repeatedly by calls that take long: `done` of `total` items (paths, points) have ended, `failed` of them without
 * a result; total is 0 as long as it is not known. If it returns a number other than 0, the call stops. data is that of the
 * options. Only one thread at a time calls it. */
typedef int (*plumb_progress)(void *data, int64_t done, int64_t failed, int64_t total);

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

enum { PLUMB_HOST = 0, PLUMB_DEVICE = 1 };  /* where an array lies */
enum { PLUMB_REAL = 1, PLUMB_COMPLEX = 2 }; /* parts of a number */

/* A batch of matrices, stored as planes: all leading limbs, then all second limbs, and so on; the limbs of the real
 * parts come before those of the imaginary parts. Plane c of entry (i, j) of matrix b is data[b*next + c*plane +
 * j*col + i], so a column of a plane is contiguous. A vector is a matrix with one column. A view does not own its
 * memory.
 *
 * A view that is an output is passed as plumb_view *: the call writes the entries, and leaves the view itself as it
 * is. */
typedef struct plumb_view {
    double *data;
    int64_t rows, cols, batch;
    int64_t plane, col, next; /* strides in doubles */
    int32_t prec;             /* PLUMB_D, PLUMB_DD or PLUMB_QD */
    int32_t parts;            /* PLUMB_REAL or PLUMB_COMPLEX */
    int32_t where;            /* PLUMB_HOST or PLUMB_DEVICE */
    int32_t reserved;         /* 0 */
} plumb_view;

/* Makes a dense view (col = rows, plane = rows * cols, next = prec * parts * plane) of memory that belongs to the
 * caller. doubles (or NULL) receives the number of doubles that it spans; data may still be NULL then.
 * PLUMB_ERR_SIZE if that number is too large. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_view_init(plumb_view *view, double *data, int32_t where, int32_t prec,
                                                        int32_t parts, int64_t rows, int64_t cols, int64_t batch,
                                                        int64_t *doubles);

/* Allocates an array of zeros, on the host or on the device, and makes a dense view of it. Destroy it with
 * plumb_array_destroy. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_array_create(plumb_context *context, int32_t where, int32_t prec,
                                                           int32_t parts, int64_t rows, int64_t cols, int64_t batch,
                                                           plumb_view *view);
PLUMB_API void plumb_array_destroy(plumb_context *context, plumb_view *view); /* NULL and an empty view are allowed */

/* Copies src to dst, which has the same shape: between host and device, if precision and parts are the same; and on
 * the host between precisions (exact towards the higher one, rounded to nearest towards the lower one) and from real
 * to complex. A copy between two device arrays is queued on the stream; any other copy has ended when the call
 * returns. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_copy(plumb_context *context, const plumb_view *src, plumb_view *dst,
                                                   plumb_stream stream);

/* Convert between planes and the interleaved form that other libraries use: an array of dd or qd numbers, column by
 * column, matrix after matrix; a complex number is its real part followed by its imaginary part. Host arrays only. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_pack(const double *interleaved, plumb_view *dst);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_unpack(const plumb_view *src, double *interleaved);

/* ---- Arithmetic on arrays ---------------------------------------------------------------------------------------- */

/* The operations, their names and their numbers of operands. docs/arithmetic.md has an error bound for each. */
#define PLUMB_OP_LIST(X)                                                                                      \
    X(PLUMB_OP_ADD, "add", 2)     /* x + y */                                                                 \
    X(PLUMB_OP_SUB, "sub", 2)     /* x - y */                                                                 \
    X(PLUMB_OP_MUL, "mul", 2)     /* x * y */                                                                 \
    X(PLUMB_OP_DIV, "div", 2)     /* x / y */                                                                 \
    X(PLUMB_OP_FMA, "fma", 3)     /* x * y + z, renormalised once */                                          \
    X(PLUMB_OP_SQR, "sqr", 1)     /* x * x */                                                                 \
    X(PLUMB_OP_INV, "inv", 1)     /* 1 / x */                                                                 \
    X(PLUMB_OP_SQRT, "sqrt", 1)   /* square root; for complex x the one with real part >= 0 */                \
    X(PLUMB_OP_ABS, "abs", 1)     /* |x|; a real array for complex x */                                       \
    X(PLUMB_OP_NEG, "neg", 1)     /* -x */                                                                    \
    X(PLUMB_OP_CONJ, "conj", 1)   /* complex conjugate; a copy for real x */                                  \
    X(PLUMB_OP_CMP, "cmp", 2)     /* real x and y: -1, 0 or 1 in a real array of doubles; NaN if unordered */ \
    X(PLUMB_OP_ADD_D, "add_d", 2) /* x + y, y a real array of doubles */                                      \
    X(PLUMB_OP_MUL_D, "mul_d", 2) /* x * y, y a real array of doubles */                                      \
    X(PLUMB_OP_DIV_D, "div_d", 2) /* x / y, y a real array of doubles */                                      \
    X(PLUMB_OP_SCALE, "scale", 2) /* x * y, y a real array of powers of two: exact */                         \
    X(PLUMB_OP_DOT, "dot", 2)     /* out(i) = sum over j of conj(x(i,j)) * y(i,j), one column */

#define PLUMB_OP_ENUM(code, name, operands) code,
typedef enum plumb_op { PLUMB_OP_LIST(PLUMB_OP_ENUM) PLUMB_OP_COUNT } plumb_op;
#undef PLUMB_OP_ENUM

/* Computes out = op(x, y, z), entry by entry. Operands have the precision, parts and shape of out except where the
 * list says otherwise; operands that op does not have are NULL. out may be one of the operands, but must not overlap
 * one in any other way. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_map(plumb_context *context, plumb_op op, const plumb_view *x,
                                                  const plumb_view *y, const plumb_view *z, plumb_view *out,
                                                  plumb_stream stream);

PLUMB_API const char *plumb_op_name(plumb_op op); /* "add", "sub", ... */
PLUMB_API int32_t plumb_op_from_name(const char *name);

/* ---- Products of matrices ---------------------------------------------------------------------------------------- */

/* What is done with an operand first. The values are bits: the adjoint is the conjugate of the transpose. Of real numbers, the
 * conjugate is the number itself. */
enum { PLUMB_OPERAND_PLAIN = 0, PLUMB_OPERAND_TRANSPOSE = 1, PLUMB_OPERAND_CONJUGATE = 2, PLUMB_OPERAND_ADJOINT = 3 };

PLUMB_API const char *plumb_operand_name(int32_t operand); /* "plain", "transpose", "conjugate", "adjoint" */
PLUMB_API int32_t plumb_operand_from_name(const char *name);

/* How products are computed. */
enum {
    PLUMB_GEMM_AUTO = 0,    /* whichever of the others is expected to be faster for this shape, precision and machine */
    PLUMB_GEMM_TILES = 1,   /* sums of products in the precision of the matrices */
    PLUMB_GEMM_RESIDUES = 2 /* exact products of scaled integers, by tensor cores of a GPU; dd and qd */
};

PLUMB_API const char *plumb_gemm_method_name(int32_t method); /* "auto", "tiles", "residues" */
PLUMB_API int32_t plumb_gemm_method_from_name(const char *name);

typedef struct plumb_gemm_options {
    size_t size;
    int32_t of_a, of_b;  /* PLUMB_OPERAND_PLAIN */
    const double *alpha; /* limbs of the real part, then those of the imaginary part, on the host; NULL: 1 */
    const double *beta;  /* likewise; NULL: 0 */
    int32_t method;      /* PLUMB_GEMM_AUTO */
    int32_t reserved;    /* 0 */
    int64_t workspace;   /* maximum number of bytes on the device; 0: 2^31 */
    plumb_stream stream; /* for device arrays */
} plumb_gemm_options;

typedef struct plumb_gemm_report {
    int32_t method;    /* as used: PLUMB_GEMM_TILES or PLUMB_GEMM_RESIDUES */
    int32_t backend;   /* PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU */
    int32_t moduli;    /* of residues */
    int32_t blocks;    /* into which C was divided so that the workspace sufficed */
    int64_t again;     /* entries of C, of all matrices, that residues do not give within the bound */
    int64_t workspace; /* bytes used on the device */
    int64_t reserved[4];
} plumb_gemm_report;

PLUMB_API void plumb_gemm_options_init(plumb_gemm_options *options);

/* Computes C = alpha op(A) op(B) + beta C for a batch of matrices of one shape: op(a) is m x k, op(b) is k x n and c is m x n, all of
 * one precision, and all real or all complex. a and b may have a batch of 1, which is then used for every matrix of c. c may overlap
 * neither a nor b. options and report may be NULL. Arrays on the host are multiplied by the CPU; a call with a report waits for its
 * end. PLUMB_GEMM_RESIDUES becomes PLUMB_GEMM_TILES where there are no terms, more than 65536 of them (32768 in qd), or too little
 * workspace for 128 columns; the workspace stays with the stream.
 *
 * The error of an entry is at most g u (|alpha| |op(A)| |op(B)| + |beta| |C|) + (k + 4) 2^-1070 |alpha|, entry by entry,
 * whatever the sizes of rows and columns; moduli and all their sums must be below 2^1000. u is 2^-53, 2^-106 or 2^-212. Real matrices:
 * in d g = min(k, 256) + k/256 + 4, in dd g = (min(k, 64) + 3)^2 + 3 k/64 + 16, in qd g = 16 (min(k, 64) + 4) + 2 k/64 + 40; complex
 * ones: twice that in d and qd and four times in dd.
 *
 * Where alpha is zero, a and b are not read; where beta is zero or NULL, c is not read. Sums run in the order of the terms, in blocks
 * of 256 terms in d and of 64 in dd and qd, so that the bits do not depend on threads and instruction sets. Infinities and NaN follow
 * plumb_map: if an entry is not finite, it is what the same sums of leading limbs give in double arithmetic. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_gemm(plumb_context *context, const plumb_view *a, const plumb_view *b,
                                                   plumb_view *c, const plumb_gemm_options *options,
                                                   plumb_gemm_report *report);

/* ---- Numbers as text --------------------------------------------------------------------------------------------- */

/* Where and why a text could not be read. */
typedef struct plumb_text_error {
    int64_t line, column; /* from 1; in a binary file line 1 and the byte */
    char message[200];    /* what was found and what was expected */
    int64_t reserved[3];
} plumb_text_error;

/* Reads one number: an integer or rational of any length (12, -1/3), a decimal (1.5e-300), a hexadecimal (0x1.8p+1),
 * limbs as plumb_number_write_hex writes them, inf, nan, or a complex number ((1.0 + 2.0*i), 1.5-2i, -i). White
 * space around it is skipped; anything else after it is an error. The result is correctly rounded: each limb is the
 * double nearest to the remainder. re and im receive prec limbs each; if im is NULL, the number must be real. error
 * may be NULL. PLUMB_ERR_PARSE; PLUMB_ERR_RANGE for a number beyond the largest double; a number below the smallest
 * double becomes zero. docs/numbers.md has the grammar. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_number_read(const char *text, size_t length, int32_t prec, double *re,
                                                          double *im, plumb_text_error *error);

/* Writes a real number as a decimal: with digits = 0 the shortest one that reads back to the same limbs, otherwise
 * with that many significant digits, rounded to nearest. needed (or NULL) receives the size of the text including
 * the final 0. PLUMB_ERR_BUFFER if that is more than size; buffer then holds "". Limbs that overlap are written as
 * the expansion of their sum. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_number_write(int32_t prec, const double *limbs, int32_t digits,
                                                           char *buffer, size_t size, size_t *needed);

/* The same for a complex number, as "(re + im*i)". */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_complex_write(int32_t prec, const double *re, const double *im,
                                                            int32_t digits, char *buffer, size_t size, size_t *needed);

/* The same for the limbs themselves in hexadecimal, "[0x1.8p+1,0x0p+0]". Exact for all limbs, overlapping ones
 * included. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_number_write_hex(int32_t prec, const double *limbs, char *buffer,
                                                               size_t size, size_t *needed);

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* The formats of files, the endings of their names, and what they hold. docs/files.md describes them. */
#define PLUMB_FORMAT_LIST(X)                                                                        \
    X(PLUMB_FORMAT_AUTO, "")      /* by the ending of the path; in memory the first format below */ \
    X(PLUMB_FORMAT_MTX, ".mtx")   /* matrices: Matrix Market */                                     \
    X(PLUMB_FORMAT_NPY, ".npy")   /* matrices: NumPy's binary format */                             \
    X(PLUMB_FORMAT_CSV, ".csv")   /* matrices: a table, one row per line */                         \
    X(PLUMB_FORMAT_PHC, ".phc")   /* systems and solutions: PHCpack's format; also ".sol" */        \
    X(PLUMB_FORMAT_TXT, ".txt")   /* systems: one polynomial per line */                            \
    X(PLUMB_FORMAT_JSON, ".json") /* solutions */

#define PLUMB_FORMAT_ENUM(code, ending) code,
typedef enum plumb_format { PLUMB_FORMAT_LIST(PLUMB_FORMAT_ENUM) PLUMB_FORMAT_COUNT } plumb_format;
#undef PLUMB_FORMAT_ENUM

PLUMB_API const char *plumb_format_name(int32_t format); /* "auto", "mtx", ...: the ending without its point */
PLUMB_API int32_t plumb_format_from_name(const char *name);

/* Returns the format that the ending of a path stands for; PLUMB_FORMAT_AUTO if it stands for none. */
PLUMB_API plumb_format plumb_format_of_path(const char *path);

/* What the header of a matrix file says. */
typedef struct plumb_matrix_info {
    int32_t format;     /* PLUMB_FORMAT_MTX or PLUMB_FORMAT_NPY */
    int32_t parts;      /* PLUMB_REAL or PLUMB_COMPLEX */
    int32_t prec;       /* limbs per number in the file; 0 for text, which has no precision of its own */
    int32_t padding;    /* 0 */
    int64_t rows, cols; /* at least 1 */
    int64_t stored;     /* entries in the file: fewer than rows * cols in coordinate and symmetric files */
    int64_t reserved[4];
} plumb_matrix_info;

/* A matrix that was read. Destroy it with plumb_matrix_destroy. */
typedef struct plumb_matrix {
    plumb_view view; /* dense, on the host, batch 1 */
    void *memory;    /* owned by the library */
    int32_t exact;   /* 1 if no entry was rounded */
    int32_t reserved[5];
} plumb_matrix;

/* Reads the header of a Matrix Market or npy file that lies in memory. error may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_matrix_query(const void *bytes, size_t length, plumb_matrix_info *info,
                                                           plumb_text_error *error);

/* Reads a matrix from a file that lies in memory, with every entry correctly rounded to the precision. Matrix Market
 * and npy are recognised by their first bytes. On failure *matrix is empty; PLUMB_ERR_PARSE, PLUMB_ERR_RANGE, or
 * PLUMB_ERR_MEMORY for a matrix that does not fit into memory. error may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_matrix_read(const void *bytes, size_t length, int32_t prec,
                                                          plumb_matrix *matrix, plumb_text_error *error);

/* The same for a table of numbers: one row per line, with commas, semicolons or white space between the fields. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_table_read(const void *bytes, size_t length, int32_t prec,
                                                         plumb_matrix *matrix, plumb_text_error *error);

/* The same for a file. One that does not begin as Matrix Market or npy is read as a table, unless its name ends in
 * .mtx or .npy. PLUMB_ERR_IO if it cannot be read. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_matrix_read_file(const char *path, int32_t prec, plumb_matrix *matrix,
                                                               plumb_text_error *error);
PLUMB_API void plumb_matrix_destroy(plumb_matrix *matrix); /* NULL and an empty matrix are allowed */

/* Writes a matrix (on the host, batch 1, not empty) into memory, in one of the formats for matrices. digits as in
 * plumb_number_write, for PLUMB_FORMAT_MTX only: 0 writes numbers that read back to the same limbs. npy keeps all
 * limbs. needed (or NULL) receives the number of bytes; there is no final 0. PLUMB_ERR_BUFFER if that is more than
 * size. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_matrix_write(const plumb_view *view, plumb_format format, int32_t digits,
                                                           void *buffer, size_t size, size_t *needed);

/* The same into a file, which is replaced. With PLUMB_FORMAT_AUTO the ending of the path decides: .mtx, .npy or
 * .csv; any other ending is PLUMB_ERR_ARGUMENT. PLUMB_ERR_IO if the file cannot be written. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_matrix_write_file(const plumb_view *view, const char *path,
                                                                plumb_format format, int32_t digits);

/* ---- Outcomes ------------------------------------------------------------------------------------------------------- */

/* The outcome of one problem: 0 if it was solved; k > 0 if column k (from 1; with m < n row k) depends numerically on
 * those before it; the negated status -PLUMB_ERR_NONFINITE or -PLUMB_ERR_RANGE if the data hold an infinity or a NaN, or
 * if the result is out of range. The results of a problem that was not solved are zero, never NaN.
 *
 * Calls take a pointer info to one entry per problem, in the same place (host or device) as the arrays, so that a
 * sequence of solves on a device needs no copy. If info is NULL, the outcome becomes the status: a call that waits for its
 * results returns PLUMB_ERR_SINGULAR, PLUMB_ERR_NONFINITE or PLUMB_ERR_RANGE for the first problem that was not
 * solved; a call that only queues its work returns PLUMB_OK, and the next plumb_stream_wait returns that status. */
typedef int64_t plumb_info;

/* ---- Triangular systems and Cholesky factors ---------------------------------------------------------------------- */

/* Which half of a matrix is read, or which factor is made. */
enum { PLUMB_LOWER = 0, PLUMB_UPPER = 1 };

/* On which side of the unknowns the triangular matrix is. */
enum { PLUMB_SIDE_LEFT = 0, PLUMB_SIDE_RIGHT = 1 };

typedef struct plumb_triangle_options {
    size_t size;
    int32_t triangle;    /* PLUMB_LOWER */
    int32_t side;        /* PLUMB_SIDE_LEFT (plumb_trsm only) */
    int32_t of_t;        /* PLUMB_OPERAND_PLAIN (plumb_trsm only) */
    int32_t unit;        /* 1: the diagonal is 1 and is not read (plumb_trsm only) */
    int32_t method;      /* PLUMB_GEMM_AUTO: of the products of blocks */
    int32_t reserved;    /* 0 */
    int64_t workspace;   /* maximum number of bytes on the device for products; 0: 2^31 */
    plumb_stream stream; /* for device arrays */
} plumb_triangle_options;

PLUMB_API void plumb_triangle_options_init(plumb_triangle_options *options);

/* Solves op(T) X = B, or X op(T) = B, for a batch of matrices of one shape: t is n x n, b holds B and receives X. Only one half of t is
 * read. t and b have one precision, are both real or both complex, and do not overlap; t may have a batch of 1, which is then used for
 * every matrix of b. Arrays on the host are solved by the CPU, with the same bits for any number of threads. On a device the
 * call only queues its work. options may be NULL.
 *
 * The residual of an entry is at most g u |op(T)| |X| (or g u |X| |op(T)|), entry by entry: u is 2^-53, 2^-106 or 2^-212, and g is
 * (2 + log2(max(n, 32) / 32)) times that of plumb_gemm for n terms. Nothing tests whether T is singular: a zero on the diagonal gives
 * infinities and NaN, as divisions do. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_trsm(plumb_context *context, const plumb_view *t, plumb_view *b,
                                                   const plumb_triangle_options *options);

/* Replaces Hermitian (or symmetric real) matrices by their Cholesky factors: A = L L^H with PLUMB_LOWER, A = U^H U with PLUMB_UPPER,
 * with a positive diagonal. Only this half of a is read, and no imaginary parts of the diagonal; the other half of a factor is zero. info
 * has one entry per matrix, where the arrays are: 0; k if the leading k x k matrix is not numerically positive definite, but the
 * leading (k-1) x (k-1) one is; -PLUMB_ERR_NONFINITE where infinities or NaN are met, in the data or by overflow. A matrix
 * without a factor becomes zero. If info is NULL, the call waits and returns PLUMB_ERR_SINGULAR or PLUMB_ERR_NONFINITE for the first
 * matrix that has none.
 *
 * The error |L L^H - A| of an entry is at most 2 g u |L| |L^H|, with the g of plumb_trsm. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_cholesky(plumb_context *context, plumb_view *a, plumb_info *info,
                                                       const plumb_triangle_options *options);

/* Solves A X = B with the factors of plumb_cholesky: b holds B and receives X; with PLUMB_UPPER the factors are U. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_cholesky_solve(plumb_context *context, const plumb_view *factor,
                                                             plumb_view *b, const plumb_triangle_options *options);

/* ---- Least squares ----------------------------------------------------------------------------------------------- */

enum {
    PLUMB_METHOD_MGS = 0, /* modified Gram-Schmidt in the precision of x */
    /* A factor in a lower precision, then iterative refinement with residuals in the precision of x;
     * PLUMB_METHOD_MGS where refinement does not converge, and on a GPU with fewer rows than columns. */
    PLUMB_METHOD_REFINED = 1,
    PLUMB_METHOD_LU = 2 /* Gaussian elimination with partial pivoting, for square systems */
};

PLUMB_API const char *plumb_method_name(int32_t method); /* "mgs", "refined", "lu" */
PLUMB_API int32_t plumb_method_from_name(const char *name);

/* Data that were rounded to their precision before the call. */
enum {
    PLUMB_ROUNDED_UNKNOWN =
        -1,                 /* plumb_lsq_auto only: numbers in dd and qd that use their last limb count as rounded */
    PLUMB_ROUNDED_NONE = 0, /* the data are exact as given */
    PLUMB_ROUNDED_DATA = 1, /* the matrix, and perhaps right-hand sides */
    PLUMB_ROUNDED_SIDES = 2 /* right-hand sides only */
};

typedef struct plumb_lsq_options {
    size_t size;
    int32_t method;          /* PLUMB_METHOD_MGS */
    int32_t factor_prec;     /* precision of the factor (REFINED only); 0: the lowest expected to converge */
    int32_t pivot;           /* 1: exchange columns, decide the rank, return a basic solution (MGS only, m >= n) */
    int32_t reorthogonalize; /* 1: orthogonalise twice (MGS only) */
    int32_t orthogonality;   /* 1: report the loss of orthogonality, which costs as much as the factorisation */
    int32_t rounded;         /* PLUMB_ROUNDED_NONE; the estimated digits allow for what was rounded */
    plumb_stream stream;     /* for device arrays */
} plumb_lsq_options;

typedef struct plumb_lsq_report {
    int32_t method, factor_prec; /* as used in the end */
    int32_t steps;               /* refinement steps */
    int32_t backend;             /* PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU */
    int64_t rank;     /* number of columns, or of rows if there are fewer, unless pivoting found a lower rank */
    double condition; /* estimated condition number of the matrix with columns (m < n: rows) scaled to similar norms */
    /* Estimated number of correct decimal digits in the largest entry of x, for the data as given; data so small that the
     * precision does not hold all their limbs count as rounded. It is 0 if pivoting left out columns that are not exact
     * combinations of the others, or if this is not known because they were rounded: the true rank, and with it
     * the solution, may then be different. */
    double digits;
    double orthogonality; /* largest entry of |Q^H Q - I| if it was requested, otherwise NaN */
    char note[256];       /* what was done differently from the options, and why; "" if nothing */
    int64_t reserved[4];
} plumb_lsq_report;

PLUMB_API void plumb_lsq_options_init(plumb_lsq_options *options);

/* The calls below take options and report, which may be NULL, and do not change their inputs. On device arrays
 * modified Gram-Schmidt and refinement run on the GPU, queued on options->stream; a call with a report waits for its
 * end, and so does refinement of problems that are too large for one block. Pivoting, reorthogonalisation and
 * elimination run on the CPU, with copies to the host and back, and the note of the report says so. */

/* Factors A = Q R for an m x n matrix with m >= n >= 1. q is m x n or NULL; r is n x n or NULL, upper triangular
 * with a positive real diagonal. With pivoting A P = Q R, and permutation (n entries on the host, or NULL) receives
 * the number of the column of A that is column k of A P. One matrix (batch 1). */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_qr(plumb_context *context, const plumb_view *a, plumb_view *q,
                                                 plumb_view *r, int64_t *permutation, plumb_info *info,
                                                 const plumb_lsq_options *options, plumb_lsq_report *report);

/* Solves A x = b in the least-squares sense: a is m x n, b m x p and x n x p, all of one precision, and all real or
 * all complex. With m < n and independent rows there are many solutions, and x is the one of least Euclidean norm.
 * residual (or NULL) is a real 1 x p array and receives the norms of b - A x, which for m <= n are those of rounding
 * errors. One problem (batch 1). */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_lsq(plumb_context *context, const plumb_view *a, const plumb_view *b,
                                                  plumb_view *x, plumb_view *residual, plumb_info *info,
                                                  const plumb_lsq_options *options, plumb_lsq_report *report);

typedef struct plumb_lsq_auto_options {
    size_t size;
    int32_t rounded;  /* PLUMB_ROUNDED_UNKNOWN; the estimated digits allow for what was rounded */
    int32_t reserved; /* 0 */
} plumb_lsq_auto_options;

PLUMB_API void plumb_lsq_auto_options_init(plumb_lsq_auto_options *options);

/* Solves the same in the lowest precision that gives `digits` decimal digits of x by its own error estimate, at most
 * the precision of a, b and x. It begins in d and continues in higher precisions while the estimate falls short; the
 * error estimate includes the rounding of the data. x keeps its precision. report->factor_prec is the precision that was
 * used, report->digits the estimated number of correct digits, and the note says so if even the highest precision falls
 * short. A call on device arrays waits. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_lsq_auto(plumb_context *context, const plumb_view *a, const plumb_view *b,
                                                       plumb_view *x, plumb_view *residual, plumb_info *info,
                                                       double digits, const plumb_lsq_auto_options *options,
                                                       plumb_lsq_report *report);

/* Solves a batch of problems of one shape, as plumb_lsq does; info has one entry per problem. Faster than one by one,
 * and on the CPU with the same bits. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_lsq_batch(plumb_context *context, const plumb_view *a,
                                                        const plumb_view *b, plumb_view *x, plumb_view *residual,
                                                        plumb_info *info, const plumb_lsq_options *options);

/* A factored matrix, for right-hand sides that are given later. */
typedef struct plumb_factor plumb_factor;

/* Factors a matrix with m >= n by modified Gram-Schmidt. With info the factor is created even if a column is
 * dependent, and cannot solve then; with info NULL the call fails and *factor is NULL. The factor is kept on the host,
 * so calls on device arrays wait. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_factor_create(plumb_context *context, const plumb_view *a,
                                                            const plumb_lsq_options *options, plumb_info *info,
                                                            plumb_factor **factor);

/* Solves A x = b with a factor, by the same recurrence as plumb_lsq on the CPU and with the same bits. b, x and
 * residual lie where the matrix was. PLUMB_ERR_SINGULAR for a factor that cannot solve. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_factor_solve(plumb_context *context, const plumb_factor *factor,
                                                           const plumb_view *b, plumb_view *x, plumb_view *residual,
                                                           plumb_info *info, plumb_stream stream);
PLUMB_API void plumb_factor_destroy(plumb_factor *factor); /* NULL is allowed */

/* ---- Polynomial systems ------------------------------------------------------------------------------------------ */

/* A polynomial system. Its coefficients are exact complex rationals; they are rounded when a precision is chosen. */
typedef struct plumb_system plumb_system;

/* Reads a system from a text: in PHCpack's format (the number of equations, and of unknowns if it differs, then
 * polynomials that end with ';'), without that first line, or as an input file of Bertini or msolve; docs/files.md has
 * the grammars. The format is recognised by the content. Products and powers are expanded, equal monomials are merged,
 * and an equation f = g becomes f - g. Quotients of polynomials are brought to common denominators (plumb_system_denominators).
 * PLUMB_ERR_PARSE; PLUMB_ERR_RANGE for an exponent above 10000; PLUMB_ERR_SIZE if
 * an expansion would be too large. *system is then NULL. error may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_parse(const char *text, size_t length, plumb_system **system,
                                                           plumb_text_error *error);

/* Reads a system from count texts, each with one equation or several that are separated by ';': "x^2 + y^2 = 5", "x*y -
 * 2". error->line is the number of the text, from 1, and error->column the byte in it. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_parse_equations(const char *const *texts, int64_t count,
                                                                     plumb_system **system, plumb_text_error *error);

/* Returns a line about a text that was read, index from 0: something that may not mean what its author meant, such as
 * an unknown with the name "pi", or polynomials that were ignored. NULL if there are no further lines. The line is
 * valid as long as the system. */
PLUMB_API const char *plumb_system_note(const plumb_system *system, int64_t index);

/* Creates a system from arrays. Equation e has the terms first[e], ..., first[e + 1] - 1, where first has equations
 * + 1 entries and first[0] is 0. Term k is coefficient k times the product over the unknowns i of x_i to the power
 * exponents[k * unknowns + i], which is from 0 to 10000. Terms may come in any order; those with equal monomials are
 * added.
 *
 * coefficients is a view with one row per term and one column, on the host, real or complex, of any precision; its
 * numbers are taken exactly. names has one name per unknown (letters, digits and '_', not beginning with a digit,
 * and neither "i" nor "I"), all of them different; if names is NULL the unknowns are x1, x2, ... PLUMB_ERR_ARGUMENT;
 * PLUMB_ERR_RANGE for an exponent; PLUMB_ERR_NONFINITE for a coefficient that is not finite. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_create(int64_t equations, int64_t unknowns, const int64_t *first,
                                                            const int32_t *exponents, const plumb_view *coefficients,
                                                            const char *const *names, plumb_system **system);

/* The same with exact coefficients as texts, one per term, in the grammar of plumb_number_read: "2", "-1/3", "(1/2 -
 * 3*i)", "0.1". A decimal is taken as the rational that it stands for. PLUMB_ERR_PARSE for a text that is no number. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_create_exact(int64_t equations, int64_t unknowns,
                                                                  const int64_t *first, const int32_t *exponents,
                                                                  const char *const *coefficients,
                                                                  const char *const *names, plumb_system **system);
PLUMB_API void plumb_system_destroy(plumb_system *system); /* NULL is allowed */

/* Return the numbers of equations and of unknowns. */
PLUMB_API int64_t plumb_system_equations(const plumb_system *system);
PLUMB_API int64_t plumb_system_unknowns(const plumb_system *system);

/* Returns how many of the unknowns are parameters: the last ones. A text declares them before its polynomials (`parameters a, b, c;`),
 * and a Bertini file as `parameter`. plumb_system_unknowns counts them, too; a family (plumb_family_create) gives them values. */
PLUMB_API int64_t plumb_system_parameters(const plumb_system *system);

/* Makes a system from another one, in which the unknowns with these names are parameters. PLUMB_ERR_ARGUMENT for other names, if no
 * unknown is left, and for a system with denominators. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_declare(const plumb_system *system, const char *const *names,
                                                             int64_t count, plumb_system **declared);

/* Returns the name of an unknown, from 0, in the order in which they first appear in the text; NULL if there is no
 * such unknown. The name is valid as long as the system. */
PLUMB_API const char *plumb_system_name(const plumb_system *system, int64_t unknown);

/* Return the total degree of an equation, from 0 (-1 for the zero polynomial or if there is no such equation), and
 * its number of terms. */
PLUMB_API int64_t plumb_system_degree(const plumb_system *system, int64_t equation);
PLUMB_API int64_t plumb_system_terms(const plumb_system *system, int64_t equation);

/* Returns the number of distinct denominators of a system that was read from equations with quotients or negative exponents; 0 for
 * polynomials. Its equations are then the numerators over common denominators, and plumb_solve returns those of their solutions at
 * which no denominator is zero. Calls that need polynomials refuse such a system. */
PLUMB_API int64_t plumb_system_denominators(const plumb_system *system);

/* Copies the terms of an equation, from 0, as plumb_system_create takes them: higher degrees first, then by the exponents
 * of the first unknown, the second, and so on, larger first. exponents (or NULL) receives plumb_system_terms times
 * unknowns entries, term after term. coefficients (or NULL) is a view with one row per term and one column, on the host,
 * and receives the coefficients, correctly rounded to its precision; it may be real if all of them are.
 * PLUMB_ERR_ARGUMENT; PLUMB_ERR_RANGE for a coefficient beyond the largest double. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_get_terms(const plumb_system *system, int64_t equation,
                                                               int32_t *exponents, plumb_view *coefficients);

/* Writes the real part (part 0) or the imaginary part (part 1) of the exact coefficient of a term as an integer or as
 * numerator/denominator in lowest terms: "2", "-1/3", "0". needed (or NULL) receives the size including the final 0;
 * PLUMB_ERR_BUFFER if that is more than size; buffer then holds "". */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_write_coefficient(const plumb_system *system, int64_t equation,
                                                                       int64_t term, int32_t part, char *buffer,
                                                                       size_t size, size_t *needed);

/* Writes a system as text, PLUMB_FORMAT_PHC or PLUMB_FORMAT_TXT, such that it reads back to the same system. needed
 * (or NULL) receives the size including the final 0. PLUMB_ERR_BUFFER if that is more than size; buffer then holds
 * "". */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_write(const plumb_system *system, plumb_format format,
                                                           char *buffer, size_t size, size_t *needed);

/* The same from and to a file. With PLUMB_FORMAT_AUTO a path that ends in .phc or .sol gives PLUMB_FORMAT_PHC, one
 * that ends in .txt PLUMB_FORMAT_TXT; any other ending is PLUMB_ERR_ARGUMENT. PLUMB_ERR_IO if the file cannot be
 * read or written. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_read_file(const char *path, plumb_system **system,
                                                               plumb_text_error *error);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_write_file(const plumb_system *system, const char *path,
                                                                plumb_format format);

/* Evaluates a system at a batch of points: points is unknowns x 1, values equations x 1, and jacobians (or NULL)
 * equations x unknowns, all of one precision, and all real or all complex; real points need a system with real
 * coefficients. No view may overlap another.
 *
 * The first call with a system compiles it, the first call in a precision rounds the coefficients (correctly), and
 * the first call on a device copies both to it and waits; later calls only compute. A result beyond the range of a
 * double is not finite. PLUMB_ERR_RANGE if a coefficient is. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_eval(plumb_context *context, const plumb_system *system,
                                                          const plumb_view *points, plumb_view *values,
                                                          plumb_view *jacobians, plumb_stream stream);

/* ---- Solutions --------------------------------------------------------------------------------------------------- */

/* A list of solutions of a system in one precision, as files have them. */
typedef struct plumb_solutions plumb_solutions;

/* What is known about one solution, and stored in files. */
typedef struct plumb_solution_record {
    int64_t multiplicity;
    double error;    /* size of the last correction of Newton's method, "err" */
    double rcond;    /* estimated inverse of the condition number, "rco" */
    double residual; /* "res" */
    double t[2];     /* the value of the continuation parameter, real and imaginary part, rounded to double */
    /* Set by plumb_solve; all 0 in a list that was read or created. */
    int32_t kind;  /* PLUMB_SOLUTION_REGULAR, PLUMB_SOLUTION_SINGULAR or PLUMB_SOLUTION_CLUSTER */
    int32_t real;  /* 1 if the solution is real, which is decided with as many digits as necessary */
    int32_t prec;  /* precision of this solution, at most that of the list: further limbs are 0 */
    int32_t known; /* number of decimal digits that are known of its largest unknown (estimated) */
    int64_t reserved[2];
} plumb_solution_record;

/* The kinds of solutions. */
enum {
    PLUMB_SOLUTION_UNKNOWN = 0,
    PLUMB_SOLUTION_REGULAR = 1,  /* the Jacobian has full rank there */
    PLUMB_SOLUTION_SINGULAR = 2, /* a multiple solution */
    PLUMB_SOLUTION_CLUSTER = 3   /* `multiplicity` solutions within `error` of this point; they may be one */
};

PLUMB_API const char *plumb_solution_kind_name(int32_t kind); /* "unknown", "regular", "singular", "cluster" */
PLUMB_API int32_t plumb_solution_kind_from_name(const char *name);

/* Creates a list of solutions that are zero, each with multiplicity 1 and rcond 1. names has one name per unknown,
 * which are copied. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_create(int64_t count, int64_t unknowns, int32_t prec,
                                                               const char *const *names, plumb_solutions **solutions);
PLUMB_API void plumb_solutions_destroy(plumb_solutions *solutions); /* NULL is allowed */

/* Return the number of solutions, the number of unknowns, the precision, and the name of an unknown (from 0; NULL if
 * there is none). */
PLUMB_API int64_t plumb_solutions_count(const plumb_solutions *solutions);
PLUMB_API int64_t plumb_solutions_unknowns(const plumb_solutions *solutions);
PLUMB_API int32_t plumb_solutions_prec(const plumb_solutions *solutions);
PLUMB_API const char *plumb_solutions_name(const plumb_solutions *solutions, int64_t unknown);

/* Copy solutions first, first + 1, ... (from 0), as many as the batch of x has, to or from a view: unknowns x 1,
 * complex, on the host, of the precision of the list. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_get(const plumb_solutions *solutions, int64_t first,
                                                            plumb_view *x);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_set(plumb_solutions *solutions, int64_t first,
                                                            const plumb_view *x);

/* The same for the record of one solution. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_get_record(const plumb_solutions *solutions, int64_t index,
                                                                   plumb_solution_record *record);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_set_record(plumb_solutions *solutions, int64_t index,
                                                                   const plumb_solution_record *record);

/* Reads the list of solutions in a text, PHCpack's format or JSON, which may follow a system. Of several lists in an
 * output of phc the last one is read; PLUMB_ERR_PARSE if it does not replace the others (docs/files.md). Numbers are
 * correctly rounded to the precision. On failure *solutions is NULL. error may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_read(const char *text, size_t length, int32_t prec,
                                                             plumb_solutions **solutions, plumb_text_error *error);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_read_file(const char *path, int32_t prec,
                                                                  plumb_solutions **solutions, plumb_text_error *error);

/* Write a list of solutions, PLUMB_FORMAT_PHC or PLUMB_FORMAT_JSON, such that it reads back to the same limbs.
 * needed (or NULL) receives the size including the final 0; PLUMB_ERR_BUFFER if that is more than size. With
 * PLUMB_FORMAT_AUTO the ending of the path decides: .phc, .sol or .json; any other ending is PLUMB_ERR_ARGUMENT. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_write(const plumb_solutions *solutions, plumb_format format,
                                                              char *buffer, size_t size, size_t *needed);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_write_file(const plumb_solutions *solutions, const char *path,
                                                                   plumb_format format);

/* ---- Newton's method --------------------------------------------------------------------------------------------- */

/* The outcome for one point. */
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
PLUMB_API const char *plumb_newton_name(int32_t code); /* "converged", "slow", "diverged", "singular", "nonfinite" */
PLUMB_API int32_t plumb_newton_from_name(const char *name);

typedef struct plumb_newton_options {
    size_t size;
    int64_t max_steps;     /* maximum number of steps, 20 */
    double tolerance;      /* of the last correction relative to the largest entry of x; 0: what the precision allows */
    int32_t jacobian_prec; /* of the Jacobian and its factor; 0: the lowest that converges, at most that of x */
    int32_t reserved;      /* 0 */
} plumb_newton_options;

typedef struct plumb_newton_report {
    int32_t code;          /* a plumb_newton_code */
    int32_t prec;          /* precision of the last residual */
    int32_t jacobian_prec; /* precision of the last factor */
    int32_t quadratic;     /* 1 if convergence was quadratic, as far as the last three corrections show */
    int64_t steps;
    double residual;  /* largest |f_i(x)|; for an overdetermined system the norm of f(x) */
    double error;     /* estimated forward error, relative to the largest entry of x */
    double condition; /* estimated: relative errors in the terms of the system grow by this factor in x; infinite where
                       * the root cannot be distinguished from a singular one */
    int64_t reserved[4];
} plumb_newton_report;

PLUMB_API void plumb_newton_options_init(plumb_newton_options *options);

/* Newton's method on a batch of points x (unknowns x 1, complex, on the host), in place; the Gauss-Newton method if
 * there are more equations than unknowns. reports receives one entry per point. A point that does not converge
 * becomes the one with the smallest residual that was seen. Where an overdetermined system has a residual at its
 * root, convergence is linear: the code is PLUMB_NEWTON_CONVERGED once corrections are small enough, and
 * PLUMB_NEWTON_SLOW if max_steps do not suffice. On the CPU results are batch-invariant. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_newton(plumb_context *context, const plumb_system *system, plumb_view *x,
                                                     const plumb_newton_options *options, plumb_newton_report *reports);

/* Refines one point until its estimated error promises `digits` decimal digits, or until the last correction is
 * within the tolerance of the options (if that is not 0), whichever comes first. It begins in d and goes up to dd
 * and qd, at most to the precision of x, with at most max_steps steps in each precision. If it converges with a
 * larger error than requested, the precision of x is too low. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_newton_refine(plumb_context *context, const plumb_system *system,
                                                            plumb_view *x, double digits,
                                                            const plumb_newton_options *options,
                                                            plumb_newton_report *report);

/* Makes one step x += dx, where J dx = -f in the least-squares sense, at a batch of points, on the host or on the
 * device. dx (with the shape of x) and info may be NULL; info as for plumb_lsq. A point whose Jacobian is singular
 * stays where it is. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_newton_step(plumb_context *context, const plumb_system *system,
                                                          plumb_view *x, plumb_view *dx, plumb_info *info,
                                                          plumb_stream stream);

/* ---- Digits ------------------------------------------------------------------------------------------------------ */

/* The outcome for one point that was refined to many digits. */
#define PLUMB_DIGITS_LIST(X)                                                                       \
    X(PLUMB_DIGITS_REACHED, "all digits that were asked for are known")                            \
    X(PLUMB_DIGITS_FEWER, "fewer digits are known than were asked for")                            \
    X(PLUMB_DIGITS_SINGULAR, "not refined: the Jacobian is singular, or nearly so")                \
    X(PLUMB_DIGITS_DIVERGED, "not refined: Newton's method does not converge quadratically there") \
    X(PLUMB_DIGITS_NOT_ZERO, "not refined: the equations have no common zero there")               \
    X(PLUMB_DIGITS_NONFINITE, "not refined: the point is not finite")

#define PLUMB_DIGITS_ENUM(code, text) code,
typedef enum plumb_digits_code { PLUMB_DIGITS_LIST(PLUMB_DIGITS_ENUM) PLUMB_DIGITS_CODES } plumb_digits_code;
#undef PLUMB_DIGITS_ENUM
PLUMB_API const char *plumb_digits_text(plumb_digits_code code); /* never NULL */

/* "reached", "fewer", "singular", "diverged", "not zero", "nonfinite" */
PLUMB_API const char *plumb_digits_name(int32_t code);
PLUMB_API int32_t plumb_digits_from_name(const char *name);

typedef struct plumb_digits_options {
    size_t size;
    int64_t digits;          /* requested number of decimal digits of every unknown, from 1 to 10,000; 100 */
    plumb_progress progress; /* of points, by the thread of the call, or NULL; those that failed have too few digits */
    void *data;              /* passed to progress */
} plumb_digits_options;

PLUMB_API void plumb_digits_options_init(plumb_digits_options *options);

/* What is known about one point. */
typedef struct plumb_digits_report {
    int32_t code; /* a plumb_digits_code */
    int32_t padding;
    int64_t known;    /* decimal digits that are known (estimated), at most those requested; 0 if it was not refined */
    int64_t bits;     /* precision of the last residual */
    int64_t steps;    /* of Newton's method, in all precisions */
    double condition; /* estimated: relative errors in the terms of the system grow by this factor in some unknown */
    int64_t reserved[4];
} plumb_digits_report;

/* Points whose coordinates are decimal numbers of any length. */
typedef struct plumb_digits plumb_digits;

/* Refines a batch of regular approximate zeros (unknowns x 1, complex, on the host, of any precision) to any number
 * of digits, with exact coefficients and the arithmetic of MPFR. Newton's method doubles the precision in each step,
 * so that the last one takes most of the time; with more equations than unknowns it is the Gauss-Newton method, and
 * all equations have to vanish. `known` digits of a point mean that the error of every unknown is at most 10^-known
 * times its modulus. An unknown that cannot be distinguished from zero becomes zero, and its error is relative to the largest
 * unknown. A point that is not refined keeps its value. options may be NULL. The threads of the context share the
 * points, and results do not depend on their number. PLUMB_ERR_ARGUMENT for a system with fewer equations than
 * unknowns; PLUMB_ERR_STOPPED if progress stops the call. Destroy *digits with plumb_digits_destroy. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_refine_digits(plumb_context *context, const plumb_system *system,
                                                            const plumb_view *x, const plumb_digits_options *options,
                                                            plumb_digits **digits);
PLUMB_API void plumb_digits_destroy(plumb_digits *digits); /* NULL is allowed */

/* Return the number of points and that of unknowns. */
PLUMB_API int64_t plumb_digits_count(const plumb_digits *digits);
PLUMB_API int64_t plumb_digits_unknowns(const plumb_digits *digits);

/* Copies the report of a point, from 0. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_digits_get(const plumb_digits *digits, int64_t index,
                                                         plumb_digits_report *report);

/* Return a part of an unknown of a point as a decimal number with the digits that are known and one more; NULL if there is
 * no such point or unknown. */
PLUMB_API const char *plumb_digits_re(const plumb_digits *digits, int64_t index, int64_t unknown);
PLUMB_API const char *plumb_digits_im(const plumb_digits *digits, int64_t index, int64_t unknown);

/* The same for a list of solutions, which keeps the digits: plumb_solutions_write and plumb_solutions_write_file write them in
 * place of the limbs, and the limbs become the rounded numbers. `known` in the record of a solution that was refined is
 * the number of its digits. Solutions of the kinds singular and cluster are not refined. Digits that the list had are
 * replaced, and plumb_solutions_set drops them. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_refine(plumb_context *context, const plumb_system *system,
                                                               plumb_solutions *solutions,
                                                               const plumb_digits_options *options);

/* Returns the digits that a list keeps, which the list owns; NULL if there are none. */
PLUMB_API const plumb_digits *plumb_solutions_digits(const plumb_solutions *solutions);

/* ---- Mixed volumes ----------------------------------------------------------------------------------------------- */

/* The kinds of mixed volumes, and the solutions whose number they bound. For coefficients in general position each bound is attained. */
enum {
    PLUMB_MIXED_STABLE = 0, /* the stable mixed volume: all isolated solutions, with multiplicity */
    PLUMB_MIXED_ORIGIN = 1, /* the origin added to every support: the same solutions, and at least as large */
    PLUMB_MIXED_NONZERO = 2 /* the supports as they are: only solutions without zero coordinates */
};

PLUMB_API const char *plumb_mixed_name(int32_t kind); /* "stable", "origin", "nonzero" */
PLUMB_API int32_t plumb_mixed_from_name(const char *name);

typedef struct plumb_mixed_options {
    size_t size;
    int32_t kind;      /* PLUMB_MIXED_STABLE */
    int32_t reserved;  /* 0 */
    uint64_t seed;     /* of the lifting, 0; the mixed volume does not depend on it */
    int64_t max_steps; /* maximum number of steps of the enumeration; 0: no limit */
} plumb_mixed_options;

typedef struct plumb_mixed_report {
    int64_t volume;   /* the mixed volume */
    int64_t cells;    /* number of mixed cells whose volumes add up to it */
    int64_t steps;    /* steps of the enumeration */
    int64_t liftings; /* number of liftings that were tried; all but the last had ties */
    int64_t reserved[4];
} plumb_mixed_report;

PLUMB_API void plumb_mixed_options_init(plumb_mixed_options *options);

/* Computes the mixed volume of a system with as many equations as unknowns, exactly, with the threads of the context.
 * options may be NULL. The report does not depend on the number of threads. PLUMB_ERR_ARGUMENT for other systems;
 * PLUMB_ERR_STOPPED if the enumeration takes more than max_steps; PLUMB_ERR_SIZE for a mixed volume of 2^63 or more,
 * or one that needs liftings of that size. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_mixed_volume(plumb_context *context, const plumb_system *system,
                                                           const plumb_mixed_options *options,
                                                           plumb_mixed_report *report);

/* ---- Homotopies -------------------------------------------------------------------------------------------------- */

/* Makes a start system of total degree for a target that has as many equations as unknowns, none of them constant:
 * x_i^d_i - c_i, where d_i is the degree of equation i of the target and c_i lies on the unit circle, derived from
 * the seed. If the target is scaled (see plumb_homotopy_options), the terms are multiplied by powers of two such
 * that the solutions have the size of those of the target. PLUMB_ERR_ARGUMENT for other targets; PLUMB_ERR_RANGE for
 * a degree above 10000. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_start(const plumb_system *target, uint64_t seed,
                                                           plumb_system **start);

/* The solutions of a system of equations a x^d - c, one per unknown, with a and c not zero: their number, and
 * solutions first, first + 1, ... (from 0), as many as the batch of x (unknowns x 1, complex, on the host) has. They
 * are computed one by one, and nothing is stored. PLUMB_ERR_ARGUMENT for any other system, PLUMB_ERR_SIZE if there
 * are more than 2^63 - 1 solutions, PLUMB_ERR_RANGE if a root of c/a is not a normal double. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_start_count(const plumb_system *start, int64_t *count);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_system_start_solutions(const plumb_system *start, int64_t first,
                                                                     plumb_view *x);

/* The homotopy h(x, t) = gamma (1 - t) start(x) + t target(x). */
typedef struct plumb_homotopy plumb_homotopy;

typedef struct plumb_homotopy_options {
    size_t size;
    uint64_t seed;      /* random seed of gamma and of the patch */
    double gamma[2];    /* real and imaginary part; 0, 0: on the unit circle, derived from the seed */
    int32_t projective; /* 1: in homogeneous coordinates on a random patch, where paths to infinity stay finite */
    /* 0: scale unknowns and equations by powers of two, which is exact, if the sizes of the coefficients of the target
     * differ much; points are given and returned unscaled. 1: never scale. */
    int32_t unscaled;
} plumb_homotopy_options;

PLUMB_API void plumb_homotopy_options_init(plumb_homotopy_options *options);

/* Creates a homotopy between two systems with the same number of equations and the same number of unknowns, with at
 * least as many equations as unknowns. Unknowns are matched by name, or by position if the systems have no name in
 * common; PLUMB_ERR_ARGUMENT if they share some names only. options may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_homotopy_create(const plumb_system *start, const plumb_system *target,
                                                              const plumb_homotopy_options *options,
                                                              plumb_homotopy **homotopy);
PLUMB_API void plumb_homotopy_destroy(plumb_homotopy *homotopy); /* NULL is allowed */

/* ---- Path tracking ----------------------------------------------------------------------------------------------- */

/* The outcome of a path. */
#define PLUMB_PATH_LIST(X)                                        \
    X(PLUMB_PATH_SUCCESS, "success")                              \
    X(PLUMB_PATH_AT_INFINITY, "at infinity")                      \
    X(PLUMB_PATH_SINGULAR, "singular endpoint")                   \
    X(PLUMB_PATH_STEP_TOO_SMALL, "step too small")                \
    X(PLUMB_PATH_PRECISION_EXHAUSTED, "precision exhausted")      \
    X(PLUMB_PATH_TOO_MANY_STEPS, "too many steps")                \
    X(PLUMB_PATH_BAD_START, "not a solution of the start system") \
    X(PLUMB_PATH_STOPPED, "stopped")                              \
    X(PLUMB_PATH_NOT_ISOLATED, "not isolated")                    \
    X(PLUMB_PATH_UNDECIDED, "undecided")                          \
    X(PLUMB_PATH_BEYOND, "beyond the largest size")

#define PLUMB_PATH_ENUM(code, text) code,
typedef enum plumb_path_code { PLUMB_PATH_LIST(PLUMB_PATH_ENUM) PLUMB_PATH_CODES } plumb_path_code;
#undef PLUMB_PATH_ENUM
PLUMB_API const char *plumb_path_text(plumb_path_code code); /* never NULL */
PLUMB_API int32_t plumb_path_from_name(const char *name);    /* the name of a path code is its text */

/* The record of one path: plain data, which can be stored and sent. If the path arrived, residual and errors are
 * those of the endpoint that is returned, in the target as it was given. Otherwise residual and error refer to the
 * scaled unknowns and equations; the condition always does. */
typedef struct plumb_path_record {
    int64_t path; /* number of the path */
    int64_t steps, rejected, solves;
    int32_t code;     /* a plumb_path_code */
    int32_t prec;     /* precision at the end of the path */
    int32_t max_prec; /* highest precision on the path */
    int32_t winding;  /* winding number: turns around t = 1 after which the path closes; 0 if no endgame was needed */
    int32_t reruns;   /* times it was tracked again with shorter steps, because its end was that of another path */
    /* Number of paths of the call that end at the same point, this one included; 0 if it did not arrive. */
    int32_t multiplicity;
    double t;         /* where it ended; 1 if it arrived */
    double residual;  /* largest |f_i| at the endpoint; of a path that did not arrive largest |h_i| */
    double error;     /* estimated error of the endpoint, relative to its largest unknown (absolute if it is 0) */
    double condition; /* estimated condition number there, as in plumb_newton_report */
    double min_step;  /* smallest step in t */
    /* The largest error of an unknown relative to its own size, or to its unit if that is larger (1, or its scale):
     * endpoints closer than that are not distinct. */
    double component_error;
    int32_t checked; /* precision in which residual and errors were computed from the endpoint; 0: they were not */
    int32_t padding;
    int64_t reserved[2];
} plumb_path_record;

/* One accepted step, for the callback of plumb_track_options. */
typedef struct plumb_path_step {
    int64_t path, step;
    double t, t_imag; /* t_imag is not 0 on the circles of the Cauchy endgame */
    double size;      /* |delta t| */
    double residual, condition;
    int32_t prec, corrections; /* corrections: of Newton's method in this step */
    int32_t rerun, padding;    /* rerun: 0 the first time a path is tracked */
    /* The point: per unknown 2 * prec doubles, the limbs of the real part, then of the imaginary part. It is valid
     * during the callback. */
    const double *x;
    int64_t unknowns;
    int64_t reserved[4];
} plumb_path_step;

/* What a call of plumb_track did, over all paths and their reruns. */
typedef struct plumb_track_report {
    int32_t backend; /* PLUMB_BACKEND_CPU or PLUMB_BACKEND_GPU, which tracked the paths */
    int32_t padding;
    int64_t steps;              /* accepted steps */
    int64_t to_device, to_host; /* bytes that were copied between host and GPU; 0 on the CPU */
    int64_t reserved[4];
} plumb_track_report;

typedef struct plumb_track_options {
    size_t size;
    int32_t prec;        /* the precision of all paths; 0: on each part of a path the precision that it needs */
    int32_t endgame;     /* 1: steps in log(1 - t) and circles around t = 1 near the end of paths; 0: none */
    int32_t max_winding; /* maximum winding number, 16 */
    int32_t reruns;      /* times that paths with equal regular endpoints are tracked again with shorter steps, 2 */
    int64_t max_steps;   /* maximum number of steps per path, 10,000 */
    double tolerance;    /* relative tolerance of the endpoints; 0: by precision */
    double turn;         /* maximum relative change of the inverse Jacobian per step, 0.6; smaller is safer */
    double min_step;     /* smallest step in t; 0: by precision */
    /* Paths to roots with a larger unknown, in the units of the target, and paths that may be such paths, are given up and have
     * the code PLUMB_PATH_BEYOND; from 100 on. INFINITY, the default: roots of any size are found if paths reach them. Paths that
     * do not reach a root of size 1e12 (or 1e15 in scaled units), or of this size if that is more, do not count as at infinity. */
    double largest;
    double max_seconds; /* maximum time per path; 0: no limit. Results with a limit are not reproducible */
    uint64_t seed;      /* seed of the random numbers of the paths */
    /* Callbacks, or NULL. They are called by one thread at a time, for one path in the order of its steps, for
     * different paths in any order. If progress stops the call, paths that have not ended have the code
     * PLUMB_PATH_STOPPED. */
    plumb_progress progress;
    void (*step)(void *data, const plumb_path_step *step);
    void *data;          /* passed to all callbacks */
    plumb_stream stream; /* of the GPU */
    /* A path has ended: called once for each path that is tracked, and again if it is tracked again, but not for paths
     * with the code PLUMB_PATH_STOPPED. record and x are what the call will return, except for the multiplicity and for
     * endpoints that the comparison of all of them finds to be undecided or not isolated; x has 2 * P doubles per
     * unknown, limbs of the real part first, where P is the precision of ends. On the CPU it is
     * called at once, on a GPU when all paths have ended. A callback as those above, or NULL. */
    void (*ended)(void *data, const plumb_path_record *record, const double *x);
    plumb_track_report *report; /* receives what the call did, if it returns PLUMB_OK; or NULL */
} plumb_track_options;

PLUMB_API void plumb_track_options_init(plumb_track_options *options);

/* Tracks a batch of solutions of the start system (unknowns x 1, complex, on the host, of any precision) to the
 * target. ends has the same shape, in the precision of the options (qd if options->prec is 0); records receives one
 * entry per path. The end of a path at infinity is a direction whose largest entry is 1; the end of a path that did
 * not arrive, or was given up because it is beyond the largest size, is its last point. options may be NULL. A call
 * that progress stops returns PLUMB_OK. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_track(plumb_context *context, const plumb_homotopy *homotopy,
                                                    const plumb_view *starts, plumb_view *ends,
                                                    const plumb_track_options *options, plumb_path_record *records);

/* ---- Solving a system -------------------------------------------------------------------------------------------- */

/* The kinds of start systems. The number of paths of each bounds the number of isolated solutions. */
enum {
    PLUMB_START_AUTO = 0,             /* the one with the fewest paths */
    PLUMB_START_TOTAL = 1,            /* total degree: as many paths as the product of the degrees */
    PLUMB_START_MULTIHOMOGENEOUS = 2, /* products of linear forms in groups of the unknowns */
    PLUMB_START_POLYHEDRAL = 3        /* random coefficients on the same monomials: as many as the mixed volume */
};

PLUMB_API const char *plumb_start_name(int32_t kind); /* "auto", "total", "multihomogeneous", "polyhedral" */
PLUMB_API int32_t plumb_start_from_name(const char *name);

/* A start system for a target, with its solutions, for homotopies that a program makes and tracks itself. plumb_solve uses the
 * same ones. */
typedef struct plumb_start plumb_start;

typedef struct plumb_start_options {
    size_t size;
    int32_t kind;     /* PLUMB_START_AUTO */
    int32_t nonzero;  /* 1: paths to solutions with zero coordinates are not needed (polyhedral only) */
    uint64_t seed;    /* random seed of the start system, 1 */
    int64_t max_work; /* maximum number of steps of the enumeration of mixed cells, 10,000,000; 0: no limit */
} plumb_start_options;

PLUMB_API void plumb_start_options_init(plumb_start_options *options);

/* Makes a start system for a target that has as many equations as unknowns, in the unknowns of the target. options may be
 * NULL. PLUMB_ERR_ARGUMENT for other targets, and if the start system has no solutions; PLUMB_ERR_STOPPED if the enumeration
 * of mixed cells takes more than max_work; PLUMB_ERR_SIZE if the start system would be too large. *start is then NULL. The
 * same target and options give the same start system. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_start_create(plumb_context *context, const plumb_system *target,
                                                           const plumb_start_options *options, plumb_start **start);
PLUMB_API void plumb_start_destroy(plumb_start *start); /* NULL is allowed */

/* Return the kind of the start system, never PLUMB_START_AUTO, the number of its solutions, one path each, and the system,
 * which is valid as long as the start. */
PLUMB_API int32_t plumb_start_kind(const plumb_start *start);
PLUMB_API int64_t plumb_start_paths(const plumb_start *start);
PLUMB_API const plumb_system *plumb_start_system(const plumb_start *start);

/* Creates the homotopy from the start system to the target of plumb_start_create, as plumb_homotopy_create does, and with the
 * factor gamma that the kind needs: none for a polyhedral start system, a random one for the others, unless the options
 * have one. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_start_homotopy(const plumb_start *start, const plumb_system *target,
                                                             const plumb_homotopy_options *options,
                                                             plumb_homotopy **homotopy);

/* Computes the solutions with these numbers, from 0, as many as the batch of x (unknowns x 1, complex, on the host, of any
 * precision) has. numbers is NULL (0, 1, ...) or ascending. A solution depends on its number alone, not on the call that
 * computes it. Those of a polyhedral start system are the ends of paths, which are tracked here; one that cannot be
 * computed is NaN, and plumb_track gives its path the code PLUMB_PATH_BAD_START. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_start_solutions(plumb_context *context, const plumb_start *start,
                                                              const int64_t *numbers, plumb_view *x);

struct plumb_solve_planned;

typedef struct plumb_solve_options {
    size_t size;
    int32_t start;    /* PLUMB_START_AUTO */
    int32_t prec;     /* precision of the paths; 0: on each part of a path the precision that it needs */
    int32_t digits;   /* decimal digits that solutions are refined to, at most 10,000; 0: as they come from the paths */
    int32_t real;     /* 1: return only real solutions */
    int32_t positive; /* 1: return only real solutions whose unknowns are all above 0 */
    int32_t nonzero; /* 1: return only solutions without zero coordinates, and track only paths to these, if possible */
    int32_t reruns;  /* times that paths that failed or share a regular endpoint are tracked again, 2 */
    int32_t reserved;        /* 0 */
    int64_t max_steps;       /* maximum number of steps per path, 10,000 */
    int64_t max_work;        /* maximum number of steps of the enumeration of mixed cells, 10,000,000; 0: no limit */
    double largest;          /* solutions with a larger unknown are left out, as in plumb_track_options; INFINITY */
    uint64_t seed;           /* random seed, 1 */
    plumb_progress progress; /* of paths, or NULL */
    void *data;              /* passed to progress */
    /* With more equations than unknowns: points that miss them by at most this, computed as `miss` in plumb_solve_report, are
     * accepted as solutions, for coefficients that were measured; 0: only exact solutions. */
    double residual;
    /* A file to which the end of each path is written as soon as it is known, so that a call that was stopped or killed can be
     * continued; NULL: none. The call does not remove it: remove it when the solutions are saved. Its format is that
     * of `plumb solve`, which can also continue it. */
    const char *journal;
    int32_t
        resume;    /* 1: paths in the journal, if it exists, are not tracked again; 0: an existing journal is refused */
    int32_t ranks; /* 1: share the paths with the other ranks (plumb_ranks_begin); 0 */
    /* A range of the paths, for parts of a run on several computers, whose journals `plumb merge` puts together: the number of the
     * first one, from 0, and their number; 0: all that follow. The report counts these paths, and the list has their endpoints. */
    int64_t path_first, path_count;
    /* A file of mixed cells, which take long to enumerate for large systems: they are read from there, or enumerated and written there if
     * it does not exist, so that parts of a run share them; NULL: they are enumerated. */
    const char *cells;
    /* Journals of ranges of the paths, tracked with the same options: their paths are not tracked again, and all other steps are those of
     * one call for all paths. The list ends with NULL; NULL: none. Paths that no part has are an error, unless fill is 1. */
    const char *const *parts;
    /* A file to which every accepted step and every end of a path is written (docs/files.md), or NULL. */
    const char *path_log;
    int32_t fill;       /* 1: track the paths that no part has */
    int32_t reserved_2; /* 0 */
    /* Receives notes for the user that do not end the call, such as a journal that is damaged; or NULL. */
    void (*note)(void *data, const char *line);
    /* Called once with the plan, before paths are tracked; or NULL. */
    void (*planned)(void *data, const struct plumb_solve_planned *planned);
    /* Called some times per second, by any thread: a result other than 0 stops the call, as with progress; or NULL. */
    int (*stop)(void *data);
    /* A folder for a file without a name, which holds the ends of paths instead of memory if there is no journal; NULL: none. */
    const char *folder;
    int32_t unfiltered;   /* 1: real, positive and nonzero are applied later, by plumb_solutions_choose */
    int32_t rank_threads; /* with ranks: threads of this rank that track; 0: its share of the cores */
    /* 1: track only a small sample of the paths, spread evenly over all of them, to estimate the time of all of them; then call
     * `planned` and return an empty list with its report. Excludes journal, parts, path_log, ranks and a range of paths. */
    int32_t plan_only;
    int32_t reserved_3; /* 0 */
    /* Paths whose outcome quad doubles cannot decide are followed in MPFR, on the CPU, with as many digits as necessary. This is the maximum
     * number, up to 10,000, the default; 64 or less: they stay undecided. */
    int32_t max_digits;
    int32_t reserved_4; /* 0 */
    /* Of the paths that are followed in MPFR, after all paths were tracked, or NULL; `failed` counts those that are not decided yet. */
    plumb_progress mpfr_progress;
} plumb_solve_options;

PLUMB_API void plumb_solve_options_init(plumb_solve_options *options);

/* What plumb_solve did. Every path is in one of the counts: paths = regular + singular + infinite + beyond + not_isolated +
 * extraneous + undecided + failed. */
typedef struct plumb_solve_report {
    int32_t start; /* kind of the start system that was used; PLUMB_START_AUTO if no paths were needed */
    int32_t
        squared; /* number of equations that were combined at random, because there are more than unknowns; 0: none */
    int64_t eliminated;   /* unknowns that were eliminated exactly, by linear equations */
    int64_t total_degree; /* paths of the start systems; -1 where that is not known, not possible or above 2^63 */
    int64_t multihomogeneous;
    int64_t polyhedral;
    int64_t paths;        /* paths that were tracked */
    int64_t regular;      /* ended at regular solutions, each at a different one */
    int64_t singular;     /* ended at singular isolated solutions or in clusters: the sum of their multiplicities */
    int64_t infinite;     /* went to infinity */
    int64_t not_isolated; /* ended on solution sets of positive dimension */
    int64_t extraneous;   /* ended at solutions of the random combinations that do not solve the system, or where a
                           * denominator of the system is zero */
    int64_t undecided;    /* it is not known in which of these ways they ended */
    int64_t failed;       /* did not end, were stopped, or share the regular endpoint of another path */
    int64_t unfinished;   /* the number of paths that were stopped, which are also among the failed ones */
    int64_t distinct;     /* distinct isolated solutions, before the options choose among them */
    int64_t real;         /* those of them that are real */
    uint64_t seed;
    int64_t clusters; /* distinct ones that are clusters, whose number of solutions is not known */
    /* With more equations than unknowns: the number of regular endpoints that do not solve them but miss them by at most 1e-6, and
     * by how much the best of these misses them, relative to the sizes of their terms with unknowns of modulus 1 or more;
     * 0 if there is none. */
    int64_t misses;
    double miss;
    int64_t dependent; /* equations that were left out, because they follow from the others exactly */
    int64_t lowered;   /* times that an equation was replaced by a combination of lower degree, exactly */
    /* Ended at points with an unknown above `largest` of the options, or were given up before. If largest is not set: were given up with unknowns of
     * at least 10 million, after a number of steps that suffices for well-conditioned roots of that size. */
    int64_t beyond;
    double beyond_min; /* the size of the largest unknown at their last points: the smallest and the largest of them; */
    double beyond_max; /* 0 if there are none */
    int64_t stopped;   /* 1: the call was stopped, so that paths or their outcomes may be missing */
    /* Unknowns that were solved for one after the other, without paths (docs/solving.md); 0: there are paths, or elimination has left
     * nothing. The counts of paths are then those of solutions with their multiplicities. */
    int64_t direct;
    /* Paths that were followed in MPFR, because quad doubles cannot decide how they end; the largest precision of one of them, in
     * decimal digits; the steps and the seconds of all of them; and the paths that were given up because they need more than max_digits. */
    int64_t mpfr_paths;
    int64_t mpfr_digits;
    int64_t mpfr_steps;
    double mpfr_seconds;
    int64_t exhausted;
    /* Paths to infinity that were not followed in MPFR, because they are too many, although roots above 10^15 would be counted among them, and
     * coefficients are so different, or so long, that there may be some. */
    int64_t unfollowed;
    int64_t reserved[7];
} plumb_solve_report;

/* Where mixed cells come from: there are none; they were enumerated; they were read from a file and confirmed by a second enumeration; they
 * were read from a file and not confirmed, because this would take too many steps. */
enum { PLUMB_CELLS_NONE, PLUMB_CELLS_ENUMERATED, PLUMB_CELLS_CONFIRMED, PLUMB_CELLS_BELIEVED };

/* What is known before paths are tracked. Texts are valid during the callback. */
typedef struct plumb_solve_planned {
    int64_t paths;             /* the number of paths that will be tracked */
    plumb_solve_report report; /* what was simplified, the start systems, and all paths of the one that is used */
    double seconds[4];         /* by kind of start system (PLUMB_START_...): the time to count its paths */
    const char *given_up[4];   /* by kind: why it was given up; or NULL */
    const char *no_solution;   /* why it is certain that there is none; or NULL */
    int64_t cells_recount;     /* maximum number of steps for confirming cells of a file */
    int32_t cells;             /* PLUMB_CELLS_... */
    int32_t sample;            /* with plan_only: the number of paths that were tracked for the estimate */
    double estimated_seconds;  /* with plan_only: an estimate of the time of all paths; otherwise 0 */
    int32_t reserved[4];       /* 0 */
} plumb_solve_planned;

/* Finds all isolated solutions of a polynomial system, by path tracking from the start system with the fewest paths.
 * options may be NULL. The list has one entry per distinct solution, real ones first; its precision is that of the
 * options (qd if options->prec is 0, or if digits are requested), and the records describe each of them. PLUMB_ERR_ARGUMENT
 * for a system whose solutions are not isolated because it has fewer equations than unknowns, and for a journal that belongs to
 * something else or is in use; PLUMB_ERR_IO if the journal cannot be written or read; PLUMB_ERR_SIZE if there are more paths
 * than memory can hold; PLUMB_ERR_STOPPED if progress stops the call before the paths are known. *solutions is then NULL.
 * A call that progress stops later returns PLUMB_OK and what was found until then. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solve(plumb_context *context, const plumb_system *system,
                                                    const plumb_solve_options *options, plumb_solutions **solutions);

/* Copies the report of the plumb_solve call that found these solutions. PLUMB_ERR_ARGUMENT for a list that does not come from it. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_report(const plumb_solutions *solutions,
                                                               plumb_solve_report *report);

/* The same as plumb_solve for solutions that need not fit into memory. The call tracks all paths and classifies their ends, which are in
 * the journal or in a file without a name (in `folder`, or else in /tmp); afterwards the solutions are read from there, in the order in
 * which plumb_solve lists them. It needs about 200 bytes of memory per path, and 512 MB for ends of paths at most. The context and the system must live as long as the stream, and the
 * context serves only one of them at a time. *stream is NULL after a failure and on ranks other than 0. */
typedef struct plumb_solution_stream plumb_solution_stream;
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solve_stream(plumb_context *context, const plumb_system *system,
                                                           const plumb_solve_options *options,
                                                           plumb_solution_stream **stream);
PLUMB_API int64_t plumb_solution_stream_count(const plumb_solution_stream *stream);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solution_stream_report(const plumb_solution_stream *stream,
                                                                     plumb_solve_report *report);
/* Returns the next solutions, at most max_count of them; none at the end. The caller destroys the list. Its precision is the largest one of its
 * solutions. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solution_stream_next(plumb_solution_stream *stream, int64_t max_count,
                                                                   plumb_solutions **solutions);
PLUMB_API void plumb_solution_stream_destroy(plumb_solution_stream *stream); /* NULL is allowed */

/* Whether solutions may be missing, by the account of the paths. */
enum {
    PLUMB_SOLVE_COMPLETE = 0, /* every path is accounted for, and there are no clusters */
    PLUMB_SOLVE_MISSING = 1,  /* paths failed or are undecided, or clusters are left: solutions may be missing */
    PLUMB_SOLVE_STOPPED = 2   /* paths were stopped before their end */
};

/* Returns one of these for a report. line (or NULL) receives one line that describes what may be missing, at most 256 characters
 * with the final 0; "" if nothing is. Without a report (NULL) nothing is known to be complete. This is the one rule that the exit
 * status of plumb solve, the warnings of the Python package and programs in C have in common. */
PLUMB_API int32_t plumb_solve_verdict(const plumb_solve_report *report, char *line, size_t line_size);

/* Ranks: processes that a launcher of MPI (mpirun, srun) has started, and that share the paths of plumb_solve. Each of them calls
 * plumb_ranks_begin, then plumb_solve with `ranks` and otherwise the same arguments, any number of times, and finally
 * plumb_ranks_end. Rank 0 gets the solutions, with the same bits as without the others, and only rank 0 has a journal. The others track the paths
 * that it assigns to them: for them *solutions is NULL, and the status is that of rank 0. Calls are made by one thread at a time. A program that uses
 * MPI itself starts and ends it.
 *
 * The library of MPI is behind a plugin, libplumb_mpi.so. PLUMB_ERR_UNSUPPORTED without it or without a launcher; message (or NULL)
 * receives one line. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_ranks_begin(char *message, size_t message_size);

/* Return the number of this rank and how many there are; 0 and 1 before plumb_ranks_begin. */
PLUMB_API int32_t plumb_ranks_own(void);
PLUMB_API int32_t plumb_ranks_count(void);

/* Leaves the job, with an exit status. Returns that of rank 0, for all ranks to exit with. Ranks that do not call it within some
 * seconds are ended by force. */
PLUMB_API int32_t plumb_ranks_end(int32_t status);

/* ---- Families ---------------------------------------------------------------------------------------------------- */

/* A system with parameters, which is solved for many values of them: once for generic complex parameters, by all paths of a start
 * system; then along paths from there to each target, as many as there are generic solutions. */
typedef struct plumb_family plumb_family;

typedef struct plumb_family_options {
    size_t size;
    int32_t prec; /* precision of the paths; 0: on each part of a path the precision that it needs */
    int32_t
        reruns; /* times that the paths to a target are tracked again on other arcs, if some failed or coincide, 2; at most 8 */
    int32_t anew; /* 1: targets whose outcome is not generic are solved by plumb_solve as well */
    /* K > 1: targets are taken in groups of K, as of a motion or a sweep, and each one but the first of a group starts from the solutions of
     * the one before it, on a short arc. Where this does not lead to as many solutions, it is solved as without this option. 0: no groups */
    int32_t neighbours;
    int64_t max_steps;       /* maximum number of steps per path, 10,000 */
    uint64_t seed;           /* random seed, 1 */
    plumb_progress progress; /* of paths, or NULL */
    void *data;              /* passed to progress */
} plumb_family_options;

PLUMB_API void plumb_family_options_init(plumb_family_options *options);

/* What the solutions of a target are. */
enum {
    PLUMB_INSTANCE_GENERIC = 0, /* as many different regular solutions as for generic parameters */
    /* every path is accounted for, but some end at infinity or at multiple solutions */
    PLUMB_INSTANCE_SPECIAL = 1,
    PLUMB_INSTANCE_INCOMPLETE = 2, /* paths failed, on all arcs: solutions may be missing */
    PLUMB_INSTANCE_ANEW = 3,       /* solved by plumb_solve, every path of which is accounted for */
    PLUMB_INSTANCE_STOPPED = 4     /* progress stopped the call before its paths had ended */
};

/* "generic", "special", "incomplete", "solved anew", "stopped" */
PLUMB_API const char *plumb_instance_name(int32_t code);

/* Where the paths to a target began. */
enum {
    PLUMB_NEIGHBOUR_NONE = 0,    /* at the generic solutions */
    PLUMB_NEIGHBOUR_TAKEN = 1,   /* at the solutions of the target before it */
    PLUMB_NEIGHBOUR_REPAIRED = 2 /* there, but solutions were lost: then at the generic solutions */
};

/* What is known about the solutions of a target. paths of the last arc = regular + singular + infinite + failed. */
typedef struct plumb_instance {
    int32_t code;      /* PLUMB_INSTANCE_... */
    int32_t arcs;      /* arcs on which its paths were tracked */
    int64_t solutions; /* distinct solutions, which are its first entries in the arrays of the call */
    int64_t real;      /* those of them that are real, which come first */
    int64_t positive;  /* those of these whose unknowns are all above 0, which come before the others */
    int64_t regular;   /* paths to regular solutions */
    int64_t singular;  /* paths to singular solutions */
    int64_t infinite;  /* paths to infinity */
    int64_t failed;    /* paths whose end is not known, or that share a regular end with another path */
    double error;      /* largest error of a solution (of an unknown, relative to its size or 1) */
    int32_t neighbour; /* of options->neighbours: PLUMB_NEIGHBOUR_... */
    int32_t reserved_flags;
    int64_t reserved[3];
} plumb_instance;

/* Creates a family from a system with parameters (plumb_system_declare). It has no generic solutions yet. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_create(const plumb_system *system, plumb_family **family);
PLUMB_API void plumb_family_destroy(plumb_family *family); /* NULL is allowed */

/* Return the numbers of unknowns, without the parameters, and of parameters, and the system, which is valid as long as the family and
 * names first the former and then the latter. */
PLUMB_API int64_t plumb_family_unknowns(const plumb_family *family);
PLUMB_API int64_t plumb_family_parameters(const plumb_family *family);
PLUMB_API const plumb_system *plumb_family_system(const plumb_family *family);

/* Returns the number of generic solutions, one path per target and solution; 0 before there are any. */
PLUMB_API int64_t plumb_family_paths(const plumb_family *family);

/* Returns how many solutions for the generic parameters are not regular: no path starts from them, so that the solutions which they become are
 * missing for every target. */
PLUMB_API int64_t plumb_family_omitted(const plumb_family *family);

/* Finds the generic solutions by plumb_solve, at random complex parameters derived from the seed; solve (or NULL) has its options.
 * Only regular solutions are kept. report (or NULL) receives what plumb_solve did. PLUMB_ERR_ARGUMENT if there is no regular
 * solution; PLUMB_ERR_STOPPED, and none are kept, if the call was stopped. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_generic(plumb_context *context, plumb_family *family,
                                                             const plumb_solve_options *solve,
                                                             plumb_solve_report *report);

/* Sets generic solutions that are known: parameters is parameters x 1 and solutions unknowns x 1, a batch, both complex and on the host.
 * Solutions are refined by Newton's method. PLUMB_ERR_ARGUMENT if one of them is not a regular solution, or two of them are the same. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_start(plumb_context *context, plumb_family *family,
                                                           const plumb_view *parameters, const plumb_view *solutions);

/* Makes the system of a target (parameters x 1, real or complex, on the host), exactly. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_at(const plumb_family *family, const plumb_view *target,
                                                        plumb_system **system);

/* Solves for a batch of targets (parameters x 1, real or complex, on the host): all paths on the threads or the GPU of the context. solutions is
 * unknowns x 1, complex, on the host, a batch of plumb_family_paths entries per target, in the precision of the options (qd if
 * options->prec is 0); entries that no solution takes are zero. instances receives one entry per target, and records (or NULL) one per
 * entry of solutions. Results depend neither on the number of threads nor on the other targets of the batch; with options->neighbours
 * they depend on those that come before in the group. A call that progress
 * stops returns PLUMB_OK. PLUMB_ERR_ARGUMENT for a family without generic solutions; PLUMB_ERR_NONFINITE for such a target. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_solve(plumb_context *context, const plumb_family *family,
                                                           const plumb_view *targets,
                                                           const plumb_family_options *options, plumb_view *solutions,
                                                           plumb_solution_record *records, plumb_instance *instances);

/* The real solutions along a straight line of real parameters, as branches: a bifurcation diagram. */
typedef struct plumb_branches plumb_branches;

typedef struct plumb_branches_options {
    size_t size;
    int32_t prec;            /* precision of the paths, as in plumb_family_options */
    int32_t reruns;          /* the same */
    int32_t halvings;        /* how often an interval is cut in which branches end or cross, 14; at most 40 */
    int32_t reserved;        /* 0 */
    int64_t samples;         /* targets at equal distances, with both ends of the line, 201; at least 2 */
    int64_t max_steps;       /* maximum number of steps per path, 10,000 */
    uint64_t seed;           /* random seed, 1 */
    plumb_progress progress; /* of targets, or NULL */
    void *data;              /* passed to progress */
} plumb_branches_options;

PLUMB_API void plumb_branches_options_init(plumb_branches_options *options);

typedef struct plumb_branches_report {
    int64_t branches;   /* their number */
    int64_t points;     /* of all branches */
    int64_t targets;    /* that were solved = generic + special + incomplete */
    int64_t generic;    /* with as many regular solutions as generic parameters */
    int64_t special;    /* with fewer, every path accounted for */
    int64_t incomplete; /* of which solutions may be missing */
    int64_t least;      /* smallest and largest number of regular real solutions of a target */
    int64_t most;
    int64_t turns;     /* points where two branches begin or end together */
    int64_t crossings; /* singular points through which a branch goes on */
    int64_t open; /* other beginnings and ends of branches within the line, as those of solutions that go to infinity */
    int32_t stopped; /* 1: progress stopped the call, and there are no branches */
    int32_t reserved_flags;
    int64_t reserved[4];
} plumb_branches_report;

/* How a branch begins or ends. */
enum {
    PLUMB_BRANCH_EDGE = 0, /* at an end of the line */
    PLUMB_BRANCH_TURN = 1, /* at a singular point, together with another branch */
    PLUMB_BRANCH_OPEN = 2  /* otherwise */
};

/* A real solution as a function of the place on the line. The arrays belong to the branches. */
typedef struct plumb_branch {
    int64_t points;
    const double *s;    /* places, ascending: the parameters are from + s (to - from) */
    const double *x;    /* unknown i of point k at k * unknowns + i */
    int32_t begin, end; /* PLUMB_BRANCH_... */
} plumb_branch;

/* Solves for targets on the line between two of them (parameters x 1, real, on the host), follows each real solution from every target to
 * the next one and back, and cuts the intervals in which some cannot be followed, until the singular points there are known to a small
 * part of an interval. A point of two branches that end together lies between their last solutions. Results do not depend on the number
 * of threads. PLUMB_ERR_ARGUMENT for a family without generic solutions, or whose coefficients are not real. report may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_branches(plumb_context *context, const plumb_family *family,
                                                              const plumb_view *from, const plumb_view *to,
                                                              const plumb_branches_options *options,
                                                              plumb_branches **branches, plumb_branches_report *report);
PLUMB_API void plumb_branches_destroy(plumb_branches *branches); /* NULL is allowed */

/* Return the number of branches, and one of them. */
PLUMB_API int64_t plumb_branches_count(const plumb_branches *branches);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_branches_get(const plumb_branches *branches, int64_t index,
                                                           plumb_branch *branch);

/* Writes a family with its generic solutions (docs/files.md). needed (or NULL) receives the size including the final 0; PLUMB_ERR_BUFFER
 * if that is more than size. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_write(const plumb_family *family, char *buffer, size_t size,
                                                           size_t *needed);

/* Reads the generic solutions from a text that plumb_family_write wrote. PLUMB_ERR_ARGUMENT, with a message, if they belong to another
 * family; this one then stays as it was. PLUMB_ERR_PARSE. error may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_family_read(plumb_family *family, const char *text, size_t length,
                                                          plumb_text_error *error);

/* ---- Monodromy --------------------------------------------------------------------------------------------------- */

/* Permutations of the solutions of a family that loops of its parameters make. */
typedef struct plumb_permutations plumb_permutations;

typedef struct plumb_monodromy_options {
    size_t size;
    int32_t quiet_loops; /* stop after this many loops in a row that found nothing new, 10 */
    int32_t max_loops;   /* maximum number of loops, 100 */
    int32_t symmetries;  /* number of maps */
    int32_t
        trace; /* 1: a trace test, where it applies, which ends the search early if all solutions are known; see PLUMB_TRACE_... */
    /* Maps of the unknowns that take solutions to solutions for the same parameters: one equation per unknown, its image, polynomials or
     * quotients in the unknowns (and parameters) by name. NULL if there are none. */
    const plumb_system *const *symmetry;
    int64_t max_solutions;   /* stop when so many are known; 0: no limit */
    int64_t max_steps;       /* maximum number of steps per path, 10,000 */
    uint64_t seed;           /* seed of everything random, 1 */
    plumb_progress progress; /* of paths, or NULL; total is 0 */
    void *data;              /* passed to progress */
} plumb_monodromy_options;

PLUMB_API void plumb_monodromy_options_init(plumb_monodromy_options *options);

/* Why the search ended. */
enum {
    PLUMB_MONODROMY_QUIET = 0,   /* loops found nothing new */
    PLUMB_MONODROMY_REACHED = 1, /* max_solutions are known */
    PLUMB_MONODROMY_LOOPS = 2,   /* max_loops were made, and the last ones still found solutions, or had failed paths */
    PLUMB_MONODROMY_STOPPED = 3  /* progress stopped it */
};

/* "quiet", "reached", "loops", "stopped" */
PLUMB_API const char *plumb_monodromy_name(int32_t code);

/* The trace test. If linear spaces move in parallel, the sum of the points of a variety, or of one of its components, on them moves along a line;
 * that of fewer points does not, but for a choice of probability 0. It applies directly where all parameters are the coefficients of linear
 * equations, each of its own. Otherwise the variety is the curve of the solutions over a random line of the parameters; it is cut by one plane,
 * which then moves to the parameters of the family, and loops on it take as many paths as the curve has points, often more than there are solutions. */
enum {
    PLUMB_TRACE_NONE = 0,     /* not asked for, or the search was stopped */
    PLUMB_TRACE_UNSUITED = 1, /* the equations of the curve would have too many terms */
    PLUMB_TRACE_COMPLETE = 2, /* the sum moves along a line: these are all solutions */
    PLUMB_TRACE_MISSING = 3,  /* it does not: solutions are missing */
    PLUMB_TRACE_UNDECIDED = 4 /* paths failed, or the digits do not decide */
};

typedef struct plumb_monodromy_report {
    int32_t code;  /* PLUMB_MONODROMY_... */
    int32_t trace; /* PLUMB_TRACE_... */
    int64_t solutions;
    int64_t classes;            /* of them under the symmetries; the solutions of a class follow each other */
    int64_t orbits;             /* of them under the loops that were complete */
    int64_t loops, quiet_loops; /* all, and the last ones, which found nothing new and in which no path failed */
    int64_t paths, failed;      /* paths that were tracked, and that have no known end, or share it with another one */
    /* At most this is the chance that solutions of the same orbit are missing, if loops act as independent random elements of the group:
     * 2^-quiet_loops. */
    double doubt;
    double trace_error; /* how far the sum is from a line, relative to how far it moves */
    int64_t trace_paths;
    int64_t reserved[4];
} plumb_monodromy_report;

/* Finds generic solutions of a family from one or more of them, along loops of the parameters; the family then has them as after
 * plumb_family_generic. parameters (parameters x 1) and solutions (unknowns x 1, a batch, complex) are on the host. Without parameters (NULL),
 * some are computed for the first solution; without both, the generic solutions of the family are taken, or if it has none, random parameters
 * are computed together with a solution. Only solutions that loops connect with the first ones are found: from the identity those of SO(n), not of O(n).
 *
 * permutations (or NULL) receives those of the complete loops, to be destroyed; the report may be NULL. Results do not depend on the number of
 * threads. PLUMB_ERR_ARGUMENT if no first solution can be found, if one that was given is not regular, or if a map of the symmetry takes a
 * solution to none; PLUMB_ERR_STOPPED if progress stopped the call before any loop. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_monodromy(plumb_context *context, plumb_family *family,
                                                        const plumb_view *parameters, const plumb_view *solutions,
                                                        const plumb_monodromy_options *options,
                                                        plumb_permutations **permutations,
                                                        plumb_monodromy_report *report);

/* Creates a list of `count` permutations of 0 .. points - 1: images has count rows of points entries. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_permutations_create(int64_t points, int64_t count, const int64_t *images,
                                                                  plumb_permutations **permutations);
PLUMB_API void plumb_permutations_destroy(plumb_permutations *permutations); /* NULL is allowed */
PLUMB_API int64_t plumb_permutations_points(const plumb_permutations *permutations);
PLUMB_API int64_t plumb_permutations_count(const plumb_permutations *permutations);

/* Copies permutation k, from 0: images receives points entries. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_permutations_get(const plumb_permutations *permutations, int64_t k,
                                                               int64_t *images);

/* Writes the order of the group that the permutations generate, a decimal number. *proven (or NULL) receives 1 if it is exact; 0 if it is a
 * lower bound, because a proof would take too long, and most likely the order. needed (or NULL) receives the size including the final 0;
 * PLUMB_ERR_BUFFER if that is more than size; PLUMB_ERR_SIZE if nothing is known but a bound that is too weak. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_permutations_order(const plumb_permutations *permutations, char *buffer,
                                                                 size_t size, size_t *needed, int32_t *proven);

/* ---- Solution sets ----------------------------------------------------------------------------------------------- */

/* The irreducible components of the solution set of a system, over the complex numbers. A component of dimension k is
 * represented by a witness set: k linear equations with random coefficients (the slice of the dimension), and the points
 * that the component has in common with them, as many as its degree. */
typedef struct plumb_components plumb_components;

/* What is known about a component, or about points that could not be decomposed. */
enum {
    PLUMB_COMPONENT_UNKNOWN = 0,
    PLUMB_COMPONENT_IRREDUCIBLE =
        1, /* the trace test closes for all points, and for no subset that was tested (numerical evidence) */
    PLUMB_COMPONENT_OPEN = 2 /* witness points for which no trace test closes: parts of one component or of several */
};

PLUMB_API const char *plumb_component_state_name(int32_t state); /* "unknown", "irreducible", "open" */
PLUMB_API int32_t plumb_component_state_from_name(const char *name);

typedef struct plumb_component {
    int64_t dimension, degree; /* the degree is the number of its witness points */
    int64_t multiplicity;      /* of the component in the solution set; 1 if the equations have full rank there */
    int32_t state;             /* PLUMB_COMPONENT_... */
    int32_t bound;             /* 1: the multiplicity is an upper bound; it is known to be above 1 */
    double trace_digits;       /* decimal digits to which the trace test closes; 0 if it does not */
    int64_t certified;         /* witness points that plumb_components_certify has certified */
    int64_t reserved[4];
} plumb_component;

/* What certificates prove about the sum of the degrees of the components of a dimension (the number of solutions in dimension 0). */
enum {
    PLUMB_DEGREE_UNPROVEN = 0,    /* nothing, or there are no certificates */
    PLUMB_DEGREE_LOWER_BOUND = 1, /* it is at least the number of certified points */
    PLUMB_DEGREE_PROVEN = 2       /* it is that number, because a root count bounds it from above */
};

/* What was done for one dimension: paths = witness + infinite + not_isolated + extraneous + undecided + failed, where witness
 * counts those to witness points with their multiplicities, and extraneous those to points that do not solve the system. */
typedef struct plumb_component_dimension {
    int64_t dimension;
    int64_t paths, witness, infinite, not_isolated, extraneous, undecided, failed;
    int32_t verdict;    /* as that of plumb_solve_verdict: PLUMB_SOLVE_COMPLETE, ..._MISSING or ..._STOPPED */
    int32_t proof;      /* PLUMB_DEGREE_... */
    char line[256];     /* what may be missing; "" if nothing is */
    int64_t certified;  /* distinct certified points, all of them regular */
    int64_t root_count; /* of the equations and the slice, an upper bound for the degree; 0 if none is known */
    int64_t reserved[4];
} plumb_component_dimension;

typedef struct plumb_decompose_options {
    size_t size;
    int64_t dimension;       /* the lowest dimension to look at, 0 */
    uint64_t seed;           /* random seed, 1 */
    int64_t max_loops;       /* maximum number of loops of slices per dimension, 30 */
    plumb_progress progress; /* of the paths of one dimension after the other, or NULL */
    void *data;              /* passed to the callbacks */
    /* Called some times per second, by any thread: a result other than 0 stops the call; or NULL. */
    int (*stop)(void *data);
    /* A folder for the ends of paths, one file per call of plumb_solve (see its option of the same name), so that a call that was
     * stopped or killed can be continued; it is made if it does not exist; NULL: none. The call does not remove it:
     * plumb_decompose_remove_journal does, when the components are saved. */
    const char *journal;
    int32_t
        resume;    /* 1: paths in the journal, if it exists, are not tracked again; 0: an existing journal is refused */
    int32_t ranks; /* 1: share the paths with the other ranks (plumb_ranks_begin), which make the same call; 0 */
    int32_t rank_threads; /* with ranks: threads of this rank that track; 0: its share of the cores */
    int32_t reserved;     /* 0 */
    void (*note)(void *data, const char *line);    /* receives notes for the user that do not end the call; or NULL */
    void (*begins)(void *data, int64_t dimension); /* called when the work on a dimension begins; or NULL */
} plumb_decompose_options;

PLUMB_API void plumb_decompose_options_init(plumb_decompose_options *options);

/* Finds the irreducible components of the solution set of a system of any shape, in every dimension from that of the whole
 * space down to that of the options, with their degrees and multiplicities, and the isolated solutions. Embedded components
 * are not reported. options may be NULL. A result is numerical evidence, with the exception of what exact arithmetic shows
 * (dependent equations, contradictions). PLUMB_ERR_ARGUMENT for a system with denominators. A call that was stopped returns
 * PLUMB_OK and the components of the dimensions that were finished; the last dimension has the verdict PLUMB_SOLVE_STOPPED.
 * On ranks other than 0, *components is NULL. The same system, options and seed give the same bits. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_decompose(plumb_context *context, const plumb_system *system,
                                                        const plumb_decompose_options *options,
                                                        plumb_components **components);
PLUMB_API void plumb_components_destroy(plumb_components *components); /* NULL is allowed */

/* Removes the folder of a journal, and what plumb_decompose has put there. PLUMB_ERR_IO if something is left. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_decompose_remove_journal(const char *journal);

/* Return the number of components of positive dimension, and the number of dimensions that were looked at. */
PLUMB_API int64_t plumb_components_count(const plumb_components *components);
PLUMB_API int64_t plumb_components_dimensions(const plumb_components *components);

/* Copy what is known about a component, or about a dimension, from 0; dimensions descend. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_get(const plumb_components *components, int64_t index,
                                                             plumb_component *component);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_get_dimension(const plumb_components *components,
                                                                       int64_t index,
                                                                       plumb_component_dimension *dimension);

/* Return the system, the linear equations of the slice of a dimension (NULL in dimension 0, and if there is none), the
 * witness points of a component, and the isolated solutions (NULL if dimension 0 was not looked at). They belong to the
 * components. */
PLUMB_API const plumb_system *plumb_components_system(const plumb_components *components);
PLUMB_API const plumb_system *plumb_components_slice(const plumb_components *components, int64_t dimension);
PLUMB_API const plumb_solutions *plumb_components_points(const plumb_components *components, int64_t index);
PLUMB_API const plumb_solutions *plumb_components_isolated(const plumb_components *components);

/* Returns PLUMB_SOLVE_COMPLETE, PLUMB_SOLVE_MISSING or PLUMB_SOLVE_STOPPED. line as for plumb_solve_verdict. */
PLUMB_API int32_t plumb_components_verdict(const plumb_components *components, char *line, size_t line_size);

/* Components as JSON (docs/files.md), written such that they read back to the same limbs. needed (or NULL) receives the size
 * including the final 0; PLUMB_ERR_BUFFER if that is more than size. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_write(const plumb_components *components, char *buffer,
                                                               size_t size, size_t *needed);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_write_file(const plumb_components *components,
                                                                    const char *path);

/* Read what was written. error may be NULL. PLUMB_ERR_PARSE; *components is then NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_read(const char *text, size_t length,
                                                              plumb_components **components, plumb_text_error *error);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_read_file(const char *path, plumb_components **components,
                                                                   plumb_text_error *error);

/* ---- Working with components ------------------------------------------------------------------------------------- */

/* Points whose coordinates are exact complex rational numbers. */
typedef struct plumb_points plumb_points;

/* Reads the points of a text with solutions (plumb_solutions_read) as they are written: 0.1 is one tenth, and digits are not
 * rounded. Of a number in JSON that is not a string, the double is taken. error may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_points_read(const char *text, size_t length, plumb_points **points,
                                                          plumb_text_error *error);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_points_read_file(const char *path, plumb_points **points,
                                                               plumb_text_error *error);

/* Takes a batch of points (unknowns x 1, real or complex, on the host, of any precision), exactly. names has one name per unknown, which
 * are copied; or NULL: the coordinates are in the order of the unknowns of the components that they are used with. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_points_create(const plumb_view *x, const char *const *names,
                                                            plumb_points **points);
PLUMB_API void plumb_points_destroy(plumb_points *points); /* NULL is allowed */
PLUMB_API int64_t plumb_points_count(const plumb_points *points);
PLUMB_API int64_t plumb_points_unknowns(const plumb_points *points);

/* Whether a point lies on a component. */
enum {
    PLUMB_MEMBER_OFF = 0,
    PLUMB_MEMBER_ON = 1,
    PLUMB_MEMBER_UNDECIDED =
        2 /* paths failed, or the error of their ends is too large, or the component is not decomposed */
};

PLUMB_API const char *plumb_member_name(int32_t verdict); /* "off", "on", "undecided" */
PLUMB_API int32_t plumb_member_from_name(const char *name);

typedef struct plumb_member {
    int32_t verdict;
    int32_t proven; /* 1: an equation does not vanish at the point, nor within the tolerance: it is off for certain */
    double
        distance; /* from the point to the nearest end of a path, the largest over the unknowns; -1 if no paths were tracked */
    double error; /* of that end */
    int64_t reserved[4];
} plumb_member;

typedef struct plumb_member_options {
    size_t size;
    double tolerance;        /* each coordinate is known to within this much (absolute); 0: it is exact */
    uint64_t seed;           /* random seed of the paths, 1 */
    plumb_progress progress; /* of paths, or NULL */
    void *data;              /* passed to progress */
} plumb_member_options;

PLUMB_API void plumb_member_options_init(plumb_member_options *options);

/* Decides for each point and each component whether the point lies on it: the slice moves, parallel to itself, until it contains
 * the point, and the point is on the component if a path of a witness point ends there. A point at which an equation does not vanish is
 * off all components, which exact arithmetic (with a tolerance, bounds) shows first. members has a row of one entry per component and a last one for
 * the isolated solutions, for each point. Unknowns are matched by name, by position if the points have no names.
 * options may be NULL. PLUMB_ERR_ARGUMENT for points in other unknowns; PLUMB_ERR_STOPPED if progress stops the call. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_member(plumb_context *context,
                                                                const plumb_components *components,
                                                                const plumb_points *points,
                                                                const plumb_member_options *options,
                                                                plumb_member *members);

typedef struct plumb_sample_options {
    size_t size;
    int64_t count;           /* of points, 1 */
    int32_t real;            /* 1: real points only */
    int32_t reserved;        /* 0 */
    double radius;           /* of real points: the slices pass through random points of this size; 1 */
    uint64_t seed;           /* random seed, 1 */
    plumb_progress progress; /* of paths, or NULL */
    void *data;              /* passed to progress */
} plumb_sample_options;

PLUMB_API void plumb_sample_options_init(plumb_sample_options *options);

/* Finds points of a component, from 0, where random slices intersect it. Real points are those of real slices; there may be fewer than
 * were asked for, or none, if the real slices that were tried have no more. options may be NULL. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_sample(plumb_context *context,
                                                                const plumb_components *components, int64_t index,
                                                                const plumb_sample_options *options,
                                                                plumb_solutions **solutions);

/* How the paths of plumb_components_intersect ended: paths = regular + singular + infinite + not_isolated + failed. */
typedef struct plumb_intersection {
    int64_t paths, regular, singular, infinite, not_isolated, failed;
    int64_t solutions, real; /* that are listed, and those of them that are real */
    int64_t reserved[4];
} plumb_intersection;

/* Moves the slice of a component, from 0, to as many given linear equations as its dimension: finds the isolated points of its
 * intersection with them, with their multiplicities. The equations are in unknowns of the components, by name.
 * intersection (or NULL) receives the account of the paths. PLUMB_ERR_ARGUMENT for other equations. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_intersect(plumb_context *context,
                                                                   const plumb_components *components, int64_t index,
                                                                   const plumb_system *equations, uint64_t seed,
                                                                   plumb_solutions **solutions,
                                                                   plumb_intersection *intersection);

/* The real points of curves in a box: lines of points, which are ready to be drawn, and isolated real points. */
typedef struct plumb_curves plumb_curves;

typedef struct plumb_curves_options {
    size_t size;
    /* The box: one number per unknown, or NULL for both: a box that has all special points and all bounded pieces. */
    const double *low, *high;
    uint64_t seed; /* random seed, 1 */
} plumb_curves_options;

PLUMB_API void plumb_curves_options_init(plumb_curves_options *options);

typedef struct plumb_curves_report {
    int64_t components; /* of dimension 1 */
    int64_t lines;      /* of points; they end at singular points and at the faces of the box */
    int64_t pieces;     /* connected pieces, without isolated points */
    int64_t isolated;   /* isolated real points */
    int64_t singular;   /* singular points on the lines: crossings, cusps */
    int64_t paths;      /* to critical points */
    int64_t
        doubtful; /* paths that failed, and ends that do not fit together: something may be missing if it is not 0 */
    int64_t reserved[4];
} plumb_curves_report;

typedef struct plumb_curve_line {
    int64_t component, piece, points;
    const double *x; /* the unknowns of each point; it belongs to the curves */
    int32_t closed;  /* 1: the last point is the first one */
    int32_t padding;
    int64_t reserved[3];
} plumb_curve_line;

/* Finds the real points within a box of component `index`, which has dimension 1, or of all such components and the isolated solutions if index
 * is -1. A random real linear function cuts the curves at its critical values, where fibres are special; in between
 * each real point of a fibre is on another edge, and real paths lead along it. options may be NULL. PLUMB_ERR_ARGUMENT for another
 * component; PLUMB_ERR_SIZE if there are too many unknowns for the equation of critical points. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_curves(plumb_context *context,
                                                                const plumb_components *components, int64_t index,
                                                                const plumb_curves_options *options,
                                                                plumb_curves **curves);
PLUMB_API void plumb_curves_destroy(plumb_curves *curves); /* NULL is allowed */

/* Copy the account, a line (from 0), an isolated point (from 0; one number per unknown), and the box. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_curves_get_report(const plumb_curves *curves,
                                                                plumb_curves_report *report);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_curves_get_line(const plumb_curves *curves, int64_t index,
                                                              plumb_curve_line *line);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_curves_get_isolated(const plumb_curves *curves, int64_t index, double *x);
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_curves_get_box(const plumb_curves *curves, double *low, double *high);

/* ---- Certificates ------------------------------------------------------------------------------------------------ */

/* What was proven about one point. docs/certification.md has the mathematics. */
#define PLUMB_CERTIFY_LIST(X)                                                                                 \
    X(PLUMB_CERTIFIED, "certified")                                                                           \
    X(PLUMB_CERTIFY_SQUARED, "certified for a squared-up system; whether all equations vanish is not proven") \
    X(PLUMB_CERTIFY_EXCLUDED, "no solution: an equation does not vanish in the box of the squared-up system") \
    X(PLUMB_CERTIFY_SINGULAR, "not certified: the Jacobian is singular, or nearly so")                        \
    X(PLUMB_CERTIFY_NO_CONTRACTION, "not certified: no box around the point contracts")                       \
    X(PLUMB_CERTIFY_NONFINITE, "not certified: the point is not finite")

#define PLUMB_CERTIFY_ENUM(code, text) code,
typedef enum plumb_certify_code { PLUMB_CERTIFY_LIST(PLUMB_CERTIFY_ENUM) PLUMB_CERTIFY_CODES } plumb_certify_code;
#undef PLUMB_CERTIFY_ENUM
PLUMB_API const char *plumb_certify_text(plumb_certify_code code); /* never NULL */

/* "certified", "squared up", "excluded", "singular", "no contraction", "not finite" */
PLUMB_API const char *plumb_certify_name(int32_t code);
PLUMB_API int32_t plumb_certify_from_name(const char *name);

typedef struct plumb_certify_options {
    size_t size;
    int32_t
        max_bits; /* maximum precision of the arithmetic, from 64 to 1024, the default; it starts with 64 and doubles */
    int32_t reserved;        /* 0 */
    uint64_t seed;           /* random seed of the combinations of equations, and of a linear form that sorts boxes */
    plumb_progress progress; /* of points, by the thread of the call, or NULL; those that failed have no box */
    void *data;              /* passed to progress */
} plumb_certify_options;

PLUMB_API void plumb_certify_options_init(plumb_certify_options *options);

/* A box and what it proves. A verdict of 0 is neither proven nor disproven. */
typedef struct plumb_certificate {
    int32_t
        code; /* a plumb_certify_code: PLUMB_CERTIFIED: the system has exactly one zero in the box, and it is simple */
    int32_t bits;     /* precision of the arithmetic; 0 without a box */
    int32_t real;     /* 1: the zero is real; -1: it is not */
    int32_t positive; /* 1: the zero is real and all its coordinates are positive; -1: it is not so */
    /* 1: the box is disjoint from the boxes of all other points whose verdict is 1, so these zeros are distinct; -1: the zero
     * is that of the point same_as, because one of the two boxes contains the other. */
    int32_t distinct;
    int32_t padding;
    int64_t same_as; /* number of that point, from 0; otherwise -1 */
    double radius;   /* largest radius of the box, rounded up */
    double moved;    /* largest distance of a part of the centre from that of the given point, rounded up */
    int64_t reserved[4];
} plumb_certificate;

/* The certificates of a list of points. */
typedef struct plumb_certificates plumb_certificates;

/* Returns 1 if points can be certified, which needs the library FLINT with Arb on this computer. If not, why (or NULL)
 * receives the reason in one line, otherwise the version of the library. */
PLUMB_API int32_t plumb_certify_available(char *why, size_t why_size);

/* Certifies a batch of points (unknowns x 1, complex, on the host, of any precision), each by a box around it in which the
 * system has exactly one zero (Krawczyk's test with exact coefficients in ball arithmetic). Points are improved by
 * Newton's method as far as the precision requires, and the precision is doubled until a box is proven and its
 * zero is known to be real or not and distinct from the others or not, or until max_bits. Equations that follow from
 * others exactly are left out. If there are still more equations than unknowns, the box is that of a system of random
 * integer combinations of the equations. options may be NULL. Results do not depend on the number of threads.
 * PLUMB_ERR_ARGUMENT for a system with fewer equations than unknowns;
 * PLUMB_ERR_UNSUPPORTED without FLINT; PLUMB_ERR_STOPPED if progress stops the call. Destroy *certificates with
 * plumb_certificates_destroy. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_certify(plumb_context *context, const plumb_system *system,
                                                      const plumb_view *points, const plumb_certify_options *options,
                                                      plumb_certificates **certificates);

/* Certifies the witness points of generically reduced components, and the isolated solutions, as regular zeros of the equations
 * and the slice (plumb_certify), and counts them in the components and dimensions. k distinct certified points prove that the
 * degrees of the components of that dimension add up to at least k; if a root count of the equations and the slice (Bezout numbers,
 * mixed volume) is k, too, they prove that the sum is k. To which component a point belongs is not proven. Points of multiple
 * components are not certified, nor are points of dimensions with more independent equations than the codimension.
 * options as for plumb_certify. PLUMB_ERR_STOPPED leaves the components as they were. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_components_certify(plumb_context *context, plumb_components *components,
                                                                 const plumb_certify_options *options);
PLUMB_API void plumb_certificates_destroy(plumb_certificates *certificates); /* NULL is allowed */

/* Selects among the solutions that plumb_solve returned with `unfiltered`: keeps those that satisfy real, positive and nonzero of the
 * options. Their certificates (or NULL) decide which of them are real and positive, also in the report; certificates of solutions that are not
 * kept are dropped. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_solutions_choose(plumb_solutions *solutions,
                                                               plumb_certificates *certificates,
                                                               const plumb_solve_options *options);

/* Returns the number of certificates: one per point. */
PLUMB_API int64_t plumb_certificates_count(const plumb_certificates *certificates);

/* Copies a certificate, from 0. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_certificates_get(const plumb_certificates *certificates, int64_t index,
                                                               plumb_certificate *certificate);

/* Rounds a box: centre (unknowns x 1, complex, on the host) receives its centre, radii (one per unknown, or NULL) the
 * radii, enlarged by what rounding moved the centre, so that the zero lies within. PLUMB_ERR_ARGUMENT if the point has no
 * box. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_certificates_get_box(const plumb_certificates *certificates,
                                                                   int64_t index, plumb_view *centre, double *radii);

/* Writes a certificate with its exact box as a JSON object, as solution files have it (docs/certification.md). needed
 * (or NULL) receives the size including the final 0; PLUMB_ERR_BUFFER if that is more than size. */
PLUMB_API PLUMB_USE_RESULT plumb_status plumb_certificates_write(const plumb_certificates *certificates, int64_t index,
                                                                 char *buffer, size_t size, size_t *needed);

#ifdef __cplusplus
}
#endif

#endif

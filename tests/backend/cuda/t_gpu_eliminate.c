/* t_gpu_eliminate.c - tests how a warp combines and eliminates small square systems: the bits are those of the processor, which is the oracle;
 * for random matrices, for sparse ones with many equal entries, and for those without a pivot; of straight lines, and of coefficients that
 * move. Skipped, with the reason, if there is no GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "backend/cpu/kernels.h"
#include "backend/cuda/track/gpu.h"
#include "gpu_test.h"
#include "method/lsq/error.h"

enum { SIDES = 3, SYSTEMS = 24 };

plumb_status plumb_cuda_track_cplx_d(int32_t, const track_gpu_job *, int64_t, void *, char *, size_t);
plumb_status plumb_cuda_track_cplx_dd(int32_t, const track_gpu_job *, int64_t, void *, char *, size_t);

static uint64_t state_of_random;
static double random_double(void)
{
    state_of_random = state_of_random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)(state_of_random >> 11) * 0x1p-52 - 1.0;
}

/* Kinds of matrices. */
enum { RANDOM, SPARSE, EQUAL, SINGULAR, WITH_NAN, WITH_INFINITY, KINDS };

static double head_of(int kind, int64_t i, int64_t j, int64_t n)
{
    const double x = random_double();
    switch (kind) {
    case SPARSE: /* with a diagonal somewhere, so that most of them have pivots */
        return (i + 3) % n == j || x > 0.4 ? x : 0.0;
    case EQUAL:
        return x < -0.3 ? -1.0 : x > 0.3 ? 1.0 : 0.0;
    case SINGULAR: /* the last column is twice the first one, made by the caller */
        return ldexp(x, (int)(i % 3));
    case WITH_NAN:
        return i == n / 2 && j == n / 2 ? (double)NAN : x;
    case WITH_INFINITY:
        return i == n - 1 && j == 0 ? (double)INFINITY : x;
    default:
        return ldexp(x, (int)(40.0 * random_double()) * (j % 2 == 0));
    }
}

/* Fills a dense matrix: plane c of entry (i, j) is p[c*m*cols + j*m + i]. */
static void fill(double *p, int kind, int64_t m, int64_t cols, int32_t prec)
{
    for (int32_t part = 0; part < 2; part++)
        for (int64_t k = 0; k < m * cols; k++) {
            double *at = p + (int64_t)part * prec * m * cols + k;
            at[0] = part == 1 && kind == EQUAL ? 0.0 : head_of(kind, k % m, k / m, m);
            for (int32_t c = 1; c < prec; c++) {
                const double low = at[0] * 0x1p-54 * random_double();
                at[c * m * cols] = kind == EQUAL || kind == SPARSE || !isfinite(low) ? 0.0 : low;
            }
        }
    for (int32_t c = 0; c < 2 * prec && kind == SINGULAR; c++)
        for (int64_t i = 0; i < m && cols > 1; i++)
            p[c * m * cols + (cols - 1) * m + i] = 2.0 * p[c * m * cols + i];
}

/* A stacked system with all that is combined, dense. */
typedef struct stacked {
    int64_t n;
    int32_t prec;
    track_settings settings;
    track_path path;
    double *values, *jacobians, *sizes, *scale; /* 2n, 2n x n, 2n, n */
} stacked;

static int64_t number_doubles(const stacked *t)
{
    return 2 * (int64_t)t->prec;
}

static void make(stacked *t, int k, int64_t n, int32_t prec)
{
    const int kind = k % KINDS;
    const int64_t number = 2 * (int64_t)prec;
    *t = (stacked){.n = n, .prec = prec};
    t->settings = (track_settings){.equations = n,
                                   .unknowns = n,
                                   .seed = 17,
                                   .gamma = {0.6, -0.8},
                                   .projective = k % 2,
                                   .moving = kind == RANDOM || kind == SPARSE ? TRACK_FIXED : TRACK_RATES,
                                   .least_prec = prec,
                                   .most_prec = prec,
                                   .degree = 2};
    t->path.number = k;
    t->path.precision.now = t->path.precision.wants = prec;
    t->path.trial.tau[0] = kind == EQUAL ? 1.0 : 0.5 + 0.4 * random_double();
    t->path.trial.tau[1] = kind == EQUAL ? 0.0 : 0x1p-60 * random_double();
    t->path.trial.tau[2] = k % 3 == 1 ? 0.1 : 0.0;
    t->path.corrector.corrections = k % 4 == 3; /* then the sizes of the first tick count */
    t->path.scale.unit = k % 5 == 4 ? 0x1p-3 : 1.0;
    t->values = calloc((size_t)(number * (2 * n + 2 * n * n) + 3 * n), sizeof(double));
    assert_non_null(t->values);
    t->jacobians = t->values + number * 2 * n;
    t->sizes = t->jacobians + number * 2 * n * n;
    t->scale = t->sizes + 2 * n;
    double *half = calloc((size_t)(number * n * n), sizeof *half);
    assert_non_null(half);
    for (int64_t part = 0; part < 2; part++) {
        fill(half, kind, n, n, prec);
        for (int64_t c = 0; c < number; c++)
            for (int64_t e = 0; e < n * n; e++)
                t->jacobians[c * 2 * n * n + e / n * 2 * n + part * n + e % n] = half[c * n * n + e];
    }
    free(half);
    fill(t->values, RANDOM, 2 * n, 1, prec);
    for (int64_t i = 0; i < 2 * n; i++)
        t->sizes[i] = kind == EQUAL ? 0.75 : ldexp(1.0 + random_double(), (int)(9.0 * random_double()));
    for (int64_t i = 0; i < n; i++)
        t->scale[i] = 1.0 + random_double();
}

/* The same on the processor: columns of what is eliminated begin at multiples of TRACK_ROWS_ALIGNED. */
static int64_t eliminate_there(stacked *t, double *x)
{
    const int64_t n = t->n, planes = number_doubles(t),
                  rows = (n + TRACK_ROWS_ALIGNED - 1) / TRACK_ROWS_ALIGNED * TRACK_ROWS_ALIGNED,
                  doubles = planes * rows * (n + SIDES + 2) + 2 * n;
    const track_kernels *kernels = plumb_cpu_isa_find(NULL)->prec[t->prec]->track;
    double *memory = aligned_alloc(64, (size_t)(doubles + 7) / 8 * 64);
    assert_non_null(memory);
    memset(memory, 0, (size_t)doubles * sizeof *memory);
    const track_view a = {memory, rows * n, rows}, b = {memory + planes * rows * n, rows * SIDES, rows},
                     factors = {memory + planes * rows * (n + SIDES), rows * 2, rows},
                     values = {t->values, 2 * n, 2 * n}, jacobians = {t->jacobians, 2 * n * n, 2 * n};
    double *scale = memory + planes * rows * (n + SIDES + 2);
    memcpy(scale, t->scale, (size_t)n * sizeof *scale);
    kernels->combine(&t->settings, &t->path, values, jacobians, t->sizes, scale, a, b);
    const int64_t info = kernels->eliminate(a, b, n, SIDES, lsq_dependent(n, t->prec), factors);
    for (int64_t c = 0; c < planes; c++)
        for (int64_t j = 0; j < SIDES; j++)
            for (int64_t i = 0; i < n; i++)
                x[c * n * SIDES + j * n + i] = b.p[c * b.plane + j * rows + i];
    memcpy(t->scale, scale, (size_t)n * sizeof *scale);
    free(memory);
    return info;
}

static void *on_device(const void *from, size_t bytes)
{
    void *to = NULL;
    assert_int_equal(cudaMalloc(&to, bytes), cudaSuccess);
    assert_int_equal(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), cudaSuccess);
    return to;
}
static void from_device(void *to, void *from, size_t bytes)
{
    assert_int_equal(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(cudaFree(from), cudaSuccess);
}

/* The same on the GPU, in a deck with one slot. */
static plumb_info eliminate_here(stacked *t, double *x)
{
    const size_t n = (size_t)t->n, number = (size_t)number_doubles(t) * sizeof(double);
    plumb_info info = -1;
    int32_t none = 0;
    track_gpu_job job = {.settings = t->settings, .dependent = lsq_dependent(t->n, t->prec)};
    char message[256] = "";
    job.deck.entry = on_device(&none, sizeof none);
    job.deck.left = on_device(&none, sizeof none);
    job.deck.paths = on_device(&t->path, sizeof t->path);
    job.deck.values = on_device(t->values, 2 * n * number);
    job.deck.jacobians = on_device(t->jacobians, 2 * n * n * number);
    job.deck.sizes = on_device(t->sizes, 2 * n * sizeof(double));
    job.deck.scale = on_device(t->scale, n * sizeof(double));
    job.deck.x = on_device(x, SIDES * n * number);
    job.deck.info = on_device(&info, sizeof info);
    const plumb_status status = (t->prec == PLUMB_D ? plumb_cuda_track_cplx_d : plumb_cuda_track_cplx_dd)(
        TRACK_RUN_ELIMINATE, &job, 1, NULL, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(status, PLUMB_OK);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    from_device(x, job.deck.x, SIDES * n * number);
    from_device(&info, job.deck.info, sizeof info);
    from_device(&t->path, job.deck.paths, sizeof t->path);
    from_device(t->scale, job.deck.scale, n * sizeof(double));
    void *const arrays[] = {job.deck.entry, job.deck.left, job.deck.values, job.deck.jacobians, job.deck.sizes};
    for (int k = 0; k < 5; k++)
        assert_int_equal(cudaFree(arrays[k]), cudaSuccess);
    return info;
}

static void assert_same(const stacked *t, const char *what, const double *x, const double *y, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (x[i] != y[i])
            fail_msg("n = %d, %d limbs, system %d, %s: double %d is %a, on the processor %a", (int)t->n, (int)t->prec,
                     (int)t->path.number, what, (int)i, x[i], y[i]);
}

/* Returns whether the system has pivots. */
static int compare(int k, int64_t n, int32_t prec)
{
    stacked here, there;
    const int64_t unknowns = 2 * (int64_t)prec * SIDES * n;
    double *x = calloc((size_t)(2 * unknowns), sizeof *x), *y = x + unknowns;
    assert_non_null(x);
    make(&here, k, n, prec);
    there = here;
    double *const scale = calloc((size_t)n, sizeof *scale);
    assert_non_null(scale);
    memcpy(scale, here.scale, (size_t)n * sizeof *scale);
    there.scale = scale;
    const plumb_info info = eliminate_here(&here, x), expected = eliminate_there(&there, y);
    if ((expected != 0) != (info != 0))
        fail_msg("n = %d, %d limbs, system %d: %d, on the processor %d", (int)n, (int)prec, k, (int)info,
                 (int)expected);
    if (expected == 0)
        assert_same(&here, "x", x, y, unknowns);
    assert_same(&here, "scale", here.scale, there.scale, n);
    const track_terms *p = &here.path.terms, *q = &there.path.terms;
    const double terms[] = {p->residual, p->backward, p->largest, p->largest_inverse, p->lost},
                 others[] = {q->residual, q->backward, q->largest, q->largest_inverse, q->lost};
    assert_same(&here, "terms", terms, others, 5);
    free(scale);
    free(here.values);
    free(x);
    return expected == 0;
}

static void elimination_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    state_of_random = 20261119;
    print_message("seed %llu\n", (unsigned long long)state_of_random);
    for (int64_t n = 1; n <= TRACK_ELIMINATED; n++)
        for (int32_t prec = PLUMB_D; prec <= TRACK_ELIMINATED_LIMBS; prec *= 2) {
            int solved = 0;
            for (int k = 0; k < SYSTEMS; k++)
                solved += compare(k, n, prec);
            assert_true(solved >= SYSTEMS / KINDS); /* at least the random ones */
            assert_true(solved < SYSTEMS);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elimination_has_the_bits_of_the_processor)};
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}

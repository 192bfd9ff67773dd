/* t_gpu_eliminate.c - tests the elimination of small square systems by a warp: its bits are those of the processor, which is the oracle; for
 * random matrices, for sparse ones with many equal entries, and for those without a pivot. Skipped, with the reason, if there is no GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "backend/cpu/kernels.h"
#include "backend/cuda/track/gpu.h"
#include "gpu_test.h"
#include "method/lsq/error.h"

enum { SIDES = 3, BATCH = 24 };

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

/* The same on the processor: columns begin at multiples of TRACK_ROWS_ALIGNED. */
static int64_t eliminate_there(const double *a, const double *b, int64_t n, int32_t prec, double *x)
{
    const int64_t rows = (n + TRACK_ROWS_ALIGNED - 1) / TRACK_ROWS_ALIGNED * TRACK_ROWS_ALIGNED, planes = 2 * prec;
    double *memory = aligned_alloc(64, (size_t)(planes * rows * (n + SIDES + 2)) * sizeof *memory);
    assert_non_null(memory);
    memset(memory, 0, (size_t)(planes * rows * (n + SIDES + 2)) * sizeof *memory);
    const track_view va = {memory, rows * n, rows}, vb = {memory + planes * rows * n, rows * SIDES, rows},
                     factors = {memory + planes * rows * (n + SIDES), rows * 2, rows};
    for (int64_t c = 0; c < planes; c++)
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++)
                va.p[c * va.plane + j * rows + i] = a[c * n * n + j * n + i];
            for (int64_t j = 0; j < SIDES; j++)
                vb.p[c * vb.plane + j * rows + i] = b[c * n * SIDES + j * n + i];
        }
    const int64_t info = plumb_cpu_isa_find(NULL)->prec[prec]->track->eliminate(va, vb, n, SIDES, lsq_dependent(n, prec), factors);
    for (int64_t c = 0; c < planes; c++)
        for (int64_t j = 0; j < SIDES; j++)
            for (int64_t i = 0; i < n; i++)
                x[c * n * SIDES + j * n + i] = vb.p[c * vb.plane + j * rows + i];
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

/* The same on the GPU, for all systems at once. */
static void eliminate_here(const double *a, const double *b, int64_t n, int32_t prec, double *x, plumb_info *info)
{
    const size_t number = 2 * (size_t)prec * sizeof(double), sides = BATCH * SIDES * (size_t)n * number;
    int32_t none[BATCH] = {0};
    track_gpu_job job = {.settings = {.equations = n, .unknowns = n}, .dependent = lsq_dependent(n, prec)};
    char message[256] = "";
    job.deck.entry = on_device(none, sizeof none);
    job.deck.left = on_device(none, sizeof none);
    job.deck.a = on_device(a, BATCH * (size_t)(n * n) * number);
    job.deck.b = on_device(b, sides);
    job.deck.x = on_device(x, sides);
    job.deck.info = on_device(info, BATCH * sizeof *info);
    const plumb_status status = (prec == PLUMB_D ? plumb_cuda_track_cplx_d : plumb_cuda_track_cplx_dd)(
        TRACK_RUN_ELIMINATE, &job, BATCH, NULL, message, sizeof message);
    assert_string_equal(message, "");
    assert_int_equal(status, PLUMB_OK);
    assert_int_equal(cudaDeviceSynchronize(), cudaSuccess);
    assert_int_equal(cudaMemcpy(x, job.deck.x, sides, cudaMemcpyDeviceToHost), cudaSuccess);
    assert_int_equal(cudaMemcpy(info, job.deck.info, BATCH * sizeof *info, cudaMemcpyDeviceToHost), cudaSuccess);
    void *const arrays[] = {job.deck.entry, job.deck.left, job.deck.a, job.deck.b, job.deck.x, job.deck.info};
    for (int k = 0; k < 6; k++)
        assert_int_equal(cudaFree(arrays[k]), cudaSuccess);
}

/* One call with systems of each kind. Returns the number of them that have pivots. */
static int compare(int64_t n, int32_t prec)
{
    const int64_t doubles = 2 * prec * n;
    double *a = calloc((size_t)(BATCH * doubles * (n + 3 * SIDES)), sizeof *a);
    assert_non_null(a);
    double *b = a + BATCH * doubles * n, *x = b + BATCH * doubles * SIDES, *y = x + BATCH * doubles * SIDES;
    plumb_info info[BATCH];
    int solved = 0;
    for (int k = 0; k < BATCH; k++) {
        fill(a + k * doubles * n, k % KINDS, n, n, prec);
        fill(b + k * doubles * SIDES, RANDOM, n, SIDES, prec);
        info[k] = -1;
    }
    eliminate_here(a, b, n, prec, x, info);
    for (int k = 0; k < BATCH; k++) {
        const int64_t expected = eliminate_there(a + k * doubles * n, b + k * doubles * SIDES, n, prec, y);
        if ((expected != 0) != (info[k] != 0))
            fail_msg("n = %d, %d limbs, system %d: %d, on the processor %d", (int)n, (int)prec, k, (int)info[k],
                     (int)expected);
        solved += expected == 0;
        for (int64_t i = 0; i < doubles * SIDES && expected == 0; i++)
            if (x[k * doubles * SIDES + i] != y[i])
                fail_msg("n = %d, %d limbs, system %d: double %d is %a, on the processor %a", (int)n, (int)prec, k,
                         (int)i, x[k * doubles * SIDES + i], y[i]);
    }
    free(a);
    return solved;
}

static void elimination_has_the_bits_of_the_processor(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    state_of_random = 20261119;
    print_message("seed %llu\n", (unsigned long long)state_of_random);
    for (int64_t n = 1; n <= TRACK_ELIMINATED; n++)
        for (int32_t prec = PLUMB_D; prec <= TRACK_ELIMINATED_LIMBS; prec *= 2) {
            const int solved = compare(n, prec);
            assert_true(solved >= BATCH / KINDS); /* at least the random ones */
            assert_true(solved < BATCH);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(elimination_has_the_bits_of_the_processor)};
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}

/* t_gpu_newton.c - tests Newton steps on a GPU: the same results as on the CPU, for one point and many; points that
 * cannot be solved do not move; a recorded sequence of steps converges. Skipped, with the reason, if there is no GPU. */
#include "backend/cuda/lsq/plan.h"
#include "backend/cuda/runtime/time.h"
#include "gpu_test.h"
#include "solver/context/context.h"
#include "solver/eval/eval_oracle.h"

static const uint64_t seed = 61803;

static int say_seed_and_open(void **state)
{
    printf("seed %llu\n", (unsigned long long)seed);
    return open_gpu(state);
}

static plumb_view device_copy(const plumb_view *host)
{
    plumb_view device;
    assert_ok(
        plumb_array_create(gpu, PLUMB_DEVICE, host->prec, host->parts, host->rows, host->cols, host->batch, &device));
    assert_ok(plumb_copy(gpu, host, &device, NULL));
    return device;
}

/* The largest |x - y - z| over the largest |x|; z may be NULL. */
static double distance(const plumb_view *x, const plumb_view *y, const plumb_view *z)
{
    double size = 0, most = 0;
    oracle_number a, b;
    oracle_init(&a);
    oracle_init(&b);
    for (int64_t k = 0; k < x->batch; k++)
        for (int64_t i = 0; i < x->rows; i++) {
            oracle_get(&a, x, k, i, 0);
            size = fmax(size, oracle_modulus(&a));
            for (const plumb_view *other = y; other; other = other == y ? z : NULL) {
                oracle_get(&b, other, k, i, 0);
                mpfr_sub(a.re, a.re, b.re, MPFR_RNDN);
                mpfr_sub(a.im, a.im, b.im, MPFR_RNDN);
            }
            most = fmax(most, oracle_modulus(&a));
        }
    oracle_clear(&a);
    oracle_clear(&b);
    return most / size;
}

static double unit(int32_t prec)
{
    return ldexp(1.0, -53 * prec);
}

/* A step on the host and on the device from the same points. */
static void check_step(const plumb_system *system, const char *name, int32_t prec, int32_t parts, int64_t batch)
{
    const int64_t n = plumb_system_unknowns(system);
    plumb_context *cpu = make_context(NULL, 1);
    plumb_view x = eval_view(prec, parts, n, 1, batch), before = eval_view(prec, parts, n, 1, batch),
               there = eval_view(prec, parts, n, 1, batch), correction = eval_view(prec, parts, n, 1, batch),
               dx = eval_view(prec, parts, n, 1, batch);
    plumb_info *info = calloc((size_t)batch, sizeof *info);
    random_points(&x, 1.0, seed + (uint64_t)prec);
    assert_ok(plumb_copy(cpu, &x, &before, NULL));
    plumb_view y = device_copy(&x), dy = device_copy(&x);
    assert_int_equal(plumb_newton_step(cpu, system, &x, &dx, info, NULL), PLUMB_OK);
    for (int64_t b = 0; b < batch; b++)
        assert_int_equal(info[b], 0);
    assert_ok(plumb_newton_step(gpu, system, &y, &dy, NULL, NULL));
    assert_ok(plumb_copy(gpu, &y, &there, NULL));
    assert_ok(plumb_copy(gpu, &dy, &correction, NULL));
    double far = distance(&x, &there, NULL), moved = distance(&there, &before, &correction),
           differ = distance(&dx, &correction, NULL);
    if (!(far <= 1e5 * unit(prec) && differ <= 1e5 * unit(prec) && moved <= 16 * unit(prec)))
        fail_msg("%s, %s: points %g apart, corrections %g, x - before - dx = %g", name, plumb_prec_name(prec), far,
                 differ, moved);
    plumb_array_destroy(gpu, &y);
    plumb_array_destroy(gpu, &dy);
    free(x.data), free(before.data), free(there.data), free(correction.data), free(dx.data), free(info);
    plumb_context_destroy(cpu);
}

static void gpu_steps_as_the_cpu_does(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const random_shape shapes[] = {{1, 1, 4, 1, 3, 0}, {5, 5, 9, 3, 3, 1}, {7, 4, 8, 4, 2, 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        char name[64];
        snprintf(name, sizeof name, "random system %zu", k);
        plumb_system *system = random_system(&shapes[k], seed + k);
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            check_step(system, name, prec, PLUMB_COMPLEX, 1);
            check_step(system, name, prec, shapes[k].complex_coefficients ? PLUMB_COMPLEX : PLUMB_REAL, 3);
        }
        plumb_system_destroy(system);
    }
}

typedef struct recorded {
    const plumb_system *system;
    plumb_view x;
} recorded;

static plumb_status queue_step(void *data)
{
    recorded *r = data;
    return plumb_newton_step(gpu, r->system, &r->x, NULL, NULL, NULL);
}

/* After the first step nothing is allocated and nothing waits; and the sequence gets to the root, here that of a cube. */
static void gpu_steps_can_be_recorded(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse_system("3 2\n x^3 - 8; x*y - 3; x^2*y - 6;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
        double us = 0;
        plumb_view x = eval_view(prec, PLUMB_COMPLEX, 2, 1, 1), root = eval_view(prec, PLUMB_COMPLEX, 2, 1, 1);
        random_points(&x, 0.125, seed);
        memset(root.data, 0, (size_t)root.next * sizeof(double));
        x.data[0] += root.data[0] = 2.0;
        x.data[1] += root.data[1] = 1.5;
        recorded work = {system, device_copy(&x)};
        assert_ok(queue_step(&work));
        assert_ok(plumb_gpu_time_replays(&gpu->gpu, queue_step, &work, 5, 2, &us));
        assert_ok(queue_step(&work));
        assert_ok(queue_step(&work));
        assert_ok(plumb_copy(gpu, &work.x, &x, NULL));
        const double far = distance(&root, &x, NULL);
        if (!(far <= 64 * unit(prec)))
            fail_msg("%s: %g from the root", plumb_prec_name(prec), far);
        plumb_array_destroy(gpu, &work.x);
        free(x.data), free(root.data);
    }
    plumb_system_destroy(system);
}

/* The second of three points has a Jacobian of zero: its info tells this, and it does not move. */
static void gpu_leaves_singular_points_alone(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_system *system = parse_system("2 2\n x^2 - 4; y - 3*x;");
    plumb_view x = eval_view(PLUMB_DD, PLUMB_COMPLEX, 2, 1, 3), outcome = eval_view(PLUMB_D, PLUMB_REAL, 3, 1, 1);
    memset(x.data, 0, (size_t)(3 * x.next) * sizeof(double));
    x.data[0] = 1.0, x.data[2 * x.next] = 3.0;
    for (int b = 0; b < 3; b++)
        x.data[b * x.next + 1] = 5.0;
    plumb_view y = device_copy(&x), info = device_copy(&outcome);
    assert_ok(plumb_newton_step(gpu, system, &y, NULL, (plumb_info *)(void *)info.data, NULL));
    assert_ok(plumb_copy(gpu, &y, &x, NULL));
    assert_ok(plumb_copy(gpu, &info, &outcome, NULL));
    const plumb_info *codes = (const plumb_info *)(const void *)outcome.data;
    assert_true(codes[0] == 0 && codes[1] > 0 && codes[2] == 0);
    assert_true(x.data[x.next] == 0.0 && x.data[x.next + 1] == 5.0);
    assert_true(fabs(x.data[0] - 2.5) < 1e-15 && fabs(x.data[2 * x.next] - 3.0 + 5.0 / 6.0) < 1e-15);
    plumb_array_destroy(gpu, &y);
    plumb_array_destroy(gpu, &info);
    free(x.data), free(outcome.data);
    plumb_system_destroy(system);
}

/* One step of a batch whose last point has a correction beyond the largest double: it stays, the others are x - y bit for bit. */
static void check_subtraction(const plumb_system *system, int32_t prec, int32_t parts)
{
    enum { BATCH = 3 };
    plumb_context *cpu = make_context(NULL, 1);
    plumb_view x = eval_view(prec, parts, 2, 1, BATCH), outcome = eval_view(PLUMB_D, PLUMB_REAL, BATCH, 1, 1),
               expected = eval_view(prec, parts, 2, 1, BATCH), dx = eval_view(prec, parts, 2, 1, BATCH);
    random_points(&x, 1.0, seed);
    memset(x.data + (BATCH - 1) * x.next, 0, (size_t)x.next * sizeof(double));
    x.data[(BATCH - 1) * x.next] = 1e-200; /* where x^2 - 1e200 has a Jacobian as small as its value is large */
    plumb_view y = device_copy(&x), dy = device_copy(&x), info = device_copy(&outcome);
    assert_ok(plumb_newton_step(gpu, system, &y, &dy, (plumb_info *)(void *)info.data, NULL));
    assert_ok(plumb_copy(gpu, &info, &outcome, NULL));
    assert_ok(plumb_copy(gpu, &dy, &dx, NULL));
    assert_ok(plumb_map(cpu, PLUMB_OP_NEG, &dx, NULL, NULL, &dx, NULL));
    assert_ok(plumb_map(cpu, PLUMB_OP_SUB, &x, &dx, NULL, &expected, NULL));
    assert_ok(plumb_copy(gpu, &y, &x, NULL));
    const plumb_info *codes = (const plumb_info *)(const void *)outcome.data;
    if (codes[0] != 0 || codes[1] != 0 || codes[2] != -PLUMB_ERR_RANGE)
        fail_msg("%s, kernels %d: outcomes %d, %d and %d", plumb_prec_name(prec), gpu->gpu.hooks.lsq_family,
                 (int)codes[0], (int)codes[1], (int)codes[2]);
    assert_memory_equal(x.data, expected.data, (size_t)(BATCH * x.next) * sizeof(double));
    assert_true(x.data[(BATCH - 1) * x.next] == 1e-200);
    plumb_array_destroy(gpu, &y);
    plumb_array_destroy(gpu, &dy);
    plumb_array_destroy(gpu, &info);
    free(x.data), free(outcome.data), free(expected.data), free(dx.data);
    plumb_context_destroy(cpu);
}

static void gpu_subtracts_whatever_kernels_solve(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const int32_t families[] = {MGS_SMALL, MGS_FLOW, MGS_COLUMNS, MGS_REGISTERS, MGS_PANEL};
    plumb_system *system = parse_system("2 2\n x^2 - 1e200; y^2 + 3*y - 1;");
    for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2)
        for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
            for (size_t k = 0; k < sizeof families / sizeof families[0]; k++) {
                const int is_complex = parts == PLUMB_COMPLEX;
                const int absent = (families[k] == MGS_REGISTERS && (!is_complex || prec == PLUMB_QD)) ||
                                   (families[k] == MGS_PANEL && !is_complex) ||
                                   (families[k] == MGS_SMALL && is_complex && prec == PLUMB_D);
                if (absent)
                    continue;
                gpu->gpu.hooks.lsq_family = families[k];
                check_subtraction(system, prec, parts);
                assert_int_equal(gpu->gpu.hooks.lsq_taken, families[k]);
            }
    gpu->gpu.hooks.lsq_family = MGS_AUTO;
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_steps_as_the_cpu_does),
        cmocka_unit_test(gpu_steps_can_be_recorded),
        cmocka_unit_test(gpu_leaves_singular_points_alone),
        cmocka_unit_test(gpu_subtracts_whatever_kernels_solve),
    };
    return cmocka_run_group_tests(tests, say_seed_and_open, close_gpu);
}

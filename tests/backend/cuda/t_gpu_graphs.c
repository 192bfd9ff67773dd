/* t_gpu_graphs.c - calls recorded into CUDA graphs: a replay gives the same results as the call, for any number of
 * other streams and systems used in between; calls that cannot be recorded fail with a message; failures of calls
 * without info are returned by the next wait.
 *
 * Needs the headers of CUDA or of the emulated GPU: built with either. Skipped, with the reason, where there is no
 * GPU. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "backend/cuda/eval/device.h"
#include "backend/cuda/runtime/scratch.h"
#include "gpu_test.h"
#include "solver/context/context.h"

static const char cubes[] = "3 2\n x^3 - 8; x*y - 3; x^2*y - 6;";

static void cuda_ok(cudaError_t error)
{
    if (error != cudaSuccess)
        fail_msg("%s", cudaGetErrorString(error));
}

static cudaStream_t new_stream(void)
{
    cudaStream_t stream = NULL;
    cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    assert_int_equal(plumb_system_parse(text, strlen(text), &system, NULL), PLUMB_OK);
    return system;
}

static plumb_view array(int32_t where, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch)
{
    plumb_view view;
    assert_ok(plumb_array_create(gpu, where, prec, parts, rows, cols, batch, &view));
    return view;
}

/* Numbers that have something in every limb, about 1; the same for the same shape. */
static void fill(const plumb_view *host, uint64_t seed)
{
    uint64_t s = 2 * seed + 1;
    for (int64_t b = 0; b < host->batch; b++)
        for (int64_t c = 0; c < host->prec * host->parts; c++)
            for (int64_t j = 0; j < host->cols; j++)
                for (int64_t i = 0; i < host->rows; i++) {
                    s = s * 6364136223846793005U + 1442695040888963407U;
                    const double u = (double)(s >> 11) * 0x1p-53 - 0.5;
                    host->data[b * host->next + c * host->plane + j * host->col + i] =
                        ldexp(u, -54 * (int)(c % host->prec)) + (c == 0 && i == j ? 2.0 : 0.0);
                }
}

/* ---- Calls that are recorded ------------------------------------------------------------------------------------- */

typedef struct job {
    plumb_system *system;
    plumb_view a, b, x, residual, info; /* on the device; what is read and what is written depends on the call */
    plumb_stream stream;
} job;

static plumb_status call_eval(job *j)
{
    return plumb_system_eval(gpu, j->system, &j->x, &j->b, &j->a, j->stream);
}

static plumb_status call_solve(job *j)
{
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.stream = j->stream;
    return plumb_lsq_batch(gpu, &j->a, &j->b, &j->x, &j->residual, (plumb_info *)(void *)j->info.data, &options);
}

static plumb_status call_step(job *j)
{
    return plumb_newton_step(gpu, j->system, &j->x, NULL, NULL, j->stream);
}

static job make_job(const char *text, int32_t prec, int64_t rows, int64_t cols, int64_t batch, plumb_stream stream)
{
    job j = {.stream = stream};
    j.system = text ? parse(text) : NULL;
    j.a = array(PLUMB_DEVICE, prec, PLUMB_COMPLEX, rows, cols, batch);
    j.b = array(PLUMB_DEVICE, prec, PLUMB_COMPLEX, rows, 1, batch);
    j.x = array(PLUMB_DEVICE, prec, PLUMB_COMPLEX, cols, 1, batch);
    j.residual = array(PLUMB_DEVICE, prec, PLUMB_REAL, 1, 1, batch);
    j.info = array(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, batch, 1, 1);
    return j;
}

static void destroy_job(job *j)
{
    plumb_view *const views[] = {&j->a, &j->b, &j->x, &j->residual, &j->info};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++)
        plumb_array_destroy(gpu, views[k]);
    plumb_system_destroy(j->system);
}

static void set_inputs(job *j, uint64_t seed)
{
    plumb_view *const views[] = {&j->a, &j->b, &j->x};
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++) {
        const plumb_view *v = views[k];
        plumb_view host = array(PLUMB_HOST, v->prec, v->parts, v->rows, v->cols, v->batch);
        fill(&host, seed + k);
        assert_ok(plumb_copy(gpu, &host, views[k], NULL));
        plumb_array_destroy(gpu, &host);
    }
}

/* All results, one after the other. */
static double *results_of(job *j, int64_t *count)
{
    plumb_view *const views[] = {&j->a, &j->b, &j->x};
    double *all = NULL;
    *count = 0;
    for (size_t k = 0; k < sizeof views / sizeof views[0]; k++) {
        const plumb_view *v = views[k];
        plumb_view host = array(PLUMB_HOST, v->prec, v->parts, v->rows, v->cols, v->batch);
        assert_ok(plumb_copy(gpu, v, &host, NULL));
        all = realloc(all, (size_t)(*count + host.batch * host.next) * sizeof *all);
        assert_non_null(all);
        memcpy(all + *count, host.data, (size_t)(host.batch * host.next) * sizeof *all);
        *count += host.batch * host.next;
        plumb_array_destroy(gpu, &host);
    }
    return all;
}

static void assert_results(job *j, const double *expected, int64_t count, const char *what)
{
    int64_t found = 0;
    double *now = results_of(j, &found);
    assert_int_equal(found, count);
    if (memcmp(now, expected, (size_t)count * sizeof *now) != 0)
        fail_msg("%s: a replay gives other bits than the call", what);
    free(now);
}

static cudaGraphExec_t record(plumb_status (*call)(job *), job *j)
{
    cudaStream_t stream = j->stream;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t ready = NULL;
    cuda_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    plumb_status status = call(j);
    cuda_ok(cudaStreamEndCapture(stream, &graph));
    assert_ok(status);
    cuda_ok(cudaGraphInstantiate(&ready, graph, 0));
    cuda_ok(cudaGraphDestroy(graph));
    return ready;
}

/* What a long-running program does besides: other systems, other streams, larger problems on the same stream. */
static void live_on(plumb_stream same)
{
    for (int k = 0; k < EVAL_PROGRAMS + 6; k++) {
        char text[64];
        snprintf(text, sizeof text, "2\n x^2 + %d*y; y^2 - %d*x;", k + 1, k + 2);
        job j = make_job(text, PLUMB_D, 2, 2, 1, NULL);
        set_inputs(&j, 3);
        assert_ok(call_eval(&j));
        destroy_job(&j);
    }
    cudaStream_t streams[SCRATCH_STREAMS + 4];
    for (int k = 0; k < SCRATCH_STREAMS + 4; k++) {
        streams[k] = new_stream();
        job j = make_job(cubes, PLUMB_D, 3, 2, 1, streams[k]);
        set_inputs(&j, 4);
        assert_ok(call_solve(&j));
        assert_ok(call_step(&j));
        assert_ok(plumb_stream_wait(gpu, streams[k]));
        destroy_job(&j);
    }
    job larger = make_job(cubes, PLUMB_QD, 3, 2, 40, same);
    set_inputs(&larger, 5);
    assert_ok(call_solve(&larger));
    assert_ok(call_step(&larger));
    assert_ok(plumb_stream_wait(gpu, same));
    destroy_job(&larger);
    for (int k = 0; k < SCRATCH_STREAMS + 4; k++)
        cuda_ok(cudaStreamDestroy(streams[k]));
    /* Memory that was freed is taken by others, and overwritten. */
    plumb_view others[24];
    for (int k = 0; k < 24; k++)
        others[k] = array(PLUMB_DEVICE, PLUMB_D, PLUMB_REAL, 64 << (k % 8), 1, 1);
    for (int k = 0; k < 24; k++)
        plumb_array_destroy(gpu, &others[k]);
}

static void check_recorded(const char *what, plumb_status (*call)(job *), const char *text, int32_t prec, int64_t rows,
                           int64_t cols, int64_t batch)
{
    cudaStream_t stream = new_stream();
    int64_t count = 0;
    job j = make_job(text, prec, rows, cols, batch, stream);
    set_inputs(&j, 7);
    assert_ok(call(&j)); /* what it allocates and sends is there from now on */
    assert_ok(plumb_stream_wait(gpu, stream));
    double *expected = results_of(&j, &count);
    set_inputs(&j, 7);
    cudaGraphExec_t ready = record(call, &j);
    for (int replay = 0; replay < 3; replay++) {
        if (replay == 1)
            live_on(stream);
        set_inputs(&j, 7);
        cuda_ok(cudaGraphLaunch(ready, stream));
        assert_ok(plumb_stream_wait(gpu, stream));
        assert_results(&j, expected, count, what);
    }
    free(expected);
    cuda_ok(cudaGraphExecDestroy(ready));
    destroy_job(&j);
    cuda_ok(cudaStreamDestroy(stream));
}

static void replays_survive_what_happens_between(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    check_recorded("evaluation", call_eval, cubes, PLUMB_DD, 3, 2, 2);
    check_recorded("solve", call_solve, NULL, PLUMB_DD, 6, 5, 3);
    check_recorded("solve of a larger system", call_solve, NULL, PLUMB_D, 40, 40, 1);
    check_recorded("Newton step", call_step, cubes, PLUMB_QD, 3, 2, 2);
}

static void evaluation_in_global_memory_can_be_replayed(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    gpu->gpu.hooks.eval_in_global = 1;
    check_recorded("evaluation in global memory", call_eval, cubes, PLUMB_DD, 3, 2, 2);
    gpu->gpu.hooks.eval_in_global = 0;
}

/* The graph outlives the system: what it needs of it is on the device. */
static void replays_survive_the_system(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    cudaStream_t stream = new_stream();
    int64_t count = 0;
    job j = make_job(cubes, PLUMB_D, 3, 2, 1, stream);
    set_inputs(&j, 9);
    assert_ok(call_eval(&j));
    assert_ok(plumb_stream_wait(gpu, stream));
    double *expected = results_of(&j, &count);
    cudaGraphExec_t ready = record(call_eval, &j);
    plumb_system_destroy(j.system);
    j.system = NULL;
    live_on(stream);
    set_inputs(&j, 9);
    cuda_ok(cudaGraphLaunch(ready, stream));
    assert_ok(plumb_stream_wait(gpu, stream));
    assert_results(&j, expected, count, "evaluation of a system that is gone");
    free(expected);
    cuda_ok(cudaGraphExecDestroy(ready));
    destroy_job(&j);
    cuda_ok(cudaStreamDestroy(stream));
}

/* A call that would allocate is refused with its reason, and recording goes on. */
static void first_calls_are_not_recorded(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static plumb_status (*const calls[])(job *) = {call_eval, call_solve, call_step};
    plumb_context *shared = gpu, *fresh = NULL; /* one that has seen no stream, whose handle may come again */
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_GPU;
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) {
        assert_int_equal(plumb_context_create(&options, &fresh), PLUMB_OK);
        gpu = fresh;
        cudaStream_t stream = new_stream();
        cudaGraph_t graph = NULL;
        job j = make_job("2\n x^2 - 3*y; 7*y^3 - x;", PLUMB_DD, 2, 2, 1, stream);
        set_inputs(&j, 11);
        cuda_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        plumb_status status = calls[k](&j);
        cuda_ok(cudaStreamEndCapture(stream, &graph)); /* nothing has spoiled it */
        cuda_ok(cudaGraphDestroy(graph));
        assert_int_equal(status, PLUMB_ERR_DEVICE);
        assert_non_null(strstr(plumb_context_message(gpu), "recorded"));
        assert_ok(calls[k](&j));
        assert_ok(plumb_stream_wait(gpu, stream));
        destroy_job(&j);
        cuda_ok(cudaStreamDestroy(stream));
        gpu = shared;
        plumb_context_destroy(fresh);
    }
}

/* A new stream with the handle of one that is gone gets scratch of its own: work of the old one may still be
 * running. */
static void handles_that_come_again_get_their_own_scratch(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    char *first = NULL, *again = NULL;
    cudaStream_t stream = new_stream(), next = NULL, tried[64];
    int others = 0;
    assert_ok(plumb_cuda_scratch(&gpu->gpu, stream, SCRATCH_STEP, 4096, &first));
    cuda_ok(cudaStreamDestroy(stream));
    while (others < 64 && (next = new_stream()) != stream)
        tried[others++] = next;
    if (next == stream) {
        assert_ok(plumb_cuda_scratch(&gpu->gpu, next, SCRATCH_STEP, 4096, &again));
        assert_ptr_not_equal(first, again);
        cuda_ok(cudaStreamDestroy(next));
    }
    printf("the handle came again: %s\n", next == stream ? "yes" : "no");
    for (int k = 0; k < others; k++)
        cuda_ok(cudaStreamDestroy(tried[k]));
}

/* ---- Failures of calls without info
 * --------------------------------------------------------------------------------------------- */

static void waits_tell_what_nobody_asked_for(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int kind = 0; kind < 3; kind++) { /* all well, a dependent column, an infinity */
        static const plumb_status expected[] = {PLUMB_OK, PLUMB_ERR_SINGULAR, PLUMB_ERR_NONFINITE};
        for (int refined = 0; refined < 2; refined++) {
            plumb_view host = array(PLUMB_HOST, PLUMB_DD, PLUMB_COMPLEX, 4, 3, 5);
            job j = make_job(NULL, PLUMB_DD, 4, 3, 5, NULL);
            set_inputs(&j, 13);
            assert_ok(plumb_copy(gpu, &j.a, &host, NULL));
            double *bad = host.data + 3 * host.next;
            for (int64_t c = 0; kind == 1 && c < 4; c++)
                memcpy(bad + c * host.plane + 2 * host.col, bad + c * host.plane, 4 * sizeof(double));
            if (kind == 2)
                bad[1] = (double)INFINITY;
            assert_ok(plumb_copy(gpu, &host, &j.a, NULL));
            plumb_lsq_options options;
            plumb_lsq_options_init(&options);
            options.method = refined ? PLUMB_METHOD_REFINED : PLUMB_METHOD_MGS;
            assert_ok(plumb_lsq_batch(gpu, &j.a, &j.b, &j.x, NULL, NULL, &options));
            assert_int_equal(plumb_stream_wait(gpu, NULL), expected[kind]);
            if (kind > 0)
                assert_non_null(strstr(plumb_context_message(gpu), "info"));
            assert_ok(plumb_stream_wait(gpu, NULL)); /* told once */
            /* Who asks for info finds it there, and the wait has nothing to tell. */
            assert_ok(plumb_lsq_batch(gpu, &j.a, &j.b, &j.x, NULL, (plumb_info *)(void *)j.info.data, &options));
            assert_ok(plumb_stream_wait(gpu, NULL));
            plumb_array_destroy(gpu, &host);
            destroy_job(&j);
        }
    }
}

/* So does a replay. */
static void waits_tell_of_replays(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    cudaStream_t stream = new_stream();
    job j = make_job("x^2 - 4;", PLUMB_D, 1, 1, 1, stream);
    plumb_view at = array(PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, 1);
    at.data[0] = 3.0;
    assert_ok(plumb_copy(gpu, &at, &j.x, NULL));
    assert_ok(call_step(&j));
    assert_ok(plumb_stream_wait(gpu, stream));
    cudaGraphExec_t ready = record(call_step, &j);
    cuda_ok(cudaGraphLaunch(ready, stream));
    assert_ok(plumb_stream_wait(gpu, stream));
    at.data[0] = 0.0;
    assert_ok(plumb_copy(gpu, &at, &j.x, NULL));
    cuda_ok(cudaGraphLaunch(ready, stream));
    assert_int_equal(plumb_stream_wait(gpu, stream), PLUMB_ERR_SINGULAR);
    assert_ok(plumb_stream_wait(gpu, stream));
    cuda_ok(cudaGraphExecDestroy(ready));
    plumb_array_destroy(gpu, &at);
    destroy_job(&j);
    cuda_ok(cudaStreamDestroy(stream));
}

/* Calls that wait anyway return it at once. */
static void calls_that_wait_return_it(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_view a = array(PLUMB_DEVICE, PLUMB_DD, PLUMB_REAL, 3, 2, 1),
               b = array(PLUMB_DEVICE, PLUMB_DD, PLUMB_REAL, 3, 1, 1),
               x = array(PLUMB_DEVICE, PLUMB_DD, PLUMB_REAL, 2, 1, 1),
               r = array(PLUMB_DEVICE, PLUMB_DD, PLUMB_REAL, 2, 2, 1);
    plumb_factor *factor = NULL;
    plumb_lsq_report report;
    plumb_lsq_options options;
    assert_int_equal(plumb_lsq(gpu, &a, &b, &x, NULL, NULL, NULL, &report), PLUMB_ERR_SINGULAR);
    assert_ok(plumb_stream_wait(gpu, NULL));
    plumb_lsq_options_init(&options);
    options.reorthogonalize = 1; /* on the CPU */
    assert_int_equal(plumb_lsq(gpu, &a, &b, &x, NULL, NULL, &options, NULL), PLUMB_ERR_SINGULAR);
    assert_int_equal(plumb_qr(gpu, &a, NULL, &r, NULL, NULL, &options, NULL), PLUMB_ERR_SINGULAR);
    assert_int_equal(plumb_lsq_batch(gpu, &a, &b, &x, NULL, NULL, &options), PLUMB_ERR_SINGULAR);
    assert_int_equal(plumb_lsq_auto(gpu, &a, &b, &x, NULL, NULL, 20, NULL, NULL), PLUMB_ERR_SINGULAR);
    assert_int_equal(plumb_factor_create(gpu, &a, NULL, NULL, &factor), PLUMB_ERR_SINGULAR);
    assert_null(factor);
    assert_ok(plumb_qr(gpu, &a, NULL, &r, NULL, NULL, NULL, NULL)); /* queued: the wait tells */
    assert_int_equal(plumb_stream_wait(gpu, NULL), PLUMB_ERR_SINGULAR);
    plumb_array_destroy(gpu, &a), plumb_array_destroy(gpu, &b), plumb_array_destroy(gpu, &x),
        plumb_array_destroy(gpu, &r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replays_survive_what_happens_between),
        cmocka_unit_test(evaluation_in_global_memory_can_be_replayed),
        cmocka_unit_test(replays_survive_the_system),
        cmocka_unit_test(first_calls_are_not_recorded),
        cmocka_unit_test(handles_that_come_again_get_their_own_scratch),
        cmocka_unit_test(waits_tell_what_nobody_asked_for),
        cmocka_unit_test(waits_tell_of_replays),
        cmocka_unit_test(calls_that_wait_return_it),
    };
    return cmocka_run_group_tests(tests, open_gpu, close_gpu);
}

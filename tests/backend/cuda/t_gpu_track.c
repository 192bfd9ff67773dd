/* t_gpu_track.c - tests tracking on a GPU: the endpoints and codes of the CPU in every precision and across precisions, hundreds of
 * paths, queues longer than the number of slots, steps in order, the bytes moved between host and GPU, and the same bits in every run.
 * Skipped, with the reason, if there is no GPU. */
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_test.h"
#include "method/track/track.h"
#include "solver/context/context.h"
#include "solver/polyhedral/polyhedral.h"
#include "solver/track/track.h"

static plumb_context *cpu;

static int open_both(void **state)
{
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.backend = PLUMB_BACKEND_CPU;
    return open_gpu(state) == 0 && plumb_context_create(&options, &cpu) == PLUMB_OK ? 0 : -1;
}

static int close_both(void **state)
{
    plumb_context_destroy(cpu);
    return close_gpu(state);
}

/* An emulated GPU runs these tests with few paths; it has little memory. */
static int emulated(void)
{
    plumb_device_info device;
    assert_int_equal(plumb_device_query(0, &device), PLUMB_OK);
    return device.memory_total <= INT64_C(1) << 31;
}

/* ---- Paths ------------------------------------------------------------------------------------------------------------ */

static plumb_system *parse(const char *text)
{
    plumb_system *system = NULL;
    plumb_text_error error;
    if (plumb_system_parse(text, strlen(text), &system, &error) != PLUMB_OK)
        fail_msg("%s: %s", text, error.message);
    return system;
}

typedef struct paths {
    plumb_homotopy *homotopy;
    plumb_view starts;
    int64_t count, unknowns;
} paths;

static plumb_homotopy *homotopy_of(const plumb_system *start, const plumb_system *target, int projective, double gamma)
{
    plumb_homotopy *homotopy = NULL;
    plumb_homotopy_options options;
    plumb_homotopy_options_init(&options);
    options.seed = 7;
    options.projective = projective;
    options.gamma[0] = gamma;
    assert_ok(plumb_homotopy_create(start, target, &options, &homotopy));
    return homotopy;
}

/* All paths of total degree. */
static paths total_degree(const char *text, int projective)
{
    plumb_system *target = parse(text), *start = NULL;
    paths p = {.unknowns = plumb_system_unknowns(target)};
    assert_ok(plumb_system_start(target, 3, &start));
    assert_ok(plumb_system_start_count(start, &p.count));
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, PLUMB_QD, PLUMB_COMPLEX, p.unknowns, 1, p.count, &p.starts));
    assert_ok(plumb_system_start_solutions(start, 0, &p.starts));
    p.homotopy = homotopy_of(start, target, projective, 0.0);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
    return p;
}

/* Paths of one unknown from given points, without a random gamma. */
static paths from_points(const char *start_text, const char *target_text, const double complex *points, int64_t count)
{
    plumb_system *target = parse(target_text), *start = parse(start_text);
    paths p = {.unknowns = 1, .count = count};
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 1, 1, count, &p.starts));
    for (int64_t k = 0; k < count; k++) {
        p.starts.data[2 * k] = creal(points[k]);
        p.starts.data[2 * k + 1] = cimag(points[k]);
    }
    p.homotopy = homotopy_of(start, target, 0, 1.0);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
    return p;
}

static void paths_destroy(paths *p)
{
    plumb_homotopy_destroy(p->homotopy);
    plumb_array_destroy(gpu, &p->starts);
}

/* ---- Results ---------------------------------------------------------------------------------------------------------- */

typedef struct results {
    plumb_view ends;
    plumb_path_record *records;
} results;

static plumb_track_options options_of(int32_t prec)
{
    plumb_track_options options;
    plumb_track_options_init(&options);
    options.prec = prec;
    options.seed = 5;
    return options;
}

static results results_of(const paths *p, const plumb_track_options *options, int64_t count)
{
    results r = {.records = calloc((size_t)count, sizeof *r.records)};
    assert_non_null(r.records);
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, options->prec ? options->prec : PLUMB_QD, PLUMB_COMPLEX, p->unknowns,
                                 1, count, &r.ends));
    return r;
}

static results track(plumb_context *context, const paths *p, const plumb_track_options *options)
{
    results r = results_of(p, options, p->count);
    plumb_status status = plumb_track(context, p->homotopy, &p->starts, &r.ends, options, r.records);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_status_text(status), plumb_context_message(context));
    return r;
}

static results track_on_gpu(const paths *p, const plumb_track_options *options, int32_t slots)
{
    machine *m = NULL;
    assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
    m->hooks.track_slots = slots;
    results r = track(gpu, p, options);
    m->hooks.track_slots = 0;
    return r;
}

static void results_destroy(results *r)
{
    plumb_array_destroy(gpu, &r->ends);
    free(r->records);
}

/* The largest difference of two ends over the largest entry, by leading limbs of the difference. */
static double difference(const results *x, const results *y, int64_t path)
{
    const plumb_view *a = &x->ends, *b = &y->ends;
    double worst = 0.0, largest = 0.0;
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t part = 0; part < 2; part++) {
            double sum = 0.0;
            for (int32_t c = a->prec - 1; c >= 0; c--) {
                const int64_t at = (part * a->prec + c) * a->plane + i;
                sum += a->data[path * a->next + at] - b->data[path * b->next + at];
            }
            worst = fmax(worst, fabs(sum));
            largest = fmax(largest, fabs(b->data[path * b->next + part * b->prec * b->plane + i]));
        }
    return worst / largest;
}

static void assert_same_ends(const char *what, const results *x, const results *y, int64_t count, double tolerance)
{
    for (int64_t k = 0; k < count; k++) {
        if (x->records[k].code != y->records[k].code || x->records[k].winding != y->records[k].winding)
            fail_msg("%s, path %d: %s (winding %d) on the GPU, %s (winding %d) on the processor", what, (int)k,
                     plumb_path_text((plumb_path_code)x->records[k].code), x->records[k].winding,
                     plumb_path_text((plumb_path_code)y->records[k].code), y->records[k].winding);
        if (x->records[k].code > PLUMB_PATH_SINGULAR)
            continue;
        const double error = difference(x, y, k);
        if (!(error <= tolerance))
            fail_msg("%s, path %d: ends differ by %g", what, (int)k, error);
    }
}

/* The largest difference of two ends of one run, by leading limbs. */
static double apart(const results *r, int64_t i, int64_t j)
{
    const plumb_view *v = &r->ends;
    double worst = 0.0;
    for (int64_t k = 0; k < v->rows; k++)
        for (int32_t part = 0; part < 2; part++) {
            const int64_t at = part * v->prec * v->plane + k;
            worst = fmax(worst, fabs(v->data[i * v->next + at] - v->data[j * v->next + at]));
        }
    return worst;
}

static void assert_same_bits(const results *x, const results *y, int64_t count)
{
    const size_t doubles = (size_t)(x->ends.next * count);
    assert_memory_equal(x->ends.data, y->ends.data, doubles * sizeof(double));
    assert_memory_equal(x->records, y->records, (size_t)count * sizeof *x->records);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------------ */

static const char mixed[] = "2\nx^2 + x*y - 3*y + 1;\ny^3 - 2*x*y + x - 2;\n";

static void gpu_reaches_the_ends_of_the_processor(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    for (int projective = 0; projective < 2; projective++) {
        paths p = total_degree(mixed, projective);
        for (int32_t prec = PLUMB_D; prec <= PLUMB_QD; prec *= 2) {
            const plumb_track_options options = options_of(prec);
            results there = track_on_gpu(&p, &options, 0), here = track(cpu, &p, &options);
            assert_same_ends(plumb_prec_name(prec), &there, &here, p.count, 1e6 * ldexp(1.0, -52 * prec));
            for (int64_t k = 0; k < p.count; k++)
                assert_int_equal(there.records[k].code, PLUMB_PATH_SUCCESS);
            results_destroy(&there);
            results_destroy(&here);
        }
        paths_destroy(&p);
    }
}

/* Bits do not depend on the number of slots, nor on the run. */
static void gpu_takes_more_paths_than_slots(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree("3\nx^2 + y*z - 2;\ny^2 - x*z + 1;\nz^2 + x*y - 3*x + 1;\n", 1);
    const plumb_track_options options = options_of(PLUMB_D);
    results all = track_on_gpu(&p, &options, 0);
    for (int32_t slots = 1; slots <= 5; slots += 2) {
        results some = track_on_gpu(&p, &options, slots);
        assert_same_bits(&all, &some, p.count);
        results_destroy(&some);
    }
    results again = track_on_gpu(&p, &options, 0);
    assert_same_bits(&all, &again, p.count);
    results_destroy(&again);
    results_destroy(&all);
    paths_destroy(&p);
}

/* A path has the same bits alone and among others, if the call says how many paths there are in all. In dd a problem of
 * least squares that is alone is solved by other kernels than one of many. */
static void gpu_tracks_parts_of_a_job(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree("2\nx^8 + x*y - 3*y + 1;\ny^9 - 2*x*y + x - 2;\n", 1);
    plumb_track_options options = options_of(PLUMB_DD);
    results all = track_on_gpu(&p, &options, 0);
    const int64_t first[] = {71, 30, 11}, count[] = {1, 2, 7};
    for (int k = 0; k < 3; k++) {
        int64_t numbers[7];
        const track_part part = {.paths = numbers, .of_paths = p.count};
        plumb_view starts = p.starts;
        results some = results_of(&p, &options, count[k]);
        starts.batch = count[k];
        starts.data += first[k] * starts.next;
        for (int64_t i = 0; i < count[k]; i++)
            numbers[i] = first[k] + i;
        assert_ok(track_paths(gpu, p.homotopy, &part, &starts, &some.ends, &options, some.records));
        assert_memory_equal(some.ends.data, all.ends.data + first[k] * all.ends.next,
                            (size_t)(count[k] * all.ends.next) * sizeof(double));
        assert_memory_equal(some.records, all.records + first[k], (size_t)count[k] * sizeof *all.records);
        results_destroy(&some);
    }
    results_destroy(&all);
    paths_destroy(&p);
}

static int64_t count_of(const results *r, int64_t count, int32_t code)
{
    int64_t found = 0;
    for (int64_t k = 0; k < count; k++)
        found += r->records[k].code == code;
    return found;
}

/* Hundreds of paths: the queue refills slots, and as the last paths end the deck is cut to a quarter again and again. All arrive, at the
 * ends of the processor, which are all different; and the number of slots does not show. */
static void gpu_tracks_hundreds_of_paths(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    char text[256];
    const int degree = emulated() ? 15 : 40;
    snprintf(text, sizeof text, "2\nx^%d + x*y - 3*y + 1;\ny^%d - 2*x*y + x - 2;\n", degree, degree);
    paths p = total_degree(text, 0);
    assert_int_equal(p.count, degree * degree);
    const plumb_track_options options = options_of(PLUMB_D);
    results there = track_on_gpu(&p, &options, 64), here = track(cpu, &p, &options);
    assert_int_equal(count_of(&here, p.count, PLUMB_PATH_SUCCESS), p.count);
    assert_same_ends("hundreds", &there, &here, p.count, 1e-9);
    for (int64_t i = 0; i < p.count; i++)
        for (int64_t j = 0; j < i; j++)
            assert_true(apart(&there, i, j) > 1e-6);
    if (!emulated()) {
        results all = track_on_gpu(&p, &options, 0);
        assert_same_bits(&there, &all, p.count);
        results_destroy(&all);
    }
    results_destroy(&there);
    results_destroy(&here);
    paths_destroy(&p);
}

/* More than 32 rows and columns, where least squares takes other kernels: x_0^2 = 2 + x_1 / 8, x_1 = 1 + x_2 / 8, ... has two solutions. */
static void gpu_tracks_many_unknowns(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    const int unknowns = 36, squares = emulated() ? 1 : 8;
    char text[4096];
    int at = snprintf(text, sizeof text, "%d\n", unknowns);
    for (int k = 0; k < unknowns; k++)
        at += snprintf(text + at, sizeof text - (size_t)at, "x%d^%d - %d - x%d/8;\n", k, k < squares ? 2 : 1, 2 + k % 3,
                       (k + 1) % unknowns);
    paths p = total_degree(text, 0);
    assert_int_equal(p.count, 1 << squares);
    for (int32_t prec = PLUMB_D; prec <= (emulated() ? PLUMB_D : PLUMB_QD); prec *= 2) {
        const plumb_track_options options = options_of(prec);
        results there = track_on_gpu(&p, &options, 0), here = track(cpu, &p, &options);
        assert_int_equal(count_of(&here, p.count, PLUMB_PATH_SUCCESS), p.count);
        assert_same_ends("many unknowns", &there, &here, p.count, 1e6 * ldexp(1.0, -52 * prec));
        results_destroy(&there);
        results_destroy(&here);
    }
    paths_destroy(&p);
}

/* x^2 = 1 - 2t + 1e-18 i comes within 1e-9 of the singular point 0. */
static void gpu_moves_paths_to_the_precision_they_need(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    const double complex points[] = {1.0, -1.0};
    paths p = from_points("1\nx^2 - 1 - 1e-18*i;\n", "1\nx^2 + 1 - 1e-18*i;\n", points, 2);
    plumb_track_options options = options_of(PLUMB_D);
    results in_d = track_on_gpu(&p, &options, 0), in_d_here = track(cpu, &p, &options);
    assert_same_ends("d", &in_d, &in_d_here, p.count, 1e-10);
    assert_true(in_d.records[0].code > PLUMB_PATH_SINGULAR);
    options.prec = 0;
    for (int32_t slots = 0; slots < 2; slots++) {
        results there = track_on_gpu(&p, &options, slots), here = track(cpu, &p, &options);
        assert_same_ends("auto", &there, &here, p.count, 1e-12);
        for (int64_t k = 0; k < p.count; k++) {
            assert_int_equal(there.records[k].code, PLUMB_PATH_SUCCESS);
            assert_true(there.records[k].max_prec > PLUMB_D);
            assert_int_equal(there.records[k].max_prec, here.records[k].max_prec);
        }
        results_destroy(&there);
        results_destroy(&here);
    }
    results_destroy(&in_d);
    results_destroy(&in_d_here);
    paths_destroy(&p);
}

/* w = u^-243 is 10^240 halfway: a GPU does not follow the path there, and the processor does, from its start. */
static void gpu_leaves_paths_beyond_the_range_to_the_processor(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    static const char chain[] = "v1 - u^3; v2 - v1^3; v3 - v2^3; v4 - v3^3; v5 - v4^3; w*v5 - 1;\n";
    char texts[2][200];
    snprintf(texts[0], sizeof texts[0], "7\nu - 1; %s", chain);
    snprintf(texts[1], sizeof texts[1], "7\nu + 1 - 0.2*i; %s", chain);
    plumb_system *start = parse(texts[0]), *target = parse(texts[1]);
    paths p = {.unknowns = 7, .count = 1};
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, 7, 1, 1, &p.starts));
    for (int64_t i = 0; i < 7; i++)
        p.starts.data[i] = 1.0;
    p.homotopy = homotopy_of(start, target, 1, 1.0);
    plumb_system_destroy(start);
    plumb_system_destroy(target);
    plumb_track_options options = options_of(0);
    results here = track(cpu, &p, &options);
    for (int followed = 0; followed < 2; followed++) {
        machine *m = NULL;
        assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
        m->hooks.track_follow = followed ? 16 : -1;
        results there = track_on_gpu(&p, &options, 0);
        m->hooks.track_follow = 0;
        assert_int_equal(there.records[0].code, PLUMB_PATH_SUCCESS);
        assert_same_bits(&there, &here, p.count);
        results_destroy(&there);
    }
    results_destroy(&here);
    paths_destroy(&p);
}

/* Two thirds of the paths end in double roots: more of them need a higher precision than its deck has slots at first, and
 * it grows while it holds paths. A new context has no memory that an earlier call left. */
static void gpu_decks_grow(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    plumb_context *fresh = NULL;
    plumb_context_options context;
    plumb_context_options_init(&context);
    context.backend = PLUMB_BACKEND_GPU;
    assert_ok(plumb_context_create(&context, &fresh));
    paths p = total_degree("2\n(x - 1)^2*(x + 2);\ny^3 - x - 3;\n", 0);
    const plumb_track_options options = options_of(0);
    results there = track(fresh, &p, &options), here = track(cpu, &p, &options);
    assert_same_ends("growing decks", &there, &here, p.count, 1e-6);
    results_destroy(&there);
    results_destroy(&here);
    paths_destroy(&p);
    plumb_context_destroy(fresh);
}

/* Double roots, paths to infinity, and a triple root where the Jacobian has columns that depend on others but for rounding. Among others
 * such paths make their decisions in parts, which does not show. */
static void gpu_ends_singular_paths(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    const char *targets[] = {"1\n(x - 1)^2*(x + 2);\n", "2\nx*y - 1;\nx^2 - 1;\n",
                             "2\n29*(x - 1)^3 - 32*(x - 1)*(y - 2);\ny - 2 - (x - 1)^2;\n"};
    static const int32_t expected[3][3] = {{1, 2, 0}, {2, 0, 2}, {0, 3, 3}}; /* regular, singular, at infinity */
    for (int k = 0; k < 3; k++) {
        paths p = total_degree(targets[k], 1);
        const plumb_track_options options = options_of(0);
        results there = track_on_gpu(&p, &options, 0), here = track(cpu, &p, &options);
        results alone = track_on_gpu(&p, &options, 1);
        assert_true(p.count >= 3);
        assert_same_bits(&there, &alone, p.count);
        assert_same_ends(targets[k], &there, &here, p.count, 1e-6);
        assert_int_equal(count_of(&there, p.count, PLUMB_PATH_SUCCESS), expected[k][0]);
        assert_int_equal(count_of(&there, p.count, PLUMB_PATH_SINGULAR), expected[k][1]);
        assert_int_equal(count_of(&there, p.count, PLUMB_PATH_AT_INFINITY), expected[k][2]);
        results_destroy(&alone);
        results_destroy(&there);
        results_destroy(&here);
        paths_destroy(&p);
    }
}

/* More equations than unknowns. */
static void gpu_tracks_overdetermined_pairs(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    const double complex points[] = {1.0};
    paths p = from_points("2 1\nx - 1;\nx^2 - 1;\n", "2 1\nx - 2;\nx^2 - 4;\n", points, 1);
    const plumb_track_options options = options_of(PLUMB_DD);
    results there = track_on_gpu(&p, &options, 0), here = track(cpu, &p, &options);
    assert_same_ends("overdetermined", &there, &here, p.count, 1e-20);
    assert_int_equal(there.records[0].code, PLUMB_PATH_SUCCESS);
    results_destroy(&there);
    results_destroy(&here);
    paths_destroy(&p);
}

/* Unknowns of sizes 10^8 and 10^-8: a GPU sees them scaled. */
static void gpu_gets_scaled_points(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree("2\nx^2 - 3e8*x + 2e16;\nx*y - 1;\n", 1);
    const plumb_track_options options = options_of(PLUMB_D);
    results there = track_on_gpu(&p, &options, 0), here = track(cpu, &p, &options);
    int found = 0;
    for (int64_t k = 0; k < p.count;
         k++) { /* in scaled units, directions of paths to infinity are exact to rounding; here they are not */
        assert_int_equal(there.records[k].code, here.records[k].code);
        const double *x = there.ends.data + k * there.ends.next;
        if (there.records[k].code == PLUMB_PATH_SUCCESS)
            found += fabs(x[0] * x[1] - 1.0) < 1e-12 && (fabs(x[0] - 1e8) < 1e-4 || fabs(x[0] - 2e8) < 1e-4);
    }
    assert_int_equal(found, 2);
    results_destroy(&there);
    results_destroy(&here);
    paths_destroy(&p);
}

/* ---- Steps, bytes, stopping ---------------------------------------------------------------------------------------------- */

typedef struct seen {
    int64_t points[64], steps[64]; /* of each path */
    double t[64];
    int64_t calls, stop_after;
} seen;

static void see_step(void *data, const plumb_path_step *step)
{
    seen *s = data;
    assert_true(step->path >= 0 && step->path < 64);
    /* The start is step 0; a point corrected again in another precision has the number it had. */
    assert_true(step->step == s->points[step->path] ||
                (step->step == s->steps[step->path] && s->points[step->path] > 0));
    s->points[step->path] = step->step + 1;
    assert_true(step->unknowns > 0 && isfinite(step->x[0]) && isfinite(step->residual));
    s->steps[step->path] = step->step;
    s->t[step->path] = step->t;
}

static int see_progress(void *data, int64_t done, int64_t failed, int64_t total)
{
    seen *s = data;
    assert_true(done >= 0 && failed >= 0 && failed <= done && done <= total);
    return ++s->calls > s->stop_after;
}

static void gpu_logs_steps_in_order(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree(mixed, 1);
    for (int32_t prec = 0; prec <= PLUMB_D; prec++) {
        seen s = {.stop_after = INT64_MAX};
        plumb_track_options options = options_of(prec);
        results without = track_on_gpu(&p, &options, 0);
        options.step = see_step;
        options.data = &s;
        results there = track_on_gpu(&p, &options, 4);
        assert_same_bits(&without, &there, p.count);
        for (int64_t k = 0; k < p.count; k++) {
            assert_int_equal(s.steps[k], there.records[k].steps);
            assert_true(s.t[k] > 0.5);
        }
        results_destroy(&there);
        results_destroy(&without);
    }
    paths_destroy(&p);
}

/* The host gets endpoints, records and a few counters a round, and sends start points: nothing that grows with a step. */
static void gpu_moves_few_bytes(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree(mixed, 1);
    plumb_track_options options = options_of(PLUMB_DD);
    plumb_track_report report = {0};
    options.report = &report;
    results first = track_on_gpu(&p, &options, 0), second = track_on_gpu(&p, &options, 0);
    const int64_t to_device = report.to_device, to_host = report.to_host, steps = report.steps;
    assert_int_equal(report.backend, PLUMB_BACKEND_GPU);
    const int64_t point = 16 * PLUMB_DD * p.unknowns, record = (int64_t)sizeof(plumb_path_record);
    int64_t counted = 0;
    for (int64_t k = 0; k < p.count; k++)
        counted += second.records[k].steps;
    assert_int_equal(steps, counted);
    assert_true(to_device >= p.count * point && to_device <= p.count * (point + 8) + 2048);
    assert_true(to_host >= p.count * (point + record));
    assert_true(to_host <= p.count * (point + record) + 16 * steps);
    results_destroy(&first);
    results_destroy(&second);
    paths_destroy(&p);
}

static void gpu_stops_on_request(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree(mixed, 1);
    seen s = {.stop_after = 1};
    plumb_track_options options = options_of(PLUMB_D);
    options.progress = see_progress;
    options.data = &s;
    results r = {.records = calloc((size_t)p.count, sizeof *r.records)};
    assert_ok(plumb_array_create(gpu, PLUMB_HOST, PLUMB_D, PLUMB_COMPLEX, p.unknowns, 1, p.count, &r.ends));
    machine *m = NULL;
    assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
    m->hooks.track_slots = 2;
    m->hooks.track_follow = 4; /* ticks per launch, after which the request is seen */
    plumb_status status = plumb_track(gpu, p.homotopy, &p.starts, &r.ends, &options, r.records);
    m->hooks.track_slots = m->hooks.track_follow = 0;
    assert_true(status == PLUMB_OK || status == PLUMB_ERR_STOPPED);
    int64_t stopped = 0;
    for (int64_t k = 0; k < p.count; k++) {
        stopped += r.records[k].code == PLUMB_PATH_STOPPED;
        assert_int_equal(r.records[k].path, k);
        assert_true(isfinite(r.ends.data[k * r.ends.next]));
    }
    assert_true(stopped > 0);
    results_destroy(&r);
    paths_destroy(&p);
}

typedef struct told {
    int64_t times[64], total,
        total_at_progress; /* of each path, of all, and of all when progress was reported first after some */
    double x[64];          /* the first coordinate */
} told;

static void see_end(void *data, const plumb_path_record *record, const double *x)
{
    told *t = data;
    assert_true(record->path >= 0 && record->path < 64 && record->code != PLUMB_PATH_STOPPED);
    t->times[record->path]++;
    t->total++;
    t->x[record->path] = x[0];
}

static int see_told(void *data, int64_t done, int64_t failed, int64_t total)
{
    told *t = data;
    (void)failed;
    if (t->total_at_progress == 0 && done < total)
        t->total_at_progress = t->total;
    return 0;
}

/* A caller that is killed loses only what it has not heard of: endpoints are told while other paths are tracked, each of them once, and
 * that does not show in the results. */
static void gpu_tells_ends_as_they_come(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree(mixed, 1);
    machine *m = NULL;
    assert_ok(plumb_context_machine(gpu, PLUMB_DEVICE, &m));
    for (int32_t prec = 0; prec <= PLUMB_D; prec++) {
        told t = {.total = 0};
        plumb_track_options options = options_of(prec);
        results without = track_on_gpu(&p, &options, 2);
        options.ended = see_end;
        options.progress = see_told;
        options.data = &t;
        m->hooks.track_seconds = 1e-9;
        m->hooks.track_follow = 4;
        results there = track_on_gpu(&p, &options, 2);
        m->hooks.track_seconds = 0.0;
        m->hooks.track_follow = 0;
        assert_same_bits(&without, &there, p.count);
        assert_true(t.total_at_progress > 0 && t.total_at_progress < p.count);
        for (int64_t k = 0; k < p.count; k++) {
            assert_int_equal(t.times[k], 1);
            assert_true(t.x[k] == there.ends.data[k * there.ends.next]);
        }
        results_destroy(&there);
        results_destroy(&without);
    }
    paths_destroy(&p);
}

static void gpu_keeps_to_the_time(void **state)
{
    (void)state;
    SKIP_WITHOUT_GPU();
    paths p = total_degree(mixed, 1);
    plumb_track_options options = options_of(PLUMB_D);
    options.max_seconds = 1e-9;
    results r = track_on_gpu(&p, &options, 2);
    for (int64_t k = 0; k < p.count; k++) {
        assert_int_equal(r.records[k].code, PLUMB_PATH_STOPPED);
        assert_true(isfinite(r.ends.data[k * r.ends.next]));
    }
    results_destroy(&r);
    options.max_seconds = (double)INFINITY;
    r = track_on_gpu(&p, &options, 2);
    for (int64_t k = 0; k < p.count; k++)
        assert_int_not_equal(r.records[k].code, PLUMB_PATH_STOPPED);
    results_destroy(&r);
    paths_destroy(&p);
}

/* Coefficients that move: the solutions of a polyhedral start system, in each precision. */
static void gpu_makes_start_solutions(void **state)
{
    static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD, 0};
    static const double tolerances[] = {1e-9, 1e-20, 1e-45, 1e-9};
    plumb_system *system = parse("3\nx^3*y + y^2*z - 2*x + 1;\nx*z^2 - 3*y*z + x^2 - 2;\ny^3 + x*y*z - z + 5;\n");
    polyhedral *p = NULL;
    (void)state;
    assert_ok(plumb_polyhedral_create(cpu, system, 0, 5, 0, &p));
    for (size_t k = 0; k < sizeof precisions / sizeof precisions[0]; k++) {
        plumb_track_options options = options_of(precisions[k]);
        const int32_t prec = precisions[k] ? precisions[k] : PLUMB_QD;
        results r[2];
        for (int which = 0; which < 2; which++) {
            plumb_context *context = which == 0 ? cpu : gpu;
            r[which].records = calloc((size_t)p->count, sizeof *r[which].records);
            assert_non_null(r[which].records);
            assert_ok(plumb_array_create(context, PLUMB_HOST, prec, PLUMB_COMPLEX, 3, 1, p->count, &r[which].ends));
            assert_ok(plumb_polyhedral_solutions(context, p, NULL, &options, &r[which].ends, r[which].records));
            for (int64_t i = 0; i < p->count; i++)
                assert_int_equal(r[which].records[i].code, PLUMB_PATH_SUCCESS);
        }
        assert_same_ends("start solutions", &r[0], &r[1], p->count, tolerances[k]);
        results_destroy(&r[0]);
        results_destroy(&r[1]);
    }
    plumb_polyhedral_destroy(p);
    plumb_system_destroy(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_reaches_the_ends_of_the_processor),
        cmocka_unit_test(gpu_takes_more_paths_than_slots),
        cmocka_unit_test(gpu_tracks_parts_of_a_job),
        cmocka_unit_test(gpu_tracks_hundreds_of_paths),
        cmocka_unit_test(gpu_tracks_many_unknowns),
        cmocka_unit_test(gpu_moves_paths_to_the_precision_they_need),
        cmocka_unit_test(gpu_leaves_paths_beyond_the_range_to_the_processor),
        cmocka_unit_test(gpu_decks_grow),
        cmocka_unit_test(gpu_ends_singular_paths),
        cmocka_unit_test(gpu_tracks_overdetermined_pairs),
        cmocka_unit_test(gpu_gets_scaled_points),
        cmocka_unit_test(gpu_makes_start_solutions),
        cmocka_unit_test(gpu_logs_steps_in_order),
        cmocka_unit_test(gpu_moves_few_bytes),
        cmocka_unit_test(gpu_stops_on_request),
        cmocka_unit_test(gpu_tells_ends_as_they_come),
        cmocka_unit_test(gpu_keeps_to_the_time),
    };
    return cmocka_run_group_tests(tests, open_both, close_both);
}

/* t_map_api.c - tests plumb_map as an interface: the views it accepts, that strides, threads and instruction sets do
 * not change the results, and that GPU arrays give the same. t_arith tests the results themselves. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/array/view.h"
#include "base/number/random.h"
#include "context_test.h"
#include "plumb.h"

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};

static int operands(plumb_op op)
{
#define COUNT(code, name, count) count,
    static const int counts[] = {PLUMB_OP_LIST(COUNT)};
#undef COUNT
    return counts[op];
}

static int y_is_double(plumb_op op)
{
    return op == PLUMB_OP_ADD_D || op == PLUMB_OP_MUL_D || op == PLUMB_OP_DIV_D || op == PLUMB_OP_SCALE;
}

/* The arrays of one call. */
typedef struct call {
    plumb_op op;
    plumb_view x, y, z, out;
} call;

static double *entry(const plumb_view *v, int64_t b, int64_t c, int64_t i, int64_t j)
{
    return &v->data[b * v->next + c * v->plane + j * v->col + i];
}

static void fill(plumb_view *v, uint64_t seed)
{
    plumb_random r = plumb_random_start(seed);
    for (int64_t b = 0; b < v->batch; b++)
        for (int64_t j = 0; j < v->cols; j++)
            for (int64_t i = 0; i < v->rows; i++)
                for (int64_t c = 0; c < view_planes(v); c++)
                    *entry(v, b, c, i, j) = ldexp(0.5 + plumb_random_unit(&r) / 2, -54 * (int)(c % v->prec));
}

/* Arrays of the kinds op wants, with gap doubles between columns, planes and matrices. */
static call call_create(plumb_op op, int32_t prec, int32_t parts, int64_t rows, int64_t cols, int64_t batch,
                        int64_t gap)
{
    call c = {.op = op};
    plumb_view *views[] = {&c.x, &c.y, &c.z, &c.out};
    for (int k = 0; k < 4; k++) {
        int32_t p = prec, q = parts;
        int64_t n = cols;
        if (k == 1 && y_is_double(op))
            p = PLUMB_D, q = PLUMB_REAL;
        if (k == 3 && op == PLUMB_OP_CMP)
            p = PLUMB_D;
        if (k == 3 && op == PLUMB_OP_ABS)
            q = PLUMB_REAL;
        if (k == 3 && op == PLUMB_OP_DOT)
            n = 1;
        /* One dense array that is large enough for the gaps, seen through wider strides. */
        int64_t col = rows + gap, plane = col * n + gap, next = plane * p * q + gap;
        assert_int_equal(plumb_array_create(context, PLUMB_HOST, p, q, next * batch, 1, 1, views[k]), PLUMB_OK);
        views[k]->rows = rows, views[k]->cols = n, views[k]->batch = batch;
        views[k]->col = col, views[k]->plane = plane, views[k]->next = next;
        fill(views[k], 100 + (uint64_t)k);
    }
    if (op == PLUMB_OP_SCALE) /* powers of two */
        for (int64_t b = 0; b < batch; b++)
            for (int64_t j = 0; j < cols; j++)
                for (int64_t i = 0; i < rows; i++)
                    *entry(&c.y, b, 0, i, j) = ldexp(1.0, (int)((i + j + b) % 9) - 4);
    return c;
}

static void call_destroy(call *c)
{
    plumb_array_destroy(context, &c->x);
    plumb_array_destroy(context, &c->y);
    plumb_array_destroy(context, &c->z);
    plumb_array_destroy(context, &c->out);
}

static plumb_status call_run(plumb_context *where, call *c)
{
    int count = operands(c->op);
    return plumb_map(where, c->op, &c->x, count > 1 ? &c->y : NULL, count > 2 ? &c->z : NULL, &c->out, NULL);
}

static void assert_same_bits(const plumb_view *a, const plumb_view *b)
{
    for (int64_t k = 0; k < a->batch; k++)
        for (int64_t c = 0; c < view_planes(a); c++)
            for (int64_t j = 0; j < a->cols; j++)
                assert_memory_equal(entry(a, k, c, 0, j), entry(b, k, c, 0, j), (size_t)a->rows * sizeof(double));
}

typedef void (*kind_test)(plumb_op op, int32_t prec, int32_t parts);

static void for_every_kind(kind_test test)
{
    for (int op = 0; op < PLUMB_OP_COUNT; op++)
        for (int p = 0; p < 3; p++)
            for (int32_t parts = PLUMB_REAL; parts <= PLUMB_COMPLEX; parts++)
                if (op != PLUMB_OP_CMP || parts == PLUMB_REAL)
                    test((plumb_op)op, precisions[p], parts);
}

static void strides_do_not_show_in(plumb_op op, int32_t prec, int32_t parts)
{
    call dense = call_create(op, prec, parts, 13, 3, 2, 0), gapped = call_create(op, prec, parts, 13, 3, 2, 5);
    gapped.x.data += 1; /* and off alignment: the array ends with a gap, so there is room */
    fill(&gapped.x, 100);
    assert_int_equal(call_run(context, &dense), PLUMB_OK);
    assert_int_equal(call_run(context, &gapped), PLUMB_OK);
    assert_same_bits(&dense.out, &gapped.out);
    gapped.x.data -= 1;
    call_destroy(&dense);
    call_destroy(&gapped);
}

static void map_does_not_show_strides(void **state)
{
    (void)state;
    for_every_kind(strides_do_not_show_in);
}

/* Entry by entry through a 1 x 1 view, and all at once: long enough for threads, and of a length no lane count divides. */
static void cuts_do_not_show_in(plumb_op op, int32_t prec, int32_t parts)
{
    enum { ROWS = 4099, COLS = 9 };
    call c = call_create(op, prec, parts, ROWS, COLS, 1, 0);
    assert_int_equal(call_run(context, &c), PLUMB_OK);
    plumb_random r = plumb_random_start(1);
    for (int trial = 0; trial < 200; trial++) {
        int64_t i = trial == 0 ? ROWS - 1 : (int64_t)plumb_random_below(&r, ROWS);
        int64_t j = op == PLUMB_OP_DOT ? 0 : (int64_t)plumb_random_below(&r, COLS);
        double result[8];
        call one = c;
        one.x.data += i + j * c.x.col, one.y.data += i + j * c.y.col, one.z.data += i + j * c.z.col;
        one.x.rows = one.y.rows = one.z.rows = one.out.rows = 1;
        if (op != PLUMB_OP_DOT)
            one.x.cols = one.y.cols = one.z.cols = one.out.cols = 1;
        one.out.data = result, one.out.plane = 1;
        assert_int_equal(call_run(context, &one), PLUMB_OK);
        for (int64_t plane = 0; plane < view_planes(&c.out); plane++)
            assert_memory_equal(&result[plane], entry(&c.out, 0, plane, i, j), sizeof(double));
    }
    call_destroy(&c);
}

static void map_does_not_show_how_it_was_cut(void **state)
{
    (void)state;
    for_every_kind(cuts_do_not_show_in);
}

static void threads_do_not_show_in(plumb_op op, int32_t prec, int32_t parts)
{
    call c = call_create(op, prec, parts, 3001, 7, 2, 0), expected = c;
    assert_int_equal(plumb_array_create(context, PLUMB_HOST, c.out.prec, c.out.parts, c.out.rows, c.out.cols,
                                        c.out.batch, &expected.out),
                     PLUMB_OK);
    for (int32_t isa = 0; isa < plumb_isa_count(); isa++) {
        plumb_isa_info info;
        assert_int_equal(plumb_isa_query(isa, &info), PLUMB_OK);
        if (!info.usable)
            continue;
        for (int32_t threads = 1; threads <= 5; threads += 2) {
            plumb_context_options options;
            plumb_context_options_init(&options);
            options.threads = threads, options.isa = info.name, options.backend = PLUMB_BACKEND_CPU;
            plumb_context *other;
            assert_int_equal(plumb_context_create(&options, &other), PLUMB_OK);
            int first = isa == 0 && threads == 1;
            assert_int_equal(call_run(other, first ? &expected : &c), PLUMB_OK);
            plumb_context_destroy(other);
            if (!first)
                assert_same_bits(&expected.out, &c.out);
        }
    }
    plumb_array_destroy(context, &expected.out);
    call_destroy(&c);
}

static void map_does_not_show_threads_and_instructions(void **state)
{
    (void)state;
    for_every_kind(threads_do_not_show_in);
}

static void in_place_does_not_show_in(plumb_op op, int32_t prec, int32_t parts)
{
    call c = call_create(op, prec, parts, 37, op == PLUMB_OP_DOT ? 1 : 3, 2, 1);
    assert_int_equal(call_run(context, &c), PLUMB_OK);
    plumb_view *views[] = {&c.x, &c.y, &c.z};
    for (int k = 0; k < operands(op) && k < 3; k++) {
        plumb_view expected = c.out;
        if (views[k]->prec != c.out.prec || views[k]->parts != c.out.parts)
            continue;
        call again = call_create(op, prec, parts, 37, op == PLUMB_OP_DOT ? 1 : 3, 2, 1);
        plumb_view *same[] = {&again.x, &again.y, &again.z};
        plumb_view unused = again.out;
        again.out = *same[k];
        assert_int_equal(call_run(context, &again), PLUMB_OK);
        assert_same_bits(&expected, &again.out);
        again.out = unused;
        call_destroy(&again);
    }
    call_destroy(&c);
}

static void map_works_in_place(void **state)
{
    (void)state;
    for_every_kind(in_place_does_not_show_in);
}

static void map_takes_empty_arrays(void **state)
{
    (void)state;
    plumb_view empty, one;
    assert_int_equal(plumb_view_init(&empty, NULL, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 0, 4, 2, NULL), PLUMB_OK);
    assert_int_equal(plumb_map(context, PLUMB_OP_ADD, &empty, &empty, NULL, &empty, NULL), PLUMB_OK);
    double sums[6] = {1, 2, 3, 4, 5, 6}; /* a sum of no terms is zero */
    assert_int_equal(plumb_view_init(&empty, NULL, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 3, 0, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_view_init(&one, sums, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 3, 1, 1, NULL), PLUMB_OK);
    assert_int_equal(plumb_map(context, PLUMB_OP_DOT, &empty, &empty, NULL, &one, NULL), PLUMB_OK);
    for (int i = 0; i < 6; i++)
        assert_true(sums[i] == 0.0);
}

static double ground[512];

static plumb_view view_at(int64_t offset, int32_t prec, int32_t parts)
{
    plumb_view v;
    assert_int_equal(plumb_view_init(&v, ground + offset, PLUMB_HOST, prec, parts, 3, 2, 1, NULL), PLUMB_OK);
    return v;
}

#define ASSERT_REFUSED(message, ...)                                                 \
    do {                                                                             \
        assert_int_equal(plumb_map(context, __VA_ARGS__, NULL), PLUMB_ERR_ARGUMENT); \
        assert_string_equal(plumb_context_message(context), message);                \
    } while (0)

static void map_names_the_argument_and_what_is_wrong(void **state)
{
    (void)state;
    plumb_view x = view_at(0, PLUMB_DD, PLUMB_REAL), y = view_at(20, PLUMB_DD, PLUMB_REAL),
               out = view_at(40, PLUMB_DD, PLUMB_REAL);
    plumb_view z = view_at(60, PLUMB_DD, PLUMB_COMPLEX), bad = view_at(100, PLUMB_QD, PLUMB_REAL);
    assert_int_equal(plumb_map(NULL, PLUMB_OP_ADD, &x, &y, NULL, &out, NULL), PLUMB_ERR_ARGUMENT);
    ASSERT_REFUSED("op: there is no operation 99", (plumb_op)99, &x, &y, NULL, &out);
    ASSERT_REFUSED("x: the view is NULL", PLUMB_OP_ADD, NULL, &y, NULL, &out);
    ASSERT_REFUSED("y: the view is NULL", PLUMB_OP_ADD, &x, NULL, NULL, &out);
    ASSERT_REFUSED("out: the view is NULL", PLUMB_OP_ADD, &x, &y, NULL, NULL);
    ASSERT_REFUSED("z: add has no such operand, it must be NULL", PLUMB_OP_ADD, &x, &y, &x, &out);
    ASSERT_REFUSED("y: neg has no such operand, it must be NULL", PLUMB_OP_NEG, &x, &y, NULL, &out);
    ASSERT_REFUSED("y: its precision is qd, add needs dd here", PLUMB_OP_ADD, &x, &bad, NULL, &out);
    ASSERT_REFUSED("y: its precision is dd, mul_d needs d here", PLUMB_OP_MUL_D, &x, &y, NULL, &out);
    ASSERT_REFUSED("out: its precision is dd, cmp needs d here", PLUMB_OP_CMP, &x, &y, NULL, &out);
    ASSERT_REFUSED("z: it is complex, fma needs a real array here", PLUMB_OP_FMA, &x, &y, &z, &out);
    ASSERT_REFUSED("out: it is complex, abs needs a real array here", PLUMB_OP_ABS, &z, NULL, NULL, &z);
    ASSERT_REFUSED("x: it is complex, cmp needs real numbers", PLUMB_OP_CMP, &z, &z, NULL, &out);
    ASSERT_REFUSED("out: its shape is 3 x 2, batch 1; dot needs 3 x 1, batch 1 here", PLUMB_OP_DOT, &x, &y, NULL, &out);
    bad = y, bad.rows = 2;
    ASSERT_REFUSED("y: its shape is 2 x 2, batch 1; add needs 3 x 2, batch 1 here", PLUMB_OP_ADD, &x, &bad, NULL, &out);
    bad = y, bad.where = PLUMB_DEVICE;
    ASSERT_REFUSED("y: it is on the device, x is not", PLUMB_OP_ADD, &x, &bad, NULL, &out);
    bad = y, bad.col = 2;
    ASSERT_REFUSED("y: stride col is 2, entries need at least 3", PLUMB_OP_ADD, &x, &bad, NULL, &out);
    bad = x, bad.data += 1;
    ASSERT_REFUSED("out: it overlaps x without being x", PLUMB_OP_ADD, &x, &y, NULL, &bad);
    bad = y, bad.data -= 2;
    ASSERT_REFUSED("out: it overlaps y without being y", PLUMB_OP_ADD, &x, &y, NULL, &bad);
}

static void map_takes_blocks_of_one_array(void **state)
{
    (void)state;
    double memory[2 * 4 * 3], expected[2 * 4 * 3];
    for (int i = 0; i < 24; i++)
        memory[i] = i < 12 ? i + 1.0 : 0.0; /* dd: second limbs zero */
    memcpy(expected, memory, sizeof memory);
    plumb_view whole, left, right;
    assert_int_equal(plumb_view_init(&whole, memory, PLUMB_HOST, PLUMB_DD, PLUMB_REAL, 4, 3, 1, NULL), PLUMB_OK);
    left = whole, left.cols = 1;
    right = whole, right.cols = 1, right.data += 2 * whole.col;
    assert_int_equal(plumb_map(context, PLUMB_OP_ADD, &left, &left, NULL, &right, NULL), PLUMB_OK);
    for (int i = 0; i < 4; i++)
        expected[8 + i] = 2.0 * (i + 1);
    assert_memory_equal(memory, expected, sizeof memory);
}

/* On a machine with a GPU: through device memory and back, the same bits. */
static void gpu_does_not_show_in(plumb_op op, int32_t prec, int32_t parts)
{
    call c = call_create(op, prec, parts, 301, 3, 2, 3), device = {.op = op};
    plumb_view *from[] = {&c.x, &c.y, &c.z, &c.out}, *to[] = {&device.x, &device.y, &device.z, &device.out}, back;
    for (int k = 0; k < 4; k++) {
        assert_int_equal(plumb_array_create(context, PLUMB_DEVICE, from[k]->prec, from[k]->parts, from[k]->rows,
                                            from[k]->cols, from[k]->batch, to[k]),
                         PLUMB_OK);
        assert_int_equal(plumb_copy(context, from[k], to[k], NULL), PLUMB_OK);
    }
    assert_int_equal(call_run(context, &c), PLUMB_OK);
    plumb_status status = call_run(context, &device);
    if (status != PLUMB_OK)
        fail_msg("%s: %s", plumb_op_name(op), plumb_context_message(context));
    assert_int_equal(
        plumb_array_create(context, PLUMB_HOST, c.out.prec, c.out.parts, c.out.rows, c.out.cols, c.out.batch, &back),
        PLUMB_OK);
    assert_int_equal(plumb_copy(context, &device.out, &back, NULL), PLUMB_OK);
    assert_same_bits(&c.out, &back);
    plumb_array_destroy(context, &back);
    call_destroy(&device);
    call_destroy(&c);
}

static void map_does_not_show_the_gpu(void **state)
{
    (void)state;
    if (plumb_context_backend(context) != PLUMB_BACKEND_GPU) {
        char why[256];
        (void)plumb_device_count(why, sizeof why);
        printf("map_does_not_show_the_gpu: no GPU here (%s)\n", why);
        skip();
    }
    for_every_kind(gpu_does_not_show_in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(map_does_not_show_strides),
        cmocka_unit_test(map_does_not_show_how_it_was_cut),
        cmocka_unit_test(map_does_not_show_threads_and_instructions),
        cmocka_unit_test(map_works_in_place),
        cmocka_unit_test(map_takes_empty_arrays),
        cmocka_unit_test(map_names_the_argument_and_what_is_wrong),
        cmocka_unit_test(map_takes_blocks_of_one_array),
        cmocka_unit_test(map_does_not_show_the_gpu),
    };
    return cmocka_run_group_tests(tests, make_context, end_context);
}

/* demo.c - plumb demo: shows on one screen what the arithmetic does.
 *
 * Everything is computed when it runs, through the public header alone. The exact answer of the first example is computed
 * too, in integers. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "app/app.h"
#include "app/sample.h"
#include "cli/cli.h"

static const int32_t precisions[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
enum { PRECISIONS = sizeof precisions / sizeof precisions[0], TEXT = 200 };

/* A complex number of any precision; real numbers do not use the second half. */
typedef struct number {
    double limb[PLUMB_COMPLEX * PLUMB_QD];
} number;

/* Arithmetic in one precision. The first failure is kept, and nothing is computed after it: one check at the end suffices. */
typedef struct calculator {
    plumb_context *context;
    int32_t prec, parts;
    plumb_status status;
} calculator;

static void view_of(calculator *c, number *n, plumb_view *view)
{
    if (c->status == PLUMB_OK)
        c->status = plumb_view_init(view, n->limb, PLUMB_HOST, c->prec, c->parts, 1, 1, 1, NULL);
}

static number calculate(calculator *c, plumb_op op, number x, number y)
{
    static const int operands[] = {
#define OPERANDS(code, name, count) count,
        PLUMB_OP_LIST(OPERANDS)
#undef OPERANDS
    };
    number result = {{0}};
    plumb_view vx, vy, out;
    view_of(c, &x, &vx);
    view_of(c, &y, &vy);
    view_of(c, &result, &out);
    if (c->status == PLUMB_OK)
        c->status = plumb_map(c->context, op, &vx, operands[op] > 1 ? &vy : NULL, NULL, &out, NULL);
    return result;
}

static number add(calculator *c, number x, number y)
{
    return calculate(c, PLUMB_OP_ADD, x, y);
}
static number sub(calculator *c, number x, number y)
{
    return calculate(c, PLUMB_OP_SUB, x, y);
}
static number mul(calculator *c, number x, number y)
{
    return calculate(c, PLUMB_OP_MUL, x, y);
}
static number quotient(calculator *c, number x, number y)
{
    return calculate(c, PLUMB_OP_DIV, x, y);
}
static number root(calculator *c, number x)
{
    return calculate(c, PLUMB_OP_SQRT, x, x);
}

static number read_number(calculator *c, const char *text)
{
    number n = {{0}};
    if (c->status == PLUMB_OK)
        c->status = plumb_number_read(text, strlen(text), c->prec, n.limb, NULL, NULL);
    return n;
}

/* digits = 0: as many as it takes to read back the same limbs. */
static const char *show(calculator *c, const number *n, int32_t digits, char text[TEXT])
{
    text[0] = 0;
    if (c->status == PLUMB_OK)
        c->status = plumb_number_write(c->prec, n->limb, digits, text, TEXT, NULL);
    return text;
}

/* ---- Rump's expression --------------------------------------------------------------------------------------- */

enum { RUMP_A = 77617, RUMP_B = 33096 };

static number rump(calculator *c)
{
    number a = {{RUMP_A}}, b = {{RUMP_B}}, two = {{2}};
    number a2 = mul(c, a, a), b2 = mul(c, b, b), b4 = mul(c, b2, b2), b6 = mul(c, b4, b2), b8 = mul(c, b4, b4);
    number inner = mul(c, (number){{11}}, mul(c, a2, b2));
    inner = sub(c, sub(c, sub(c, inner, b6), mul(c, (number){{121}}, b4)), two);
    number sum = add(c, mul(c, (number){{333.75}}, b6), mul(c, a2, inner));
    sum = add(c, sum, mul(c, (number){{5.5}}, b8));
    return add(c, sum, quotient(c, a, mul(c, two, b)));
}

/* The exact value as a fraction: four times all but the last term is an integer below 2^127. */
static void rump_exactly(char text[TEXT])
{
    __extension__ typedef __int128 wide;
    wide a2 = (wide)RUMP_A * RUMP_A, b2 = (wide)RUMP_B * RUMP_B, b4 = b2 * b2, b6 = b4 * b2, b8 = b4 * b4;
    wide four_times = 1335 * b6 + 4 * (a2 * (11 * a2 * b2 - b6 - 121 * b4 - 2)) + 22 * b8;
    wide numerator = four_times * RUMP_B + 2 * RUMP_A, denominator = 4 * (wide)RUMP_B;
    wide x = numerator < 0 ? -numerator : numerator, y = denominator;
    while (y != 0) {
        wide rest = x % y;
        x = y;
        y = rest;
    }
    snprintf(text, TEXT, "%lld/%lld", (long long)(numerator / x), (long long)(denominator / x));
}

/* Counts the leading decimal digits that value and truth, both quad doubles, have in common. */
static int right_digits(calculator *qd, number value, number truth)
{
    number error = quotient(qd, sub(qd, value, truth), truth);
    double e = fabs(error.limb[0]);
    return e == 0 ? 64 : e >= 1 ? 0 : (int)floor(-log10(e));
}

static plumb_status show_rump(plumb_context *context)
{
    char text[TEXT], fraction[TEXT];
    calculator qd = {context, PLUMB_QD, PLUMB_REAL, PLUMB_OK};
    rump_exactly(fraction);
    number truth = read_number(&qd, fraction);
    printf("333.75 b^6 + a^2 (11 a^2 b^2 - b^6 - 121 b^4 - 2) + 5.5 b^8 + a/(2b) at a = %d, b = %d (Rump)\n", RUMP_A,
           RUMP_B);
    for (int i = 0; i < PRECISIONS; i++) {
        calculator c = {context, precisions[i], PLUMB_REAL, PLUMB_OK};
        number value = rump(&c);
        show(&c, &value, precisions[i] == PLUMB_D ? 17 : 32, text);
        if (c.status != PLUMB_OK)
            return c.status;
        int digits = right_digits(&qd, value, truth);
        printf("  %-6s%-42s%2d correct digit%s\n", plumb_prec_name(precisions[i]), text, digits,
               digits == 1 ? "" : "s");
    }
    printf("  %-6s%-42s%s in exact integers\n\n", "truth", show(&qd, &truth, 32, text), fraction);
    return qd.status;
}

/* ---- Small things -------------------------------------------------------------------------------------------- */

static plumb_status show_tenths(plumb_context *context)
{
    char text[TEXT];
    printf("the sum of ten times 0.1, minus 1\n ");
    for (int i = 0; i < PRECISIONS; i++) {
        calculator c = {context, precisions[i], PLUMB_REAL, PLUMB_OK};
        number tenth = read_number(&c, "0.1"), sum = {{0}};
        for (int k = 0; k < 10; k++)
            sum = add(&c, sum, tenth);
        sum = sub(&c, sum, (number){{1}});
        printf(" %s  %s%s", plumb_prec_name(precisions[i]), show(&c, &sum, 3, text),
               i < PRECISIONS - 1 ? "    " : "\n\n");
        if (c.status != PLUMB_OK)
            return c.status;
    }
    return PLUMB_OK;
}

static plumb_status show_third(plumb_context *context)
{
    char text[TEXT];
    calculator c = {context, PLUMB_QD, PLUMB_REAL, PLUMB_OK};
    number third = read_number(&c, "1/3");
    number again = read_number(&c, show(&c, &third, 0, text));
    if (c.status != PLUMB_OK)
        return c.status;
    bool same = true;
    for (int i = 0; i < PLUMB_QD; i++)
        same &= third.limb[i] == again.limb[i];
    printf("1/3 in qd, printed in as few digits as it needs, and read back\n");
    printf("  %s\n  %s\n\n", text, same ? "the same four doubles, bit for bit" : "the wrong doubles came back");
    return PLUMB_OK;
}

static plumb_status show_conjugate(plumb_context *context)
{
    char text[TEXT];
    calculator real = {context, PLUMB_QD, PLUMB_REAL, PLUMB_OK}, c = {context, PLUMB_QD, PLUMB_COMPLEX, PLUMB_OK};
    number z = read_number(&real, "1/3"), im = root(&real, (number){{2}});
    memcpy(z.limb + PLUMB_QD, im.limb, PLUMB_QD * sizeof im.limb[0]);
    number product = mul(&c, z, calculate(&c, PLUMB_OP_CONJ, z, z));
    if (real.status == PLUMB_OK && c.status == PLUMB_OK)
        c.status = plumb_complex_write(PLUMB_QD, product.limb, product.limb + PLUMB_QD, 0, text, sizeof text, NULL);
    if (c.status == PLUMB_OK)
        printf("z conj(z) for z = 1/3 + sqrt(2) i is exactly real\n  %s\n\n", text);
    return real.status != PLUMB_OK ? real.status : c.status;
}

/* ---- What it costs ------------------------------------------------------------------------------------------- */

typedef struct map_work {
    plumb_context *context;
    plumb_op op;
    plumb_view x, y, out;
    plumb_status status;
} map_work;

static void run_map(void *data)
{
    map_work *w = data;
    plumb_status status =
        plumb_map(w->context, w->op, &w->x, w->op == PLUMB_OP_SQRT ? NULL : &w->y, NULL, &w->out, NULL);
    if (status != PLUMB_OK)
        w->status = status;
}

/* Positive operands, because the square root needs them. */
static void fill(const plumb_view *v, uint64_t *state)
{
    double limbs[PLUMB_QD];
    for (int64_t i = 0; i < v->rows; i++) {
        bench_random_limbs(state, v->prec, limbs);
        for (int32_t k = 0; k < v->prec; k++)
            v->data[k * v->plane + i] = limbs[0] < 0 ? -limbs[k] : limbs[k];
    }
}

static plumb_status show_cost_of(plumb_context *context, int32_t prec)
{
    static const plumb_op ops[] = {PLUMB_OP_ADD, PLUMB_OP_MUL, PLUMB_OP_DIV, PLUMB_OP_SQRT};
    double memory[3][PLUMB_QD * BENCH_LENGTH];
    map_work w = {.context = context, .status = PLUMB_OK};
    plumb_view *views[] = {&w.x, &w.y, &w.out};
    uint64_t seed = 2013;
    for (int i = 0; i < 3; i++) {
        plumb_status status =
            plumb_view_init(views[i], memory[i], PLUMB_HOST, prec, PLUMB_REAL, BENCH_LENGTH, 1, 1, NULL);
        if (status != PLUMB_OK)
            return status;
        fill(views[i], &seed);
    }
    printf("  %-6s", plumb_prec_name(prec));
    for (size_t k = 0; k < sizeof ops / sizeof ops[0]; k++) {
        bench_timer timer = {0};
        w.op = ops[k];
        double best = bench_sample(&timer, run_map, &w, 2e6);
        for (int i = 0; i < 9; i++)
            best = fmin(best, bench_sample(&timer, run_map, &w, 2e6));
        printf(" %s %.1f%s", plumb_op_name(ops[k]), best / BENCH_LENGTH,
               k + 1 < sizeof ops / sizeof ops[0] ? ", " : "\n");
    }
    return w.status;
}

static plumb_status show_cost(plumb_context *context)
{
    printf("cost on this machine: ns per operation, one core, %s\n", plumb_context_isa(context));
    for (int i = 0; i < PRECISIONS; i++) {
        plumb_status status = show_cost_of(context, precisions[i]);
        if (status != PLUMB_OK)
            return status;
    }
    return PLUMB_OK;
}

/* ---- The subcommand ------------------------------------------------------------------------------------------ */

static int demo(const void *values)
{
    static plumb_status (*const parts[])(plumb_context *) = {show_rump, show_tenths, show_third, show_conjugate,
                                                             show_cost};
    (void)values;
    plumb_context *context;
    plumb_context_options settings;
    plumb_context_options_init(&settings);
    settings.backend = PLUMB_BACKEND_CPU;
    settings.threads = 1;
    int result = app_context_create("demo", &settings, &context);
    if (result != APP_OK)
        return result;
    printf("plumb %s: the same arithmetic in double (d), double double (dd) and quad double (qd)\n\n", plumb_version());
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && result == APP_OK; i++) {
        plumb_status status = parts[i](context);
        if (status != PLUMB_OK)
            result = app_context_fail("demo", context, status);
    }
    plumb_context_destroy(context);
    return result;
}

static const app_option options[] = {APP_OPTIONS_END};

const app_command plumb_cli_demo = {
    .name = "demo",
    .summary = "show what the arithmetic does",
    .arguments = "",
    .about = "Shows what the arithmetic does, in a few lines.",
    .options = options,
    .run = demo,
};

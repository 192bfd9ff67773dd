/* judge.c - see bench_paper_judge.h. */
#include "bench/paper/judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "bench/paper/paper.h"

/* What a rule tolerates. */
static const double least_exponent = 2.7, most_exponent = 3.3; /* of n */
static const double alike = 1.5;                               /* "as much": within this factor */
static const double similar = 2;                               /* "similar" */
static const double most_slope_error = 0.1;                    /* of log10(e) over g, which is 1 */

static const int32_t precisions[PAPER_PRECISIONS] = {PLUMB_D, PLUMB_DD, PLUMB_QD};

__attribute__((format(printf, 2, 3))) static void say(paper_finding *f, const char *format, ...)
{
    const size_t used = strlen(f->text);
    va_list values;
    va_start(values, format);
    vsnprintf(f->text + used, sizeof f->text - used, format, values);
    va_end(values);
}

/* One of several conditions: all must hold; NaN is none that was measured. */
static void decide(paper_finding *f, double number, bool holds)
{
    if (isnan(number))
        return;
    if (f->verdict != DOES_NOT_HOLD)
        f->verdict = holds ? HOLDS : DOES_NOT_HOLD;
}

static bool is_within(double factor, double x, double y)
{
    return x <= factor * y && y <= factor * x;
}

/* ---- Growth -------------------------------------------------------------------------------------------------- */

/* The slope of a straight line through count points, by least squares; NaN for fewer than three. */
static double slope_of(const double *x, const double *y, int count)
{
    double mean_x = 0, mean_y = 0, xx = 0, xy = 0;
    for (int k = 0; k < count; k++)
        mean_x += x[k] / count, mean_y += y[k] / count;
    for (int k = 0; k < count; k++)
        xx += (x[k] - mean_x) * (x[k] - mean_x), xy += (x[k] - mean_x) * (y[k] - mean_y);
    return count >= 3 ? xy / xx : (double)NAN;
}

static double exponent_of(const paper_source *m, int32_t prec, int how)
{
    double x[PAPER_D_SIZES], y[PAPER_D_SIZES];
    int count = 0;
    for (int k = 0; k < PAPER_D_SIZES; k++) {
        const double us = paper_time(m, PAPER_SOLVE, prec, paper_table4[k].n, how);
        if (us > 0 && paper_table4[k].n >= 32) /* below, what does not depend on n shows */
            x[count] = log(paper_table4[k].n), y[count++] = log(us);
    }
    return slope_of(x, y, count);
}

static void judge_growth(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    for (int k = 0; k < PAPER_PRECISIONS; k++) {
        const double e = exponent_of(m, precisions[k], PAPER_ONE_CORE);
        const double gpu = exponent_of(m, precisions[k], PAPER_GPU);
        decide(f, e, e >= least_exponent && e <= most_exponent);
        if (!isnan(e))
            say(f, "%s%s n^%.2f", f->text[0] ? "; " : "one core: ", plumb_prec_name(precisions[k]), e);
        if (!isnan(gpu))
            say(f, " (GPU n^%.2f)", gpu);
    }
}

static void judge_cube_root(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    for (int row = 1; row < PAPER_OVERHEADS; row++) {
        double us;
        const int64_t n = paper_recalibrated(m, row, &us);
        const double ratio = us / paper_overhead_time(m, row, PAPER_ONE_CORE);
        decide(f, ratio, is_within(alike, ratio, 1));
        if (!isnan(ratio))
            say(f, "%sreal double at n = %lld takes %.2f times as long as complex %s at 32", f->text[0] ? "; " : "",
                (long long)n, ratio, plumb_prec_name(paper_table1[row].prec));
    }
}

static void judge_complex_overhead(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    const double d = paper_overhead_time(m, 1, PAPER_ONE_CORE);
    const double complex_over_real = d / paper_overhead_time(m, 0, PAPER_ONE_CORE);
    const double dd_over_d = paper_overhead_time(m, 2, PAPER_ONE_CORE) / d;
    decide(f, dd_over_d, is_within(similar, dd_over_d, complex_over_real));
    if (!isnan(dd_over_d))
        say(f, "complex over real %.1f times, dd over d %.1f times", complex_over_real, dd_over_d);
}

/* ---- Speedups ------------------------------------------------------------------------------------------------ */

static double speedup_of(const paper_source *m, int32_t work, int32_t prec, int64_t n)
{
    return paper_time(m, work, prec, n, PAPER_ONE_CORE) / paper_time(m, work, prec, n, PAPER_GPU);
}

static void judge_double_digits(const paper_source *m, int32_t prec, int64_t from, paper_finding *f)
{
    int64_t first = 0;
    double last = (double)NAN;
    for (int k = PAPER_D_SIZES - 1; k >= 0; k--) { /* the first of those from which on all have two digits */
        const double speedup = speedup_of(m, PAPER_SOLVE, prec, paper_table4[k].n);
        if (isnan(speedup))
            continue;
        if (isnan(last))
            last = speedup;
        if (speedup < 10)
            break;
        first = paper_table4[k].n;
    }
    decide(f, last, first > 0 && first <= from);
    if (first > 0)
        say(f, "at least 10 times from n = %lld on, %.1f times at the largest n", (long long)first, last);
    else if (!isnan(last))
        say(f, "%.1f times at the largest n", last);
}

static void judge_digits_d(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    judge_double_digits(m, PLUMB_D, 96, f);
}

static void judge_digits_dd(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    judge_double_digits(m, PLUMB_DD, 48, f);
}

static void judge_digits_qd(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    const double speedup = speedup_of(m, PAPER_SOLVE, PLUMB_QD, 48);
    decide(f, speedup, speedup >= 9.5);
    if (!isnan(speedup))
        say(f, "%.1f times at n = 48", speedup);
}

static void judge_granularity(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    const double d = speedup_of(m, PAPER_QR, PLUMB_D, PAPER_N), dd = speedup_of(m, PAPER_QR, PLUMB_DD, PAPER_N);
    const double qd = speedup_of(m, PAPER_QR, PLUMB_QD, PAPER_N);
    decide(f, d + dd + qd, dd > d && qd > d);
    if (!isnan(d + dd + qd))
        say(f, "d %.1f, dd %.1f, qd %.1f times", d, dd, qd);
}

/* ---- Quality up ---------------------------------------------------------------------------------------------- */

static double dd_over_qd(const paper_source *m, int32_t work, int64_t n)
{
    return paper_time(m, work, PLUMB_DD, n, PAPER_ONE_CORE) / paper_time(m, work, PLUMB_QD, n, PAPER_GPU);
}

static void judge_quality_32(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    const double ratio = dd_over_qd(m, PAPER_QR, PAPER_N);
    decide(f, ratio, ratio >= 1);
    if (!isnan(ratio))
        say(f, "qd on the GPU %.2f times as fast as dd on one core", ratio);
}

static void judge_quality_80(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    const double ratio = dd_over_qd(m, PAPER_SOLVE, 80);
    decide(f, ratio, ratio >= 3);
    if (!isnan(ratio))
        say(f, "qd on the GPU %.2f times as fast as dd on one core", ratio);
}

static void judge_quality_both(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    (void)s;
    const double cpu = paper_time(m, PAPER_EVAL, PLUMB_DD, PAPER_N, PAPER_ONE_CORE) +
                       paper_time(m, PAPER_QR, PLUMB_DD, PAPER_N, PAPER_ONE_CORE);
    const double gpu =
        paper_time(m, PAPER_EVAL, PLUMB_QD, PAPER_N, PAPER_GPU) + paper_time(m, PAPER_QR, PLUMB_QD, PAPER_N, PAPER_GPU);
    decide(f, cpu / gpu, cpu >= gpu);
    if (!isnan(cpu / gpu))
        say(f, "qd on the GPU %.2f times as fast as dd on one core", cpu / gpu);
}

/* ---- Accuracy ------------------------------------------------------------------------------------------------ */

/* m_e or M_e. */
static double error_of(const json_node *ours, bool of_paper, int row, bool most)
{
    const paper_accuracy *a = &paper_table2[row];
    if (of_paper)
        return most ? a->most : a->least;
    return paper_accuracy_number(ours, a->prec, a->g, most ? "M_e" : "m_e");
}

static const json_node *accuracy_for(const paper_sources *s, const paper_source *m)
{
    const paper_source *from;
    return m != NULL ? paper_accuracy_of(s, m, &from) : NULL;
}

static void judge_linear(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    const json_node *ours = accuracy_for(s, m);
    for (int k = 0; k < PAPER_PRECISIONS; k++) {
        double x[PAPER_ACCURACIES], y[PAPER_ACCURACIES];
        int count = 0;
        for (int row = 0; row < PAPER_ACCURACIES; row++) {
            const double middle = (error_of(ours, m == NULL, row, false) + error_of(ours, m == NULL, row, true)) / 2;
            if (paper_table2[row].prec == precisions[k] && isfinite(middle))
                x[count] = paper_table2[row].g, y[count++] = middle;
        }
        const double slope = slope_of(x, y, count);
        decide(f, slope, fabs(slope - 1) <= most_slope_error);
        if (!isnan(slope))
            say(f, "%s%s %.2f digits a unit of g", f->text[0] ? "; " : "", plumb_prec_name(precisions[k]), slope);
    }
}

static void judge_half(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    const json_node *ours = accuracy_for(s, m);
    for (int row = 0; row < PAPER_ACCURACIES; row++) {
        const double digits = 53 * log10(2) * paper_table2[row].prec;
        const double right = -(error_of(ours, m == NULL, row, false) + error_of(ours, m == NULL, row, true)) / 2;
        if (2 * paper_table2[row].g != 16 * paper_table2[row].prec || isnan(right))
            continue;
        decide(f, right, right >= digits / 2 - 1);
        say(f, "%s%s, g = %d: %.1f decimals of %.1f", f->text[0] ? "; " : "", plumb_prec_name(paper_table2[row].prec),
            (int)paper_table2[row].g, right, digits);
    }
}

static void judge_elimination(const paper_sources *s, const paper_source *m, const char *key, double expected,
                              paper_finding *f)
{
    const json_node *rows = json_member(accuracy_for(s, m), "elimination");
    if (m == NULL)
        say(f, "%.0f times", expected);
    for (const json_node *r = rows != NULL ? rows->child : NULL; r != NULL; r = r->next) {
        const double ratio = json_member_number(r, key, (double)NAN);
        decide(f, ratio, is_within(alike, ratio, expected));
        say(f, "%s%s %.1f times", f->text[0] ? "; " : "", json_member_string(r, "prec", "?"), ratio);
    }
}

static void judge_elimination_time(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    judge_elimination(s, m, "time_ratio", paper_elimination_faster, f);
}

static void judge_elimination_error(const paper_sources *s, const paper_source *m, paper_finding *f)
{
    judge_elimination(s, m, "error_ratio", paper_elimination_worse, f);
}

const paper_statement paper_statements[PAPER_STATEMENTS] = {
    {"growth", "The time grows with the cube of the dimension.",
     "the exponent fitted to the times on one core from n = 32 on lies between 2.7 and 3.3 in every precision",
     judge_growth},
    {"cube-root", "A flop that costs f times more costs as much as a dimension larger by the cube root of f.",
     "real double at the recalibrated dimension takes as long, within a factor of 1.5", judge_cube_root},
    {"overhead", "Double double costs over double about what complex costs over real.",
     "the factors are similar, within 2", judge_complex_overhead},
    {"digits-d", "Double-digit speedups in complex double for n &ge; 96.",
     "the GPU is at least 10 times as fast as one core at n = 96 and beyond", judge_digits_d},
    {"digits-dd", "Double-digit speedups in complex double double for n &ge; 48.", "likewise from n = 48 on",
     judge_digits_dd},
    {"digits-qd", "A speedup of almost 10 in complex quad double at n = 48.", "at least 9.5", judge_digits_qd},
    {"granularity", "The fine granularity pays off with multiprecision arithmetic.",
     "at n = 32 the speedups in dd and in qd are larger than in d", judge_granularity},
    {"quality-32", "Orthogonalizing 32 vectors, quad double on the GPU takes no longer than double double on one core.",
     "at least as fast", judge_quality_32},
    {"quality-80", "At n = 80 the GPU computes in quad double three times faster than one core in double double.",
     "at least 3 times as fast", judge_quality_80},
    {"quality-both", "Evaluation and orthogonalization together still compensate for one level of precision.",
     "their sum in qd on the GPU takes no longer than in dd on one core", judge_quality_both},
    {"linear", "log10(e) changes linearly with g.",
     "the line fitted to the middle of m_e and M_e has a slope of 1, within 0.1, in every precision", judge_linear},
    {"half", "Half the digits are right when the working precision has 2g.",
     "at 2g = 16, 32 and 64, the middle of m_e and M_e has half the decimals, give or take one", judge_half},
    {"elimination-time", "Gaussian elimination is 3 times faster at n = 32.",
     "within a factor of 1.5, in every precision", judge_elimination_time},
    {"elimination-error", "Its average maximum error is almost 6 times larger.",
     "within a factor of 1.5, in every precision; our error is the largest |x_j - 1| of a solution",
     judge_elimination_error},
};

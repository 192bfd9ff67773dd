/* claims_lsq.c - a campaign: does a report of least squares ever claim more digits than are correct?
 *
 * Random problems of many kinds (see kinds[]) are solved by every method in every precision, and the estimated number of digits is
 * compared with the exact one (exact_lsq.h). A claim may exceed the truth by at most one digit. Exactly dependent columns have no
 * solution, so nothing may be claimed. With pivoting the solution is the one on the columns that were used if the others depend on them exactly;
 * otherwise the problem has a higher rank than the one that was solved, and its own solution is the truth. The caution is measured,
 * too: the median of correct minus claimed digits, and how many answers have five digits or more and claim none.
 *
 * With the word least there are fewer rows than columns, and the solution is that of least norm. With the word gram refinement is that of
 * large problems on a GPU, with a Cholesky factor of the Gram matrix in d or dd, which is needed.
 *
 *   claims_lsq [mgs|refined|least|gram] [COUNT [SEED [FIRST [cautious]]]]
 *
 * Problem k is made from SEED and k alone: a campaign can be cut into pieces that run at once, and COUNT 1 and FIRST k repeat
 * a problem and print it. With the word cautious, answers that claim none of five correct digits or more are printed as
 * violations are. The exit status is 1 after a violation. */
#include <stdio.h>
#include <string.h>

#include "base/number/random.h"
#include "exact_lsq.h"
#include "solver/context/context.h"

enum { MOST = 1 << 20, DIGITS_THAT_COUNT = 5 };

static plumb_random rng;

static double unit(void)
{
    return plumb_random_unit(&rng);
}

static double sign_unit(void)
{
    return 2.0 * unit() - 1.0;
}

static int64_t below(int64_t n)
{
    return (int64_t)plumb_random_below(&rng, (uint64_t)n);
}

/* ---- Problems ----------------------------------------------------------------------------------------------------------- */

typedef struct problem {
    plumb_view a, b, x, residual;
    mpfr_t t, v;
    double decades; /* of the condition number or of the grading */
} problem;

static void put(problem *p, const plumb_view *to, int64_t i, int64_t j, int32_t part, const mpfr_t value)
{
    mpfr_set(p->t, value, MPFR_RNDN);
    for (int32_t c = 0; c < to->prec; c++) {
        const double limb = mpfr_get_d(p->t, MPFR_RNDN);
        to->data[(part * to->prec + c) * to->plane + j * to->col + i] = limb;
        mpfr_sub_d(p->t, p->t, limb, MPFR_RNDN);
    }
}

static void get(const plumb_view *from, int64_t i, int64_t j, int32_t part, mpfr_t value)
{
    mpfr_set_zero(value, 1);
    for (int32_t c = from->prec - 1; c >= 0; c--)
        mpfr_add_d(value, value, from->data[(part * from->prec + c) * from->plane + j * from->col + i], MPFR_RNDN);
}

/* A number in (-1, 1) with as many random bits as the precision holds, or with those of a double. */
static void random_number(mpfr_t value, bool full)
{
    mpfr_set_d(value, sign_unit(), MPFR_RNDN);
    for (int k = 1; full && k < 6; k++) {
        mpfr_mul_2si(value, value, 53 * k, MPFR_RNDN);
        mpfr_add_d(value, value, sign_unit(), MPFR_RNDN);
        mpfr_div_2si(value, value, 53 * k, MPFR_RNDN);
    }
}

static void times_power_of_ten(mpfr_t value, double exponent)
{
    mpfr_t power;
    mpfr_init2(power, mpfr_get_prec(value));
    mpfr_set_d(power, exponent, MPFR_RNDN);
    mpfr_exp10(power, power, MPFR_RNDN);
    mpfr_mul(value, value, power, MPFR_RNDN);
    mpfr_clear(power);
}

/* Random entries times powers of ten by rows, by columns and by entries. */
static void fill(problem *p, const plumb_view *to, bool full, double by_row, double by_column, double by_entry,
                 double scale)
{
    double row[64] = {0}, column[64] = {0};
    for (int64_t i = 0; i < to->rows; i++)
        row[i] = by_row * sign_unit();
    for (int64_t j = 0; j < to->cols; j++)
        column[j] = by_column * sign_unit();
    for (int64_t j = 0; j < to->cols; j++)
        for (int64_t i = 0; i < to->rows; i++)
            for (int32_t part = 0; part < to->parts; part++) {
                random_number(p->v, full);
                times_power_of_ten(p->v,
                                   fmax(-320.0, fmin(300.0, row[i] + column[j] + scale + by_entry * sign_unit())));
                put(p, to, i, j, part, p->v);
            }
}

static void make_random(problem *p)
{
    fill(p, &p->a, below(3) > 0, 0.0, 0.0, 0.0, 0.0);
}

/* A = sum of sigma_k u_k v_k^H with random u and v and sigma from 1 down to 10^-decades. */
static void make_condition(problem *p)
{
    const int64_t m = p->a.rows, n = p->a.cols;
    const mpfr_prec_t bits = 500;
    exact_matrix u = exact_create(m, n, p->a.parts, bits), v = exact_create(n, n, p->a.parts, bits);
    mpfr_t sum[2], power, t, y[2];
    mpfr_inits2(bits, sum[0], sum[1], power, t, y[0], y[1], (mpfr_ptr)0);
    for (int64_t k = 0; k < m * n * p->a.parts; k++)
        random_number(u.v[k], true);
    for (int64_t k = 0; k < n * n * p->a.parts; k++)
        random_number(v.v[k], true);
    const bool jump = below(3) == 0; /* one small singular value, or a slope */
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            mpfr_set_zero(sum[0], 1), mpfr_set_zero(sum[1], 1);
            for (int64_t k = 0; k < n; k++) {
                mpfr_set_d(power,
                           jump    ? (k == n - 1 ? -p->decades : 0.0)
                           : n > 1 ? -p->decades * (double)k / (double)(n - 1)
                                   : 0.0,
                           MPFR_RNDN);
                mpfr_exp10(power, power, MPFR_RNDN);
                for (int32_t part = 0; part < p->a.parts; part++)
                    mpfr_mul(y[part], exact_at(&u, i, k)[part], power, MPFR_RNDN);
                exact_product(sum, exact_at(&v, j, k), y, p->a.parts, true, t);
            }
            for (int32_t part = 0; part < p->a.parts; part++)
                put(p, &p->a, i, j, part, sum[part]);
        }
    mpfr_clears(sum[0], sum[1], power, t, y[0], y[1], (mpfr_ptr)0);
    exact_destroy(&u), exact_destroy(&v);
}

static void make_rows_graded(problem *p)
{
    fill(p, &p->a, below(2), p->decades * 5.0, 0.0, 0.0, 0.0);
}

static void make_columns_graded(problem *p)
{
    fill(p, &p->a, below(2), 0.0, p->decades * 5.0, 0.0, 0.0);
}

static void make_wild(problem *p)
{
    fill(p, &p->a, below(2), 0.0, 0.0, p->decades * 5.0, 0.0);
}

static void make_both_graded(problem *p)
{
    fill(p, &p->a, below(2), p->decades * 2.5, p->decades * 2.5, 0.0, 0.0);
}

static void make_tiny(problem *p)
{
    fill(p, &p->a, below(2), 0.0, below(2) ? 20.0 : 0.0, 0.0, -260.0 - 60.0 * unit());
}

static void make_huge(problem *p)
{
    fill(p, &p->a, below(2), 0.0, below(2) ? 20.0 : 0.0, 0.0, 200.0 + 100.0 * unit());
}

static void make_integers(problem *p)
{
    const int64_t size = below(4) == 0 ? 1000000 : 2 + below(9);
    for (int64_t j = 0; j < p->a.cols; j++)
        for (int64_t i = 0; i < p->a.rows; i++)
            for (int32_t part = 0; part < p->a.parts; part++)
                p->a.data[part * p->a.prec * p->a.plane + j * p->a.col + i] = (double)(below(2 * size + 1) - size);
}

/* The last column, or another one, becomes a combination of the others with small integers: exact in every precision while the
 * entries are short. */
static void combine(problem *p)
{
    const plumb_view *a = &p->a;
    const int64_t to = below(a->cols);
    int64_t factor[64] = {0};
    for (int64_t j = 0; j < a->cols; j++)
        factor[j] = j == to ? 0 : below(7) - 3;
    for (int64_t i = 0; i < a->rows; i++)
        for (int32_t part = 0; part < a->parts; part++) {
            mpfr_set_zero(p->v, 1);
            for (int64_t j = 0; j < a->cols; j++) {
                mpfr_t entry;
                mpfr_init2(entry, mpfr_get_prec(p->v));
                get(a, i, j, part, entry);
                mpfr_mul_si(entry, entry, (long)factor[j], MPFR_RNDN);
                mpfr_add(p->v, p->v, entry, MPFR_RNDN);
                mpfr_clear(entry);
            }
            put(p, a, i, to, part, p->v);
        }
}

static void make_singular(problem *p)
{
    make_integers(p);
    combine(p);
    if (below(3) == 0)
        combine(p);
}

/* Dependent columns, except for an entry that is off by some units of a precision. */
static void make_nearly_singular(problem *p)
{
    make_integers(p);
    combine(p);
    const int64_t i = below(p->a.rows), j = below(p->a.cols);
    get(&p->a, i, j, 0, p->v);
    mpfr_add_d(p->v, p->v, ldexp(sign_unit(), -(int)(53 * (1 + below(p->a.prec))) + (int)below(16)), MPFR_RNDN);
    put(p, &p->a, i, j, 0, p->v);
}

/* Dependent only until it is rounded: a real combination of columns with all their bits. */
static void make_rounded_singular(problem *p)
{
    make_random(p);
    combine(p);
}

static void make_hilbert(problem *p)
{
    const int64_t shift = below(4);
    const bool vandermonde = below(2);
    for (int64_t j = 0; j < p->a.cols; j++)
        for (int64_t i = 0; i < p->a.rows; i++) {
            mpfr_set_si(p->v, (long)(vandermonde ? i + 1 : 1), MPFR_RNDN);
            mpfr_div_si(p->v, p->v, (long)(vandermonde ? p->a.rows : i + j + 1 + shift), MPFR_RNDN);
            if (vandermonde)
                mpfr_pow_si(p->v, p->v, (long)j, MPFR_RNDN);
            put(p, &p->a, i, j, 0, p->v);
        }
}

/* A triangle of small integers, where many roundings are exact by luck. */
static void make_triangle(problem *p)
{
    make_integers(p);
    for (int64_t j = 0; j < p->a.cols; j++)
        for (int64_t i = 0; i < p->a.rows; i++)
            for (int32_t c = 0; c < p->a.prec * p->a.parts; c++)
                if (i > j)
                    p->a.data[c * p->a.plane + j * p->a.col + i] = 0.0;
    for (int64_t j = 0; j < p->a.cols; j++)
        if (p->a.data[j * p->a.col + j] == 0.0)
            p->a.data[j * p->a.col + j] = 3.0;
}

static const struct {
    const char *name;
    void (*make)(problem *);
} kinds[] = {{"random", make_random},
             {"condition", make_condition},
             {"condition", make_condition},
             {"rows graded", make_rows_graded},
             {"columns graded", make_columns_graded},
             {"rows and columns graded", make_both_graded},
             {"wild", make_wild},
             {"tiny", make_tiny},
             {"huge", make_huge},
             {"integers", make_integers},
             {"singular", make_singular},
             {"nearly singular", make_nearly_singular},
             {"rounded singular", make_rounded_singular},
             {"hilbert, vandermonde", make_hilbert},
             {"triangles", make_triangle}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* b = A x (+ a residual) with x of small integers, or of one large entry among small ones; or anything. */
static void make_sides(problem *p)
{
    const int kind = (int)below(6);
    if (kind == 0)
        fill(p, &p->b, below(2), 0.0, 0.0, 0.0, 0.0);
    else if (kind == 1)
        fill(p, &p->b, below(2), 0.0, 0.0, below(2) ? 300.0 : 30.0, 0.0);
    else if (kind == 2)
        fill(p, &p->b, below(2), 0.0, 0.0, 0.0, 300.0 * sign_unit());
    if (kind < 3)
        return;
    const double spread = kind == 4 ? 40.0 * unit() : 0.0, off = kind == 5 ? -60.0 * unit() : -1000.0;
    mpfr_t sum[2], x[2], t;
    mpfr_inits2(4500, sum[0], sum[1], x[0], x[1], t, (mpfr_ptr)0);
    exact_matrix a = exact_create(p->a.rows, p->a.cols, p->a.parts, 4500);
    exact_load(&p->a, &a);
    for (int64_t r = 0; r < p->b.cols; r++) {
        double xs[64] = {0};
        for (int64_t j = 0; j < p->a.cols; j++)
            xs[j] = spread > 0.0 ? pow(10.0, spread * sign_unit()) : (double)(below(21) - 10);
        for (int64_t i = 0; i < p->a.rows; i++) {
            mpfr_set_zero(sum[0], 1), mpfr_set_zero(sum[1], 1);
            for (int64_t j = 0; j < p->a.cols; j++) {
                mpfr_set_d(x[0], -xs[j], MPFR_RNDN), mpfr_set_zero(x[1], 1);
                exact_product(sum, exact_at(&a, i, j), x, p->a.parts, false, t);
            }
            for (int32_t part = 0; part < p->a.parts; part++) {
                if (off > -1000.0) {
                    random_number(t, true);
                    times_power_of_ten(t, off);
                    mpfr_add(sum[part], sum[part], t, MPFR_RNDN);
                }
                put(p, &p->b, i, r, part, sum[part]);
            }
        }
    }
    exact_destroy(&a);
    mpfr_clears(sum[0], sum[1], x[0], x[1], t, (mpfr_ptr)0);
}

/* ---- The campaign ------------------------------------------------------------------------------------------------------- */

typedef struct tally {
    int64_t answers, violations, none; /* none: DIGITS_THAT_COUNT or more are correct, none claimed */
    int64_t singular, failed;
    double worst;
    float *gap;
    uint64_t bits; /* of all solutions: equal for equal bits */
} tally;

static void add_bits(const plumb_view *x, uint64_t *bits)
{
    for (int64_t j = 0; j < x->cols; j++)
        for (int32_t c = 0; c < x->prec * x->parts; c++)
            for (int64_t i = 0; i < x->rows; i++) {
                uint64_t word;
                memcpy(&word, &x->data[c * x->plane + j * x->col + i], sizeof word);
                *bits = (*bits ^ word) * UINT64_C(0x100000001b3);
            }
}

static plumb_view array(plumb_context *context, int32_t prec, int32_t parts, int64_t rows, int64_t cols)
{
    plumb_view view;
    if (plumb_array_create(context, PLUMB_HOST, prec, parts, rows, cols, 1, &view) != PLUMB_OK)
        abort();
    return view;
}

static void print_matrix(const char *name, const plumb_view *view)
{
    for (int64_t i = 0; i < view->rows; i++)
        for (int64_t j = 0; j < view->cols; j++)
            for (int32_t part = 0; part < view->parts; part++) {
                printf("    %s(%lld,%lld)%s =", name, (long long)i, (long long)j, part ? ".im" : "");
                for (int32_t c = 0; c < view->prec; c++)
                    printf(" %.17g", view->data[(part * view->prec + c) * view->plane + j * view->col + i]);
                printf("\n");
            }
}

/* The columns of a basic solution: those that a factorisation with the same exchanges puts first. */
static void find_used(plumb_context *context, const plumb_view *a, int64_t rank, bool *use)
{
    int64_t permutation[64];
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    options.pivot = 1;
    if (plumb_qr(context, a, NULL, NULL, permutation, NULL, &options, NULL) != PLUMB_OK)
        abort();
    for (int64_t k = 0; k < a->cols; k++)
        use[permutation[k]] = k < rank;
}

/* What a campaign is about. */
enum { SUBJECT_MGS, SUBJECT_REFINED, SUBJECT_LEAST, SUBJECT_GRAM, SUBJECTS };
static const char *const subjects[SUBJECTS] = {"mgs", "refined", "least", "gram"};
static const char *const titles[SUBJECTS] = {"all other methods", "refinement", "least norm",
                                             "refinement with Gram matrices"};

enum { BY_MGS, BY_PIVOT, BY_TWICE, BY_LU, BY_AUTO, BY_REFINED, BY_REFINED_D, BY_REFINED_DD, BY_GRAM, BY_GRAM_DD, WAYS };
static const char *const ways[WAYS] = {"mgs",     "mgs pivot",    "mgs twice",     "lu",          "auto",
                                       "refined", "refined of d", "refined of dd", "gram from d", "gram in dd"};

static plumb_status solve(plumb_context *context, problem *p, int way, plumb_info *info, plumb_lsq_report *report)
{
    plumb_lsq_options options;
    plumb_lsq_options_init(&options);
    if (way == BY_AUTO)
        return plumb_lsq_auto(context, &p->a, &p->b, &p->x, &p->residual, info, 60.0 * unit(), NULL, report);
    options.method = way == BY_LU ? PLUMB_METHOD_LU : way >= BY_REFINED ? PLUMB_METHOD_REFINED : PLUMB_METHOD_MGS;
    options.pivot = way == BY_PIVOT;
    options.reorthogonalize = way == BY_TWICE;
    options.factor_prec = way == BY_REFINED_D ? PLUMB_D : way == BY_REFINED_DD ? PLUMB_DD : 0;
    context->gpu.hooks.lsq_gram = way == BY_GRAM ? PLUMB_D : way == BY_GRAM_DD ? PLUMB_DD : 0;
    return plumb_lsq(context, &p->a, &p->b, &p->x, &p->residual, info, &options, report);
}

/* The conjugate transpose of a matrix takes its place. */
static void transpose(plumb_context *context, plumb_view *a)
{
    plumb_view t = array(context, a->prec, a->parts, a->cols, a->rows);
    for (int32_t c = 0; c < a->prec * a->parts; c++)
        for (int64_t j = 0; j < a->cols; j++)
            for (int64_t i = 0; i < a->rows; i++) {
                const double limb = a->data[c * a->plane + j * a->col + i];
                t.data[c * t.plane + i * t.col + j] = c < a->prec ? limb : 0.0 - limb;
            }
    plumb_array_destroy(context, a);
    *a = t;
}

static void run_one(plumb_context *context, int subject, uint64_t seed, int64_t number, bool verbose, bool cautious,
                    tally *t)
{
    const bool refined = subject == SUBJECT_REFINED, wide = subject == SUBJECT_LEAST;
    static const int32_t precs[] = {PLUMB_D, PLUMB_DD, PLUMB_QD};
    rng = plumb_random_start(seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)number);
    const int kind = (int)below(KINDS);
    const int32_t prec = refined ? precs[1 + below(2)] : precs[below(3)], parts = below(4) == 0 ? 2 : 1;
    const int64_t least = 1 + below(below(100) == 0 ? 40 : below(4) == 0 ? 10 : 5);
    const int plain[] = {BY_MGS, BY_MGS, BY_TWICE, BY_AUTO};
    int way = subject == SUBJECT_GRAM ? (int)(BY_GRAM + below(prec > PLUMB_D ? 2 : 1))
              : refined               ? (int)(BY_REFINED + below(3))
              : wide                  ? (below(2) ? plain[below(4)] : (int)(BY_REFINED + below(3)))
                                      : (int)below(BY_REFINED);
    const int64_t most_size = wide                       ? least + 1 + below(8)
                              : way == BY_LU || below(2) ? least
                                                         : least + below(6),
                  rhs = 1 + (below(4) == 0);
    const int64_t m = wide ? least : most_size, n = wide ? most_size : least;
    problem p = {.a = array(context, prec, parts, most_size, least),
                 .b = array(context, prec, parts, m, rhs),
                 .x = array(context, prec, parts, n, rhs),
                 .residual = array(context, prec, PLUMB_REAL, 1, rhs),
                 .decades = 60.0 * unit()};
    mpfr_inits2(1200, p.t, p.v, (mpfr_ptr)0);
    kinds[kind].make(&p);
    if (wide)
        transpose(context, &p.a);
    make_sides(&p);
    plumb_info info = 0;
    plumb_lsq_report report;
    const plumb_status status = solve(context, &p, way, &info, &report);
    if (status != PLUMB_OK || info != 0) {
        t->failed++;
    } else {
        bool use[64] = {false};
        const bool basic = !wide && report.rank < n && exact_rank(&p.a, NULL) == report.rank;
        if (basic)
            find_used(context, &p.a, report.rank, use);
        const bool solvable = wide ? exact_rank(&p.a, NULL) == m : exact_independent(&p.a, basic ? use : NULL);
        const double right = solvable ? exact_digits(&p.a, &p.b, basic ? use : NULL, &p.x) : 0.0;
        const double gap = right - report.digits, most = 53.0 * 0.30103 * prec;
        const bool violation = !(report.digits <= right + 1.0);
        t->gap[t->answers++] = (float)(fmin(right, most) - report.digits);
        t->singular += !solvable;
        add_bits(&p.x, &t->bits);
        t->violations += violation;
        const bool none = right >= DIGITS_THAT_COUNT && report.digits < 1.0;
        t->none += none;
        t->worst = fmax(t->worst, -gap);
        if (violation || verbose || (cautious && none))
            printf("%s problem %lld (seed %llu): %s, %s, %s, %s, %lld x %lld, %lld right-hand sides, condition %.1e, "
                   "rank %lld%s: %.1f digits claimed, %.1f correct; factor %s, %d steps %s\n",
                   violation ? "VIOLATION"
                   : none    ? "cautious:"
                             : "",
                   (long long)number, (unsigned long long)seed, kinds[kind].name, ways[way], plumb_prec_name(prec),
                   parts == 2 ? "complex" : "real", (long long)m, (long long)n, (long long)rhs, report.condition,
                   (long long)report.rank, solvable ? "" : ", no solution", report.digits, right,
                   plumb_prec_name(report.factor_prec), (int)report.steps, report.note);
        if (verbose) {
            print_matrix("a", &p.a);
            print_matrix("b", &p.b);
            print_matrix("x", &p.x);
        }
    }
    mpfr_clears(p.t, p.v, (mpfr_ptr)0);
    plumb_array_destroy(context, &p.a);
    plumb_array_destroy(context, &p.b);
    plumb_array_destroy(context, &p.x);
    plumb_array_destroy(context, &p.residual);
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    int subject = argc > 1 ? SUBJECTS - 1 : SUBJECT_MGS;
    while (argc > 1 && subject >= 0 && strcmp(argv[1], subjects[subject]) != 0)
        subject--;
    const int64_t count = argc > 2 ? strtoll(argv[2], NULL, 10) : 1000,
                  first = argc > 4 ? strtoll(argv[4], NULL, 10) : 0;
    const uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    const bool cautious = argc > 5 && strcmp(argv[5], "cautious") == 0;
    if (subject < 0 || count < 1 || count > MOST || argc > 5 + cautious) {
        fprintf(stderr, "usage: claims_lsq [mgs|refined|least|gram] [COUNT [SEED [FIRST [cautious]]]]\n");
        return 2;
    }
    plumb_context *context = NULL;
    plumb_context_options options;
    plumb_context_options_init(&options);
    options.threads = 1;
    if (subject == SUBJECT_GRAM)
        options.backend = PLUMB_BACKEND_GPU;
    if (plumb_context_create(&options, &context) != PLUMB_OK)
        return 2;
    tally t = {.gap = calloc((size_t)count, sizeof(float)), .worst = -INFINITY};
    printf("claims of least squares, %s, %lld problems from %lld, seed %llu\n", titles[subject], (long long)count,
           (long long)first, (unsigned long long)seed);
    for (int64_t k = first; k < first + count; k++)
        run_one(context, subject, seed, k, count == 1, cautious, &t);
    qsort(t.gap, (size_t)t.answers, sizeof(float), by_size);
    printf("%lld answers (%lld problems without one), %lld of them to problems without a solution: %lld violations, "
           "claimed minus "
           "correct at most %.2f\n",
           (long long)t.answers, (long long)t.failed, (long long)t.singular, (long long)t.violations, t.worst);
    if (t.answers > 0)
        printf("correct minus claimed: median %.2f, nine tenths %.2f; %lld answers with %d digits or more claim none\n",
               (double)t.gap[t.answers / 2], (double)t.gap[t.answers * 9 / 10], (long long)t.none, DIGITS_THAT_COUNT);
    printf("bits of the solutions: %016llx\n", (unsigned long long)t.bits);
    free(t.gap);
    plumb_context_destroy(context);
    mpfr_free_cache();
    return t.violations > 0;
}

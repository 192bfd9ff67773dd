/* answer.c - the output of plumb solve: the start systems, the distinct solutions and the account of the paths, as text or
 * JSON.
 *
 * A number is shown with the digits that its estimated error leaves; JSON and files have all limbs. */
#include <math.h>
#include <string.h>

#include "app/account.h"
#include "app/digits.h"
#include "app/numbers.h"
#include "app/report.h"
#include "base/number/modulus.h"
#include "cli/solve/solve.h"
#include "text/solutions/certificate.h"

enum { SHOWN = 20, TIME_ROOM = 64 };

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* A number of paths, and the time that it took to count them where someone may have noticed it; or why there is none. */
static void print_count(FILE *out, const solve_job *job, int32_t kind, const char *name, int64_t count)
{
    const double seconds = job->planned.seconds[kind];
    const bool used = job->planned.report.start == kind;
    const char *given_up = job->planned.given_up[kind];
    if (count < 0 && given_up == NULL)
        return;
    if (count >= 0)
        fprintf(out, "  %-36s%10lld", name, (long long)count);
    else
        fprintf(out, "  %-36s%10s", name, "-");
    if (used)
        fprintf(out, "   used");
    else if (given_up != NULL)
        fprintf(out, "   given up: %s", given_up);
    if (seconds >= 0.01)
        fprintf(out, "%s%s%.2g s", used || given_up != NULL ? ", " : "   ", count >= 0 ? "counted in " : "", seconds);
    fputc('\n', out);
}

void solve_answer_start(const solve_job *job, FILE *out)
{
    const plumb_solve_report *r = &job->planned.report;
    const long long equations = (long long)plumb_system_equations(job->system),
                    unknowns = (long long)plumb_system_unknowns(job->system);
    fprintf(out, "%lld equation%s in %lld unknown%s\n", equations, equations == 1 ? "" : "s", unknowns,
            unknowns == 1 ? "" : "s");
    if (r->dependent > 0)
        fprintf(out, "  %-36s%10lld\n", "dependent equations removed", (long long)r->dependent);
    if (r->lowered > 0)
        fprintf(out, "  %-36s%10lld\n", "degrees of equations lowered", (long long)r->lowered);
    if (r->eliminated > 0)
        fprintf(out, "  %-36s%10lld\n", "unknowns eliminated exactly", (long long)r->eliminated);
    if (r->squared > 0)
        fprintf(out, "  %-36s%10lld to %lld\n", "equations combined at random", (long long)r->squared,
                unknowns - (long long)r->eliminated);
    if (job->planned.no_solution)
        fprintf(out, "there is no solution: %s\n", job->planned.no_solution);
    if (r->direct == 1)
        fprintf(out, "one equation in one unknown is left: its roots are isolated without paths\n");
    else if (r->direct > 1)
        fprintf(out,
                "a triangular system is left: its %lld unknowns are solved for one after the other, without paths\n",
                (long long)r->direct);
    else if (job->planned.paths == 0 && r->polyhedral > 0)
        fprintf(out, "sizes differ much: %lld paths are followed in logarithms of the unknowns\n",
                (long long)r->polyhedral);
    if (job->planned.paths == 0)
        return;
    fprintf(out, "paths of start systems\n");
    print_count(out, job, PLUMB_START_TOTAL, "total degree", r->total_degree);
    print_count(out, job, PLUMB_START_MULTIHOMOGENEOUS, "multi-homogeneous", r->multihomogeneous);
    print_count(out, job, PLUMB_START_POLYHEDRAL, "polyhedral (mixed volume)", r->polyhedral);
    if (job->planned.cells == PLUMB_CELLS_BELIEVED)
        fprintf(out, "  the mixed cells of %s are believed: to enumerate them again takes more than %d steps\n",
                job->words->cells, (int)job->planned.cells_recount);
}

static double error_of(const plumb_solutions *s, int64_t k)
{
    double size = 0;
    for (int64_t i = 0; i < s->unknowns; i++)
        size = fmax(size, plumb_modulus(solution_value(s, k, i)[0], solution_value(s, k, i)[s->prec]));
    const double error = s->record[k].err;
    return size > error ? size * error : error; /* absolute where the point is zero within its error */
}

/* ", certified", or why there is no certificate. */
static void print_certificate(FILE *out, const solve_job *job, int64_t k)
{
    plumb_certificate c;
    if (!job->certificates || plumb_certificates_get(job->certificates, k, &c) != PLUMB_OK)
        return;
    if (c.code == PLUMB_CERTIFIED)
        fprintf(out, ", certified%s", c.real > 0 ? " real" : c.real < 0 ? " not real" : "");
    else
        fprintf(out, ", %s%s", c.bits > 0 ? "" : "not certified: ", plumb_certify_name(c.code));
    if (c.bits > 0 && c.distinct < 0)
        fprintf(out, ", the same as %lld", (long long)c.same_as + 1);
}

/* The digits of solution k, if there are more than limbs have. */
static const plumb_digits *digits_of(const plumb_solutions *s, int64_t k)
{
    plumb_digits_report report;
    const plumb_digits *d = plumb_solutions_digits(s);
    return d && plumb_digits_get(d, k, &report) == PLUMB_OK && report.known > 0 ? d : NULL;
}

void solve_answer_number(const solve_job *job, int64_t k, int64_t i, solve_number *number)
{
    const plumb_solutions *s = job->solutions;
    const plumb_digits *digits = digits_of(s, k);
    const solution_record *r = &s->record[k];
    const double *x = solution_value(s, k, i), error = error_of(s, k);
    if (digits) {
        number->re = plumb_digits_re(digits, k, i);
        number->im = r->real ? "0" : plumb_digits_im(digits, k, i);
        return;
    }
    app_known_number(r->prec, x, x + s->prec, r->real != 0, error, job->words->digits, &number->room);
    if (strcmp(number->room.re, "0") == 0 && x[0] != 0.0 && strcmp(number->room.im, "0") == 0)
        snprintf(number->room.re, APP_KNOWN_ROOM, "%.0e", x[0]); /* no digit is known, but the size may be */
    number->re = number->room.re;
    number->im = number->room.im;
}

static void print_unknown(FILE *out, const solve_job *job, int64_t k, int64_t i)
{
    solve_number number;
    solve_answer_number(job, k, i, &number);
    const bool minus = number.im[0] == '-';
    fputs(number.re, out);
    if (strcmp(number.im, "0") != 0)
        fprintf(out, " %c %s*i", minus ? '-' : '+', number.im + minus);
    fputc('\n', out);
}

static void print_solution(FILE *out, const solve_job *job, int64_t k)
{
    const plumb_solutions *s = job->solutions;
    const solution_record *r = &s->record[k];
    fprintf(out, "\nsolution %lld: %s", (long long)k + 1, r->real ? "real, " : "");
    if (r->kind == PLUMB_SOLUTION_REGULAR)
        fprintf(out, "regular");
    else if (r->kind == PLUMB_SOLUTION_CLUSTER)
        fprintf(out, "cluster of %lld solutions, which may be one, within the error", (long long)r->multiplicity);
    else
        fprintf(out, "singular, multiplicity %lld", (long long)r->multiplicity);
    fprintf(out, ", error %.1e, residual %.1e, condition %.1e", r->err, r->res, r->rco > 0 ? 1 / r->rco : INFINITY);
    print_certificate(out, job, k);
    fputc('\n', out);
    int width = 0;
    for (int64_t i = 0; i < s->unknowns; i++)
        width = (int)strlen(s->names[i]) > width ? (int)strlen(s->names[i]) : width;
    for (int64_t i = 0; i < s->unknowns; i++) {
        fprintf(out, "  %-*s = ", width, s->names[i]);
        print_unknown(out, job, k, i);
    }
}

/* Every path in one line. */
static void print_account(FILE *out, const plumb_solve_report *r, double largest)
{
    app_account_entry entry[APP_ACCOUNT];
    const char *before = "=";
    app_account(r, largest, entry);
    fprintf(out, "%lld path%s", (long long)r->paths, r->paths == 1 ? "" : "s");
    for (int k = 0; k < APP_ACCOUNT; k++)
        if (entry[k].shown) {
            fprintf(out, " %s %lld %s", before, (long long)entry[k].count, entry[k].name);
            before = "+";
        }
    fputc('\n', out);
}

/* Paths that were given up because solutions of their size were not asked for. */
static void print_beyond(FILE *out, const plumb_solve_report *r, double largest)
{
    if (r->beyond == 0)
        return;
    if (isinf(largest))
        fprintf(out,
                "%lld path%s given up far out, where roots or infinity take too many steps, with a largest unknown ",
                (long long)r->beyond, r->beyond == 1 ? " was" : "s were");
    else
        fprintf(out, "%lld path%s ended beyond --largest %g or %s given up on the way there, with a largest unknown ",
                (long long)r->beyond, r->beyond == 1 ? "" : "s", largest, r->beyond == 1 ? "was" : "were");
    if (r->beyond_min < r->beyond_max)
        fprintf(out, "from %.2g to %.2g\n", r->beyond_min, r->beyond_max);
    else
        fprintf(out, "of %.2g\n", r->beyond_max);
}

/* What quad doubles left open, and what it took to go on. */
static void print_mpfr(FILE *out, const solve_job *job)
{
    const plumb_solve_report *r = &job->report;
    if (r->mpfr_paths > 0)
        fprintf(out, "%lld path%s followed in MPFR, with up to %lld digits: %lld steps, %.3g s\n",
                (long long)r->mpfr_paths, r->mpfr_paths == 1 ? " was" : "s were", (long long)r->mpfr_digits,
                (long long)r->mpfr_steps, r->mpfr_seconds);
    if (r->unfollowed > 0)
        fprintf(
            out,
            "%lld path%s to infinity %s not followed in MPFR: roots above 1e15, which such coefficients may have, are "
            "counted there, too\n",
            (long long)r->unfollowed, r->unfollowed == 1 ? "" : "s", r->unfollowed == 1 ? "was" : "were");
    if (r->exhausted > 0)
        fprintf(out, "%lld path%s more than %lld digits, which is the limit (--max-digits)\n", (long long)r->exhausted,
                r->exhausted == 1 ? " needs" : "s need", (long long)job->words->max_digits);
}

static void print_chosen(FILE *out, const solve_job *job)
{
    const solve_words *words = job->words;
    const int64_t shown = job->count;
    if (!words->real && !words->positive && !words->nonzero)
        return;
    fprintf(out, "%lld of them %s%s%s%s\n", (long long)shown, shown == 1 ? "is " : "are ",
            words->positive ? "positive"
            : words->real   ? "real"
                            : "",
            (words->real || words->positive) && words->nonzero ? " and " : "",
            words->nonzero ? "without zero coordinates" : "");
}

void solve_answer_text(const solve_job *job, FILE *out)
{
    const plumb_solutions *s = job->solutions;
    const plumb_solve_report *r = &job->report;
    for (int64_t k = 0; k < s->count && k < SHOWN; k++)
        print_solution(out, job, k);
    if (job->count > SHOWN)
        fprintf(out, "\nand %lld more%s\n", (long long)job->count - SHOWN,
                job->words->output == NULL ? " (-o FILE writes all of them)" : "");
    fprintf(out, "%s%lld distinct isolated solution%s, %lld real, %.3g s\n", s->count > 0 ? "\n" : "",
            (long long)r->distinct, r->distinct == 1 ? "" : "s", (long long)r->real, job->seconds);
    print_chosen(out, job);
    if (r->not_isolated > 0)
        fprintf(out, "%lld path%s ended on a positive-dimensional set: %s solutions of dimension at least 1\n",
                (long long)r->not_isolated, r->not_isolated == 1 ? "" : "s",
                plumb_system_denominators(job->system) > 0 ? "the numerators have" : "it has");
    print_beyond(out, r, job->words->largest);
    print_account(out, r, job->words->largest);
    print_mpfr(out, job);
    if (r->misses > 0)
        fprintf(out,
                "%lld point%s the equations by %.1e or more; --residual X accepts points that miss them by at most X\n",
                (long long)r->misses, r->misses == 1 ? " misses" : "s miss", r->miss);
    if (job->certificates)
        app_certified_print(out, &job->certified, &job->bound);
    else if (job->uncertified[0])
        fprintf(out, "not certified: %s\n", job->uncertified);
}

/* ---- The plan ------------------------------------------------------------------------------------------------------ */

/* Two digits, because it is an estimate: "0.012 s", "45 s", "12 min", "3.4 h", "20 days". */
static void duration_text(double seconds, char text[TIME_ROOM])
{
    const double units[] = {86400, 3600, 60, 1};
    const char *const names[] = {"days", "h", "min", "s"};
    int k = 0;
    while (k < 3 && seconds < 2 * units[k])
        k++;
    const double count = seconds / units[k];
    if (count >= 99.5)
        snprintf(text, TIME_ROOM, "%.0f %s", count, names[k]);
    else
        snprintf(text, TIME_ROOM, "%.2g %s", count, names[k]);
}

void solve_answer_plan_text(const solve_job *job, FILE *out)
{
    const plumb_solve_planned *planned = &job->planned;
    char time[TIME_ROOM], place[64] = "the GPU";
    const int32_t threads = plumb_context_threads(job->context);
    if (planned->paths == 0) {
        fprintf(out, "no paths would be tracked\n");
        return;
    }
    if (plumb_context_backend(job->context) != PLUMB_BACKEND_GPU)
        snprintf(place, sizeof place, "%d thread%s", (int)threads, threads == 1 ? "" : "s");
    duration_text(planned->estimated_seconds, time);
    fprintf(out, "%lld path%s would be tracked: about %s on %s, estimated from %d of them\n", (long long)planned->paths,
            planned->paths == 1 ? "" : "s", time, place, (int)planned->sample);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static bool write_solution(json_writer *w, const solve_job *job, int64_t k)
{
    const plumb_solutions *s = job->solutions;
    const solution_record *r = &s->record[k];
    bool good = true;
    json_open_object(w, NULL);
    if (digits_of(s, k)) {
        app_digits_json(w, plumb_solutions_digits(s), k);
    } else {
        json_open_array(w, "x");
        for (int64_t i = 0; i < s->unknowns; i++) {
            const double *x = solution_value(s, k, i);
            good &= app_report_number(w, NULL, r->prec, x, x + s->prec);
        }
        json_close_array(w);
    }
    json_string(w, "kind", plumb_solution_kind_name(r->kind));
    json_int(w, "multiplicity", r->multiplicity);
    json_bool(w, "real", r->real);
    json_double(w, "err", r->err);
    json_double(w, "residual", r->res);
    json_double(w, "condition", r->rco > 0 ? 1 / r->rco : INFINITY);
    json_string(w, "precision", plumb_prec_name(r->prec));
    if (job->certificates)
        plumb_certificate_json(w, "certificate", job->certificates, k);
    else
        json_string(w, "certificate", NULL);
    json_close_object(w);
    return good;
}

static void write_start(json_writer *w, const plumb_solve_report *r, const plumb_solve_planned *planned)
{
    json_open_object(w, "start");
    json_string(w, "kind", r->start != PLUMB_START_AUTO ? plumb_start_name(r->start) : "none");
    json_open_object(w, "counts");
    const int64_t counts[] = {r->total_degree, r->multihomogeneous, r->polyhedral};
    for (int32_t kind = PLUMB_START_TOTAL; kind <= PLUMB_START_POLYHEDRAL; kind++)
        if (counts[kind - PLUMB_START_TOTAL] >= 0)
            json_int(w, plumb_start_name(kind), counts[kind - PLUMB_START_TOTAL]);
    json_close_object(w);
    json_open_object(w, "counted_in");
    if (r->multihomogeneous >= 0)
        json_double(w, plumb_start_name(PLUMB_START_MULTIHOMOGENEOUS), planned->seconds[PLUMB_START_MULTIHOMOGENEOUS]);
    if (r->polyhedral >= 0)
        json_double(w, plumb_start_name(PLUMB_START_POLYHEDRAL), planned->seconds[PLUMB_START_POLYHEDRAL]);
    json_close_object(w);
    static const char *const cells[] = {NULL, "enumerated", "confirmed", "believed"}; /* as PLUMB_CELLS_... */
    json_string(w, "mixed_cells", cells[planned->cells]);
    json_open_object(w, "given_up");
    for (int32_t kind = PLUMB_START_TOTAL; kind <= PLUMB_START_POLYHEDRAL; kind++)
        if (planned->given_up[kind] != NULL)
            json_string(w, plumb_start_name(kind), planned->given_up[kind]);
    json_close_object(w);
    json_close_object(w);
}

/* What was done before there were paths. */
static void write_simplified(json_writer *w, const plumb_solve_report *r)
{
    json_open_object(w, "simplified");
    json_int(w, "dependent", r->dependent);
    json_int(w, "lowered", r->lowered);
    json_int(w, "eliminated", r->eliminated);
    json_int(w, "combined", r->squared);
    json_int(w, "direct", r->direct);
    json_close_object(w);
}

static void write_paths(json_writer *w, const plumb_solve_report *r)
{
    json_open_object(w, "paths");
    json_int(w, "total", r->paths);
    json_int(w, "regular", r->regular);
    json_int(w, "singular", r->singular);
    json_int(w, "infinite", r->infinite);
    json_int(w, "beyond", r->beyond);
    json_int(w, "not_isolated", r->not_isolated);
    json_int(w, "extraneous", r->extraneous);
    json_int(w, "undecided", r->undecided);
    json_int(w, "failed", r->failed - r->unfinished);
    json_int(w, "not_tracked", r->unfinished);
    if (r->beyond > 0) {
        json_double(w, "beyond_least", r->beyond_min);
        json_double(w, "beyond_most", r->beyond_max);
    }
    json_close_object(w);
    json_int(w, "clusters", r->clusters);
    json_open_object(w, "mpfr");
    json_int(w, "followed", r->mpfr_paths);
    json_int(w, "digits", r->mpfr_digits);
    json_int(w, "steps", r->mpfr_steps);
    json_int(w, "exhausted", r->exhausted);
    json_int(w, "unfollowed", r->unfollowed);
    json_double(w, "seconds", r->mpfr_seconds);
    json_close_object(w);
    json_open_object(w, "near_misses");
    json_int(w, "count", r->misses);
    json_double(w, "least", r->miss);
    json_close_object(w);
}

bool solve_answer_json(const solve_job *job, FILE *out)
{
    const plumb_solutions *s = job->solutions;
    bool good = true;
    char line[256];
    json_writer w = app_report_begin(out, "solve");
    write_simplified(&w, &job->report);
    write_start(&w, &job->report, &job->planned);
    write_paths(&w, &job->report);
    (void)plumb_solve_verdict(&job->report, line, sizeof line);
    json_string(&w, "incomplete", line[0] ? line : NULL);
    json_open_array(&w, "unknowns");
    for (int64_t i = 0; i < s->unknowns; i++)
        json_string(&w, NULL, s->names[i]);
    json_close_array(&w);
    json_open_array(&w, "solutions");
    for (int64_t k = 0; k < s->count; k++)
        good &= write_solution(&w, job, k);
    json_close_array(&w);
    if (job->certificates) {
        plumb_certificate_square_json(&w, "square_up", job->certificates);
        app_certified_json(&w, &job->chosen, &job->bound);
    } else
        json_string(&w, "uncertified", job->uncertified[0] ? job->uncertified : NULL);
    json_uint(&w, "seed", job->words->seed);
    json_double(&w, "seconds", job->seconds);
    app_report_end(&w);
    return good;
}

void solve_answer_plan_json(const solve_job *job, FILE *out)
{
    const plumb_solve_planned *planned = &job->planned;
    json_writer w = app_report_begin(out, "solve");
    write_simplified(&w, &planned->report);
    write_start(&w, &planned->report, planned);
    json_open_object(&w, "plan");
    json_int(&w, "total", planned->paths);
    json_int(&w, "sample", planned->sample);
    json_double(&w, "estimated_seconds", planned->estimated_seconds);
    json_string(&w, "backend", plumb_backend_name(plumb_context_backend(job->context)));
    json_int(&w, "threads", plumb_context_threads(job->context));
    json_string(&w, "no_solution", planned->no_solution);
    json_close_object(&w);
    json_uint(&w, "seed", job->words->seed);
    json_double(&w, "seconds", job->seconds);
    app_report_end(&w);
}

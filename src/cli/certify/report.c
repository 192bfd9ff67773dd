/* report.c - the report of plumb certify: a table as text, or everything as JSON. */
#include <stdio.h>

#include "app/report.h"
#include "cli/certify/certify.h"
#include "text/solutions/certificate.h"

bool certify_print_json(const certify_cli *run)
{
    bool good = true;
    json_writer w = app_report_begin(stdout, "certify");
    json_int(&w, "equations", plumb_system_equations(run->system));
    app_report_unknowns(&w, run->system);
    json_string(&w, "precision", plumb_prec_name(run->x.prec));
    json_int(&w, "count", run->counts.points);
    app_certified_json(&w, &run->counts, &run->bound);
    json_uint(&w, "seed", run->words->seed);
    json_int(&w, "threads", run->threads);
    json_double(&w, "seconds", run->seconds);
    json_open_array(&w, "solutions");
    for (int64_t k = 0; k < run->counts.points; k++) {
        json_open_object(&w, NULL);
        json_int(&w, "number", k + 1);
        good &= app_report_column(&w, "x", &run->x, k, 0);
        plumb_certificate_json(&w, "certificate", run->certificates, k);
        json_close_object(&w);
    }
    json_close_array(&w);
    plumb_certificate_square_json(&w, "square_up", run->certificates);
    app_report_end(&w);
    return good;
}

static void print_table(const certify_cli *run)
{
    printf("%6s  %-16s %-8s %-8s %-16s %4s %8s %8s\n", "number", "verdict", "real", "positive", "distinct", "bits",
           "radius", "moved");
    for (int64_t k = 0; k < run->counts.points; k++) {
        static const char *const answer[] = {"no", "?", "yes"};
        char distinct[40] = "";
        plumb_certificate c;
        if (plumb_certificates_get(run->certificates, k, &c) != PLUMB_OK)
            continue;
        printf("%6lld  %-16s ", (long long)k + 1, plumb_certify_name(c.code));
        if (c.bits == 0) {
            printf("%-8s %-8s %-16s %4s %8s %8s\n", "-", "-", "-", "-", "-", "-");
            continue;
        }
        if (c.distinct < 0)
            snprintf(distinct, sizeof distinct, "same as %lld", (long long)c.same_as + 1);
        printf("%-8s %-8s %-16s %4d %8.1e %8.1e\n", answer[c.real + 1], answer[c.positive + 1],
               c.distinct < 0 ? distinct : answer[c.distinct + 1], (int)c.bits, c.radius, c.moved);
    }
}

/* Explains the verdicts that occur in the table, except "certified". */
static void print_verdicts(const certify_cli *run)
{
    int64_t seen[PLUMB_CERTIFY_CODES] = {0};
    for (int64_t k = 0; k < run->counts.points; k++) {
        plumb_certificate c;
        if (plumb_certificates_get(run->certificates, k, &c) == PLUMB_OK)
            seen[c.code]++;
    }
    for (int code = PLUMB_CERTIFIED + 1; code < PLUMB_CERTIFY_CODES; code++)
        if (seen[code] > 0)
            printf("%-16s %s\n", plumb_certify_name(code), plumb_certify_text((plumb_certify_code)code));
}

bool certify_print(const certify_cli *run)
{
    const app_certified *c = &run->counts;
    if (run->words->quiet)
        return true;
    print_table(run);
    print_verdicts(run);
    printf("%lld of %lld solution%s certified%s, %lld distinct, %lld real, %lld positive, %.3g s\n",
           (long long)c->certified + c->squared, (long long)c->points, c->points == 1 ? "" : "s",
           c->squared > 0 ? " for the squared-up system" : "", (long long)c->distinct, (long long)c->real,
           (long long)c->positive, run->seconds);
    app_certified_print(stdout, c, &run->bound);
    return true;
}

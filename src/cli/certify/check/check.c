/* check.c - plumb certify --check: reads, proves, and prints. */
#include "cli/certify/check/check.h"

#include <mpfr.h>
#include <stdio.h>

#include "app/app.h"
#include "app/models.h"
#include "app/report.h"
#include "cli/certify/certify.h"

typedef struct check_counts {
    int64_t checked, failed, nothing; /* nothing: solutions without a certificate that claims anything */
    int64_t distinct, real, positive;
} check_counts;

static int check_all(const char *command, const check_file *file)
{
    for (int64_t k = 0; k < file->count; k++) {
        check_claim *claim = &file->claim[k];
        if (claim->verdict == CHECK_NONE)
            continue;
        if (!check_box(file, claim))
            return app_fail(command, "out of memory");
        if (claim->why[0])
            continue;
        check_reality(file, claim);
        check_kind(claim);
        if (!claim->why[0] && claim->verdict != CHECK_EXCLUDED && !check_point(file, claim))
            return app_fail(command, "out of memory");
    }
    return check_distinct(file) ? APP_OK : app_fail(command, "out of memory");
}

static check_counts count_all(const check_file *file)
{
    check_counts c = {.checked = 0};
    for (int64_t k = 0; k < file->count; k++) {
        const check_claim *claim = &file->claim[k];
        const bool holds = !claim->why[0];
        if (claim->verdict == CHECK_NONE) {
            c.nothing++;
            continue;
        }
        c.checked++;
        c.failed += !holds;
        if (!holds || claim->distinct != CHECK_YES)
            continue;
        c.distinct++;
        c.real += claim->real == CHECK_YES;
        c.positive += claim->positive == CHECK_YES;
    }
    return c;
}

static void print_text(const check_file *file, const check_counts *c)
{
    for (int64_t k = 0; k < file->count; k++)
        if (file->claim[k].why[0])
            printf("solution %lld: %s\n", (long long)k + 1, file->claim[k].why);
    if (file->summary.why[0])
        printf("the whole file: %s\n", file->summary.why);
    printf("%lld of %lld certificates hold", (long long)c->checked - c->failed, (long long)c->checked);
    printf(": %lld distinct zeros%s, %lld real, %lld positive", (long long)c->distinct,
           file->square && !file->exact ? " of the squared-up system" : "", (long long)c->real, (long long)c->positive);
    if (c->nothing > 0)
        printf("; %lld solutions have no box", (long long)c->nothing);
    printf("\n");
}

static void print_json(const check_file *file, const check_counts *c)
{
    json_writer w = app_report_begin(stdout, "certify --check");
    json_int(&w, "checked", c->checked);
    json_int(&w, "holding", c->checked - c->failed);
    json_int(&w, "certified_distinct", c->distinct);
    json_int(&w, "certified_real", c->real);
    json_int(&w, "certified_positive", c->positive);
    json_open_array(&w, "refused");
    for (int64_t k = 0; k < file->count; k++)
        if (file->claim[k].why[0]) {
            json_open_object(&w, NULL);
            json_int(&w, "number", k + 1);
            json_string(&w, "reason", file->claim[k].why);
            json_close_object(&w);
        }
    json_close_array(&w);
    json_string(&w, "refused_summary", file->summary.why[0] ? file->summary.why : NULL);
    app_report_end(&w);
}

int certify_check(const certify_words *words)
{
    static const char command[] = "certify";
    plumb_system *system = NULL;
    check_file file = {.system = NULL};
    int result = app_polynomials_get(command, words->file[0], &words->equations, &system);
    if (result == APP_OK && system->equations < system->unknowns)
        result = app_misuse(NULL, "%s: found fewer equations than unknowns, expected at least as many",
                            app_input_name(words->file[0]));
    if (result == APP_OK)
        result = check_file_read(command, words->check, system, &file);
    if (result == APP_OK)
        result = check_all(command, &file);
    if (result == APP_OK) {
        const check_counts c = count_all(&file);
        if (c.failed == 0)
            check_summary_compare(&file);
        if (words->json)
            print_json(&file, &c);
        else if (!words->quiet)
            print_text(&file, &c);
        if (c.failed > 0)
            result =
                app_fail(command, "%lld of %lld certificates do not hold", (long long)c.failed, (long long)c.checked);
        else if (file.summary.why[0])
            result = app_fail(command, "%s: %s", app_input_name(words->check), file.summary.why);
    }
    check_file_clear(&file);
    plumb_system_destroy(system);
    mpfr_free_cache();
    return result;
}

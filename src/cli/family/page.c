/* page.c - see page.h. */
#include "cli/family/page.h"

#include <math.h>

#include "app/app.h"
#include "app/files.h"
#include "app/numbers.h"
#include "app/report.h"
#include "base/number/modulus.h"
#include "base/os/clock.h"

enum { MOST_TARGETS = APP_PAGE_ROWS };

/* ---- Targets ----------------------------------------------------------------------------------------------------- */

static void put_column(json_writer *w, const char *name, const char *kind)
{
    json_open_array(w, NULL);
    json_string(w, NULL, name);
    json_string(w, NULL, kind);
    json_close_array(w);
}

int family_page_begin(family_page *page, const family_words *words, const plumb_family *family)
{
    static const char *const counts[] = {"solutions", "real", "positive", "singular", "at infinity", "failed", NULL};
    *page = (family_page){
        .words = words, .family = family, .data = {.command = words->command}, .began = plumb_clock_seconds()};
    const plumb_system *system = plumb_family_system(family);
    const int64_t n = plumb_family_unknowns(family), m = plumb_family_parameters(family);
    const int result = app_page_begin(&page->data, words->file != NULL ? app_input_name(words->file) : NULL);
    if (result != APP_OK)
        return result;
    json_writer *w = &page->data.w;
    app_page_equations(&page->data, system);
    app_page_names(&page->data, "unknowns", system, 0, n);
    app_page_names(&page->data, "parameters", system, n, m);
    json_open_object(w, "groups");
    json_string(w, "one", "target");
    json_string(w, "heading", "Targets");
    json_string(w, "hint", "A target is a row of values of the parameters. Choose one to see its solutions alone.");
    json_open_array(w, "columns");
    for (int64_t k = 0; k < m; k++)
        put_column(w, plumb_system_name(system, n + k), "number");
    put_column(w, "outcome", "text");
    for (int k = 0; counts[k] != NULL; k++)
        put_column(w, counts[k], "count");
    put_column(w, "error", "error");
    json_close_array(w);
    json_open_array(w, "rows");
    return APP_OK;
}

/* A parameter, exactly. */
static void put_parameter(app_page_data *page, const double *limbs, int64_t parameter, int64_t parameters)
{
    char text[2][CLI_NUMBER_ROOM];
    for (int part = 0; part < 2; part++) {
        double one[PLUMB_QD];
        for (int c = 0; c < PLUMB_QD; c++)
            one[c] = limbs[(part * PLUMB_QD + c) * parameters + parameter];
        (void)app_limbs_text(PLUMB_QD, one, NULL, text[part]);
    }
    app_page_number(page, text[0], text[1]);
}

static void put_solution(app_page_data *page, const plumb_view *x, const plumb_solution_record *record, int64_t entry,
                         bool positive)
{
    double size = 0.0, re[PLUMB_QD], im[PLUMB_QD];
    app_known_pair pair;
    for (int64_t i = 0; i < x->rows; i++) {
        app_entry(x, entry, i, 0, 0, re);
        app_entry(x, entry, i, 0, 1, im);
        size = fmax(size, plumb_modulus(re[0], im[0]));
    }
    const double error = size > record->error ? size * record->error : record->error;
    app_page_solution_begin(page, &(app_page_solution){.kind = record->kind,
                                                       .multiplicity = record->multiplicity,
                                                       .real = record->real != 0,
                                                       .positive = positive,
                                                       .error = record->error,
                                                       .residual = record->residual,
                                                       .rcond = record->rcond,
                                                       .known = record->known});
    for (int64_t i = 0; i < x->rows; i++) {
        app_entry(x, entry, i, 0, 0, re);
        app_entry(x, entry, i, 0, 1, im);
        app_known_number(record->prec, re, im, record->real != 0, error, 0, &pair);
        app_page_number(page, pair.re, pair.im);
    }
    app_page_solution_end(page);
}

void family_page_target(family_page *page, const plumb_instance *instance, const double *limbs,
                        const plumb_view *solutions, const plumb_solution_record *records, int64_t first, int64_t shown)
{
    json_writer *w = &page->data.w;
    const int64_t m = plumb_family_parameters(page->family), all = page->data.solutions + shown;
    page->outcome[instance->code]++;
    page->real += instance->real;
    page->positive += instance->positive;
    page->regular += instance->regular;
    page->singular += instance->singular;
    page->infinite += instance->infinite;
    page->failed += instance->failed;
    if (page->left_out > 0 || page->targets == MOST_TARGETS || (page->targets > 0 && all > APP_PAGE_ROWS)) {
        page->left_out++;
        return;
    }
    page->targets++;
    json_open_array(w, NULL);
    for (int64_t k = 0; k < m; k++)
        put_parameter(&page->data, limbs, k, m);
    json_string(w, NULL, plumb_instance_name(instance->code));
    json_int(w, NULL, instance->solutions);
    json_int(w, NULL, instance->real);
    json_int(w, NULL, instance->positive);
    json_int(w, NULL, instance->singular);
    json_int(w, NULL, instance->infinite);
    json_int(w, NULL, instance->failed);
    json_double(w, NULL, instance->error);
    json_open_array(w, NULL);
    for (int64_t k = first; k < first + shown; k++)
        put_solution(&page->data, solutions, &records[k], k, k < first + instance->positive);
    json_close_array(w);
    json_close_array(w);
}

/* ---- The rest ---------------------------------------------------------------------------------------------------- */

static void put_sentence(const family_page *page, json_writer *w)
{
    static const int32_t codes[] = {PLUMB_INSTANCE_GENERIC, PLUMB_INSTANCE_SPECIAL, PLUMB_INSTANCE_ANEW,
                                    PLUMB_INSTANCE_INCOMPLETE};
    const int64_t targets = page->targets + page->left_out, paths = plumb_family_paths(page->family);
    char text[256];
    int used = snprintf(text, sizeof text, "%lld target%s with %lld path%s each", (long long)targets,
                        targets == 1 ? "" : "s", (long long)paths, paths == 1 ? "" : "s");
    const char *before = ": ";
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++)
        if (page->outcome[codes[k]] > 0) {
            used += snprintf(text + used, sizeof text - (size_t)used, "%s%lld %s", before,
                             (long long)page->outcome[codes[k]], plumb_instance_name(codes[k]));
            before = ", ";
        }
    snprintf(text + used, sizeof text - (size_t)used, "; %lld real solution%s, %lld positive", (long long)page->real,
             page->real == 1 ? "" : "s", (long long)page->positive);
    json_string(w, "sentence", text);
}

static void put_warnings(const family_page *page, json_writer *w, bool doubtful, bool stopped)
{
    const int64_t open = page->outcome[PLUMB_INSTANCE_INCOMPLETE],
                  special = page->outcome[PLUMB_INSTANCE_SPECIAL] + page->outcome[PLUMB_INSTANCE_ANEW];
    char line[256];
    json_open_array(w, "warnings");
    if (doubtful)
        json_string(w, NULL, "Generic solutions may be missing, and as many solutions of every target.");
    if (open > 0) {
        snprintf(line, sizeof line, "Solutions of %lld target%s may be missing.", (long long)open,
                 open == 1 ? "" : "s");
        json_string(w, NULL, line);
    }
    if (stopped)
        json_string(w, NULL, "The run was stopped: later targets are not on this page.");
    if (special > 0) {
        snprintf(line, sizeof line,
                 "%lld target%s special: some paths end at infinity or at singular solutions, so that there are "
                 "fewer solutions than for generic parameters.",
                 (long long)special, special == 1 ? " is" : "s are");
        json_string(w, NULL, line);
    }
    if (page->left_out > 0) {
        snprintf(line, sizeof line, "This page has the first %lld targets; -o FILE writes all of them.",
                 (long long)page->targets);
        json_string(w, NULL, line);
    }
    if (page->words->real || page->words->positive)
        json_string(w, NULL, "The options chose some of the solutions; the others are counted, but not on this page.");
    json_close_array(w);
}

int family_page_save(family_page *page, bool doubtful, bool stopped)
{
    json_writer *w = &page->data.w;
    const int64_t paths = plumb_family_paths(page->family);
    char text[160];
    json_close_array(w);
    json_close_object(w);
    put_sentence(page, w);
    put_warnings(page, w, doubtful, stopped);
    json_open_array(w, "work");
    snprintf(text, sizeof text, "%lld solution%s for generic parameters; one path from each of them to every target.",
             (long long)paths, paths == 1 ? "" : "s");
    json_string(w, NULL, text);
    json_close_array(w);
    json_open_array(w, "account");
    app_page_account(&page->data, "regular", page->regular, "ended at regular solutions, each at a different one");
    app_page_account(&page->data, "singular", page->singular, "ended at singular solutions");
    app_page_account(&page->data, "at infinity", page->infinite, "went to infinity");
    app_page_account(&page->data, "failed", page->failed, "did not end, or share the regular endpoint of another path");
    json_close_array(w);
    json_open_array(w, "costs");
    snprintf(text, sizeof text, "%.3g s", plumb_clock_seconds() - page->began);
    app_page_cost(&page->data, "time for all targets", text);
    json_close_array(w);
    json_open_array(w, "certificates");
    json_close_array(w);
    app_page_footer(&page->data, page->words->seed);
    return app_page_save(&page->data, page->words->html);
}
